// Reading and writing parts of arrays: against plain index arithmetic, in both ways of running.
#include "tests/engine/ops/evaluate.h"

#include "engine/ops/elements/compose.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"

using namespace testing_ops;

namespace {

VarRef whole(std::int64_t value) { return constantOf(DType::Int64, static_cast<double>(value)); }
VarRef scalar(const char *name = "i") { return Variable::input(Type::scalar(DType::Int64), name); }
Tensor number(std::int64_t value) { return Tensor::scalarInt(DType::Int64, value); }
VarRef maybe(std::optional<std::int64_t> value) { return value ? whole(*value) : VarRef(); }
VarRef ints(const std::vector<double> &values, Dims shape) { return Variable::constant(fromList(values, shape, DType::Int64)); }

// Python's rule, written the long way round.
std::vector<double> sliced(const std::vector<double> &x, std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                           std::int64_t step)
{
    const auto n = static_cast<std::int64_t>(x.size());
    std::int64_t from = start ? *start : step > 0 ? 0 : n - 1;
    if (start && from < 0) from += n;
    std::int64_t to = stop ? *stop : step > 0 ? n : -n - 1;
    if (to < 0) to += n;
    std::vector<double> result;
    if (step > 0) {
        for (std::int64_t i = std::max<std::int64_t>(from, 0); i < std::min(to, n); i += step)
            result.push_back(x[static_cast<std::size_t>(i)]);
    } else {
        for (std::int64_t i = std::min(from, n - 1); i > std::max<std::int64_t>(to, -1); i += step)
            result.push_back(x[static_cast<std::size_t>(i)]);
    }
    return result;
}

} // namespace

TEST(Subtensor, EverySliceOfAVectorConstantAndSymbolic)
{
    const std::optional<std::int64_t> bounds[] = {std::nullopt, 0, 1, 3, 5, 9, -1, -3, -5, -9};
    for (std::int64_t size : {0, 1, 5}) {
        std::vector<double> list;
        for (std::int64_t i = 0; i < size; ++i) list.push_back(static_cast<double>(10 + i));
        const Tensor value = fromList(list, {size});
        const VarRef x = variable(value);
        for (const auto &start : bounds)
            for (const auto &stop : bounds)
                for (std::int64_t step : {1, 2, 7, -1, -2, -7}) {
                    const std::vector<double> wanted = sliced(list, start, stop, step);
                    const IndexItem constant[] = {IndexItem::slice(maybe(start), maybe(stop), whole(step))};
                    const VarRef outputs[] = {subtensor(x, constant)};
                    const VarRef inputs[] = {x};
                    const Tensor values[] = {value};
                    ASSERT_EQ(listOf(evaluate(outputs, inputs, values)[0]), wanted)
                        << size << " [" << start.value_or(99) << ":" << stop.value_or(99) << ":" << step << "]";
                }
    }
    const Tensor value = fromList({10, 11, 12, 13, 14}, {5});
    const VarRef x = variable(value), a = scalar("a"), b = scalar("b"), c = scalar("c");
    const IndexItem symbolic[] = {IndexItem::slice(a, b, c)};
    const VarRef y = subtensor(x, symbolic);
    EXPECT_EQ(y->owner()->op().name(), "Subtensor{int64:int64:int64}");
    FunctionSpec spec;
    for (const VarRef &input : {x, a, b, c}) spec.inputs.push_back({input});
    spec.outputs = {y};
    spec.mode.level = OptimizerLevel::None;
    const auto f = Function::compile(std::move(spec));
    for (std::int64_t start : {0, 2, -2, 9, -9})
        for (std::int64_t stop : {0, 3, -1, 9, -9})
            for (std::int64_t step : {1, 3, -1, -2}) {
                std::vector<Value> results;
                const std::vector<Value> arguments{value, number(start), number(stop), number(step)};
                f->call(arguments, results);
                ASSERT_EQ(listOf(results[0].tensor()), sliced(listOf(value), start, stop, step)) << start << ":" << stop << ":" << step;
            }
}

