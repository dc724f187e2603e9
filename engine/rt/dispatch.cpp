// The tables of the levels, and the one that holds in this process.
#include "engine/rt/cpu_level.h"
#include "engine/rt/rt.h"

#include <cstring>

extern "C" {
#if defined(__x86_64__)
void rt_fill_v2(RtTable *);
void rt_fill_v3(RtTable *);
void rt_fill_v4(RtTable *);
#else
void rt_fill_base(RtTable *);
#endif
}

namespace {

struct Level {
    const char *name;
    void (*fill)(RtTable *);
};

const Level kLevels[] = {
#if defined(__x86_64__)
    {"x86-64-v4", rt_fill_v4},
    {"x86-64-v3", rt_fill_v3},
    {"x86-64-v2", rt_fill_v2},
#else
    {"base", rt_fill_base},
#endif
};
constexpr int kLevelCount = sizeof kLevels / sizeof kLevels[0];

const RtTable *tableOf(int index)
{
    static RtTable tables[kLevelCount];
    static bool ready[kLevelCount] = {};
    // Filled before any second thread can ask: the first call happens while the engine's library is loaded.
    if (!ready[index]) {
        kLevels[index].fill(&tables[index]);
        ready[index] = true;
    }
    return &tables[index];
}

} // namespace

extern "C" const char *rt_op_name(RtOp op)
{
    static const char *const names[] = {
#define FUNCTION(code, primitive, name, symbol, ...) symbol,
#include "engine/rt/functions/all.def"
        "mul_add", "mul_sub", "sub_mul"};
    static_assert(sizeof names / sizeof names[0] == RT_OP_COUNT);
    return names[op];
}

extern "C" const RtTable *rt_table(void)
{
    static const RtTable *const table = rt_table_at(rt_cpu_level()->name);
    return table;
}

extern "C" const RtTable *rt_table_at(const char *level)
{
    for (int i = 0; i < kLevelCount; ++i)
        if (!std::strcmp(level, kLevels[i].name)) return std::strcmp(level, rt_best_cpu_level()) <= 0 ? tableOf(i) : nullptr;
    return nullptr;
}

extern "C" void rt_exp_f32(const float *x, float *y, long n)
{
    const void *in[] = {x};
    rt_table()->loops[RT_EXP][RT_F32](y, in, n);
}
extern "C" void rt_exp_f64(const double *x, double *y, long n)
{
    const void *in[] = {x};
    rt_table()->loops[RT_EXP][RT_F64](y, in, n);
}
extern "C" void rt_log_f32(const float *x, float *y, long n)
{
    const void *in[] = {x};
    rt_table()->loops[RT_LOG][RT_F32](y, in, n);
}
extern "C" void rt_log_f64(const double *x, double *y, long n)
{
    const void *in[] = {x};
    rt_table()->loops[RT_LOG][RT_F64](y, in, n);
}
