// DebugMode names the rewrite or the op that is wrong, and lets pass what is right.
#include "tests/engine/compile/build.h"

#include "engine/compile/debug/debug_mode.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/rewrite/machine/registry.h"
#include "engine/runtime/thunks/thunk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

using namespace build;

namespace {

// Wrong on purpose: only these tests ask for it.
REWRITE(test_cosh_is_exp, Phase::Specialize)
    .why("a rewrite that is wrong")
    .off()
    .match<ScalarCode::Cosh>([](const NodeHandle &node, Editor &edit) {
        edit.replace(node.output(0), edit.make(elemwise(ScalarCode::Exp), {node.input(0)}));
        return replaced("both grow");
    });

enum class Flaw { None, Writes, Shares, Dtype, Chance, Kernel, Reads };

/// Doubles a vector, and breaks a promise.
class Doubles final : public Op {
public:
    explicit Doubles(Flaw flaw) : m_flaw(flaw) {}
    std::string_view className() const override { return "Doubles"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override { return {inputs[0].type}; }
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override
    {
        outputs = {{shapes.dim(0, 0)}};
        return true;
    }
    bool worksOnValues() const override { return m_flaw == Flaw::Shares || m_flaw == Flaw::Dtype || m_flaw == Flaw::Chance; }
    bool isCompiled() const override { return m_flaw != Flaw::Chance; }
    void performValues(std::span<const Value> inputs, std::span<Value> outputs) const override
    {
        const Tensor &x = inputs[0].tensor();
        if (m_flaw == Flaw::Shares) outputs[0] = x;
        if (m_flaw == Flaw::Dtype) outputs[0] = x.converted(DType::Float32);
        if (m_flaw != Flaw::Chance) return;
        Tensor y = x.copy();
        for (std::int64_t i = 0; i < y.size(); ++i) y.as<double>()[i] *= ++m_calls;
        outputs[0] = y;
    }
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override
    {
        return worksOnValues() ? nullptr : std::make_unique<Run>(spec, m_flaw);
    }

protected:
    std::string exactName() const override { return "Doubles"; }
    std::string identity() const override { return std::to_string(static_cast<int>(m_flaw)); }

private:
    class Run final : public Thunk {
    public:
        Run(const ThunkSpec &spec, Flaw flaw) : m_from(spec.inputs[0]), m_to(spec.outputs[0].slot), m_flaw(flaw) {}
        void run(Slots slots) override
        {
            auto *x = static_cast<double *>(slots[m_from.slot]);
            auto *y = static_cast<double *>(slots[m_to]);
            const std::int64_t n = m_from.shape.product();
            if (m_kernel) {
                void *const operands[] = {x, y};
                return m_kernel(operands, nullptr, n);
            }
            for (std::int64_t i = 0; i < n; ++i) y[i] = m_flaw == Flaw::Reads && std::isnan(y[i]) ? 0 : 2 * x[i];
            if (m_flaw == Flaw::Writes) x[0] = 7;
        }
        std::optional<KernelText> kernelText() const override
        {
            if (m_flaw != Flaw::Kernel) return std::nullopt;
            return KernelText{
                "(void *const *operands, const Loop *math, long n)\n{\n    for (long i = 0; i < n; ++i) ((double *)operands[1])[i] = 3 * ((double *)operands[0])[i];\n}\n",
                {},
                0x64656275676b};
        }
        void adopt(KernelFunction function, const RtLoop *) override { m_kernel = function; }

    private:
        SlotOperand m_from;
        Slot m_to;
        Flaw m_flaw;
        KernelFunction m_kernel = nullptr;
    };

    Flaw m_flaw;
    static inline int m_calls = 0;
};

std::optional<DebugModeError> faultOf(const VarRef &x, const VarRef &output, const Tensor &value, const std::string &including = {},
                                      const std::string &found = {})
{
    FunctionSpec spec = request({x}, {output}, {}, "DebugMode");
    if (!including.empty()) spec.mode.including.push_back(including);
    spec.mode.debug->outputs = outputMemoryNamed(found);
    const auto f = Function::compile(spec);
    try {
        call(*f, {value});
    } catch (const DebugModeError &error) {
        return error;
    }
    return std::nullopt;
}

std::optional<DebugModeError> faultOf(Flaw flaw, const std::string &found = {})
{
    const VarRef x = vector("x");
    return faultOf(x, add(apply(makeOp<Doubles>(flaw), {exp(x)}), x), values({1, 2, 3}), {}, found);
}

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(DebugMode, namesTheRewriteThatChangedAValue)
{
    const VarRef x = vector("x");
    const auto fault = faultOf(x, mul(elementwise(ScalarCode::Cosh, {x}), exp(x)), values({0.5, 1}), "test_cosh_is_exp");
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->fault, DebugFault::BadOptimization);
    EXPECT_TRUE(has(fault->what(), "The rewrite test_cosh_is_exp did it")) << fault->what();
    EXPECT_TRUE(has(fault->what(), "phase specialize, both grow")) << fault->what();
    EXPECT_TRUE(has(fault->hint(), "optimizer_excluding=test_cosh_is_exp"));
    EXPECT_GT(fault->step, 0u);
}

TEST(DebugMode, letsPassWhatIsRight)
{
    const VarRef x = vector("x");
    // log(1 + exp(1000)) is infinite as it is written, and 1000 once it is rewritten.
    EXPECT_FALSE(faultOf(x, elementwise(ScalarCode::Log, {add(number(1), exp(x))}), values({1000, -3, 0})));
    EXPECT_FALSE(faultOf(Flaw::None));
}

TEST(DebugMode, tellsTheLargestDifference)
{
    const double infinite = std::numeric_limits<double>::infinity();
    Difference largest = differenceOf(values({1, 2, infinite, 0}), values({1.25, 2.5, 4, -0.125}));
    EXPECT_DOUBLE_EQ(largest.absolute, 0.5);
    EXPECT_DOUBLE_EQ(largest.relative, 0.25) << "of 0 no part can be told";
    largest.widen(differenceOf(values({1}), values({1, 2})));
    EXPECT_DOUBLE_EQ(largest.absolute, 0.5);
}

TEST(DebugMode, namesTheOpThatWritesToItsInput)
{
    const auto fault = faultOf(Flaw::Writes);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->fault, DebugFault::BadDestroyMap);
    EXPECT_TRUE(has(fault->what(), "the op Doubles changed its input 0, which its destroy_map does not say")) << fault->what();
    EXPECT_NE(fault->apply, kNoApply);
}

