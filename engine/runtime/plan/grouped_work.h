// Thunks of a plan that run together.
#pragma once

#include "engine/codegen/kernel.h"

#include <cstdint>
#include <optional>
#include <span>

namespace engine {

class GroupedWork {
public:
    virtual ~GroupedWork() = default;
    virtual void run(Slots slots) = 0;
    /// The same, and adds the ticks of each thunk to `spent`.
    virtual void run(Slots slots, std::span<std::uint64_t> spent) = 0;
    /// One kernel for all of them; nothing: each has its own.
    virtual std::optional<KernelText> kernelText() const { return std::nullopt; }
    virtual void adopt(KernelFunction function, const RtLoop *math) { (void)function, (void)math; }
};

} // namespace engine
