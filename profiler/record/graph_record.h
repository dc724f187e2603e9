// Turns a FunctionGraph and its journal into the rows and edits of a session.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/compile/request/observer.h"
#include "engine/tensor/short_list.h"
#include "profiler/record/text_numbers.h"
#include "profiler/session/store/writer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace profiler {

/// What is being recorded of one graph, from its import to the last step.
class GraphRecord {
public:
    GraphRecord(SessionWriter &writer, GraphInfo info, bool compiles);

    GraphId id() const { return m_info.id; }
    const GraphInfo &info() const { return m_info; }
    TextNumbers &texts() { return m_texts; }

    /// Step 0: the graph as it stands. Call before any rewrite.
    void import(const engine::FunctionGraph &graph);
    /// The steps of a pass that just ended.
    void addPass(const engine::FunctionGraph &graph, const engine::PassReport &report);
    /// Applies, variables, origins and source lines at the end; `order` is the order of execution.
    void finish(const engine::FunctionGraph &graph, std::span<const engine::ApplyId> order, const engine::Lineage &lineage);
    /// Run-time shapes and sizes, once a plan exists.
    void setRuntimeShapes(const engine::FunctionGraph &graph, const engine::Lineage &lineage, std::span<const engine::BufferInfo> buffers);

private:
    using Sources = engine::ShortList<SourceRef, 2>;

    const AddVariable &describeVariable(const engine::FunctionGraph &graph, engine::VarId id);
    AddApply &describeApply(const engine::FunctionGraph &graph, engine::ApplyId id);
    StepFacts convertStep(const engine::FunctionGraph &graph, std::size_t index);
    void writeApplies(const engine::FunctionGraph &graph, std::span<const engine::ApplyId> order, const engine::Lineage &lineage);
    void writeVariables(const engine::FunctionGraph &graph);
    void writeDocuments(const engine::FunctionGraph &graph);
    Sources &sources(engine::ApplyId id);

    SessionWriter &m_writer;
    GraphInfo m_info;
    TextNumbers m_texts;
    int m_passCount = 0;
    std::vector<Sources> m_sources; // by apply id
    std::vector<StringId> m_values; // summaries by variable id
    std::vector<engine::ApplyId> m_originalOrder, m_order;
    std::vector<engine::ApplyId> m_divided; // those that stem from several lines
    std::vector<bool> m_originalVariable;
    AddApply m_apply; // the one being described, with the memory of its lists
    AddVariable m_variable;
};

inline constexpr std::string_view kDevice = "cpu";
VariableKind kindOf(engine::Variable::Kind kind);
/// Of constants and shared variables; empty of others.
std::string valueSummary(const engine::Variable &leaf);
/// "CGemv{inplace}(w, -0.01, x.T, …)": an apply as Theano prints it in profiles.
std::string applyLabel(const engine::FunctionGraph &graph, engine::ApplyId id);

} // namespace profiler
