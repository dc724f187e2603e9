#include "engine/runtime/rt/math_f32.h"

#include "engine/runtime/rt/mvec.h"

#if defined(RT_HAVE_MVEC)
#define DECLARE(f) extern "C" VecF32 RT_MVEC_F32(f)(VecF32);
#define FILL(op, f) table->loops[op][RT_F32] = mapVector<float, VecF32, RT_MVEC_F32(f)>;
#define DECLARE2(f) extern "C" VecF32 RT_MVEC_F32_2(f)(VecF32, VecF32);
#define FILL2(op, f) table->loops[op][RT_F32] = mapVector2<float, VecF32, RT_MVEC_F32_2(f)>;
#else
#define DECLARE(name) extern "C" float name##f(float);
#define FILL(op, name) table->loops[op][RT_F32] = mapUnary<float, float, name##f>;
#define DECLARE2(name) extern "C" float name##f(float, float);
#define FILL2(op, name) table->loops[op][RT_F32] = mapBinary<float, float, float, name##f>;
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

extern "C" void RT_NAME(rt_fill_math_f32)(RtTable *table)
{
    table->loops[RT_EXP][RT_F32] = mapOwn<float, expOwn>;
    table->loops[RT_LOG][RT_F32] = mapOwn<float, logOwn>;
    table->loops[RT_LOG1P][RT_F32] = mapOwn<float, log1pOwn>;
    table->loops[RT_SIGMOID][RT_F32] = mapOwn<float, sigmoidOwn>;
    table->loops[RT_SOFTPLUS][RT_F32] = mapOwn<float, softplusOwn>;
    FUNCTIONS(FILL)
    FILL2(RT_POW, pow)
    FILL2(RT_ATAN2, atan2)
}
