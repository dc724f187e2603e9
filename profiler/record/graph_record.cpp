#include "profiler/record/graph_record.h"

#include "profiler/record/line_shares.h"

#include <algorithm>
#include <map>

namespace profiler {
namespace {

ApplyId translate(engine::ApplyId id) { return ApplyId{engine::raw(id)}; }
VariableId translate(engine::VarId id) { return VariableId{engine::raw(id)}; }

VariableKind translate(engine::Variable::Kind kind)
{
    switch (kind) {
    case engine::Variable::Kind::Input: return VariableKind::Input;
    case engine::Variable::Kind::Constant: return VariableKind::Constant;
    case engine::Variable::Kind::Shared: return VariableKind::Shared;
    case engine::Variable::Kind::Output: return VariableKind::Result;
    }
    return VariableKind::Result;
}

Fate translate(engine::FateKind kind)
{
    switch (kind) {
    case engine::FateKind::Kept: return Fate::Kept;
    case engine::FateKind::Replaced: return Fate::Replaced;
    case engine::FateKind::Merged: return Fate::Merged;
    case engine::FateKind::Fused: return Fate::Fused;
    case engine::FateKind::Moved: return Fate::Moved;
    case engine::FateKind::Constant: return Fate::Constant;
    case engine::FateKind::Dead: return Fate::Dead;
    }
    return Fate::Dead;
}

std::string className(const engine::Op &op)
{
    return std::string(op.moduleName()) + "." + std::string(op.className());
}

std::string valueSummary(const engine::VarNode &node)
{
    if (node.kind == engine::Variable::Kind::Constant) return node.leaf->value().text(40);
    if (node.kind != engine::Variable::Kind::Shared) return {};
    const engine::Value &value = node.leaf->container()->value();
    if (!value.isTensor()) return value.text(40);
    const engine::Tensor &tensor = value.tensor();
    if (tensor.rank() == 0) return tensor.text();
    return std::string(engine::nameOf(tensor.dtype())) + " " + tensor.shape().text();
}

void unite(std::vector<SourceRef> &into, const std::vector<SourceRef> &from)
{
    for (const SourceRef &ref : from)
        if (std::find(into.begin(), into.end(), ref) == into.end()) into.push_back(ref);
}

} // namespace

std::string applyLabel(const engine::FunctionGraph &graph, engine::ApplyId id)
{
    const engine::ApplyNode &node = graph.apply(id);
    std::string label = node.op->name() + "(";
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (i) label += ", ";
        label += graph.displayName(node.inputs[i].var);
    }
    return label + ")";
}

GraphRecord::GraphRecord(SessionWriter &writer, GraphInfo info) : m_writer(writer), m_info(std::move(info)) {}

std::vector<SourceRef> GraphRecord::sourcesOf(engine::TraceId trace)
{
    const engine::SourceLine &line = engine::sourceLine(trace);
    if (line.line == 0) return {};
    return {{m_writer.intern(line.file), static_cast<std::uint32_t>(line.line)}};
}

std::vector<SourceRef> &GraphRecord::sources(engine::ApplyId id)
{
    if (engine::raw(id) >= m_sources.size()) m_sources.resize(engine::raw(id) + 1);
    return m_sources[engine::raw(id)];
}

AddVariable GraphRecord::describeVariable(const engine::FunctionGraph &graph, engine::VarId id)
{
    const engine::VarNode &node = graph.var(id);
    AddVariable edit;
    edit.id = translate(id);
    edit.kind = translate(node.kind);
    edit.type = m_writer.intern(node.type.text());
    edit.name = m_writer.intern(graph.name(id));
    edit.value = m_writer.intern(valueSummary(node));
    edit.sources = sourcesOf(node.leaf->trace());
    return edit;
}

