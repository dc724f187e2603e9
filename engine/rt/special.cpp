// Functions that are rare enough to run one element at a time: one build for every level, made from the rows. Those with a vector form
// are filled in again by the levels.
#include "engine/rt/level.h"

#include <cmath>

namespace {

#define FN [[maybe_unused]] static inline
#include "engine/rt/functions/integers.inc"

#define BUILTIN1(name)                                                                                                                     \
    FN double th_##name(double x) { return ::name(x); }
#define BUILTIN2(name)                                                                                                                     \
    FN double th_##name(double x, double y) { return ::name(x, y); }
#define BUILTIN3(name)                                                                                                                     \
    FN double th_##name(double x, double y, double z) { return ::name(x, y, z); }
#include "engine/rt/functions/builtins.def"
FN double th_lgamma(double x)
{
    int sign = 0;
    return lgamma_r(x, &sign);
}
FN double th_inf() { return __builtin_inf(); }
FN double th_nan() { return __builtin_nan(""); }

#include "engine/rt/functions/library.inc"

#define real(c) T(c)
#define PARAMETERS1 T x
#define PARAMETERS2 T x, T y
#define EXPENSIVE(op, arity, kinds, ...)                                                                                                   \
    template <class T>                                                                                                                     \
    inline T value##op##kinds(PARAMETERS##arity)                                                                                           \
    {                                                                                                                                      \
        return static_cast<T>(__VA_ARGS__);                                                                                                \
    }
#include "engine/rt/functions/all.def"
#undef real

// Work in W for arrays of T.
template <class T, class W, W (*F)(W)>
T each(T x)
{
    return static_cast<T>(F(static_cast<W>(x)));
}
template <class T, class W, W (*F)(W, W)>
T each(T x, T y)
{
    return static_cast<T>(F(static_cast<W>(x), static_cast<W>(y)));
}
template <class T, class W, W (*F)(W)>
void fill(RtLoop &loop)
{
    loop = mapUnary<T, T, each<T, W, F>>;
}
template <class T, class W, W (*F)(W, W)>
void fill(RtLoop &loop)
{
    loop = mapBinary<T, T, T, each<T, W, F>>;
}

} // namespace

extern "C" void rt_fill_special(RtTable *table)
{
#define FILL_Real(op, f)                                                                                                                   \
    fill<float, double, f<double>>(table->loops[op][RT_F32]);                                                                              \
    fill<double, double, f<double>>(table->loops[op][RT_F64]);
#define FILL_Double(op, f) fill<double, double, f<double>>(table->loops[op][RT_F64]);
#define FILL_Int(op, f) fill<i64, i64, f<i64>>(table->loops[op][RT_INT]);
#define FILL_Unsigned(op, f) fill<u64, u64, f<u64>>(table->loops[op][RT_UINT]);
#define EXPENSIVE(op, arity, kinds, ...) FILL_##kinds(RT_##op, value##op##kinds)
#include "engine/rt/functions/all.def"
}
