// Running expressions in tests: one op at a time, and as a compiled function; gradients against finite differences.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/runtime/plan/interpreter.h"
#include "tests/engine/runtime/reference.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <unordered_map>

namespace testing_ops {

using namespace engine;

/// Op by op through perform(), without compiling anything.
inline std::vector<Tensor> evaluate(std::span<const VarRef> outputs, std::span<const VarRef> inputs, std::span<const Tensor> values)
{
    std::unordered_map<const Variable *, Value> known;
    for (std::size_t i = 0; i < inputs.size(); ++i) known[inputs[i].get()] = Value(values[i]);
    const auto valueOf = [&](const VarRef &variable) {
        auto found = known.find(variable.get());
        if (found != known.end()) return found->second;
        if (variable->kind() != Variable::Kind::Constant) throw std::runtime_error("no value for " + variable->displayName());
        return variable->value();
    };
    for (Apply *apply : toposort(outputs, inputs)) {
        std::vector<Value> arguments;
        std::vector<Type> types;
        for (const VarRef &input : apply->inputs()) arguments.push_back(valueOf(input));
        for (int o = 0; o < apply->outputCount(); ++o) types.push_back(apply->output(o)->type());
        std::vector<std::size_t> before;
        for (const Value &argument : arguments) before.push_back(argument.contentHash());
        const std::vector<Value> results = evaluateOp(apply->op(), arguments, types);
        // Destroyed inputs are handed to the op as copies: whatever changed here was not declared.
        for (std::size_t i = 0; i < arguments.size(); ++i)
            EXPECT_EQ(arguments[i].contentHash(), before[i]) << apply->op().name() << " writes to its input " << i;
        for (int o = 0; o < apply->outputCount(); ++o) known[apply->output(o)] = results[static_cast<std::size_t>(o)];
    }
    std::vector<Tensor> result;
    for (const VarRef &output : outputs) result.push_back(valueOf(output).tensor());
    return result;
}

inline std::vector<Tensor> compiled(std::span<const VarRef> outputs, std::span<const VarRef> inputs, std::span<const Tensor> values)
{
    FunctionSpec spec;
    for (const VarRef &input : inputs) spec.inputs.push_back({input});
    spec.outputs.assign(outputs.begin(), outputs.end());
    spec.mode.level = OptimizerLevel::None;
    spec.onUnusedInput = OnUnusedInput::Ignore;
    const auto function = Function::compile(std::move(spec));
    std::vector<Value> arguments, results;
    for (const Tensor &value : values) arguments.emplace_back(value);
    function->call(arguments, results);
    std::vector<Tensor> result;
    for (const Value &value : results) result.push_back(value.tensor());
    return result;
}

inline void expectSame(const Tensor &a, const Tensor &b, double tolerance = 0)
{
    ASSERT_EQ(a.dtype(), b.dtype());
    ASSERT_EQ(a.shape(), b.shape()) << a.shape().text() << " " << b.shape().text();
    for (std::int64_t i = 0; i < a.size(); ++i) {
        if (std::isnan(a.at(i)) && std::isnan(b.at(i))) continue;
        if (a.at(i) == b.at(i)) continue;
        ASSERT_NEAR(a.at(i), b.at(i), tolerance * (1 + std::fabs(b.at(i)))) << "element " << i;
    }
}

/// The value both ways; they have to agree, as has the declared type.
inline Tensor run(const VarRef &output, std::vector<VarRef> inputs = {}, std::vector<Tensor> values = {})
{
    const VarRef outputs[] = {output};
    const Tensor one = evaluate(outputs, inputs, values)[0];
    const Tensor two = compiled(outputs, inputs, values)[0];
    expectSame(one, two, 1e-6);
    EXPECT_EQ(one.dtype(), output->type().dtype());
    EXPECT_EQ(one.rank(), output->type().rank());
    for (int axis = 0; axis < std::min(one.rank(), output->type().rank()); ++axis) {
        const std::int64_t declared = output->type().shape()[static_cast<std::size_t>(axis)];
        if (declared != kUnknownDim) {
            EXPECT_EQ(one.shape()[static_cast<std::size_t>(axis)], declared) << "axis " << axis;
        }
    }
    return one;
}

inline VarRef variable(const Tensor &value, const char *name = "x")
{
    return Variable::input(Type::ofRank(value.dtype(), value.rank()), name);
}

inline Tensor fromList(const std::vector<double> &values, Dims shape, DType dtype = DType::Float64)
{
    Tensor result = Tensor::empty(dtype, shape);
    withStorageType(dtype, [&]<class T>() {
        for (std::size_t i = 0; i < values.size(); ++i) result.as<T>()[i] = convertElement<T>(values[i]);
    });
    return result;
}

inline std::vector<double> listOf(const Tensor &tensor)
{
    std::vector<double> result;
    for (std::int64_t i = 0; i < tensor.size(); ++i) result.push_back(tensor.at(i));
    return result;
}

inline Tensor randomTensor(Dims shape, double low = -2, double high = 2, unsigned seed = 1)
{
    std::mt19937 generator(seed * 7919 + static_cast<unsigned>(shape.product()));
    std::uniform_real_distribution<double> draw(low, high);
    Tensor result = Tensor::empty(DType::Float64, shape);
    for (std::int64_t i = 0; i < result.size(); ++i) result.as<double>()[i] = draw(generator);
    return result;
}

using Formula = std::function<VarRef(const std::vector<VarRef> &)>;

/// Reverse gradient of a random projection of f against central differences, and Rop (if `forward`) against both.
inline void verifyGrad(const Formula &f, const std::vector<Tensor> &points, double tolerance = 1e-5, bool forward = true)
{
    std::vector<VarRef> inputs;
    for (const Tensor &point : points) inputs.push_back(variable(point, "p"));
    const VarRef output = f(inputs);
    const VarRef outputs[] = {output};
    const Tensor base = evaluate(outputs, inputs, points)[0];
    const Tensor weights = randomTensor(base.shape(), 0.5, 1.5, 3);
    const VarRef w = Variable::constant(Value(weights), Type::ofRank(DType::Float64, weights.rank()));
    const VarRef cost[] = {sum(mul(output, w))};
    GradOptions options;
    options.addNames = false;
    const std::vector<VarRef> gradients = grad(cost[0], inputs, options);
    const std::vector<Tensor> values = evaluate(gradients, inputs, points);

    std::vector<Tensor> directions;
    std::vector<VarRef> directionVars;
    for (std::size_t k = 0; k < points.size(); ++k) {
        directions.push_back(randomTensor(points[k].shape(), -1, 1, 11 + static_cast<unsigned>(k)));
        directionVars.push_back(variable(directions.back(), "d"));
    }
    double along = 0;
    const double step = 1e-6;
    for (std::size_t k = 0; k < points.size(); ++k) {
        ASSERT_EQ(values[k].shape(), points[k].shape()) << "shape of the gradient for input " << k;
        for (std::int64_t i = 0; i < points[k].size(); ++i) {
            std::vector<Tensor> moved = points;
            moved[k] = points[k].copy();
            double *place = moved[k].as<double>() + i;
            const double x = *place;
            *place = x + step;
            const double up = evaluate(cost, inputs, moved)[0].at(0);
            *place = x - step;
            const double down = evaluate(cost, inputs, moved)[0].at(0);
            const double slope = (up - down) / (2 * step);
            ASSERT_NEAR(values[k].at(i), slope, tolerance * std::max(1.0, std::fabs(slope))) << "input " << k << " element " << i;
            along += values[k].at(i) * directions[k].at(i);
        }
    }
    if (!forward) return;
    std::vector<VarRef> allInputs = inputs;
    allInputs.insert(allInputs.end(), directionVars.begin(), directionVars.end());
    std::vector<Tensor> allValues = points;
    allValues.insert(allValues.end(), directions.begin(), directions.end());
    const VarRef forwardCost[] = {sum(mul(rop(outputs, inputs, directionVars)[0], w))};
    ASSERT_NEAR(evaluate(forwardCost, allInputs, allValues)[0].at(0), along, 1e-8 * std::max(1.0, std::fabs(along))) << "forward mode";
}

} // namespace testing_ops
