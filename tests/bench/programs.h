// Programs of any size for the benchmarks of rewriting.
#pragma once

#include "engine/gradient/gradient.h"
#include "engine/graph/ir/function_graph.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"

#include <vector>

namespace bench {

using namespace engine;

struct Program {
    std::vector<VarRef> inputs, outputs;
};

inline VarRef input(int rank, const char *name) { return Variable::input(Type::ofRank(DType::Float64, rank), name); }

inline Program tanhOfDots(int nodes)
{
    Program program{{input(2, "x"), input(2, "w")}, {}};
    VarRef value = program.inputs[0];
    for (int i = 0; i < nodes; i += 2) value = elementwise(ScalarCode::Tanh, {dot(value, program.inputs[1])});
    program.outputs = {value};
    return program;
}

inline Program treeOfAdds(int nodes)
{
    Program program{{input(1, "x"), input(1, "y")}, {}};
    std::vector<VarRef> level;
    // Leaves that differ, or the merge would leave next to nothing.
    for (int i = 0; i < nodes / 2; ++i)
        level.push_back(mul(program.inputs[static_cast<std::size_t>(i % 2)], constantOf(DType::Float64, i + 2)));
    while (level.size() > 1) {
        std::vector<VarRef> next;
        for (std::size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(add(level[i], level[i + 1]));
        if (level.size() % 2) next.push_back(level.back());
        level = std::move(next);
    }
    program.outputs = {level[0]};
    return program;
}

inline Program unaryChain(int nodes)
{
    constexpr ScalarCode kCodes[] = {ScalarCode::Sin, ScalarCode::Tanh, ScalarCode::Exp, ScalarCode::Sigmoid, ScalarCode::Neg};
    Program program{{input(1, "x")}, {}};
    VarRef value = program.inputs[0];
    for (int i = 0; i < nodes; ++i) value = elementwise(kCodes[i % 5], {value});
    program.outputs = {value};
    return program;
}

inline Program addMulByConstants(int nodes)
{
    Program program{{input(1, "x")}, {}};
    VarRef value = program.inputs[0];
    for (int i = 0; i < nodes; i += 2)
        value = mul(add(value, constantOf(DType::Float64, 1 + i % 7)), constantOf(DType::Float64, 0.5 + i % 3));
    program.outputs = {value};
    return program;
}

/// The gradient of an unrolled recurrent network: about 14 nodes a step.
inline Program unrolledGradient(int nodes)
{
    Program program{{input(2, "x"), input(2, "w"), input(2, "u"), input(1, "b")}, {}};
    VarRef h = program.inputs[0];
    for (int i = 0; i < nodes; i += 14)
        h = elementwise(ScalarCode::Tanh,
                        {add(add(dot(h, program.inputs[1]), dot(program.inputs[0], program.inputs[2])), program.inputs[3])});
    const std::vector<VarRef> wrt(program.inputs.begin() + 1, program.inputs.end());
    program.outputs = grad(sum(elementwise(ScalarCode::Sqr, {h})), wrt);
    return program;
}

} // namespace bench