AddApply GraphRecord::describeApply(const engine::FunctionGraph &graph, engine::ApplyId id)
{
    const engine::ApplyNode &node = graph.apply(id);
    AddApply edit;
    edit.id = translate(id);
    edit.op = m_writer.intern(node.op->name());
    edit.friendly = m_writer.intern(node.op->friendlyName());
    edit.opClass = m_writer.intern(className(*node.op));
    edit.device = m_writer.intern("cpu");
    for (const engine::Use &use : node.inputs) edit.inputs.push_back(translate(use.var));
    for (engine::VarId out : node.outputs)
        edit.outputs.push_back({translate(out), m_writer.intern(graph.var(out).type.text()), m_writer.intern(graph.name(out))});
    for (const engine::Alias &alias : node.op->viewMap())
        edit.views.push_back({static_cast<std::uint32_t>(alias.output), static_cast<std::uint32_t>(alias.input)});
    for (const engine::Alias &alias : node.op->destroyMap())
        edit.destroys.push_back({static_cast<std::uint32_t>(alias.output), static_cast<std::uint32_t>(alias.input)});
    edit.sources = sources(id);
    return edit;
}

void GraphRecord::import(const engine::FunctionGraph &graph)
{
    Step step;
    step.info.graph = m_info.id;
    step.info.rewrite = "import";
    m_originalVariable.assign(graph.varCount(), false);
    for (std::uint32_t i = 0; i < graph.varCount(); ++i) {
        const engine::VarId id{i};
        if (!graph.var(id).live) continue;
        m_originalVariable[i] = true;
        if (graph.var(id).owner == engine::kNoApply) step.edits.emplace_back(describeVariable(graph, id));
    }
    for (engine::ApplyId id : graph.liveApplies()) {
        sources(id) = sourcesOf(graph.apply(id).trace);
        step.edits.emplace_back(describeApply(graph, id));
    }
    for (std::uint32_t i = 0; i < graph.outputCount(); ++i)
        step.edits.emplace_back(SetOutput{i, kNoVariable, translate(graph.output(i))});
    m_originalOrder = graph.toposort();
    step.info.nodesAfter = static_cast<int>(graph.liveApplyCount());
    step.info.editCount = static_cast<int>(step.edits.size());
    m_info.appliesOriginal = static_cast<int>(graph.liveApplyCount());
    m_info.appliesOptimized = m_info.appliesOriginal;
    m_writer.setGraph(m_info);
    std::vector<Step> steps;
    steps.push_back(std::move(step));
    m_writer.addSteps(std::move(steps));
}

