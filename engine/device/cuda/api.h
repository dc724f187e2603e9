// CUDA's libraries, opened when they are needed first: one that is missing is a sentence.
#pragma once

#include <cuda_runtime_api.h>
#include <nvrtc.h>
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define CROTON_HAS_CUBLAS
#endif
#if __has_include(<cudnn.h>)
#include <cudnn.h>
#if CUDNN_MAJOR == 9
#define CROTON_HAS_CUDNN
#endif
#endif
#if __has_include(<cupti.h>)
#include <cupti.h>
#if CUPTI_API_VERSION >= 130000
#define CROTON_HAS_CUPTI
#endif
#endif

#include <string>

namespace engine {

#define CROTON_CUDART_FUNCTIONS(X)                                                                                                         \
    X(cudaDeviceGetPCIBusId)                                                                                                               \
    X(cudaDeviceSynchronize)                                                                                                               \
    X(cudaDriverGetVersion)                                                                                                                \
    X(cudaEventCreateWithFlags)                                                                                                            \
    X(cudaEventDestroy)                                                                                                                    \
    X(cudaEventQuery)                                                                                                                      \
    X(cudaEventRecord)                                                                                                                     \
    X(cudaEventSynchronize)                                                                                                                \
    X(cudaFree)                                                                                                                            \
    X(cudaFreeHost)                                                                                                                        \
    X(cudaFuncGetAttributes)                                                                                                               \
    X(cudaFuncGetParamInfo)                                                                                                                \
    X(cudaGetDeviceCount)                                                                                                                  \
    X(cudaGetDeviceProperties)                                                                                                             \
    X(cudaGetErrorName)                                                                                                                    \
    X(cudaGetErrorString)                                                                                                                  \
    X(cudaGetLastError)                                                                                                                    \
    X(cudaGraphDestroy)                                                                                                                    \
    X(cudaGraphExecDestroy)                                                                                                                \
    X(cudaGraphInstantiate)                                                                                                                \
    X(cudaGraphLaunch)                                                                                                                     \
    X(cudaHostAlloc)                                                                                                                       \
    X(cudaLaunchKernel)                                                                                                                    \
    X(cudaLibraryGetGlobal)                                                                                                                \
    X(cudaLibraryGetKernel)                                                                                                                \
    X(cudaLibraryLoadData)                                                                                                                 \
    X(cudaLibraryUnload)                                                                                                                   \
    X(cudaMalloc)                                                                                                                          \
    X(cudaMemGetInfo)                                                                                                                      \
    X(cudaMemcpyAsync)                                                                                                                     \
    X(cudaRuntimeGetVersion)                                                                                                               \
    X(cudaSetDevice)                                                                                                                       \
    X(cudaStreamBeginCapture)                                                                                                              \
    X(cudaStreamCreateWithFlags)                                                                                                           \
    X(cudaStreamDestroy)                                                                                                                   \
    X(cudaStreamEndCapture)                                                                                                                \
    X(cudaStreamQuery)                                                                                                                     \
    X(cudaStreamSynchronize)                                                                                                               \
    X(cudaStreamWaitEvent)

#define CROTON_NVRTC_FUNCTIONS(X)                                                                                                          \
    X(nvrtcCompileProgram)                                                                                                                 \
    X(nvrtcCreateProgram)                                                                                                                  \
    X(nvrtcDestroyProgram)                                                                                                                 \
    X(nvrtcGetCUBIN)                                                                                                                       \
    X(nvrtcGetCUBINSize)                                                                                                                   \
    X(nvrtcGetErrorString)                                                                                                                 \
    X(nvrtcGetNumSupportedArchs)                                                                                                           \
    X(nvrtcGetPTX)                                                                                                                         \
    X(nvrtcGetPTXSize)                                                                                                                     \
    X(nvrtcGetProgramLog)                                                                                                                  \
    X(nvrtcGetProgramLogSize)                                                                                                              \
    X(nvrtcGetSupportedArchs)                                                                                                              \
    X(nvrtcVersion)

#ifdef CROTON_HAS_CUBLAS
#define CROTON_CUBLAS_FUNCTIONS(X)                                                                                                         \
    X(cublasCreate)                                                                                                                        \
    X(cublasDestroy)                                                                                                                       \
    X(cublasDgemm)                                                                                                                         \
    X(cublasDgemmStridedBatched)                                                                                                           \
    X(cublasDgemv)                                                                                                                         \
    X(cublasGetStatusString)                                                                                                               \
    X(cublasSetStream)                                                                                                                     \
    X(cublasSgemm)                                                                                                                         \
    X(cublasSgemmStridedBatched)                                                                                                           \
    X(cublasSgemv)
#else
#define CROTON_CUBLAS_FUNCTIONS(X)
#endif

#ifdef CROTON_HAS_CUDNN
#define CROTON_CUDNN_FUNCTIONS(X)                                                                                                          \
    X(cudnnConvolutionBackwardData)                                                                                                        \
    X(cudnnConvolutionBackwardFilter)                                                                                                      \
    X(cudnnConvolutionForward)                                                                                                             \
    X(cudnnCreate)                                                                                                                         \
    X(cudnnCreateConvolutionDescriptor)                                                                                                    \
    X(cudnnCreateFilterDescriptor)                                                                                                         \
    X(cudnnCreateTensorDescriptor)                                                                                                         \
    X(cudnnDestroy)                                                                                                                        \
    X(cudnnDestroyConvolutionDescriptor)                                                                                                   \
    X(cudnnDestroyFilterDescriptor)                                                                                                        \
    X(cudnnDestroyTensorDescriptor)                                                                                                        \
    X(cudnnGetConvolutionBackwardDataAlgorithm_v7)                                                                                         \
    X(cudnnGetConvolutionBackwardFilterAlgorithm_v7)                                                                                       \
    X(cudnnGetConvolutionForwardAlgorithm_v7)                                                                                              \
    X(cudnnGetErrorString)                                                                                                                 \
    X(cudnnGetVersion)                                                                                                                     \
    X(cudnnSetConvolutionGroupCount)                                                                                                       \
    X(cudnnSetConvolutionMathType)                                                                                                         \
    X(cudnnSetConvolutionNdDescriptor)                                                                                                     \
    X(cudnnSetFilterNdDescriptor)                                                                                                          \
    X(cudnnSetStream)                                                                                                                      \
    X(cudnnSetTensorNdDescriptor)
#else
#define CROTON_CUDNN_FUNCTIONS(X)
#endif

#ifdef CROTON_HAS_CUPTI
#define CROTON_CUPTI_FUNCTIONS(X)                                                                                                          \
    X(cuptiActivityDisable)                                                                                                                \
    X(cuptiActivityEnable)                                                                                                                 \
    X(cuptiActivityFlushAll)                                                                                                               \
    X(cuptiActivityGetNextRecord)                                                                                                          \
    X(cuptiActivityGetNumDroppedRecords)                                                                                                   \
    X(cuptiActivityPopExternalCorrelationId)                                                                                               \
    X(cuptiActivityPushExternalCorrelationId)                                                                                              \
    X(cuptiActivityRegisterCallbacks)                                                                                                      \
    X(cuptiGetResultString)                                                                                                                \
    X(cuptiGetTimestamp)                                                                                                                   \
    X(cuptiGetVersion)
#else
#define CROTON_CUPTI_FUNCTIONS(X)
#endif

// Names are macros in some headers: what they stand for is declared and looked up.
#define CROTON_DECLARE(name) decltype(&::name) name = nullptr;
struct CudaRuntime {
    CROTON_CUDART_FUNCTIONS(CROTON_DECLARE)
    std::string problem;       ///< why there is none
    bool isSimulation = false; ///< as it says itself: there is no card
};
struct Nvrtc {
    CROTON_NVRTC_FUNCTIONS(CROTON_DECLARE)
    std::string problem;
};
struct Cublas {
    CROTON_CUBLAS_FUNCTIONS(CROTON_DECLARE)
    std::string problem;
};
struct Cudnn {
    CROTON_CUDNN_FUNCTIONS(CROTON_DECLARE)
    std::string problem;
};
struct Cupti {
    CROTON_CUPTI_FUNCTIONS(CROTON_DECLARE)
    std::string problem;
};
#undef CROTON_DECLARE

const CudaRuntime &cudart();
const Nvrtc &nvrtc();
const Cublas &cublas();
const Cudnn &cudnn();
const Cupti &cupti();

/// "cudaErrorIllegalAddress (an illegal memory access was encountered)".
std::string cudaErrorText(cudaError_t error);
/// "13.0".
std::string cudaVersionText(int version);

} // namespace engine
