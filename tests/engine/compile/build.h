// Short spellings for the graphs of these tests.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/shape.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace build {

using namespace engine;

inline VarRef input(DType dtype, int rank, const std::string &name) { return Variable::input(Type::ofRank(dtype, rank), name); }
inline VarRef vector(const std::string &name, DType dtype = DType::Float64) { return input(dtype, 1, name); }
inline VarRef matrix(const std::string &name, DType dtype = DType::Float64) { return input(dtype, 2, name); }
inline VarRef scalar(const std::string &name, DType dtype = DType::Float64) { return input(dtype, 0, name); }
inline VarRef number(double value) { return constantOf(DType::Float64, value); }

inline VarRef shared(Tensor value, const std::string &name)
{
    const Type type = Type::ofRank(value.dtype(), value.rank());
    return Variable::shared(std::make_shared<Container>(Value(std::move(value))), type, name);
}

inline Tensor values(std::initializer_list<double> list, Dims shape = {})
{
    if (shape.empty()) shape = {static_cast<std::int64_t>(list.size())};
    Tensor result = Tensor::empty(DType::Float64, shape);
    std::copy(list.begin(), list.end(), result.as<double>());
    return result;
}

inline std::vector<double> numbers(const Tensor &tensor)
{
    std::vector<double> result;
    for (std::int64_t i = 0; i < tensor.size(); ++i) result.push_back(tensor.at(i));
    return result;
}

inline FunctionSpec request(std::vector<VarRef> inputs, std::vector<VarRef> outputs, std::vector<std::pair<VarRef, VarRef>> updates = {},
                            const char *mode = "FAST_RUN")
{
    FunctionSpec spec;
    for (const VarRef &variable : inputs) spec.inputs.push_back({variable});
    spec.outputs = std::move(outputs);
    spec.updates = std::move(updates);
    spec.mode = Mode::named(mode);
    spec.name = "f";
    return spec;
}

inline std::vector<Tensor> call(Function &function, std::vector<Tensor> inputs)
{
    std::vector<View> views;
    for (const Tensor &tensor : inputs) views.push_back(tensor.view());
    std::vector<Tensor> outputs;
    function.callViews(views, outputs);
    return outputs;
}

} // namespace build
