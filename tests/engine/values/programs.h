// Small programs in the notation, and the values of a call of them.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/text/notation.h"
#include "engine/values/call_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace programs {

using namespace engine;

inline Tensor vectorOf(const std::vector<double> &values, DType dtype)
{
    Tensor tensor = Tensor::empty(DType::Float64, {static_cast<std::int64_t>(values.size())});
    std::copy(values.begin(), values.end(), tensor.as<double>());
    return tensor.converted(dtype);
}

/// The one input of a program is a vector.
inline std::vector<Value> given(const ParsedExpression &program, const std::vector<double> &x)
{
    std::vector<Value> values;
    for (const VarRef &input : program.inputs) values.push_back(Value(vectorOf(x, input->type().dtype())));
    return values;
}

inline CallValues original(const std::string &text, const std::vector<double> &x)
{
    const ParsedExpression program = parseExpression(text, DType::Float64);
    const FunctionGraph graph(program.inputs, program.outputs);
    return valuesOfCall(graph, graph.toposort(), given(program, x));
}

inline CallValues optimized(const std::string &text, const std::vector<double> &x)
{
    const ParsedExpression program = parseExpression(text, DType::Float64);
    FunctionSpec spec;
    for (const VarRef &input : program.inputs) spec.inputs.push_back({input});
    spec.outputs = program.outputs;
    const auto function = Function::compile(std::move(spec));
    return valuesOfCall(function->graph(), function->order(), given(program, x));
}

/// The last row of an apply or a step with that name.
inline ValueRow rowNamed(const CallValues &values, const std::string &name)
{
    const ValueRow *found = nullptr;
    std::string all;
    for (const ValueRow &row : values.rows) {
        all += row.name + " " + row.op + ", ";
        if (row.name == name || row.op == name) found = &row;
    }
    if (!found) ADD_FAILURE() << "no row " << name << " among " << all;
    return found ? *found : ValueRow();
}

} // namespace programs
