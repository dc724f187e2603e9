#pragma once
// A session with captured calls of a training step of logistic regression, recorded in this process.

#include "engine/compile/function/function.h"
#include "engine/compile/request/shared_values.h"
#include "engine/gradient/gradient.h"
#include "engine/text/notation.h"
#include "profiler/record/recorder.h"
#include "profiler/session/store/reader.h"
#include "tests/profiler/session/scratch.h"

#include <memory>
#include <string>
#include <vector>

namespace profiler {

inline engine::Tensor numbers(const engine::Dims &shape, double first)
{
    engine::Tensor tensor = engine::Tensor::empty(engine::DType::Float64, shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.as<double>()[i] = first + 0.01 * static_cast<double>(i * 7 % 37);
    return tensor;
}

inline constexpr const char *kTraining = "x: dmatrix; y: dvector; w: dvector\n"
                                         "p = 1 / (1 + exp(-dot(x, w)))\n"
                                         "cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(w ** 2)\n"
                                         "cost, p > 0.5";

// Its updates go to the shared w, by gradient descent.
class Training {
public:
    explicit Training(std::int64_t columns = 7, const std::string &text = kTraining)
        : w(engine::Variable::shared(
              std::make_shared<engine::Container>(engine::Value(engine::Tensor::zeros(engine::DType::Float64, {columns}))),
              engine::parseType("dvector"), "w")),
          inputs{numbers({20, columns}, -0.1), numbers({20}, 0.3)}
    {
        const engine::ParsedExpression parsed = engine::parseExpression(text);
        engine::FunctionSpec spec;
        spec.name = "train";
        spec.inputs = {{parsed.inputs[0]}, {parsed.inputs[1]}};
        spec.outputs = parsed.outputs;
        const engine::VarRef gradient = engine::grad(parsed.outputs[0], std::vector{parsed.inputs[2]}).at(0);
        spec.updates = {{w, gradient}};
        spec.givens = {{parsed.inputs[2], w}};
        function = engine::Function::compile(std::move(spec));
    }
    engine::Tensor value() const { return engine::sharedValue(*w->container()).tensor(); }
    void call()
    {
        before.push_back(value().copy());
        function->call(inputs, outputs);
        costs.push_back(outputs.at(0).tensor().at(0));
    }

    engine::VarRef w;
    std::vector<engine::Value> inputs, outputs;
    std::shared_ptr<engine::Function> function;
    std::vector<engine::Tensor> before; // w before each call
    std::vector<double> costs;
};

// Records `calls` calls into `path`.
inline Training recordTraining(const std::string &path, int calls, CaptureOptions capture = {.isOn = true, .chosen = 1})
{
    RecordOptions options;
    options.capture = capture;
    Recorder recorder(path, SessionStart{}, {}, options);
    Training training;
    for (int i = 0; i < calls; ++i) training.call();
    training.function.reset();
    recorder.finish(0);
    return training;
}

// A function of an expression, called twice on the same values.
inline void recordExpression(const std::string &path, const std::string &text, const std::vector<engine::Value> &inputs)
{
    RecordOptions options;
    options.capture = {.isOn = true};
    Recorder recorder(path, SessionStart{}, {}, options);
    const engine::ParsedExpression parsed = engine::parseExpression(text);
    engine::FunctionSpec spec;
    spec.name = "f";
    for (const engine::VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    spec.outputs = parsed.outputs;
    auto function = engine::Function::compile(std::move(spec));
    std::vector<engine::Value> outputs;
    for (int i = 0; i < 2; ++i) function->call(inputs, outputs);
    function.reset();
    recorder.finish(0);
}

} // namespace profiler
