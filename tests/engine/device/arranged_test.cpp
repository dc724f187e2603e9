// What sorts, repeats, adds up along lines and looks through masks there gives the host's elements: odd shapes, values and dtypes, lines
// that several items share, and random numbers bit by bit.
#include "tests/engine/device/each_device.h"
#include "tests/engine/device/on_device.h"

#include "engine/ops/elements/random.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace on_device;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

class Arranged : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override
    {
        m_device = each_device::find(GetParam());
        if (!m_device) GTEST_SKIP() << each_device::problem(GetParam());
    }
    bool isSmall() const { return std::string_view(GetParam()) == "shadow0"; } // it has a megabyte of memory
    /// Where `allowed` is 0, of the same bits.
    void expectSame(const std::string &text, const std::vector<Tensor> &inputs, const char *form, double allowed = 0)
    {
        for (const char *mode : {"FAST_RUN", "FAST_COMPILE"}) {
            const auto there = compiled(text, m_device->id(), mode), here = compiled(text, DeviceId::Host, mode);
            EXPECT_GT(std::ranges::count_if(there->order(), [&](ApplyId id) { return there->graph().apply(id).op->shownClass() == form; }),
                      0)
                << text << " has no " << form;
            const std::vector<Tensor> got = run(*there, inputs), wanted = run(*here, inputs);
            for (std::size_t i = 0; i < got.size(); ++i) {
                const std::string what = text + ", output " + std::to_string(i);
                if (allowed == 0) {
                    expectSameBits(got[i], wanted[i], what);
                    continue;
                }
                ASSERT_EQ(got[i].shape(), wanted[i].shape()) << what;
                for (std::int64_t k = 0; k < got[i].size(); ++k)
                    ASSERT_NEAR(got[i].at(k), wanted[i].at(k), allowed * (1 + std::fabs(wanted[i].at(k)))) << what << ", element " << k;
            }
        }
    }
    Device *m_device = nullptr;
};

INSTANTIATE_TEST_SUITE_P(All, Arranged, testing::ValuesIn(each_device::others()),
                         [](const auto &info) { return each_device::testName(info.param); });

Tensor singles(std::initializer_list<float> list)
{
    Tensor tensor = Tensor::empty(DType::Float32, {static_cast<std::int64_t>(list.size())});
    std::copy(list.begin(), list.end(), tensor.as<float>());
    return tensor;
}

TEST_P(Arranged, NanComesLastAndEqualElementsStayInOrder)
{
    const Tensor x = singles({1, kNan, -0.0f, 0, -kInf, kInf, 1, -kNan, -1e-45f, 1e-45f, 0, -0.0f, 3e38f, -3e38f});
    for (const char *dtype : {"float16", "float32", "float64"})
        expectSame(std::string("x: fvector; y = cast(x, ") + dtype + "); argsort(y), argsort(-y)", {x}, "GpuArgSortOp");
    expectSame("x: fvector; sort(x * 1)", {x}, "GpuSortOp");
}

TEST_P(Arranged, LinesOfAnyAxis)
{
    for (const Dims &shape : {Dims{2, 3, 4}, Dims{1, 5, 1}, Dims{3, 0, 2}, Dims{1, 1, 1}, Dims{7, 300, 3}}) {
        const Tensor x = drawn(DType::Float32, shape, 3);
        for (const char *axis : {"0", "1", "2"}) {
            const std::string at = std::string(", axis=") + axis + ")";
            expectSame("x: ftensor3; sort(x * 1" + at + ", sort((x * 1)[::-1, :, ::-1]" + at, {x}, "GpuSortOp");
            expectSame("x: ftensor3; argsort(x * 1" + at, {x}, "GpuArgSortOp");
            expectSame("x: ftensor3; cumsum(x * 1" + at + ", cumprod(exp(x / 99).T" + at, {x}, "GpuCumOp", 1e-5);
            expectSame("x: ftensor3; repeat(x * 1, 3" + at + ", repeat((x * 1).T, 1" + at + ", repeat(x * 1, 0" + at, {x}, "GpuRepeat");
        }
    }
}

TEST_P(Arranged, LongLines)
{
    for (const std::int64_t length : {257, 5000, 70001}) {
        if (isSmall() && length > 10000) continue;
        const Tensor x = drawn(DType::Float32, {length}, 5);
        expectSame("x: fvector; sort(x * 1)", {x}, "GpuSortOp");
        expectSame("x: fvector; argsort(x * 1)", {x}, "GpuArgSortOp");
        expectSame("x: fvector; argsort(cast(x * 9, int8)), argsort(cast(x * 1e6, int32))", {x}, "GpuArgSortOp");
        expectSame("x: fvector; cumsum(cast(x * 9, int16)), cumsum(cast(x * 9, int64))", {x}, "GpuCumOp");
        expectSame("x: fvector; cumsum(abs(x))", {x}, "GpuCumOp", 1e-4); // either is as far from the sum as that
        expectSame("x: fvector; cumprod(exp(x / 1000))", {x}, "GpuCumOp", 2e-3);
    }
}

