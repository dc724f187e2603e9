// The whole seam to where arrays live and kernels run: what a device must offer, and nothing that only one of them has.
#pragma once

#include "engine/rt/rt.h"
#include "engine/tensor/device_names.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/tensor.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace engine {

/// The language that a device takes kernels in, and how their work is laid out.
enum class Dialect : std::uint8_t {
    C,
    CudaC,
    OpenClC,
    OpenClStrips, ///< OpenCL C where items are loops of a processor: each takes neighbouring elements, which its vectors hold side by side
};

/// Something that not every device can do.
struct Capability {
    std::string name;
    bool isThere = true;
    std::string reason; ///< why not
};

/// What one of its processors can have at a time, for how many groups of a kernel fit; 0: it does not tell.
struct DeviceLimits {
    int warp = 0, items = 0, registers = 0, groups = 0;
    std::size_t sharedBytes = 0;
};

struct DeviceInfo {
    std::string name;     ///< as flags name it: "cpu", "cuda0", "opencl0:0"
    std::string hardware; ///< for people
    Dialect dialect = Dialect::C;
    std::size_t bytes = 0; ///< of memory; 0: as much as the host has
    std::vector<Capability> capabilities;
    DeviceLimits limits{};
    bool isSimulated = false;  ///< its times say nothing of a device
    bool waitsForEach = false; ///< work is done when it was given: by a setting of the driver's
};

/// Something that a device could not do. Work is done behind the caller's back: `tag` says which of it failed.
class DeviceError : public std::runtime_error {
public:
    DeviceError(const std::string &message, std::uint64_t tag) : std::runtime_error(message), m_tag(tag) {}
    std::uint64_t tag() const { return m_tag; }

private:
    std::uint64_t m_tag;
};

class OutOfDeviceMemory final : public DeviceError {
public:
    using DeviceError::DeviceError;
};

/// What a kernel found wrong with values that the host did not look at. `tag`: of the work.
class FoundOnDevice {
public:
    explicit FoundOnDevice(std::uint64_t tag) : m_tag(tag) {}
    virtual ~FoundOnDevice() = default;
    std::uint64_t tag() const { return m_tag; }

private:
    std::uint64_t m_tag;
};
class IndexOnDevice final : public OutOfBounds, public FoundOnDevice {
public:
    IndexOnDevice(const std::string &message, std::uint64_t tag) : OutOfBounds(message), FoundOnDevice(tag) {}
};
class ClassOnDevice final : public ShapeMismatch, public FoundOnDevice {
public:
    ClassOnDevice(const std::string &message, std::uint64_t tag) : ShapeMismatch(message), FoundOnDevice(tag) {}
};

namespace ir {
struct Kernel;
}

struct KernelSource {
    std::string name; ///< for people and for errors
    std::string text;
    std::vector<RtLoop> math;                   ///< C only: the primitives that it is handed
    std::shared_ptr<const ir::Kernel> kernel{}; ///< what the text was printed from; null: it was written by hand
};

/// A kernel that its device can launch.
class BuiltKernel {
public:
    virtual ~BuiltKernel() = default;
};

struct LaunchShape {
    std::uint32_t groups = 1;
    std::uint32_t items = 1; ///< of a group
};

/// An address on the device, or a number. A kernel in CUDA C takes each as it is, integers as 64 bits; one in OpenCL C takes an address as
/// buffer and offset in bytes; one in C finds all but the last number in its array of operands, numbers by their addresses.
struct KernelArgument {
    enum class Kind : std::uint8_t { Address, Integer, Real } kind;
    union {
        void *address;
        std::int64_t integer;
        double real;
    };
    static KernelArgument at(void *address) { return {.kind = Kind::Address, .address = address}; }
    static KernelArgument of(std::int64_t integer) { return {.kind = Kind::Integer, .integer = integer}; }
    static KernelArgument of(double real) { return {.kind = Kind::Real, .real = real}; }
};

/// c = alpha·op(a)·op(b) + beta·c, row-major, `count` of them at fixed distances. A matrix by a vector is n = 1.
struct MatrixProduct {
    struct Matrix {
        void *address = nullptr;
        std::int64_t leading = 0;  ///< elements from row to row
        std::int64_t distance = 0; ///< elements from one product's matrix to the next one's
        bool isTransposed = false;
    };
    DType dtype = DType::Float32;
    std::int64_t m = 0, n = 0, k = 0, count = 1;
    double alpha = 1, beta = 0; ///< with a beta of 0 c is not read
    Matrix a, b, c;
};

