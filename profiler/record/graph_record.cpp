#include "profiler/record/graph_record.h"

#include "engine/graph/syntax/pretty_form.h"
#include "engine/text/graph_document.h"
#include "profiler/record/line_shares.h"
#include "profiler/session/codec/edit_codec.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace profiler {
namespace {

ApplyId translate(engine::ApplyId id) { return ApplyId{engine::raw(id)}; }
VariableId translate(engine::VarId id) { return VariableId{engine::raw(id)}; }

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

template <class Into, class From>
void unite(Into &into, const From &from)
{
    for (const SourceRef &ref : from)
        if (std::find(into.begin(), into.end(), ref) == into.end()) into.push_back(ref);
}

// Rows are handed over a few at a time: big blocks of memory would come from the kernel, which clears them, for each graph.
constexpr std::size_t kPortion = 1024;
constexpr std::size_t kLargestValue = 4096; // bytes of a constant that a session keeps whole

// As JSON.
template <class List, class NumberOf>
std::string listOf(const List &list, NumberOf numberOf)
{
    std::string text = "[";
    for (const auto &one : list) {
        char digits[16];
        if (text.size() > 1) text += ',';
        text.append(digits, std::to_chars(digits, digits + sizeof digits, numberOf(one)).ptr);
    }
    return text + "]";
}

} // namespace

VariableKind kindOf(engine::Variable::Kind kind)
{
    switch (kind) {
    case engine::Variable::Kind::Input: return VariableKind::Input;
    case engine::Variable::Kind::Constant: return VariableKind::Constant;
    case engine::Variable::Kind::Shared: return VariableKind::Shared;
    case engine::Variable::Kind::Output: return VariableKind::Result;
    }
    return VariableKind::Result;
}

namespace {

// ", 99% zeros" of a large matrix that a sparse one could hold; of some of its elements.
std::string zerosOf(const engine::Tensor &tensor)
{
    constexpr std::int64_t kLarge = 10'000, kLookedAt = 4'096;
    constexpr double kMost = 0.95;
    const std::int64_t size = tensor.rank() == 2 ? tensor.shape()[0] * tensor.shape()[1] : 0;
    if (size < kLarge || tensor.device() != engine::DeviceId::Host || engine::isComplex(tensor.dtype())) return {};
    std::int64_t zeros = 0;
    for (std::int64_t i = 0; i < kLookedAt; ++i) zeros += tensor.at(i * 7919 % size) == 0;
    const double share = static_cast<double>(zeros) / static_cast<double>(kLookedAt);
    return share < kMost ? std::string() : ", " + std::to_string(static_cast<int>(100 * share)) + "% zeros";
}

// ", in steps of 1" of a vector of places that are a range.
std::string stepsOf(const engine::Value &value)
{
    constexpr std::int64_t kFew = 10; // those can be seen
    if (!value.isTensor()) return {};
    const engine::Tensor &tensor = value.tensor();
    if (tensor.rank() != 1 || tensor.shape()[0] <= kFew || tensor.device() != engine::DeviceId::Host || !engine::isDiscrete(tensor.dtype()))
        return {};
    const double step = tensor.at(1) - tensor.at(0);
    for (std::int64_t i = 1; i < tensor.shape()[0]; ++i)
        if (tensor.at(i) - tensor.at(i - 1) != step) return {};
    return step > 0 ? ", in steps of " + std::to_string(static_cast<std::int64_t>(step)) : std::string();
}

} // namespace

std::string valueSummary(const engine::Variable &leaf)
{
    if (leaf.kind() == engine::Variable::Kind::Constant) return leaf.value().text(40) + stepsOf(leaf.value());
    if (leaf.kind() != engine::Variable::Kind::Shared) return {};
    const engine::Value &value = leaf.container()->value();
    if (!value.isTensor()) return value.text(40);
    const engine::Tensor &tensor = value.tensor();
    if (tensor.rank() == 0) return tensor.text();
    return std::string(engine::nameOf(tensor.dtype())) + " " + tensor.shape().text() + zerosOf(tensor);
}

