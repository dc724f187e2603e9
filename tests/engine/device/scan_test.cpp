// Loops whose steps run on a device: what comes from outside is sent once, states stay there.
#include "tests/engine/device/on_device.h"

#include "engine/ops/loops/scan.h"
#include "engine/rewrite/machine/why_not.h"
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

FunctionSpec requestOnDevice(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs, DeviceId device)
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
    const auto there = Function::compile(requestOnDevice({steps, start, w}, results, second().id()));
    const auto here = Function::compile(requestOnDevice({steps, start, w}, results, DeviceId::Host));
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
    const auto there = Function::compile(requestOnDevice({steps, start, w}, results, second().id()));
    const auto here = Function::compile(requestOnDevice({steps, start, w}, results, DeviceId::Host));
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
    const auto there = Function::compile(requestOnDevice({steps, start, w}, looped(steps, start, w), second().id()));
    const std::vector<Tensor> results =
        run(*there, {Tensor::scalarInt(DType::Int64, 0), drawn(DType::Float32, {1, 2, 3}, 3), drawn(DType::Float32, {3, 3}, 4)});
    EXPECT_EQ(results[0].shape(), (Dims{1, 2, 3}));
    EXPECT_EQ(results[1].shape()[0], 0);
}

TEST_F(DeviceLoops, StepsThatNeedTheHostSayWhat)
{
    const ParsedExpression inverse = parseExpression("x: fmatrix; matrix_inverse(exp(x))");
    ScanInfo info;
    info.sequences = 1;
    info.nitSot = 1;
    info.name = "inverting";
    const OpRef op = scanOp(info, {inverse.inputs, inverse.outputs});
    const VarRef steps = Variable::input(Type::ofRank(DType::Int64, 0), "steps"), rows = input(DType::Float32, 3, "rows");
    const auto f = Function::compile(requestOnDevice({steps, rows}, {apply(op, {steps, exp(rows), steps})}, second().id()));
    std::string reasons;
    for (ApplyId id : f->order())
        if (opCast<Scan>(f->graph().apply(id).op))
            for (const WhyNot &answer : f->rewrites().whyNot->about(id)) reasons += std::string(answer.reason) + "\n";
    EXPECT_NE(reasons.find("it stays on the CPU because its steps do MatrixInverse, and devices have no form of this op"),
              std::string::npos)
        << reasons;
}

// Rows that a step finds by values of its own are read and written there; what is out of bounds is told with the apply of the step.
TEST_F(DeviceLoops, StepsReadAndWriteWhereTheyComputeIt)
{
    const ParsedExpression body = parseExpression(
        "h: fmatrix; w: fmatrix; c: fvector; n = tanh(dot(h, w)); p = argmax(n, axis=1) % n.shape[0]; "
        "q = cast(n[:, 0] * c, int32); m = inc_subtensor(n[p], n / 2); k = set_subtensor(m[q, p], 0.25); k[p[::-1]], sum(k[q], axis=1)");
    ScanInfo info;
    info.sitSot = 1;
    info.nitSot = 1;
    info.nonSequences = 2;
    info.name = "finding";
    const OpRef op = scanOp(info, {body.inputs, body.outputs});
    const VarRef steps = Variable::input(Type::ofRank(DType::Int64, 0), "steps"), start = input(DType::Float32, 3, "start"),
                 w = matrix("w", DType::Float32), c = build::vector("c", DType::Float32);
    const VarRef first = apply(op, {steps, start, steps, w, c});
    const std::vector<VarRef> results{first, VarRef(first->owner()->output(1))};
    const auto there = Function::compile(requestOnDevice({steps, start, w, c}, results, second().id()));
    const auto here = Function::compile(requestOnDevice({steps, start, w, c}, results, DeviceId::Host));
    EXPECT_EQ(countOn(*there, second().id(), "Scan"), 1u);
    std::size_t copies[2] = {};
    for (const std::int64_t count : {3, 30}) {
        Tensor begin = Tensor::zeros(DType::Float32, {count + 1, 5, 5});
        for (int i = 0; i < 25; ++i) begin.as<float>()[i] = 0.3f * static_cast<float>(i * 7 % 11) - 1.4f;
        const std::vector<Tensor> given{Tensor::scalarInt(DType::Int64, count), begin, drawn(DType::Float32, {5, 5}, 4),
                                        Tensor::full(DType::Float32, {5}, 3)};
        run(*there, given);
        const std::size_t before = second().copies();
        const std::vector<Tensor> got = run(*there, given), wanted = run(*here, given);
        copies[count == 30] = second().copies() - before;
        for (std::size_t k = 0; k < 2; ++k) {
            ASSERT_EQ(got[k].shape(), wanted[k].shape());
            for (std::int64_t i = 0; i < got[k].size(); ++i) ASSERT_NEAR(got[k].at(i), wanted[k].at(i), 1e-5) << k << ", " << i;
        }
        std::vector<Tensor> far = given;
        far[3] = Tensor::full(DType::Float32, {5}, 1000);
        try {
            run(*there, far);
            FAIL() << "it wrote far away";
        } catch (const std::exception &error) {
            const std::string said = error.what();
            EXPECT_NE(said.find("is out of bounds for axis 0 with size 5"), std::string::npos) << said;
            EXPECT_NE(said.find("Apply node that caused the error: GpuAdvanced"), std::string::npos) << said;
        }
    }
    EXPECT_EQ(copies[0], copies[1]) << "more steps copy more";
}

} // namespace
