#include "profiler/session/store/graph_writer.h"

#include "profiler/session/codec/edit_codec.h"
#include "profiler/session/model/names.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

namespace profiler {

namespace {

[[noreturn]] void refuse(const std::string &what, const std::string &hint = {}) { throw SessionError(what, hint); }

template <class OneId>
std::string jsonList(const std::vector<OneId> &ids)
{
    std::string text = "[";
    for (const OneId id : ids) text += (text.size() > 1 ? "," : "") + std::to_string(raw(id));
    return text + "]";
}

void addNew(std::vector<SourceRef> &lines, const std::vector<SourceRef> &more)
{
    for (const SourceRef &one : more)
        if (std::find(lines.begin(), lines.end(), one) == lines.end()) lines.push_back(one);
}

} // namespace

GraphWriter::GraphWriter(SessionWriter &writer, GraphInfo info) : m_writer(writer), m_info(std::move(info)) {}

GraphWriter::Variable &GraphWriter::variable(VariableId id)
{
    if (raw(id) >= m_variables.size())
        refuse("variable " + std::to_string(raw(id)) + " was never added to the graph \"" + m_info.label + "\"");
    Variable &found = m_variables[raw(id)];
    if (!found.live) refuse("variable " + std::to_string(raw(id)) + " has left the graph \"" + m_info.label + "\"", "add it again");
    return found;
}

GraphWriter::Apply &GraphWriter::apply(ApplyId id)
{
    if (raw(id) >= m_applies.size()) refuse("apply " + std::to_string(raw(id)) + " was never added to the graph \"" + m_info.label + "\"");
    Apply &found = m_applies[raw(id)];
    if (!found.live) refuse("apply " + std::to_string(raw(id)) + " has left the graph \"" + m_info.label + "\"", "add it again");
    return found;
}

template <class Edit>
void GraphWriter::note(const Edit &edit)
{
    addEdit(m_open, edit);
}

ChainId GraphWriter::chainOf(const std::vector<WrittenLine> &lines, SourceRef &innermost)
{
    ChainId chain = kNoChain;
    for (const WrittenLine &one : lines) {
        if (one.line <= 0 || one.file.empty()) continue;
        innermost = {m_writer.intern(one.file), static_cast<std::uint32_t>(one.line)};
        chain = m_writer.chainOf(chain, innermost, m_writer.intern(one.function));
    }
    return chain;
}

VariableId GraphWriter::addVariable(const WrittenVariable &added)
{
    if (!m_inStep) refuse("a variable is added to the graph \"" + m_info.label + "\" outside of a step", "begin a step first");
    if (added.kind == VariableKind::Result) refuse("a result comes with the apply that computes it", "add the apply");
    const VariableId id{static_cast<std::uint32_t>(m_variables.size())};
    Variable made;
    made.row = {m_info.id,
                id,
                added.kind,
                m_writer.intern(added.name),
                m_writer.intern(added.type),
                m_writer.intern(added.dtype),
                m_writer.intern(added.shape),
                m_writer.intern(added.value),
                kNoApply,
                -1,
                !m_isImported,
                false,
                false};
    made.chain = chainOf(added.lines, made.line);
    m_names[made.row.name] = added.name;
    m_names[made.row.value] = added.value;
    AddVariable edit{id, added.kind, made.row.type, made.row.name, made.row.value, {}};
    if (made.line.line > 0) edit.sources.push_back(made.line);
    note(edit);
    m_variables.push_back(std::move(made));
    if (m_isImported && added.kind == VariableKind::Constant) m_unread.push_back(id);
    return id;
}

ApplyId GraphWriter::addApply(const WrittenApply &added)
{
    if (!m_inStep)
        refuse("an apply of " + added.op + " is added to the graph \"" + m_info.label + "\" outside of a step", "begin a step first");
    if (added.op.empty()) refuse("an apply has no op", "name it");
    for (const VariableId input : added.inputs) variable(input);
    for (const auto *pairs : {&added.views, &added.destroys})
        for (const PortPair &pair : *pairs)
            if (pair.output >= added.outputs.size() || pair.input >= added.inputs.size())
                refuse("output " + std::to_string(pair.output) + " of " + added.op + " is said to share memory with input " +
                       std::to_string(pair.input) + ", and there is no such pair");
    const OpRole role = added.role.empty() ? roleOfClass(added.opClass) : valueOf<OpRole>(added.role);
    if (!added.role.empty() && std::ranges::find(Names<OpRole>::kAll, added.role) == Names<OpRole>::kAll.end())
        refuse(added.op + " has the role \"" + added.role + "\", which there is not",
               "leave it out, or take a word of the column applies.role");
    const ApplyId id{static_cast<std::uint32_t>(m_applies.size())};
    Apply made;
    made.row.graph = m_info.id;
    made.row.apply = id;
    made.row.op = m_writer.intern(added.op);
    made.row.friendly = m_writer.intern(added.friendly.empty() ? added.op : added.friendly);
    made.row.opClass = m_writer.intern(added.opClass);
    made.row.device = m_writer.intern(added.device);
    made.row.implementation = m_writer.intern(added.implementation);
    made.row.role = role;
    made.row.inOriginal = !m_isImported;
    made.row.createdStep = m_open.index;
    m_names[made.row.op] = added.op;
    SourceRef line;
    made.row.chain = chainOf(added.lines, line);
    if (line.line > 0) made.lines.push_back(line);
    if (!m_isImported) made.origins.insert(id);
    AddApply edit{id,           made.row.op, made.row.friendly, made.row.opClass, made.row.device,
                  added.inputs, {},          added.views,       added.destroys,   made.lines};
    made.inputs = added.inputs;
    for (const VariableId input : added.inputs) ++m_variables[raw(input)].readers;
    for (const WrittenVariable &output : added.outputs) {
        const VariableId out{static_cast<std::uint32_t>(m_variables.size())};
        Variable variable;
        variable.row = {m_info.id,
                        out,
                        VariableKind::Result,
                        m_writer.intern(output.name),
                        m_writer.intern(output.type),
                        m_writer.intern(output.dtype),
                        m_writer.intern(output.shape),
                        kEmptyString,
                        id,
                        static_cast<int>(made.outputs.size()),
                        !m_isImported,
                        false,
                        false};
        m_names[variable.row.name] = output.name;
        edit.outputs.push_back({out, variable.row.type, variable.row.name});
        made.outputs.push_back(out);
        m_variables.push_back(std::move(variable));
    }
    note(edit);
    m_applies.push_back(std::move(made));
    ++m_liveApplies;
    return id;
}

VariableId GraphWriter::output(ApplyId id, std::size_t port) const
{
    if (raw(id) >= m_applies.size() || port >= m_applies[raw(id)].outputs.size())
        refuse("apply " + std::to_string(raw(id)) + " of the graph \"" + m_info.label + "\" has no output " + std::to_string(port));
    return m_applies[raw(id)].outputs[port];
}

void GraphWriter::setInput(ApplyId id, std::uint32_t port, VariableId after)
{
    if (!m_inStep || !m_isImported)
        refuse("an input of apply " + std::to_string(raw(id)) + " changes outside of a step", "begin a step first");
    Apply &reader = apply(id);
    if (port >= reader.inputs.size()) refuse("apply " + std::to_string(raw(id)) + " has no input " + std::to_string(port));
    ++variable(after).readers;
    const VariableId before = std::exchange(reader.inputs[port], after);
    release(before);
    note(SetInput{id, port, before, after});
}

void GraphWriter::setOutput(std::uint32_t index, VariableId after)
{
    if (!m_inStep) refuse("an output of the graph \"" + m_info.label + "\" changes outside of a step", "begin a step first");
    if (index > m_outputs.size())
        refuse("output " + std::to_string(index) + " of the graph \"" + m_info.label + "\" comes before output " +
               std::to_string(m_outputs.size()));
    ++variable(after).readers;
    if (index == m_outputs.size()) m_outputs.push_back(kNoVariable);
    const VariableId before = std::exchange(m_outputs[index], after);
    if (before != kNoVariable) release(before);
    note(SetOutput{index, before, after});
}

void GraphWriter::prune(ApplyId id)
{
    if (!m_inStep || !m_isImported) refuse("apply " + std::to_string(raw(id)) + " leaves outside of a step", "begin a step first");
    apply(id);
    if (std::find(m_pruned.begin(), m_pruned.end(), id) == m_pruned.end()) m_pruned.push_back(id);
}

void GraphWriter::release(VariableId id)
{
    Variable &left = m_variables[raw(id)];
    if (--left.readers == 0 && left.row.kind == VariableKind::Constant) m_unread.push_back(id);
}

void GraphWriter::pruneUnread()
{
    for (const VariableId id : std::exchange(m_unread, {})) {
        Variable &one = m_variables[raw(id)];
        if (!one.live || one.readers > 0) continue;
        one.live = false;
        note(PruneVariable{id});
    }
}

void GraphWriter::importOriginal()
{
    if (m_isImported) return;
    m_originalOrder = toposort();
    m_isImported = true;
    m_inStep = false;
    m_info.appliesOriginal = m_info.appliesOptimized = m_nodesBeforePass = m_liveApplies;
    m_open.rewrite = m_writer.intern("import");
    m_open.nodesAfter = m_liveApplies;
    m_open.graph = m_info.id;
    m_writer.setGraph(m_info);
    writeStep(std::exchange(m_open, {}));
}

void GraphWriter::beginStep()
{
    importOriginal();
    if (m_inStep) refuse("a step of the graph \"" + m_info.label + "\" begins inside of another", "end that first");
    m_inStep = true;
    m_bornBefore = m_applies.size();
    m_open = {};
    m_open.graph = m_info.id;
    m_open.index = m_info.stepCount + 1;
    m_open.nodesBefore = m_liveApplies;
}

void GraphWriter::takeOver(const Became &became)
{
    Apply &from = m_applies[raw(became.from)];
    if (from.row.inOriginal) from.row.fate = became.fate;
    appendBecame(m_open.lineage, became);
    if (became.to == kNoApply) return;
    Apply &to = m_applies[raw(became.to)];
    to.origins.insert(from.origins.begin(), from.origins.end());
    if (became.fate != Fate::Merged) return;
    AddSources fresh{became.to, {}};
    for (const SourceRef &line : from.lines)
        if (std::find(to.lines.begin(), to.lines.end(), line) == to.lines.end()) fresh.sources.push_back(line);
    if (fresh.sources.empty()) return;
    addNew(to.lines, fresh.sources);
    note(fresh);
}

bool GraphWriter::endStep(const WrittenStep &step)
{
    if (!m_inStep || !m_isImported) refuse("a step of the graph \"" + m_info.label + "\" ends that has not begun");
    for (const Became &one : step.lineage) {
        if (raw(one.from) >= m_applies.size() || (one.to != kNoApply && raw(one.to) >= m_applies.size()))
            refuse("the step " + step.rewrite + " says what became of an apply that was never added");
    }
    // Readers leave before what they read.
    std::unordered_map<std::uint32_t, int> freed;
    std::vector<ApplyId> waiting = std::exchange(m_pruned, {}), leaving;
    while (!waiting.empty()) {
        const std::size_t before = leaving.size();
        std::erase_if(waiting, [&](ApplyId id) {
            const Apply &one = m_applies[raw(id)];
            const auto isRead = [&](VariableId out) { return m_variables[raw(out)].readers - freed[raw(out)] > 0; };
            if (std::any_of(one.outputs.begin(), one.outputs.end(), isRead)) return false;
            for (const VariableId input : one.inputs) ++freed[raw(input)];
            leaving.push_back(id);
            return true;
        });
        if (leaving.size() == before)
            refuse("apply " + std::to_string(raw(waiting.front())) + " cannot leave the graph \"" + m_info.label + "\" by " + step.rewrite +
                       ": another still reads it",
                   "set the inputs of its readers first");
    }
    m_inStep = false;
    m_open.phase = m_writer.intern(step.phase);
    m_open.rewrite = m_writer.intern(step.rewrite);
    m_open.reason = m_writer.intern(step.reason);
    m_open.ns = step.ns;
    m_open.pass = m_passes;
    std::vector<ApplyId> produced;
    for (std::size_t i = m_bornBefore; i < m_applies.size(); ++i) {
        const ApplyId id{static_cast<std::uint32_t>(i)};
        m_applies[i].row.createdPhase = m_open.phase;
        m_applies[i].row.createdRewrite = m_open.rewrite;
        if (std::find(leaving.begin(), leaving.end(), id) == leaving.end()) produced.push_back(id);
    }
    for (const ApplyId id : leaving)
        if (raw(id) < m_bornBefore) appendApply(m_open.matched, id);
    for (const ApplyId id : produced) appendApply(m_open.produced, id);
    for (const Became &one : step.lineage) takeOver(one);
    std::vector<SourceRef> lines;
    std::set<ApplyId> origins;
    for (const ApplyId id : leaving) {
        if (raw(id) >= m_bornBefore) continue;
        addNew(lines, m_applies[raw(id)].lines);
        const auto isTold = [&](const Became &one) { return one.from == id; };
        if (std::any_of(step.lineage.begin(), step.lineage.end(), isTold)) continue;
        for (const ApplyId to : produced) takeOver({id, Fate::Replaced, to});
        if (produced.empty()) takeOver({id, Fate::Dead, kNoApply});
    }
    for (const ApplyId id : produced) {
        Apply &one = m_applies[raw(id)];
        AddSources fresh{id, {}};
        for (const SourceRef &line : lines)
            if (std::find(one.lines.begin(), one.lines.end(), line) == one.lines.end()) fresh.sources.push_back(line);
        if (!one.lines.empty() || fresh.sources.empty()) continue;
        addNew(one.lines, fresh.sources);
        note(fresh);
    }
    for (const ApplyId id : leaving) {
        Apply &one = m_applies[raw(id)];
        one.live = false;
        --m_liveApplies;
        note(PruneApply{id});
        for (const VariableId out : one.outputs) m_variables[raw(out)].live = false;
        for (const VariableId input : one.inputs) release(input);
    }
    pruneUnread();
    if (m_open.edits.empty()) return false;
    m_open.nodesAfter = m_liveApplies;
    m_info.stepCount = m_open.index;
    PassRewrite &count = m_countsOfPass[step.rewrite];
    count.graph = m_info.id;
    count.pass = m_passes;
    count.rewrite = step.rewrite;
    ++count.applied;
    count.ns += step.ns;
    count.nodesCreated += static_cast<std::int64_t>(produced.size());
    writeStep(std::exchange(m_open, {}));
    return true;
}

void GraphWriter::writeStep(StepFacts step)
{
    std::vector<StepFacts> steps;
    steps.push_back(std::move(step));
    m_writer.addSteps(std::move(steps));
}

void GraphWriter::addPass(PassInfo pass)
{
    importOriginal();
    if (m_inStep) refuse("the pass " + pass.name + " ends inside of a step", "end the step first");
    pass.graph = m_info.id;
    pass.index = m_passes++;
    pass.firstStep = m_nextStepOfPass;
    pass.stepCount = m_info.stepCount + 1 - m_nextStepOfPass;
    pass.nodesBefore = std::exchange(m_nodesBeforePass, m_liveApplies);
    pass.nodesAfter = m_liveApplies;
    m_nextStepOfPass = m_info.stepCount + 1;
    std::vector<PassRewrite> counts;
    for (auto &[name, count] : m_countsOfPass) counts.push_back(std::move(count));
    m_countsOfPass.clear();
    m_writer.addPasses({std::move(pass)}, std::move(counts));
}

// Ties by number.
std::vector<ApplyId> GraphWriter::toposort() const
{
    std::vector<int> missing(m_applies.size());
    std::vector<std::vector<std::uint32_t>> readers(m_applies.size());
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < m_applies.size(); ++i) {
        if (!m_applies[i].live) continue;
        for (const VariableId input : m_applies[i].inputs)
            if (const ApplyId owner = m_variables[raw(input)].row.owner; owner != kNoApply) {
                readers[raw(owner)].push_back(i);
                ++missing[i];
            }
        if (missing[i] == 0) ready.push(i);
    }
    std::vector<ApplyId> order;
    while (!ready.empty()) {
        const std::uint32_t one = ready.top();
        ready.pop();
        order.push_back(ApplyId{one});
        for (const std::uint32_t reader : readers[one])
            if (--missing[reader] == 0) ready.push(reader);
    }
    if (static_cast<int>(order.size()) != m_liveApplies)
        refuse("the graph \"" + m_info.label + "\" has a cycle after step " + std::to_string(m_info.stepCount));
    return order;
}

