// The errors of a function's calls: which apply failed, and what the person reads of it.
#pragma once

#include "engine/compile/function/compiled_graph.h"
#include "engine/compile/function/later_errors.h"
#include "engine/device/device.h"
#include "engine/tensor/sizes.h"

#include <memory>
#include <span>
#include <vector>

namespace engine {

class FunctionErrors {
public:
    explicit FunctionErrors(const CompiledGraph &compiled) : m_compiled(compiled) {}

    /// `ran`: how many applies may have run.
    [[noreturn]] void fail(const std::exception &error, const ApplyFailure &failure, std::size_t ran) const;
    /// `step`, which lays out memory for a stage; where it fails, the apply that does not fit is named. `plan()`: the one that did not get
    /// memory, null if none was made.
    template <class PlanNow, class Step>
    decltype(auto) blamed(const Stage &stage, std::span<const View> views, PlanNow plan, Step step) const
    {
        try {
            return step();
        } catch (const ShapeMismatch &) {
            blame(stage, views);
            throw;
        } catch (const OutOfDeviceMemory &error) {
            reportOutOfMemory(stage, plan(), error);
            throw;
        } catch (const TooLarge &error) {
            reportOutOfMemory(stage, plan(), error);
            throw;
        }
    }
    /// Do sizes fit, also where no result needs it? By input of the graph.
    void checkSizes(std::span<const View> inputs) const;
    /// The same, once for arrays of the same sizes.
    void checkSizesOf(std::span<const Value> inputs);
    /// Devices may find something wrong with the work of that name, and tell later.
    void expectLater(std::uint64_t tag, ApplyFailure failure);
    /// A plan is gone.
    void forgetLater(std::uint64_t firstTag, std::size_t count) const
    {
        if (m_later) m_later->forget(firstTag, count);
    }

private:
    void blame(const Stage &stage, std::span<const View> views) const;
    /// Throws an error that names the buffers, with shape, dtype and line, for which the device or the host has no memory.
    void reportOutOfMemory(const Stage &stage, Plan *plan, const std::exception &error) const;

    const CompiledGraph &m_compiled;
    std::vector<std::int64_t> m_checkedSizes; // of the inputs, the last time
    std::unique_ptr<LaterErrors> m_later;     // null: nothing may be found
};

} // namespace engine