TEST(Subtensor, NamesTypesAndViews)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 3), "x"), i = Variable::input(Type::scalar(DType::Int32), "i");
    const IndexItem first[] = {IndexItem::integer(i)};
    EXPECT_EQ(subtensor(x, first)->owner()->op().name(), "Subtensor{int32}");
    const IndexItem mixed[] = {IndexItem::slice(), IndexItem::at(-1), IndexItem::slice({}, whole(2))};
    EXPECT_EQ(subtensor(x, mixed)->owner()->op().name(), "Subtensor{::, int64, :int64:}");
    EXPECT_EQ(subtensor(x, mixed)->type().rank(), 2);
    const IndexItem none[] = {IndexItem::newAxis(), IndexItem::ellipsis(), IndexItem::at(0)};
    const VarRef y = subtensor(x, none);
    EXPECT_EQ(y->type().rank(), 3);
    EXPECT_TRUE(y->type().isBroadcastable(0));
    const IndexItem all[] = {IndexItem::slice(), IndexItem::ellipsis()};
    EXPECT_EQ(subtensor(x, all)->owner()->op().name(), "Subtensor{::}"); // it can be written to
    const IndexItem tooMany[] = {IndexItem::at(0), IndexItem::at(0), IndexItem::at(0), IndexItem::at(0)};
    EXPECT_THROW(subtensor(x, tooMany), ShapeMismatch);
    const IndexItem twice[] = {IndexItem::ellipsis(), IndexItem::ellipsis()};
    EXPECT_THROW(subtensor(x, twice), ShapeMismatch);
    const IndexItem wrong[] = {IndexItem::integer(constantOf(DType::Float64, 1))};
    EXPECT_THROW(subtensor(x, wrong), TypeMismatch);
    // Being of length 1 by chance does not make an axis broadcastable.
    const IndexItem one[] = {IndexItem::slice(whole(0), whole(1))};
    EXPECT_FALSE(subtensor(Variable::constant(randomTensor({5})), one)->type().isBroadcastable(0));
}

TEST(Subtensor, ValuesInEveryLayout)
{
    std::mt19937 generator(4);
    for (reference::Order layout : reference::kLayouts) {
        const Tensor value = reference::make(DType::Float32, {4, 3, 5}, layout, [&] { return static_cast<double>(generator() % 1000); });
        const VarRef x = variable(value);
        const IndexItem items[] = {IndexItem::slice(whole(3), {}, whole(-2)), IndexItem::at(-2), IndexItem::slice(whole(1), whole(4))};
        const Tensor got = run(subtensor(x, items), {x}, {value});
        ASSERT_EQ(got.shape(), (Dims{2, 3}));
        for (std::int64_t a = 0; a < 2; ++a)
            for (std::int64_t b = 0; b < 3; ++b) ASSERT_EQ(got.at(a * 3 + b), value.at(((3 - 2 * a) * 3 + 1) * 5 + 1 + b));
    }
    const Tensor value = randomTensor({3, 2});
    const VarRef x = variable(value), i = scalar();
    const IndexItem row[] = {IndexItem::integer(i)};
    EXPECT_EQ(run(subtensor(x, row), {x, i}, {value, number(-1)}).at(1), value.at(5));
    EXPECT_THROW(run(subtensor(x, row), {x, i}, {value, number(3)}), std::exception);
    EXPECT_THROW(run(subtensor(x, row), {x, i}, {value, number(-4)}), std::exception);
}

TEST(IncSubtensor, SetsAndAdds)
{
    const Tensor value = fromList({0, 1, 2, 3, 4, 5}, {2, 3});
    const VarRef x = variable(value);
    const IndexItem column[] = {IndexItem::slice(), IndexItem::at(1)};
    const VarRef seven = constantOf(DType::Float64, 7);
    const VarRef set = setSubtensor(subtensor(x, column), seven);
    EXPECT_EQ(set->owner()->op().name(), "IncSubtensor{Set;::, int64}");
    EXPECT_EQ(listOf(run(set, {x}, {value})), (std::vector<double>{0, 7, 2, 3, 7, 5}));
    EXPECT_EQ(listOf(run(incSubtensor(subtensor(x, column), seven), {x}, {value})), (std::vector<double>{0, 8, 2, 3, 11, 5}));
    const IndexItem back[] = {IndexItem::slice({}, {}, whole(-1))};
    EXPECT_EQ(listOf(run(setSubtensor(subtensor(x, back), Variable::constant(fromList({1, 2, 3, 4, 5, 6}, {2, 3}))), {x}, {value})),
              (std::vector<double>{4, 5, 6, 1, 2, 3}));
    EXPECT_EQ(listOf(value), (std::vector<double>{0, 1, 2, 3, 4, 5})) << "the input must not change";
    EXPECT_THROW(setSubtensor(x, seven), TypeMismatch);
    const VarRef whole8 = Variable::input(Type::ofRank(DType::Int8, 1));
    EXPECT_THROW(setSubtensor(elementAt(whole8, 0), seven), TypeMismatch);
    EXPECT_THROW(setSubtensor(elementAt(x, 0), x), ShapeMismatch);
}

