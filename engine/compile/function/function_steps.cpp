// A function as the body of a loop: planned once, run on memory that moves on from step to step.
#include "engine/compile/function/call_frame.h"
#include "engine/device/device.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/runtime/plan/threads.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace engine {

class Function::Steps final : public ScanBody {
public:
    explicit Steps(Function &function) : m_function(function), m_state(*function.m_state) {}
    ~Steps() override
    {
        if (!m_hold) return;
        if (m_plan) m_plan->unbind(true);
        if (!m_trace.ticks.empty()) std::swap(m_trace, m_state.statistics.trace);
        const std::uint64_t spent = ticks() - m_start;
        m_state.statistics.callTicks.add(spent);
        if (!m_state.statistics.perApply) m_state.statistics.runTicks.add(spent);
        if (m_observer && m_isFine) m_observer->callFinished(m_function, m_start, spent);
    }

    bool layOut(std::span<const View> inputs, std::size_t moving) override
    {
        State &s = m_state;
        const CompiledGraph &c = s.compiled;
        const bool isSimple = c.isWhole && c.onlyArrays && c.shared.containers.empty() && c.updates.containers.empty() &&
                              c.destroyed.inputs.empty() && !s.debug;
        if (!isSimple) return false;
        m_hold.emplace(s);
        m_frame.emplace(s);
        m_observer = runObserver();
        if (m_observer) m_observer->callStarted(m_function);
        m_start = ticks();
        PlannedStage &whole = s.plans.whole();
        m_views.assign(inputs.begin(), inputs.end());
        const auto reads = whole.stage.shapes.valueReads();
        m_readsValues = std::any_of(reads.begin(), reads.end(), [&](const auto &read) { return read.input < moving; }) ||
                        (c.sizeChecks && c.sizeChecks->readsValuesOfFirst(moving));
        use(planNow());
        return true;
    }

    void tie(const LoopTies *ties) override
    {
        m_ties = ties;
        if (m_plan) offerLoop(*m_plan);
    }

    bool runSteps(Arrays &arrays, std::int64_t steps) override
    {
        State &s = m_state;
        if (m_readsValues) return false;
        if (!m_plan->hasLoop()) {
            if (m_plan->kernelsSettled || !s.plans.takeKernels(*m_plan)) {
                if (!m_plan->hasLoop()) return false;
            } else if (s.statistics.calls.get()) {
                s.statistics.beginSteadyState();
            }
            if (!m_plan->hasLoop()) return false;
        }
        bool isTraced = false;
        if (s.statistics.perApply) {
            keepTrace();
            isTraced = !s.statistics.trace.ticks.empty();
        }
        const std::int64_t chunk = isTraced ? 1 : std::min(m_chunk, steps);
        m_isFine = false;
        const std::uint64_t before = ticks();
        m_frame->execute(s.plans.whole().stage, *m_plan, [&](FunctionStatistics *statistics, ApplyFailure &failure) {
            m_plan->runLoop(arrays.inputs, arrays.results, arrays.numbers, chunk, statistics, failure);
        });
        const std::uint64_t took = ticks() - before;
        m_isFine = true;
        if (chunk == m_chunk && took < kChunkTicks / 2) m_chunk *= 2;
        else if (took > kChunkTicks) m_chunk = std::max<std::int64_t>(m_chunk / 2, 1);
        s.statistics.calls.add(static_cast<std::uint64_t>(std::abs(arrays.numbers[0])));
        return true;
    }

    Dims outputShape(std::size_t output) const override { return m_shapes[output]; }

    std::vector<Dims> outputShapesFor(std::span<const View> inputs) override
    {
        State &s = m_state;
        if (!s.compiled.isWhole || !s.compiled.onlyArrays) return {};
        const State::Hold hold(s);
        ShapeProgram &shapes = s.plans.whole().stage.shapes;
        shapes.run(inputs);
        std::vector<Dims> found;
        for (VarId output : s.compiled.graph->outputs()) found.push_back(shapes.shapeOf(output));
        return found;
    }