Step GraphRecord::convertStep(const engine::FunctionGraph &graph, std::size_t index)
{
    const engine::Journal &journal = graph.journal();
    const engine::Step &from = journal.steps[index];
    Step step;
    step.info.graph = m_info.id;
    step.info.index = static_cast<int>(index) + 1;
    step.info.phase = from.phase;
    step.info.pass = m_passCount;
    step.info.rewrite = from.rewrite;
    step.info.reason = from.reason;
    step.info.ns = static_cast<std::int64_t>(from.nanoseconds);
    step.info.nodesBefore = static_cast<int>(from.appliesBefore);
    step.info.nodesAfter = static_cast<int>(from.appliesAfter);
    for (engine::ApplyId id : journal.region(from)) step.info.matched.push_back(translate(id));
    for (engine::ApplyId id : journal.produced(from)) step.info.produced.push_back(translate(id));

    std::vector<SourceRef> lines;
    for (engine::ApplyId id : journal.region(from)) unite(lines, sources(id));

    for (std::size_t i = from.firstEdit; i < from.lastEdit; ++i) {
        const engine::Edit &edit = journal.edits[i];
        switch (edit.kind) {
        case engine::Edit::Kind::AddVariable: step.edits.emplace_back(describeVariable(graph, engine::VarId{edit.id})); break;
        case engine::Edit::Kind::AddApply: {
            const engine::ApplyId id{edit.id};
            unite(sources(id), lines);
            AddApply add = describeApply(graph, id);
            for (std::uint32_t port = 0; port < add.inputs.size(); ++port)
                if (auto born = m_bornInputs.find({edit.id, port}); born != m_bornInputs.end()) add.inputs[port] = VariableId{born->second};
            for (OutputSpec &out : add.outputs)
                if (auto born = m_bornNames.find(raw(out.id)); born != m_bornNames.end()) out.name = m_writer.intern(graph.nameById(born->second));
            step.edits.emplace_back(std::move(add));
            break;
        }
        case engine::Edit::Kind::SetInput:
            step.edits.emplace_back(SetInput{ApplyId{edit.id}, edit.port, VariableId{edit.oldValue}, VariableId{edit.newValue}});
            break;
        case engine::Edit::Kind::SetOutput:
            step.edits.emplace_back(SetOutput{edit.port, VariableId{edit.oldValue}, VariableId{edit.newValue}});
            break;
        case engine::Edit::Kind::Rename:
            step.edits.emplace_back(Rename{VariableId{edit.id}, m_writer.intern(graph.nameById(edit.oldValue)),
                                           m_writer.intern(graph.nameById(edit.newValue))});
            break;
        case engine::Edit::Kind::Prune: step.edits.emplace_back(PruneApply{ApplyId{edit.id}}); break;
        case engine::Edit::Kind::PruneVariable: step.edits.emplace_back(PruneVariable{VariableId{edit.id}}); break;
        }
    }
    // A merge hands the lines of the removed apply to the one that stays.
    for (const engine::Fate &fate : journal.fates(from)) {
        if (fate.kind != engine::FateKind::Merged) continue;
        for (engine::VarId to : journal.heirs(fate)) {
            const engine::ApplyId heir = graph.var(to).owner;
            if (heir == engine::kNoApply) continue;
            std::vector<SourceRef> fresh;
            for (const SourceRef &ref : sources(fate.apply))
                if (std::find(sources(heir).begin(), sources(heir).end(), ref) == sources(heir).end()) fresh.push_back(ref);
            if (fresh.empty()) continue;
            unite(sources(heir), fresh);
            step.edits.emplace_back(AddSources{translate(heir), fresh});
        }
    }
    step.info.editCount = static_cast<int>(step.edits.size());
    return step;
}

void GraphRecord::addPass(const engine::FunctionGraph &graph, const engine::PassReport &report)
{
    std::vector<Step> steps;
    std::vector<LineageRow> lineage;
    std::map<std::string, PassRewrite> counts;
    // The arena shows an apply's inputs as they are now; the first change of a port in this pass tells what an apply
    // that the pass made was born with. The same for names.
    m_bornInputs.clear();
    m_bornNames.clear();
    const engine::Journal &journal = graph.journal();
    if (report.firstStep < report.lastStep)
        for (std::size_t i = journal.steps[report.firstStep].firstEdit; i < journal.edits.size(); ++i) {
            const engine::Edit &edit = journal.edits[i];
            if (edit.kind == engine::Edit::Kind::SetInput) m_bornInputs.emplace(std::pair(edit.id, edit.port), edit.oldValue);
            if (edit.kind == engine::Edit::Kind::Rename) m_bornNames.emplace(edit.id, edit.oldValue);
        }
    for (std::size_t i = report.firstStep; i < report.lastStep; ++i) {
        const engine::Step &from = journal.steps[i];
        steps.push_back(convertStep(graph, i));
        for (const engine::Fate &fate : journal.fates(from)) {
            bool told = false;
            for (engine::VarId to : journal.heirs(fate)) {
                const engine::ApplyId owner = graph.var(to).owner;
                if (owner == engine::kNoApply) continue;
                lineage.push_back({m_info.id, static_cast<int>(i) + 1, translate(fate.apply), translate(fate.kind), translate(owner)});
                told = true;
            }
            if (!told) lineage.push_back({m_info.id, static_cast<int>(i) + 1, translate(fate.apply), translate(fate.kind), kNoApply});
        }
        PassRewrite &count = counts[std::string(from.rewrite)];
        count.graph = m_info.id;
        count.pass = m_passCount;
        count.rewrite = from.rewrite;
        count.tried += 1;
        count.applied += 1;
        count.ns += static_cast<std::int64_t>(from.nanoseconds);
        count.nodesCreated += static_cast<std::int64_t>(journal.produced(from).size());
    }
    PassInfo pass;
    pass.graph = m_info.id;
    pass.index = m_passCount++;
    pass.phase = report.phase;
    pass.name = report.pass;
    pass.firstStep = static_cast<int>(report.firstStep) + 1;
    pass.stepCount = static_cast<int>(report.lastStep - report.firstStep);
    pass.ns = static_cast<std::int64_t>(report.nanoseconds);
    pass.nodesAfter = static_cast<int>(graph.liveApplyCount());
    pass.nodesBefore = steps.empty() ? pass.nodesAfter : steps.front().info.nodesBefore;
    m_optimizerNs += pass.ns;
    m_info.stepCount = static_cast<int>(report.lastStep);
    m_info.appliesOptimized = static_cast<int>(graph.liveApplyCount());
    m_writer.addSteps(std::move(steps));
    m_writer.addLineage(std::move(lineage));
    std::vector<PassRewrite> rewrites;
    for (auto &[name, count] : counts) rewrites.push_back(std::move(count));
    m_writer.addPasses({pass}, std::move(rewrites));
    m_writer.setGraph(m_info);
}

