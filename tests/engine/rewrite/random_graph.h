// Random expression graphs: elementwise work, reductions, products, broadcasting, shared subterms, loops, several outputs.
#pragma once

#include "engine/gradient/gradient.h"
#include "engine/ops/elements/checks.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "tests/engine/rewrite/support.h"

namespace rewrite_test {

struct RandomGraph {
    std::vector<VarRef> inputs, outputs;
    std::vector<Value> values; ///< of the inputs
};

/// What steps over the rows of an n × n array give: linear and curved ones, one to three steps back, not all of which need be read.
inline VarRef randomLoop(std::mt19937 &random, const VarRef &rows, const VarRef &start)
{
    const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    const auto number = [](double value) { return constantOf(DType::Float64, value); };
    const std::vector<std::vector<int>> all{{-1}, {-1}, {-2, -1}, {-2}, {-3, -1}};
    const std::vector<int> taps = all[pick(all.size())];
    const std::int64_t history = -taps.front();
    const Type row = Type::ofRank(DType::Float64, 1);
    InnerGraph body;
    body.inputs.push_back(Variable::input(row, "x"));
    for (std::size_t tap = 0; tap < taps.size(); ++tap) body.inputs.push_back(Variable::input(row, "h" + std::to_string(tap)));
    const VarRef x = body.inputs[0], h = body.inputs[1 + pick(taps.size())], last = body.inputs.back();
    switch (pick(6)) {
    case 0: body.outputs = {add(mul(number(0.5), h), x)}; break;
    case 1: body.outputs = {sub(mul(number(0.3), last), mul(number(0.2), h))}; break;
    case 2: body.outputs = {elementwise(ScalarCode::Tanh, {add(h, x)})}; break;
    case 3: body.outputs = {add(mul(h, elementwise(ScalarCode::Tanh, {x})), last)}; break;
    case 4: body.outputs = {add(x, mul(sum(h), number(0.1)))}; break;
    default: body.outputs = {elementwise(ScalarCode::Sin, {add(mul(h, last), x)})}; break;
    }
    ScanInfo info;
    info.sequences = 1;
    if (history == 1) info.sitSot = 1;
    else info.mitSot = {taps};
    const VarRef steps = shapeOf(rows, 0);
    const std::vector<VarRef> sizes{add(steps, literal(history)), shapeOf(start, 0)};
    const VarRef room = alloc(number(0), sizes);
    const std::vector<VarRef> firsts(static_cast<std::size_t>(history), start);
    const VarRef buffer = setSubtensor(subtensor(room, std::vector{IndexItem::slice({}, literal(history))}), stack(firsts));
    const ApplyRef loop = Apply::create(scanOp(std::move(info), std::move(body)), std::vector<VarRef>{steps, rows, buffer});
    return subtensor(VarRef(loop->output(0)), std::vector{IndexItem::slice(literal(history))});
}

/// One row, of the last k steps of a loop, or of others.
inline VarRef randomRowOfLoop(std::mt19937 &random, const VarRef &rows, const VarRef &start, std::int64_t n)
{
    const VarRef results = randomLoop(random, rows, start);
    const std::int64_t k = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(n));
    const auto place = [](std::int64_t value) { return constantOf(DType::Int64, static_cast<double>(value)); };
    switch (random() % 5) {
    case 0: return elementAt(results, -k);
    case 1: return elementAt(subtensor(results, std::vector{IndexItem::slice(place(-k))}), 0);
    case 2: return sum(subtensor(results, std::vector{IndexItem::slice({}, place(k))}), std::vector<int>{0});
    default: return sum(subtensor(results, std::vector{IndexItem::slice(place(-k))}), std::vector<int>{0});
    }
}

