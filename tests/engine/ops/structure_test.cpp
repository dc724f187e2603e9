// Shapes, reshaping, joining, ranges, diagonals, order, running sums, repetition and what is composed of them.
#include "tests/engine/ops/evaluate.h"

#include "engine/ops/elements/checks.h"
#include "engine/ops/elements/compose.h"
#include "engine/ops/index/index.h"
#include "engine/ops/loops/graph_op.h"
#include "engine/ops/products/linalg.h"
#include "engine/ops/reductions/cumulative.h"
#include "engine/ops/reductions/sort.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/repeat.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"

#include <numeric>

using namespace testing_ops;
using List = std::vector<double>;

namespace {

VarRef whole(std::int64_t value) { return constantOf(DType::Int64, static_cast<double>(value)); }
VarRef ints(const List &values) { return Variable::constant(fromList(values, {static_cast<std::int64_t>(values.size())}, DType::Int64)); }

} // namespace

TEST(Shape, OfAnythingAndItsElements)
{
    const Tensor value = randomTensor({2, 0, 3});
    const VarRef x = variable(value);
    EXPECT_EQ(listOf(run(shape(x), {x}, {value})), (List{2, 0, 3}));
    EXPECT_EQ(run(shapeOf(x, 2), {x}, {value}).at(0), 3);
    EXPECT_EQ(shapeOf(x, 2)->owner()->op().name(), "Shape_i{2}");
    const VarRef sizes[] = {shapeOf(x, 2), shapeOf(x, 0)};
    EXPECT_EQ(listOf(run(makeVector(sizes), {x}, {value})), (List{3, 2}));
    EXPECT_EQ(run(elementAt(shape(x), -1), {x}, {value}).at(0), 3);
    EXPECT_THROW(shapeOf(x, 3), ShapeMismatch);
    const VarRef s = Variable::input(Type::scalar(DType::Float64)), t = Variable::input(Type::scalar(DType::Float64));
    const VarRef both[] = {s, t};
    const OpRef vector = makeOp<MakeVector>(DType::Float64);
    verifyGrad([&](const std::vector<VarRef> &in) { return engine::apply(vector, in); }, {randomTensor({}), randomTensor({}, 0, 1, 3)});
}

TEST(Alloc, FillsAndItsGradientSums)
{
    const VarRef n = Variable::input(Type::scalar(DType::Int64), "n");
    const VarRef sizes[] = {n, whole(2)};
    EXPECT_EQ(listOf(run(zeros(sizes, DType::Float32), {n}, {Tensor::scalarInt(DType::Int64, 2)})), List(4, 0));
    EXPECT_EQ(listOf(run(ones(sizes, DType::Int8), {n}, {Tensor::scalarInt(DType::Int64, 0)})), List());
    const VarRef fixed[] = {whole(3), whole(1), whole(4)};
    EXPECT_EQ(alloc(constantOf(DType::Float64, 1), fixed)->type().text(), "TensorType(float64, (False, True, False))");
    const VarRef big[] = {whole(3), whole(4)};
    verifyGrad([&](const std::vector<VarRef> &in) { return alloc(in[0], big); }, {randomTensor({})});
    verifyGrad([&](const std::vector<VarRef> &in) { return alloc(in[0], big); }, {randomTensor({4})});
    verifyGrad([&](const std::vector<VarRef> &in) { return alloc(dimshuffle(in[0], {0, -1}), big); }, {randomTensor({3})});
    const VarRef wrong[] = {constantOf(DType::Float64, 3)};
    EXPECT_THROW(alloc(constantOf(DType::Float64, 1), wrong), TypeMismatch);
    const VarRef m = Variable::input(Type::ofRank(DType::Float64, 2));
    EXPECT_THROW(alloc(m, std::span<const VarRef>(sizes, 1)), ShapeMismatch);
}