/// What a convolution or one of its gradients is, all arrays dense. Two axes count as three, the first of size 1.
struct DeviceConvolution {
    enum class Pass : std::uint8_t { Forward, Weights, Inputs } pass = Pass::Forward;
    DType dtype = DType::Float32;
    int axes = 2;
    bool flip = false; ///< kernels are applied backwards
    std::int64_t images = 0, channels = 0, filters = 0, groups = 1;
    std::array<std::int64_t, 3> in{1, 1, 1}, kernel{1, 1, 1}, out{1, 1, 1}, border{}, stride{1, 1, 1}, dilation{1, 1, 1};
    void *image = nullptr, *kernels = nullptr, *result = nullptr; ///< the pass says which of them is written
};

class DeviceProgram; // device_program.h
struct ProgramLaunch;

/// Work that was given once, to be given again as a whole.
class DeviceGraph {
public:
    virtual ~DeviceGraph() = default;
};

/// A point in the order of a stream's work.
class DeviceEvent {
public:
    virtual ~DeviceEvent() = default;
    virtual bool isReached() const = 0;
};

/// What a device did, by its own clock.
struct DeviceActivity {
    /// Behind the last that is work for an apply: memory of the driver's taken and given back, waits of the host, time that watching took.
    enum class Kind : std::uint8_t {
        Kernel,
        CopyIn,
        CopyOut,
        CopyWithin,
        Product,
        Fill,
        Take,
        GiveBack,
        Wait,
        Overhead
    } kind = Kind::Kernel;
    std::uint64_t tag = 0;            ///< of the work that it belongs to
    std::uint64_t begin = 0, end = 0; ///< nanoseconds
    std::size_t bytes = 0;            ///< copied, filled, taken or given back
    bool isFurther = false;           ///< a piece of the same copy as one before it
    LaunchShape shape{0, 0};          ///< of a kernel, with what follows, where the device tells; else 0
    std::uint32_t registers = 0, sharedBytes = 0;
};

class Device;

/// Work in order. What fails is told by the next call that waits, and by every one after it until somebody has heard of it.
class DeviceStream {
public:
    virtual ~DeviceStream() = default;
    /// Names what this thread gives streams from now on, for errors and activities. Threads share the stream of a device.
    static void tag(std::uint64_t tag);
    /// The name of what is running in this thread; 0: none.
    static std::uint64_t tag();
    /// `from` may be reused when it returns.
    virtual void copyIn(void *to, const void *from, std::size_t bytes) = 0;
    /// Waits for the bytes, and so for all work before.
    void copyOut(void *to, const void *from, std::size_t bytes);
    virtual void copyWithin(void *to, const void *from, std::size_t bytes) = 0;
    virtual void launch(const std::shared_ptr<BuiltKernel> &kernel, LaunchShape shape, std::span<const KernelArgument> arguments) = 0;
    virtual void multiply(const MatrixProduct &product) = 0;
    /// By the device's library of convolutions, where Device::whyNoConvolutions is empty.
    virtual void convolve(const DeviceConvolution &convolution);
    /// A kernel of a DeviceProgram.
    virtual void launchProgram(const std::shared_ptr<BuiltKernel> &kernel, const ProgramLaunch &launch);
    virtual std::unique_ptr<DeviceEvent> record() = 0;
    /// What comes after this begins when the event is reached.
    virtual void after(const DeviceEvent &event) = 0;
    void finish();
    /// Where kernels leave the first that they find wrong (device_findings.h), for the next call that waits.
    void *findings();
    /// A kernel was given that may leave something there.
    void mayFind() { m_finders.fetch_add(1, std::memory_order_release); }
    /// Keeps what is given from now on instead of doing it. False: it does no such thing.
    virtual bool beginCapture() { return false; }
    /// Null: what was given cannot be kept.
    virtual std::shared_ptr<DeviceGraph> endCapture() { return nullptr; }
    virtual void launchGraph(const std::shared_ptr<DeviceGraph> &) {}
    /// For tools that watch the process from outside: what is given from here on, up to its end, has this name.
    virtual void beginRange(const std::string &) {}
    virtual void endRange() {}

protected:
    /// A few bytes that come with others, and cost no wait of their own; none: no bytes.
    struct Beside {
        static constexpr std::size_t kMost = 64;
        void *to = nullptr;
        const void *from = nullptr;
        std::size_t bytes = 0;
    };
    /// What copyOut() and finish() do.
    virtual void fetch(void *to, const void *from, std::size_t bytes, const Beside &beside) = 0;
    virtual void wait() = 0;

private:
    friend class Device;
    /// Fetches, or waits where there is nothing to fetch from, and says what kernels found.
    void hear(void *to, const void *from, std::size_t bytes);

