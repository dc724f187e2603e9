// Devices of tests whose memory is the host's, all zeros at first. One that only reads kernels: it takes them in CUDA C, keeps their texts,
// and does nothing; so are sizes that kernels would tell.
#pragma once

#include "engine/device/cpu/host_work.h"
#include "engine/device/device.h"

#include <cstring>
#include <map>

namespace paper {

using namespace engine;

class MemoryStream : public DeviceStream {
public:
    void copyIn(void *to, const void *from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
    void copyWithin(void *to, const void *from, std::size_t bytes) override { std::memmove(to, from, bytes); }
    void multiply(const MatrixProduct &product) override { multiplyOnHost(product); }
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

class MemoryDevice : public Device {
public:
    MemoryDevice(std::string name, Dialect dialect)
    {
        m_info.name = std::move(name);
        m_info.dialect = dialect;
        m_info.bytes = std::size_t(1) << 30;
    }
    const DeviceInfo &info() const override { return m_info; }
    StorageRef allocate(std::size_t bytes, DeviceStream &) override
    {
        struct Bytes final : Storage {
            Bytes(std::size_t bytes, MemoryDevice &device)
                : Storage(std::calloc(bytes + 1, 1), bytes, Memory::Ours, device.id()), m_device(device)
            {
                m_device.m_live[static_cast<char *>(data())] = bytes;
            }
            void dispose() override
            {
                m_device.m_live.erase(static_cast<char *>(data()));
                std::free(data());
                delete this;
            }
            MemoryDevice &m_device;
        };
        return StorageRef(new Bytes(bytes, *this));
    }
    std::uint64_t now() const override { return 0; }
    void watch(bool) override {}
    std::vector<DeviceActivity> drain() override { return {}; }
    std::size_t liveBytes() const override { return 0; }
    /// Where the memory begins and ends that an address is in.
    std::pair<char *, char *> memoryOf(void *address) const
    {
        const auto next = m_live.upper_bound(static_cast<char *>(address));
        const auto &[begin, bytes] = *std::prev(next);
        return {begin, begin + bytes};
    }

private:
    DeviceInfo m_info;
    std::map<char *, std::size_t> m_live;
};

class PaperStream final : public MemoryStream {
public:
    void copyIn(void *, const void *, std::size_t) override {}
    void multiply(const MatrixProduct &) override {}
    void launch(const std::shared_ptr<BuiltKernel> &, LaunchShape, std::span<const KernelArgument>) override {}
};

class Paper final : public MemoryDevice {
public:
    Paper() : MemoryDevice("paper0", Dialect::CudaC) {}
    std::unique_ptr<DeviceStream> openStream() override { return std::make_unique<PaperStream>(); }
    std::shared_ptr<BuiltKernel> build(const KernelSource &source) override
    {
        m_texts[source.text] = source.name;
        return std::make_shared<BuiltKernel>();
    }
    /// Of all kernels so far, with a name for each.
    const std::map<std::string, std::string> &texts() const { return m_texts; }

private:
    std::map<std::string, std::string> m_texts;
};

} // namespace paper