TEST(Reshape, WithNumbersUnknownsAndViews)
{
    const Tensor value = randomTensor({2, 6});
    const VarRef x = variable(value);
    const std::int64_t three[] = {3, -1};
    EXPECT_EQ(run(reshape(x, three), {x}, {value}).shape(), (Dims{3, 4}));
    EXPECT_EQ(reshape(x, three)->owner()->op().name(), "Reshape{2}");
    const VarRef mixed[] = {whole(1), shapeOf(x, 1), shapeOf(x, 0)};
    const VarRef y = reshape(x, mixed);
    EXPECT_TRUE(y->type().isBroadcastable(0));
    EXPECT_EQ(run(y, {x}, {value}).shape(), (Dims{1, 6, 2}));
    // A transposed array is no flat memory: the elements still come in C order.
    const Tensor turned = run(reshape(transpose(x), three), {x}, {value});
    for (std::int64_t i = 0; i < 12; ++i) EXPECT_EQ(turned.at(i), value.at((i % 2) * 6 + i / 2));
    const std::int64_t bad[] = {5, -1};
    EXPECT_THROW(run(reshape(x, bad), {x}, {value}), std::exception);
    EXPECT_EQ(run(flatten(x), {x}, {value}).shape(), (Dims{12}));
    const Tensor cube = randomTensor({2, 3, 4});
    const VarRef c = variable(cube);
    EXPECT_EQ(run(flatten(c, 2), {c}, {cube}).shape(), (Dims{2, 12}));
    EXPECT_THROW(flatten(c, 4), ShapeMismatch);
    verifyGrad([&](const std::vector<VarRef> &in) { return reshape(transpose(in[0]), three); }, {value});
    verifyGrad([](const std::vector<VarRef> &in) { return flatten(in[0], 2); }, {cube});
    verifyGrad([](const std::vector<VarRef> &in) { return flatten(in[0]); }, {randomTensor({})});
}

TEST(Rebroadcast, PromisesAreChecked)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 2), "x");
    const VarRef y = rebroadcast(x, {{0, true}});
    EXPECT_EQ(y->owner()->op().name(), "Rebroadcast{1}");
    EXPECT_EQ(y->type().text(), "TensorType(float64, row)");
    EXPECT_EQ(run(y, {x}, {randomTensor({1, 3})}).shape(), (Dims{1, 3}));
    EXPECT_THROW(run(y, {x}, {randomTensor({2, 3})}), std::exception);
    EXPECT_EQ(rebroadcast(x, {{1, false}}), x);
    verifyGrad(
        [](const std::vector<VarRef> &in) {
            return mul(rebroadcast(in[0], {{0, true}}), in[1]);
        },
        {randomTensor({1, 3}), randomTensor({2, 3})});
    const VarRef promised = specifyShape(x, ints({2, 3}));
    EXPECT_EQ(promised->type().detailedText(), "float64 (2, 3)");
    EXPECT_EQ(run(promised, {x}, {randomTensor({2, 3})}).shape(), (Dims{2, 3}));
    EXPECT_THROW(run(promised, {x}, {randomTensor({3, 2})}), std::exception);
    verifyGrad([](const std::vector<VarRef> &in) { return specifyShape(in[0], ints({2, 3})); }, {randomTensor({2, 3})});
}

TEST(Join, AlongEachAxisAndBack)
{
    const Tensor a = randomTensor({2, 3}), b = randomTensor({2, 1}), c = randomTensor({2, 0});
    const VarRef x = variable(a), y = variable(b), z = variable(c);
    const VarRef parts[] = {x, y, z};
    const Tensor joined = run(join(-1, parts), {x, y, z}, {a, b, c});
    ASSERT_EQ(joined.shape(), (Dims{2, 4}));
    EXPECT_EQ(joined.at(3), b.at(0));
    EXPECT_EQ(joined.at(7), b.at(1));
    EXPECT_EQ(join(1, parts)->owner()->op().name(), "Join");
    EXPECT_THROW(run(join(0, std::span<const VarRef>(parts, 2)), {x, y}, {a, b}), std::exception);
    EXPECT_THROW(join(2, parts), ShapeMismatch);
    verifyGrad([](const std::vector<VarRef> &in) { return join(0, in); }, {randomTensor({2, 3}), randomTensor({1, 3})});
    verifyGrad([](const std::vector<VarRef> &in) { return stack(in, 1); }, {randomTensor({2, 3}), randomTensor({2, 3}, 0, 1, 5)});
    verifyGrad([](const std::vector<VarRef> &in) { return stack(in); }, {randomTensor({}), randomTensor({}, 0, 1, 5)});
    const VarRef sizes = ints({1, 2});
    const std::vector<VarRef> pieces = split(x, sizes, 2, 1);
    EXPECT_EQ(run(pieces[1], {x}, {a}).at(0), a.at(1));
    verifyGrad([&](const std::vector<VarRef> &in) { return split(in[0], sizes, 2, 1)[1]; }, {a});
    EXPECT_THROW(run(split(x, ints({1, 1}), 2, 1)[0], {x}, {a}), std::exception);
}