std::string applyLabel(const engine::FunctionGraph &graph, engine::ApplyId id)
{
    const engine::ApplyNode &node = graph.apply(id);
    std::string label;
    label.reserve(node.op->name().size() + 40 * node.inputs.size() + 2);
    (label += node.op->name()) += '(';
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (i) label += ", ";
        label += engine::operandName(graph, node, i);
    }
    return label + ")";
}

GraphRecord::GraphRecord(SessionWriter &writer, GraphInfo info, bool compiles)
    : m_writer(writer), m_info(std::move(info)), m_texts(writer, compiles)
{}

GraphRecord::Sources &GraphRecord::sources(engine::ApplyId id)
{
    if (engine::raw(id) >= m_sources.size()) m_sources.resize(engine::raw(id) + 1);
    return m_sources[engine::raw(id)];
}

const AddVariable &GraphRecord::describeVariable(const engine::FunctionGraph &graph, engine::VarId id)
{
    const engine::VarNode &node = graph.var(id);
    if (engine::raw(id) >= m_values.size()) m_values.resize(engine::raw(id) + 1);
    StringId &value = m_values[engine::raw(id)];
    if (value == kEmptyString) value = m_writer.intern(valueSummary(*node.leaf));
    m_variable.id = translate(id);
    m_variable.kind = kindOf(node.kind);
    m_variable.type = m_texts.of(node.type).text;
    m_variable.name = m_texts.ofName(graph, node.name);
    m_variable.value = value;
    m_variable.sources.clear();
    if (const SourceRef &line = m_texts.of(node.leaf->trace()).line; line.line) m_variable.sources.push_back(line);
    return m_variable;
}

AddApply &GraphRecord::describeApply(const engine::FunctionGraph &graph, engine::ApplyId id)
{
    const engine::ApplyNode &node = graph.apply(id);
    const TextNumbers::OfOp &op = m_texts.of(*node.op);
    m_apply.id = translate(id);
    m_apply.op = op.exact;
    m_apply.friendly = op.friendly;
    m_apply.opClass = op.className;
    m_apply.device = op.device;
    m_apply.inputs.clear();
    for (const engine::Use &use : node.inputs) m_apply.inputs.push_back(translate(use.var));
    m_apply.outputs.clear();
    for (engine::VarId out : node.outputs) {
        const engine::VarNode &var = graph.var(out);
        m_apply.outputs.push_back({translate(out), m_texts.of(var.type).text, m_texts.ofName(graph, var.name)});
    }
    m_apply.views.clear();
    for (const engine::Alias &alias : node.op->viewMap()) m_apply.views.push_back({alias.output, alias.input});
    m_apply.destroys.clear();
    for (const engine::Alias &alias : node.op->destroyMap()) m_apply.destroys.push_back({alias.output, alias.input});
    m_apply.sources.assign(sources(id).begin(), sources(id).end());
    return m_apply;
}

void GraphRecord::import(const engine::FunctionGraph &graph)
{
    StepFacts step;
    step.graph = m_info.id;
    step.rewrite = m_texts.of("import");
    m_originalVariable.assign(graph.varCount(), false);
    for (std::uint32_t i = 0; i < graph.varCount(); ++i) {
        const engine::VarId id{i};
        if (!graph.var(id).live) continue;
        m_originalVariable[i] = true;
        if (graph.var(id).owner == engine::kNoApply) addEdit(step, describeVariable(graph, id));
    }
    m_sources.resize(graph.applyCount());
    for (engine::ApplyId id : graph.liveApplies()) {
        if (const SourceRef &line = m_texts.of(graph.apply(id).trace).line; line.line) sources(id).push_back(line);
        addEdit(step, describeApply(graph, id));
    }
    m_originalOrder = graph.toposort();
    for (std::uint32_t i = 0; i < graph.outputCount(); ++i) addEdit(step, SetOutput{i, kNoVariable, translate(graph.output(i))});
    step.nodesAfter = static_cast<int>(graph.liveApplyCount());
    m_info.appliesOriginal = static_cast<int>(graph.liveApplyCount());
    m_info.appliesOptimized = m_info.appliesOriginal;
    m_writer.setGraph(m_info);
    std::vector<StepFacts> steps;
    steps.push_back(std::move(step));
    m_writer.addSteps(std::move(steps));
}

