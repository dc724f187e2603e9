#include "engine/device/device_findings.h"

#include "engine/device/device.h"

#include <array>

namespace engine {
namespace {

using Words = std::array<std::int64_t, static_cast<std::size_t>(FindingWord::Count)>;

constexpr std::int64_t kUnknown = -1; // the device gave none of its bytes: it keeps work instead of doing it

std::int64_t at(const Words &words, FindingWord word) { return words[static_cast<std::size_t>(word)]; }
std::string text(const Words &words, FindingWord word) { return std::to_string(at(words, word)); }

[[noreturn]] void tell(const Words &words)
{
    const auto kind = static_cast<Finding>(at(words, FindingWord::Kind));
    const auto tag = static_cast<std::uint64_t>(at(words, FindingWord::Tag));
    const std::string value = text(words, FindingWord::Value), place = text(words, FindingWord::Place),
                      size = text(words, FindingWord::Size);
    if (kind == Finding::Class)
        throw ClassOnDevice("class " + value + " in row " + place + " is out of bounds: there are " + size + " classes", tag);
    throw IndexOnDevice(std::string("[") + nameOf(kind) + "] index " + value + " is out of bounds for axis " + place + " with size " + size,
                        tag);
}

} // namespace

const char *nameOf(Finding index)
{
    switch (index) {
    case Finding::Subtensor: return "subtensor";
    case Finding::SetSubtensor: return "set_subtensor";
    default: return "inc_subtensor";
    }
}

void *DeviceStream::findings()
{
    std::call_once(m_isOpen, [this] {
        ENGINE_ASSERT(m_device, "kernels that read an index work on the stream of functions");
        StorageRef memory = m_device->allocate(sizeof(Words), *this);
        const Words nothing{};
        copyIn(memory->data(), nothing.data(), sizeof nothing);
        m_findings = std::move(memory);
    });
    return m_findings->data();
}

void DeviceStream::hear(void *to, const void *from, std::size_t bytes)
{
    const std::uint64_t finders = m_finders.load(std::memory_order_acquire);
    if (finders == m_heard.load(std::memory_order_acquire)) return from ? fetch(to, from, bytes, {}) : wait();
    Words words{kUnknown};
    static_assert(sizeof words <= Beside::kMost);
    if (from) fetch(to, from, bytes, {words.data(), m_findings->data(), sizeof words});
    else fetch(words.data(), m_findings->data(), sizeof words, {});
    if (at(words, FindingWord::IsThere) == kUnknown) return;
    m_heard.store(finders, std::memory_order_release);
    if (at(words, FindingWord::IsThere) == 0) return;
    const Words nothing{};
    copyIn(m_findings->data(), nothing.data(), sizeof nothing);
    tell(words);
}

void DeviceStream::copyOut(void *to, const void *from, std::size_t bytes) { hear(to, from, bytes); }
void DeviceStream::finish() { hear(nullptr, nullptr, 0); }

} // namespace engine
