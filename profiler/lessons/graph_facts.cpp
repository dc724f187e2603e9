// What a lesson can ask of graphs and of the steps between them.
#include "profiler/lessons/facts.h"
#include "profiler/lessons/words.h"

#include "profiler/stats/times/ground.h"

#include <algorithm>

namespace profiler {

namespace {

using Arguments = FactArguments;

bool isOp(const GraphReplica &graph, const ReplicaApply &apply, const std::string &name)
{
    return isNamed(name, graph.text(apply.op), graph.text(apply.friendly), graph.text(apply.opClass));
}

template <class Belongs>
Value nodesWhere(SessionFacts &facts, const std::string &place, Belongs &&belongs)
{
    const GraphReplica &graph = facts.graphAt(facts.step(place));
    std::set<ApplyId> found;
    for (const ApplyId id : graph.applies())
        if (belongs(graph, *graph.apply(id))) found.insert(id);
    return Value::of(std::move(found));
}

Value nodes(SessionFacts &facts, const Arguments &arguments)
{
    return nodesWhere(facts, word(arguments, 0), [name = word(arguments, 1)](const GraphReplica &graph, const ReplicaApply &apply) {
        return name.empty() || isOp(graph, apply, name);
    });
}

Value applies(SessionFacts &facts, const Arguments &arguments)
{
    return Value::of(static_cast<double>(nodes(facts, arguments).nodes.size()));
}

Value drawn(SessionFacts &facts, const Arguments &arguments)
{
    const int step = facts.step(word(arguments, 0));
    std::set<ApplyId> found = nodes(facts, arguments).nodes;
    std::erase_if(found, [&](ApplyId id) { return !facts.isDrawn(id, step); });
    return Value::of(static_cast<double>(found.size()));
}

Value count(SessionFacts &, const Arguments &arguments)
{
    if (arguments[0].kind == Value::Kind::List) return Value::of(static_cast<double>(arguments[0].list.size()));
    if (arguments[0].kind != Value::Kind::Nodes) throw FactError("only nodes and lists are counted");
    return Value::of(static_cast<double>(arguments[0].nodes.size()));
}

Value inplace(SessionFacts &facts, const Arguments &arguments)
{
    return nodesWhere(facts, word(arguments, 0), [](const GraphReplica &, const ReplicaApply &apply) { return !apply.destroys.empty(); });
}

Value viewing(SessionFacts &facts, const Arguments &arguments)
{
    return nodesWhere(facts, word(arguments, 0), [](const GraphReplica &, const ReplicaApply &apply) { return !apply.views.empty(); });
}

Value onLine(SessionFacts &facts, const Arguments &arguments)
{
    if (!arguments[1].isNumber()) throw FactError("on_line wants the number of a line");
    const int line = static_cast<int>(arguments[1].number);
    return nodesWhere(facts, word(arguments, 0), [line](const GraphReplica &graph, const ReplicaApply &apply) {
        const std::vector<SourceLine> lines = graph.sources(apply.id);
        return std::any_of(lines.begin(), lines.end(), [line](const SourceLine &each) { return each.line == line; });
    });
}

Value onDevice(SessionFacts &facts, const Arguments &arguments)
{
    return nodesWhere(facts, word(arguments, 0), [](const GraphReplica &graph, const ReplicaApply &apply) {
        const std::string &device = graph.text(apply.device);
        return !device.empty() && device != "cpu";
    });
}

std::set<ApplyId> liveAmong(const GraphReplica &graph, const std::vector<ApplyId> &wanted)
{
    std::set<ApplyId> found;
    for (const ApplyId id : wanted)
        if (const ReplicaApply *apply = graph.apply(id); apply && apply->live) found.insert(id);
    return found;
}

int changingStep(SessionFacts &facts, const Arguments &arguments)
{
    const int step = facts.step(word(arguments, 0));
    if (step == 0) throw FactError("step 0 is the graph as written; no rewrite made it");
    return step;
}

Value matched(SessionFacts &facts, const Arguments &arguments)
{
    const int step = changingStep(facts, arguments);
    const GraphReplica &graph = facts.graphAt(step - 1);
    return Value::of(liveAmong(graph, graph.stepInfo(step).matched));
}

Value produced(SessionFacts &facts, const Arguments &arguments)
{
    const int step = changingStep(facts, arguments);
    const GraphReplica &graph = facts.graphAt(step);
    return Value::of(liveAmong(graph, graph.stepInfo(step).produced));
}

Value gone(SessionFacts &facts, const Arguments &arguments)
{
    const std::vector<ApplyId> before = facts.graphAt(facts.step(word(arguments, 0))).applies();
    const std::vector<ApplyId> after = facts.graphAt(facts.step(word(arguments, 1))).applies();
    std::set<ApplyId> lost;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::inserter(lost, lost.end()));
    return Value::of(std::move(lost));
}

// Nodes before a step that are not there behind it.
std::set<ApplyId> lostAt(SessionFacts &facts, int step)
{
    const std::vector<ApplyId> after = facts.graphAt(step).applies(), before = facts.graphAt(step - 1).applies();
    std::set<ApplyId> lost;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::inserter(lost, lost.end()));
    return lost;
}

