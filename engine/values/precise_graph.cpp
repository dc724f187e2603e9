#include "engine/values/precise_graph.h"

#include "engine/runtime/plan/interpreter.h"

#include <algorithm>
#include <unordered_map>

namespace engine {
namespace {

// A form may rely on arrays that are dense.
Value dense(const Value &value) { return value.isTensor() ? Value(value.tensor().copy()) : value; }

class Listener final : public ApplyListener {
public:
    Listener(const FunctionGraph &graph, PreciseGraph &result, ReferenceBudget &budget) : m_graph(graph), m_result(result), m_budget(budget)
    {
        for (ApplyId id : graph.liveApplies())
            for (const Use &use : graph.apply(id).inputs) ++m_readers[raw(use.var)];
        for (VarId output : graph.outputs()) ++m_readers[raw(output)];
    }

    void know(VarId var, PreciseRef wanted, Reference reference) { m_known[raw(var)] = {std::move(wanted), reference}; }
    void knowConstant(VarId var)
    {
        const Value &value = m_graph.var(var).leaf->value();
        if (m_known.contains(raw(var)) || !value.isTensor()) return;
        if (auto array = PreciseArray::of(value.tensor()))
            know(var, std::make_shared<const PreciseArray>(std::move(*array)), Reference::Precise);
    }

    // Before anything is overwritten.
    void before(ApplyId id, std::span<const Value> inputs) override
    {
        m_inputs.clear();
        if (m_graph.apply(id).op->destroyMap().empty()) return;
        for (const Value &value : inputs) m_inputs.push_back(dense(value));
    }

    void after(ApplyId id, std::span<const Value> inputs, std::span<Value> outputs) override
    {
        const ApplyNode &node = m_graph.apply(id);
        std::vector<Type> inputTypes, outputTypes;
        std::vector<PreciseRef> wanted;
        std::vector<Value> results;
        Reference worst = Reference::Precise;
        for (const Use &use : node.inputs) {
            inputTypes.push_back(m_graph.var(use.var).type);
            if (m_graph.var(use.var).kind == Variable::Kind::Constant) knowConstant(use.var);
            const auto found = m_known.find(raw(use.var));
            wanted.push_back(found == m_known.end() ? nullptr : found->second.wanted);
            if (found != m_known.end()) worst = std::max(worst, found->second.reference);
        }
        if (m_inputs.empty())
            for (const Value &value : inputs) m_inputs.push_back(dense(value));
        for (VarId out : node.outputs) outputTypes.push_back(m_graph.var(out).type);
        for (const Value &output : outputs) results.push_back(dense(output));
        ReferenceResult made = referenceOf(*node.op, inputTypes, outputTypes, wanted, m_inputs, results, m_budget);
        // What is drawn by chance is right by definition.
        if (!made.note.empty()) {
            worst = std::max(worst, made.reference);
            if (std::ranges::find(m_result.notes, made.note) == m_result.notes.end()) m_result.notes.push_back(std::move(made.note));
        }
        for (std::size_t o = 0; o < node.outputs.size(); ++o) know(node.outputs[o], made.outputs[o], worst);
        for (const Use &use : node.inputs)
            if (--m_readers[raw(use.var)] == 0) m_known.erase(raw(use.var));
    }

    void finish()
    {
        for (VarId output : m_graph.outputs()) {
            if (m_graph.var(output).kind == Variable::Kind::Constant) knowConstant(output);
            const auto found = m_known.find(raw(output));
            const bool isKnown = found != m_known.end() && found->second.wanted;
            m_result.wanted.push_back(isKnown ? found->second.wanted : nullptr);
            m_result.references.push_back(isKnown ? found->second.reference : Reference::None);
        }
    }

private:
    struct Known {
        PreciseRef wanted;
        Reference reference = Reference::Precise;
    };
    const FunctionGraph &m_graph;
    PreciseGraph &m_result;
    ReferenceBudget &m_budget;
    std::vector<Value> m_inputs;
    std::unordered_map<std::uint32_t, Known> m_known;
    std::unordered_map<std::uint32_t, std::size_t> m_readers;
};

} // namespace

PreciseGraph preciseGraph(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const Value> values,
                          std::span<const PreciseRef> wanted, ReferenceBudget &budget)
{
    PreciseGraph result;
    Listener listener(graph, result, budget);
    for (std::size_t i = 0; i < values.size(); ++i) listener.know(graph.inputs()[i], wanted[i], Reference::Precise);
    ApplyFailure failure;
    result.values = interpret(graph, order, graph.inputs(), values, graph.outputs(), {}, failure, &listener);
    listener.finish();
    return result;
}

PreciseGraph preciseGraph(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const Value> values,
                          ReferenceBudget &budget)
{
    std::vector<Value> given;
    std::vector<PreciseRef> wanted;
    for (const Value &value : values) {
        given.push_back(dense(value));
        std::optional<PreciseArray> array;
        if (value.isTensor()) array = PreciseArray::of(value.tensor());
        wanted.push_back(array ? std::make_shared<const PreciseArray>(std::move(*array)) : nullptr);
    }
    return preciseGraph(graph, order, given, wanted, budget);
}

} // namespace engine
