#include "profiler/replay/load.h"

#include "engine/tensor/clock.h"
#include "profiler/stats/times/ground.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace profiler {
namespace {

constexpr double kMostWaited = 0.05, kLeastWaitedSeconds = 0.02; // one slice of another process is no load
constexpr double kMostStolen = 0.02;                             // of all processors
constexpr double kMostOfOthers = 0.75;                           // of the processors that we leave

// Of all threads, as the scheduler counts it.
double waitedSeconds()
{
    double ns = 0;
    std::error_code error;
    for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
        std::ifstream in(thread.path() / "schedstat");
        double ran = 0, waited = 0;
        if (in >> ran >> waited) ns += waited;
    }
    return ns * 1e-9;
}

double ownSeconds()
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval &time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

} // namespace

void Load::add(const Load &more)
{
    seconds += more.seconds;
    waited += more.waited;
    stolen += more.stolen;
    others += more.others;
    processors = std::max(processors, more.processors);
}

Load LoadMeter::now()
{
    Load load;
    load.seconds = static_cast<double>(engine::machineNs()) * 1e-9;
    load.waited = waitedSeconds();
    load.processors = std::max(1u, std::thread::hardware_concurrency());
    std::ifstream in("/proc/stat");
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, hardware = 0, software = 0, stolen = 0;
    if (in >> name >> user >> nice >> system >> idle >> waiting >> hardware >> software >> stolen) {
        const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
        load.others = (user + nice + system + hardware + software) / ticks - ownSeconds();
        load.stolen = stolen / ticks;
    }
    return load;
}

Load LoadMeter::load() const
{
    Load load = now();
    load.seconds -= m_start.seconds;
    load.waited = std::max(0.0, load.waited - m_start.waited); // threads end
    load.stolen -= m_start.stolen;
    load.others = std::max(0.0, load.others - m_start.others);
    return load;
}

bool isBusy(const Load &load) { return !busyText(load).empty(); }

std::string busyText(const Load &load)
{
    if (load.waited > kMostWaited * load.seconds && load.waited > kLeastWaitedSeconds)
        return format("the machine was busy: calls waited %.0f%% of the time for a processor",
                      100 * std::min(1.0, load.waited / load.seconds));
    if (load.stolen > kMostStolen * load.seconds * load.processors && load.stolen > kLeastWaitedSeconds)
        return format("the machine was busy: %.0f%% of its processors went to other virtual machines",
                      100 * load.stolen / (load.seconds * load.processors));
    const double left = (load.processors - 1) * load.seconds;
    if (load.processors > 1 && load.others > kMostOfOthers * left && load.others > 0.2) // counted in ticks of 10 ms
        return format("the machine was busy: other programs kept %.1f of its %.0f processors", load.others / load.seconds, load.processors);
    return {};
}

} // namespace profiler
