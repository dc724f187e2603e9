// Buffers of an OpenCL device. Each has a range of addresses that nobody can read: the device finds buffer and offset by them.
#pragma once

#include "engine/device/device.h"
#include "engine/device/opencl/api.h"

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace engine {

class OpenClMemory {
public:
    /// A piece of a buffer.
    struct Place {
        cl_mem buffer = nullptr;
        std::size_t offset = 0, room = 0; ///< the buffer's
    };
    OpenClMemory(cl_context context, std::string device, std::size_t bytes, std::size_t largest);
    ~OpenClMemory();

    /// Buffers are used again for the work of the stream that had them, which comes behind what still uses them.
    StorageRef allocate(std::size_t bytes, DeviceId device, const DeviceStream &stream);
    /// Throws DeviceError for an address that is not its own.
    Place find(const void *address) const;
    std::size_t liveBytes() const;

private:
    friend class OpenClStorage;
    struct Buffer {
        cl_mem handle = nullptr;
        std::size_t room = 0;
    };
    struct Free {
        char *address = nullptr;
        const DeviceStream *stream = nullptr;
    };
    void giveBack(char *address, std::size_t bytes, const DeviceStream *stream);
    std::optional<char *> reuse(std::size_t room, const DeviceStream &stream);
    void dropFree();
    char *addressesOf(std::size_t room);

    cl_context m_context;
    std::string m_device;
    std::size_t m_bytes, m_largest;
    char *m_base = nullptr;
    mutable std::mutex m_mutex; // guards what follows
    char *m_next = nullptr;
    std::map<std::size_t, std::vector<char *>> m_ranges; // addresses whose buffers are gone, by room
    std::map<char *, Buffer> m_buffers;
    std::map<std::size_t, std::vector<Free>> m_free; // by room
    std::size_t m_taken = 0, m_live = 0, m_arrays = 0;
};

} // namespace engine
