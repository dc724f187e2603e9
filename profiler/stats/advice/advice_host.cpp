// Advice from what the script does around its functions: what it gives them, keeps of them, and does to shared variables itself.

#include "profiler/stats/advice/advice.h"

#include "profiler/session/codec/pages.h"
#include "profiler/stats/advice/advice_facts.h"
#include "profiler/stats/times/ground.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace profiler {

namespace {

constexpr double kLeastOfRun = 0.05;                  // of calls and what is around them
constexpr double kLeastOfOps = 0.1;                   // of the time in ops that could be done once
constexpr double kLeastFedBack = 0.03;                // of calls, estimated
constexpr std::int64_t kLeastOfConversionNs = 20'000; // of a number it takes less
constexpr std::int64_t kLeastOfSameNs = 5'000;        // of a call: of less it is no work, but what beginning any op takes
constexpr std::int64_t kFewTimes = 10;                // below, nobody repeats anything
constexpr std::int64_t kSmallBytes = 65'536;          // of an array that is handed around

using Node = AdviceFacts::Node;

std::string listed(const std::set<std::string> &names)
{
    std::string text;
    std::size_t at = 0;
    for (const std::string &name : names) text += (at == 0 ? "" : at + 1 == names.size() ? " and " : ", ") + name, ++at;
    return text;
}

class HostFacts {
public:
    explicit HostFacts(const ProfileData &data) : data(data), facts(data)
    {
        for (const FunctionInfo &function : data.functions) {
            functions[function.id] = &function;
            callsNs += static_cast<double>(function.run.totalNs);
        }
    }
    const FunctionInfo *functionOf(const HostUse &use) const
    {
        const auto found = functions.find(use.function);
        return found == functions.end() || found->second->run.calls == 0 ? nullptr : found->second;
    }
    // The variable of an explicit input; null: there is none.
    const FunctionInput *inputOf(const HostUse &use) const
    {
        const FunctionInfo *function = functionOf(use);
        int position = 0;
        for (std::size_t i = 0; function && i < function->inputs.size(); ++i)
            if (function->inputs[i].kind == VariableKind::Input && position++ == use.position) return &function->inputs[i];
        return nullptr;
    }
    static std::string nameOf(const FunctionInput &input, int position)
    {
        return input.name.empty() ? "input " + std::to_string(position) : input.name;
    }

