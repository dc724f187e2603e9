// A stream of a card.
#pragma once

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
    void tag(std::uint64_t tag) override { m_tag = tag; }
    void copyIn(void *to, const void *from, std::size_t bytes) override;
    void copyOut(void *to, const void *from, std::size_t bytes) override;
    void copyWithin(void *to, const void *from, std::size_t bytes) override;
    void launch(const std::shared_ptr<BuiltKernel> &kernel, LaunchShape shape, std::span<const KernelArgument> arguments) override;
    void multiply(const MatrixProduct &product) override;
    std::unique_ptr<DeviceEvent> record() override;
    void after(const DeviceEvent &event) override;
    void finish() override;

    /// Has it nothing to do?
    bool isIdle() const;

private:
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
    std::uint64_t m_tag = 0;
    std::mutex m_mutex; // guards what follows
    std::vector<Given> m_given;
    std::optional<DeviceError> m_error;
    std::optional<CudaStaging> m_staging;
    std::optional<CudaProducts> m_products;
};

} // namespace engine
