// A device that only reads kernels: it takes them in CUDA C, keeps their texts, and does nothing. Memory is the host's,
// and all zeros: so are sizes that kernels would tell.
#pragma once

#include "engine/device/device.h"

#include <cstring>
#include <map>

namespace paper {

using namespace engine;

class PaperStream final : public DeviceStream {
public:
    void copyIn(void *, const void *, std::size_t) override {}
    void copyWithin(void *to, const void *from, std::size_t bytes) override { std::memmove(to, from, bytes); }
    void launch(const std::shared_ptr<BuiltKernel> &, LaunchShape, std::span<const KernelArgument>) override {}
    void multiply(const MatrixProduct &) override {}
    std::unique_ptr<DeviceEvent> record() override { return nullptr; }
    void after(const DeviceEvent &) override {}

private:
    void fetch(void *to, const void *from, std::size_t bytes, const Beside &beside) override
    {
        std::memcpy(to, from, bytes);
        if (beside.bytes) std::memcpy(beside.to, beside.from, beside.bytes);
    }
    void wait() override {}
};

class Paper final : public Device {
public:
    Paper()
    {
        m_info.name = "paper0";
        m_info.dialect = Dialect::CudaC;
        m_info.bytes = std::size_t(1) << 30;
    }
    const DeviceInfo &info() const override { return m_info; }
    StorageRef allocate(std::size_t bytes, DeviceStream &) override
    {
        struct Bytes final : Storage {
            Bytes(std::size_t bytes, DeviceId id) : Storage(std::calloc(bytes + 1, 1), bytes, Memory::Ours, id) {}
            void dispose() override
            {
                std::free(data());
                delete this;
            }
        };
        return StorageRef(new Bytes(bytes, id()));
    }
    std::unique_ptr<DeviceStream> openStream() override { return std::make_unique<PaperStream>(); }
    std::shared_ptr<BuiltKernel> build(const KernelSource &source) override
    {
        m_texts[source.text] = source.name;
        return std::make_shared<BuiltKernel>();
    }
    std::uint64_t now() const override { return 0; }
    void watch(bool) override {}
    std::vector<DeviceActivity> drain() override { return {}; }
    std::size_t liveBytes() const override { return 0; }

    /// Of all kernels so far, with a name for each.
    const std::map<std::string, std::string> &texts() const { return m_texts; }

private:
    DeviceInfo m_info;
    std::map<std::string, std::string> m_texts;
};

} // namespace paper