Value taken(SessionFacts &facts, const Arguments &arguments)
{
    const int step = changingStep(facts, arguments);
    std::set<ApplyId> nodes = lostAt(facts, step);
    nodes.merge(matched(facts, arguments).nodes);
    return Value::of(std::move(nodes));
}

Value same(SessionFacts &facts, const Arguments &arguments)
{
    const int step = changingStep(facts, arguments);
    std::set<ApplyId> nodes = lostAt(facts, step);
    const GraphReplica &graph = facts.graphAt(step - 1);
    for (const Edit &edit : graph.edits(step)) {
        VariableId instead = kNoVariable;
        if (const auto *input = std::get_if<SetInput>(&edit)) instead = input->after;
        else if (const auto *output = std::get_if<SetOutput>(&edit)) instead = output->after;
        const ReplicaVariable *variable = instead == kNoVariable ? nullptr : graph.variable(instead);
        const ReplicaApply *owner = variable ? graph.apply(variable->owner) : nullptr;
        if (owner && owner->live) nodes.insert(owner->id);
    }
    return Value::of(std::move(nodes));
}

Value origins(SessionFacts &facts, const Arguments &arguments)
{
    const GraphId graph = facts.function().graph;
    const ApplyId of = facts.node(word(arguments, 0), facts.step("last"));
    std::set<ApplyId> found;
    for (const OriginRow &row : facts.data().origins)
        if (row.graph == graph && row.apply == of && row.originGraph == graph) found.insert(row.originApply);
    return Value::of(std::move(found));
}

Value variables(SessionFacts &facts, const Arguments &arguments)
{
    const GraphReplica &graph = facts.graphAt(facts.step(word(arguments, 0)));
    const std::string dtype = word(arguments, 1);
    int found = 0;
    for (const VariableId id : graph.variables())
        found += dtype.empty() || graph.text(graph.variable(id)->type).find("(" + dtype + ",") != std::string::npos;
    return Value::of(found);
}

Value steps(SessionFacts &facts, const Arguments &arguments)
{
    const GraphReplica &graph = facts.graphAt(0);
    const std::string name = word(arguments, 0);
    int found = 0;
    for (int i = 1; i <= graph.stepCount(); ++i) {
        const StepInfo &info = graph.stepInfo(i);
        found += name.empty() || info.phase == name || info.rewrite == name;
    }
    return Value::of(found);
}

Value stepNumber(SessionFacts &facts, const Arguments &arguments) { return Value::of(facts.step(word(arguments, 0))); }

const StepInfo &infoOf(SessionFacts &facts, const Arguments &arguments)
{
    const int step = changingStep(facts, arguments);
    return facts.graphAt(step).stepInfo(step);
}

Value phaseOf(SessionFacts &facts, const Arguments &arguments) { return Value::of(infoOf(facts, arguments).phase); }
Value rewriteOf(SessionFacts &facts, const Arguments &arguments) { return Value::of(infoOf(facts, arguments).rewrite); }
Value reasonOf(SessionFacts &facts, const Arguments &arguments) { return Value::of(infoOf(facts, arguments).reason); }

