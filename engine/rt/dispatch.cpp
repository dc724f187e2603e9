// The tables of the levels, and the one that holds in this process.
#include "engine/rt/cpu_level.h"
#include "engine/rt/mrg31k3p.h"

#include <cstring>

extern "C" {
#if defined(__x86_64__)
void rt_fill_v2(RtTable *);
void rt_fill_v3(RtTable *);
void rt_fill_v4(RtTable *);
void rt_mrg31k3p_loop_v2(int *, long, long, long, void *, long, RtDType);
void rt_mrg31k3p_loop_v3(int *, long, long, long, void *, long, RtDType);
void rt_mrg31k3p_loop_v4(int *, long, long, long, void *, long, RtDType);
#else
void rt_fill_base(RtTable *);
void rt_mrg31k3p_loop_base(int *, long, long, long, void *, long, RtDType);
#endif
}

namespace {

struct Level {
    const char *name;
    void (*fill)(RtTable *);
    RtMrg31k3p mrg31k3p;
};

const Level kLevels[] = {
#if defined(__x86_64__)
    {"x86-64-v4", rt_fill_v4, rt_mrg31k3p_loop_v4},
    {"x86-64-v3", rt_fill_v3, rt_mrg31k3p_loop_v3},
    {"x86-64-v2", rt_fill_v2, rt_mrg31k3p_loop_v2},
#else
    {"base", rt_fill_base, rt_mrg31k3p_loop_base},
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

// -1: there is no such level, or this processor cannot run it.
int indexOf(const char *level)
{
    for (int i = 0; i < kLevelCount; ++i)
        if (!std::strcmp(level, kLevels[i].name)) return std::strcmp(level, rt_best_cpu_level()) <= 0 ? i : -1;
    return -1;
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
    const int index = indexOf(level);
    return index < 0 ? nullptr : tableOf(index);
}

extern "C" RtMrg31k3p rt_mrg31k3p(void)
{
    static const RtMrg31k3p loop = rt_mrg31k3p_at(rt_cpu_level()->name);
    return loop;
}

extern "C" RtMrg31k3p rt_mrg31k3p_at(const char *level)
{
    const int index = indexOf(level);
    return index < 0 ? nullptr : kLevels[index].mrg31k3p;
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