StepFacts GraphRecord::convertStep(const engine::FunctionGraph &graph, std::size_t index)
{
    const engine::Journal &journal = graph.journal();
    const engine::Step &from = journal.steps[index];
    StepFacts step;
    step.graph = m_info.id;
    step.index = static_cast<int>(index) + 1;
    step.phase = m_texts.of(from.phase);
    step.pass = m_passCount;
    step.rewrite = m_texts.of(from.rewrite);
    step.reason = m_texts.of(from.reason);
    step.ns = static_cast<std::int64_t>(from.nanoseconds);
    step.nodesBefore = static_cast<int>(from.appliesBefore);
    step.nodesAfter = static_cast<int>(from.appliesAfter);
    Sources lines;
    for (engine::ApplyId id : journal.region(from)) {
        appendApply(step.matched, translate(id));
        unite(lines, sources(id));
    }
    for (engine::ApplyId id : journal.produced(from)) appendApply(step.produced, translate(id));

    for (std::size_t i = from.firstEdit; i < from.lastEdit; ++i) {
        const engine::Edit &edit = journal.edits[i];
        switch (edit.kind) {
        case engine::Edit::Kind::AddVariable: addEdit(step, describeVariable(graph, engine::VarId{edit.id})); break;
        case engine::Edit::Kind::AddApply: {
            const engine::ApplyId id{edit.id};
            unite(sources(id), lines);
            // The arena shows what the apply reads now and what its outputs are called now.
            AddApply &add = describeApply(graph, id);
            const std::span<const engine::VarId> born = journal.bornInputs(edit);
            for (std::size_t port = 0; port < born.size(); ++port) add.inputs[port] = translate(born[port]);
            for (OutputSpec &out : add.outputs) out.name = kEmptyString;
            addEdit(step, add);
            break;
        }
        case engine::Edit::Kind::SetInput:
            addEdit(step, SetInput{ApplyId{edit.id}, edit.port, VariableId{edit.oldValue}, VariableId{edit.newValue}});
            break;
        case engine::Edit::Kind::SetOutput:
            addEdit(step, SetOutput{edit.port, VariableId{edit.oldValue}, VariableId{edit.newValue}});
            break;
        case engine::Edit::Kind::Rename:
            addEdit(step, Rename{VariableId{edit.id}, m_texts.ofName(graph, edit.oldValue), m_texts.ofName(graph, edit.newValue)});
            break;
        case engine::Edit::Kind::Prune: addEdit(step, PruneApply{ApplyId{edit.id}}); break;
        case engine::Edit::Kind::PruneVariable: addEdit(step, PruneVariable{VariableId{edit.id}}); break;
        }
    }
    for (const engine::Fate &fate : journal.fates(from)) {
        bool told = false;
        for (engine::VarId to : journal.heirs(fate)) {
            const engine::ApplyId heir = graph.var(to).owner;
            if (heir == engine::kNoApply) continue;
            told = true;
            appendBecame(step.lineage, {translate(fate.apply), translate(fate.kind), translate(heir)});
            if (fate.kind != engine::FateKind::Merged) continue;
            // A merge hands the lines of the removed apply to the one that stays.
            AddSources fresh{translate(heir), {}};
            for (const SourceRef &ref : sources(fate.apply))
                if (std::find(sources(heir).begin(), sources(heir).end(), ref) == sources(heir).end()) fresh.sources.push_back(ref);
            if (fresh.sources.empty()) continue;
            unite(sources(heir), fresh.sources);
            addEdit(step, fresh);
        }
        if (!told) appendBecame(step.lineage, {translate(fate.apply), translate(fate.kind), kNoApply});
    }
    return step;
}

