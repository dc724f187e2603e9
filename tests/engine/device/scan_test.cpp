// Loops whose steps run on a device: what comes from outside is sent once, states stay there.
#include "tests/engine/device/on_device.h"

#include "engine/ops/scan.h"
#include "engine/rewrite/why_not.h"
#include "engine/text/notation.h"

#include <cmath>

using namespace on_device;

namespace {

class DeviceLoops : public OnDevice {};

/// h ← tanh(h·W), and its rows' sums.
OpRef loopOf()
{
    const VarRef h = matrix("h", DType::Float32), w = matrix("w", DType::Float32);
    const VarRef after = apply(elemwise(scalarOp(ScalarCode::Tanh)), {dot(h, w)});
    ScanInfo info;
    info.sitSot = 1;
    info.nitSot = 1;
    info.nonSequences = 1;
    info.name = "loop";
    return scanOp(info, {{h, w}, {after, sum(after, std::vector<int>{1})}});
}

std::vector<VarRef> looped(const VarRef &steps, const VarRef &start, const VarRef &w)
{
    const VarRef first = apply(loopOf(), {steps, start, steps, w});
    return {first, VarRef(first->owner()->output(1))};
}

FunctionSpec requestThere(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs, DeviceId device)
{
    FunctionSpec spec = request(inputs, outputs, {}, "FAST_RUN");
    spec.mode.device = device;
    return spec;
}

TEST_F(DeviceLoops, SendNothingWithEachStep)
{
    const VarRef steps = Variable::input(Type::ofRank(DType::Int64, 0), "steps");
    const VarRef start = input(DType::Float32, 3, "start"), w = matrix("w", DType::Float32);
    const std::vector<VarRef> results = looped(steps, start, w);
    const auto there = Function::compile(requestThere({steps, start, w}, results, second().id()));
    const auto here = Function::compile(requestThere({steps, start, w}, results, DeviceId::Host));
    EXPECT_EQ(countOn(*there, second().id(), "Scan"), 1u);
    std::size_t copies[2] = {};
    for (const std::int64_t count : {5, 40}) {
        Tensor first = Tensor::zeros(DType::Float32, {count + 1, 2, 3});
        for (int i = 0; i < 6; ++i) first.as<float>()[i] = 0.1f * static_cast<float>(i + 1);
        const std::vector<Tensor> given{Tensor::scalarInt(DType::Int64, count), first, drawn(DType::Float32, {3, 3}, 4)};
        const std::size_t before = second().copies();
        const std::vector<Tensor> got = run(*there, given), wanted = run(*here, given);
        copies[count == 40] = second().copies() - before;
        for (std::size_t k = 0; k < 2; ++k) {
            ASSERT_EQ(got[k].shape(), wanted[k].shape());
            for (std::int64_t i = 0; i < got[k].size(); ++i) ASSERT_NEAR(got[k].at(i), wanted[k].at(i), 1e-5) << k << ", " << i;
        }
    }
    EXPECT_EQ(copies[0], copies[1]) << "more steps copy more";
}

TEST_F(DeviceLoops, ShorterBuffersKeepTheLastRows)
{
    const VarRef steps = Variable::input(Type::ofRank(DType::Int64, 0), "steps");
    const VarRef start = input(DType::Float32, 3, "start"), w = matrix("w", DType::Float32);
    const std::vector<VarRef> results = looped(steps, start, w);
    const auto there = Function::compile(requestThere({steps, start, w}, results, second().id()));
    const auto here = Function::compile(requestThere({steps, start, w}, results, DeviceId::Host));
    for (const std::int64_t rows : {1, 2, 3, 9}) {
        const std::vector<Tensor> given{Tensor::scalarInt(DType::Int64, 5), drawn(DType::Float32, {rows, 2, 3}, 3),
                                        drawn(DType::Float32, {3, 3}, 4)};
        const std::vector<Tensor> got = run(*there, given), wanted = run(*here, given);
        ASSERT_EQ(got[0].shape(), wanted[0].shape());
        for (std::int64_t i = 0; i < got[0].size(); ++i) ASSERT_NEAR(got[0].at(i), wanted[0].at(i), 1e-5) << rows << " rows, " << i;
    }
}

TEST_F(DeviceLoops, NoStepsGiveWhatTheHostGives)
{
    const VarRef steps = Variable::input(Type::ofRank(DType::Int64, 0), "steps");
    const VarRef start = input(DType::Float32, 3, "start"), w = matrix("w", DType::Float32);
    const auto there = Function::compile(requestThere({steps, start, w}, looped(steps, start, w), second().id()));
    const std::vector<Tensor> results =
        run(*there, {Tensor::scalarInt(DType::Int64, 0), drawn(DType::Float32, {1, 2, 3}, 3), drawn(DType::Float32, {3, 3}, 4)});
    EXPECT_EQ(results[0].shape(), (Dims{1, 2, 3}));
    EXPECT_EQ(results[1].shape()[0], 0);
}

TEST_F(DeviceLoops, StepsThatNeedTheHostSayWhat)
{
    const ParsedExpression sorted = parseExpression("x: fvector; sort(exp(x))");
    ScanInfo info;
    info.sequences = 1;
    info.nitSot = 1;
    info.name = "sorting";
    const OpRef op = scanOp(info, {sorted.inputs, sorted.outputs});
    const VarRef steps = Variable::input(Type::ofRank(DType::Int64, 0), "steps"), rows = matrix("rows", DType::Float32);
    const auto f = Function::compile(requestThere({steps, rows}, {apply(op, {steps, exp(rows), steps})}, second().id()));
    std::string reasons;
    for (ApplyId id : f->order())
        if (opCast<Scan>(f->graph().apply(id).op))
            for (const WhyNot &answer : f->rewrites().whyNot->about(id)) reasons += std::string(answer.reason) + "\n";
    EXPECT_NE(reasons.find("it stays on the CPU because its steps do SortOp{quicksort, None}, and devices have no form of this op"),
              std::string::npos)
        << reasons;
}

} // namespace
