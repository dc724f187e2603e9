#include "engine/device/opencl/api.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <unistd.h>

namespace engine {

// Sizes: Debian 12 with everything that PoCL depends on; less where LLVM is installed already.
const char *const kHowToGetOpenClDevice =
    "For a graphics card, install its driver. To run OpenCL on the processor, install PoCL (about 110 MB to download, 590 MB on disk): "
    "sudo apt-get install pocl-opencl-icd";

namespace {

OpenClApi load()
{
    OpenClApi api;
    // PoCL ends the process where it is told to keep its kernels nowhere.
    if (const char *cache = std::getenv("POCL_CACHE_DIR"); cache && !*cache) unsetenv("POCL_CACHE_DIR");
    // … and where it cannot ask the system for its processors, as in a root without /sys.
    if (access("/sys/devices/system/cpu", R_OK) != 0) {
        api.problem = "OpenCL is not asked for devices: drivers end a program that runs where /sys is not mounted";
        return api;
    }
    void *const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        api.problem = "the OpenCL loader libOpenCL.so.1 is not installed. ";
        api.problem += kHowToGetOpenClDevice;
        return api;
    }
#define CROTON_LOAD(name)                                                                                                                  \
    api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, #name));                                                                \
    if (!api.name) api.problem = "OpenCL's loader has no " #name ": it is older than OpenCL 1.2";
    CROTON_OPENCL_FUNCTIONS(CROTON_LOAD)
#undef CROTON_LOAD
    return api;
}

} // namespace

const OpenClApi &openCl()
{
    static const OpenClApi *const api = new OpenClApi(load());
    return *api;
}

std::string openClError(cl_int error)
{
    static const std::map<cl_int, const char *> names{
        {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
        {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
        {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
        {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
        {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
        {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
        {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
        {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
        {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
        {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
        {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
        {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
    const auto found = names.find(error);
    return found == names.end() ? "OpenCL error " + std::to_string(error) : found->second;
}

} // namespace engine
