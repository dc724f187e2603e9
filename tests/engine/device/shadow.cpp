#include "tests/engine/device/shadow.h"

#include "tests/cuda_sim/naive_convolution.h"

#include "engine/device/cpu/host_work.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace shadow {

using namespace engine;

namespace {

constexpr std::size_t kGuard = 64; // bytes before and behind each array
constexpr unsigned char kGuardByte = 0xA5, kFreeByte = 0xDD;

std::size_t room(std::size_t bytes) { return (bytes + 63) / 64 * 64 + 2 * kGuard; }

} // namespace

class ShadowStorage final : public Storage {
public:
    ShadowStorage(void *address, std::size_t bytes, Shadow &device, DeviceStream &stream, std::size_t offset)
        : Storage(address, bytes, Memory::Ours, device.id()), m_device(device), m_stream(stream), m_offset(offset)
    {}

protected:
    void dispose() override;

private:
    Shadow &m_device;
    DeviceStream &m_stream;
    std::size_t m_offset;
};

class ShadowEvent final : public DeviceEvent {
public:
    explicit ShadowEvent(std::shared_ptr<std::atomic<bool>> reached) : m_reached(std::move(reached)) {}
    bool isReached() const override { return *m_reached; }
    const std::shared_ptr<std::atomic<bool>> &flag() const { return m_reached; }

private:
    std::shared_ptr<std::atomic<bool>> m_reached;
};

class ShadowStream final : public DeviceStream {
public:
    explicit ShadowStream(Shadow &device) : m_device(device), m_thread([this] { work(); }) {}
    ~ShadowStream() override
    {
        {
            std::lock_guard lock(m_mutex);
            m_leaving = true;
        }
        m_changed.notify_all();
        m_thread.join();
    }