    const ProfileData &data;
    const AdviceFacts facts;
    std::map<FunctionId, const FunctionInfo *> functions;
    double callsNs = 0; // of all functions
};

// w.set_value(w.get_value() - …): what an update does without copies.
void updatedInPython(const HostFacts &host, std::vector<Advice> &all)
{
    struct Use {
        const HostUse *set = nullptr;
        const FunctionInfo *maker = nullptr; // that returns what is set
        std::int64_t sets = 0, gets = 0, putBack = 0, ns = 0;
    };
    std::map<std::string, Use> uses;
    for (const HostUse &use : host.data.devices.hostUses) {
        if (use.what == "put back") uses[use.name].putBack += use.count, uses[use.name].maker = host.functionOf(use);
        if (use.what != "set" && use.what != "get") continue;
        Use &sum = uses[use.name];
        sum.ns += use.totalNs;
        (use.what == "set" ? sum.sets : sum.gets) += use.count;
        if (use.what == "set" && (!sum.set || use.totalNs > sum.set->totalNs)) sum.set = &use;
    }
    for (const auto &[name, use] : uses) {
        const double share = ratio(static_cast<double>(use.ns), static_cast<double>(use.ns) + host.callsNs);
        if (!use.set || use.sets < kFewTimes || (use.gets * 2 < use.sets && use.putBack < 3) || share < kLeastOfRun) continue;
        Advice advice;
        advice.id = "inplace";
        advice.gain = share;
        advice.of = "calls and values of shared variables";
        advice.savesNs = static_cast<double>(use.ns);
        advice.place = use.set->source;
        const std::string what = name.empty() ? "A shared variable" : name;
        advice.text = what + " gets its new value in Python again and again" + placeText({advice.place}) +
                      ": let the function do it, by updates=[(" + (name.empty() ? "w" : name) + ", …)]";
        advice.evidence = format("%lld times get_value and %lld times set_value took %.1f ms", static_cast<long long>(use.gets),
                                 static_cast<long long>(use.sets), static_cast<double>(use.ns) * 1e-6);
        advice.lines = {advice.place};
        if (use.maker) {
            advice.evidence += "; it is what " + shortTitle(*use.maker) + " returned" + placeText({use.maker->location});
            advice.lines.push_back(use.maker->location);
        }
        all.push_back(std::move(advice));
    }
}

// A call gets what the one before returned.
void fedBack(const HostFacts &host, std::vector<Advice> &all)
{
    for (const HostUse &use : host.data.devices.hostUses) {
        const FunctionInfo *function = host.functionOf(use);
        const FunctionInput *input = use.what == "fed back" ? host.inputOf(use) : nullptr;
        if (!function || !input || function->run.calls < kFewTimes || use.count < 3 || use.count * 3 < use.outOf || use.bytes < kSmallBytes)
            continue;
        // It is made anew for each call, and the one before is given back.
        const double ns = 2e9 / 10e9 * static_cast<double>(use.bytes) * static_cast<double>(function->run.calls);
        const double share = std::min(1.0, ns / static_cast<double>(std::max<std::int64_t>(function->run.totalNs, 1)));
        if (share < kLeastFedBack) continue;
        Advice advice;
        advice.id = "inplace";
        advice.gain = share;
        advice.of = "the time of its calls";
        advice.savesNs = share * static_cast<double>(function->run.totalNs);
        advice.place = use.source;
        const std::string name = HostFacts::nameOf(*input, use.position);
        advice.text = "Each call of " + shortTitle(*function) + " gets as " + name + " what the call before returned" +
                      placeText({use.source}) + ": make " + name + " a shared variable with an update, which works in place";
        advice.evidence = std::to_string(use.bytes) + " bytes are made anew in each of " + std::to_string(function->run.calls) + " calls";
        advice.lines = {use.source, function->location};
        all.push_back(std::move(advice));
    }
}

// Lists, and arrays of another dtype, are made into arrays before a call begins.
void convertedEachCall(const HostFacts &host, std::vector<Advice> &all)
{
    for (const HostUse &use : host.data.devices.hostUses) {
        const FunctionInfo *function = use.what == "converted" ? host.functionOf(use) : nullptr;
        if (!function || use.count < kFewTimes || use.outOf == 0 || use.totalNs < use.count * kLeastOfConversionNs) continue;
        const double ns = static_cast<double>(use.totalNs) * ratio(function->run.calls, use.outOf);
        const double share = ns / (ns + static_cast<double>(function->run.totalNs));
        if (share < kLeastOfRun) continue;
        Advice advice;
        advice.id = "input-conversion";
        advice.gain = share;
        advice.of = "calls and converting";
        advice.savesNs = ns;
        advice.place = use.source;
        advice.text = "What " + shortTitle(*function) + " is given is converted in every call" + placeText({use.source}) +
                      ": make arrays of the dtype of its inputs once, before the loop";
        advice.evidence =
            format("%lld values in the first %lld calls were no arrays of their input's type; converting takes %.1f ms of %.1f ms",
                   static_cast<long long>(use.count), static_cast<long long>(use.outOf), ns * 1e-6,
                   (ns + static_cast<double>(function->run.totalNs)) * 1e-6);
        advice.lines = {use.source};
        all.push_back(std::move(advice));
    }
}

// What holds the same in every call of a function, and what follows from it alone.
class Constancy {
public:
    explicit Constancy(const HostFacts &host) : m_host(host)
    {
        for (const HostUse &use : host.data.devices.hostUses) {
            if (use.what == "set") m_changed.insert(use.name);
            const FunctionInput *input = use.what == "unchanged" ? host.inputOf(use) : nullptr;
            if (input) m_unchanged.insert({host.functionOf(use)->graph, input->variable});
        }
        std::set<std::pair<GraphId, VariableId>> updated;
        for (const FunctionInfo &function : host.data.functions)
            for (const FunctionUpdate &update : function.updates) updated.insert({function.graph, update.variable});
        for (const VariableRow &row : host.data.variables)
            if (updated.contains({row.graph, row.variable})) m_changed.insert(keyOf(row));
    }
    [[nodiscard]] bool isConstant(const VariableRow &leaf) const
    {
        if (leaf.kind == VariableKind::Constant) return true;
        if (leaf.kind == VariableKind::Input) return m_unchanged.contains({leaf.graph, leaf.variable});
        const std::string key = keyOf(leaf);
        return leaf.kind == VariableKind::Shared && !key.empty() && leaf.dtype.rfind("float", 0) == 0 && !m_changed.contains(key) &&
               !m_changed.contains(leaf.name.str());
    }

private:
    // The same for one shared variable in all graphs that read it.
    std::string keyOf(const VariableRow &leaf) const
    {
        const SourceLine line = m_host.facts.lineOf(leaf);
        return line.file.empty() ? std::string() : line.file + ":" + std::to_string(line.line) + " " + leaf.name;
    }

