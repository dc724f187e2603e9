/* The vector primitives under the interpreter and under generated kernels: plain C interface of libcroton_rt.so.
   One table per instruction set; rt_table() answers the best one for this processor. Every function treats an
   element the same wherever it stands in an array: the tail of a block gives the same bits as its body.
   Inputs and outputs may be the same memory, but may not overlap otherwise. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* What a register of the interpreter holds. Narrow integers compute as 64-bit ones and are wrapped back. */
typedef enum RtKind {
    RT_BOOL,    /* unsigned char, 0 or 1 */
    RT_INT,     /* int64 */
    RT_UINT,    /* uint64 */
    RT_F32,     /* float */
    RT_F64,     /* double */
    RT_COMPLEX, /* two doubles */
    RT_KIND_COUNT
} RtKind;

/* Elementwise primitives: the rows of functions/, then what only the interpreter makes. Results have the kind of the arguments, but for
   tests (bool), parts of complex numbers (f64) and complex numbers made of two f64. RT_SWITCH takes (bool, a, b). */
typedef enum RtOp {
#define FUNCTION(code, primitive, ...) RT_##primitive,
#include "engine/rt/functions/all.def"
    RT_MUL_ADD, /* a*b + c */
    RT_MUL_SUB, /* a*b - c */
    RT_SUB_MUL, /* c - a*b, arguments (a, b, c) */
    RT_OP_COUNT
} RtOp;

typedef enum RtReduce { RT_SUM, RT_PROD, RT_MAX, RT_MIN, RT_ANY, RT_ALL, RT_REDUCE_COUNT } RtReduce;

/* dtypes of memory, in the order of engine::DType. */
typedef enum RtDType {
    RT_D_BOOL,
    RT_D_I8,
    RT_D_I16,
    RT_D_I32,
    RT_D_I64,
    RT_D_U8,
    RT_D_U16,
    RT_D_U32,
    RT_D_U64,
    RT_D_F16,
    RT_D_F32,
    RT_D_F64,
    RT_D_C64,
    RT_D_C128,
    RT_DTYPE_COUNT
} RtDType;

typedef void (*RtLoop)(void *out, const void *const *in, long n);
/* Memory of some dtype, `stride` bytes apart, to contiguous elements of the dtype's kind; and back. */
typedef void (*RtLoad)(const char *from, long stride, void *to, long n);
typedef void (*RtStore)(const void *from, char *to, long stride, long n);
/* The same for rows `rowStride` bytes apart, n elements each. */
typedef void (*RtLoadRows)(const char *from, long rows, long rowStride, long n, long stride, void *to);
/* Columns that are contiguous in memory, `stride` bytes apart, to rows `width` elements apart: element r of column c comes
   to to[r * width + c]. */
typedef void (*RtLoadColumns)(const char *from, long rows, long columns, long stride, void *to, long width);
/* Rows of `rowBytes`, one behind the other, each repeated `times`; up to RT_SLACK bytes behind the last one may be written, too. */
typedef void (*RtRepeatRows)(const void *from, long rows, long rowBytes, long times, void *to);
#define RT_SLACK 64
/* *acc = *acc op x[0] op x[1] …, in lanes (64, 32, 16 or 4, by the length), folded by halves. */
typedef void (*RtFold)(const void *x, long n, void *acc);
/* A row that comes in pieces of whole multiples of RT_LANES (the last one may be shorter), with the bits of a fold of
   all of it (from 1024 elements on): lane[i % RT_LANES] op= x[i], then *acc = *acc op all lanes. */
#define RT_LANES 64
typedef void (*RtFoldPiece)(const void *x, long n, void *lane);
typedef void (*RtFoldLanes)(void *lane, void *acc);
/* acc[r] = acc[r] op row r, as a fold of each row would: n elements each, rows `stride` bytes apart. */
typedef void (*RtFoldEach)(const char *x, long rows, long stride, long n, void *acc);
/* acc[c] = acc[c] op x[0][c] op x[1][c] …; rows are `stride` bytes apart. */
typedef void (*RtFoldRows)(const char *x, long rows, long stride, long columns, void *acc);

