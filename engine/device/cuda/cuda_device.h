// A card that CUDA runs on.
#pragma once

#include "engine/device/cuda/activities.h"
#include "engine/device/cuda/memory.h"
#include "engine/device/cuda/program.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace engine {

class CudaStream;

class CudaDevice final : public Device {
public:
    /// Throws DeviceError where it does not open.
    CudaDevice(std::string name, int index);

    const DeviceInfo &info() const override { return m_info; }
    StorageRef allocate(std::size_t bytes, DeviceStream &stream) override;
    std::unique_ptr<DeviceStream> openStream() override;
    std::shared_ptr<BuiltKernel> build(const KernelSource &source) override { return buildCuda(target(), source); }
    std::shared_ptr<DeviceProgram> buildProgram(const KernelSource &source, const std::vector<std::string> &options) override;
    std::uint64_t now() const override;
    void watch(bool on) override;
    std::vector<DeviceActivity> drain() override;
    std::string watchProblem() const override { return CudaActivities::one().problem(); }
    std::uint64_t lostActivities() override { return CudaActivities::one().takeLost(); }
    std::size_t liveBytes() const override { return m_memory->liveBytes(); }
    std::string whyNoConvolutions() override { return cudnn().problem; }
    LibraryVersions convolutionVersions() override;
    void waitForOthers() override;

    // For its streams.
    int index() const { return m_index; }
    /// What this thread asks of CUDA is for this card.
    void enter() const;
    /// The error as a sentence; remembers it where nothing can be done on the card any more.
    std::string said(cudaError_t error);
    void closed(CudaStream &stream);

protected:
    std::vector<std::string> takeWords(const std::vector<std::string> &words) override;

private:
    CudaTarget target();

    DeviceInfo m_info;
    int m_index = 0;
    std::unique_ptr<CudaMemory> m_memory;
    std::atomic<bool> m_isWatched{false};
    std::mutex m_mutex; // guards what follows
    CudaTarget m_target;
    std::vector<CudaStream *> m_streams;
    std::string m_lost;
};

} // namespace engine
