// What a device is given from here on has this name; then the one before again, so that a loop's own copies are not those of its last step.
#pragma once

#include "engine/device/device.h"

namespace engine {

class DeviceWorkName {
public:
    /// No stream: whatever device is used.
    DeviceWorkName(DeviceStream *stream, std::uint64_t tag);
    ~DeviceWorkName();
    DeviceWorkName(const DeviceWorkName &) = delete;
    DeviceWorkName &operator=(const DeviceWorkName &) = delete;

private:
    void name(std::uint64_t tag);

    DeviceStream *m_stream;
    std::uint64_t m_before;
};

/// The name of what is running in this thread; 0: none.
std::uint64_t deviceWorkTag();
/// The first of so many names, for whoever runs applies: no two of the process name work alike.
std::uint64_t takeDeviceTags(std::size_t count);

} // namespace engine
