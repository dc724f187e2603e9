// Convolutions by cuDNN.
#pragma once

#include "engine/device/cuda/api.h"
#include "engine/device/device.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace engine {

class CudaConvolutions {
public:
    /// `take` gives memory that the stream's work may use; it throws where there is none.
    CudaConvolutions(std::string device, cudaStream_t stream, std::function<StorageRef(std::size_t)> take);
    ~CudaConvolutions();
    /// Empty, or what went wrong.
    std::string convolve(const DeviceConvolution &convolution);

#ifdef CROTON_HAS_CUDNN
private:
    class Plan;
    std::string open();
    std::string choose(Plan &plan, const DeviceConvolution &convolution);
    bool hasRoom(std::size_t bytes);

    std::string m_device;
    cudaStream_t m_stream;
    std::function<StorageRef(std::size_t)> m_take;
    cudnnHandle_t m_handle = nullptr;
    std::map<std::vector<std::int64_t>, std::unique_ptr<Plan>> m_plans; ///< by all that tells one from another
    StorageRef m_room; ///< what algorithms work in: kept, so that captured work finds it again
#endif
};

} // namespace engine