    void step(std::span<void *const> inputs, std::span<void *const> outputs) override
    {
        State &s = m_state;
        if (m_readsValues) {
            for (std::size_t i = 0; i < inputs.size(); ++i) m_views[i].data = inputs[i];
            Plan &plan = planNow();
            if (&plan != m_plan) exchange(plan);
        }
        if (!m_plan->kernelsSettled && s.plans.takeKernels(*m_plan) && s.statistics.calls.get()) s.statistics.beginSteadyState();
        if (s.statistics.perApply) keepTrace();
        for (std::size_t o = 0; o < outputs.size(); ++o) m_moved[o] = m_isMovable[o] ? outputs[o] : nullptr;
        m_plan->move(inputs, m_moved);
        m_isFine = false;
        m_frame->execute(s.plans.whole().stage, *m_plan);
        m_isFine = true;
        copyOthers(*m_plan, outputs);
        s.statistics.calls.add(1);
    }

    // The first steps show what one takes.
    void eachStep(std::int64_t steps, const Places &places) override
    {
        std::vector<void *> in(m_views.size()), out(m_moved.size());
        std::uint64_t least = ~std::uint64_t(0);
        const bool mayShare = runsAnywhere();
        for (std::int64_t at = 0; at < steps; ++at) {
            if (mayShare && at > 0 && m_plan->kernelsSettled && canShare() &&
                static_cast<double>(least) * static_cast<double>(steps - at) > kSharedSeconds * ticksPerSecond())
                return shareSteps(at, steps, places);
            if (at % kStepsBetweenLooks == 0) checkInterrupt();
            const std::uint64_t before = ticks();
            places(at, in, out);
            step(in, out);
            least = std::min(least, ticks() - before);
        }
    }

    void stepOnValues(std::span<const Value> inputs, std::vector<Value> &outputs) override
    {
        if (m_hold) {
            m_plan->unbind(true);
            m_frame.reset();
            m_hold.reset();
        }
        m_function.call(inputs, outputs);
    }

private:
    Plan &planNow()
    {
        PlanCache &plans = m_state.plans;
        return plans.blamed(plans.whole(), m_views, [&]() -> Plan & { return plans.planFor(plans.whole(), m_views); });
    }

    // Sizes that change again and again would have a kernel compiled for each: those of the applies are for all sizes.
    void offerLoop(Plan &plan) const { plan.offerLoop(m_readsValues || plan.serial > kMostLoopPlans ? nullptr : m_ties); }

    void use(Plan &plan)
    {
        m_plan = &plan;
        m_state.plans.blamed(m_state.plans.whole(), m_views, [&] { plan.bind(m_views); });
        offerLoop(plan);
        m_state.statistics.planSerial = plan.serial;
        const std::size_t count = m_state.compiled.spec.outputs.size();
        m_shapes.clear();
        m_strides.clear();
        m_isMovable.clear();
        m_moved.assign(count, nullptr);
        for (std::size_t o = 0; o < count; ++o) {
            const Tensor made = plan.output(o);
            m_shapes.push_back(made.shape());
            m_strides.push_back(contiguousStrides(made.shape(), sizeOf(made.dtype())));
            m_isMovable.push_back(plan.isOutputMovable(o));
        }
    }

    /// Of a kernel between two looks at interrupts: some milliseconds.
    static constexpr std::uint64_t kChunkTicks = 10'000'000;
    /// Of a body: each has a kernel for its own sizes.
    static constexpr std::uint32_t kMostLoopPlans = 6;
    /// Less is done before another thread has woken up.
    static constexpr double kSharedSeconds = 50e-6;

