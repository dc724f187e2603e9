// Advice on scans whose steps one op could take at once.

#include "profiler/stats/advice/advice.h"

#include "profiler/stats/advice/advice_facts.h"
#include "profiler/stats/times/ground.h"
#include "profiler/stats/times/original_graph.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_set>

namespace profiler {

namespace {

constexpr double kLeastOfLoop = 0.1; // of the time in ops

// What a step may hold that works on whole arrays, too.
bool worksOnArrays(const ApplyRow &apply)
{
    static const std::set<OpRole> kRoles{OpRole::Elementwise, OpRole::Product,  OpRole::Reduction, OpRole::Softmax,
                                         OpRole::View,        OpRole::Creation, OpRole::Index,     OpRole::Shape};
    return kRoles.contains(roleOf(apply));
}

// What the states of a scan become with each step.
enum class Steps { Other, Independent, Sum, Product, Extreme };

// A scan with the graph of a step, as the script built it. Outer inputs: the number of steps, sequences, states, lengths of other
// results, and what each step reads as it is.
class Loop {
public:
    Loop(const ProfileData &data, const AdviceFacts &facts, const AdviceFacts::Node &scan, GraphId body) : m_body(data, body)
    {
        std::vector<const VariableRow *> given;
        for (const VariableRow *leaf : m_body.leaves())
            if (leaf->kind == VariableKind::Input) given.push_back(leaf);
        // States with several taps, and streams of random numbers, have more on one side: then nothing is known.
        const auto lengths = static_cast<std::ptrdiff_t>(scan.inputs.size()) - static_cast<std::ptrdiff_t>(given.size()) - 1;
        const auto states = static_cast<std::ptrdiff_t>(m_body.outputs().size()) - lengths;
        if (lengths < 0 || states < 0 || m_body.outputs().empty()) return;
        std::ptrdiff_t buffers = 0;
        for (std::size_t i = 1; i < scan.inputs.size(); ++i) {
            const AdviceFacts::Node *maker = facts.makerOf(*scan.inputs[i]);
            const std::string made = maker ? AdviceFacts::className(*maker) : std::string();
            if (made != "IncSubtensor" && made != "AllocEmpty") continue;
            ++buffers;
            if (i - 1 < given.size()) m_states.push_back(given[i - 1]);
        }
        m_isKnown = buffers == states && static_cast<std::ptrdiff_t>(m_states.size()) == states &&
                    std::ranges::all_of(m_body.nodes(), [](const auto &node) { return worksOnArrays(*node.row); });
    }
    [[nodiscard]] Steps steps() const
    {
        if (!m_isKnown) return Steps::Other;
        Steps all = Steps::Independent;
        for (std::size_t i = 0; i < m_states.size(); ++i) {
            const Steps one = stepOf(*m_states[i], *m_body.outputs()[i]);
            if (one == Steps::Other || (i > 0 && one != all)) return Steps::Other;
            all = one;
        }
        return all;
    }

private:
    // s + f(x): an op of two operands, one of which is the state, and that is all that reads it.
    [[nodiscard]] Steps stepOf(const VariableRow &state, const VariableRow &next) const
    {
        const OriginalGraph::Node *made = m_body.makerOf(next);
        const auto &readers = m_body.readersOf(state);
        if (!made || made->inputs.size() != 2 || readers.size() != 1 || readers.front() != made || made->inputs[0] == made->inputs[1])
            return Steps::Other;
        // That another state goes in makes it depend on the steps before.
        for (const VariableRow *other : m_states)
            if (other != &state && reaches(*other, *made)) return Steps::Other;
        const std::string op = made->row->op.str();
        const auto is = [&](const char *name) { return op.starts_with(std::string("Elemwise{") + name); };
        return is("add") ? Steps::Sum : is("mul") ? Steps::Product : is("maximum") || is("minimum") ? Steps::Extreme : Steps::Other;
    }
    [[nodiscard]] bool reaches(const VariableRow &from, const OriginalGraph::Node &to) const
    {
        std::vector<const OriginalGraph::Node *> waiting = m_body.readersOf(from);
        std::unordered_set<const OriginalGraph::Node *> seen(waiting.begin(), waiting.end());
        while (!waiting.empty()) {
            const OriginalGraph::Node *node = waiting.back();
            waiting.pop_back();
            if (node == &to) return true;
            for (const OriginalGraph::Node *reader : node->readers)
                if (seen.insert(reader).second) waiting.push_back(reader);
        }
        return false;
    }

