// Advice on float64: where it comes into a program of float32, and what a program of float64 could be.

#include "profiler/stats/advice/advice.h"

#include "profiler/stats/advice/advice_facts.h"
#include "profiler/stats/times/ground.h"
#include "profiler/stats/times/original_graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

namespace profiler {

namespace {

constexpr double kLeastShare = 0.02; // of the time in ops: of less nobody notices anything

using Written = OriginalGraph::Node;

bool isDouble(const VariableRow *variable) { return variable->dtype == "float64"; }
bool isNumber(const VariableRow &variable) { return variable.type.find("scalar") != std::string::npos; }
bool makesDouble(const Written &node) { return std::ranges::any_of(node.outputs, isDouble); }
bool readsDouble(const Written &node) { return std::ranges::any_of(node.inputs, isDouble); }

// One thing that brings float64 in: leaves of one line of the script, or applies of one line.
struct Cause {
    VariableKind kind = VariableKind::Result; // Result: applies
    std::vector<std::string> names;
    SourceLine place;
    std::set<ApplyKey> nodes; // of optimized graphs, that work in float64 because of it
    const OriginalGraph::Node *first = nullptr;
    std::string from; // what an apply makes it of: "x float32, n int32"
    double share = 0;
    bool isUpdated = false;
};

class Doubles {
public:
    Doubles(const ProfileData &data, const AdviceFacts &facts) : m_data(data), m_facts(facts)
    {
        for (const AdviceFacts::Node &node : facts.nodes()) m_ofGraph[node.row->graph].push_back(&node);
        for (const auto &[graph, nodes] : m_ofGraph) look(graph, *nodes.front()->function);
    }
    std::deque<Cause> causes;

private:
    void look(GraphId id, const FunctionInfo &function)
    {
        const OriginalGraph &graph = m_graphs.emplace_back(m_data, id);
        m_stems.clear();
        for (const auto origins = m_data.origins.of(id); const OriginRow &one : *origins) m_stems[one.originApply].push_back(one.apply);
        std::unordered_set<const VariableRow *> kept; // numbers that were taken for causes
        for (const VariableRow *leaf : graph.leaves()) {
            if (!isDouble(leaf) || (leaf->kind == VariableKind::Constant && isNumber(*leaf) && !decides(graph, *leaf, kept))) continue;
            if (leaf->kind == VariableKind::Constant && isNumber(*leaf)) kept.insert(leaf);
            std::vector<const Written *> readers = graph.readersOf(*leaf);
            if (readers.empty()) continue;
            Cause &cause = causeOf(leaf->kind, m_facts.lineOf(*leaf), leaf->name);
            cause.isUpdated |=
                std::ranges::any_of(function.updates, [&](const FunctionUpdate &one) { return one.variable == leaf->variable; });
            follow(cause, readers);
        }
        for (const Written &node : graph.nodes()) {
            if (!makesDouble(node) || readsDouble(node) || node.inputs.empty()) continue;
            const VariableRow &output = *node.outputs.front();
            if (isNumber(output) && !decides(graph, output, kept)) continue; // the size in a mean
            if (isNumber(output)) kept.insert(&output);
            // A sum of float32 adds in float64 anyway, which costs little: only what follows is more work.
            const bool isSum = node.inputs.front()->dtype.rfind("float", 0) == 0 && classNameOf(node.row->opClass) == "Sum";
            if (isSum && node.readers.empty()) continue;
            Cause &cause = causeOf(VariableKind::Result, lineOf(node), {});
            if (cause.from.empty())
                for (const VariableRow *input : node.inputs)
                    cause.from +=
                        (cause.from.empty() ? "" : ", ") + (input->name.empty() ? std::string("a ") : input->name + " ") + input->dtype;
            if (isSum) follow(cause, node.readers);
            else follow(cause, {&node});
        }
    }

    // Is one of its readers float64 only because of this number? Else it is float64 because its neighbours are.
    static bool decides(const OriginalGraph &graph, const VariableRow &number, const std::unordered_set<const VariableRow *> &kept)
    {
        return std::ranges::any_of(graph.readersOf(number), [&](const Written *reader) {
            return makesDouble(*reader) && std::ranges::none_of(reader->inputs, [&](const VariableRow *other) {
                       const Written *maker = graph.makerOf(*other);
                       const bool isDoubtful = isNumber(*other) && (!maker || !readsDouble(*maker)) && other->kind != VariableKind::Input &&
                                               other->kind != VariableKind::Shared && !kept.contains(other);
                       return other != &number && isDouble(other) && !isDoubtful;
                   });
        });
    }

