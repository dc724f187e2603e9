// A training step that tests record, and the fixture that records it.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/gradient/gradient.h"
#include "engine/text/notation.h"
#include "profiler/record/recorder.h"
#include "profiler/session/store/reader.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace profiler {

inline engine::Tensor filled(const engine::Dims &shape, double first)
{
    engine::Tensor tensor = engine::Tensor::empty(engine::DType::Float64, shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.as<double>()[i] = first + 0.01 * static_cast<double>(i % 37);
    return tensor;
}

inline engine::VarRef sharedVector(std::int64_t size, const std::string &name)
{
    engine::Tensor value = engine::Tensor::zeros(engine::DType::Float64, {size});
    const engine::Type type = engine::parseType("dvector");
    return engine::Variable::shared(std::make_shared<engine::Container>(engine::Value(value)), type, name);
}

// A training step of logistic regression on shared w, with its gradient.
inline engine::FunctionSpec trainingStep(const engine::VarRef &shared)
{
    const engine::ParsedExpression parsed = engine::parseExpression("x: dmatrix; y: dvector; w: dvector\n"
                                                                    "p = 1 / (1 + exp(-dot(x, w)))\n"
                                                                    "cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(w ** 2)\n"
                                                                    "cost, p > 0.5");
    engine::FunctionSpec spec;
    spec.name = "train";
    spec.profile = true;
    spec.inputs = {{parsed.inputs[0]}, {parsed.inputs[1]}};
    spec.outputs = parsed.outputs;
    const engine::VarRef w = parsed.inputs[2];
    const engine::VarRef gradient = engine::grad(parsed.outputs[0], std::vector{w}).at(0);
    spec.updates = {{shared, gradient}};
    spec.givens = {{w, shared}};
    return spec;
}

inline void callOften(engine::Function &function, int times)
{
    const std::vector<engine::Value> inputs{filled({20, 7}, -0.1), filled({20}, 0.3)};
    std::vector<engine::Value> outputs;
    for (int i = 0; i < times; ++i) function.call(inputs, outputs);
}

class Record : public testing::Test {
protected:
    Record() : m_path(m_scratch / "a.croton"), m_recorder(std::make_unique<Recorder>(m_path, SessionStart{})) {}
    std::unique_ptr<SessionReader> finish()
    {
        m_recorder->finish(0);
        return SessionReader::open(m_path);
    }
    Scratch m_scratch;
    std::string m_path;
    std::unique_ptr<Recorder> m_recorder;
};

} // namespace profiler
