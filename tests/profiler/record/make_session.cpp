// make_session OUT.croton KIND: a real session, for tests of what shows sessions. Kinds: "session" logistic regression, trained
// and asked; "network" the training of a network of six layers; "large" one of some thousand; "calls" a script that calls another file.
#include "engine/compile/function/function.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/tensor/clock.h"
#include "engine/text/notation.h"
#include "profiler/record/recorder.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr const char *kProgram = R"(x: fmatrix; y: fvector; w: fvector; b: fscalar
z = dot(x, w) + b
p = 1.0 / (1.0 + exp(-z))
loss = -y * log(p) - (1.0 - y) * log(1.0 - p)
cost = mean(loss) + 0.01 * sum(w ** 2)
cost, p > 0.5, loss
)";

engine::Tensor filled(const engine::Dims &shape, double step)
{
    engine::Tensor tensor = engine::Tensor::empty(engine::DType::Float32, shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.as<float>()[i] = static_cast<float>(step * static_cast<double>(i % 17 - 8));
    return tensor;
}

engine::VarRef shared(const engine::VarRef &like, engine::Tensor value)
{
    return engine::Variable::shared(std::make_shared<engine::Container>(engine::Value(std::move(value))), like->type(), like->name());
}

// Parameters become shared variables and descend by their slopes.
engine::FunctionSpec trainingOf(const engine::ParsedExpression &parsed,
                                const std::vector<std::pair<engine::VarRef, engine::VarRef>> &givens, std::size_t firstParameter)
{
    std::vector<engine::VarRef> parameters(parsed.inputs.begin() + static_cast<std::ptrdiff_t>(firstParameter), parsed.inputs.end());
    const std::vector<engine::VarRef> slopes = engine::grad(parsed.outputs[0], parameters);
    const engine::VarRef rate = engine::constantOf(engine::DType::Float32, 0.1);
    engine::FunctionSpec train;
    train.name = "train";
    train.givens = givens;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const auto &[own, held] = givens[firstParameter + i];
        const engine::VarRef scaled = engine::elementwise(engine::ScalarCode::Mul, {rate, slopes[i]});
        train.updates.emplace_back(held, engine::elementwise(engine::ScalarCode::Sub, {own, scaled}));
    }
    return train;
}

void recordNetwork(const char *path)
{
    const std::vector<std::int64_t> sizes{20, 16, 16, 12, 12, 8, 5};
    constexpr std::int64_t kRows = 10;
    std::string declared = "x: fmatrix; y: fmatrix", body;
    std::vector<engine::Dims> shapes{{kRows, sizes.front()}, {kRows, sizes.back()}};
    std::string last = "x";
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        const std::string n = std::to_string(i), sum = "dot(" + last + ", W" + n + ") + b" + n;
        declared += "; W" + n + ": fmatrix; b" + n + ": fvector";
        body += "h" + n + " = " + (i + 2 < sizes.size() ? "tanh(" : "softmax(") + sum + ")\n";
        last = "h" + n;
        shapes.push_back({sizes[i], sizes[i + 1]});
        shapes.push_back({sizes[i + 1]});
    }
    const std::string program = declared + "\n" + body + "cost = -mean(sum(y * log(" + last + "), axis=1))\ncost\n";
    profiler::SessionStart start;
    start.label = "a network of six layers";
    start.command = "croton expr 'x: fmatrix; …'";
    start.script = {"<expression>", program, {}};
    profiler::Recorder recorder(path, start);
    const engine::ParsedExpression parsed = engine::parseExpression(program, engine::DType::Float32);
    std::vector<std::pair<engine::VarRef, engine::VarRef>> givens;
    for (std::size_t i = 0; i < parsed.inputs.size(); ++i)
        givens.emplace_back(parsed.inputs[i], shared(parsed.inputs[i], filled(shapes[i], i == 1 ? 0.01 : 0.02)));
    const engine::ScopedTrace line(engine::internTrace({{"<expression>", 8, "", "cost = -mean(sum(y * log(h5), axis=1))"}}));
    engine::FunctionSpec train = trainingOf(parsed, givens, 2);
    train.outputs = {parsed.outputs[0]};
    const std::shared_ptr<engine::Function> function = engine::Function::compile(train);
    std::vector<engine::Value> outputs;
    for (int i = 0; i < 20; ++i) function->call({}, outputs);
    recorder.finish(0);
}

void recordLarge(const char *path)
{
    constexpr int kLayers = 2600;
    profiler::SessionStart start;
    start.label = "a network of many layers";
    start.script = {"<expression>", "h = x\nfor layer in range(2600): h = tanh(dot(h, w)) + x\nsum(h)\nsum(x * 2)\n", {}};
    profiler::Recorder recorder(path, start);
    const engine::ParsedExpression parsed = engine::parseExpression("x: fmatrix; w: fmatrix; x, w", engine::DType::Float32);
    const engine::VarRef x = shared(parsed.inputs[0], filled({4, 4}, 0.05)), w = shared(parsed.inputs[1], filled({4, 4}, 0.02));
    engine::VarRef h = x;
    {
        const engine::ScopedTrace line(engine::internTrace({{"<expression>", 2, "", "for layer in range(2600): h = tanh(dot(h, w)) + x"}}));
        for (int i = 0; i < kLayers; ++i) h = engine::add(engine::elementwise(engine::ScalarCode::Tanh, {engine::dot(h, w)}), x);
    }
    std::vector<engine::Value> outputs;
    for (const auto &[name, result] : {std::pair("sizes", engine::sum(engine::add(x, x))), std::pair("layers", engine::sum(h))}) {
        engine::FunctionSpec spec;
        spec.name = name;
        spec.outputs = {result};
        const auto function = engine::Function::compile(spec);
        function->call({}, outputs);
    }
    recorder.finish(0);
}