// Names of phases or rewrites, those with most steps first.
Value busiest(SessionFacts &facts, const Arguments &arguments)
{
    const GraphReplica &graph = facts.graphAt(0);
    const std::string kind = word(arguments, 0);
    if (kind != "phases" && kind != "rewrites") throw FactError("busiest wants \"phases\" or \"rewrites\", not '" + kind + "'");
    std::vector<std::pair<std::string, int>> found;
    for (int i = 1; i <= graph.stepCount(); ++i) {
        const StepInfo &info = graph.stepInfo(i);
        const std::string &name = kind == "phases" ? info.phase : info.rewrite;
        const auto known = std::find_if(found.begin(), found.end(), [&name](const auto &each) { return each.first == name; });
        if (known == found.end()) found.emplace_back(name, 1);
        else ++known->second;
    }
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    const auto most = static_cast<std::size_t>(std::max(1.0, arguments[1].number));
    std::vector<std::string> names, sizes;
    for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
        names.push_back(found[i].first);
        sizes.push_back(counted(found[i].second, "step"));
    }
    return Value::of(std::move(names), std::move(sizes));
}

constexpr Fact kGraphFacts[] = {
    {"applies", "applies(PLACE[, OP])", "how many nodes the graph has at a step; with OP how many of that op", 1, 2, applies},
    {"drawn", "drawn(PLACE[, OP])", "how many nodes the picture of a step draws: what only brings a constant into shape is not drawn", 1, 2,
     drawn},
    {"variables", "variables(PLACE[, DTYPE])", "how many variables the graph has at a step; with DTYPE of that type", 1, 2, variables},
    {"nodes", "nodes(PLACE[, OP])", "the nodes of the graph at a step, or those of an op", 1, 2, nodes, "Each of these is of another op."},
    {"taken", "taken(PLACE)", "the nodes that a step takes: those that are gone behind it, and the one that its rewrite looked at", 1, 1,
     taken, "The step leaves these in the graph."},
    {"same", "same(PLACE)", "the nodes that a step of merge found to be the same", 1, 1, same,
     "Two nodes are the same when they have one op and read the same inputs in the same order; these differ in that."},
    {"matched", "matched(PLACE)", "the nodes that the rewrite of a step looked at first", 1, 1, matched,
     "The rewrite did not begin at these."},
    {"produced", "produced(PLACE)", "the nodes that the rewrite of a step put in their place", 1, 1, produced,
     "These were in the graph before the step."},
    {"gone", "gone(PLACE, PLACE)", "the nodes of one step that are not in the graph at another", 2, 2, gone,
     "These are still in the graph."},
    {"origins", "origins(NODE)", "the nodes as written that a node of the optimized graph stems from", 1, 1, origins,
     "Nothing of these is in that node."},
    {"inplace", "inplace(PLACE)", "the nodes that write over one of their inputs", 1, 1, inplace, "These write to memory of their own."},
    {"viewing", "viewing(PLACE)", "the nodes whose output is a view of an input", 1, 1, viewing, "These have memory of their own."},
    {"on_line", "on_line(PLACE, LINE)", "the nodes that stem from a line of the script", 2, 2, onLine,
     "These were written in another line."},
    {"on_device", "on_device(PLACE)", "the nodes that run on a device other than the processor", 1, 1, onDevice,
     "These run on the processor."},
    {"count", "count(NODES)", "how many there are", 1, 1, count},
    {"steps", "steps([NAME])", "how many steps there are; with the name of a phase or a rewrite how many of it", 0, 1, steps},
    {"step", "step(PLACE)", "the number of a step", 1, 1, stepNumber},
    {"phase", "phase(PLACE)", "the phase of a step", 1, 1, phaseOf},
    {"rewrite", "rewrite(PLACE)", "the name of the rewrite that made a step", 1, 1, rewriteOf},
    {"reason", "reason(PLACE)", "what the rewrite said of it", 1, 1, reasonOf},
    {"busiest", "busiest(\"phases\"|\"rewrites\", COUNT)", "a list: the phases or rewrites with most steps", 2, 2, busiest},
};

} // namespace

std::span<const Fact> graphFacts() { return kGraphFacts; }

} // namespace profiler