    Device *m_device = nullptr; ///< of the one that functions work on
    std::once_flag m_isOpen;
    StorageRef m_findings;
    std::atomic<std::uint64_t> m_finders{0}, m_heard{0}; ///< of those that may find, how many were asked for
};

class Device {
public:
    virtual ~Device() = default;
    virtual const DeviceInfo &info() const = 0;
    /// Memory that the stream's work may use from here on, and until the last reference is gone.
    virtual StorageRef allocate(std::size_t bytes, DeviceStream &stream) = 0;
    virtual std::unique_ptr<DeviceStream> openStream() = 0;
    /// Throws DeviceError with what the compiler said.
    virtual std::shared_ptr<BuiltKernel> build(const KernelSource &source) = 0;
    /// Kernels of a script's own text; `options`: words for the compiler. Throws DeviceError with what that said.
    virtual std::shared_ptr<DeviceProgram> buildProgram(const KernelSource &source, const std::vector<std::string> &options);
    /// By the device's clock, in nanoseconds.
    virtual std::uint64_t now() const = 0;
    /// Keeps activities from now on, or no more.
    virtual void watch(bool on) = 0;
    /// Those that are over, and were not given before.
    virtual std::vector<DeviceActivity> drain() = 0;
    /// Why it does not tell what it does; empty: it does.
    virtual std::string watchProblem() const { return {}; }
    /// How many activities were lost since somebody asked.
    virtual std::uint64_t lostActivities() { return 0; }
    virtual std::size_t liveBytes() const = 0;
    /// Why it has no library of convolutions; empty: it has one. The library is opened to tell.
    virtual std::string whyNoConvolutions() { return "it has no library of convolutions"; }
    /// Versions of that library as it numbers them: what it was built against, and what is there. 0: there is none.
    struct LibraryVersions {
        std::size_t built = 0, opened = 0;
    };
    virtual LibraryVersions convolutionVersions() { return {}; }

    /// All work that anybody gave the device, also behind our back, is over.
    virtual void waitForOthers() { stream().finish(); }
    /// Words for the compiler of kernels that are built from now on. Gives those that it does not take, each with the reason.
    std::vector<std::string> compileWith(const std::vector<std::string> &words);
    /// Counts how often they were set.
    unsigned compileSettings() const { return m_compileSettings; }

    DeviceId id() const { return m_id; }
    /// The one that functions work on, opened by its first use.
    DeviceStream &stream();

protected:
    virtual std::vector<std::string> takeWords(const std::vector<std::string> &words);

private:
    friend DeviceId addDevice(std::unique_ptr<Device> device);
    std::atomic<unsigned> m_compileSettings{0};
    DeviceId m_id = DeviceId::Host;
    std::once_flag m_opened;
    std::unique_ptr<DeviceStream> m_stream;
};

/// Where functions run that are compiled from now on.
DeviceId chosenDevice();
void chooseDevice(DeviceId device);

/// The host, then the others in the order in which they were found. A device stays until the process ends.
std::vector<Device *> devices();
Device &deviceOf(DeviceId id);
/// By its name, null if there is none.
Device *findDevice(std::string_view name);
DeviceId addDevice(std::unique_ptr<Device> device);

/// Fresh memory of a device; contents are undefined.
StorageRef allocateOn(DeviceId device, std::size_t bytes);
Tensor emptyOn(DeviceId device, DType dtype, const Dims &shape);
/// A copy of an array of the host there, and back.
Tensor onDevice(const Tensor &tensor, DeviceId device);
Tensor onHost(const Tensor &tensor);
/// A C-contiguous copy on the same device, which is `device`: the window of an argument has no storage that would tell.
Tensor copyOf(const Tensor &tensor, DeviceId device);

} // namespace engine
