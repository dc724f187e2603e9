// Work of a plan that a device is given as a whole: what follows one another on it, with the same addresses and numbers as the last times.
#pragma once

#include "engine/device/device.h"
#include "engine/runtime/thunks/thunk.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace engine {

/// Are plans that are made from now on to give their work so, where the device can?
void useDeviceGraphs(bool on);
bool usesDeviceGraphs();
/// How often one was kept, and given, in this process.
struct DeviceGraphCounts {
    std::uint64_t kept = 0, given = 0;
};
DeviceGraphCounts deviceGraphCounts();

/// What a stretch is made of.
struct StretchParts {
    std::vector<Thunk *>
        thunks;                 ///< which work on nothing but arrays of that device, constants and single numbers of the host, or make such
    std::vector<Thunk *> ahead; ///< those that make numbers: they can run before all others
    std::vector<Slot> slots;    ///< the arrays that the device reads and writes
    std::vector<std::pair<Slot, std::size_t>> numbers; ///< those that may change, and their bytes: at most eight
};

class GraphedStretch {
public:
    GraphedStretch(DeviceStream &stream, StretchParts parts);
    /// False: it was not given, its thunks have to run.
    bool run(Slots slots);
    /// Its numbers or addresses keep changing, or the device cannot keep it.
    bool isHopeless() const { return m_isHopeless; }
    bool hasNumbers() const { return !m_parts.numbers.empty(); }

private:
    struct Kept {
        std::vector<void *> places;
        std::shared_ptr<DeviceGraph> graph;
        bool mayFind = false; ///< its kernels are such
        std::uint64_t used = 0;
    };
    Kept *find();
    bool keep(Slots slots);

    void look(Slots slots);

    DeviceStream &m_stream;
    StretchParts m_parts;
    std::vector<void *> m_now;               ///< addresses of this run, and bits of its numbers
    std::vector<std::vector<void *>> m_seen; ///< the same of the last runs that were none of those kept
    std::vector<Kept> m_kept;
    std::uint64_t m_runs = 0, m_captures = 0, m_misses = 0; ///< of the last runs
    bool m_isHopeless = false;
};

} // namespace engine
