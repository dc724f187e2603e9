#include "tests/profiler/record/live_session.h"

#include "engine/compile/function/function.h"
#include "engine/text/notation.h"
#include "profiler/record/recorder.h"

#include <vector>

namespace profiler {

struct LiveSession::State {
    Recorder recorder;
    std::shared_ptr<engine::Function> function;
    std::vector<engine::Value> inputs, outputs;

    explicit State(const std::string &path) : recorder(path, {})
    {
        const engine::ParsedExpression parsed = engine::parseExpression("x: dvector; y = exp(x) / sum(exp(x)); y * log(y), sum(x ** 2)");
        engine::FunctionSpec spec;
        spec.name = "entropy";
        for (const engine::VarRef &input : parsed.inputs) spec.inputs.push_back({input});
        spec.outputs = parsed.outputs;
        function = engine::Function::compile(spec);
        engine::Tensor x = engine::Tensor::empty(engine::DType::Float64, {8});
        for (std::int64_t i = 0; i < x.size(); ++i) x.as<double>()[i] = 0.25 * static_cast<double>(i);
        inputs = {engine::Value(std::move(x))};
    }
};

LiveSession::LiveSession(const std::string &path) : m_state(std::make_unique<State>(path)) { call(kFirstCalls); }

LiveSession::~LiveSession()
{
    m_state->function.reset();
    m_state->recorder.finish(0);
}

void LiveSession::call(int times)
{
    for (int i = 0; i < times; ++i) m_state->function->call(m_state->inputs, m_state->outputs);
    m_state->recorder.refresh();
    m_state->recorder.writer().flush();
}

} // namespace profiler