TEST(Advanced, TakesRowsWithRepeatsAndNegatives)
{
    const Tensor value = randomTensor({4, 3});
    const VarRef x = variable(value);
    const IndexItem rows[] = {IndexItem::array(ints({2, 0, 2, -1}, {4}))};
    const VarRef y = subtensor(x, rows);
    EXPECT_EQ(y->owner()->op().name(), "AdvancedSubtensor1");
    const Tensor got = run(y, {x}, {value});
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(got.at(k), value.at(6 + k));
        EXPECT_EQ(got.at(9 + k), value.at(9 + k));
    }
    // Repeated rows add up in inc and in the gradient.
    const VarRef inc = incSubtensor(y, constantOf(DType::Float64, 1));
    const Tensor added = run(inc, {x}, {value});
    EXPECT_NEAR(added.at(6), value.at(6) + 2, 1e-12);
    EXPECT_NEAR(added.at(3), value.at(3), 1e-12);
    const IndexItem outside[] = {IndexItem::array(ints({4}, {1}))};
    EXPECT_THROW(run(subtensor(x, outside), {x}, {value}), std::exception);
    const IndexItem floats[] = {IndexItem::array(Variable::constant(fromList({1}, {1})))};
    EXPECT_THROW(subtensor(x, floats), TypeMismatch);
}

TEST(Advanced, NumPysPlacesOfTheArrayAxes)
{
    const Tensor value = randomTensor({3, 4, 5});
    const VarRef x = variable(value);
    const VarRef i = ints({0, 2}, {2, 1}), j = ints({1, 3, 0}, {3});
    // Neighbours: their axes stand in place. x[:, i', j'] has shape (3, 2, 3).
    const IndexItem neighbours[] = {IndexItem::slice(), IndexItem::array(i), IndexItem::array(j)};
    const Tensor a = run(subtensor(x, neighbours), {x}, {value});
    ASSERT_EQ(a.shape(), (Dims{3, 2, 3}));
    EXPECT_EQ(a.at((1 * 2 + 1) * 3 + 2), value.at((1 * 4 + 2) * 5 + 0));
    // A slice between them: their axes come first. x[i', :, j'] has shape (2, 3, 4).
    const IndexItem apart[] = {IndexItem::array(i), IndexItem::slice(), IndexItem::array(j)};
    const Tensor b = run(subtensor(x, apart), {x}, {value});
    ASSERT_EQ(b.shape(), (Dims{2, 3, 4}));
    EXPECT_EQ(b.at((1 * 3 + 1) * 4 + 2), value.at((2 * 4 + 2) * 5 + 3));
    // An integer beside an array counts as an array; slices keep their steps.
    const IndexItem mixed[] = {IndexItem::at(1), IndexItem::slice({}, {}, whole(-2)), IndexItem::array(j)};
    const Tensor c = run(subtensor(x, mixed), {x}, {value});
    ASSERT_EQ(c.shape(), (Dims{3, 2}));
    EXPECT_EQ(c.at(2 * 2 + 1), value.at((1 * 4 + 1) * 5 + 0));
    const IndexItem clash[] = {IndexItem::array(ints({0, 1}, {2})), IndexItem::array(j)};
    EXPECT_THROW(run(subtensor(x, clash), {x}, {value}), std::exception);
}