/// All arrays have sizes n × n, n, or none, so everything fits everything; values stay small and mostly finite.
/// `wide`: indexing, joins, reshapes, softmax, shapes, writes, conditions and loops as well.
inline RandomGraph randomGraph(std::uint32_t seed, std::size_t applies = 24, bool wide = false)
{
    std::mt19937 random(seed);
    const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    RandomGraph graph;
    const std::int64_t n = std::array<std::int64_t, 5>{3, 4, 1, 2, 5}[pick(5)];
    const DType dtypes[] = {DType::Float64, DType::Float64, DType::Float32, DType::Int32};
    std::vector<VarRef> pool;
    const auto addInput = [&](DType dtype, int rank) {
        VarRef input = Variable::input(Type::ofRank(dtype, rank), "x" + std::to_string(graph.inputs.size()));
        graph.inputs.push_back(input);
        pool.push_back(input);
        graph.values.emplace_back(randomTensor(random, dtype, Dims(static_cast<std::size_t>(rank), n), false));
    };
    addInput(DType::Float64, 2);
    addInput(DType::Float64, 1);
    addInput(dtypes[pick(4)], static_cast<int>(pick(3)));
    addInput(dtypes[pick(4)], static_cast<int>(pick(3)));

    const auto recent = [&] {
        // Mostly young terms, so that chains grow; sometimes any, so that subterms are shared.
        if (pick(3)) return pool[pool.size() - 1 - pick(std::min<std::size_t>(pool.size(), 4))];
        return pool[pick(pool.size())];
    };
    const auto asFloat = [&](const VarRef &v) { return isDiscrete(v->type().dtype()) ? cast(v, DType::Float64) : v; };
    const auto repeats = [](const VarRef &v) {
        for (int axis = 0; axis < v->type().rank(); ++axis)
            if (v->type().isBroadcastable(axis)) return true;
        return false;
    };
    // Big values would overflow exp and make every comparison void.
    const auto tamed = [&](const VarRef &v) { return elementwise(ScalarCode::Tanh, {asFloat(v)}); };
    const double constants[] = {0, 1, -1, 2, 0.5, 3};
    for (std::size_t i = 0; i < applies; ++i) {
        const VarRef a = recent(), b = recent();
        VarRef made;
        // n × n from anything; what is smaller is repeated.
        const auto doubles = [&](const VarRef &v) { return cast(tamed(v), DType::Float64); };
        const auto square = [&](const VarRef &v) {
            if (v->type().rank() == 2 && !repeats(v)) return doubles(v);
            return add(doubles(v), elementwise(ScalarCode::Tanh, {graph.inputs[0]}));
        };
        const auto row = [&](const VarRef &v) { return v->type().rank() == 1 && !repeats(v) ? doubles(v) : elementAt(square(v), 0); };
        const auto at = [&] { return static_cast<std::int64_t>(pick(static_cast<std::size_t>(n))); };
        const auto number = [](std::int64_t value) { return constantOf(DType::Int64, static_cast<double>(value)); };
        const std::size_t kind = pick(wide ? 46 : 18);
        switch (kind) {
        case 18: made = elementAt(square(a), at()); break;
        case 19: made = subtensor(square(a), std::vector{IndexItem::slice(), IndexItem::at(at())}); break;
        case 20: {
            // Cut and joined again: often the same array.
            const VarRef cut = number(at()), whole = square(a);
            const std::vector<VarRef> parts = {subtensor(whole, std::vector{IndexItem::slice({}, cut)}),
                                               subtensor(whole, std::vector{IndexItem::slice(cut)})};
            made = join(0, parts);
            break;
        }
        case 21: made = elementAt(stack(std::vector<VarRef>{row(a), row(b)}), static_cast<std::int64_t>(pick(2))); break;
        case 22: made = setSubtensor(elementAt(square(a), at()), row(b)); break;
        case 23: made = incSubtensor(elementAt(zerosLike(square(a)), at()), row(b)); break;
        case 24: made = incSubtensor(elementAt(square(a), at()), constantOf(DType::Float64, static_cast<double>(pick(2)))); break;
        case 25: made = softmax(square(a)); break;
        case 26: made = logSoftmax(square(a)); break;
        case 27: made = log(softmax(square(a))); break;
        case 28: made = reshape(square(a), std::vector<VarRef>{shapeOf(square(b), 0), shapeOf(square(b), 1)}); break;
        case 29: made = reshape(reshape(square(a), std::vector<std::int64_t>{-1}), std::vector<std::int64_t>{n, n}); break;
        case 30: made = alloc(row(a), std::vector<VarRef>{shapeOf(square(b), 0), shapeOf(square(b), 1)}); break;
        case 31: made = cast(argmax(square(a), std::vector<int>{1}), DType::Float64); break;
        case 32: made = subtensor(square(a), std::vector{IndexItem::array(arange(shapeOf(square(b), 0)))}); break;
        case 33: made = subtensor(square(a), std::vector{IndexItem::slice(), IndexItem::array(arange(number(n)))}); break;
        case 34: made = elementwise(ScalarCode::Log, {sum(exp(square(a)), std::vector<int>{1})}); break;
        case 35: {
            const VarRef e = exp(square(a));
            made = trueDiv(e, sum(e, std::vector<int>{1}, true));
            break;
        }
        case 36: made = diag(row(a)); break;
        case 37: made = diagonal(square(a)); break;
        case 38:
            made = mul(row(a), switchOn(elementwise(ScalarCode::Gt, {row(b), constantOf(DType::Float64, 0)}), constantOf(DType::Float64, 0),
                                        row(a)));
            break;
        case 39: made = sub(mul(constantOf(DType::Float64, 0.5), square(a)), dot(square(b), square(a))); break;
        case 40: made = sub(constantOf(DType::Float64, 1), elementwise(ScalarCode::Erf, {tamed(a)})); break;
        case 41:
            made = elementwise(ScalarCode::Log, {sub(constantOf(DType::Float64, 1), elementwise(ScalarCode::Sigmoid, {tamed(a)}))});
            break;
        case 42:
            made = subtensor(subtensor(square(a), std::vector{IndexItem::slice({}, {}, number(-1))}),
                             std::vector{IndexItem::at(at()), IndexItem::slice()});
            break;
        case 43: made = assertTrue(square(a), std::vector<VarRef>{elementwise(ScalarCode::Ge, {shapeOf(square(b), 0), number(0)})}); break;
        case 44:
        case 45: made = randomRowOfLoop(random, square(a), row(b), n); break;
        case 0: made = add(a, b); break;
        case 1: made = mul(tamed(a), b); break;
        case 2: made = sub(a, asFloat(b)); break;
        case 3: made = trueDiv(asFloat(a), add(elementwise(ScalarCode::Abs, {asFloat(b)}), constantOf(DType::Float64, 1))); break;
        case 4: made = neg(asFloat(a)); break;
        case 5: made = exp(tamed(a)); break;
        case 6: made = log(add(constantOf(DType::Float64, 1), elementwise(ScalarCode::Sqr, {tamed(a)}))); break;
        case 7: made = elementwise(ScalarCode::Sigmoid, {asFloat(a)}); break;
        case 8: made = mul(constantOf(DType::Float64, constants[pick(6)]), tamed(a)); break;
        case 9: made = add(a, constantOf(DType::Float32, constants[pick(6)])); break;
        case 10: made = pow(tamed(a), constantOf(DType::Float64, std::array<double, 4>{2, 1, 0, 3}[pick(4)])); break;
        case 11: made = trueDiv(constantOf(DType::Int8, 1), add(constantOf(DType::Int8, 1), exp(neg(tamed(a))))); break;
        case 12: {
            std::optional<std::vector<int>> axes;
            if (a->type().rank() == 2 && pick(2)) axes = std::vector<int>{static_cast<int>(pick(2))};
            made = pick(3) ? sum(tamed(a), axes, pick(2)) : reduce(ReduceKind::Max, a, axes, pick(2));
            break;
        }
        case 13:
            // A kept axis of size 1 does not meet a column of n.
            if (a->type().rank() == 0 || b->type().rank() == 0 || repeats(a) || repeats(b)) made = mul(tamed(a), tamed(b));
            else made = dot(tamed(a), tamed(b));
            break;
        case 14: made = a->type().rank() == 2 ? transpose(a) : elementwise(ScalarCode::Sqr, {tamed(a)}); break;
        case 15: made = fill(a, asFloat(b)); break;
        case 16: made = elementwise(ScalarCode::Switch, {elementwise(ScalarCode::Gt, {a, b}), a, b}); break;
        default: made = a->type().rank() ? mul(cast(shapeOf(a, 0), DType::Float64), tamed(b)) : cast(tamed(b), DType::Float32); break;
        }
        pool.push_back(made);
    }
    const std::size_t outputs = 1 + pick(4);
    for (std::size_t i = 0; i < outputs; ++i) graph.outputs.push_back(i == 0 ? pool.back() : recent());
    return graph;
}

