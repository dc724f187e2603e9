// Matrix products by cuBLAS.
#pragma once

#include "engine/device/cuda/api.h"
#include "engine/device/device.h"

namespace engine {

class CudaProducts {
public:
    CudaProducts(std::string device, cudaStream_t stream) : m_device(std::move(device)), m_stream(stream) {}
    ~CudaProducts();
    /// Empty, or what went wrong.
    std::string multiply(const MatrixProduct &product);

private:
    std::string open();

    std::string m_device;
    cudaStream_t m_stream;
#ifdef CROTON_HAS_CUBLAS
    cublasHandle_t m_handle = nullptr;
#endif
};

} // namespace engine