TEST_P(Arranged, MasksOfAnyShape)
{
    const char *const text = "x: ftensor3; a: fscalar; m = x > a; y = x * 1; y[m], set_subtensor(y[m], 7), inc_subtensor(y[m], y[m] * 2), "
                             "y[:, m[0, :, 0]], cast(y, float16)[m]";
    for (const Dims &shape : {Dims{2, 3, 4}, Dims{1, 1, 1}, Dims{5, 0, 2}, Dims{9, 60, 7}}) {
        const Tensor x = drawn(DType::Float32, shape, 3);
        for (const float limit : {-9.0f, 0.0f, 9.0f}) // all, some, none
            expectSame(text, {x, Tensor::full(DType::Float32, {}, static_cast<double>(limit))}, "GpuNonzero");
    }
    const std::int64_t length = isSmall() ? 9000 : 300001;
    expectSame("x: fvector; (x * 1)[x > 0.5], (x * 1)[~(x > 0.5)]", {drawn(DType::Float32, {length}, 4)}, "GpuNonzero");
}

TEST_P(Arranged, TheNumberOfWhatIsSetIsFetchedInsteadOfTheMask)
{
    const auto f = compiled("x: fmatrix; exp(x)[x > 0]", m_device->id());
    std::vector<int> ranks;
    for (ApplyId id : f->order())
        if (const auto &apply = f->graph().apply(id); apply.op->className() == "HostFromGpu")
            ranks.push_back(f->graph().var(apply.outputs[0]).type.rank());
    std::ranges::sort(ranks);
    EXPECT_EQ(ranks, (std::vector<int>{0, 1})) << "a number and the result";
}

TEST_P(Arranged, DiagonalsOfAnyAxes)
{
    const Tensor x = drawn(DType::Float32, {3, 4, 5}, 3);
    for (const char *offset : {"0", "1", "-2", "4", "9"}) {
        const std::string k = offset;
        expectSame("x: ftensor3; diag(exp(x)[0], k=" + k + "), diag(exp(x)[:, 0].T, k=" + k + ")", {x}, "GpuExtractDiag", 1e-6);
        expectSame("x: ftensor3; diag(exp(x)[0, 0], k=" + k + ")", {x}, "GpuAddToDiag", 1e-6);
    }
}

// --- random numbers --------------------------------------------------------------------------------------------

TEST_P(Arranged, RandomNumbersAreThoseOfTheHost)
{
    const std::int64_t seed[] = {12345, 23451, 34512, 45123, 51234, 12354};
    for (const DType dtype : {DType::Float32, DType::Float64})
        for (const auto &[streams, count] : {std::pair(7, 1), std::pair(7, 7), std::pair(7, 50), std::pair(300, 20000), std::pair(5, 0)}) {
            const VarRef states = matrix("states", DType::Int32);
            const VarRef sizes[] = {constantOf(DType::Int64, count)};
            const auto drawnOn = [&](DeviceId device) {
                FunctionSpec spec = request({states}, {});
                const std::vector<VarRef> made = mrgUniform(transfer(states, device), makeVector(sizes), {false}, dtype);
                const std::vector<VarRef> again = mrgUniform(made[0], makeVector(sizes), {false}, dtype);
                for (const VarRef &one : {made[0], made[1], again[0], again[1]}) spec.outputs.push_back(transfer(one, DeviceId::Host));
                return Function::compile(std::move(spec));
            };
            const Tensor start = mrgSubstreams(seed, streams);
            const auto there = drawnOn(m_device->id());
            EXPECT_EQ(countOn(*there, m_device->id(), "mrg_uniform"), 2u);
            const std::vector<Tensor> got = run(*there, {start}), wanted = run(*drawnOn(DeviceId::Host), {start});
            for (std::size_t i = 0; i < got.size(); ++i)
                expectSameBits(got[i], wanted[i],
                               std::to_string(streams) + " streams, " + std::to_string(count) + ", " + std::to_string(i));
        }
}

TEST_P(Arranged, StatesThatHaveNoSixNumbersAreAnError)
{
    const VarRef states = matrix("states", DType::Int32);
    const VarRef sizes[] = {constantOf(DType::Int64, 3)};
    const auto f = Function::compile(request(
        {states}, {transfer(mrgUniform(transfer(states, m_device->id()), makeVector(sizes), {false}, DType::Float32)[1], DeviceId::Host)}));
    try {
        run(*f, {Tensor::zeros(DType::Int32, {2, 5})});
        FAIL() << "it drew";
    } catch (const std::exception &error) {
        EXPECT_NE(std::string(error.what()).find("rstate must have 6 columns, got 5"), std::string::npos) << error.what();
    }
}

} // namespace
