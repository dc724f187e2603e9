// What devices did, by their own clocks: work is told by tags, which are those of applies.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/device/device.h"
#include "profiler/session/store/writer.h"

#include <cstdint>
#include <map>
#include <vector>

namespace profiler {

class DeviceRecord {
public:
    /// From now on devices keep what they do; those that were opened meanwhile, too.
    void watch(SessionWriter &writer);
    /// What they were given is over: a script may leave results there that nobody waits for.
    void wait(SessionWriter &writer);
    /// Their work is told no more. What they can do is measured now, where that is not known: they have nothing else to do.
    void stop(SessionWriter &writer);
    /// Does the host wait for each piece of work?
    bool waitsForEach() const;
    /// The plan of a function that ran for the first time.
    void follow(const engine::Function &function, FunctionId owner, GraphId graph);
    /// The graph inside of an apply: what devices do for it they do for that one, too.
    void nest(GraphId graph, GraphId parent, ApplyId apply) { m_parents[graph] = {parent, apply}; }
    /// Takes what devices did since the last time; hands sums and a sample of events over. Work of a plan that is not known yet waits for
    /// it.
    enum class Waits : std::uint8_t { ForPlans, NoMore };
    void collect(SessionWriter &writer, Waits waits = Waits::ForPlans);
    /// By the device's clock, in all; nothing: no device did anything for it.
    std::optional<std::int64_t> deviceNs(GraphId graph, ApplyId apply) const;
    std::int64_t deviceNs(GraphId graph) const;

private:
    struct Watched {
        engine::Device *device = nullptr;
        std::int64_t offsetNs = 0;                   ///< of its clock to the session's
        int stream = 0, copies = 0;                  ///< lanes
        std::vector<engine::DeviceActivity> waiting; ///< of tags that were not known yet
        bool isTold = false;                         ///< why there are no activities
    };
    struct Place {
        FunctionId function = kNoFunction;
        GraphId graph = kNoGraph;
        std::vector<ApplyId> applies; ///< by tag
        std::vector<std::string> names;
    };
    const Place *placeOf(std::uint64_t tag, std::size_t &position) const;
    void add(const Watched &watched, const engine::DeviceActivity &activity, std::vector<Event> &events);

    std::vector<Watched> m_watched;
    std::map<std::uint64_t, Place> m_places; ///< by first tag
    std::map<GraphId, std::pair<GraphId, ApplyId>> m_parents;
    std::map<std::pair<GraphId, ApplyId>, std::int64_t> m_times;
    std::map<GraphId, std::int64_t> m_graphTimes;
    std::map<std::tuple<GraphId, ApplyId, std::string>, Transfer> m_transfers;   // with the direction
    std::map<std::tuple<GraphId, ApplyId, std::string>, DeviceKernel> m_kernels; // with the device
    std::map<std::pair<std::string, std::string>, DeviceWork> m_work;            // by device and what it is
    std::string m_simulated;                                                     ///< names of devices that are none
    std::int64_t m_events = 0, m_left = 0;
    bool m_changed = false;
};

} // namespace profiler