    SourceLine lineOf(const Written &node) const
    {
        AdviceFacts::Node one;
        one.row = node.row;
        return m_facts.lineOf(one);
    }

    Cause &causeOf(VariableKind kind, const SourceLine &place, const std::string &name)
    {
        auto found = std::ranges::find_if(causes, [&](const Cause &one) {
            return one.kind == kind && one.place == place && (place.line > 0 || std::ranges::find(one.names, name) != one.names.end());
        });
        if (found == causes.end()) {
            found = causes.insert(causes.end(), Cause());
            found->kind = kind;
            found->place = place;
        }
        if (!name.empty() && std::ranges::find(found->names, name) == found->names.end()) found->names.push_back(name);
        return *found;
    }

    // All that works in float64 because of what these applies read or make.
    void follow(Cause &cause, std::vector<const Written *> waiting)
    {
        std::unordered_set<const Written *> seen(waiting.begin(), waiting.end());
        if (!cause.first && !waiting.empty()) cause.first = waiting.front();
        std::unordered_set<ApplyId> reached;
        while (!waiting.empty()) {
            const Written *node = waiting.back();
            waiting.pop_back();
            if (const auto stems = m_stems.find(node->row->apply); stems != m_stems.end())
                reached.insert(stems->second.begin(), stems->second.end());
            if (!makesDouble(*node)) continue; // it has become something else
            for (const Written *reader : node->readers)
                if (seen.insert(reader).second) waiting.push_back(reader);
        }
        for (const AdviceFacts::Node *node : m_ofGraph[(*seen.begin())->row->graph])
            // A Python op takes as long with float32.
            if (reached.contains(node->row->apply) && node->row->implementation != "Py" &&
                cause.nodes.insert(AdviceFacts::keyOf(*node)).second)
                cause.share += m_facts.shareOf(*node);
    }

    const ProfileData &m_data;
    const AdviceFacts &m_facts;
    std::map<GraphId, std::vector<const AdviceFacts::Node *>> m_ofGraph;
    std::deque<OriginalGraph> m_graphs;
    std::unordered_map<ApplyId, std::vector<ApplyId>> m_stems; // of an original apply, in the graph that is looked at
};

std::string namesOf(const std::vector<std::string> &names)
{
    constexpr std::size_t kMost = 4;
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i == kMost) return text + " and " + std::to_string(names.size() - i) + " more";
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    }
    return text;
}

std::string sentenceOf(const Cause &cause)
{
    const std::string where = placeText({cause.place});
    const bool isOne = cause.names.size() < 2;
    const std::string names = cause.names.empty() ? std::string() : " " + namesOf(cause.names);
    const std::string comes = "float64 comes into a float32 program";
    switch (cause.kind) {
    case VariableKind::Shared:
        return comes + " by the shared variable" + (isOne ? "" : "s") + names + where + ": make the value with dtype=theano.config.floatX";
    case VariableKind::Input:
        return comes + " by the input" + (isOne ? "" : "s") + names + where +
               ": declare it with dtype=theano.config.floatX, and give it arrays of that dtype";
    case VariableKind::Constant: return comes + " by a constant" + names + where + ": make it with dtype=theano.config.floatX";
    case VariableKind::Result: break;
    }
    return comes + " here: cast to float32" + where;
}

