#include "profiler/record/roofs.h"

#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/device/cpu/cpu_device.h"
#include "profiler/record/devices.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace profiler {
namespace {

constexpr const char *kFormat = "croton-roofs 4";

double secondsOf(auto work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The best of several rounds within about `budget` seconds: a roof is what is reached when nothing disturbs.
double bestSeconds(double budget, auto work)
{
    work(); // pages and caches
    double best = 1e9, spent = 0;
    for (int i = 0; i < 50 && (i < 3 || spent < budget); ++i) {
        const double seconds = secondsOf(work);
        best = std::min(best, seconds);
        spent += seconds;
    }
    return best;
}

template <class T>
double productFlops()
{
    constexpr int n = 256;
    const std::vector<T> a(n * n, T(0.5)), b(n * n, T(0.25));
    std::vector<T> c(n * n);
    const double seconds =
        bestSeconds(0.03, [&] { engine::blas().of<T>().gemm(false, false, n, n, n, T(1), a.data(), n, b.data(), n, T(0), c.data(), n); });
    return 2.0 * n * n * n / seconds;
}

// Three arrays of n numbers, read and written in turn.
double bandwidth(std::size_t n, double budget)
{
    std::vector<double> a(n, 1), b(n, 2), c(n, 3);
    volatile double factor = 0.5;
    const std::size_t times = std::max<std::size_t>(1, (std::size_t(1) << 18) / n); // long enough for the clock
    const double seconds = bestSeconds(budget, [&] {
        for (std::size_t round = 0; round < times; ++round) {
            const double f = factor;
            double *to = a.data();
            const double *x = b.data(), *y = c.data();
            for (std::size_t i = 0; i < n; ++i) to[i] = x[i] + f * y[i];
        }
    });
    return 3.0 * sizeof(double) * static_cast<double>(n * times) / seconds;
}

double memoryBandwidth() { return bandwidth(std::size_t(4) << 20, 0.06); } // 32 MB each

double cacheBandwidth()
{
    const long second = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bandwidth(static_cast<std::size_t>(second > 0 ? second : 1 << 20) / (4 * sizeof(double)), 0.005);
}

double outermostCache()
{
    for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
        if (const long bytes = sysconf(level); bytes > 0) return static_cast<double>(bytes);
    return 0;
}

std::vector<Roof> readRoofs(const std::string &file, const std::string &device, const std::string &identity)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return {}; // a pipe would be waited for without end
    std::ifstream in(file);
    std::string line;
    if (!std::getline(in, line) || line != kFormat || !std::getline(in, line) || line != identity) return {};
    std::vector<Roof> roofs;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        Roof roof;
        roof.device = device;
        if (!(words >> roof.name >> roof.value >> roof.unit) || !(roof.value > 0)) return {};
        roofs.push_back(std::move(roof));
    }
    return roofs;
}

void writeRoofs(const std::string &file, const std::string &identity, const std::vector<Roof> &roofs)
{
    const std::string draft = file + "." + std::to_string(getpid());
    std::ofstream out(draft);
    out << kFormat << '\n' << identity << '\n';
    for (const Roof &roof : roofs) out << roof.name << ' ' << roof.value << ' ' << roof.unit << '\n';
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(draft, file, error); // without a cache they are measured again next time
    if (!out || error) std::filesystem::remove(draft, error);
}

} // namespace

std::vector<Roof> measureRoofs()
{
    std::vector<Roof> roofs{{"cpu", "flops.float32", productFlops<float>(), "flop/s"},
                            {"cpu", "flops.float64", productFlops<double>(), "flop/s"},
                            {"cpu", "bandwidth.memory", memoryBandwidth(), "B/s"},
                            {"cpu", "bandwidth.cache", cacheBandwidth(), "B/s"}};
    if (const double bytes = outermostCache(); bytes > 0) roofs.push_back({"cpu", "size.cache", bytes, "B"});
    return roofs;
}

std::vector<Roof> keptRoofs(const std::string &cacheFile, const std::string &device, const std::string &hardware,
                            const std::function<std::vector<Roof>()> &measure)
{
    std::string file = cacheFile;
    if (file.empty() && !engine::kernelCacheDirectory().empty()) {
        std::string name = device == "cpu" ? "roofs" : "roofs-" + device;
        std::ranges::replace(name, ':', '-');
        file = engine::kernelCacheDirectory().parent_path() / name;
    }
    std::vector<Roof> roofs;
    if (!file.empty()) roofs = readRoofs(file, device, hardware);
    if (!roofs.empty()) return roofs;
    roofs = measure();
    if (!file.empty() && !roofs.empty()) writeRoofs(file, hardware, roofs);
    return roofs;
}

// A measurement holds for the processor and the BLAS core that was chosen.
std::vector<Roof> machineRoofs(const std::string &cacheFile)
{
    return keptRoofs(cacheFile, "cpu", engine::processorName() + " / " + engine::blas().core, measureRoofs);
}

} // namespace profiler