TEST(Names, FriendlyOnesLeaveOutWhatIsSaidElsewhere)
{
    const VarRef n = Variable::input(Type::scalar(DType::Int64), "n"), x = Variable::input(Type::ofRank(DType::Float64, 2), "x");
    const auto nameOfResult = [](const VarRef &v) { return v->owner()->op().friendlyName(); };
    EXPECT_EQ(nameOfResult(arange(n)), "ARange");
    EXPECT_EQ(nameOfResult(diagonal(x)), "ExtractDiag");
    EXPECT_EQ(nameOfResult(diagonal(x, 1)), "ExtractDiag, offset 1");
    EXPECT_EQ(nameOfResult(cholesky(x)), "Cholesky");
    EXPECT_EQ(nameOfResult(cholesky(x, false)), "Cholesky, upper");
    EXPECT_EQ(nameOfResult(solve(x, x)), "Solve");
    EXPECT_EQ(nameOfResult(solve(x, x, MatrixStructure::LowerTriangular, true)), "Solve, lower triangle");
}

TEST(Ranges, ArangeEyeTriangles)
{
    const VarRef n = Variable::input(Type::scalar(DType::Int64), "n");
    EXPECT_EQ(listOf(run(arange(n), {n}, {Tensor::scalarInt(DType::Int64, 4)})), (List{0, 1, 2, 3}));
    EXPECT_EQ(listOf(run(arange(n), {n}, {Tensor::scalarInt(DType::Int64, -4)})), List());
    EXPECT_EQ(listOf(run(arange(whole(10), whole(0), whole(-3)))), (List{10, 7, 4, 1}));
    EXPECT_EQ(listOf(run(arange(constantOf(DType::Float64, 0), constantOf(DType::Float64, 1), constantOf(DType::Float64, 0.25)))),
              (List{0, 0.25, 0.5, 0.75}));
    EXPECT_EQ(arange(n)->type().dtype(), DType::Int64);
    EXPECT_EQ(arange(n)->owner()->op().name(), "ARange{dtype='int64'}");
    EXPECT_THROW(run(arange(whole(0), whole(3), whole(0))), std::exception);
    EXPECT_EQ(listOf(run(eye(whole(2), whole(3), whole(1), DType::Float32))), (List{0, 1, 0, 0, 0, 1}));
    EXPECT_EQ(listOf(run(tri(whole(2), whole(3), whole(0), DType::Float64))), (List{1, 0, 0, 1, 1, 0}));
    const Tensor m = fromList({1, 2, 3, 4}, {2, 2});
    const VarRef x = variable(m);
    EXPECT_EQ(listOf(run(tril(x, whole(0)), {x}, {m})), (List{1, 0, 3, 4}));
    EXPECT_EQ(listOf(run(triu(x, whole(1)), {x}, {m})), (List{0, 2, 0, 0}));
    verifyGrad([](const std::vector<VarRef> &in) { return triu(in[0], whole(0)); }, {randomTensor({3, 4})});
}

TEST(Diagonals, ReadWrittenAndTraced)
{
    const Tensor m = fromList({1, 2, 3, 4, 5, 6}, {2, 3});
    const VarRef x = variable(m);
    EXPECT_EQ(listOf(run(diag(x), {x}, {m})), (List{1, 5}));
    EXPECT_EQ(listOf(run(diag(x, 1), {x}, {m})), (List{2, 6}));
    EXPECT_EQ(listOf(run(diag(x, -1), {x}, {m})), (List{4}));
    EXPECT_EQ(listOf(run(diag(x, 5), {x}, {m})), List());
    EXPECT_EQ(run(trace(x), {x}, {m}).at(0), 6);
    const Tensor v = fromList({7, 8}, {2});
    const VarRef y = variable(v);
    EXPECT_EQ(listOf(run(diag(y), {y}, {v})), (List{7, 0, 0, 8}));
    EXPECT_EQ(listOf(run(diag(y, 1), {y}, {v})), (List{0, 7, 0, 0, 0, 8, 0, 0, 0}));
    verifyGrad([](const std::vector<VarRef> &in) { return diag(in[0], -1); }, {randomTensor({3, 4})});
    verifyGrad([](const std::vector<VarRef> &in) { return diag(in[0], 1); }, {randomTensor({3})});
    verifyGrad([](const std::vector<VarRef> &in) { return diagonal(in[0], 0, 2, 1); }, {randomTensor({2, 3, 4})});
}

