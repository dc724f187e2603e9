#include "engine/scalar/registers.h"

#include <cstdlib>
#include <new>

namespace engine {

static_assert(static_cast<int>(DType::Complex128) == RT_D_C128 && static_cast<int>(DType::Float16) == RT_D_F16 &&
              static_cast<int>(DType::UInt64) == RT_D_U64 && kDTypeCount == RT_DTYPE_COUNT);

RtKind registerKind(DType dtype)
{
    switch (dtype) {
    case DType::Bool: return RT_BOOL;
    case DType::UInt64: return RT_UINT;
    case DType::Float16:
    case DType::Float32: return RT_F32;
    case DType::Float64: return RT_F64;
    case DType::Complex64:
    case DType::Complex128: return RT_COMPLEX;
    default: return RT_INT;
    }
}

RtLoop castLoop(RtKind from, DType to)
{
    const RtLoop narrowing = rt_table()->narrowingCasts[rtDType(to)][from];
    return narrowing ? narrowing : rt_table()->casts[from][registerKind(to)];
}

bool isNativeRegister(DType dtype)
{
    switch (dtype) {
    case DType::Bool:
    case DType::Int64:
    case DType::UInt64:
    case DType::Float32:
    case DType::Float64:
    case DType::Complex128: return true;
    default: return false;
    }
}

DType nativeDType(RtKind kind)
{
    switch (kind) {
    case RT_BOOL: return DType::Bool;
    case RT_UINT: return DType::UInt64;
    case RT_F32: return DType::Float32;
    case RT_F64: return DType::Float64;
    case RT_COMPLEX: return DType::Complex128;
    default: return DType::Int64;
    }
}

std::size_t registerBytes(RtKind kind)
{
    switch (kind) {
    case RT_BOOL: return 1;
    case RT_F32: return 4;
    case RT_COMPLEX: return 16;
    default: return 8;
    }
}

std::optional<RtOp> primitiveOf(ScalarCode code)
{
    using S = ScalarCode;
    switch (code) {
    case S::Add: return RT_ADD;
    case S::Mul: return RT_MUL;
    case S::Sub: return RT_SUB;
    case S::TrueDiv: return RT_TRUE_DIV;
    case S::IntDiv: return RT_INT_DIV;
    case S::Mod: return RT_MOD;
    case S::Pow: return RT_POW;
    case S::Neg: return RT_NEG;
    case S::Abs: return RT_ABS;
    case S::Sgn: return RT_SGN;
    case S::Inv: return RT_INV;
    case S::Sqr: return RT_SQR;
    case S::Sqrt: return RT_SQRT;
    case S::Maximum: return RT_MAXIMUM;
    case S::Minimum: return RT_MINIMUM;
    case S::Clip: return RT_CLIP;
    case S::Identity: return RT_COPY;
    case S::Switch: return RT_SWITCH;
    case S::Lt: return RT_LT;
    case S::Gt: return RT_GT;
    case S::Le: return RT_LE;
    case S::Ge: return RT_GE;
    case S::Eq: return RT_EQ;
    case S::Neq: return RT_NEQ;
    case S::IsNan: return RT_ISNAN;
    case S::IsInf: return RT_ISINF;
    case S::InRange: return RT_IN_RANGE;
    case S::And: return RT_AND;
    case S::Or: return RT_OR;
    case S::Xor: return RT_XOR;
    case S::Invert: return RT_INVERT;
    case S::Ceil: return RT_CEIL;
    case S::Floor: return RT_FLOOR;
    case S::Trunc: return RT_TRUNC;
    case S::RoundHalfToEven: return RT_ROUND_EVEN;
    case S::RoundHalfAwayFromZero: return RT_ROUND_AWAY;
    case S::Exp: return RT_EXP;
    case S::Exp2: return RT_EXP2;
    case S::Expm1: return RT_EXPM1;
    case S::Log: return RT_LOG;
    case S::Log2: return RT_LOG2;
    case S::Log10: return RT_LOG10;
    case S::Log1p: return RT_LOG1P;
    case S::Sigmoid: return RT_SIGMOID;
    case S::Softplus: return RT_SOFTPLUS;
    case S::Sin: return RT_SIN;
    case S::Cos: return RT_COS;
    case S::Tan: return RT_TAN;
    case S::Sinh: return RT_SINH;
    case S::Cosh: return RT_COSH;
    case S::Tanh: return RT_TANH;
    case S::Arcsin: return RT_ASIN;
    case S::Arccos: return RT_ACOS;
    case S::Arctan: return RT_ATAN;
    case S::Arcsinh: return RT_ASINH;
    case S::Arccosh: return RT_ACOSH;
    case S::Arctanh: return RT_ATANH;
    case S::Arctan2: return RT_ATAN2;
    case S::Deg2Rad: return RT_DEG2RAD;
    case S::Rad2Deg: return RT_RAD2DEG;
    case S::Erf: return RT_ERF;
    case S::Erfc: return RT_ERFC;
    case S::Erfcx: return RT_ERFCX;
    case S::Erfinv: return RT_ERFINV;
    case S::Erfcinv: return RT_ERFCINV;
    case S::Gamma: return RT_GAMMA;
    case S::GammaLn: return RT_GAMMALN;
    case S::Psi: return RT_PSI;
    case S::TriGamma: return RT_TRIGAMMA;
    case S::J0: return RT_J0;
    case S::J1: return RT_J1;
    case S::Real: return RT_REAL;
    case S::Imag: return RT_IMAG;
    case S::Angle: return RT_ANGLE;
    case S::Conj: return RT_CONJ;
    case S::ComplexFromPair: return RT_COMPLEX_FROM_PAIR;
    case S::ComplexFromPolar: return RT_COMPLEX_FROM_POLAR;
    default: return std::nullopt;
    }
}

namespace {

struct Scratch {
    void *data = nullptr;
    std::size_t bytes = 0;
    ~Scratch() { std::free(data); }
};

// Two words; a plain pointer beside the owner keeps the common path free of the destructor's guard.
thread_local Scratch scratchOwner;
__attribute__((tls_model("initial-exec"))) thread_local void *scratchData = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local std::size_t scratchBytes = 0;

} // namespace

void *threadScratch(std::size_t bytes)
{
    if (bytes > scratchBytes) {
        const std::size_t wanted = (bytes + 4095) & ~std::size_t(4095);
        void *data = std::aligned_alloc(64, wanted);
        if (!data) throw std::bad_alloc();
        std::free(scratchOwner.data);
        scratchOwner.data = scratchData = data;
        scratchOwner.bytes = scratchBytes = wanted;
    }
    return scratchData;
}

} // namespace engine
