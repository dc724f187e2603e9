#include "engine/device/caching_memory.h"

#include <algorithm>
#include <bit>

namespace engine {
namespace {

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

class CachedStorage final : public Storage {
public:
    CachedStorage(void *address, std::size_t bytes, DeviceId device, CachingMemory &memory, const DeviceStream &stream)
        : Storage(address, bytes, Memory::Ours, device), m_memory(memory), m_stream(stream)
    {}

protected:
    void dispose() override
    {
        m_memory.giveBack(data(), bytes(), &m_stream);
        delete this;
    }

private:
    CachingMemory &m_memory;
    const DeviceStream &m_stream;
};

CachingMemory::CachingMemory(std::string device, std::size_t bytes, std::size_t largest)
    : m_device(std::move(device)), m_bytes(bytes), m_largest(largest)
{}

StorageRef CachingMemory::allocate(std::size_t bytes, DeviceId device, const DeviceStream &stream)
{
    const std::size_t room = roomFor(bytes);
    std::lock_guard lock(m_mutex);
    void *address = reuse(room, stream);
    if (!address) {
        if (m_taken + room > m_bytes) dropFree();
        const bool fits = room <= m_largest && m_taken + room <= m_bytes;
        if (fits) address = obtain(room);
        if (fits && !address) {
            dropFree();
            address = obtain(room);
        }
        if (!address)
            throw OutOfDeviceMemory(m_device + " has no room for " + countText(bytes) + ": " + countText(m_live) + " of " +
                                        countText(m_bytes) + " are taken by " + std::to_string(m_arrays) + " arrays" +
                                        (room > m_largest ? ", and no array may have more than " + countText(m_largest) : ""),
                                    0);
        m_taken += room;
    }
    m_live += bytes;
    ++m_arrays;
    return StorageRef(new CachedStorage(address, bytes, device, *this, stream));
}

void *CachingMemory::reuse(std::size_t room, const DeviceStream &stream)
{
    const auto found = m_free.find(room);
    if (found == m_free.end()) return nullptr;
    std::vector<Free> &list = found->second;
    const auto own = std::find_if(list.rbegin(), list.rend(), [&](const Free &one) { return one.stream == &stream; });
    if (own == list.rend()) return nullptr;
    void *const address = own->address;
    list.erase(std::next(own).base());
    return address;
}

void CachingMemory::dropFree()
{
    for (auto &[room, list] : m_free)
        for (const Free &one : list) {
            release(one.address, room);
            m_taken -= room;
        }
    m_free.clear();
}

void CachingMemory::giveBack(void *address, std::size_t bytes, const DeviceStream *stream)
{
    std::lock_guard lock(m_mutex);
    m_live -= bytes;
    --m_arrays;
    m_free[roomFor(bytes)].push_back({address, stream});
}

std::size_t CachingMemory::liveBytes() const
{
    std::lock_guard lock(m_mutex);
    return m_live;
}

} // namespace engine