TEST(Order, SortArgsortSearchUnique)
{
    const Tensor m = fromList({3, 1, 2, NAN, 5, 4}, {2, 3});
    const VarRef x = variable(m);
    const Tensor sorted = run(sort(x), {x}, {m});
    EXPECT_EQ(sorted.at(0), 1);
    EXPECT_EQ(sorted.at(3), 4);
    EXPECT_TRUE(std::isnan(sorted.at(5)));
    EXPECT_EQ(listOf(run(argsort(x), {x}, {m})), (List{1, 2, 0, 2, 1, 0}));
    EXPECT_EQ(run(sort(x, 0), {x}, {m}).at(0), 3);
    EXPECT_EQ(run(sort(x, {}), {x}, {m}).shape(), (Dims{6}));
    verifyGrad([](const std::vector<VarRef> &in) { return sort(in[0]); }, {randomTensor({2, 5})}, 1e-5, false);
    verifyGrad([](const std::vector<VarRef> &in) { return sort(in[0], 0); }, {randomTensor({4, 2})}, 1e-5, false);
    const Tensor s = fromList({1, 3, 3, 7}, {4}), q = fromList({0, 3, 9}, {3});
    const VarRef a = variable(s), b = variable(q);
    EXPECT_EQ(listOf(run(searchsorted(a, b), {a, b}, {s, q})), (List{0, 1, 4}));
    EXPECT_EQ(listOf(run(searchsorted(a, b, true), {a, b}, {s, q})), (List{0, 3, 4}));
    const Tensor u = fromList({5, 2, 5, 9, 2}, {5});
    const VarRef w = variable(u);
    EXPECT_EQ(listOf(run(unique(w)[0], {w}, {u})), (List{2, 5, 9}));
    EXPECT_EQ(listOf(run(unique(w)[1], {w}, {u})), (List{1, 0, 3}));
    EXPECT_EQ(listOf(run(unique(w)[2], {w}, {u})), (List{1, 0, 1, 2, 0}));
    EXPECT_EQ(listOf(run(unique(w)[3], {w}, {u})), (List{2, 2, 1}));
}

TEST(Cumulative, SumsAndProductsOnAnyAxis)
{
    const Tensor m = fromList({1, 2, 3, 4, 5, 6}, {2, 3});
    const VarRef x = variable(m);
    EXPECT_EQ(listOf(run(cumsum(x, 1), {x}, {m})), (List{1, 3, 6, 4, 9, 15}));
    EXPECT_EQ(listOf(run(cumprod(x, 0), {x}, {m})), (List{1, 2, 3, 4, 10, 18}));
    EXPECT_EQ(listOf(run(cumsum(x), {x}, {m})), (List{1, 3, 6, 10, 15, 21}));
    for (std::optional<int> axis : {std::optional<int>(), std::optional<int>(0), std::optional<int>(-1)}) {
        verifyGrad([&](const std::vector<VarRef> &in) { return cumsum(in[0], axis); }, {randomTensor({2, 3})});
        verifyGrad([&](const std::vector<VarRef> &in) { return cumprod(in[0], axis); }, {randomTensor({2, 3}, 0.5, 2)});
    }
}

