#include "engine/device/opencl/memory.h"

#include <cstdint>
#include <sys/mman.h>

namespace engine {
namespace {

constexpr std::size_t kAddresses = std::size_t(1) << 42; // only numbers: no page of it is ever there
constexpr std::size_t kHugePage = std::size_t(1) << 21;
constexpr std::size_t kBetween = 4096; // an address past the end of a buffer is nobody's

} // namespace

OpenClMemory::OpenClMemory(cl_context context, std::string device, std::size_t bytes, std::size_t largest, bool isProcessor)
    : CachingMemory(std::move(device), bytes, largest), m_context(context), m_isProcessor(isProcessor)
{
    void *const base = mmap(nullptr, kAddresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) throw DeviceError(this->device() + ": there is no room for its addresses (is `ulimit -v` set?)", 0);
    m_base = m_next = static_cast<char *>(base);
}

OpenClMemory::~OpenClMemory() { munmap(m_base, kAddresses); }

void *OpenClMemory::obtain(std::size_t room)
{
    cl_int error = CL_SUCCESS;
    cl_mem handle = m_isProcessor && room >= kHugePage ? inHugePages(room) : nullptr;
    if (!handle) handle = openCl().clCreateBuffer(m_context, CL_MEM_READ_WRITE, room, nullptr, &error);
    if (!handle) return nullptr;
    char *const address = addressesOf(room);
    m_buffers[address] = {handle, room};
    return address;
}

// A processor finds its way through large arrays by few pages. The memory goes when the last work on the buffer is over.
cl_mem OpenClMemory::inHugePages(std::size_t room) const
{
    struct Pages {
        void *memory;
        std::size_t bytes;
    };
    const std::size_t bytes = (room + kHugePage - 1) / kHugePage * kHugePage + kHugePage;
    void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    void *const aligned = reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(memory) + kHugePage - 1) / kHugePage * kHugePage);
    madvise(aligned, bytes - kHugePage, MADV_HUGEPAGE);
    cl_int error = CL_SUCCESS;
    const cl_mem handle = openCl().clCreateBuffer(m_context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, room, aligned, &error);
    if (!handle) {
        munmap(memory, bytes);
        return nullptr;
    }
    openCl().clSetMemObjectDestructorCallback(
        handle,
        [](cl_mem, void *given) {
            const auto *const pages = static_cast<Pages *>(given);
            munmap(pages->memory, pages->bytes);
            delete pages;
        },
        new Pages{memory, bytes});
    return handle;
}

// What still runs keeps its buffers: OpenCL counts references.
void OpenClMemory::release(void *address, std::size_t room)
{
    const auto found = m_buffers.find(static_cast<char *>(address));
    openCl().clReleaseMemObject(found->second.handle);
    m_ranges[room].push_back(found->first);
    m_buffers.erase(found);
}

char *OpenClMemory::addressesOf(std::size_t room)
{
    std::vector<char *> &known = m_ranges[room];
    if (!known.empty()) {
        char *const address = known.back();
        known.pop_back();
        return address;
    }
    const std::size_t step = room + kBetween;
    if (m_next + step > m_base + kAddresses) throw OutOfDeviceMemory(device() + " has no addresses left", 0);
    char *const address = m_next;
    m_next += step;
    return address;
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
    throw DeviceError(device() + ": an address that is not its own", 0);
}

} // namespace engine
