#pragma once

#include "views/inspector/inspector_view.h"
#include "views/session/links.h"

namespace views {

/// What the inspector says about what is selected: a node, else a step, else the function.
InspectorContent inspect(const ViewFeed &feed);

/// Why a run cannot be started from here; empty: it can.
QString whyNoRun(bool canRun);
/// What it says about a selected node of a function's graph.
InspectorContent inspectNode(const SessionData &session, const Links &links, const profiler::FunctionInfo &function, const NodeRef &node,
                             bool canRun = false);
/// What it says about a step: the rewrite, why, when it hurts, its effect, the lines it came from.
InspectorContent inspectStep(const SessionData &session, const Links &links, const profiler::FunctionInfo &function, int step,
                             bool canRun = false);
/// What it says about a function when nothing in it is selected.
InspectorContent inspectFunction(const SessionData &session, const profiler::FunctionInfo &function);

/// "TensorType(float32, vector)" and "(400,)" as "float32 (400,)".
QString typeText(const profiler::VariableRow &variable);

/// One decline for the "Why not?" list.
struct WhyNotRow {
    QString rewrite;
    QString reason;
    int step = 0;
};
std::vector<WhyNotRow> whyNot(const GraphData &graph, std::uint32_t apply);

} // namespace views
