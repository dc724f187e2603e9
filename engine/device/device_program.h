// Kernels of a text that somebody else wrote: with any names, parameters and shapes.
#pragma once

#include "engine/device/device.h"

#include <array>

namespace engine {

/// What a kernel gets for one of its parameters.
struct ProgramArgument {
    enum class Kind : std::uint8_t { Address, Bytes, Local } kind = Kind::Bytes;
    void *address = nullptr;
    std::vector<char> bytes;
    std::size_t room = 0; ///< Local: bytes of memory that a group shares, OpenCL only
};

struct ProgramLaunch {
    std::array<std::uint32_t, 3> groups{1, 1, 1};
    std::array<std::uint32_t, 3> items{1, 1, 1}; ///< of a group; 0: `groups` counts items, and the device forms groups
    std::size_t sharedBytes = 0;                 ///< CUDA: for arrays that are `extern __shared__`
    std::vector<ProgramArgument> arguments;
};

/// What a compiler made of a kernel; 0: it does not tell.
struct ProgramFacts {
    int registers = 0;
    std::size_t sharedBytes = 0, localBytes = 0, constantBytes = 0;
    int mostItems = 0; ///< of a group
};

class DeviceProgram {
public:
    virtual ~DeviceProgram() = default;
    /// Throws DeviceError where the text has none of that name.
    virtual std::shared_ptr<BuiltKernel> kernel(const std::string &name) = 0;
    virtual ProgramFacts facts(const BuiltKernel &kernel) const = 0;
    /// Where a variable of the text lies, and its bytes. Throws DeviceError where there is none.
    virtual std::pair<void *, std::size_t> variable(const std::string &name) = 0;

    std::vector<std::string> left{}; ///< words for the compiler that it does not take, each with the reason
};

} // namespace engine
