#include "engine/runtime/rt/math_f64.h"

#include "engine/runtime/rt/mvec.h"

#if defined(RT_HAVE_MVEC)
#define DECLARE(f) extern "C" VecF64 RT_MVEC_F64(f)(VecF64);
#define FILL(op, f) table->loops[op][RT_F64] = mapVector<double, VecF64, RT_MVEC_F64(f)>;
#define DECLARE2(f) extern "C" VecF64 RT_MVEC_F64_2(f)(VecF64, VecF64);
#define FILL2(op, f) table->loops[op][RT_F64] = mapVector2<double, VecF64, RT_MVEC_F64_2(f)>;
#else
#define DECLARE(f) extern "C" double f(double);
#define FILL(op, f) table->loops[op][RT_F64] = mapUnary<double, double, f>;
#define DECLARE2(f) extern "C" double f(double, double);
#define FILL2(op, f) table->loops[op][RT_F64] = mapBinary<double, double, double, f>;
#endif

#define FUNCTIONS(X)                                                                               \
    X(RT_EXP2, exp2) X(RT_EXPM1, expm1) X(RT_LOG2, log2) X(RT_LOG10, log10)                         \
    X(RT_SIN, sin) X(RT_COS, cos) X(RT_TAN, tan) X(RT_SINH, sinh) X(RT_COSH, cosh)                  \
    X(RT_TANH, tanh) X(RT_ASIN, asin) X(RT_ACOS, acos) X(RT_ATAN, atan) X(RT_ASINH, asinh)          \
    X(RT_ACOSH, acosh) X(RT_ATANH, atanh) X(RT_ERF, erf) X(RT_ERFC, erfc)
#define DECLARE_ONE(op, f) DECLARE(f)

FUNCTIONS(DECLARE_ONE)
DECLARE2(pow)
DECLARE2(atan2)

extern "C" void RT_NAME(rt_fill_math_f64)(RtTable *table)
{
    table->loops[RT_EXP][RT_F64] = mapOwn<double, expOwn>;
    table->loops[RT_LOG][RT_F64] = mapOwn<double, logOwn>;
    table->loops[RT_LOG1P][RT_F64] = mapOwn<double, log1pOwn>;
    table->loops[RT_SIGMOID][RT_F64] = mapOwn<double, sigmoidOwn>;
    table->loops[RT_SOFTPLUS][RT_F64] = mapOwn<double, softplusOwn>;
    FUNCTIONS(FILL)
    FILL2(RT_POW, pow)
    FILL2(RT_ATAN2, atan2)
}