TEST(Repeat, ScalarsVectorsAndTiles)
{
    const Tensor m = fromList({1, 2, 3, 4}, {2, 2});
    const VarRef x = variable(m);
    EXPECT_EQ(listOf(run(repeat(x, whole(2), 1), {x}, {m})), (List{1, 1, 2, 2, 3, 3, 4, 4}));
    EXPECT_EQ(listOf(run(repeat(x, ints({0, 2}), 0), {x}, {m})), (List{3, 4, 3, 4}));
    EXPECT_EQ(run(repeat(x, whole(3)), {x}, {m}).shape(), (Dims{12}));
    const VarRef counts = Variable::input(Type::ofRank(DType::Int64, 1), "c");
    EXPECT_EQ(listOf(run(repeat(x, counts, 0), {x, counts}, {m, fromList({2, 1}, {2}, DType::Int64)})), (List{1, 2, 1, 2, 3, 4}));
    EXPECT_THROW(run(repeat(x, ints({1, 2, 3}), 0), {x}, {m}), std::exception);
    verifyGrad([](const std::vector<VarRef> &in) { return repeat(in[0], ints({2, 0, 3}), 1); }, {randomTensor({2, 3})});
    verifyGrad([](const std::vector<VarRef> &in) { return repeat(in[0], whole(2)); }, {randomTensor({2, 3})});
    const VarRef reps[] = {whole(2), whole(3)};
    EXPECT_EQ(listOf(run(tile(x, std::span<const VarRef>(reps, 1)), {x}, {m})), (List{1, 2, 1, 2, 3, 4, 3, 4}));
    EXPECT_EQ(run(tile(x, reps), {x}, {m}).shape(), (Dims{4, 6}));
    verifyGrad([&](const std::vector<VarRef> &in) { return tile(in[0], reps); }, {randomTensor({3})});
}

TEST(Compose, SmallTools)
{
    const Tensor v = fromList({1, 4, 9, 16}, {4});
    const VarRef x = variable(v);
    EXPECT_EQ(listOf(run(roll(x, whole(1), {}), {x}, {v})), (List{16, 1, 4, 9}));
    EXPECT_EQ(listOf(run(roll(x, whole(-5), 0), {x}, {v})), (List{4, 9, 16, 1}));
    EXPECT_EQ(listOf(run(engine::apply(makeOp<ViewOp>(), {x}), {x}, {v})), listOf(v));
    EXPECT_EQ(squeeze(padLeft(x, 1))->type(), x->type());
    EXPECT_EQ(squeeze(padLeft(x, 2), std::vector<int>{0})->type().rank(), 2);
    EXPECT_EQ(run(swapAxes(padLeft(x, 1), 0, 1), {x}, {v}).shape(), (Dims{4, 1}));
    for (const Formula &f : std::initializer_list<Formula>{
             [](const std::vector<VarRef> &in) { return relu(in[0]); }, [](const std::vector<VarRef> &in) { return elu(in[0], whole(1)); },
             [](const std::vector<VarRef> &in) { return selu(in[0]); }, [](const std::vector<VarRef> &in) { return softsign(in[0]); },
             [](const std::vector<VarRef> &in) { return leakyRelu(in[0], constantOf(DType::Float64, 0.1)); },
             [](const std::vector<VarRef> &in) { return hardSigmoid(in[0]); }})
        verifyGrad(f, {randomTensor({7})});
    const VarRef t = Variable::constant(randomTensor({5}, 0, 1, 4));
    verifyGrad([&](const std::vector<VarRef> &in) { return binaryCrossentropy(in[0], t); }, {randomTensor({5}, 0.2, 0.8)});
    verifyGrad([&](const std::vector<VarRef> &in) { return sigmoidBinaryCrossentropy(in[0], t); }, {randomTensor({5})});
}

TEST(Compose, NoAxesAreTheElements)
{
    const Axes none = std::vector<int>();
    const Tensor m = fromList({1, 2, 3, 4}, {2, 2}), s = Tensor::scalar(DType::Float64, 3);
    const VarRef x = variable(m), y = variable(s);
    for (const ReduceKind kind : {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Max, ReduceKind::Min})
        EXPECT_EQ(listOf(run(reduce(kind, x, none), {x}, {m})), listOf(m));
    EXPECT_EQ(listOf(run(mean(x, none), {x}, {m})), listOf(m));
    EXPECT_EQ(mean(y), y);
    EXPECT_TRUE(y->name().empty() || y->name() != "mean");
    EXPECT_EQ(mean(ints({1, 2}), none)->type().dtype(), DType::Float64);
    EXPECT_EQ(listOf(run(variance(x, none), {x}, {m})), (List{0, 0, 0, 0}));
    EXPECT_TRUE(std::isnan(run(variance(y, {}, false, 1), {y}, {s}).at(0)));
    EXPECT_EQ(listOf(run(peakToPeak(x, none), {x}, {m})), (List{0, 0, 0, 0}));
}

