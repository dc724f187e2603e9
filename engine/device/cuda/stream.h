// A stream of a card.
#pragma once

#include "engine/device/cuda/convolutions.h"
#include "engine/device/cuda/products.h"
#include "engine/device/cuda/program.h"
#include "engine/device/cuda/staging.h"

#include <mutex>
#include <optional>
#include <vector>

namespace engine {

class CudaDevice;

class CudaStream final : public DeviceStream {
public:
    explicit CudaStream(CudaDevice &device);
    ~CudaStream() override;
    void copyIn(void *to, const void *from, std::size_t bytes) override;
    void copyWithin(void *to, const void *from, std::size_t bytes) override;
    void launch(const std::shared_ptr<BuiltKernel> &kernel, LaunchShape shape, std::span<const KernelArgument> arguments) override;
    void multiply(const MatrixProduct &product) override;
    void convolve(const DeviceConvolution &convolution) override;
    void launchProgram(const std::shared_ptr<BuiltKernel> &kernel, const ProgramLaunch &launch) override;
    std::unique_ptr<DeviceEvent> record() override;
    void after(const DeviceEvent &event) override;
    bool beginCapture() override;
    std::shared_ptr<DeviceGraph> endCapture() override;
    void launchGraph(const std::shared_ptr<DeviceGraph> &graph) override;
    void beginRange(const std::string &name) override;
    void endRange() override;
    /// Memory that is taken meanwhile is another one each time: what is captured cannot be kept.
    void spoilCapture();

    /// Has it nothing to do?
    bool isIdle() const;

private:
    void fetch(void *to, const void *from, std::size_t bytes, const Beside &beside) override;
    void wait() override;

    /// Work that was given since the last wait: one of it failed when that says so.
    struct Given {
        std::uint64_t tag = 0;
        std::shared_ptr<BuiltKernel> kernel; ///< null: a copy or a product
    };
    void given(std::shared_ptr<BuiltKernel> kernel = nullptr);
    /// Remembers what could not be given.
    void refused(cudaError_t error, const std::string &what);
    /// Says once what failed; `waited`: what the wait said.
    void tell(cudaError_t waited);
    std::string suspects() const;

    CudaDevice &m_device;
    cudaStream_t m_stream = nullptr;
    // Guards what follows. Whoever captures holds it until the end: what other threads give meanwhile is none of that.
    std::recursive_mutex m_mutex;
    std::unique_lock<std::recursive_mutex> m_capturing;
    std::vector<std::shared_ptr<BuiltKernel>> m_captured;
    bool m_isSpoiled = false;
    std::vector<Given> m_given;
    std::optional<DeviceError> m_error;
    std::optional<CudaStaging> m_staging;
    std::optional<CudaProducts> m_products;
    std::optional<CudaConvolutions> m_convolutions;
};

} // namespace engine