void GraphRecord::addPass(const engine::FunctionGraph &graph, const engine::PassReport &report)
{
    std::vector<StepFacts> steps;
    int nodesBefore = static_cast<int>(graph.liveApplyCount()); // of a pass without steps
    std::unordered_map<const char *, PassRewrite> counts;       // by name, which stays where it is
    for (std::size_t i = report.firstStep; i < report.lastStep; ++i) {
        const engine::Step &from = graph.journal().steps[i];
        steps.push_back(convertStep(graph, i));
        if (i == report.firstStep) nodesBefore = steps.front().nodesBefore;
        if (steps.size() == kPortion) m_writer.addSteps(std::exchange(steps, {}));
        const auto [count, isNew] = counts.try_emplace(from.rewrite.data());
        if (isNew) {
            count->second.graph = m_info.id;
            count->second.pass = m_passCount;
            count->second.rewrite = from.rewrite;
        }
        count->second.applied += 1;
        count->second.ns += static_cast<std::int64_t>(from.nanoseconds);
        count->second.nodesCreated += static_cast<std::int64_t>(graph.journal().produced(from).size());
    }
    PassInfo pass;
    pass.graph = m_info.id;
    pass.index = m_passCount++;
    pass.phase = report.phase;
    pass.name = report.pass;
    pass.firstStep = static_cast<int>(report.firstStep) + 1;
    pass.stepCount = static_cast<int>(report.lastStep - report.firstStep);
    pass.kind = report.isEquilibrium ? "equilibrium" : "global";
    pass.iteration = static_cast<int>(report.sweeps);
    pass.ns = static_cast<std::int64_t>(report.nanoseconds);
    pass.validateNs = static_cast<std::int64_t>(report.validateNs);
    pass.nodesAfter = static_cast<int>(graph.liveApplyCount());
    pass.nodesBefore = nodesBefore;
    m_info.stepCount = static_cast<int>(report.lastStep);
    m_info.appliesOptimized = static_cast<int>(graph.liveApplyCount());
    m_writer.addSteps(std::move(steps));
    std::vector<PassRewrite> rewrites;
    for (auto &[name, count] : counts) rewrites.push_back(std::move(count));
    m_writer.addPasses({pass}, std::move(rewrites));
    m_writer.setGraph(m_info);
}

void GraphRecord::finish(const engine::FunctionGraph &graph, std::span<const engine::ApplyId> order, const engine::Lineage &lineage)
{
    m_info.stepCount = static_cast<int>(graph.journal().steps.size());
    m_info.appliesOptimized = static_cast<int>(graph.liveApplyCount());
    m_info.outputs = listOf(graph.outputs(), [](engine::VarId id) { return engine::raw(id); });
    m_order.assign(order.begin(), order.end());
    m_writer.setGraph(m_info);
    writeApplies(graph, order, lineage);
    if (!graph.groups.empty()) {
        std::vector<ApplyGroup> groups;
        for (const engine::KernelGroup &from : graph.groups) {
            ApplyGroup group{m_info.id, static_cast<int>(groups.size()), std::string(from.rewrite), {}, false};
            for (engine::ApplyId id : from.applies) group.applies.push_back(translate(id));
            groups.push_back(std::move(group));
        }
        m_writer.setApplyGroups(m_info.id, std::move(groups));
    }
    writeVariables(graph);
    if (m_info.kind == GraphKind::Function) writeDocuments(graph);
}