typedef long (*RtPlace)(const void *x, long n);
/* The same for each column of less than 2^31 rows, `stride` elements apart. */
typedef void (*RtPlaces)(const void *x, long rows, long stride, long columns, long long *places);
/* The same for each row of n > 0 elements, one behind the other. */
typedef void (*RtRowPlaces)(const void *x, long rows, long n, long long *places);

/** Asked now and then by what takes long: 1 if it is to stop. */
typedef int (*RtStop)(void);

/* Blocks at array + offsets[i], and the ones beside them at other + i * step; all of that again `outer` times, further by two steps. */
typedef struct RtIndexed {
    char *array, *other;
    const long long *offsets;
    long count, step;
    long outer, arrayStep, otherStep;
} RtIndexed;

/* Products c[i] = a[i] b[i] of `count` pairs of matrices of rows x depth and depth x columns. Steps are in elements; each c is dense, one
   behind the other. */
#define RT_SMALL_PRODUCT 16
typedef struct RtSmallProducts {
    long count, rows, columns, depth;
    long aStep, aRow, aColumn; /* from a matrix to the next one, from a row, from a column */
    long bStep, bRow, bColumn;
} RtSmallProducts;

#define RT_SHORT_SORT 128

typedef struct RtTable {
    const char *level; /* "x86-64-v4" … */
    int vectorBytes;
    int fusesMultiplyAdd;                     /* RT_MUL_ADD and its kin round once on floating-point numbers; 0: twice */
    RtLoop loops[RT_OP_COUNT][RT_KIND_COUNT]; /* null: no such loop */
    RtLoop casts[RT_KIND_COUNT][RT_KIND_COUNT];
    /* The same on the way to a dtype whose wrap() alone would give something else than one conversion. Null: casts. */
    RtLoop narrowingCasts[RT_DTYPE_COUNT][RT_KIND_COUNT];
    RtLoop wraps[RT_DTYPE_COUNT]; /* rounds or wraps a register to what the dtype can hold; null: nothing to do */
    RtLoad loads[RT_DTYPE_COUNT];
    RtLoadRows loadRows[RT_DTYPE_COUNT];
    RtLoadColumns loadColumns[RT_DTYPE_COUNT];
    RtStore stores[RT_DTYPE_COUNT];
    RtRepeatRows repeatRows;
    RtFold folds[RT_REDUCE_COUNT][RT_KIND_COUNT];
    RtFoldEach foldEach[RT_REDUCE_COUNT][RT_KIND_COUNT];
    RtFoldRows foldRows[RT_REDUCE_COUNT][RT_KIND_COUNT];
    /* Memory of narrow integers and bools as it is, into one of RT_INT. Null: no such fold. */
    RtFold narrowFolds[RT_REDUCE_COUNT][RT_DTYPE_COUNT];
    /* float elements into double accumulators (sum, prod) */
    RtFold wideFolds[2];
    RtFoldEach wideFoldEach[2];
    RtFoldRows wideFoldRows[2];
    /* sum, prod: the same folds in pieces; lanes are of the accumulator's kind, 32, 16 or 4 of them in shorter rows */
    RtFoldPiece foldPieces[2][RT_KIND_COUNT], wideFoldPieces[2];
    RtFoldLanes foldLanes[2][RT_KIND_COUNT][4]; /* 64, 32, 16, 4 lanes */
    /* Where the largest of n > 0 elements stands: the first NaN, else the first of equal ones. Null: no such dtype. */
    RtPlace placeOfLargest[RT_DTYPE_COUNT];
    RtPlaces placesInColumns[RT_DTYPE_COUNT];
    RtRowPlaces placesInRows[RT_DTYPE_COUNT];
    /* y += alpha * A x and y += alpha * A' x for A with contiguous rows (`lda` elements apart). */
    void (*gemvF32)(long rows, long columns, float alpha, const float *a, long lda, const float *x, float *y);
    void (*gemvF64)(long rows, long columns, double alpha, const double *a, long lda, const double *x, double *y);
    void (*gemvTransposedF32)(long rows, long columns, float alpha, const float *a, long lda, const float *x, float *y);
    void (*gemvTransposedF64)(long rows, long columns, double alpha, const double *a, long lda, const double *x, double *y);
    /// A row of `width` places of 1 to 6 filters: out[f·stride + x] = Σ weights[k·filters + f] · image[offsets[k] + x].
    void (*convolveRowF32)(const float *image, const long *offsets, long window, const float *weights, int filters, long width, float *out,
                           long stride);
    void (*convolveRowF64)(const double *image, const long *offsets, long window, const double *weights, int filters, long width,
                           double *out, long stride);
    /* out[i] = the largest (a NaN if there is one), or the sum, of row[i * step] to row[i * step + window - 1]; window > 0. */
    void (*poolLargestF32)(const float *row, long places, long step, long window, float *out);
    void (*poolLargestF64)(const double *row, long places, long step, long window, double *out);
    void (*poolSumF32)(const float *row, long places, long step, long window, float *out);
    void (*poolSumF64)(const double *row, long places, long step, long window, double *out);
    /* row[i * step] to row[i * step + window - 1] = values[i * between]; window <= step. */
    void (*spreadF32)(const float *values, long places, long between, long step, long window, float *row);
    void (*spreadF64)(const double *values, long places, long between, long step, long window, double *row);
    /* result[i] += grad[i] where row[i] is `largest[i]`. */
    void (*giveToLargestF32)(const float *row, const float *largest, const float *grad, float *result, long n);
    void (*giveToLargestF64)(const double *row, const double *largest, const double *grad, double *result, long n);
    /* Sorts unsigned keys of 32 and 64 bits; `spare` has room for n + 16 of them. 0: given up, the keys stand in some order.
       Null: this level has nothing better than a radix sort. */
    int (*sort32)(void *keys, void *spare, long n, RtStop stop);
    int (*sort64)(void *keys, void *spare, long n, RtStop stop);
    /* Places that an index names as offsets from the first element: place * stride, which is added to what stands there if `adds`. Negative
       ones count from the end. 0: a place is outside of [-size, size). By the dtype of the places; null: no such loop. */
    int (*offsets[RT_DTYPE_COUNT])(const void *places, long n, long size, long stride, int adds, long long *offsets);
    /* other = array, array = other in the order of positions, in blocks of so many bytes. */
    void (*gatherBlocks)(const RtIndexed *blocks, long bytes);
    void (*setBlocks)(const RtIndexed *blocks, long bytes);
    /* array += other, in that order, in blocks of so many elements. Null: no such loop. */
    void (*addBlocks[RT_DTYPE_COUNT])(const RtIndexed *blocks, long elements);
    /* Items of 4 or 8 bytes, one behind the other, each repeated `times`; nothing else is written. */
    void (*repeatItems)(const void *from, long items, long itemBytes, long times, void *to);
    /* 0: nothing was done, a side is longer than RT_SMALL_PRODUCT or there is a better way. c is neither a nor b. */
    int (*smallProductsF32)(const RtSmallProducts *sizes, const float *a, const float *b, float *c);
    int (*smallProductsF64)(const RtSmallProducts *sizes, const double *a, const double *b, double *c);
    /* Sorts each of many rows of n <= RT_SHORT_SORT unsigned keys of 32 and 64 bits, one behind the other. */
    void (*sortRows32)(void *keys, long rows, long n);
    void (*sortRows64)(void *keys, long rows, long n);
} RtTable;

const RtTable *rt_table(void);
/* "add", "exp" … */
const char *rt_op_name(RtOp op);
/* A table by level name ("x86-64-v2"), null if this processor cannot run it: for tests. */
const RtTable *rt_table_at(const char *level);

/* The common functions by name. */
void rt_exp_f32(const float *x, float *y, long n);
void rt_exp_f64(const double *x, double *y, long n);
void rt_log_f32(const float *x, float *y, long n);
void rt_log_f64(const double *x, double *y, long n);

#ifdef __cplusplus
}
#endif