void float64InFloat32(const ProfileData &data, const AdviceFacts &facts, std::vector<Advice> &all)
{
    if (facts.flag("floatX") != "float32") return;
    const Doubles doubles(data, facts);
    for (const Cause &cause : doubles.causes) {
        if (cause.share < kLeastShare) continue;
        Advice advice;
        advice.id = "float64";
        advice.gain = cause.share;
        advice.text = sentenceOf(cause);
        advice.evidence = counted(static_cast<std::int64_t>(cause.nodes.size()), "op") + " work in float64 because of it, " +
                          percent(cause.share) + " of the time in ops";
        if (cause.nodes.size() == 1) advice.evidence.replace(advice.evidence.find(" work "), 6, " works ");
        if (cause.kind == VariableKind::Result) {
            AdviceFacts::Node first;
            first.row = cause.first->row;
            first.inputs = cause.first->inputs;
            advice.evidence = facts.nameOf(first) + " makes float64 of " + cause.from + "; " + advice.evidence;
        }
        // What meets something else in float64 stays float64 until both are changed.
        std::vector<SourceLine> others;
        for (const Cause &other : doubles.causes)
            if (&other != &cause && other.place.line > 0 && other.share >= kLeastShare &&
                std::ranges::any_of(other.nodes, [&](const ApplyKey &node) { return cause.nodes.contains(node); }))
                others.push_back(other.place);
        if (!others.empty()) advice.evidence += "; some of it reads other float64, too" + placeText(others) + ": change them together";
        advice.nodes.assign(cause.nodes.begin(), cause.nodes.end());
        advice.place = cause.place;
        advice.lines = {cause.place};
        all.push_back(std::move(advice));
    }
}

std::string lineText(const ProfileData &data, const SourceLine &line)
{
    const auto file = std::ranges::find_if(data.sourceFiles, [&](const SourceFile &one) { return line.file == one.file; });
    if (file == data.sourceFiles.end()) return {};
    std::istringstream lines(file->text);
    std::string text;
    for (int number = 0; number < line.line && std::getline(lines, text);) ++number;
    return text;
}

// What stays float64 whatever the flag says, or is given arrays that are.
struct Fixed {
    std::vector<std::string> given;
    std::vector<SourceLine> made;
};

Fixed fixedDoubles(const ProfileData &data, const AdviceFacts &facts)
{
    Fixed fixed;
    std::set<GraphId> graphs;
    for (const FunctionInfo &function : data.functions)
        if (function.run.calls > 0) graphs.insert(function.graph);
    for (const VariableRow &row : data.variables) {
        if (!graphs.contains(row.graph) || !isDouble(&row)) continue;
        if (row.kind == VariableKind::Input && !isNumber(row)) {
            const std::string name = row.name.empty() ? "an input" : row.name.str();
            if (std::ranges::find(fixed.given, name) == fixed.given.end()) fixed.given.push_back(name);
        } else if (row.kind == VariableKind::Shared || (row.kind == VariableKind::Constant && row.inOriginal && !isNumber(row))) {
            const SourceLine line = facts.lineOf(row);
            if (lineText(data, line).find("floatX") != std::string::npos) continue; // it follows the flag
            if (line.line > 0 && std::ranges::find(fixed.made, line) == fixed.made.end()) fixed.made.push_back(line);
        }
    }
    std::ranges::sort(fixed.made);
    return fixed;
}

void tryFloat32(const ProfileData &data, const AdviceFacts &facts, std::vector<Advice> &all)
{
    if (facts.flag("floatX") != "float64") return;
    Advice advice;
    advice.id = "float32";
    advice.text = "Try the Theano flag floatX=float32";
    advice.evidence = "floatX is float64";
    for (const AdviceFacts::Node &node : facts.nodes())
        if (node.row->implementation != "Py" && std::ranges::any_of(node.outputs, isDouble)) advice.gain += facts.shareOf(node);
    advice.gain /= 2; // half the bytes, twice as many numbers in an instruction
    const bool follows = facts.followsFloatX();
    const Fixed fixed = fixedDoubles(data, facts);
    if (fixed.made.empty() && (follows || fixed.given.empty())) advice.setting = "floatX=float32";
    else advice.text += ", and make the arrays float32, too: by numpy.asarray(…, theano.config.floatX)";
    if (!fixed.given.empty()) advice.evidence += "; with float32, a float64 array for " + namesOf(fixed.given) + " is a TypeError";
    if (!fixed.made.empty()) advice.evidence += "; arrays that stay float64 are made" + placeText(fixed.made);
    all.push_back(std::move(advice));
}

} // namespace

std::vector<Advice> dtypeAdvice(const ProfileData &data)
{
    const AdviceFacts facts(data);
    std::vector<Advice> all;
    tryFloat32(data, facts, all);
    float64InFloat32(data, facts, all);
    for (Advice &one : all) one.of = kOpTime;
    return all;
}

} // namespace profiler
