// Is the core of BLAS that was chosen the best one? Products, matrix times vector and LAPACK beside each core forced by hand, one child
// process a core, in turns.
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/blas_core.h"
#include "engine/device/cpu/lapack.h"
#include "engine/rt/rt.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace engine;

namespace {

constexpr double kBound = 1.15;
constexpr int kTurns = 4;

double bestMicroseconds(const std::function<void()> &work)
{
    using Clock = std::chrono::steady_clock;
    double best = 1e30;
    work();
    for (int round = 0; round < 4; ++round) {
        int count = 0;
        const auto start = Clock::now();
        double spent = 0;
        do {
            work();
            ++count;
            spent = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
        } while (spent < 1500);
        best = std::min(best, spent / count);
    }
    return best;
}

/// What functions run for a matrix times a vector without steps, in place of BLAS.
template <class T>
auto ownLoop(bool turned)
{
    const RtTable *rt = rt_table();
    if constexpr (sizeof(T) == 4) return turned ? rt->gemvTransposedF32 : rt->gemvF32;
    else return turned ? rt->gemvTransposedF64 : rt->gemvF64;
}

template <class T>
void measure(const char *prefix)
{
    constexpr std::size_t kMost = 1000 * 1000;
    const bool isForced = std::getenv("CROTON_BLAS_CORE");
    std::vector<T> a(kMost), b(kMost), c(kMost), definite;
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < kMost; ++i) {
        a[i] = T((state = state * 1664525u + 1013904223u) >> 8) / T(1 << 24) - T(0.5);
        b[i] = T((state = state * 1664525u + 1013904223u) >> 8) / T(1 << 24) - T(0.5);
    }
    const BlasFunctions<T> &f = blas().of<T>();
    const auto print = [&](const std::string &name, const std::function<void()> &work) {
        std::printf("%s%s|%.6g\n", prefix, name.c_str(), bestMicroseconds(work));
    };
    struct Product {
        int m, n, k;
    };
    for (const auto &[m, n, k] : {Product{8, 8, 8},
                                  {32, 32, 32},
                                  {100, 100, 100},
                                  {256, 256, 256},
                                  {1000, 1000, 1000},
                                  {60, 500, 784},
                                  {784, 500, 60},
                                  {60, 10, 500}})
        for (const bool turned : {false, true})
            print("gemm" + std::string(turned ? "T " : " ") + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k),
                  [&, m = m, n = n, k = k] {
                      f.gemm(turned, false, m, n, k, T(1), a.data(), turned ? m : k, b.data(), n, T(0), c.data(), n);
                  });
    for (const int n : {32, 100, 400, 1000})
        for (const bool turned : {false, true})
            print("gemv" + std::string(turned ? "T " : " ") + std::to_string(n), [&] {
                if (isForced) return f.gemv(turned, n, n, T(1), a.data(), n, b.data(), 1, T(0), c.data(), 1);
                std::fill(c.begin(), c.begin() + n, T(0));
                ownLoop<T>(turned)(n, n, T(1), a.data(), n, b.data(), c.data());
            });
    for (const int n : {16, 64, 256, 1000}) {
        const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
        std::vector<int> pivots(static_cast<std::size_t>(n));
        std::vector<T> right(static_cast<std::size_t>(n), T(1));
        definite.assign(size, T(0));
        f.gemm(false, true, n, n, n, T(1), a.data(), n, a.data(), n, T(0), definite.data(), n);
        for (int i = 0; i < n; ++i) definite[static_cast<std::size_t>(i * n + i)] += T(10);
        print("gesv " + std::to_string(n), [&] {
            std::memcpy(c.data(), a.data(), size * sizeof(T));
            lapack::gesv(n, 1, c.data(), n, pivots.data(), right.data(), n);
        });
        print("potrf " + std::to_string(n), [&] {
            std::memcpy(c.data(), definite.data(), size * sizeof(T));
            lapack::potrf(true, n, c.data());
        });
    }
}

struct Times {
    std::vector<std::string> names; // in order
    std::map<std::string, double> best;
};

/// One turn of a child with that core (empty: the ones that are chosen). False: this processor cannot run it.
bool take(const std::string &core, Times &times)
{
    if (core.empty()) unsetenv("CROTON_BLAS_CORE");
    else setenv("CROTON_BLAS_CORE", core.c_str(), 1);
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    std::FILE *child = popen(("'" + self + "' --child").c_str(), "r");
    char line[200];
    while (child && std::fgets(line, sizeof line, child)) {
        const std::string text = line;
        const std::size_t bar = text.find('|');
        const std::string name = text.substr(0, bar);
        const double time = std::atof(text.c_str() + bar + 1);
        const auto [at, isNew] = times.best.emplace(name, time);
        if (isNew) times.names.push_back(name);
        at->second = std::min(at->second, time);
    }
    return child && pclose(child) == 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 1 && !std::strcmp(argv[1], "--child")) {
        if (*processorSettingsProblem()) return 1;
        measure<float>("f32 ");
        measure<double>("f64 ");
        return 0;
    }
    unsetenv("CROTON_CPU_LEVEL");
    std::printf("BLAS core: %s, for LAPACK %s (%s)\n", blas().core.c_str(), blas().lapackCore.c_str(), blas().library.c_str());
    Times ours;
    std::map<std::string, Times> forced;
    std::vector<std::string> cores{"Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX"};
    for (int turn = 0; turn < kTurns; ++turn) {
        take("", ours);
        std::erase_if(cores, [&](const std::string &core) { return !take(core, forced[core]); });
    }
    int over = 0;
    std::printf("%-24s %10s %10s  %-12s %s\n", "microseconds", "ours", "best", "of", "ratio");
    for (const std::string &name : ours.names) {
        std::string best = cores.front();
        for (const std::string &core : cores)
            if (forced[core].best[name] < forced[best].best[name]) best = core;
        const double ratio = ours.best[name] / forced[best].best[name];
        over += ratio > kBound;
        std::printf("%-24s %10.3f %10.3f  %-12s %.2f%s\n", name.c_str(), ours.best[name], forced[best].best[name], best.c_str(), ratio,
                    ratio > kBound ? "  over" : "");
    }
    std::printf("%d of %zu over %.2f\n", over, ours.names.size(), kBound);
    return 0;
}
