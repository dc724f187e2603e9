#include "profiler/replay/call_values.h"

#include "engine/values/call_values.h"
#include "profiler/record/values_record.h"

#include <algorithm>
#include <map>
#include <utility>

namespace profiler {
namespace {

// Which nodes of the session's graph those of a graph made here are. Positions in the order and names of ops tell: ids need not be the
// same.
class Ties {
public:
    Ties(SessionReader &reader, const FunctionInfo &function, ValueSide side, const engine::FunctionGraph &graph,
         std::span<const engine::ApplyId> order)
    {
        const GraphRows rows = reader.graphRows(function.graph);
        std::map<int, const ApplyRow *> places;
        for (const ApplyRow &row : rows.applies)
            if (side == ValueSide::Original ? row.inOriginal : row.inOptimized)
                places[side == ValueSide::Original ? row.originalIndex : row.optimizedIndex] = &row;
        m_holds = places.size() == order.size();
        for (std::size_t i = 0; i < order.size() && m_holds; ++i) {
            const auto place = places.find(static_cast<int>(i));
            m_holds = place != places.end() && place->second->op == graph.apply(order[i]).op->name();
            if (m_holds) m_applies[engine::raw(order[i])] = place->second->apply;
        }
        m_holds = m_holds && function.inputs.size() <= graph.inputs().size();
        if (!m_holds) return;
        m_graph = function.graph;
        for (std::size_t i = 0; i < function.inputs.size(); ++i)
            if (graph.name(graph.inputs()[i]) == function.inputs[i].name)
                m_inputs[engine::raw(graph.inputs()[i])] = function.inputs[i].variable;
        for (const VariableRow &row : rows.variables)
            if (row.owner != kNoApply) m_results[{raw(row.owner), row.ownerPort}] = row.variable;
    }

    bool holds() const { return m_holds; }
    void tie(ValueRow &row) const
    {
        row.graph = m_graph;
        if (row.apply == kNoApply) {
            const auto input = m_inputs.find(raw(row.variable));
            row.variable = input == m_inputs.end() ? kNoVariable : input->second;
            return;
        }
        const auto apply = m_applies.find(raw(row.apply));
        row.apply = apply == m_applies.end() ? kNoApply : apply->second;
        if (row.step >= 0) return;
        const auto result = m_results.find({raw(row.apply), row.port});
        row.variable = result == m_results.end() ? kNoVariable : result->second;
    }

private:
    bool m_holds = false;
    GraphId m_graph = kNoGraph;
    std::map<std::uint32_t, ApplyId> m_applies;
    std::map<std::uint32_t, VariableId> m_inputs;
    std::map<std::pair<std::uint32_t, int>, VariableId> m_results;
};

void look(CapturedValues &found, SessionReader &reader, const LoadedCall &call, ValueSide side, const engine::FunctionGraph &graph,
          std::span<const engine::ApplyId> order)
{
    const ValuesOf of{call.view.function.function, kNoGraph, call.view.call.call, side};
    const engine::CallValues values = engine::valuesOfCall(graph, order, valuesFor(graph, call));
    std::vector<FunctionInfo> functions = reader.functions();
    const auto function =
        std::find_if(functions.begin(), functions.end(), [&](const FunctionInfo &each) { return each.id == of.function; });
    for (ValueNote &note : valueNotes(values, of)) found.notes.push_back(std::move(note));
    std::vector<ValueRow> rows = valueRows(values, of);
    if (function != functions.end()) {
        const Ties ties(reader, *function, side, graph, order);
        if (ties.holds())
            for (ValueRow &row : rows) ties.tie(row);
        else
            found.notes.push_back(
                {of.function, of.call, side,
                 "the function was compiled otherwise here than when it was recorded: these values have no nodes in its graph."});
    }
    found.rows.insert(found.rows.end(), rows.begin(), rows.end());
}

} // namespace

CapturedValues valuesOfCaptured(SessionReader &reader, const LoadedCall &call, const engine::Mode &mode)
{
    CapturedValues found;
    const engine::FunctionGraph original(call.explicitInputs, call.graph.outputs);
    look(found, reader, call, ValueSide::Original, original, original.toposort());
    setShared(call);
    const auto function = compileCaptured(call, mode);
    look(found, reader, call, ValueSide::Optimized, function->graph(), function->order());
    for (const std::string &text : call.placeholders)
        for (ValueSide side : {ValueSide::Original, ValueSide::Optimized})
            found.notes.push_back({call.view.function.function, call.view.call.call, side, text + "."});
    return found;
}

} // namespace profiler
