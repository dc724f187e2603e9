// Devices that run every kernel by the interpreter: one with many items, one with strips, one with an item after another. What one leaves
// is compared with what the kernel gives when it is compiled for the host, bit by bit.
#pragma once

#include "tests/engine/codegen/interpret.h"
#include "tests/engine/device/paper.h"

#include "engine/device/cpu/host_work.h"

#include <set>

namespace interpreted {

using namespace engine;

class Interpreted final : public paper::MemoryDevice {
public:
    explicit Interpreted(std::string name, Dialect dialect) : MemoryDevice(std::move(name), dialect) {}
    std::unique_ptr<DeviceStream> openStream() override;
    std::shared_ptr<BuiltKernel> build(const KernelSource &source) override;

    std::set<std::string> ran; ///< kernels that were launched, as text
};

struct Kernel final : BuiltKernel {
    std::shared_ptr<const ir::Kernel> kernel;
    std::shared_ptr<BuiltKernel> compiled; ///< null: items of the host run in no groups
    std::string text;
};

class Stream final : public paper::MemoryStream {
public:
    explicit Stream(Interpreted &device) : m_device(device) {}
    void launch(const std::shared_ptr<BuiltKernel> &built, LaunchShape, std::span<const KernelArgument> arguments) override
    {
        const auto &kernel = static_cast<const Kernel &>(*built);
        m_device.ran.insert(kernel.text);
        // A copy of all memory that it is given, for what is compiled.
        std::map<char *, std::vector<char>> copies;
        std::vector<ir_test::Given> arrays;
        std::vector<std::int64_t> numbers;
        std::vector<KernelArgument> own(arguments.begin(), arguments.end());
        for (KernelArgument &argument : own) {
            if (argument.kind != KernelArgument::Kind::Address) {
                numbers.push_back(argument.integer);
                continue;
            }
            const auto [begin, end] = m_device.memoryOf(argument.address);
            arrays.emplace_back(argument.address, begin, end);
            const auto copy = copies.try_emplace(begin, begin, end).first;
            argument.address = copy->second.data() + (static_cast<char *>(argument.address) - begin);
        }
        const std::int64_t items = numbers.back(), tag = kernel.kernel->finds ? numbers.front() : 0;
        numbers.pop_back();
        if (kernel.kernel->finds) numbers.erase(numbers.begin());
        ir_test::Interpreter(*kernel.kernel, arrays, items, numbers, tag).run();
        if (!kernel.compiled) return;
        runHostKernel(*kernel.compiled, own);
        for (const auto &[begin, copy] : copies)
            if (std::memcmp(begin, copy.data(), copy.size()) != 0)
                throw ir_test::KernelFault("the interpreter and the host's compiler differ on\n" + ir::text(*kernel.kernel));
    }

private:
    Interpreted &m_device;
};

inline std::unique_ptr<DeviceStream> Interpreted::openStream() { return std::make_unique<Stream>(*this); }

inline std::shared_ptr<BuiltKernel> Interpreted::build(const KernelSource &source)
{
    const auto made = std::make_shared<Kernel>();
    made->kernel = source.kernel;
    made->text = ir::text(*source.kernel);
    if (source.kernel->group == 0) made->compiled = buildHostKernel(ir::sourceOf(*source.kernel, Dialect::C), info().name);
    return made;
}

} // namespace interpreted
