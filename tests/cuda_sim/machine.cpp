#include "tests/cuda_sim/machine.h"

#include "tests/cuda_sim/control.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <sys/mman.h>
#include <utility>

namespace cuda_sim {
namespace {

constexpr std::size_t kGuard = 256; // bytes before and behind each array
constexpr unsigned char kGuardByte = 0xA5, kFreshByte = 0xCD, kFreeByte = 0xDD;
constexpr std::size_t kMemory = std::size_t(256) << 20;

std::size_t room(std::size_t bytes) { return (bytes + 255) / 256 * 256 + 2 * kGuard; }

thread_local cudaError_t t_last = cudaSuccess;
thread_local std::uint32_t t_card = 0;

} // namespace

Space::Space(std::size_t bytes) : m_size(bytes)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    m_addresses = static_cast<char *>(mmap(nullptr, bytes, PROT_NONE, flags, -1, 0));
    m_memory = static_cast<char *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0));
    if (m_addresses == MAP_FAILED || m_memory == MAP_FAILED) std::abort();
}

std::size_t Space::free() const
{
    std::lock_guard lock(m_mutex);
    std::size_t taken = 0;
    for (const auto &[offset, bytes] : m_live) taken += room(bytes);
    return m_size - taken;
}

void *Space::allocate(std::size_t bytes)
{
    std::lock_guard lock(m_mutex);
    std::size_t at = 0;
    for (const auto &[offset, live] : m_live) {
        if (offset - kGuard - at >= room(bytes)) break;
        at = offset - kGuard + room(live);
    }
    if (at + room(bytes) > m_size) return nullptr;
    const std::size_t offset = at + kGuard;
    std::memset(m_memory + at, kGuardByte, room(bytes));
    std::memset(m_memory + offset, kFreshByte, bytes);
    m_live.emplace(offset, bytes);
    return m_addresses + offset;
}

std::size_t Space::bytesAt(const void *address) const
{
    if (!isWithin(address)) return 0;
    std::lock_guard lock(m_mutex);
    const auto found = m_live.find(static_cast<std::size_t>(static_cast<const char *>(address) - m_addresses));
    return found == m_live.end() ? 0 : found->second;
}

bool Space::release(void *address)
{
    if (!isWithin(address)) return false;
    const auto offset = static_cast<std::size_t>(static_cast<char *>(address) - m_addresses);
    std::lock_guard lock(m_mutex);
    const auto found = m_live.find(offset);
    if (found == m_live.end()) return false;
    const std::size_t bytes = found->second;
    const auto isGuard = [](char c) { return static_cast<unsigned char>(c) == kGuardByte; };
    const char *const begin = m_memory + offset - kGuard, *const end = begin + room(bytes);
    if (!std::all_of(begin, begin + kGuard, isGuard)) m_faults += "written before the beginning of an array; ";
    if (!std::all_of(begin + kGuard + bytes, end, isGuard)) m_faults += "written past the end of an array; ";
    std::memset(m_memory + offset - kGuard, kFreeByte, room(bytes));
    m_live.erase(found);
    return true;
}

bool Space::isWithin(const void *address) const
{
    const auto *const at = static_cast<const char *>(address);
    return at >= m_addresses && at < m_addresses + m_size;
}

char *Space::own(const void *address, std::size_t bytes)
{
    if (!isWithin(address)) return nullptr;
    const auto offset = static_cast<std::size_t>(static_cast<const char *>(address) - m_addresses);
    std::lock_guard lock(m_mutex);
    const auto next = m_live.upper_bound(offset);
    if (next == m_live.begin()) return nullptr;
    const auto &[first, size] = *std::prev(next);
    return offset + bytes <= first + size ? m_memory + offset : nullptr;
}

std::string Space::faults()
{
    std::lock_guard lock(m_mutex);
    return m_faults;
}

Stream::~Stream()
{
    {
        std::lock_guard lock(m_mutex);
        m_isLeaving = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

void Stream::enqueue(std::function<void()> task)
{
    {
        std::lock_guard lock(m_mutex);
        if (m_isCaptured) {
            m_captured.push_back(std::move(task));
            return;
        }
        m_queue.push_back(std::move(task));
    }
    m_changed.notify_all();
}

void Stream::capture()
{
    std::lock_guard lock(m_mutex);
    m_isCaptured = true;
}

bool Stream::isCaptured()
{
    std::lock_guard lock(m_mutex);
    return m_isCaptured;
}

std::vector<std::function<void()>> Stream::captured()
{
    std::lock_guard lock(m_mutex);
    m_isCaptured = false;
    return std::exchange(m_captured, {});
}

void Stream::wait()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_queue.empty() && !m_isBusy; });
}