void GraphRecord::writeApplies(const engine::FunctionGraph &graph, std::span<const engine::ApplyId> order, const engine::Lineage &lineage)
{
    std::vector<int> originalIndex(graph.applyCount(), -1), optimizedIndex(graph.applyCount(), -1);
    for (std::size_t i = 0; i < m_originalOrder.size(); ++i) originalIndex[engine::raw(m_originalOrder[i])] = static_cast<int>(i);
    for (std::size_t i = 0; i < order.size(); ++i) optimizedIndex[engine::raw(order[i])] = static_cast<int>(i);
    const engine::BigVector<engine::Step> &steps = graph.journal().steps;
    std::vector<ApplyFacts> applies;
    DividedApplies divided;
    std::vector<double> shares;
    Lines lines(graph, lineage, m_texts);
    for (std::uint32_t i = 0; i < graph.applyCount(); ++i) {
        const bool original = originalIndex[i] >= 0, optimized = optimizedIndex[i] >= 0;
        if (!original && !optimized) continue;
        const engine::ApplyId id{i};
        const engine::ApplyNode &node = graph.apply(id);
        const TextNumbers::OfOp &op = m_texts.of(*node.op);
        ApplyFacts &row = applies.emplace_back();
        row.graph = m_info.id;
        row.apply = translate(id);
        row.op = op.exact;
        row.friendly = op.friendly;
        row.opClass = op.className;
        row.device = op.device;
        row.inOriginal = original;
        row.inOptimized = optimized;
        row.originalIndex = originalIndex[i];
        row.optimizedIndex = optimizedIndex[i];
        row.createdStep = static_cast<int>(node.step);
        if (node.step > 0 && node.step <= steps.size()) {
            row.createdPhase = m_texts.of(steps[node.step - 1].phase);
            row.createdRewrite = m_texts.of(steps[node.step - 1].rewrite);
        }
        if (original) row.fate = translate(lineage.fates[i].kind);
        row.label = applyLabel(graph, id);
        row.implementation = op.implementation;
        row.role = op.role;
        if (optimized) {
            row.inputs = listOf(node.inputs, [](const engine::Use &use) { return engine::raw(use.var); });
            const auto &origins = lineage.origins[i];
            const bool isItself = origins.size() == 1 && *origins.begin() == id;
            if (!isItself) row.origins = listOf(origins, [](engine::ApplyId origin) { return engine::raw(origin); });
        }
        const std::span<const Lines::Chain> own = lines.of(id);
        const auto isFirstLine = [&](const Lines::Chain &one) { return one.line == own[0].line; };
        if (!own.empty() && std::ranges::all_of(own, isFirstLine)) {
            row.file = own[0].line.file;
            row.line = static_cast<int>(own[0].line.line);
        }
        if (own.size() == 1) row.chain = own[0].chain;
        if (applies.size() == kPortion) m_writer.setApplies(std::exchange(applies, {}));
        if (own.size() < 2) continue;
        m_divided.push_back(id);
        shares.assign(own.size(), 1.0 / static_cast<double>(own.size())); // in equal parts, until sizes are known
        divided.add(m_info.id, id, own, shares);
    }
    m_writer.setApplies(std::move(applies));
    m_writer.setLineShares(std::move(divided.lines));
    m_writer.setChainShares(std::move(divided.chains));
}

void GraphRecord::writeVariables(const engine::FunctionGraph &graph)
{
    std::vector<VariableFacts> variables;
    std::vector<VariableChain> chains;
    for (std::uint32_t i = 0; i < graph.varCount(); ++i) {
        const engine::VarNode &node = graph.var(engine::VarId{i});
        const bool original = i < m_originalVariable.size() && m_originalVariable[i];
        if (!original && !node.live) continue;
        const TextNumbers::OfType &type = m_texts.of(node.type);
        VariableFacts &row = variables.emplace_back();
        row.graph = m_info.id;
        row.variable = VariableId{i};
        row.kind = kindOf(node.kind);
        row.name = m_texts.ofName(graph, node.name);
        row.type = type.text;
        row.dtype = type.dtype;
        row.shape = type.shape;
        if (node.owner != engine::kNoApply) {
            row.owner = translate(node.owner);
            row.ownerPort = static_cast<int>(node.index);
        } else {
            if (i < m_values.size()) row.value = m_values[i];
            if (const ChainId chain = m_texts.of(node.leaf->trace()).chain; chain != kNoChain)
                chains.push_back({m_info.id, row.variable, chain});
        }
        row.inOriginal = original;
        row.inOptimized = node.live;
        row.isOutput = std::any_of(node.clients.begin(), node.clients.end(), [](const engine::Client &c) { return c.isGraphOutput(); });
    }
    m_writer.setVariables(std::move(variables));
    m_writer.setVariableChains(std::move(chains));
}

