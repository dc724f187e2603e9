// What a device is given from here on has this name; then the one before again, so that a loop's own copies are not those of its last step.
#pragma once

#include "engine/device/device.h"

namespace engine {

class DeviceWorkName {
public:
    explicit DeviceWorkName(std::uint64_t tag) : m_before(DeviceStream::tag()) { DeviceStream::tag(tag); }
    ~DeviceWorkName() { DeviceStream::tag(m_before); }
    DeviceWorkName(const DeviceWorkName &) = delete;
    DeviceWorkName &operator=(const DeviceWorkName &) = delete;

private:
    std::uint64_t m_before;
};

/// The first of so many names, for whoever runs applies: no two of the process name work alike.
std::uint64_t takeDeviceTags(std::size_t count);

} // namespace engine
