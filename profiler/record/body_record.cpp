#include "profiler/record/body_record.h"

#include "engine/tensor/pointer_map.h"
#include "profiler/record/graph_record.h"
#include "profiler/session/codec/edit_codec.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace profiler {
namespace {

class Import {
public:
    Import(SessionWriter &writer, TextNumbers &texts, GraphId graph) : m_writer(writer), m_texts(texts)
    {
        m_step.graph = graph;
        m_step.rewrite = texts.of("import");
    }

    StepFacts step(const engine::InnerGraph &body, const std::vector<engine::Apply *> &order)
    {
        for (const engine::VarRef &input : body.inputs) idOf(*input);
        for (std::uint32_t i = 0; i < order.size(); ++i) add(ApplyId{i}, *order[i]);
        for (std::uint32_t i = 0; i < body.outputs.size(); ++i) addEdit(m_step, SetOutput{i, kNoVariable, idOf(*body.outputs[i])});
        m_step.nodesAfter = static_cast<int>(order.size());
        return std::move(m_step);
    }

private:
    VariableId idOf(const engine::Variable &variable)
    {
        if (const VariableId *known = m_ids.find(&variable)) return *known;
        const VariableId id{m_count++};
        m_ids.insert(&variable, id);
        if (variable.owner()) return id;
        AddVariable leaf{id,
                         kindOf(variable.kind()),
                         m_texts.of(variable.type()).text,
                         m_writer.intern(variable.name()),
                         m_writer.intern(valueSummary(variable)),
                         {}};
        if (const SourceRef &line = m_texts.of(variable.trace()).line; line.line) leaf.sources.push_back(line);
        addEdit(m_step, leaf);
        return id;
    }

    void add(ApplyId id, const engine::Apply &apply)
    {
        const TextNumbers::OfOp &op = m_texts.of(apply.op());
        AddApply edit;
        edit.id = id;
        edit.op = op.exact;
        edit.friendly = op.friendly;
        edit.opClass = op.className;
        edit.device = m_texts.of(kDevice);
        for (const engine::VarRef &input : apply.inputs()) edit.inputs.push_back(idOf(*input));
        for (int i = 0; i < apply.outputCount(); ++i) {
            const engine::Variable &out = *apply.output(i);
            edit.outputs.push_back({idOf(out), m_texts.of(out.type()).text, m_writer.intern(out.name())});
        }
        if (const SourceRef &line = m_texts.of(apply.trace()).line; line.line) edit.sources.push_back(line);
        addEdit(m_step, edit);
    }

    SessionWriter &m_writer;
    TextNumbers &m_texts;
    StepFacts m_step;
    engine::PointerMap<VariableId> m_ids;
    std::uint32_t m_count = 0;
};

// One entry an instruction; immediate values are no applies of the body and come from nowhere.
std::vector<std::vector<ApplyId>> originsOf(const std::vector<std::vector<engine::ApplyId>> &instructions, const engine::Lineage &lineage)
{
    std::vector<std::vector<ApplyId>> origins;
    for (const std::vector<engine::ApplyId> &makers : instructions) {
        if (makers.empty()) continue;
        std::vector<ApplyId> &row = origins.emplace_back();
        for (engine::ApplyId maker : makers)
            for (engine::ApplyId origin : lineage.origins[engine::raw(maker)]) row.push_back(ApplyId{engine::raw(origin)});
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    return origins;
}

} // namespace

void recordBodies(SessionWriter &writer, FunctionId owner, GraphId parent, engine::Function &function, TextNumbers &texts,
                  std::atomic<std::uint32_t> &nextGraph)
{
    const engine::Lineage &lineage = function.lineage();
    std::vector<BodyFacts> bodies;
    for (engine::ApplyId id : function.order()) {
        const engine::Op &op = *function.graph().apply(id).op;
        const engine::InnerGraph *inner = op.inner();
        if (!inner || op.worksOnValues()) continue;
        const std::vector<engine::Apply *> order = engine::toposort(inner->outputs);
        BodyFacts &body = bodies.emplace_back();
        body.info.id = GraphId{nextGraph++};
        body.info.function = owner;
        body.info.parentGraph = parent;
        body.info.parentApply = ApplyId{engine::raw(id)};
        body.info.kind = GraphKind::Composite;
        body.info.label = op.friendlyName();
        body.info.appliesOriginal = body.info.appliesOptimized = static_cast<int>(order.size());
        body.import = Import(writer, texts, body.info.id).step(*inner, order);
        const auto instructions = function.graph().bodyOrigins.find(engine::raw(id));
        if (instructions == function.graph().bodyOrigins.end()) continue;
        body.origins = originsOf(instructions->second, lineage);
        if (body.origins.size() != order.size()) body.origins.clear();
    }
    if (!bodies.empty()) writer.addBodies(std::move(bodies));
}

} // namespace profiler