std::string GraphWriter::labelOf(const Apply &one) const
{
    std::string label = m_names.at(one.row.op) + "(";
    for (const VariableId id : one.inputs) {
        const VariableFacts &input = m_variables[raw(id)].row;
        if (label.back() != '(') label += ", ";
        if (input.name != kEmptyString) label += m_names.at(input.name);
        else if (input.owner != kNoApply) label += m_names.at(m_applies[raw(input.owner)].row.op) + "." + std::to_string(input.ownerPort);
        else label += input.value == kEmptyString ? "?" : m_names.at(input.value);
    }
    return label + ")";
}

void GraphWriter::writeApplies(const std::vector<ApplyId> &order)
{
    for (std::size_t i = 0; i < m_originalOrder.size(); ++i) m_applies[raw(m_originalOrder[i])].row.originalIndex = static_cast<int>(i);
    for (std::size_t i = 0; i < order.size(); ++i) m_applies[raw(order[i])].row.optimizedIndex = static_cast<int>(i);
    std::vector<ApplyFacts> rows;
    std::vector<LineShare> shares;
    for (Apply &one : m_applies) {
        ApplyFacts &row = one.row;
        row.inOptimized = one.live;
        if (!row.inOriginal && !one.live) continue;
        if (!one.live && row.fate == Fate::Kept) row.fate = Fate::Dead;
        row.label = labelOf(one);
        if (one.live) {
            row.fate = Fate::Kept;
            row.inputs = jsonList(one.inputs);
            const std::vector<ApplyId> origins(one.origins.begin(), one.origins.end());
            if (origins != std::vector{row.apply}) row.origins = jsonList(origins);
        }
        row.file = one.lines.size() == 1 ? one.lines[0].file : kEmptyString;
        row.line = one.lines.size() == 1 ? static_cast<int>(one.lines[0].line) : 0;
        if (one.lines.size() > 1)
            for (const SourceRef &line : one.lines)
                shares.push_back(
                    {m_info.id, row.apply, line.file, static_cast<int>(line.line), 1.0 / static_cast<double>(one.lines.size())});
        rows.push_back(row);
    }
    m_writer.setApplies(std::move(rows));
    m_writer.setLineShares(std::move(shares));
}

