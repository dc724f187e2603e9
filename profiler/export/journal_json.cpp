#include "profiler/export/graph_export.h"

#include <nlohmann/json.hpp>

namespace profiler {

using nlohmann::json;

namespace {

template <class Id>
json ids(const std::vector<Id> &list)
{
    json out = json::array();
    for (const Id id : list) out.push_back(raw(id));
    return out;
}

class EditWriter {
public:
    explicit EditWriter(const GraphReplica &graph) : m_graph(graph) {}

    json operator()(const AddVariable &edit) const
    {
        json out{{"edit", "add variable"}, {"variable", raw(edit.id)}, {"kind", variableKindName(edit.kind)}, {"type", text(edit.type)}};
        if (edit.name != kEmptyString) out["name"] = text(edit.name);
        if (edit.value != kEmptyString) out["value"] = text(edit.value);
        return out;
    }
    json operator()(const AddApply &edit) const
    {
        json outputs = json::array();
        for (const OutputSpec &output : edit.outputs) {
            json one{{"variable", raw(output.id)}, {"type", text(output.type)}};
            if (output.name != kEmptyString) one["name"] = text(output.name);
            outputs.push_back(std::move(one));
        }
        return {{"edit", "add apply"},
                {"apply", raw(edit.id)},
                {"op", text(edit.op)},
                {"inputs", ids(edit.inputs)},
                {"outputs", std::move(outputs)}};
    }
    json operator()(const SetInput &edit) const
    {
        return {{"edit", "set input"},
                {"apply", raw(edit.apply)},
                {"port", edit.port},
                {"before", raw(edit.before)},
                {"after", raw(edit.after)}};
    }
    json operator()(const SetOutput &edit) const
    {
        json out{{"edit", "set output"}, {"output", edit.index}};
        if (edit.before != kNoVariable) out["before"] = raw(edit.before);
        if (edit.after != kNoVariable) out["after"] = raw(edit.after);
        return out;
    }
    json operator()(const Rename &edit) const
    {
        return {{"edit", "rename"}, {"variable", raw(edit.variable)}, {"before", text(edit.before)}, {"after", text(edit.after)}};
    }
    json operator()(const PruneApply &edit) const { return {{"edit", "prune apply"}, {"apply", raw(edit.apply)}}; }
    json operator()(const PruneVariable &edit) const { return {{"edit", "prune variable"}, {"variable", raw(edit.variable)}}; }
    json operator()(const AddSources &edit) const { return {{"edit", "add sources"}, {"apply", raw(edit.apply)}}; }

private:
    const std::string &text(StringId id) const { return m_graph.text(id); }
    const GraphReplica &m_graph;
};

} // namespace

json journalJson(const GraphReplica &graph)
{
    const EditWriter writer(graph);
    json steps = json::array();
    for (int step = 0; step <= graph.stepCount(); ++step) {
        const StepInfo &info = graph.stepInfo(step);
        json edits = json::array();
        for (const Edit &edit : graph.edits(step)) edits.push_back(std::visit(writer, edit));
        json one{{"step", step}, {"edits", std::move(edits)}};
        if (step > 0) {
            one["phase"] = info.phase;
            one["pass"] = info.pass;
            one["rewrite"] = info.rewrite;
            one["reason"] = info.reason;
            one["ns"] = info.ns;
        }
        steps.push_back(std::move(one));
    }
    return {{"format", "croton-journal"}, {"graph", raw(graph.graph())}, {"steps", std::move(steps)}};
}

} // namespace profiler
