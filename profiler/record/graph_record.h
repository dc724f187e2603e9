// Turns a FunctionGraph and its journal into the rows and edits of a session.
#pragma once

#include "engine/compile/function.h"
#include "engine/compile/observer.h"
#include "profiler/session/writer.h"

#include <map>
#include <utility>
#include <vector>

namespace profiler {

/// What is being recorded of one graph, from its import to the last step.
class GraphRecord {
public:
    GraphRecord(SessionWriter &writer, GraphInfo info);

    GraphId id() const { return m_info.id; }
    const GraphInfo &info() const { return m_info; }

    /// Step 0: the graph as it stands. Call before any rewrite.
    void import(const engine::FunctionGraph &graph);
    /// The steps of a pass that just ended.
    void addPass(const engine::FunctionGraph &graph, const engine::PassReport &report);
    /// Applies, variables, origins and source links at the end; `order` is the order of execution.
    void finish(const engine::FunctionGraph &graph, std::span<const engine::ApplyId> order, const engine::Lineage &lineage);
    /// Run-time shapes and sizes, once a plan exists.
    void setRuntimeShapes(const engine::FunctionGraph &graph, const engine::Lineage &lineage, std::span<const engine::BufferInfo> buffers);

    std::int64_t optimizerNs() const { return m_optimizerNs; }

private:
    AddVariable describeVariable(const engine::FunctionGraph &graph, engine::VarId id);
    AddApply describeApply(const engine::FunctionGraph &graph, engine::ApplyId id);
    Step convertStep(const engine::FunctionGraph &graph, std::size_t index);
    std::vector<SourceRef> sourcesOf(engine::TraceId trace);
    std::vector<SourceRef> &sources(engine::ApplyId id);

    SessionWriter &m_writer;
    GraphInfo m_info;
    int m_passCount = 0;
    std::int64_t m_optimizerNs = 0;
    std::vector<std::vector<SourceRef>> m_sources; // by apply id
    std::vector<engine::ApplyId> m_originalOrder;
    std::vector<bool> m_originalVariable;
    std::vector<VariableRow> m_variables;
    std::vector<ApplyRow> m_applies;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> m_bornInputs; // (apply, port) → variable
    std::map<std::uint32_t, std::uint32_t> m_bornNames;                            // variable → name id
};

/// "CGemv{inplace}(w, -0.01, x.T, …)": an apply as Theano prints it in profiles.
std::string applyLabel(const engine::FunctionGraph &graph, engine::ApplyId id);

} // namespace profiler
