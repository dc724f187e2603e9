#include "tests/profiler/session/fixture_graph.h"

#include "profiler/session/pages.h"

#include <algorithm>
#include <map>

namespace profiler::fixture {

FixtureGraph::FixtureGraph(SessionWriter &writer, GraphInfo info, std::string file)
    : m_writer(writer), m_info(std::move(info)), m_file(std::move(file))
{
    m_step.info.graph = m_info.id;
    m_step.info.rewrite = "import";
}

std::vector<SourceRef> FixtureGraph::refs(const std::set<int> &lines)
{
    std::vector<SourceRef> result;
    for (const int line : lines) result.push_back({m_writer.intern(m_file), static_cast<std::uint32_t>(line)});
    return result;
}

VariableId FixtureGraph::input(VariableKind kind, const std::string &name, const std::string &type, const std::string &text)
{
    const VariableId id{static_cast<std::uint32_t>(m_values.size())};
    Value one;
    one.kind = kind;
    one.name = name;
    one.type = type;
    one.value = text;
    one.original = m_stepCount == 0;
    m_values.push_back(one);
    AddVariable edit;
    edit.id = id;
    edit.kind = kind;
    edit.type = m_writer.intern(type);
    edit.name = m_writer.intern(name);
    edit.value = m_writer.intern(text);
    m_step.edits.emplace_back(edit);
    return id;
}

VariableId FixtureGraph::constant(const std::string &text, const std::string &type)
{
    return input(VariableKind::Constant, "", type, text);
}

VariableId FixtureGraph::add(const Op &op, const std::vector<VariableId> &inputs, const std::string &type, int line,
                             const std::string &name)
{
    const ApplyId id{static_cast<std::uint32_t>(m_nodes.size())};
    const VariableId out{static_cast<std::uint32_t>(m_values.size())};
    Node one;
    one.op = op;
    one.inputs = inputs;
    one.output = out;
    one.original = m_stepCount == 0;
    one.step = m_stepCount;
    one.phase = m_step.info.phase;
    one.rewrite = m_step.info.rewrite;
    one.lines = one.original ? std::set<int>{line} : m_regionLines;
    one.origins = one.original ? std::set<std::uint32_t>{raw(id)} : m_regionOrigins;
    if (one.original) m_originalOrder.push_back(id);
    else m_step.info.produced.push_back(id);
    m_nodes.push_back(one);
    ++m_live;
    Value result;
    result.name = name;
    result.type = type;
    result.owner = id;
    result.original = m_stepCount == 0;
    m_values.push_back(result);
    for (std::uint32_t port = 0; port < inputs.size(); ++port) value(inputs[port]).clients.emplace(raw(id), port);

    AddApply edit;
    edit.id = id;
    edit.op = m_writer.intern(op.exact);
    edit.friendly = m_writer.intern(op.friendly);
    edit.opClass = m_writer.intern(op.opClass);
    edit.device = m_writer.intern("cpu");
    edit.inputs = inputs;
    edit.outputs = {{out, m_writer.intern(type), m_writer.intern(name)}};
    edit.views = op.views;
    edit.destroys = op.destroys;
    edit.sources = refs(one.lines);
    m_step.edits.emplace_back(edit);
    return out;
}

void FixtureGraph::output(VariableId variable)
{
    m_step.edits.emplace_back(SetOutput{static_cast<std::uint32_t>(m_outputs.size()), kNoVariable, variable});
    m_outputs.push_back(variable);
}

void FixtureGraph::closeStep()
{
    m_step.info.index = m_stepCount;
    m_step.info.nodesAfter = liveCount();
    m_step.info.editCount = static_cast<int>(m_step.edits.size());
    m_passSteps.push_back(m_writer.packed(m_step));
    m_step = {};
    m_step.info.graph = m_info.id;
}

void FixtureGraph::endOriginal()
{
    m_step.info.nodesAfter = liveCount();
    closeStep();
    m_writer.addSteps(std::move(m_passSteps));
    m_passSteps.clear();
    m_info.appliesOriginal = originalCount();
    m_writer.setGraph(m_info);
}

BodyFacts FixtureGraph::asBody(std::vector<std::vector<ApplyId>> origins)
{
    closeStep();
    m_info.appliesOriginal = m_info.appliesOptimized = originalCount();
    return {m_info, std::move(m_passSteps.front()), std::move(origins)};
}

void FixtureGraph::beginPass(const std::string &phase, const std::string &name, const std::string &kind)
{
    m_pass = {};
    m_pass.graph = m_info.id;
    m_pass.index = m_passCount;
    m_pass.phase = phase;
    m_pass.name = name;
    m_pass.kind = kind;
    m_pass.firstStep = m_stepCount + 1;
    m_pass.nodesBefore = liveCount();
}

void FixtureGraph::rewrite(const std::string &name, const std::string &reason, Fate fate, VariableId root,
                           const std::vector<VariableId> &region, const std::function<VariableId()> &build)
{
    ++m_stepCount;
    m_noise ^= m_noise << 13;
    m_noise ^= m_noise >> 7;
    m_noise ^= m_noise << 17;
    StepInfo &info = m_step.info;
    info.phase = m_pass.phase;
    info.pass = m_pass.index;
    info.rewrite = name;
    info.reason = reason;
    info.ns = static_cast<std::int64_t>(1500 + m_noise % 9000);
    info.nodesBefore = liveCount();
    m_regionLines.clear();
    m_regionOrigins.clear();
    std::vector<VariableId> all{root};
    all.insert(all.end(), region.begin(), region.end());
    for (const VariableId variable : all) {
        const ApplyId apply = owner(variable);
        if (apply == kNoApply) continue;
        info.matched.push_back(apply);
        m_regionLines.insert(node(apply).lines.begin(), node(apply).lines.end());
        m_regionOrigins.insert(node(apply).origins.begin(), node(apply).origins.end());
    }
    replace(root, build(), fate);
    m_pass.ns += m_step.info.ns;
    m_optimizerNs += m_step.info.ns;
    auto found = std::find_if(m_passRewrites.begin(), m_passRewrites.end(), [&](const PassRewrite &one) { return one.rewrite == name; });
    if (found == m_passRewrites.end()) {
        PassRewrite fresh;
        fresh.graph = m_info.id;
        fresh.pass = m_pass.index;
        fresh.rewrite = name;
        found = m_passRewrites.insert(m_passRewrites.end(), fresh);
    }
    ++found->applied;
    found->ns += m_step.info.ns;
    found->nodesCreated += static_cast<std::int64_t>(m_step.info.produced.size());
    closeStep();
}

void FixtureGraph::replace(VariableId before, VariableId after, Fate fate)
{
    const auto clients = value(before).clients;
    const ApplyId heir = owner(after);
    for (const auto &[apply, port] : clients) {
        const auto &fresh = m_step.info.produced; // may read what they replace
        if (std::find(fresh.begin(), fresh.end(), ApplyId{apply}) != fresh.end()) continue;
        m_step.edits.emplace_back(SetInput{ApplyId{apply}, port, before, after});
        m_nodes[apply].inputs[port] = after;
        value(before).clients.erase({apply, port});
        value(after).clients.emplace(apply, port);
    }
    for (std::uint32_t i = 0; i < m_outputs.size(); ++i)
        if (m_outputs[i] == before) {
            m_step.edits.emplace_back(SetOutput{i, before, after});
            m_outputs[i] = after;
        }
    if (fate == Fate::Merged && heir != kNoApply && owner(before) != kNoApply) {
        AddSources edit{heir, {}};
        std::set<int> fresh;
        for (const int line : node(owner(before)).lines)
            if (node(heir).lines.insert(line).second) fresh.insert(line);
        edit.sources = refs(fresh);
        node(heir).origins.insert(node(owner(before)).origins.begin(), node(owner(before)).origins.end());
        if (!fresh.empty()) m_step.edits.emplace_back(edit);
    }
    pruneFrom(before, heir, heir == kNoApply ? Fate::Constant : fate);
}

// Region members get the step's fate, whatever else dies for want of readers is dead.
void FixtureGraph::pruneFrom(VariableId variable, ApplyId heir, Fate fate)
{
    std::vector<std::pair<VariableId, Fate>> work{{variable, fate}};
    while (!work.empty()) {
        const auto [one, how] = work.back();
        work.pop_back();
        if (!value(one).live || !value(one).clients.empty() || std::find(m_outputs.begin(), m_outputs.end(), one) != m_outputs.end())
            continue;
        const ApplyId apply = owner(one);
        if (apply == kNoApply) {
            if (value(one).kind == VariableKind::Constant) {
                value(one).live = false;
                m_step.edits.emplace_back(PruneVariable{one});
            }
            continue;
        }
        node(apply).live = false;
        --m_live;
        value(one).live = false;
        node(apply).fate = how;
        m_step.edits.emplace_back(PruneApply{apply});
        const bool ends = how == Fate::Dead || how == Fate::Constant;
        m_step.lineage.push_back({apply, how, ends ? kNoApply : heir});
        const std::vector<VariableId> inputs = node(apply).inputs;
        for (std::uint32_t port = 0; port < inputs.size(); ++port) value(inputs[port]).clients.erase({raw(apply), port});
        for (const VariableId input : inputs) {
            const auto &matched = m_step.info.matched;
            const bool inRegion = std::find(matched.begin(), matched.end(), owner(input)) != matched.end();
            work.emplace_back(input, inRegion ? fate : Fate::Dead);
        }
    }
}

int FixtureGraph::merge()
{
    int count = 0;
    std::map<std::pair<std::string, std::vector<VariableId>>, ApplyId> seen;
    std::map<std::string, VariableId> constants;
    for (const ApplyId apply : order()) {
        std::vector<VariableId> key = node(apply).inputs;
        for (VariableId &input : key)
            if (value(input).kind == VariableKind::Constant)
                input = constants.emplace(value(input).value + value(input).type, input).first->second;
        const auto [entry, isNew] = seen.emplace(std::pair(node(apply).op.exact, key), apply);
        if (isNew) continue;
        const VariableId kept = node(entry->second).output;
        rewrite("merge", "the same op on the same inputs is computed once", Fate::Merged, node(apply).output, {}, [kept] { return kept; });
        ++count;
    }
    return count;
}

void FixtureGraph::endPass()
{
    m_pass.stepCount = m_stepCount - m_pass.firstStep + 1;
    m_pass.nodesAfter = liveCount();
    m_pass.ns += 20000;
    m_pass.validateNs = m_pass.ns / 20;
    m_optimizerNs += 20000;
    ++m_passCount;
    m_writer.addSteps(std::move(m_passSteps));
    m_passSteps.clear();
    m_writer.addPasses({m_pass}, std::move(m_passRewrites));
    m_passRewrites.clear();
    Progress progress;
    progress.activity = "compiling";
    progress.function = m_info.function;
    progress.graph = m_info.id;
    progress.step = m_stepCount;
    progress.timeNs = m_writer.nowNs();
    m_writer.setProgress(progress);
}

void FixtureGraph::decline(const std::string &rewrite, VariableId on, const std::string &reason, std::int64_t count)
{
    m_reasons.push_back({m_info.id, rewrite, reason, count});
    const ApplyId apply = owner(on);
    const auto found = std::find_if(m_declines.begin(), m_declines.end(), [&](const LastDeclines &one) { return one.apply == apply; });
    LastDeclines &last = found == m_declines.end() ? m_declines.emplace_back() : *found;
    last.graph = m_info.id;
    last.apply = apply;
    last.step = m_stepCount;
    last.words.push_back({m_writer.intern(rewrite), m_writer.intern(reason)});
}

void FixtureGraph::rename(VariableId variable, const std::string &name)
{
    m_step.edits.emplace_back(Rename{variable, m_writer.intern(value(variable).name), m_writer.intern(name)});
    value(variable).name = name;
}

ApplyId FixtureGraph::owner(VariableId variable) const { return m_values[raw(variable)].owner; }
const std::string &FixtureGraph::exact(ApplyId apply) const { return m_nodes[raw(apply)].op.exact; }
VariableId FixtureGraph::outputOf(ApplyId apply) const { return m_nodes[raw(apply)].output; }
std::vector<VariableId> FixtureGraph::inputsOf(ApplyId apply) const { return m_nodes[raw(apply)].inputs; }
std::string FixtureGraph::typeOf(VariableId variable) const { return m_values[raw(variable)].type; }

std::vector<int> FixtureGraph::linesOf(ApplyId apply) const
{
    const auto &lines = m_nodes[raw(apply)].lines;
    return {lines.begin(), lines.end()};
}

std::vector<VariableId> FixtureGraph::liveOutputs(const std::string &exact) const
{
    std::vector<VariableId> found;
    for (const ApplyId apply : order())
        if (m_nodes[raw(apply)].op.exact == exact) found.push_back(m_nodes[raw(apply)].output);
    return found;
}

std::vector<ApplyId> FixtureGraph::order() const
{
    std::vector<ApplyId> result;
    std::vector<bool> done(m_nodes.size());
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    for (const VariableId output : m_outputs) {
        if (owner(output) == kNoApply || done[raw(owner(output))]) continue;
        stack.emplace_back(raw(owner(output)), 0);
        done[raw(owner(output))] = true;
        while (!stack.empty()) {
            auto &[apply, port] = stack.back();
            if (port == m_nodes[apply].inputs.size()) {
                result.push_back(ApplyId{apply});
                stack.pop_back();
                continue;
            }
            const ApplyId next = owner(m_nodes[apply].inputs[port++]);
            if (next != kNoApply && !done[raw(next)]) {
                done[raw(next)] = true;
                stack.emplace_back(raw(next), 0);
            }
        }
    }
    return result;
}

std::string FixtureGraph::label(ApplyId apply) const
{
    std::string text = exact(apply) + "(";
    for (const VariableId input : m_nodes[raw(apply)].inputs) {
        const Value &one = m_values[raw(input)];
        text += text.back() == '(' ? "" : ", ";
        if (!one.name.empty()) text += one.name;
        else if (one.owner == kNoApply) text += "TensorConstant{" + one.value + "}";
        else text += m_nodes[raw(one.owner)].op.exact + ".0";
    }
    return text + ")";
}

void FixtureGraph::finish()
{
    std::map<std::uint32_t, int> position;
    for (const ApplyId apply : order()) position.emplace(raw(apply), static_cast<int>(position.size()));
    std::vector<ApplyFacts> rows;
    std::vector<LineShare> links;
    for (std::uint32_t i = 0; i < m_nodes.size(); ++i) {
        const Node &one = m_nodes[i];
        if (!one.original && !one.live) continue;
        ApplyFacts row;
        row.graph = m_info.id;
        row.apply = ApplyId{i};
        row.op = m_writer.intern(one.op.exact);
        row.friendly = m_writer.intern(one.op.friendly);
        row.opClass = m_writer.intern(one.op.opClass);
        row.device = m_writer.intern("cpu");
        row.inOriginal = one.original;
        row.inOptimized = one.live;
        row.originalIndex = one.original ? static_cast<int>(i) : -1;
        row.optimizedIndex = one.live ? position[i] : -1;
        row.createdStep = one.step;
        row.createdPhase = m_writer.intern(one.phase);
        row.createdRewrite = m_writer.intern(one.original ? "" : one.rewrite);
        row.fate = one.fate;
        row.label = label(row.apply);
        row.implementation = m_writer.intern(one.op.implementation);
        if (one.live && m_info.kind == GraphKind::Function) row.origins = jsonIds(one.origins);
        const StringId file = m_writer.intern(m_file);
        if (one.lines.size() == 1) {
            row.file = file;
            row.line = *one.lines.begin();
        } else
            for (const int line : one.lines)
                links.push_back({m_info.id, row.apply, file, line, 1.0 / static_cast<double>(one.lines.size())});
        rows.push_back(row);
    }
    std::vector<VariableFacts> variables;
    std::vector<VariableSize> sizes;
    for (std::uint32_t i = 0; i < m_values.size(); ++i) {
        const Value &one = m_values[i];
        if (!one.original && !one.live) continue;
        VariableFacts row;
        row.graph = m_info.id;
        row.variable = VariableId{i};
        row.kind = one.kind;
        row.name = m_writer.intern(one.name);
        row.type = m_writer.intern(one.type);
        row.dtype = m_writer.intern(one.type.find("float32") != std::string::npos ? "float32" : "bool");
        row.value = m_writer.intern(one.value);
        row.owner = one.owner;
        row.ownerPort = one.owner == kNoApply ? -1 : 0;
        row.inOriginal = one.original;
        row.inOptimized = one.live;
        row.isOutput = std::find(m_outputs.begin(), m_outputs.end(), row.variable) != m_outputs.end();
        variables.push_back(row);
        const bool isMatrix = one.type.find("matrix") != std::string::npos, isScalar = one.type.find("scalar") != std::string::npos;
        sizes.push_back({m_info.id, row.variable,
                         isMatrix   ? "(400, 784)"
                         : isScalar ? "()"
                                    : "(400,)",
                         isMatrix   ? 400 * 784 * 4
                         : isScalar ? 4
                                    : 1600});
    }
    m_info.stepCount = m_stepCount;
    m_info.appliesOptimized = liveCount();
    m_writer.setGraph(m_info);
    m_writer.setLineShares(std::move(links));
    m_writer.setApplies(std::move(rows));
    m_writer.setVariables(std::move(variables));
    m_writer.setVariableSizes(std::move(sizes));
    m_writer.setDeclineReasons(std::move(m_reasons));
    m_writer.addLastDeclines(std::move(m_declines));
}

} // namespace profiler::fixture
