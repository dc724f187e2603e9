#include "engine/rt/cpu_level.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

#if defined(__x86_64__)
const char *const kNames[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

const char *findBest()
{
    __builtin_cpu_init(); // others may ask while libraries are loaded
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
                    __builtin_cpu_supports("movbe");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
    return kNames[v4 ? 2 : v3 ? 1 : 0];
}
#else
const char *const kNames[] = {"base"};

const char *findBest() { return kNames[0]; }
#endif
constexpr int kCount = sizeof kNames / sizeof kNames[0];

/// "v3" of "x86-64-v3".
const char *shortName(const char *name)
{
    const char *dash = std::strrchr(name, '-');
    return dash ? dash + 1 : name;
}

int indexOf(const char *shortened)
{
    for (int i = 0; i < kCount; ++i)
        if (!std::strcmp(shortened, shortName(kNames[i]))) return i;
    return -1;
}

} // namespace

extern "C" RtCpuLevel rt_choose_cpu_level(const char *wanted, const char *best)
{
    RtCpuLevel level{best, false, ""};
    if (!wanted || !*wanted) return level;
    const int index = indexOf(wanted), most = indexOf(shortName(best));
    if (index < 0)
        std::snprintf(level.problem, sizeof level.problem,
                      "CROTON_CPU_LEVEL=%.20s is no level of this kind of processor: unset it, or choose %s%s", wanted,
                      kCount > 1 ? "one of v2 to " : "", shortName(best));
    else if (index > most)
        std::snprintf(
            level.problem, sizeof level.problem,
            "CROTON_CPU_LEVEL=%s asks for instructions that this processor lacks: it runs %s at most; unset it, or choose a lower one",
            wanted, shortName(best));
    else level = {kNames[index], true, ""};
    return level;
}

extern "C" const char *rt_best_cpu_level(void)
{
    static const char *const best = findBest();
    return best;
}

extern "C" const RtCpuLevel *rt_cpu_level(void)
{
    static const RtCpuLevel level = rt_choose_cpu_level(std::getenv("CROTON_CPU_LEVEL"), rt_best_cpu_level());
    return &level;
}