    OriginalGraph m_body;
    std::vector<const VariableRow *> m_states; // as a step reads them
    bool m_isKnown = false;
};

std::string textOf(Steps steps, const std::string &place)
{
    switch (steps) {
    case Steps::Independent:
        return "No step of this scan needs the one before" + place + ": compute all of them at once, on the whole array";
    case Steps::Sum: return "This scan only adds up what its steps give" + place + ": use T.sum or T.cumsum on the whole array";
    case Steps::Product: return "This scan only multiplies what its steps give" + place + ": use T.prod or T.cumprod on the whole array";
    case Steps::Extreme: return "This scan only looks for the largest or the smallest" + place + ": use T.max or T.min on the whole array";
    case Steps::Other: break;
    }
    return {};
}

// A loop of Python that takes an array apart row by row, and makes as many applies.
void unrolledLoops(const ProfileData &data, const AdviceFacts &facts, std::vector<Advice> &all)
{
    constexpr std::size_t kMany = 50;
    std::set<GraphId> seen;
    for (const AdviceFacts::Node &one : facts.nodes()) {
        if (!seen.insert(one.row->graph).second) continue;
        const OriginalGraph graph(data, one.row->graph);
        std::map<std::pair<VariableId, SourceLine>, std::vector<const OriginalGraph::Node *>> rows; // by what is taken apart, and where
        for (const OriginalGraph::Node &node : graph.nodes()) {
            if (classNameOf(node.row->opClass) != "Subtensor" || node.inputs.empty()) continue;
            AdviceFacts::Node asked;
            asked.row = node.row;
            rows[{node.inputs[0]->variable, facts.lineOf(asked)}].push_back(&node);
        }
        for (const auto &[of, nodes] : rows) {
            const SourceLine &place = of.second;
            if (nodes.size() < kMany || place.line <= 0) continue;
            Advice advice;
            advice.id = "unrolled-loop";
            for (const AdviceFacts::Node &node : facts.nodes()) {
                if (node.row->graph != one.row->graph) continue;
                const std::vector<SourceLine> lines = facts.linesOf(node);
                if (std::ranges::find(lines, place) == lines.end()) continue;
                advice.gain += facts.shareOf(node);
                if (advice.nodes.size() < 20) advice.nodes.push_back(AdviceFacts::keyOf(node));
            }
            if (advice.gain < kLeastOfLoop) continue;
            advice.of = kOpTime;
            const std::string name = nodes.front()->inputs[0]->name;
            advice.text = "A loop of Python takes " + (name.empty() ? "an array" : name) + " apart" + placeText({place}) +
                          ": use an op on the whole array, or theano.scan where a step needs the one before";
            advice.evidence = std::to_string(nodes.size()) + " pieces of it make a graph of " + std::to_string(graph.nodes().size()) +
                              " applies; those of this line take " + percent(advice.gain) + " of the time in ops";
            advice.place = place;
            all.push_back(std::move(advice));
        }
    }
}

} // namespace

std::vector<Advice> loopAdvice(const ProfileData &data)
{
    const AdviceFacts facts(data);
    std::map<ApplyKey, GraphId> bodies;
    for (const GraphInfo &graph : data.graphs)
        if (graph.kind == GraphKind::Scan && graph.parentGraph != kNoGraph) bodies[{graph.parentGraph, graph.parentApply}] = graph.id;
    std::vector<Advice> all;
    for (const AdviceFacts::Node &node : facts.nodes()) {
        const auto body = bodies.find(AdviceFacts::keyOf(node));
        if (body == bodies.end() || node.row->op.find("do_while") != std::string::npos) continue;
        const SourceLine place = facts.lineOf(node);
        const auto known = std::ranges::find_if(all, [&](const Advice &one) { return place.line > 0 && one.place == place; });
        const Steps steps = known == all.end() ? Loop(data, facts, node, body->second).steps() : Steps::Other;
        if (known == all.end() && steps == Steps::Other) continue;
        if (known != all.end()) { // in another function, or its gradient
            known->gain += facts.shareOf(node);
            known->nodes.push_back(AdviceFacts::keyOf(node));
            continue;
        }
        Advice advice;
        advice.id = "loop";
        advice.gain = facts.shareOf(node);
        advice.of = kOpTime;
        advice.text = textOf(steps, placeText({place}));
        advice.evidence = facts.nameOf(node);
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = place;
        all.push_back(std::move(advice));
    }
    std::erase_if(all, [](const Advice &one) { return one.gain < kLeastOfLoop; });
    for (Advice &one : all) one.evidence += " takes " + percent(one.gain) + " of the time in ops, step by step";
    unrolledLoops(data, facts, all);
    return all;
}

} // namespace profiler
