// Every kernel for devices, run by the interpreter: no item reads or writes outside of an array or where another one does, the values are
// the host's, and the bits are those of the kernel compiled for the host.
#include "tests/engine/device/conv_cases.h"
#include "tests/engine/device/interpreted.h"
#include "tests/engine/device/op_cases.h"
#include "tests/engine/rewrite/random_graph.h"

#include "engine/compile/function/function.h"
#include "engine/text/notation.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace engine;

namespace {

interpreted::Interpreted &deviceFor(Dialect dialect)
{
    static std::map<Dialect, interpreted::Interpreted *> known;
    interpreted::Interpreted *&one = known[dialect];
    if (!one) {
        auto made = std::make_unique<interpreted::Interpreted>("interpreted" + std::to_string(static_cast<int>(dialect)), dialect);
        one = made.get();
        addDevice(std::move(made));
    }
    return *one;
}

/// What the suites of devices do not draw: parts of long rows, streams, and the largest few.
const device_ops::Case kMore[] = {
    {"LongRows", "x: dmatrix; y = reshape(join(1, x, x, x, x, x, x, x, x, x, x, x, x), -1); sum(exp(y)), max(y), argmax(y), cumsum(y)", ""},
    {"LongColumns", "x: fmatrix; y = join(0, x, x, x, x, x, x, x, x, x, x, x, x); sum(exp(y), axis=0), sum(y > 0, axis=1)", ""},
    {"Highest", "x: fmatrix; topk(exp(x), 2), argtopk(x * 2, -1, axis=0)", ""},
    {"SoftmaxOfDoubles", "x: dmatrix; softmax(x * 3), logsoftmax(x)", ""},
    {"Streams", "x: fmatrix; s: imatrix; mrg_uniform(abs(s) * 12347 + 1, x.shape[0], x.shape[1])", ""},
};

class InterpretedKernels : public testing::TestWithParam<Dialect> {
protected:
    static FunctionSpec request(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs, DeviceId device)
    {
        FunctionSpec spec;
        for (const VarRef &input : inputs) spec.inputs.push_back({input});
        spec.outputs = outputs;
        spec.onUnusedInput = OnUnusedInput::Ignore;
        spec.mode = Mode::named("FAST_RUN");
        spec.mode.device = device;
        return spec;
    }
    static std::vector<Value> results(Function &function, const std::vector<Value> &inputs)
    {
        std::vector<Value> values;
        function.call(inputs, values);
        return values;
    }
    void expectSame(const std::string &what, const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs,
                    const std::vector<std::vector<Value>> &calls)
    {
        SCOPED_TRACE(what);
        const auto there = Function::compile(request(inputs, outputs, deviceFor(GetParam()).id()));
        const auto here = Function::compile(request(inputs, outputs, DeviceId::Host));
        for (const std::vector<Value> &call : calls) {
            std::vector<Value> got;
            ASSERT_NO_THROW(got = results(*there, call));
            const std::vector<Value> wanted = results(*here, call);
            for (std::size_t k = 0; k < got.size(); ++k) {
                const Tensor &a = got[k].tensor(), &b = wanted[k].tensor();
                ASSERT_EQ(a.shape(), b.shape());
                const double step = b.dtype() == DType::Float64 ? 1e-12 : b.dtype() == DType::Float16 ? 4e-3 : 1e-5;
                for (std::int64_t i = 0; i < b.size(); ++i)
                    ASSERT_TRUE(a.at(i) == b.at(i) || std::fabs(a.at(i) - b.at(i)) <= step * (1 + std::fabs(b.at(i))) ||
                                (std::isnan(a.at(i)) && std::isnan(b.at(i))))
                        << a.at(i) << " instead of " << b.at(i) << ", output " << k << ", element " << i;
            }
        }
    }
    void expectSame(const device_ops::Case &one)
    {
        const ParsedExpression parsed = parseExpression(one.text);
        std::vector<std::vector<Value>> calls;
        for (const auto &[rows, columns] : {std::pair(3, 4), std::pair(17, 33)}) {
            std::minstd_rand random(1);
            std::vector<Value> plain, turned;
            for (const VarRef &input : parsed.inputs) {
                const Tensor array = device_ops::drawn(input->type(), random, rows, input->name() == "s" ? 6 : columns);
                plain.emplace_back(array);
                turned.emplace_back(device_ops::withGaps(array));
            }
            calls.push_back(plain);
            calls.push_back(turned);
        }
        expectSame(one.name, parsed.inputs, parsed.outputs, calls);
    }
};

INSTANTIATE_TEST_SUITE_P(Forms, InterpretedKernels, testing::Values(Dialect::C, Dialect::CudaC, Dialect::OpenClStrips),
                         [](const auto &info) {
                             return info.param == Dialect::C ? "InTurn" : info.param == Dialect::CudaC ? "Many" : "Strips";
                         });

TEST_P(InterpretedKernels, OfOps)
{
    for (const device_ops::Case &one : device_ops::kCases) expectSame(one);
    for (const device_ops::Case &one : kMore) expectSame(one);
    EXPECT_GT(deviceFor(GetParam()).ran.size(), 100u) << "the suite launches more kernels";
}

TEST_P(InterpretedKernels, OfConvolutionsAndPools)
{
    for (const conv_cases::Case &one : conv_cases::all()) {
        const ParsedExpression parsed = parseExpression(one.text);
        std::minstd_rand random(1);
        std::vector<Value> values;
        for (std::size_t i = 0; i < one.shapes.size(); ++i)
            values.emplace_back(conv_cases::drawn(parsed.inputs[i]->type().dtype(), one.shapes[i], random));
        expectSame(one.name, parsed.inputs, parsed.outputs, {values});
    }
}

TEST_P(InterpretedKernels, OfRandomGraphs)
{
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
        const rewrite_test::RandomGraph random = rewrite_test::randomGraph(seed, 24, seed % 2);
        expectSame("seed " + std::to_string(seed), random.inputs, random.outputs, {random.values});
    }
}

} // namespace
