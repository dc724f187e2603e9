// Memory of a device that is slow to give any: what an array gave back waits for the next one of its size.
#pragma once

#include "engine/device/device.h"

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace engine {

class CachingMemory {
public:
    /// `largest`: that the device gives at once.
    CachingMemory(std::string device, std::size_t bytes, std::size_t largest);
    virtual ~CachingMemory() = default;

    /// Used again for the work of the stream that had it, which comes behind what still uses it. Throws OutOfDeviceMemory.
    StorageRef allocate(std::size_t bytes, DeviceId device, const DeviceStream &stream);
    std::size_t liveBytes() const;

protected:
    /// Null: the device has no room. Both are called with the mutex held.
    virtual void *obtain(std::size_t room) = 0;
    virtual void release(void *address, std::size_t room) = 0;
    /// Gives all back to the device that no array has.
    void dropFree();
    const std::string &device() const { return m_device; }

    mutable std::mutex m_mutex; // guards what follows, and what derived classes keep

private:
    friend class CachedStorage;
    struct Free {
        void *address = nullptr;
        const DeviceStream *stream = nullptr;
    };
    void giveBack(void *address, std::size_t bytes, const DeviceStream *stream);
    void *reuse(std::size_t room, const DeviceStream &stream);

    std::map<std::size_t, std::vector<Free>> m_free; // by room
    std::size_t m_taken = 0, m_live = 0, m_arrays = 0;
    const std::string m_device;
    const std::size_t m_bytes, m_largest;
};

} // namespace engine
