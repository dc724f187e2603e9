// A kernel of a device with what it is launched on: what thunks of devices share.
#pragma once

#include "engine/codegen/device_elementwise.h"
#include "engine/codegen/ir/kernel.h"
#include "engine/device/device.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/scalar/scalar_program.h"

#include <memory>
#include <span>
#include <vector>

namespace engine {

class DeviceLaunch {
public:
    /// Builds the kernel, or takes the one that another apply built. `numbers`: the parameters after the arrays, without the last one,
    /// `items`. `elements`: about as many as an item goes through. The first of the numbers may be given anew with each run.
    DeviceLaunch(Device &device, const KernelSource &source, std::vector<std::int64_t> numbers, std::int64_t items,
                 std::int64_t elements = 1);
    /// The same of a kernel that knows its numbers. One that notes what it finds wrong is given where, and the name of the work.
    DeviceLaunch(Device &device, const ir::Kernel &kernel, std::int64_t items, std::int64_t elements = 1);
    void run(std::span<void *const> arrays, std::span<const std::int64_t> given = {});
    bool mayFind() const { return m_finds; }

private:
    Device &m_device;
    std::shared_ptr<BuiltKernel> m_kernel;
    std::vector<std::int64_t> m_numbers;
    bool m_finds = false;
    LaunchShape m_shape;
    std::vector<KernelArgument> m_arguments;
};

/// The inputs that the host gives as numbers: where they lie when a kernel is given. Their bits are read then.
class GivenNumbers {
public:
    explicit GivenNumbers(std::span<const SlotOperand> inputs);
    std::size_t count() const { return m_places.size(); }
    std::span<const std::int64_t> read(Slots slots);

private:
    struct Place {
        Slot slot;
        std::size_t bytes;
    };
    std::vector<Place> m_places;
    std::vector<std::int64_t> m_bits;
};
inline bool isGivenNumber(const SlotOperand &input) { return input.device == DeviceId::Host; }

/// Throws UserError for what devices cannot do.
void checkDeviceProgram(const ScalarProgram &program, const Device &device, const std::string &name);
/// Of an input along the axes of `shape`, in bytes: 0 where it is broadcast.
Dims stridesWithin(const SlotOperand &input, const Dims &shape);
/// In elements of that dtype.
void appendSteps(std::vector<std::int64_t> &numbers, const Dims &strides, DType dtype);
bool isSingle(const Dims &strides);
/// How an operand that is neither flat nor single is reached, in a nest whose inner axis is that one. Told apart where it matters only.
DeviceAccess stridedAccess(const Dims &strides, std::size_t inner, DType dtype, KernelTarget target);

} // namespace engine