/// The derivatives of both orders of a cost that reads rows of one to three loops, each over what the one before gave.
inline RandomGraph randomLoopGradients(std::uint32_t seed)
{
    std::mt19937 random(seed);
    const std::int64_t n = 1 + static_cast<std::int64_t>(random() % 5);
    RandomGraph graph;
    for (int rank : {2, 1, 1}) {
        graph.inputs.push_back(Variable::input(Type::ofRank(DType::Float64, rank), "x" + std::to_string(graph.inputs.size())));
        graph.values.emplace_back(randomTensor(random, DType::Float64, Dims(static_cast<std::size_t>(rank), n), false));
    }
    VarRef rows = graph.inputs[0], cost = sum(elementwise(ScalarCode::Sqr, {graph.inputs[2]}));
    for (std::size_t loops = 1 + random() % 3; loops > 0; --loops) {
        const VarRef row = randomRowOfLoop(random, rows, graph.inputs[1], n);
        cost = add(cost, sum(random() % 2 ? elementwise(ScalarCode::Sqr, {row}) : mul(row, graph.inputs[2])));
        rows = mul(rows, elementwise(ScalarCode::Tanh, {row}));
    }
    GradOptions options;
    options.onDisconnected = OnDisconnected::Ignore; // some steps do not read their row
    graph.outputs = grad(cost, graph.inputs, options);
    VarRef slope = constantOf(DType::Float64, 0);
    for (const VarRef &one : graph.outputs) slope = add(slope, sum(elementwise(ScalarCode::Sin, {one})));
    if (random() % 2)
        for (const VarRef &one : grad(slope, graph.inputs, options)) graph.outputs.push_back(one);
    return graph;
}

} // namespace rewrite_test
