#include "profiler/compare/pairing.h"

#include "profiler/stats/times/ground.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace profiler {

namespace {

constexpr double kLeastOverlap = 0.3;

// An apply of an optimized graph, with the original applies it stems from named so that both sessions agree.
struct Node {
    int index = 0; // in ProfileData::applies
    const ApplyRow *row = nullptr;
    std::set<std::string> origins;
    bool paired = false;

    [[nodiscard]] std::string originText() const
    {
        std::string text;
        for (const std::string &origin : origins) text += origin + "\n";
        return text;
    }
};

std::vector<Node> nodesOf(const ProfileData &data, GraphId graph)
{
    std::vector<const ApplyRow *> originals;
    std::vector<Node> nodes;
    auto index = static_cast<int>(data.applies.firstOf(graph));
    for (const auto ofGraph = data.applies.of(graph); const ApplyRow &row : *ofGraph) {
        if (row.inOriginal) originals.push_back(&row);
        if (row.inOptimized) nodes.push_back({index, &row, {}, false});
        ++index;
    }
    std::sort(originals.begin(), originals.end(), [](const ApplyRow *a, const ApplyRow *b) { return a->originalIndex < b->originalIndex; });
    std::map<ApplyId, std::string> names; // "exp #2": the second exp of the original graph
    std::map<std::string, int> counts;
    for (const ApplyRow *row : originals) names[row->apply] = row->op + " #" + std::to_string(++counts[row->op]);
    std::map<ApplyId, Node *> byId;
    for (Node &node : nodes) {
        byId[node.row->apply] = &node;
        if (const auto own = names.find(node.row->apply); own != names.end()) node.origins.insert(own->second);
    }
    for (const auto ofGraph = data.origins.of(graph); const OriginRow &origin : *ofGraph) {
        if (origin.originGraph != graph) continue;
        const auto node = byId.find(origin.apply);
        const auto name = names.find(origin.originApply);
        if (node != byId.end() && name != names.end()) node->second->origins.insert(name->second);
    }
    std::sort(nodes.begin(), nodes.end(), [](const Node &a, const Node &b) { return a.row->optimizedIndex < b.row->optimizedIndex; });
    return nodes;
}

// The k-th of each key with the k-th.
template <class Key>
void pairByKey(std::vector<Node> &a, std::vector<Node> &b, std::vector<ApplyPair> &pairs, Key key)
{
    std::map<std::string, std::vector<Node *>> waiting;
    for (Node &node : b)
        if (!node.paired)
            if (const std::string text = key(node); !text.empty()) waiting[text].push_back(&node);
    std::map<std::string, std::size_t> next;
    for (Node &node : a) {
        if (node.paired) continue;
        const auto found = waiting.find(key(node));
        if (found == waiting.end() || next[found->first] >= found->second.size()) continue;
        Node &other = *found->second[next[found->first]++];
        node.paired = other.paired = true;
        pairs.push_back({node.index, other.index});
    }
}

double overlapOf(const Node &a, const Node &b)
{
    std::size_t common = 0;
    for (const std::string &origin : a.origins) common += b.origins.count(origin);
    const std::size_t all = a.origins.size() + b.origins.size() - common;
    return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

void pairByOverlap(std::vector<Node> &a, std::vector<Node> &b, std::vector<ApplyPair> &pairs)
{
    struct Candidate {
        double overlap;
        Node *a;
        Node *b;
    };
    std::map<std::string, std::vector<Node *>> byOrigin; // in the order of b
    for (Node &right : b)
        if (!right.paired)
            for (const std::string &origin : right.origins) byOrigin[origin].push_back(&right);
    std::vector<Candidate> candidates;
    for (Node &left : a) {
        if (left.paired) continue;
        std::set<Node *> others; // nodes of one array: by their place there
        for (const std::string &origin : left.origins)
            if (const auto found = byOrigin.find(origin); found != byOrigin.end())
                others.insert(found->second.begin(), found->second.end());
        for (Node *right : others)
            if (const double overlap = overlapOf(left, *right); overlap >= kLeastOverlap) candidates.push_back({overlap, &left, right});
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate &x, const Candidate &y) { return x.overlap > y.overlap; });
    for (const Candidate &one : candidates) {
        if (one.a->paired || one.b->paired) continue;
        one.a->paired = one.b->paired = true;
        pairs.push_back({one.a->index, one.b->index});
    }
}

} // namespace

std::string opWithoutPlace(std::string op)
{
    if (op.rfind("Gpu", 0) == 0) op.erase(0, 3);
    if (const std::size_t at = op.rfind("[("); at != std::string::npos && op.back() == ']') op.erase(at);
    for (const char *word : {",no_inplace", "{no_inplace}", "no_inplace,", "{inplace}", ",inplace", "inplace,"})
        for (std::size_t at = op.find(word); at != std::string::npos; at = op.find(word)) op.erase(at, std::string(word).size());
    return op;
}

// By what people call them: a script that was run in another folder has the same functions.
std::vector<FunctionPair> pairFunctions(const ProfileData &a, const ProfileData &b)
{
    std::vector<FunctionPair> pairs;
    std::map<std::string, std::vector<int>> waiting;
    for (std::size_t i = 0; i < b.functions.size(); ++i) waiting[shortTitle(b.functions[i])].push_back(static_cast<int>(i));
    std::map<std::string, std::size_t> next;
    std::set<int> taken;
    for (std::size_t i = 0; i < a.functions.size(); ++i) {
        FunctionPair pair{static_cast<int>(i), -1};
        const auto found = waiting.find(shortTitle(a.functions[i]));
        if (found != waiting.end() && next[found->first] < found->second.size()) pair.b = found->second[next[found->first]++];
        if (pair.b >= 0) taken.insert(pair.b);
        pairs.push_back(pair);
    }
    for (std::size_t i = 0; i < b.functions.size(); ++i)
        if (!taken.contains(static_cast<int>(i))) pairs.push_back({-1, static_cast<int>(i)});
    return pairs;
}

std::vector<ApplyPair> pairApplies(const ProfileData &a, GraphId graphA, const ProfileData &b, GraphId graphB)
{
    std::vector<Node> left = nodesOf(a, graphA);
    std::vector<Node> right = nodesOf(b, graphB);
    std::vector<ApplyPair> pairs;
    pairByKey(left, right, pairs, [](const Node &node) { return node.row->op + "\n" + node.originText(); });
    pairByKey(left, right, pairs, [](const Node &node) {
        return node.origins.empty() ? std::string() : opWithoutPlace(node.row->op) + "\n" + node.originText();
    });
    pairByKey(left, right, pairs, [](const Node &node) { return node.row->label; });
    pairByOverlap(left, right, pairs);
    std::sort(pairs.begin(), pairs.end(), [&](const ApplyPair &x, const ApplyPair &y) {
        return a.applies[static_cast<std::size_t>(x.a)].optimizedIndex < a.applies[static_cast<std::size_t>(y.a)].optimizedIndex;
    });
    for (const Node &node : left)
        if (!node.paired) pairs.push_back({node.index, -1});
    for (const Node &node : right)
        if (!node.paired) pairs.push_back({-1, node.index});
    return pairs;
}

} // namespace profiler