void GraphWriter::writeVariables()
{
    for (const VariableId id : m_outputs) m_variables[raw(id)].row.isOutput = true;
    std::vector<VariableFacts> rows;
    std::vector<VariableChain> chains;
    for (Variable &one : m_variables) {
        one.row.inOptimized = one.live;
        if (!one.row.inOriginal && !one.live) continue;
        rows.push_back(one.row);
        if (one.chain != kNoChain) chains.push_back({m_info.id, one.row.variable, one.chain});
    }
    m_writer.setVariables(std::move(rows));
    m_writer.setVariableChains(std::move(chains));
}

void GraphWriter::finish(std::vector<ApplyId> order)
{
    if (m_isFinished) refuse("the graph \"" + m_info.label + "\" is finished already");
    importOriginal();
    if (m_inStep) refuse("the graph \"" + m_info.label + "\" is finished inside of a step", "end the step first");
    const std::vector<ApplyId> sorted = toposort();
    if (order.empty()) order = sorted;
    else if (std::set(order.begin(), order.end()) != std::set(sorted.begin(), sorted.end()) || order.size() != sorted.size())
        refuse("the order of the graph \"" + m_info.label + "\" does not name each of its applies once");
    m_info.appliesOptimized = m_liveApplies;
    m_info.outputs = jsonList(m_outputs);
    m_writer.setGraph(m_info);
    writeApplies(order);
    writeVariables();
    m_isFinished = true;
}

} // namespace profiler