    void copyIn(void *to, const void *from, std::size_t bytes) override
    {
        const auto *const first = static_cast<const char *>(from);
        push(DeviceActivity::Kind::CopyIn, bytes, [this, to, staged = std::vector<char>(first, first + bytes)] {
            std::memcpy(m_device.own(to, staged.size()), staged.data(), staged.size());
        });
        ++m_device.m_copies;
    }
    void copyWithin(void *to, const void *from, std::size_t bytes) override
    {
        push(DeviceActivity::Kind::CopyWithin, bytes,
             [this, to, from, bytes] { std::memmove(m_device.own(to, bytes), m_device.own(from, bytes), bytes); });
    }
    void launch(const std::shared_ptr<BuiltKernel> &kernel, LaunchShape, std::span<const KernelArgument> arguments) override
    {
        push(DeviceActivity::Kind::Kernel, 0,
             [this, kernel, own = std::vector<KernelArgument>(arguments.begin(), arguments.end())]() mutable {
                 if (m_device.m_launchesToFault > 0 && --m_device.m_launchesToFault == 0)
                     throw DeviceError(m_device.info().name + ": the kernel read where nothing is", 0);
                 for (KernelArgument &argument : own)
                     if (argument.kind == KernelArgument::Kind::Address) argument.address = m_device.ownStart(argument.address);
                 runHostKernel(*kernel, own);
             });
    }
    void multiply(const MatrixProduct &product) override
    {
        push(DeviceActivity::Kind::Product, 0, [this, own = product]() mutable {
            for (MatrixProduct::Matrix *matrix : {&own.a, &own.b, &own.c}) matrix->address = m_device.ownStart(matrix->address);
            multiplyOnHost(own);
        });
    }
    void convolve(const DeviceConvolution &one) override
    {
        push(DeviceActivity::Kind::Product, 0, [this, one] {
            cuda_sim::NaiveConvolution naive{one.flip,   one.images, one.channels, one.filters, one.groups,  one.in,
                                             one.kernel, one.out,    one.border,   one.stride,  one.dilation};
            const auto run = [&]<class T>(T) {
                T *const arrays[] = {reinterpret_cast<T *>(m_device.ownStart(one.result)),
                                     reinterpret_cast<T *>(m_device.ownStart(one.kernels)),
                                     reinterpret_cast<T *>(m_device.ownStart(one.image))};
                const auto elements = [](const auto &axes, std::int64_t count) { return count * axes[0] * axes[1] * axes[2]; };
                const std::int64_t sizes[] = {elements(one.out, one.images * one.filters),
                                              elements(one.kernel, one.filters * one.channels / one.groups),
                                              elements(one.in, one.images * one.channels)};
                const auto pass = static_cast<std::size_t>(one.pass);
                std::fill_n(arrays[pass], sizes[pass], T(0));
                cuda_sim::convolveNaively<T>(naive, static_cast<int>(pass), arrays[2], arrays[1], arrays[0]);
            };
            if (one.dtype == DType::Float64) run(double());
            else run(float());
        });
    }
    std::unique_ptr<DeviceEvent> record() override
    {
        auto reached = std::make_shared<std::atomic<bool>>(false);
        enqueue([reached] {
            *reached = true;
            reached->notify_all();
        });
        return std::make_unique<ShadowEvent>(reached);
    }
    void after(const DeviceEvent &event) override
    {
        enqueue([reached = static_cast<const ShadowEvent &>(event).flag()] { reached->wait(false); });
    }
    /// Also after a fault, which ends all other work before it is heard of.
    void enqueue(std::function<void()> task, bool always = true)
    {
        {
            std::lock_guard lock(m_mutex);
            m_queue.push_back({std::move(task), always});
        }
        m_changed.notify_all();
    }

private:
    void fetch(void *to, const void *from, std::size_t bytes, const Beside &beside) override
    {
        const auto copy = [this](void *target, const void *source, std::size_t count) {
            push(DeviceActivity::Kind::CopyOut, count,
                 [this, target, source, count] { std::memcpy(target, m_device.own(source, count), count); });
            ++m_device.m_copies;
        };
        if (beside.bytes) copy(beside.to, beside.from, beside.bytes);
        copy(to, from, bytes);
        wait();
    }
    void wait() override
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_queue.empty() && !m_busy; });
        if (!m_error) return;
        const std::exception_ptr error = std::exchange(m_error, nullptr);
        std::rethrow_exception(error);
    }

    struct Task {
        std::function<void()> run;
        bool always;
    };

    void push(DeviceActivity::Kind kind, std::size_t bytes, std::function<void()> task)
    {
        enqueue(
            [this, kind, bytes, tag = DeviceStream::tag(), task = std::move(task)] {
                DeviceActivity activity{kind, tag, m_device.now(), 0, bytes};
                try {
                    task();
                } catch (const DeviceError &error) {
                    throw DeviceError(error.what(), tag);
                }
                activity.end = m_device.now();
                if (!m_device.m_watched) return;
                std::lock_guard lock(m_device.m_mutex);
                m_device.m_activities.push_back(activity);
            },
            false);
    }

    void work()
    {
        std::unique_lock lock(m_mutex);
        while (true) {
            m_changed.wait(lock, [&] { return m_leaving || !m_queue.empty(); });
            if (m_queue.empty()) return;
            const Task task = std::move(m_queue.front());
            m_queue.pop_front();
            m_busy = true;
            const bool runs = task.always || !m_error;
            lock.unlock();
            if (m_device.m_delays) {
                std::unique_lock device(m_device.m_mutex);
                const auto pause = std::chrono::microseconds(m_device.m_random() % 300);
                device.unlock();
                std::this_thread::sleep_for(pause);
            }
            std::exception_ptr error;
            try {
                if (runs) task.run();
            } catch (...) {
                error = std::current_exception();
            }
            lock.lock();
            if (error && !m_error) m_error = error;
            m_busy = false;
            m_changed.notify_all();
        }
    }

    Shadow &m_device;
    std::mutex m_mutex; // guards what follows
    std::condition_variable m_changed;
    std::deque<Task> m_queue;
    std::exception_ptr m_error;
    bool m_busy = false, m_leaving = false;
    std::thread m_thread;
};

void ShadowStorage::dispose()
{
    // Work that was given before may still use it.
    static_cast<ShadowStream &>(m_stream).enqueue([device = &m_device, offset = m_offset] { device->free(offset); });
    delete this;
}

