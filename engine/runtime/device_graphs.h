// Work of a plan that a device is given as a whole: what follows one another on it, with the same addresses as the last times.
#pragma once

#include "engine/device/device.h"
#include "engine/runtime/thunk.h"

#include <cstdint>
#include <memory>
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

class GraphedStretch {
public:
    /// Thunks that work on nothing but arrays of that device and constants; `slots`: those that they read and write.
    GraphedStretch(DeviceStream &stream, std::vector<Thunk *> thunks, std::vector<Slot> slots);
    /// False: it was not given, its thunks have to run.
    bool run(Slots slots);

private:
    struct Kept {
        std::vector<void *> addresses;
        std::shared_ptr<DeviceGraph> graph;
        std::uint64_t used = 0;
    };
    Kept *find();
    bool keep(Slots slots);

    DeviceStream &m_stream;
    std::vector<Thunk *> m_thunks;
    std::vector<Slot> m_slots;
    std::vector<void *> m_now;
    std::vector<std::vector<void *>> m_seen; ///< addresses of the last runs that were none of those kept
    std::vector<Kept> m_kept;
    std::uint64_t m_runs = 0, m_captures = 0;
    bool m_isHopeless = false; ///< its addresses keep changing, or the device cannot keep it
};

} // namespace engine