// Of all nodes that there ever were: the graph of any step can be written as a document.
void GraphRecord::writeDocuments(const engine::FunctionGraph &graph)
{
    GraphDocuments documents;
    std::unordered_map<StringId, StringId> firstOf; // by the op's name
    for (std::uint32_t i = 0; i < graph.applyCount(); ++i) {
        const engine::Op &op = *graph.apply(engine::ApplyId{i}).op;
        const StringId document = m_texts.documentOf(op);
        const auto [first, isFirst] = firstOf.try_emplace(m_texts.of(op).exact, document);
        if (isFirst || first->second != document) documents.ops.push_back({m_info.id, ApplyId{i}, document});
    }
    for (std::uint32_t i = 0; i < graph.varCount(); ++i) {
        const engine::VarNode &node = graph.var(engine::VarId{i});
        if (node.owner != engine::kNoApply || !node.leaf) continue;
        LeafDocument &row = documents.leaves.emplace_back();
        row.graph = m_info.id;
        row.variable = VariableId{i};
        row.type = m_writer.intern(engine::documentType(node.type));
        if (node.kind != engine::Variable::Kind::Input) row.value = m_writer.intern(engine::writeLeafValue(*node.leaf, kLargestValue));
    }
    m_writer.setDocuments(std::move(documents));
}

void GraphRecord::setRuntimeShapes(const engine::FunctionGraph &graph, const engine::Lineage &lineage,
                                   std::span<const engine::BufferInfo> buffers)
{
    std::vector<const engine::BufferInfo *> of(graph.varCount());
    engine::SizesByVariable shapes;
    std::vector<VariableSize> sizes;
    ShapeTexts texts;
    sizes.reserve(buffers.size());
    for (const engine::BufferInfo &buffer : buffers) {
        of[engine::raw(buffer.var)] = &buffer;
        if (!m_divided.empty()) shapes.emplace(engine::raw(buffer.var), buffer.shape);
        sizes.push_back({m_info.id, translate(buffer.var), texts.of(buffer.shape), static_cast<std::int64_t>(buffer.bytes)});
    }
    m_writer.setVariableSizes(std::move(sizes));

    std::vector<CostFacts> costs;
    costs.reserve(m_order.size());
    std::vector<SizedArray> in, out;
    for (engine::ApplyId id : m_order) {
        const engine::ApplyNode &node = graph.apply(id);
        in.clear();
        out.clear();
        for (const engine::Use &use : node.inputs)
            if (const engine::BufferInfo *buffer = of[engine::raw(use.var)]) in.push_back({graph.var(use.var).type, buffer->shape});
        for (engine::VarId var : node.outputs)
            if (const engine::BufferInfo *buffer = of[engine::raw(var)]) out.push_back({graph.var(var).type, buffer->shape});
        if (in.size() != node.inputs.size() || out.size() != node.outputs.size()) continue;
        const engine::Cost cost = engine::costOf(*node.op, in, out);
        // What goes on in a graph within, or in Python, is not counted.
        costs.push_back({m_info.id, translate(id), node.op->worksOnValues() ? 0 : cost.flops, cost.bytes});
    }
    m_writer.setApplyCosts(std::move(costs));

    if (m_divided.empty()) return;
    DividedApplies divided = LineShares(graph, lineage, m_texts, std::move(shapes)).of(m_info.id, m_divided);
    m_writer.setLineShares(std::move(divided.lines));
    m_writer.setChainShares(std::move(divided.chains));
    m_writer.setRoofs(machineRates().measured());
}

} // namespace profiler