void GraphRecord::finish(const engine::FunctionGraph &graph, std::span<const engine::ApplyId> order, const engine::Lineage &lineage)
{
    m_info.stepCount = static_cast<int>(graph.journal().steps.size());
    m_info.appliesOptimized = static_cast<int>(graph.liveApplyCount());
    m_writer.setGraph(m_info);

    std::map<std::uint32_t, int> originalIndex, optimizedIndex;
    for (std::size_t i = 0; i < m_originalOrder.size(); ++i) originalIndex[engine::raw(m_originalOrder[i])] = static_cast<int>(i);
    for (std::size_t i = 0; i < order.size(); ++i) optimizedIndex[engine::raw(order[i])] = static_cast<int>(i);

    std::vector<ApplyRow> applies;
    std::vector<OriginRow> origins;
    std::vector<SourceLink> links;
    std::vector<ApplyInput> inputs;
    LineShares shares(graph, lineage, {});
    for (std::uint32_t i = 0; i < graph.applyCount(); ++i) {
        const bool original = originalIndex.count(i), optimized = optimizedIndex.count(i);
        if (!original && !optimized) continue;
        const engine::ApplyId id{i};
        const engine::ApplyNode &node = graph.apply(id);
        ApplyRow row;
        row.graph = m_info.id;
        row.apply = translate(id);
        row.op = node.op->name();
        row.friendly = node.op->friendlyName();
        row.opClass = className(*node.op);
        row.device = "cpu";
        row.inOriginal = original;
        row.inOptimized = optimized;
        if (original) row.originalIndex = originalIndex[i];
        if (optimized) row.optimizedIndex = optimizedIndex[i];
        row.createdStep = static_cast<int>(node.step);
        if (node.step > 0 && node.step <= graph.journal().steps.size()) {
            row.createdPhase = graph.journal().steps[node.step - 1].phase;
            row.createdRewrite = graph.journal().steps[node.step - 1].rewrite;
        }
        if (original) row.fate = translate(lineage.fates[i].kind);
        row.label = applyLabel(graph, id);
        row.implementation = node.op->isCompiled() ? "C" : "Py";
        applies.push_back(std::move(row));
        if (optimized)
            for (std::size_t port = 0; port < node.inputs.size(); ++port)
                inputs.push_back({m_info.id, translate(id), static_cast<int>(port), translate(node.inputs[port].var)});
        if (optimized)
            for (engine::ApplyId origin : lineage.origins[i]) origins.push_back({m_info.id, translate(id), m_info.id, translate(origin)});

        const std::vector<SourceLink> own = shares.of(m_info.id, id);
        links.insert(links.end(), own.begin(), own.end());
    }
    m_writer.setApplyInputs(std::move(inputs));
    if (!graph.groups.empty()) {
        std::vector<ApplyGroup> groups;
        for (const engine::KernelGroup &from : graph.groups) {
            ApplyGroup group{m_info.id, static_cast<int>(groups.size()), std::string(from.rewrite), {}, false};
            for (engine::ApplyId id : from.applies) group.applies.push_back(translate(id));
            groups.push_back(std::move(group));
        }
        m_writer.setApplyGroups(m_info.id, std::move(groups));
    }
    m_applies = applies;
    m_writer.setApplies(std::move(applies));
    m_writer.addOrigins(std::move(origins));
    m_writer.setSourceLinks(std::move(links));

    m_variables.clear();
    for (std::uint32_t i = 0; i < graph.varCount(); ++i) {
        const engine::VarNode &node = graph.var(engine::VarId{i});
        const bool original = i < m_originalVariable.size() && m_originalVariable[i];
        if (!original && !node.live) continue;
        VariableRow row;
        row.graph = m_info.id;
        row.variable = VariableId{i};
        row.kind = translate(node.kind);
        row.name = graph.name(engine::VarId{i});
        row.type = node.type.text();
        if (node.type.isTensor()) {
            row.dtype = engine::nameOf(node.type.dtype());
            const std::string detailed = node.type.detailedText();
            row.shape = detailed.substr(detailed.find(' ') + 1);
        }
        if (node.owner == engine::kNoApply) row.value = valueSummary(node);
        else {
            row.owner = translate(node.owner);
            row.ownerPort = static_cast<int>(node.index);
        }
        row.inOriginal = original;
        row.inOptimized = node.live;
        row.isOutput = std::any_of(node.clients.begin(), node.clients.end(), [](const engine::Client &c) { return c.isGraphOutput(); });
        m_variables.push_back(std::move(row));
    }
    m_writer.setVariables(m_variables);
}

