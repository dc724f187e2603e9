// Buffers of an OpenCL device. Each has a range of addresses that nobody can read: the device finds buffer and offset by them.
#pragma once

#include "engine/device/caching_memory.h"
#include "engine/device/opencl/api.h"

namespace engine {

class OpenClMemory final : public CachingMemory {
public:
    /// A piece of a buffer.
    struct Place {
        cl_mem buffer = nullptr;
        std::size_t offset = 0, room = 0; ///< the buffer's
    };
    /// `isProcessor`: large buffers lie in huge pages of this process.
    OpenClMemory(cl_context context, std::string device, std::size_t bytes, std::size_t largest, bool isProcessor);
    ~OpenClMemory() override;

    /// Throws DeviceError for an address that is not its own.
    Place find(const void *address) const;

protected:
    void *obtain(std::size_t room) override;
    void release(void *address, std::size_t room) override;

private:
    struct Buffer {
        cl_mem handle = nullptr;
        std::size_t room = 0;
    };
    char *addressesOf(std::size_t room);
    cl_mem inHugePages(std::size_t room) const;

    cl_context m_context;
    bool m_isProcessor;
    char *m_base = nullptr, *m_next = nullptr;
    std::map<std::size_t, std::vector<char *>> m_ranges; // addresses whose buffers are gone, by room
    std::map<char *, Buffer> m_buffers;
};

} // namespace engine