TEST(Checks, AssertAndPrint)
{
    const VarRef x = Variable::input(Type::scalar(DType::Float64), "x");
    const VarRef condition[] = {elementwise(ScalarCode::Gt, {x, constantOf(DType::Float64, 0)})};
    const VarRef y = assertTrue(x, condition, "x must be positive");
    EXPECT_EQ(run(y, {x}, {Tensor::scalar(DType::Float64, 2)}).at(0), 2);
    EXPECT_THROW(run(y, {x}, {Tensor::scalar(DType::Float64, -2)}), std::exception);
    std::vector<std::string> seen;
    setPrintSink([&](const PrintEvent &event) { seen.push_back(event.message + " " + event.attribute + " " + event.value.text()); });
    const VarRef printed[] = {print(x, "now")};
    const VarRef inputs[] = {x};
    const Tensor values[] = {Tensor::scalar(DType::Float64, 2)};
    compiled(printed, inputs, values);
    setPrintSink({});
    EXPECT_EQ(seen, std::vector<std::string>{"now __str__ 2.0"});
    EXPECT_EQ(printed[0]->owner()->op().name(), "Print{message='now', attrs=('__str__',)}");
}

TEST(ConstantValue, LooksThroughSimpleThings)
{
    const VarRef sizes[] = {whole(3)};
    EXPECT_EQ(scalarConstantValue(alloc(constantOf(DType::Float32, 2), sizes)), 2);
    EXPECT_EQ(scalarConstantValue(cast(add(whole(2), whole(3)), DType::Float32)), 5);
    EXPECT_EQ(scalarConstantValue(shapeOf(Variable::constant(randomTensor({4, 2})), 1)), 2);
    const VarRef scalars[] = {whole(7), Variable::input(Type::scalar(DType::Int64))};
    EXPECT_EQ(scalarConstantValue(elementAt(makeVector(scalars), 0)), 7);
    EXPECT_FALSE(scalarConstantValue(elementAt(makeVector(scalars), 1)));
    EXPECT_EQ(scalarConstantValue(elementAt(Variable::constant(randomTensor({1})), 0)).has_value(), true);
    EXPECT_FALSE(scalarConstantValue(elementAt(Variable::constant(randomTensor({2, 3})), 0))) << "a row, and no number";
    EXPECT_FALSE(scalarConstantValue(Variable::input(Type::scalar(DType::Float64))));
}

TEST(GraphOp, RunsAndDifferentiatesAsOneOp)
{
    const VarRef a = Variable::input(Type::ofRank(DType::Float64, 1), "a"), b = Variable::input(Type::ofRank(DType::Float64, 1), "b");
    const OpRef op = opFromGraph({a, b}, {mul(a, sqr(b)), add(a, b)}, "twist");
    EXPECT_EQ(op->name(), "twist{inline=False}");
    const auto first = [&](const std::vector<VarRef> &in) { return engine::apply(op, in); };
    const Tensor x = randomTensor({4}), y = randomTensor({4}, -1, 1, 4);
    const VarRef inputs[] = {variable(x), variable(y)};
    const VarRef outputs[] = {first({inputs[0], inputs[1]})};
    const Tensor values[] = {x, y};
    const Tensor got = compiled(outputs, inputs, values)[0];
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(got.at(i), x.at(i) * y.at(i) * y.at(i), 1e-14);
    verifyGrad(first, {x, y});
    const OpRef partly = opFromGraph({a, b}, {sqr(a), shapeOf(b, 0)}, "partly");
    EXPECT_EQ(connections(partly->inner()->inputs, partly->inner()->outputs),
              (std::vector<std::vector<bool>>{{true, false}, {false, false}}));
    verifyGrad([&](const std::vector<VarRef> &in) { return engine::apply(partly, {in[0], in[0]}); }, {x});
    EXPECT_THROW(opFromGraph({a}, {add(a, b)}), MissingInput);
    EXPECT_THROW(engine::apply(op, {inputs[0]}), TypeMismatch);
    const auto shared = Variable::shared(std::make_shared<Container>(Value(x)), Type::ofRank(DType::Float64, 1), "s");
    EXPECT_THROW(opFromGraph({a}, {add(a, shared)}), UserError);
}