TEST(Advanced, Masks)
{
    const Tensor value = fromList({1, -2, 3, -4, 5, -6}, {2, 3});
    const VarRef x = variable(value);
    const VarRef mask = elementwise(ScalarCode::Gt, {x, constantOf(DType::Float64, 0)});
    const IndexItem items[] = {IndexItem::array(mask)};
    EXPECT_EQ(listOf(run(subtensor(x, items), {x}, {value})), (std::vector<double>{1, 3, 5}));
    EXPECT_EQ(listOf(run(setSubtensor(subtensor(x, items), constantOf(DType::Float64, 0)), {x}, {value})),
              (std::vector<double>{0, -2, 0, -4, 0, -6}));
    const VarRef rows = Variable::constant(fromList({0, 1}, {2}, DType::Bool));
    const IndexItem rowItems[] = {IndexItem::array(rows), IndexItem::at(1)};
    EXPECT_EQ(listOf(run(subtensor(x, rowItems), {x}, {value})), (std::vector<double>{5}));
    EXPECT_EQ(listOf(run(nonzero(mask)[1], {x}, {value})), (std::vector<double>{0, 2, 1}));
}

TEST(Advanced, TakeOnAnyAxis)
{
    const Tensor value = randomTensor({2, 3});
    const VarRef x = variable(value);
    EXPECT_EQ(listOf(run(take(x, ints({5, 0}, {2}), {}), {x}, {value})), (std::vector<double>{value.at(5), value.at(0)}));
    EXPECT_EQ(run(take(x, ints({2, 2, 0, 1}, {2, 2}), 1), {x}, {value}).shape(), (Dims{2, 2, 2}));
    EXPECT_EQ(listOf(run(take(x, whole(1), -1), {x}, {value})), (std::vector<double>{value.at(1), value.at(4)}));
}

TEST(IndexGradients, ReadingAndWriting)
{
    const Tensor x = randomTensor({3, 4}), y = randomTensor({3}, -1, 1, 8);
    const IndexItem column[] = {IndexItem::slice(), IndexItem::at(1)};
    const IndexItem back[] = {IndexItem::slice({}, {}, whole(-1)), IndexItem::slice(whole(1), whole(3))};
    verifyGrad([&](const std::vector<VarRef> &in) { return subtensor(in[0], column); }, {x});
    verifyGrad([&](const std::vector<VarRef> &in) { return subtensor(in[0], back); }, {x});
    verifyGrad([&](const std::vector<VarRef> &in) { return setSubtensor(subtensor(in[0], column), in[1]); }, {x, y});
    verifyGrad([&](const std::vector<VarRef> &in) { return incSubtensor(subtensor(in[0], column), in[1]); }, {x, y});
    verifyGrad([&](const std::vector<VarRef> &in) { return setSubtensor(subtensor(in[0], back), in[1]); }, {x, randomTensor({})});
    const IndexItem rows[] = {IndexItem::array(ints({2, 0, 2}, {3}))};
    verifyGrad([&](const std::vector<VarRef> &in) { return subtensor(in[0], rows); }, {x});
    verifyGrad([&](const std::vector<VarRef> &in) { return incSubtensor(subtensor(in[0], rows), in[1]); },
               {x, randomTensor({3, 4}, -1, 1, 5)});
    verifyGrad([&](const std::vector<VarRef> &in) { return incSubtensor(subtensor(in[0], rows), in[1]); },
               {x, randomTensor({4}, -1, 1, 5)});
    const IndexItem rowsOnce[] = {IndexItem::array(ints({2, 0}, {2}))};
    verifyGrad([&](const std::vector<VarRef> &in) { return setSubtensor(subtensor(in[0], rowsOnce), in[1]); },
               {x, randomTensor({2, 4}, -1, 1, 5)});
    const IndexItem pairs[] = {IndexItem::array(ints({0, 1, 2, 0}, {4})), IndexItem::array(ints({1, 3, 0, 1}, {4}))};
    verifyGrad([&](const std::vector<VarRef> &in) { return subtensor(in[0], pairs); }, {x});
    verifyGrad([&](const std::vector<VarRef> &in) { return incSubtensor(subtensor(in[0], pairs), in[1]); },
               {x, randomTensor({4}, -1, 1, 6)});
    const IndexItem pairsOnce[] = {IndexItem::array(ints({0, 1}, {2})), IndexItem::array(ints({1, 3}, {2}))};
    verifyGrad([&](const std::vector<VarRef> &in) { return setSubtensor(subtensor(in[0], pairsOnce), in[1]); },
               {x, randomTensor({2}, -1, 1, 6)});
}
