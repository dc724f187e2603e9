// Random expression graphs: elementwise work, reductions, products, broadcasting, shared subterms, several outputs.
#pragma once

#include "engine/ops/dimshuffle.h"
#include "engine/ops/dot.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"
#include "tests/engine/rewrite/support.h"

namespace rewrite_test {

struct RandomGraph {
    std::vector<VarRef> inputs, outputs;
    std::vector<Value> values; ///< of the inputs
};

/// All arrays have sizes n × n, n, or none, so everything fits everything; values stay small and mostly finite.
inline RandomGraph randomGraph(std::uint32_t seed, std::size_t applies = 24)
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
        switch (pick(18)) {
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
        default:
            made = a->type().rank() ? mul(cast(shapeOf(a, 0), DType::Float64), tamed(b)) : cast(tamed(b), DType::Float32);
            break;
        }
        pool.push_back(made);
    }
    const std::size_t outputs = 1 + pick(4);
    for (std::size_t i = 0; i < outputs; ++i) graph.outputs.push_back(i == 0 ? pool.back() : recent());
    return graph;
}

} // namespace rewrite_test