// train.py, and layers.py which it calls: two layers, each a product in dense() and a tanh in squash(), which dense() calls.
void recordCalls(const char *path)
{
    const std::string layers = std::string(path) + ".layers.py";
    std::ofstream(layers) << "def dense(x, n):\n    z = dot(x, w)\n    return squash(z)\ndef squash(z):\n    return tanh(z)\n";
    profiler::SessionStart start;
    start.label = "two files";
    start.script = {"train.py", "h = dense(x, 1)\ny = dense(h, 2)\ncost = sum(y * 2)\n", {}};
    profiler::Recorder recorder(path, start);
    const engine::ParsedExpression parsed = engine::parseExpression("x: fmatrix; w: fmatrix; x, w", engine::DType::Float32);
    const engine::VarRef x = shared(parsed.inputs[0], filled({40, 40}, 0.05)), w = shared(parsed.inputs[1], filled({40, 40}, 0.02));
    engine::VarRef y = x;
    for (const int line : {1, 2}) {
        const engine::SourceLine script{"train.py", line, "", line == 1 ? "h = dense(x, 1)" : "y = dense(h, 2)"};
        const engine::SourceLine product{layers, 2, "dense", "z = dot(x, w)"}, calling{layers, 3, "dense", "return squash(z)"};
        {
            const engine::ScopedTrace inDense(engine::internTrace({product, script}));
            y = engine::dot(y, w);
        }
        const engine::ScopedTrace inSquash(engine::internTrace({{layers, 5, "squash", "return tanh(z)"}, calling, script}));
        y = engine::elementwise(engine::ScalarCode::Tanh, {y});
    }
    const engine::ScopedTrace inScript(engine::internTrace({{"train.py", 3, "", "cost = sum(y * 2)"}}));
    engine::FunctionSpec spec;
    spec.name = "cost";
    spec.outputs = {engine::sum(engine::elementwise(engine::ScalarCode::Mul, {y, engine::constantOf(engine::DType::Float32, 2.0)}))};
    const auto function = engine::Function::compile(spec);
    std::vector<engine::Value> outputs;
    for (int i = 0; i < 20; ++i) function->call({}, outputs);
    recorder.finish(0);
}

void recordRegression(const char *path)
{
    profiler::SessionStart start;
    start.label = "logistic regression";
    start.command = "croton expr 'x: fmatrix; …'";
    start.script = {"<expression>", kProgram, {}};
    profiler::Recorder recorder(path, start);

    const engine::ParsedExpression parsed = engine::parseExpression(kProgram, engine::DType::Float32);
    std::vector<std::pair<engine::VarRef, engine::VarRef>> givens;
    const engine::Dims shapes[] = {{40, 30}, {40}, {30}, {}};
    for (std::size_t i = 0; i < parsed.inputs.size(); ++i) {
        engine::Tensor value = filled(shapes[i], i == 1 ? 0 : 0.05);
        if (i == 1)
            for (std::int64_t k = 0; k < value.size(); ++k) value.as<float>()[k] = static_cast<float>(k % 2);
        givens.emplace_back(parsed.inputs[i], shared(parsed.inputs[i], std::move(value)));
    }
    // What the notation cannot say, the training, is put down to the line of the cost.
    const engine::ScopedTrace line(engine::internTrace({{"<expression>", 5, "", "cost = mean(loss) + 0.01 * sum(w ** 2)"}}));
    engine::FunctionSpec train = trainingOf(parsed, givens, 2);
    train.outputs = {parsed.outputs[1], parsed.outputs[2]};
    engine::FunctionSpec predict;
    predict.name = "predict";
    predict.outputs = {parsed.outputs[1]};
    predict.givens = givens;

    std::vector<std::shared_ptr<engine::Function>> functions{engine::Function::compile(train), engine::Function::compile(predict)};
    std::vector<engine::Value> outputs;
    for (const auto &[training, asking] : {std::pair{3, 3}, std::pair{1000, 20}})
        for (std::size_t f = 0; f < functions.size(); ++f) {
            for (int i = 0; i < (f == 0 ? training : asking); ++i) functions[f]->call({}, outputs);
            functions[f]->compileKernels();
        }
    functions.clear();
    recorder.finish(0);
}

} // namespace

int main(int count, char **arguments)
{
    constexpr std::pair<const char *, void (*)(const char *)> kKinds[] = {
        {"session", recordRegression}, {"network", recordNetwork}, {"large", recordLarge}, {"calls", recordCalls}};
    for (const auto &[kind, record] : kKinds) {
        if (count != 3 || arguments[2] != std::string(kind)) continue;
        std::filesystem::remove(arguments[1]);
        const engine::ModelClock clock; // the same times on every machine
        record(arguments[1]);
        return 0;
    }
    std::fprintf(stderr, "usage: make_session OUT.croton session|network|large|calls\n");
    return 2;
}