void GraphRecord::setRuntimeShapes(const engine::FunctionGraph &graph, const engine::Lineage &lineage, std::span<const engine::BufferInfo> buffers)
{
    std::map<std::uint32_t, const engine::BufferInfo *> byVariable;
    engine::SizesByVariable sizes;
    for (const engine::BufferInfo &buffer : buffers) {
        byVariable[engine::raw(buffer.var)] = &buffer;
        sizes.emplace(engine::raw(buffer.var), buffer.shape);
    }
    std::vector<VariableRow> sized;
    for (VariableRow &row : m_variables) {
        auto found = byVariable.find(raw(row.variable));
        if (found == byVariable.end()) continue;
        row.shape = found->second->shape.text();
        row.bytes = static_cast<std::int64_t>(found->second->bytes);
        sized.push_back(row);
    }
    m_writer.setVariables(std::move(sized));

    std::vector<ApplyRow> costed;
    for (ApplyRow &row : m_applies) {
        if (!row.inOptimized) continue;
        const engine::ApplyNode &node = graph.apply(engine::ApplyId{raw(row.apply)});
        std::vector<engine::Dims> in, out;
        for (const engine::Use &use : node.inputs)
            if (auto found = byVariable.find(engine::raw(use.var)); found != byVariable.end()) in.push_back(found->second->shape);
        for (engine::VarId var : node.outputs)
            if (auto found = byVariable.find(engine::raw(var)); found != byVariable.end()) out.push_back(found->second->shape);
        if (in.size() != node.inputs.size() || out.size() != node.outputs.size()) continue;
        const engine::Cost cost = node.op->cost(in, out);
        row.flops = cost.flops;
        row.costBytes = cost.bytes;
        costed.push_back(row);
    }
    m_writer.setApplies(std::move(costed));

    LineShares shares(graph, lineage, std::move(sizes));
    std::vector<SourceLink> links;
    for (const ApplyRow &row : m_applies) {
        if (!row.inOptimized) continue;
        const std::vector<SourceLink> own = shares.of(m_info.id, engine::ApplyId{raw(row.apply)});
        if (own.size() > 1) links.insert(links.end(), own.begin(), own.end());
    }
    m_writer.setSourceLinks(std::move(links));
    m_writer.setRoofs(machineRates().measured());
}

} // namespace profiler
