// The functions of cudart that the module calls.
#include "tests/cuda_sim/activities.h"
#include "tests/cuda_sim/control.h"
#include "tests/cuda_sim/machine.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <xmmintrin.h>

using namespace cuda_sim;

namespace {

Machine &machine() { return Machine::one(); }
cudaError_t said(cudaError_t error) { return machine().said(error); }
Stream &streamOf(cudaStream_t stream) { return *reinterpret_cast<Stream *>(stream); }

bool blocks()
{
    static const bool isSet = [] {
        const char *const text = std::getenv("CUDA_LAUNCH_BLOCKING");
        return text && std::strcmp(text, "1") == 0;
    }();
    return isSet;
}

struct Library {
    void *handle = nullptr;
    std::vector<std::unique_ptr<struct Kernel>> kernels;
};

// What the prologue of a kernel's text leaves.
struct Kernel {
    std::string name;
    const unsigned *sizes = nullptr; // of the parameters in bytes, then 0
    const char *pointers = nullptr;  // one for each: is it a pointer?
    void (*run)(void **arguments, const unsigned *grid, const unsigned *block, unsigned shared) = nullptr;
    bool flushes = false; // numbers too small to be normal are zeros: -ftz=true
};

// What the processor does with such numbers while a kernel runs.
class Flushing {
public:
    explicit Flushing(bool on) : m_before(_mm_getcsr())
    {
        if (on) _mm_setcsr(m_before | 0x8040);
    }
    ~Flushing() { _mm_setcsr(m_before); }

private:
    unsigned m_before;
};

// A name for what an error of CUDA is called, and what it says.
struct ErrorText {
    cudaError_t error;
    const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
};
const ErrorText &textOf(cudaError_t error)
{
    for (const ErrorText &one : kErrors)
        if (one.error == error) return one;
    static constexpr ErrorText unknown{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};
    return unknown;
}

// Work of a stream: none of it is done once an error stays.
cudaError_t give(cudaStream_t stream, std::function<void()> task)
{
    streamOf(stream).enqueue([task = std::move(task)] {
        if (machine().sticky() == cudaSuccess) task();
    });
    if (blocks() && !streamOf(stream).isCaptured()) streamOf(stream).wait();
    return said(cudaSuccess);
}

cudaError_t missing()
{
    if (machine().driver() < 13000) return cudaErrorInsufficientDriver;
    return machine().devices() == 0 ? cudaErrorNoDevice : cudaSuccess;
}

} // namespace

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = machine().driver();
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    if (const cudaError_t error = missing(); error != cudaSuccess) return said(error);
    *count = machine().devices();
    return said(cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
    if (const cudaError_t error = missing(); error != cudaSuccess) return said(error);
    if (device < 0 || device >= machine().devices()) return said(cudaErrorInvalidDevice);
    Machine::enter(static_cast<std::uint32_t>(device));
    return said(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    if (device < 0 || device >= machine().devices()) return said(cudaErrorInvalidDevice);
    *properties = cudaDeviceProp{};
    std::strncpy(properties->name, kName, sizeof properties->name - 1);
    properties->totalGlobalMem = machine().space().bytes();
    properties->major = 9;
    properties->minor = 0;
    properties->multiProcessorCount = 1;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->regsPerMultiprocessor = 65536;
    properties->sharedMemPerBlock = 49152;
    properties->sharedMemPerMultiprocessor = 233472;
    properties->maxBlocksPerMultiProcessor = 32;
    return said(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    std::snprintf(id, static_cast<std::size_t>(length), "simulated:%d", device);
    return said(cudaSuccess);
}

const char *cudaGetErrorName(cudaError_t error) { return textOf(error).name; }
const char *cudaGetErrorString(cudaError_t error) { return textOf(error).text; }

cudaError_t cudaDeviceSynchronize(void)
{
    machine().waitForAll();
    return said(cudaSuccess);
}

cudaError_t cudaMalloc(void **address, std::size_t bytes)
{
    if (machine().sticky() != cudaSuccess) return said(cudaSuccess);
    if (machine().fails("malloc")) return said(cudaErrorMemoryAllocation);
    *address = machine().space().allocate(bytes);
    if (*address) moved(true, *address, bytes);
    return said(*address ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void *address)
{
    if (!address) return said(cudaSuccess);
    machine().waitForAll();
    moved(false, address, machine().space().bytesAt(address));
    return said(machine().space().release(address) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(std::size_t *free, std::size_t *total)
{
    *free = machine().space().free();
    *total = machine().space().bytes();
    return said(cudaSuccess);
}

cudaError_t cudaHostAlloc(void **address, std::size_t bytes, unsigned)
{
    *address = std::malloc(bytes);
    if (*address) std::memset(*address, 0xCD, bytes);
    return said(*address ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *address)
{
    machine().waitForAll();
    std::free(address);
    return said(cudaSuccess);
}

// Pinned memory is read and written when the copy is done, not when it is asked for. So is other memory here: what relies on more must
// wait.
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    // CUPTI's numbers for the directions: to the card 1, from it 2, on it 8.
    const int direction = kind == cudaMemcpyHostToDevice ? 1 : kind == cudaMemcpyDeviceToHost ? 2 : 8;
    const Call call = beginCall();
    Space &space = machine().space();
    const auto place = [&space, bytes](const void *address) -> char * {
        return space.isWithin(address) ? space.own(address, bytes) : static_cast<char *>(const_cast<void *>(address));
    };
    return give(stream, [=] {
        char *const target = place(to), *const source = place(from);
        const std::uint64_t begin = now();
        if (!target || !source) return machine().fault(cudaErrorIllegalAddress);
        std::memmove(target, source, bytes);
        copied(call, direction, bytes, begin, now());
    });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    auto *const made = new Stream;
    machine().opened(made);
    *stream = reinterpret_cast<cudaStream_t>(made);
    return said(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    machine().closed(&streamOf(stream));
    delete &streamOf(stream);
    return said(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (streamOf(stream).isCaptured()) return said(cudaErrorStreamCaptureUnsupported);
    const std::uint64_t begin = now();
    streamOf(stream).wait();
    waited(begin);
    return said(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return said(streamOf(stream).isIdle() ? cudaSuccess : cudaErrorNotReady); }

namespace {

std::atomic<int> g_events{0}; // that are there

} // namespace

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = reinterpret_cast<cudaEvent_t>(new std::shared_ptr<Event>(std::make_shared<Event>()));
    ++g_events;
    return said(cudaSuccess);
}

namespace {

std::shared_ptr<Event> shared(cudaEvent_t event) { return *reinterpret_cast<std::shared_ptr<Event> *>(event); }

void waitFor(Event &event, std::uint64_t wanted)
{
    std::unique_lock lock(event.mutex);
    event.changed.wait(lock, [&] { return event.reached >= wanted; });
}

std::uint64_t recordedOf(Event &event)
{
    std::lock_guard lock(event.mutex);
    return event.recorded;
}

} // namespace

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete reinterpret_cast<std::shared_ptr<Event> *>(event);
    --g_events;
    return said(cudaSuccess);
}

int cudaSimEvents() { return g_events; }

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (machine().fails("event")) return said(cudaErrorInvalidResourceHandle);
    const std::shared_ptr<Event> own = shared(event);
    std::uint64_t number;
    {
        std::lock_guard lock(own->mutex);
        number = ++own->recorded;
    }
    streamOf(stream).enqueue([own, number] {
        {
            std::lock_guard lock(own->mutex);
            own->reached = number;
        }
        own->changed.notify_all();
    });
    return said(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    const std::shared_ptr<Event> own = shared(event);
    std::lock_guard lock(own->mutex);
    return said(own->reached == own->recorded ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const std::shared_ptr<Event> own = shared(event);
    const std::uint64_t begin = now();
    waitFor(*own, recordedOf(*own));
    waited(begin);
    return said(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    const std::shared_ptr<Event> own = shared(event);
    streamOf(stream).enqueue([own, number = recordedOf(*own)] { waitFor(*own, number); });
    return said(cudaSuccess);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, cudaJitOption *, void **, unsigned, cudaLibraryOption *, void **,
                                unsigned)
{
    const auto *const bytes = static_cast<const char *>(code);
    constexpr std::size_t mark = sizeof kMark - 1;
    if (std::memcmp(bytes, kMark, mark) != 0) return said(cudaErrorInvalidKernelImage);
    std::uint64_t size = 0;
    std::memcpy(&size, bytes + mark, sizeof size);
    char path[] = "/tmp/cuda_sim_XXXXXX.so"; // a name of its own: the loader knows libraries by their names
    const int file = mkstemps(path, 3);
    const bool isWritten = write(file, bytes + mark + sizeof size, size) == static_cast<ssize_t>(size);
    close(file);
    auto made = std::make_unique<Library>();
    // The module opened this library for itself; kernels look for their barriers in it.
    static const bool isSeen = [] {
        Dl_info own{};
        return dladdr(reinterpret_cast<const void *>(&cudaLibraryUnload), &own) &&
               dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    }();
    if (isWritten && isSeen) made->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path);
    if (!made->handle) return said(cudaErrorInvalidKernelImage);
    *library = reinterpret_cast<cudaLibrary_t>(made.release());
    return said(cudaSuccess);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    auto *const own = reinterpret_cast<Library *>(library);
    machine().waitForAll();
    dlclose(own->handle);
    delete own;
    return said(cudaSuccess);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    auto *const own = reinterpret_cast<Library *>(library);
    auto made = std::make_unique<Kernel>();
    made->name = name;
    const auto find = [&](const char *what) { return dlsym(own->handle, (std::string("cudaSim_") + what + "_" + name).c_str()); };
    const auto sizes = reinterpret_cast<const unsigned *(*)()>(find("sizes"));
    const auto pointers = reinterpret_cast<const char *(*)()>(find("pointers"));
    made->run = reinterpret_cast<decltype(made->run)>(find("run"));
    if (!sizes || !pointers || !made->run) return said(cudaErrorSymbolNotFound);
    made->sizes = sizes();
    made->pointers = pointers();
    made->flushes = find("flushes") != nullptr;
    *kernel = reinterpret_cast<cudaKernel_t>(made.get());
    own->kernels.push_back(std::move(made));
    return said(cudaSuccess);
}

cudaError_t cudaLibraryGetGlobal(void **address, std::size_t *bytes, cudaLibrary_t library, const char *name)
{
    *address = dlsym(reinterpret_cast<Library *>(library)->handle, name);
    Dl_info info{};
    const ElfW(Sym) *symbol = nullptr;
    if (!*address || !dladdr1(*address, &info, reinterpret_cast<void **>(const_cast<ElfW(Sym) **>(&symbol)), RTLD_DL_SYMENT) || !symbol)
        return said(cudaErrorSymbolNotFound);
    *bytes = symbol->st_size;
    return said(cudaSuccess);
}

// A processor has no registers to give an account of: what a card would say is not made up.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *)
{
    *attributes = cudaFuncAttributes{};
    attributes->maxThreadsPerBlock = 1024;
    return said(cudaSuccess);
}

cudaError_t cudaFuncGetParamInfo(const void *function, std::size_t index, std::size_t *offset, std::size_t *bytes)
{
    const unsigned *const sizes = static_cast<const Kernel *>(function)->sizes;
    *offset = 0;
    for (std::size_t i = 0; sizes[i]; ++i) {
        *offset = (*offset + sizes[i] - 1) / sizes[i] * sizes[i];
        if (i == index) {
            *bytes = sizes[i];
            return said(cudaSuccess);
        }
        *offset += sizes[i];
    }
    return said(cudaErrorInvalidValue);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, std::size_t shared, cudaStream_t stream)
{
    const Kernel &kernel = *static_cast<const Kernel *>(function);
    const std::size_t threads = std::size_t(block.x) * block.y * block.z;
    if (threads > 1024) return said(cudaErrorInvalidValue); // as a card says, driver 580
    if (threads == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0) return said(cudaErrorInvalidConfiguration);
    if (machine().fails("launch")) return said(cudaErrorLaunchOutOfResources);
    const Call call = beginCall();
    // Parameters are copied now.
    std::vector<std::vector<char>> values;
    for (const unsigned *size = kernel.sizes; *size; ++size) {
        const auto *const first = static_cast<const char *>(arguments[values.size()]);
        values.emplace_back(first, first + *size);
    }
    return give(stream, [call, &kernel, grid, block, shared, values = std::move(values)]() mutable {
        if (machine().fails("kernel")) return machine().fault(cudaErrorIllegalAddress);
        std::vector<void *> places;
        for (std::size_t i = 0; i < values.size(); ++i) {
            places.push_back(values[i].data());
            void *address = nullptr;
            if (kernel.pointers[i]) std::memcpy(&address, values[i].data(), sizeof address);
            if (!address) continue;
            void *const own = machine().space().own(address, 0);
            if (!own) return machine().fault(cudaErrorIllegalAddress);
            std::memcpy(values[i].data(), &own, sizeof own);
        }
        const unsigned groups[] = {grid.x, grid.y, grid.z}, items[] = {block.x, block.y, block.z};
        const std::uint64_t begin = now();
        const Flushing flushing(kernel.flushes);
        kernel.run(places.data(), groups, items, static_cast<unsigned>(shared));
        kernelRan(call, kernel.name, groups, items, begin, now());
    });
}
