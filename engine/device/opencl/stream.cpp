#include "engine/device/opencl/stream.h"

#include "engine/device/cpu/host_work.h"
#include "engine/device/opencl/opencl_device.h"
#include "engine/device/opencl/products.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace engine {
namespace {

constexpr std::size_t kStaged = 256 * 1024; // bytes that are copied twice rather than waited for
constexpr std::size_t kMostPending = 256;

class OpenClEvent final : public DeviceEvent {
public:
    explicit OpenClEvent(cl_event event) : m_event(event) {}
    ~OpenClEvent() override { openCl().clReleaseEvent(m_event); }
    bool isReached() const override
    {
        cl_int status = CL_QUEUED;
        openCl().clGetEventInfo(m_event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        return status <= CL_COMPLETE;
    }
    cl_event handle() const { return m_event; }

private:
    cl_event m_event;
};

} // namespace

OpenClStream::OpenClStream(OpenClDevice &device) : m_device(device)
{
    cl_int error = CL_SUCCESS;
    m_queue = openCl().clCreateCommandQueue(device.target().context, device.target().device, CL_QUEUE_PROFILING_ENABLE, &error);
    if (!m_queue) throw DeviceError(device.info().name + " opens no queue: " + openClError(error), 0);
}

OpenClStream::~OpenClStream()
{
    openCl().clFinish(m_queue);
    collect();
    m_device.closed(*this);
    openCl().clReleaseCommandQueue(m_queue);
}

void OpenClStream::enqueued(DeviceActivity::Kind kind, std::size_t bytes, cl_int error, cl_event event, const std::string &what,
                            std::unique_ptr<char[]> staged)
{
    if (error != CL_SUCCESS) {
        if (!m_error) m_error.emplace(m_device.info().name + " could not " + what + ": " + openClError(error), tag());
        return;
    }
    m_pending.push_back({{kind, tag(), 0, 0, bytes}, event, std::move(staged)});
    if (m_pending.size() > kMostPending) {
        openCl().clFlush(m_queue);
        retire();
    }
}

void OpenClStream::copyIn(void *to, const void *from, std::size_t bytes)
{
    const OpenClMemory::Place place = m_device.memory().find(to);
    std::unique_ptr<char[]> staged;
    if (bytes <= kStaged) {
        staged = std::make_unique_for_overwrite<char[]>(bytes);
        std::memcpy(staged.get(), from, bytes);
        from = staged.get();
    }
    std::lock_guard lock(m_mutex);
    cl_event event = nullptr;
    const cl_int error =
        openCl().clEnqueueWriteBuffer(m_queue, place.buffer, staged ? CL_FALSE : CL_TRUE, place.offset, bytes, from, 0, nullptr, &event);
    enqueued(DeviceActivity::Kind::CopyIn, bytes, error, event, "copy " + std::to_string(bytes) + " bytes to the device",
             std::move(staged));
}

void OpenClStream::fetch(void *to, const void *from, std::size_t bytes, const Beside &beside)
{
    const auto read = [this](void *target, const void *source, std::size_t count, cl_bool waits) {
        const OpenClMemory::Place place = m_device.memory().find(source);
        cl_event event = nullptr;
        const cl_int error = openCl().clEnqueueReadBuffer(m_queue, place.buffer, waits, place.offset, count, target, 0, nullptr, &event);
        enqueued(DeviceActivity::Kind::CopyOut, count, error, event, "copy " + std::to_string(count) + " bytes from the device");
    };
    {
        std::lock_guard lock(m_mutex);
        if (beside.bytes) read(beside.to, beside.from, beside.bytes, CL_FALSE);
        read(to, from, bytes, CL_TRUE);
    }
    tell();
}

void OpenClStream::copyWithin(void *to, const void *from, std::size_t bytes)
{
    if (bytes == 0) return;
    const OpenClMemory::Place target = m_device.memory().find(to), source = m_device.memory().find(from);
    std::lock_guard lock(m_mutex);
    cl_event event = nullptr;
    const cl_int error =
        openCl().clEnqueueCopyBuffer(m_queue, source.buffer, target.buffer, source.offset, target.offset, bytes, 0, nullptr, &event);
    enqueued(DeviceActivity::Kind::CopyWithin, bytes, error, event, "copy " + std::to_string(bytes) + " bytes on the device");
}

void OpenClStream::launch(const std::shared_ptr<BuiltKernel> &kernel, LaunchShape shape, std::span<const KernelArgument> arguments)
{
    launchAs(DeviceActivity::Kind::Kernel, kernel, shape, arguments);
}

void OpenClStream::launchAs(DeviceActivity::Kind kind, const std::shared_ptr<BuiltKernel> &kernel, LaunchShape shape,
                            std::span<const KernelArgument> arguments)
{
    const auto &own = static_cast<const OpenClKernel &>(*kernel);
    std::lock_guard lock(m_mutex);
    cl_uint index = 0;
    cl_int error = CL_SUCCESS;
    const auto pass = [&](std::size_t size, const void *value) {
        const cl_int result = openCl().clSetKernelArg(own.handle(), index++, size, value);
        if (error == CL_SUCCESS) error = result;
    };
    for (const KernelArgument &argument : arguments) switch (argument.kind) {
        case KernelArgument::Kind::Address: {
            const OpenClMemory::Place place = m_device.memory().find(argument.address);
            const auto offset = static_cast<cl_long>(place.offset);
            pass(sizeof place.buffer, &place.buffer);
            pass(sizeof offset, &offset);
            break;
        }
        case KernelArgument::Kind::Integer: pass(sizeof argument.integer, &argument.integer); break;
        case KernelArgument::Kind::Real: pass(sizeof argument.real, &argument.real); break;
        }
    cl_event event = nullptr;
    const std::size_t items = std::size_t(shape.groups) * shape.items, group = shape.items;
    if (error == CL_SUCCESS) error = openCl().clEnqueueNDRangeKernel(m_queue, own.handle(), 1, nullptr, &items, &group, 0, nullptr, &event);
    enqueued(kind, 0, error, event, error == CL_SUCCESS ? std::string() : "launch the kernel " + own.name());
    openCl().clFlush(m_queue);
}

// A kernel takes an address as a buffer: one that begins within another is a buffer of its own.
void OpenClStream::launchProgram(const std::shared_ptr<BuiltKernel> &kernel, const ProgramLaunch &launch)
{
    const auto &own = static_cast<const OpenClKernel &>(*kernel);
    const auto refuse = [&](const std::string &why) { return DeviceError("the kernel " + own.name() + " " + why, 0); };
    cl_uint wanted = 0;
    openCl().clGetKernelInfo(own.handle(), CL_KERNEL_NUM_ARGS, sizeof wanted, &wanted, nullptr);
    if (wanted != launch.arguments.size())
        throw refuse("takes " + std::to_string(wanted) + " arguments, and " + std::to_string(launch.arguments.size()) + " were given");
    struct Pieces {
        std::vector<cl_mem> buffers;
        ~Pieces() // a launch that was given keeps them
        {
            for (cl_mem buffer : buffers) openCl().clReleaseMemObject(buffer);
        }
    } pieces;
    std::lock_guard lock(m_mutex);
    for (cl_uint i = 0; i < wanted; ++i) {
        const ProgramArgument &argument = launch.arguments[i];
        cl_int error = CL_SUCCESS;
        if (argument.kind == ProgramArgument::Kind::Local) {
            error = openCl().clSetKernelArg(own.handle(), i, argument.room, nullptr);
        } else if (argument.kind == ProgramArgument::Kind::Bytes) {
            error = openCl().clSetKernelArg(own.handle(), i, argument.bytes.size(), argument.bytes.data());
        } else {
            cl_mem buffer = nullptr;
            if (argument.address) {
                const OpenClMemory::Place place = m_device.memory().find(argument.address);
                buffer = place.buffer;
                const cl_buffer_region region{place.offset, place.room - place.offset};
                if (place.offset) {
                    buffer = openCl().clCreateSubBuffer(place.buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
                    if (!buffer)
                        throw refuse("cannot take argument " + std::to_string(i) + ", which begins " + std::to_string(place.offset) +
                                     " bytes behind the beginning of its buffer (" + openClError(error) + "): copy it into one of its own");
                    pieces.buffers.push_back(buffer);
                }
            }
            error = openCl().clSetKernelArg(own.handle(), i, sizeof buffer, &buffer);
        }
        if (error != CL_SUCCESS)
            throw refuse("refuses argument " + std::to_string(i) + " (" + openClError(error) +
                         "): numpy.int32(…), numpy.float32(…) and the like say what a number is");
    }
    const bool hasGroups = launch.items[0] > 0;
    std::size_t items[3], group[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        group[axis] = launch.items[axis];
        items[axis] = hasGroups ? std::size_t(launch.groups[axis]) * launch.items[axis] : launch.groups[axis];
    }
    cl_event event = nullptr;
    const cl_int error =
        openCl().clEnqueueNDRangeKernel(m_queue, own.handle(), 3, nullptr, items, hasGroups ? group : nullptr, 0, nullptr, &event);
    if (error != CL_SUCCESS)
        throw DeviceError(m_device.info().name + " could not launch the kernel " + own.name() + ": " + openClError(error), tag());
    enqueued(DeviceActivity::Kind::Kernel, 0, error, event, {});
    openCl().clFlush(m_queue);
}

void OpenClStream::multiply(const MatrixProduct &product)
{
    if (product.m == 0 || product.n == 0 || product.count == 0) return;
    if (m_device.hasHostProducts() && !m_device.products().isQuickOnProcessor(product)) multiplyByHost(product);
    else multiplyByKernel(product);
}

// Waits for the work before. Platforms do not keep the order of functions of the host that are enqueued.
void OpenClStream::multiplyByHost(MatrixProduct product)
{
    std::lock_guard lock(m_mutex);
    std::vector<std::pair<cl_mem, char *>> mapped;
    cl_int error = CL_SUCCESS;
    for (MatrixProduct::Matrix *matrix : {&product.a, &product.b, &product.c}) {
        const OpenClMemory::Place place = m_device.memory().find(matrix->address);
        auto known = std::find_if(mapped.begin(), mapped.end(), [&](const auto &one) { return one.first == place.buffer; });
        if (known == mapped.end()) {
            void *const data = openCl().clEnqueueMapBuffer(m_queue, place.buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, place.room, 0,
                                                           nullptr, nullptr, &error);
            if (!data) break;
            known = mapped.insert(mapped.end(), {place.buffer, static_cast<char *>(data)});
        }
        matrix->address = known->second + place.offset;
    }
    if (error == CL_SUCCESS) {
        const bool isWatched = m_device.isWatched();
        DeviceActivity activity{DeviceActivity::Kind::Product, tag(), isWatched ? m_device.now() : 0, 0, 0};
        multiplyOnHost(product);
        if (isWatched) {
            activity.end = m_device.now();
            m_device.note(activity);
        }
    } else if (!m_error) {
        m_error.emplace(m_device.info().name + " could not multiply matrices: " + openClError(error), tag());
    }
    for (const auto &[buffer, data] : mapped) openCl().clEnqueueUnmapMemObject(m_queue, buffer, data, 0, nullptr, nullptr);
    openCl().clFlush(m_queue);
}

void OpenClStream::multiplyByKernel(const MatrixProduct &product)
{
    const auto kernel = m_device.products().kernelFor(product);
    std::vector<KernelArgument> arguments;
    const LaunchShape shape = m_device.products().launchOf(product, arguments);
    launchAs(DeviceActivity::Kind::Product, kernel, shape, arguments);
}

std::unique_ptr<DeviceEvent> OpenClStream::record()
{
    std::lock_guard lock(m_mutex);
    cl_event event = nullptr;
    const cl_int error = openCl().clEnqueueMarkerWithWaitList(m_queue, 0, nullptr, &event);
    if (error != CL_SUCCESS) throw DeviceError(m_device.info().name + " records no event: " + openClError(error), tag());
    openCl().clFlush(m_queue);
    return std::make_unique<OpenClEvent>(event);
}

void OpenClStream::after(const DeviceEvent &event)
{
    std::lock_guard lock(m_mutex);
    const cl_event handle = static_cast<const OpenClEvent &>(event).handle();
    const cl_int error = openCl().clEnqueueBarrierWithWaitList(m_queue, 1, &handle, nullptr);
    if (error != CL_SUCCESS) throw DeviceError(m_device.info().name + " waits for no event: " + openClError(error), tag());
}

void OpenClStream::wait()
{
    const cl_int error = openCl().clFinish(m_queue);
    if (error != CL_SUCCESS) {
        std::lock_guard lock(m_mutex);
        if (!m_error) m_error.emplace(m_device.info().name + " failed: " + openClError(error), tag());
    }
    tell();
}

void OpenClStream::tell()
{
    std::lock_guard lock(m_mutex);
    retire();
    if (!m_error) return;
    const DeviceError error = *m_error;
    m_error.reset();
    throw error;
}

// Those that are over: their times to the device, their failures to whoever waits next.
void OpenClStream::retire()
{
    while (!m_pending.empty()) {
        Pending &first = m_pending.front();
        cl_int status = CL_QUEUED;
        openCl().clGetEventInfo(first.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        if (status > CL_COMPLETE) return;
        if (status < 0 && !m_error) m_error.emplace(m_device.info().name + " failed: " + openClError(status), first.activity.tag);
        if (m_device.isWatched()) {
            cl_ulong begin = 0, end = 0;
            openCl().clGetEventProfilingInfo(first.event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr);
            openCl().clGetEventProfilingInfo(first.event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
            first.activity.begin = begin;
            first.activity.end = end;
            m_device.note(first.activity);
        }
        openCl().clReleaseEvent(first.event);
        m_pending.pop_front();
    }
}

void OpenClStream::collect()
{
    std::lock_guard lock(m_mutex);
    retire();
}

} // namespace engine
