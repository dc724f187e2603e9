// Reductions whose input lives on a device run there and give the host's numbers.
#include "tests/engine/device/on_device.h"

#include <cmath>

using namespace on_device;

namespace {

class DeviceReduce : public OnDevice {};

// Sums and products of floats are combined in another order than the host's.
void expectSame(const Tensor &got, const Tensor &wanted, ReduceKind kind, const std::string &what)
{
    if (!isContinuous(wanted.dtype()) || (kind != ReduceKind::Sum && kind != ReduceKind::Prod)) return expectSameBits(got, wanted, what);
    ASSERT_EQ(got.shape(), wanted.shape()) << what;
    const double step = wanted.dtype() == DType::Float64 ? 1e-12 : wanted.dtype() == DType::Float32 ? 1e-6 : 1e-3;
    for (std::int64_t i = 0; i < wanted.size(); ++i)
        EXPECT_NEAR(got.at(i), wanted.at(i), step * std::max(1.0, std::fabs(wanted.at(i)))) << what << ", element " << i;
}

void expectPairs(DType dtype, const std::vector<ReduceKind> &kinds, const std::vector<std::vector<int>> &axes,
                 std::initializer_list<Dims> shapes)
{
    const VarRef x = matrix("x", dtype), sent = there(x);
    std::vector<VarRef> outputs;
    std::vector<std::string> names;
    for (ReduceKind kind : kinds)
        for (const std::vector<int> &some : axes) {
            outputs.push_back(here(reduce(kind, sent, some)));
            outputs.push_back(reduce(kind, x, some));
            names.push_back(outputs.back()->owner()->op().name() + " of " + std::string(nameOf(dtype)) + " ");
        }
    const auto f = Function::compile(request({x}, outputs, {}, "FAST_COMPILE"));
    for (const Dims &shape : shapes) {
        const std::vector<Tensor> results = run(*f, {drawn(dtype, shape, 7)});
        for (std::size_t i = 0; i < names.size(); ++i)
            expectSame(results[2 * i], results[2 * i + 1], kinds[i / axes.size()], names[i] + shape.text());
    }
}

TEST_F(DeviceReduce, EveryKindGivesTheHostsNumbers)
{
    expectPairs(DType::Float32, {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Max, ReduceKind::Min, ReduceKind::Any, ReduceKind::All},
                {{0}, {1}, {0, 1}}, {{3, 5}, {1, 1}, {2000, 3}});
}

TEST_F(DeviceReduce, EveryDTypeGivesTheHostsNumbers)
{
    for (DType dtype : {DType::Float64, DType::Float16, DType::Int8, DType::Int64, DType::UInt64, DType::Bool})
        expectPairs(dtype, {ReduceKind::Sum, ReduceKind::Min, ReduceKind::Any}, {{0}}, {{3, 5}, {2000, 3}});
}

TEST_F(DeviceReduce, TakesAnyAxesStridesAndManyElements)
{
    const VarRef x = input(DType::Float64, 3, "x"), turned = dimshuffle(there(x), {2, 0, 1});
    std::vector<VarRef> outputs;
    const std::vector<std::vector<int>> axes{{0}, {1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}};
    for (const std::vector<int> &some : axes)
        for (const VarRef &result : {here(sum(turned, some)), sum(dimshuffle(x, {2, 0, 1}), some)}) outputs.push_back(result);
    const auto f = Function::compile(request({x}, outputs, {}, "FAST_COMPILE"));
    for (const Dims &shape : {Dims{4, 3, 5}, Dims{1, 60, 40}, Dims{9, 1000, 2}, Dims{0, 2, 3}}) {
        const std::vector<Tensor> results = run(*f, {drawn(DType::Float64, shape, 3)});
        for (std::size_t i = 0; i < results.size(); i += 2)
            expectSame(results[i], results[i + 1], ReduceKind::Sum, shape.text() + " axes " + std::to_string(i / 2));
    }
}

TEST_F(DeviceReduce, NanWinsAndWholeNumbersAreExact)
{
    const VarRef x = vector("x"), n = vector("n", DType::Int64);
    const auto f = Function::compile(request({x, n}, {here(reduce(ReduceKind::Max, there(x))), here(reduce(ReduceKind::Min, there(x))),
                                                      here(reduce(ReduceKind::Prod, there(n))), here(reduce(ReduceKind::Max, there(n)))}));
    Tensor many = drawn(DType::Float64, {5000}, 1), whole = Tensor::full(DType::Int64, {5000}, 3);
    whole.as<std::int64_t>()[7] = INT64_MIN;
    many.as<double>()[3333] = NAN;
    const std::vector<Tensor> results = run(*f, {many, whole});
    EXPECT_TRUE(std::isnan(results[0].at(0)));
    EXPECT_TRUE(std::isnan(results[1].at(0)));
    std::uint64_t product = std::uint64_t(1) << 63;
    for (int i = 1; i < 5000; ++i) product *= 3;
    EXPECT_EQ(results[2].as<std::int64_t>()[0], static_cast<std::int64_t>(product));
    EXPECT_EQ(results[3].as<std::int64_t>()[0], 3);
}

TEST_F(DeviceReduce, MakesItsElementsOnTheWay)
{
    const VarRef x = matrix("x", DType::Float32), row = Variable::input(Type::broadcastable(DType::Float32, {true, false}), "row");
    const auto error = [](const VarRef &a, const VarRef &b) { return sum(sqr(sub(a, b)), std::vector<int>{1}); };
    const auto f = Function::compile(request({x, row}, {here(error(there(x), there(row))), error(x, row)}));
    EXPECT_EQ(countOn(*f, second().id(), "Elemwise"), 0u) << "the squares are not stored";
    EXPECT_EQ(countOn(*f, second().id(), "Sum"), 1u);
    for (const Dims &shape : {Dims{6, 4}, Dims{3, 5000}, Dims{5000, 3}}) {
        const std::vector<Tensor> results = run(*f, {drawn(DType::Float32, shape, 1), drawn(DType::Float32, {1, shape[1]}, 2)});
        expectSame(results[0], results[1], ReduceKind::Sum, shape.text());
    }
}

TEST_F(DeviceReduce, RefusesWhatHasNoLargestElement)
{
    const VarRef x = vector("x");
    const auto f = Function::compile(request({x}, {here(reduce(ReduceKind::Max, there(x)))}));
    EXPECT_THROW(run(*f, {Tensor::empty(DType::Float64, {0})}), std::exception);
    EXPECT_EQ(run(*f, {values({2, 5, 3})})[0].at(0), 5);
}

} // namespace
