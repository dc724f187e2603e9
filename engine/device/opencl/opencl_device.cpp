#include "engine/device/opencl/opencl_device.h"

#include "engine/device/opencl/products.h"
#include "engine/device/opencl/stream.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace engine {
namespace {

template <class T>
T fact(cl_device_id device, cl_device_info what)
{
    T value{};
    openCl().clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
    return value;
}

// A processor can be worked with as a card is: for tests.
bool countsAsCard()
{
    const char *const as = std::getenv("CROTON_OPENCL_AS");
    return as && std::strcmp(as, "card") == 0;
}

} // namespace

std::string openClText(cl_device_id device, cl_device_info what)
{
    std::size_t size = 0;
    if (openCl().clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string text(size, ' ');
    openCl().clGetDeviceInfo(device, what, size, text.data(), nullptr);
    while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
    return text;
}

OpenClDevice::OpenClDevice(std::string name, cl_platform_id platform, cl_device_id device)
{
    m_info.name = std::move(name);
    m_info.hardware = openClText(device, CL_DEVICE_NAME);
    const bool isProcessor = fact<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU && !countsAsCard();
    m_info.dialect = isProcessor ? Dialect::OpenClStrips : Dialect::OpenClC;
    m_info.bytes = fact<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    const bool hasDoubles = fact<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    m_info.capabilities = {{"float64", hasDoubles, hasDoubles ? "" : "it has no double precision (cl_khr_fp64)"}};
    cl_int error = CL_SUCCESS;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform), 0};
    cl_context context = openCl().clCreateContext(properties, 1, &device, nullptr, nullptr, &error);
    if (!context) throw DeviceError(m_info.name + " does not open: " + openClError(error), 0);
    m_target = {context, device, m_info.name,
                m_info.hardware + '\n' + openClText(device, CL_DEVICE_VERSION) + '\n' + openClText(device, CL_DRIVER_VERSION)};
    m_memory = std::make_unique<OpenClMemory>(context, m_info.name, m_info.bytes, fact<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
                                              isProcessor);
    m_products = std::make_unique<OpenClProducts>(m_target, isProcessor);
    m_hasHostProducts = isProcessor;
    m_clock = openCl().clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    if (!m_clock) throw DeviceError(m_info.name + " opens no queue: " + openClError(error), 0);
}

OpenClDevice::~OpenClDevice() { openCl().clReleaseCommandQueue(m_clock); }

std::unique_ptr<DeviceStream> OpenClDevice::openStream()
{
    auto stream = std::make_unique<OpenClStream>(*this);
    std::lock_guard lock(m_mutex);
    m_streams.push_back(stream.get());
    return stream;
}

void OpenClDevice::closed(OpenClStream &stream)
{
    std::lock_guard lock(m_mutex);
    std::erase(m_streams, &stream);
}

// OpenCL 1.2 tells its time only by events.
std::uint64_t OpenClDevice::now() const
{
    cl_event event = nullptr;
    cl_ulong time = 0;
    if (openCl().clEnqueueMarkerWithWaitList(m_clock, 0, nullptr, &event) != CL_SUCCESS) return 0;
    openCl().clWaitForEvents(1, &event);
    openCl().clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr);
    openCl().clReleaseEvent(event);
    return time;
}

void OpenClDevice::watch(bool on)
{
    std::lock_guard lock(m_mutex);
    for (OpenClStream *stream : m_streams) stream->collect(); // what was done before is told as it was asked for then
    m_isWatched = on;
}

std::vector<DeviceActivity> OpenClDevice::drain()
{
    {
        std::lock_guard lock(m_mutex);
        for (OpenClStream *stream : m_streams) stream->collect();
    }
    std::lock_guard lock(m_noting);
    return std::exchange(m_activities, {});
}

void OpenClDevice::note(const DeviceActivity &activity)
{
    std::lock_guard lock(m_noting);
    m_activities.push_back(activity);
}

} // namespace engine