bool Stream::isIdle()
{
    std::lock_guard lock(m_mutex);
    return m_queue.empty() && !m_isBusy;
}

void Stream::work()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [&] { return m_isLeaving || !m_queue.empty(); });
        if (m_queue.empty()) return;
        const std::function<void()> task = std::move(m_queue.front());
        m_queue.pop_front();
        m_isBusy = true;
        lock.unlock();
        Machine::one().pause();
        task();
        lock.lock();
        m_isBusy = false;
        m_changed.notify_all();
    }
}

Machine &Machine::one()
{
    static auto *const machine = new Machine; // streams of the program may outlive its statics
    return *machine;
}

std::uint32_t Machine::card() { return t_card; }
void Machine::enter(std::uint32_t card) { t_card = card; }

// CROTON_CUDA_SIM="devices=2 driver=12040 memory=1048576 delays=7 malloc=3"
Machine::Machine()
{
    std::size_t memory = kMemory;
    const char *const settings = std::getenv("CROTON_CUDA_SIM");
    std::istringstream words(settings ? settings : "");
    for (std::string word; words >> word;) {
        const std::size_t at = word.find('=');
        const std::string name = word.substr(0, at);
        const long value = at == std::string::npos ? 1 : std::atol(word.c_str() + at + 1);
        if (name == "devices") m_devices = static_cast<int>(value);
        else if (name == "driver") m_driver = static_cast<int>(value);
        else if (name == "memory") memory = static_cast<std::size_t>(value);
        else if (name == "delays") delay(static_cast<unsigned>(value));
        else failIn(name, static_cast<int>(value));
    }
    m_space = std::make_unique<Space>(memory);
}

cudaError_t Machine::said(cudaError_t error)
{
    if (error == cudaSuccess || error == cudaErrorNotReady) error = m_sticky != cudaSuccess ? m_sticky.load() : error;
    if (error != cudaSuccess && error != cudaErrorNotReady) t_last = error;
    return error;
}

bool Machine::fails(const std::string &what)
{
    std::lock_guard lock(m_mutex);
    const auto found = m_faults.find(what);
    if (found == m_faults.end() || --found->second > 0) return false;
    m_faults.erase(found);
    return true;
}

void Machine::failIn(const std::string &what, int count)
{
    std::lock_guard lock(m_mutex);
    m_faults[what] = count;
}

void Machine::delay(unsigned seed)
{
    std::lock_guard lock(m_mutex);
    m_random.seed(seed);
    m_delays = seed != 0;
}

void Machine::pause()
{
    if (!m_delays) return;
    std::unique_lock lock(m_mutex);
    const auto pause = std::chrono::microseconds(m_random() % 200);
    lock.unlock();
    std::this_thread::sleep_for(pause);
}

void Machine::opened(Stream *stream)
{
    std::lock_guard lock(m_mutex);
    m_streams.push_back(stream);
}

void Machine::closed(Stream *stream)
{
    std::lock_guard lock(m_mutex);
    std::erase(m_streams, stream);
}

void Machine::waitForAll()
{
    std::vector<Stream *> streams;
    {
        std::lock_guard lock(m_mutex);
        streams = m_streams;
    }
    for (Stream *stream : streams) stream->wait();
}

} // namespace cuda_sim

using cuda_sim::Machine;

extern "C" cudaError_t cudaGetLastError(void)
{
    const cudaError_t sticky = Machine::one().sticky();
    return sticky != cudaSuccess ? sticky : std::exchange(cuda_sim::t_last, cudaSuccess);
}

// Whoever finds it knows that no time here is a card's.
extern "C" const char crotonIsSimulation = 1;

void cudaSimDelay(unsigned seed) { Machine::one().delay(seed); }
void cudaSimFail(const char *what, int count) { Machine::one().failIn(what, count); }
void cudaSimRevive(void) { Machine::one().revive(); }

const char *cudaSimFaults(void)
{
    static thread_local std::string text;
    Machine::one().waitForAll();
    text = Machine::one().space().faults();
    return text.c_str();
}
