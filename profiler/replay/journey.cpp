#include "profiler/replay/along.h"

#include "engine/runtime/plan/order.h"

namespace profiler {

Journey::Journey(const LoadedCall &call, engine::Mode mode)
    : m_call(call), m_mode(std::move(mode)), m_whole(compileCaptured(call, m_mode)), m_walked(compileCaptured(call, m_mode))
{
    m_graph = const_cast<engine::FunctionGraph *>(&m_walked->graph());
}

// A graph is dropped as it was left.
Journey::~Journey() { m_graph->goTo(m_graph->journal().steps.size()); }

int Journey::steps() const { return static_cast<int>(m_whole->graph().journal().steps.size()); }

std::shared_ptr<engine::Function> Journey::functionAt(int step)
{
    if (step >= steps()) return m_whole;
    m_graph->goTo(static_cast<std::size_t>(step));
    const std::vector<engine::ApplyId> order = engine::executionOrder(*m_graph);
    const engine::ExportedGraph exported = engine::exportGraph(*m_graph, order);
    engine::FunctionSpec spec;
    spec.name = m_call.view.functionName;
    spec.mode = m_mode;
    spec.bodies = m_mode; // what loops run in a step is that of the function in all of them
    spec.bodies->debug.reset();
    spec.mode.level = engine::OptimizerLevel::None; // the graph as it stands
    spec.mode.including.clear();
    spec.mode.excluding.clear();
    spec.mode.debug.reset();
    spec.onUnusedInput = engine::OnUnusedInput::Ignore;
    for (std::size_t i = 0; i < m_call.explicitInputs.size(); ++i) spec.inputs.push_back({exported.inputs[i]});
    std::map<std::size_t, engine::VarRef> targets(m_call.graph.updates.begin(), m_call.graph.updates.end());
    const auto withContainer = [&](const engine::VarRef &target) {
        for (const engine::VarRef &input : exported.inputs)
            if (input->kind() == engine::Variable::Kind::Shared && input->container() == target->container()) return input;
        return target;
    };
    // The function's outputs stand first and its updates behind them; those of the call in the order of its document.
    std::size_t nextOutput = 0, nextUpdate = m_call.graph.outputs.size() - targets.size();
    for (std::size_t i = 0; i < m_call.graph.outputs.size(); ++i) {
        const auto target = targets.find(i);
        if (target == targets.end()) spec.outputs.push_back(exported.outputs[nextOutput++]);
        else spec.updates.emplace_back(withContainer(target->second), exported.outputs[nextUpdate++]);
    }
    return engine::Function::compile(std::move(spec));
}

} // namespace profiler
