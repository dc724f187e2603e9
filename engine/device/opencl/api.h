// The functions of OpenCL's loader, found when they are first asked for.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

namespace engine {

#define CROTON_OPENCL_FUNCTIONS(X)                                                                                                         \
    X(clBuildProgram)                                                                                                                      \
    X(clCreateBuffer)                                                                                                                      \
    X(clCreateCommandQueue)                                                                                                                \
    X(clCreateContext)                                                                                                                     \
    X(clCreateKernel)                                                                                                                      \
    X(clCreateProgramWithBinary)                                                                                                           \
    X(clCreateProgramWithSource)                                                                                                           \
    X(clCreateSubBuffer)                                                                                                                   \
    X(clEnqueueBarrierWithWaitList)                                                                                                        \
    X(clEnqueueCopyBuffer)                                                                                                                 \
    X(clEnqueueMarkerWithWaitList)                                                                                                         \
    X(clEnqueueMapBuffer)                                                                                                                  \
    X(clEnqueueNDRangeKernel)                                                                                                              \
    X(clEnqueueReadBuffer)                                                                                                                 \
    X(clEnqueueUnmapMemObject)                                                                                                             \
    X(clEnqueueWriteBuffer)                                                                                                                \
    X(clFinish)                                                                                                                            \
    X(clFlush)                                                                                                                             \
    X(clGetDeviceIDs)                                                                                                                      \
    X(clGetDeviceInfo)                                                                                                                     \
    X(clGetEventInfo)                                                                                                                      \
    X(clGetEventProfilingInfo)                                                                                                             \
    X(clGetKernelInfo)                                                                                                                     \
    X(clGetKernelWorkGroupInfo)                                                                                                            \
    X(clGetPlatformIDs)                                                                                                                    \
    X(clGetPlatformInfo)                                                                                                                   \
    X(clGetProgramBuildInfo)                                                                                                               \
    X(clGetProgramInfo)                                                                                                                    \
    X(clReleaseCommandQueue)                                                                                                               \
    X(clReleaseEvent)                                                                                                                      \
    X(clReleaseKernel)                                                                                                                     \
    X(clReleaseMemObject)                                                                                                                  \
    X(clReleaseProgram)                                                                                                                    \
    X(clRetainEvent)                                                                                                                       \
    X(clRetainProgram)                                                                                                                     \
    X(clSetKernelArg)                                                                                                                      \
    X(clSetMemObjectDestructorCallback)                                                                                                    \
    X(clWaitForEvents)

struct OpenClApi {
#define CROTON_DECLARE(name) decltype(&::name) name = nullptr;
    CROTON_OPENCL_FUNCTIONS(CROTON_DECLARE)
#undef CROTON_DECLARE
    std::string problem; ///< why there is none
};

const OpenClApi &openCl();
/// What to do on a machine without an OpenCL device: the commands, and how much disk they take.
extern const char *const kHowToGetOpenClDevice;
/// "CL_OUT_OF_RESOURCES".
std::string openClError(cl_int error);

} // namespace engine
