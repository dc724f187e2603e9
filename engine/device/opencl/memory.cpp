#include "engine/device/opencl/memory.h"

#include <algorithm>
#include <bit>
#include <sys/mman.h>

namespace engine {
namespace {

constexpr std::size_t kAddresses = std::size_t(1) << 42; // only numbers: no page of it is ever there
constexpr std::size_t kLeast = 4096;

// Four sizes to each power of two.
std::size_t roomFor(std::size_t bytes)
{
    if (bytes <= kLeast) return kLeast;
    const std::size_t step = std::bit_floor(bytes - 1) / 4;
    return (bytes + step - 1) / step * step;
}

std::string countText(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

} // namespace

class OpenClStorage final : public Storage {
public:
    OpenClStorage(char *address, std::size_t bytes, DeviceId device, OpenClMemory &memory, const DeviceStream &stream)
        : Storage(address, bytes, Memory::Ours, device), m_memory(memory), m_stream(stream)
    {}

protected:
    void dispose() override
    {
        m_memory.giveBack(static_cast<char *>(data()), bytes(), &m_stream);
        delete this;
    }

private:
    OpenClMemory &m_memory;
    const DeviceStream &m_stream;
};

OpenClMemory::OpenClMemory(cl_context context, std::string device, std::size_t bytes, std::size_t largest)
    : m_context(context), m_device(std::move(device)), m_bytes(bytes), m_largest(largest)
{
    void *const base = mmap(nullptr, kAddresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) throw DeviceError(m_device + ": there is no room for its addresses (is `ulimit -v` set?)", 0);
    m_base = m_next = static_cast<char *>(base);
}

OpenClMemory::~OpenClMemory() { munmap(m_base, kAddresses); }

StorageRef OpenClMemory::allocate(std::size_t bytes, DeviceId device, const DeviceStream &stream)
{
    const std::size_t room = roomFor(bytes);
    std::lock_guard lock(m_mutex);
    std::optional<char *> address = reuse(room, stream);
    if (!address) {
        if (m_taken + room > m_bytes) dropFree();
        cl_int error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        cl_mem handle = nullptr;
        const bool fits = room <= m_largest && m_taken + room <= m_bytes;
        if (fits) handle = openCl().clCreateBuffer(m_context, CL_MEM_READ_WRITE, room, nullptr, &error);
        if (fits && !handle) {
            dropFree();
            handle = openCl().clCreateBuffer(m_context, CL_MEM_READ_WRITE, room, nullptr, &error);
        }
        if (!handle)
            throw OutOfDeviceMemory(m_device + " has no room for " + countText(bytes) + ": " + countText(m_live) + " of " +
                                        countText(m_bytes) + " are taken by " + std::to_string(m_arrays) + " arrays" +
                                        (room > m_largest ? ", and no array may have more than " + countText(m_largest) : ""),
                                    0);
        address = addressesOf(room);
        m_buffers[*address] = {handle, room};
        m_taken += room;
    }
    m_live += bytes;
    ++m_arrays;
    return StorageRef(new OpenClStorage(*address, bytes, device, *this, stream));
}

std::optional<char *> OpenClMemory::reuse(std::size_t room, const DeviceStream &stream)
{
    const auto found = m_free.find(room);
    if (found == m_free.end()) return std::nullopt;
    std::vector<Free> &list = found->second;
    const auto own = std::find_if(list.rbegin(), list.rend(), [&](const Free &one) { return one.stream == &stream; });
    if (own == list.rend()) return std::nullopt;
    char *const address = own->address;
    list.erase(std::next(own).base());
    return address;
}

// What still runs keeps its buffers: OpenCL counts references.
void OpenClMemory::dropFree()
{
    for (auto &[room, list] : m_free)
        for (const Free &one : list) {
            const auto found = m_buffers.find(one.address);
            openCl().clReleaseMemObject(found->second.handle);
            m_taken -= room;
            m_ranges[room].push_back(one.address);
            m_buffers.erase(found);
        }
    m_free.clear();
}

char *OpenClMemory::addressesOf(std::size_t room)
{
    std::vector<char *> &known = m_ranges[room];
    if (!known.empty()) {
        char *const address = known.back();
        known.pop_back();
        return address;
    }
    const std::size_t step = room + kLeast; // an address past the end is nobody's
    if (m_next + step > m_base + kAddresses) throw OutOfDeviceMemory(m_device + " has no addresses left", 0);
    char *const address = m_next;
    m_next += step;
    return address;
}

void OpenClMemory::giveBack(char *address, std::size_t bytes, const DeviceStream *stream)
{
    std::lock_guard lock(m_mutex);
    m_live -= bytes;
    --m_arrays;
    m_free[m_buffers.at(address).room].push_back({address, stream});
}

OpenClMemory::Place OpenClMemory::find(const void *address) const
{
    auto *const wanted = const_cast<char *>(static_cast<const char *>(address));
    std::lock_guard lock(m_mutex);
    const auto next = m_buffers.upper_bound(wanted);
    if (next != m_buffers.begin()) {
        const auto &[begin, buffer] = *std::prev(next);
        const auto offset = static_cast<std::size_t>(wanted - begin);
        if (offset <= buffer.room) return {buffer.handle, offset, buffer.room};
    }
    throw DeviceError(m_device + ": an address that is not its own", 0);
}

std::size_t OpenClMemory::liveBytes() const
{
    std::lock_guard lock(m_mutex);
    return m_live;
}

} // namespace engine
