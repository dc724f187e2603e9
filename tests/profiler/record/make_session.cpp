// make_session OUT.croton: a real session, for tests of what shows sessions: logistic regression, trained and asked.
#include "engine/compile/function.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/elementwise.h"
#include "engine/text/notation.h"
#include "profiler/record/recorder.h"

#include <cstdio>
#include <filesystem>
#include <utility>

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

} // namespace

int main(int count, char **arguments)
{
    if (count != 2) {
        std::fprintf(stderr, "usage: make_session OUT.croton\n");
        return 2;
    }
    std::filesystem::remove(arguments[1]);
    profiler::SessionStart start;
    start.label = "logistic regression";
    start.command = "croton expr 'x: fmatrix; …'";
    start.script = {"<expression>", kProgram, {}};
    profiler::Recorder recorder(arguments[1], start);

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
    const engine::VarRef w = parsed.inputs[2], b = parsed.inputs[3];
    const std::vector<engine::VarRef> slopes = engine::grad(parsed.outputs[0], std::vector{w, b});
    const engine::VarRef rate = engine::constantOf(engine::DType::Float32, 0.1);

    engine::FunctionSpec train;
    train.name = "train";
    train.outputs = {parsed.outputs[1], parsed.outputs[2]};
    train.givens = givens;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const engine::VarRef &own = givens[2 + i].first;
        const engine::VarRef scaled = engine::elementwise(engine::ScalarCode::Mul, {rate, slopes[i]});
        train.updates.emplace_back(givens[2 + i].second, engine::elementwise(engine::ScalarCode::Sub, {own, scaled}));
    }
    engine::FunctionSpec predict;
    predict.name = "predict";
    predict.outputs = {parsed.outputs[1]};
    predict.givens = givens;

    std::vector<std::shared_ptr<engine::Function>> functions{engine::Function::compile(train), engine::Function::compile(predict)};
    std::vector<engine::Value> outputs;
    // Training is what takes longest, whatever else the machine does.
    for (const auto &[training, asking] : {std::pair{3, 3}, std::pair{1000, 20}})
        for (std::size_t f = 0; f < functions.size(); ++f) {
            for (int i = 0; i < (f == 0 ? training : asking); ++i) functions[f]->call({}, outputs);
            functions[f]->compileKernels();
        }
    functions.clear();
    recorder.finish(0);
    return 0;
}
