// The steps of a loop over a plan as one kernel.
#pragma once

#include "engine/codegen/loop_writer.h"
#include "engine/runtime/plan/grouped_work.h"
#include "engine/runtime/thunks/thunk.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace engine {

class LoopWork final : public GroupedWork {
public:
    /// Called with the position of the apply that threw, while the arrays of the kernel still have their values.
    using Failed = std::function<void(std::uint32_t position)>;
    /// An apply that the kernel leaves to its thunk.
    struct Call {
        Thunk *thunk;
        std::uint32_t position;
        const Failed *failed = nullptr;
    };
    /// `shares`: of the time of a step, by position.
    LoopWork(LoopText text, std::vector<Call> calls, std::vector<double> shares);

    /// Runs the apply of a Call.
    static void runCall(void *slots, const void *const *call, long number);

    bool isReady() const { return m_kernel != nullptr; }
    std::span<const Call> calls() const { return m_calls; }
    const std::vector<double> &shares() const { return m_shares; }
    void runSteps(std::span<void *const> inputs, std::span<void *const> results, std::span<std::int64_t> numbers, void **slots,
                  std::int64_t steps, Failed failed);

    void run(Slots) override {}
    void run(Slots, std::span<std::uint64_t>) override {}
    std::optional<KernelText> kernelText() const override { return m_text.text; }
    void adopt(KernelFunction function, const RtLoop *math) override;

private:
    LoopText m_text;
    std::vector<Call> m_calls;
    std::vector<const void *> m_callPlaces;
    std::vector<double> m_shares;
    Failed m_failed;
    KernelFunction m_kernel = nullptr;
    const RtLoop *m_math = nullptr;
    std::vector<void *> m_operands;
};

} // namespace engine