TEST(DebugMode, namesTheOpWhoseOutputIsItsInput)
{
    const auto fault = faultOf(Flaw::Shares);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->fault, DebugFault::BadViewMap);
    EXPECT_TRUE(has(fault->what(), "output 0 of the op Doubles shares memory with its input 0")) << fault->what();
}

TEST(DebugMode, refusesWhatATypeDoesNotAllow)
{
    const auto fault = faultOf(Flaw::Dtype);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->fault, DebugFault::InvalidValueError);
    EXPECT_TRUE(has(fault->what(), "gave a value that its type TensorType(float64, vector) does not allow")) << fault->what();
}

TEST(DebugMode, namesTheOpThatReadsWhatItIsToOverwrite)
{
    EXPECT_FALSE(faultOf(Flaw::None, "ALL"));
    EXPECT_FALSE(faultOf(Flaw::Reads, "previous"));
    const auto fault = faultOf(Flaw::Reads, "previous:c_contiguous");
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->fault, DebugFault::BadThunkOutput);
    EXPECT_TRUE(has(fault->what(), "output 0 of the op Doubles differs when it is given memory for its outputs (c_contiguous)"))
        << fault->what();
    EXPECT_THROW(outputMemoryNamed("previous:fortran"), UserError);
}

TEST(DebugMode, namesTheOpThatAnswersByChance)
{
    const auto fault = faultOf(Flaw::Chance);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->fault, DebugFault::BadThunkOutput);
    EXPECT_TRUE(has(fault->what(), "output 0 of the op Doubles differs when perform runs again")) << fault->what();
}

TEST(DebugMode, namesTheKernelThatDiffersFromTheInterpreter)
{
    if (compiler().path.empty()) GTEST_SKIP() << "there is no C compiler";
    const auto fault = faultOf(Flaw::Kernel);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->fault, DebugFault::BadThunkOutput);
    EXPECT_TRUE(has(fault->what(), "differs between the interpreter and the compiled kernel")) << fault->what();
    EXPECT_TRUE(has(fault->what(), " of Doubles(")) << fault->what();
}

TEST(DebugMode, refusesValuesThatAreNotFiniteUnlessItIsTold)
{
    const VarRef x = vector("x");
    const VarRef log = elementwise(ScalarCode::Log, {x});
    const auto fault = faultOf(x, log, values({-1, 1}));
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->fault, DebugFault::InvalidValueError);
    EXPECT_TRUE(has(fault->what(), "1 of 2 (the others: from 0.0 to 0.0)")) << fault->what();
    FunctionSpec spec = request({x}, {log}, {}, "DebugMode");
    spec.mode.debug->finite = false;
    EXPECT_NO_THROW(call(*Function::compile(spec), {values({-1, 1})}));
}

TEST(DebugMode, storesUpdatesOnce)
{
    const VarRef w = shared(values({1, 2}), "w"), x = vector("x");
    const auto f = Function::compile(request({x}, {mul(w, x)}, {{w, add(w, x)}}, "DebugMode"));
    call(*f, {values({10, 10})});
    EXPECT_EQ(numbers(w->container()->value().tensor()), (std::vector<double>{11, 12}));
}

} // namespace
