#include "profiler/record/device_record.h"

#include "profiler/record/device_roofs.h"
#include "profiler/record/occupancy.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace profiler {
namespace {

constexpr int kFirstDeviceLane = 10; // two for each device
constexpr std::int64_t kMostActivities = 100'000;
constexpr std::size_t kMostUnclaimed = 10'000; // of a function that is not recorded nobody ever says

const char *directionOf(engine::DeviceActivity::Kind kind)
{
    switch (kind) {
    case engine::DeviceActivity::Kind::CopyIn: return "HtoD";
    case engine::DeviceActivity::Kind::CopyOut: return "DtoH";
    case engine::DeviceActivity::Kind::CopyWithin: return "DtoD";
    default: return nullptr;
    }
}

// What is no work for an apply.
const char *besideWork(engine::DeviceActivity::Kind kind)
{
    switch (kind) {
    case engine::DeviceActivity::Kind::Take: return "taken";
    case engine::DeviceActivity::Kind::GiveBack: return "given back";
    case engine::DeviceActivity::Kind::Wait: return "wait";
    case engine::DeviceActivity::Kind::Overhead: return "overhead";
    default: return nullptr;
    }
}

constexpr const char *kOwnKernels = "kernel of the script"; // started by nobody's apply

// The device's moment lies between two of the session's: of several tries the closest.
std::int64_t offsetOf(engine::Device &device, SessionWriter &writer)
{
    std::int64_t best = INT64_MAX, offset = 0;
    for (int i = 0; i < 5; ++i) {
        const std::int64_t before = writer.nowNs();
        const auto there = static_cast<std::int64_t>(device.now());
        const std::int64_t after = writer.nowNs();
        if (after - before >= best) continue;
        best = after - before;
        offset = before + best / 2 - there;
    }
    return offset;
}

} // namespace

void DeviceRecord::watch(SessionWriter &writer)
{
    if (!engine::hasDevices()) return;
    const std::vector<engine::Device *> all = engine::devices();
    std::vector<Lane> lanes;
    for (std::size_t i = 1 + m_watched.size(); i < all.size(); ++i) {
        const int lane = kFirstDeviceLane + 2 * static_cast<int>(i);
        m_watched.push_back({all[i], offsetOf(*all[i], writer), lane, lane + 1});
        all[i]->watch(true);
        if (all[i]->info().isSimulated) {
            m_simulated += (m_simulated.empty() ? "" : ", ") + all[i]->info().name;
            writer.setMeta("simulated", m_simulated);
            writer.addMessage({.severity = Severity::Warning,
                               .text = all[i]->info().name + " is a simulation on the processor: its times say nothing of a card"});
        }
        const std::string mark = all[i]->info().isSimulated ? " (simulated)" : "";
        lanes.push_back({lane, LaneKind::Stream, all[i]->info().name, "kernels" + mark});
        lanes.push_back({lane + 1, LaneKind::Copy, all[i]->info().name, "copies" + mark});
    }
    if (!lanes.empty()) writer.addLanes(std::move(lanes));
}

void DeviceRecord::wait(SessionWriter &writer)
{
    for (const Watched &watched : m_watched) try {
            watched.device->stream().finish();
            watched.device->waitForOthers();
        } catch (const engine::FoundOnDevice &error) {
            writer.addMessage({.severity = Severity::Error,
                               .text = "nobody waited for what " + watched.device->info().name +
                                       " found: " + dynamic_cast<const std::exception &>(error).what()});
        } catch (const std::exception &) { // what failed was the script's to hear of
        }
}

void DeviceRecord::stop(SessionWriter &writer)
{
    collect(writer, Waits::NoMore);
    for (const Watched &watched : m_watched) {
        watched.device->watch(false);
        if (std::vector<Roof> roofs = deviceRoofs(*watched.device); !roofs.empty()) writer.setRoofs(std::move(roofs));
    }
}

bool DeviceRecord::waitsForEach() const
{
    return std::any_of(m_watched.begin(), m_watched.end(), [](const Watched &one) { return one.device->info().waitsForEach; });
}

void DeviceRecord::follow(const engine::Function &function, FunctionId owner, GraphId graph)
{
    if (m_watched.empty()) return;
    const std::vector<std::uint64_t> tags = function.deviceTags();
    const auto order = function.order();
    for (std::size_t i = 0; i < tags.size(); ++i) {
        if (tags[i] == 0) continue;
        // Those of one stage follow one another.
        const bool isNext = i > 0 && tags[i - 1] != 0 && tags[i] == tags[i - 1] + 1;
        auto place = m_places.upper_bound(tags[i]);
        if (isNext) --place;
        else place = m_places.insert_or_assign(tags[i], Place{owner, graph, {}, {}}).first;
        place->second.applies.push_back(ApplyId{engine::raw(order[i])});
        place->second.names.push_back(function.graph().apply(order[i]).op->name());
    }
}

const DeviceRecord::Place *DeviceRecord::placeOf(std::uint64_t tag, std::size_t &position) const
{
    auto found = m_places.upper_bound(tag);
    if (found == m_places.begin()) return nullptr;
    --found;
    position = tag - found->first;
    return position < found->second.applies.size() ? &found->second : nullptr;
}