    const HostFacts &m_host;
    std::set<std::pair<GraphId, VariableId>> m_unchanged;
    std::set<std::string> m_changed;
};

void sameInEachCall(const HostFacts &host, const Constancy &constancy, std::vector<Advice> &all)
{
    struct Found {
        double share = 0;
        bool anyOther = false; // something else changes
        std::set<std::string> names;
        std::vector<const Node *> nodes;
    };
    std::map<const FunctionInfo *, Found> functions;
    std::map<const Node *, std::set<std::string>> same; // what it depends on; not here: on what changes, too
    std::vector<const Node *> order;                    // of work: what makes comes before what reads
    for (const Node &node : host.facts.nodes()) order.push_back(&node);
    std::ranges::stable_sort(order, {}, [](const Node *node) { return node->row->optimizedIndex; });
    for (const Node *node : order) {
        std::set<std::string> names;
        const bool isSame = std::ranges::all_of(node->inputs, [&](const VariableRow *input) {
            if (const Node *maker = host.facts.makerOf(*input)) {
                const auto found = same.find(maker);
                if (found == same.end()) return false;
                names.insert(found->second.begin(), found->second.end());
                return true;
            }
            if (!constancy.isConstant(*input)) return false;
            if (input->kind != VariableKind::Constant) names.insert(input->name.empty() ? "a shared variable" : input->name.str());
            return true;
        });
        if (isSame && !node->inputs.empty()) same[node] = std::move(names);
    }
    for (const Node &node : host.facts.nodes()) {
        Found &found = functions[node.function];
        const auto one = same.find(&node);
        if (one == same.end()) {
            found.anyOther = true;
            continue;
        }
        if (one->second.empty() || node.ns < node.calls * kLeastOfSameNs) continue; // of constants alone, or next to nothing
        found.share += host.facts.shareOf(node);
        found.names.insert(one->second.begin(), one->second.end());
        found.nodes.push_back(&node);
    }
    for (auto &[function, found] : functions) {
        if (!found.anyOther || found.share < kLeastOfOps || function->run.calls < kFewTimes || found.nodes.empty()) continue;
        std::ranges::stable_sort(found.nodes, std::ranges::greater(), &Node::ns);
        Advice advice;
        advice.id = "repeated-work";
        advice.gain = found.share;
        advice.of = kOpTime;
        const std::string names = listed(found.names);
        advice.text = "Part of " + shortTitle(*function) + " gives the same in every call, because " + names +
                      (found.names.size() == 1 ? " never changes" : " never change") + host.facts.placeOf(*found.nodes.front()) +
                      ": compute it once and keep it in a shared variable";
        advice.evidence = counted(static_cast<std::int64_t>(found.nodes.size()), "op") + " of it read nothing else, " +
                          percent(found.share) + " of the time in ops; most of it is " + host.facts.nameOf(*found.nodes.front());
        for (std::size_t i = 1; i < std::min<std::size_t>(found.nodes.size(), 3); ++i) {
            if (host.facts.shareOf(*found.nodes[i]) < kLeastOfRun) break;
            advice.evidence += ", " + host.facts.nameOf(*found.nodes[i]) + host.facts.placeOf(*found.nodes[i]);
            advice.lines.push_back(host.facts.lineOf(*found.nodes[i]));
        }
        constexpr std::size_t kMostCallers = 3;
        const std::vector<SourceLine> callers = host.facts.callersOf(*found.nodes.front());
        for (std::size_t i = 0; i < std::min(callers.size(), kMostCallers); ++i) {
            advice.evidence += (i == 0 ? "; the first is called from" : " and") + placeText({callers[i]});
            advice.lines.push_back(callers[i]);
        }
        for (const Node *node : found.nodes)
            if (advice.nodes.size() < 20) advice.nodes.push_back(AdviceFacts::keyOf(*node));
        advice.place = host.facts.lineOf(*found.nodes.front());
        advice.lines.insert(advice.lines.begin(), advice.place);
        all.push_back(std::move(advice));
    }
}

// A product with a matrix of zeros that nobody changes.
void sparseAsDense(const HostFacts &host, const Constancy &constancy, std::vector<Advice> &all)
{
    for (const Node &node : host.facts.nodes()) {
        if (!AdviceFacts::is(node, OpRole::Product) || host.facts.shareOf(node) < kLeastOfOps) continue;
        for (const VariableRow *input : node.inputs) {
            const std::string value = input->value;
            const std::size_t at = value.find("% zeros");
            if (at == std::string::npos || !constancy.isConstant(*input)) continue;
            Advice advice;
            advice.id = "sparse-as-dense";
            advice.gain = host.facts.shareOf(node);
            advice.of = kOpTime;
            advice.place = host.facts.lineOf(node);
            const std::string name = input->name.empty() ? "A matrix" : input->name.str();
            advice.text = name + " of this product is almost only zeros" + placeText({advice.place}) +
                          ": keep it as a sparse matrix, theano.sparse.shared, and multiply by theano.sparse.dot";
            advice.evidence =
                name + " is " + value + "; " + host.facts.nameOf(node) + " takes " + percent(advice.gain) + " of the time in ops";
            advice.nodes = {AdviceFacts::keyOf(node)};
            advice.lines = {advice.place, host.facts.lineOf(*input)};
            all.push_back(std::move(advice));
        }
    }
}

// Outputs that the calling line drops, or keeps under a name that nothing reads.
void unusedOutputs(const HostFacts &host, std::vector<Advice> &all)
{
    std::map<const FunctionInfo *, std::vector<const HostUse *>> unused;
    for (const HostUse &use : host.data.devices.hostUses)
        if (const FunctionInfo *function = use.what == "unused" ? host.functionOf(use) : nullptr) unused[function].push_back(&use);
    for (const auto &[function, uses] : unused) {
        const auto graph = std::ranges::find(host.data.graphs, function->graph, &GraphInfo::id);
        if (graph == host.data.graphs.end() || graph->outputs.empty()) continue;
        const std::vector<std::uint32_t> outputs = idsOfJson(graph->outputs);
        std::set<int> updates;
        for (const FunctionUpdate &update : function->updates) updates.insert(update.output);
        std::set<std::uint32_t> kept, dropped; // variables
        int position = 0;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const bool isUpdate = updates.contains(static_cast<int>(i));
            const bool isUnused = !isUpdate && std::ranges::any_of(uses, [&](const HostUse *use) { return use->position == position; });
            position += isUpdate ? 0 : 1;
            (isUnused ? dropped : kept).insert(outputs[i]);
        }
        if (kept.empty() || dropped.empty()) continue; // all of it is dropped: a measurement
        std::unordered_set<const Node *> needed;
        std::vector<const Node *> waiting;
        for (const Node &node : host.facts.nodes())
            if (node.function == function &&
                std::ranges::any_of(node.outputs, [&](const VariableRow *output) { return kept.contains(raw(output->variable)); }))
                waiting.push_back(&node);
        while (!waiting.empty()) {
            const Node *node = waiting.back();
            waiting.pop_back();
            if (!needed.insert(node).second) continue;
            for (const VariableRow *input : node->inputs)
                if (const Node *maker = host.facts.makerOf(*input)) waiting.push_back(maker);
        }
        Advice advice;
        const Node *most = nullptr;
        for (const Node &node : host.facts.nodes()) {
            if (node.function != function || needed.contains(&node)) continue;
            advice.gain += host.facts.shareOf(node);
            if (advice.nodes.size() < 20) advice.nodes.push_back(AdviceFacts::keyOf(node));
            if (!most || node.ns > most->ns) most = &node;
        }
        if (!most || advice.gain < kLeastOfRun) continue;
        advice.id = "unused-output";
        advice.of = kOpTime;
        advice.place = uses.front()->source;
        const std::string which =
            uses.size() == 1 ? "output " + std::to_string(uses.front()->position) : std::to_string(uses.size()) + " outputs";
        advice.text = shortTitle(*function) + " computes " + which + ", which the script never reads" + placeText({advice.place}) +
                      ": leave it out of the function" + placeText({function->location});
        advice.evidence = counted(static_cast<std::int64_t>(advice.nodes.size()), "op") + " work for nothing else, " +
                          percent(advice.gain) + " of the time in ops; most of it is " + host.facts.nameOf(*most) +
                          host.facts.placeOf(*most);
        advice.lines = {advice.place, function->location, host.facts.lineOf(*most)};
        all.push_back(std::move(advice));
    }
}

} // namespace

std::vector<Advice> hostAdvice(const ProfileData &data)
{
    const HostFacts host(data);
    const Constancy constancy(host);
    std::vector<Advice> all;
    updatedInPython(host, all);
    fedBack(host, all);
    convertedEachCall(host, all);
    sameInEachCall(host, constancy, all);
    sparseAsDense(host, constancy, all);
    unusedOutputs(host, all);
    return all;
}

} // namespace profiler