Shadow::Shadow(std::string name, std::size_t bytes) : m_size(bytes)
{
    m_info.name = std::move(name);
    m_info.hardware = "the processor, late";
    m_info.bytes = bytes;
    const int file = memfd_create("shadow", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) throw std::bad_alloc();
    m_addresses = static_cast<char *>(mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0));
    m_memory = static_cast<char *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
    if (m_addresses == MAP_FAILED || m_memory == MAP_FAILED) throw std::bad_alloc();
    std::memset(m_memory, kFreeByte, bytes);
}

Shadow::~Shadow()
{
    munmap(m_addresses, m_size);
    munmap(m_memory, m_size);
}

std::unique_ptr<DeviceStream> Shadow::openStream() { return std::make_unique<ShadowStream>(*this); }

std::shared_ptr<BuiltKernel> Shadow::build(const KernelSource &source) { return buildHostKernel(source, m_info.name); }

std::uint64_t Shadow::now() const { return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()); }

StorageRef Shadow::allocate(std::size_t bytes, DeviceStream &stream)
{
    std::lock_guard lock(m_mutex);
    std::size_t at = 0;
    for (const auto &[offset, live] : m_live) {
        if (offset - kGuard - at >= room(bytes)) break;
        at = offset - kGuard + room(live);
    }
    const bool faults = m_allocationsToFault > 0 && --m_allocationsToFault == 0;
    if (faults || at + room(bytes) > m_size) {
        std::size_t taken = 0;
        for (const auto &[offset, live] : m_live) taken += live;
        throw OutOfDeviceMemory(m_info.name + " has no room for " + std::to_string(bytes) + " bytes: " + std::to_string(taken) + " of " +
                                    std::to_string(m_size) + " are taken by " + std::to_string(m_live.size()) + " arrays",
                                0);
    }
    const std::size_t offset = at + kGuard;
    const char *const written =
        std::find_if_not(m_memory + at, m_memory + at + room(bytes), [](char c) { return static_cast<unsigned char>(c) == kFreeByte; });
    if (written != m_memory + at + room(bytes)) m_faults += "free memory was written; ";
    std::memset(m_memory + at, kGuardByte, room(bytes));
    std::memset(m_memory + offset, 0xCD, bytes);
    m_live.emplace(offset, bytes);
    return StorageRef(new ShadowStorage(m_addresses + offset, bytes, *this, stream, offset));
}

void Shadow::free(std::size_t offset)
{
    std::lock_guard lock(m_mutex);
    const std::size_t bytes = m_live.at(offset);
    const auto isGuard = [](char c) { return static_cast<unsigned char>(c) == kGuardByte; };
    const char *const begin = m_memory + offset - kGuard, *const end = begin + room(bytes);
    if (!std::all_of(begin, begin + kGuard, isGuard)) m_faults += "written before the beginning of an array; ";
    if (!std::all_of(begin + kGuard + bytes, end, isGuard)) m_faults += "written past the end of an array; ";
    std::memset(m_memory + offset - kGuard, kFreeByte, room(bytes));
    m_live.erase(offset);
}

char *Shadow::ownStart(const void *address) { return own(address, 0); }

char *Shadow::own(const void *address, std::size_t bytes)
{
    const auto offset = static_cast<std::size_t>(static_cast<const char *>(address) - m_addresses);
    std::lock_guard lock(m_mutex);
    auto next = m_live.upper_bound(offset);
    if (offset >= m_size || next == m_live.begin()) throw DeviceError(m_info.name + ": an address that is not its own", 0);
    const auto &[first, size] = *std::prev(next);
    if (offset + bytes > first + size) throw DeviceError(m_info.name + ": bytes that are nobody's", 0);
    return m_memory + offset;
}

std::vector<DeviceActivity> Shadow::drain()
{
    std::lock_guard lock(m_mutex);
    return std::exchange(m_activities, {});
}

std::size_t Shadow::liveBytes() const
{
    std::lock_guard lock(m_mutex);
    std::size_t sum = 0;
    for (const auto &[offset, bytes] : m_live) sum += bytes;
    return sum;
}

std::string Shadow::faults()
{
    stream().finish();
    std::lock_guard lock(m_mutex);
    return m_faults;
}

Shadow &device()
{
    static Shadow &one = []() -> Shadow & {
        auto made = std::make_unique<Shadow>("shadow0");
        Shadow &result = *made;
        addDevice(std::move(made));
        return result;
    }();
    return one;
}

} // namespace shadow