    void copyOthers(const Plan &plan, std::span<void *const> outputs) const
    {
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            if (m_isMovable[o]) continue;
            const Tensor made = plan.output(o);
            if (made.device() != DeviceId::Host) {
                const Tensor dense = made.isContiguous() ? made : denseCopy(made);
                deviceOf(made.device()).stream().copyWithin(outputs[o], dense.data(), dense.bytes());
                continue;
            }
            copyConverted(made.view(), View{outputs[o], made.dtype(), made.rank(), m_shapes[o].data(), m_strides[o].data()});
        }
    }

    /// Nothing is counted step by step, no plan depends on values, and no apply minds where and in which order it runs.
    bool runsAnywhere() const
    {
        if (m_readsValues || m_state.statistics.perApply || m_observer) return false;
        const std::vector<ApplyId> &order = m_state.plans.whole().stage.order;
        return std::all_of(order.begin(), order.end(), [&](ApplyId id) {
            const Op &op = *m_state.compiled.graph->apply(id).op;
            return op.canFold() && !op.worksOnValues() && !op.isOnDevice();
        });
    }

    /// Steps first to end - 1, each thread by a plan of its own. From what fails on they run on this thread, where it fails once more and
    /// says where.
    void shareSteps(std::int64_t first, std::int64_t end, const Places &places)
    {
        constexpr std::int64_t kPartsOfThread = 4;
        State &s = m_state;
        const auto count = static_cast<std::size_t>(threads());
        const std::span<const std::unique_ptr<Plan>> twins = s.plans.twinsOf(*m_plan, m_views, count - 1);
        std::vector<Plan *> free{m_plan};
        for (const std::unique_ptr<Plan> &twin : twins) {
            twin->kernels();
            twin->adoptKernels();
            twin->bind(m_views);
            free.push_back(twin.get());
        }
        struct Unbind {
            std::span<const std::unique_ptr<Plan>> twins;
            ~Unbind()
            {
                for (const std::unique_ptr<Plan> &twin : twins) twin->unbind(true);
            }
        } unbind{twins};
        std::mutex mutex; // guards the free plans and the first failure
        std::int64_t failed = end;
        const std::int64_t steps = end - first, parts = std::min(steps, static_cast<std::int64_t>(count) * kPartsOfThread);
        shareParts(parts, [&](std::int64_t part) {
            Plan *plan = nullptr;
            {
                const std::lock_guard lock(mutex);
                plan = free.back();
                free.pop_back();
            }
            std::vector<void *> in(m_views.size()), out(m_moved.size()), moved(m_moved.size());
            std::int64_t at = first + part * steps / parts;
            try {
                for (const std::int64_t last = first + (part + 1) * steps / parts; at < last; ++at) {
                    if (at % kStepsBetweenLooks == 0) checkInterrupt();
                    places(at, in, out);
                    for (std::size_t o = 0; o < out.size(); ++o) moved[o] = m_isMovable[o] ? out[o] : nullptr;
                    plan->move(in, moved);
                    ApplyFailure failure{kNoApply, {}};
                    plan->run(nullptr, failure);
                    copyOthers(*plan, out);
                }
            } catch (const Interrupted &) {
                const std::lock_guard lock(mutex);
                free.push_back(plan);
                throw;
            } catch (...) {
                const std::lock_guard lock(mutex);
                failed = std::min(failed, at);
            }
            const std::lock_guard lock(mutex);
            free.push_back(plan);
        });
        s.statistics.calls.add(static_cast<std::uint64_t>(failed - first));
        std::vector<void *> in(m_views.size()), out(m_moved.size());
        for (std::int64_t at = failed; at < end; ++at) {
            if (at % kStepsBetweenLooks == 0) checkInterrupt();
            places(at, in, out);
            step(in, out);
        }
    }

    // Sizes inside of a step may follow from values; those of its results may not.
    void exchange(Plan &plan)
    {
        const std::vector<Dims> before = std::exchange(m_shapes, {});
        m_plan->unbind(true);
        use(plan);
        for (std::size_t o = 0; o < before.size(); ++o)
            if (!(before[o] == m_shapes[o]))
                throw ShapeMismatch("a step of " + m_state.compiled.spec.name + " gave an array of shape " + m_shapes[o].text() +
                                        " for output " + std::to_string(o) + ", the one before it of shape " + before[o].text(),
                                    "all steps must give the same sizes");
    }

    // The call that is traced is the first step.
    void keepTrace()
    {
        CallTrace &trace = m_state.statistics.trace;
        if (!trace.ticks.empty()) std::swap(m_trace, trace);
        m_frame->beginTrace();
    }

    Function &m_function;
    State &m_state;
    std::optional<State::Hold> m_hold;
    std::optional<Frame> m_frame; // while it is held
    std::vector<View> m_views;    // of the inputs of a step
    RunObserver *m_observer = nullptr;
    std::uint64_t m_start = 0;
    Plan *m_plan = nullptr;
    const LoopTies *m_ties = nullptr;
    std::int64_t m_chunk = 64;  // steps of a kernel at once
    bool m_readsValues = false; // of inputs that move on
    bool m_isFine = true;
    std::vector<Dims> m_shapes, m_strides; // of the outputs
    std::vector<bool> m_isMovable;
    std::vector<void *> m_moved;
    CallTrace m_trace;
};

std::unique_ptr<ScanBody> Function::beginSteps() { return std::make_unique<Steps>(*this); }

} // namespace engine
