#include "engine/device/opencl/opencl_offers.h"

#include "engine/device/opencl/opencl_device.h"

#include <array>
#include <charconv>

namespace engine {
namespace {

constexpr std::size_t kMost = 16;

std::vector<cl_platform_id> platforms()
{
    std::array<cl_platform_id, kMost> all{};
    cl_uint count = 0;
    if (!openCl().problem.empty() || openCl().clGetPlatformIDs(kMost, all.data(), &count) != CL_SUCCESS) return {};
    return {all.begin(), all.begin() + std::min<std::size_t>(count, kMost)};
}

std::vector<cl_device_id> devicesOf(cl_platform_id platform)
{
    std::array<cl_device_id, kMost> all{};
    cl_uint count = 0;
    if (openCl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, kMost, all.data(), &count) != CL_SUCCESS) return {};
    return {all.begin(), all.begin() + std::min<std::size_t>(count, kMost)};
}

std::string nameOf(cl_platform_id platform)
{
    std::array<char, 256> text{};
    openCl().clGetPlatformInfo(platform, CL_PLATFORM_NAME, text.size() - 1, text.data(), nullptr);
    return text.data();
}

// "opencl1:0" is the first device of the second platform.
std::unique_ptr<Device> open(const std::string &name)
{
    std::size_t platform = 0, device = 0;
    const char *const end = name.data() + name.size();
    const auto colon = std::from_chars(name.data() + 6, end, platform);
    std::from_chars(colon.ptr + 1, end, device);
    const std::vector<cl_platform_id> all = platforms();
    return std::make_unique<OpenClDevice>(name, all.at(platform), devicesOf(all.at(platform)).at(device));
}

DeviceOffer offerOf(std::string name, cl_platform_id platform, cl_device_id device)
{
    DeviceOffer offer;
    offer.name = std::move(name);
    offer.hardware = openClText(device, CL_DEVICE_NAME) + " (" + nameOf(platform) + ")";
    cl_ulong bytes = 0;
    cl_bool isAvailable = CL_FALSE, hasCompiler = CL_FALSE;
    cl_device_type type = 0;
    openCl().clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    openCl().clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof isAvailable, &isAvailable, nullptr);
    openCl().clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof hasCompiler, &hasCompiler, nullptr);
    openCl().clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    offer.bytes = bytes;
    offer.rank = type & CL_DEVICE_TYPE_GPU ? 2 : 1;
    if (!isAvailable) offer.reason = offer.hardware + " is not available";
    else if (!hasCompiler) offer.reason = "the driver of " + offer.hardware + " has no compiler";
    else offer.open = open;
    return offer;
}

} // namespace

std::vector<DeviceOffer> openClOffers()
{
    const auto nothing = [](std::string reason) {
        std::vector<DeviceOffer> none(1);
        none[0].name = "opencl";
        none[0].reason = std::move(reason);
        return none;
    };
    if (!openCl().problem.empty()) return nothing(openCl().problem);
    std::vector<DeviceOffer> offers;
    const std::vector<cl_platform_id> all = platforms();
    for (std::size_t p = 0; p < all.size(); ++p) {
        const std::vector<cl_device_id> devices = devicesOf(all[p]);
        for (std::size_t d = 0; d < devices.size(); ++d)
            offers.push_back(offerOf("opencl" + std::to_string(p) + ":" + std::to_string(d), all[p], devices[d]));
    }
    if (all.empty()) return nothing(std::string("no OpenCL driver is installed. ") + kHowToGetOpenClDevice);
    if (offers.empty()) return nothing("the OpenCL platform " + nameOf(all[0]) + " has no device. " + kHowToGetOpenClDevice);
    return offers;
}

} // namespace engine
