#include "engine/runtime/device_work_name.h"

#include <atomic>

namespace engine {
namespace {

thread_local std::uint64_t t_tag = 0; // that of the apply which is running; 0: none

} // namespace

DeviceWorkName::DeviceWorkName(DeviceStream *stream, std::uint64_t tag) : m_stream(stream), m_before(t_tag) { name(tag); }
DeviceWorkName::~DeviceWorkName() { name(m_before); }

void DeviceWorkName::name(std::uint64_t tag)
{
    t_tag = tag;
    if (m_stream) return m_stream->tag(tag);
    if (!hasDevices()) return;
    for (Device *device : devices())
        if (device->id() != DeviceId::Host) device->stream().tag(tag);
}

std::uint64_t deviceWorkTag() { return t_tag; }

std::uint64_t takeDeviceTags(std::size_t count)
{
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(count, std::memory_order_relaxed);
}

} // namespace engine