void DeviceRecord::add(const Watched &watched, const engine::DeviceActivity &activity, std::vector<Event> &events)
{
    const auto sum = [&](const char *what) {
        const std::string &device = watched.device->info().name;
        DeviceWork &row = m_work[{device, what}];
        row.device = device;
        row.what = what;
        ++row.count;
        row.totalNs += static_cast<std::int64_t>(activity.end - activity.begin);
        row.bytes += static_cast<std::int64_t>(activity.bytes);
        m_changed = true;
    };
    if (const char *const what = besideWork(activity.kind)) return sum(what);
    if (activity.tag == 0 && activity.kind == engine::DeviceActivity::Kind::Kernel) sum(kOwnKernels);
    std::size_t position = 0;
    const Place *const place = placeOf(activity.tag, position);
    const auto spent = static_cast<std::int64_t>(activity.end - activity.begin);
    const char *const direction = directionOf(activity.kind);
    Event event;
    event.lane = direction ? watched.copies : watched.stream;
    event.kind = direction ? EventKind::Copy : EventKind::Kernel;
    event.startNs = static_cast<std::int64_t>(activity.begin) + watched.offsetNs;
    event.durationNs = spent;
    event.bytes = static_cast<std::int64_t>(activity.bytes);
    if (direction) event.name = direction;
    if (place) {
        const std::string &device = watched.device->info().name;
        event.function = place->function;
        event.graph = place->graph;
        event.apply = place->applies[position];
        const auto count = [&](GraphId graph, ApplyId apply) {
            m_times[{graph, apply}] += spent;
            m_graphTimes[graph] += spent;
        };
        count(place->graph, event.apply);
        for (auto outer = m_parents.find(place->graph); outer != m_parents.end(); outer = m_parents.find(outer->second.first))
            count(outer->second.first, outer->second.second);
        m_changed = true;
        if (direction) {
            Transfer &row = m_transfers[{place->graph, event.apply, direction}];
            row.function = place->function;
            row.graph = place->graph;
            row.apply = event.apply;
            row.direction = direction;
            row.device = device;
            row.count += !activity.isFurther;
            row.bytes += event.bytes;
            row.totalNs += spent;
        } else {
            DeviceKernel &row = m_kernels[{place->graph, event.apply, device}];
            row.device = device;
            row.symbol = place->names[position];
            row.function = place->function;
            row.graph = place->graph;
            row.apply = event.apply;
            row.minNs = row.launches ? std::min(row.minNs, spent) : spent;
            row.maxNs = std::max(row.maxNs, spent);
            ++row.launches;
            row.totalNs += spent;
            if (activity.shape.items) {
                row.grid = "(" + std::to_string(activity.shape.groups) + ", 1, 1)";
                row.block = "(" + std::to_string(activity.shape.items) + ", 1, 1)";
                row.registers = static_cast<int>(activity.registers);
                row.sharedBytes = activity.sharedBytes;
                row.occupancy = occupancyOf(watched.device->info().limits, activity.shape.items, activity.registers, activity.sharedBytes);
            }
        }
    }
    if (m_events >= kMostActivities) {
        ++m_left;
        return;
    }
    ++m_events;
    events.push_back(std::move(event));
}

void DeviceRecord::collect(SessionWriter &writer, Waits waits)
{
    std::vector<Event> events;
    for (Watched &watched : m_watched) {
        // The plan of a first call is known only when that is over, which may be long after.
        std::vector<engine::DeviceActivity> all = std::exchange(watched.waiting, {});
        const std::vector<engine::DeviceActivity> fresh = watched.device->drain();
        const bool isFull = all.size() > kMostUnclaimed;
        all.insert(all.end(), fresh.begin(), fresh.end());
        for (const engine::DeviceActivity &activity : all) {
            std::size_t position = 0;
            const bool isKnown = activity.tag == 0 || besideWork(activity.kind) || placeOf(activity.tag, position);
            if (isKnown || isFull || waits == Waits::NoMore) add(watched, activity, events);
            else watched.waiting.push_back(activity);
        }
    }
    for (Watched &watched : m_watched) {
        if (const std::uint64_t lost = watched.device->lostActivities(); lost)
            writer.countDrop("device records", static_cast<std::int64_t>(lost), "the driver dropped them: device times lack their share");
        std::string problem = watched.device->watchProblem();
        if (problem.empty() || std::exchange(watched.isTold, true)) continue;
        writer.countDrop("device times", 1, problem + "; times are the host's");
    }
    if (!events.empty()) writer.addEvents(std::move(events));
    if (m_left) writer.countDrop("device events", std::exchange(m_left, 0), "only the first are kept; sums count all");
    if (!std::exchange(m_changed, false)) return;
    std::vector<Transfer> transfers;
    for (const auto &[key, row] : m_transfers) transfers.push_back(row);
    std::vector<DeviceKernel> kernels;
    for (const auto &[key, row] : m_kernels) kernels.push_back(row);
    if (!transfers.empty()) writer.setTransfers(std::move(transfers));
    if (!kernels.empty()) writer.setDeviceKernels(std::move(kernels));
    std::vector<DeviceWork> work;
    for (const auto &[key, row] : m_work) work.push_back(row);
    if (!work.empty()) writer.setDeviceWork(std::move(work));
}

std::optional<std::int64_t> DeviceRecord::deviceNs(GraphId graph, ApplyId apply) const
{
    const auto found = m_times.find({graph, apply});
    return found == m_times.end() ? std::nullopt : std::optional(found->second);
}

std::int64_t DeviceRecord::deviceNs(GraphId graph) const
{
    const auto found = m_graphTimes.find(graph);
    return found == m_graphTimes.end() ? 0 : found->second;
}

} // namespace profiler
