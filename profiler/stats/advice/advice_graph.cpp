// Advice from what stands in the optimized graphs.

#include "engine/liveness/sizes.h"
#include "profiler/stats/advice/advice.h"

#include "profiler/memory/product_copies.h"
#include "profiler/stats/advice/advice_facts.h"
#include "profiler/stats/times/ground.h"
#include "profiler/stats/times/profile_parts.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <set>

namespace profiler {

namespace {

constexpr double kLeastOfPython = 0.1; // of the time in ops; smaller ones are not worth a sentence
constexpr double kLeastOfProduct = 0.02;
constexpr double kLeastByHand = 0.1;  // of what another op does better
constexpr double kLeastStored = 0.05; // estimated share of writing and reading what lies between two ops

using Node = AdviceFacts::Node;

bool isElementwise(const Node &node) { return AdviceFacts::is(node, OpRole::Elementwise); }

// Why a product stayed a plain Dot: what the rewrite said last, else what can be seen.
std::string whyNoBlas(const ProfileData &data, const Node &node)
{
    for (const auto ofGraph = data.declines.of(node.row->graph); const Decline &decline : declinesOf(*ofGraph, node.row->apply))
        if (decline.last && decline.rewrite.find("dot") != std::string::npos) return decline.rewrite + ": " + decline.reason;
    if (node.inputs.size() == 2 && node.inputs[0]->dtype != node.inputs[1]->dtype)
        return "its inputs are " + node.inputs[0]->dtype + " and " + node.inputs[1]->dtype;
    if (node.inputs.size() == 2 && node.inputs[0]->dtype.rfind("float", 0) != 0 && node.inputs[0]->dtype.rfind("complex", 0) != 0)
        return "BLAS knows no " + node.inputs[0]->dtype;
    return "no rewrite took it";
}

void plainDots(const ProfileData &data, const AdviceFacts &facts, std::vector<Advice> &all)
{
    for (const Node &node : facts.nodes()) {
        // Without rewrites no product becomes one: that is advice on the mode.
        if (AdviceFacts::className(node) != "Dot" || facts.shareOf(node) < kLeastOfProduct || isUnoptimized(*node.function)) continue;
        Advice advice;
        advice.id = "no-blas";
        advice.gain = facts.shareOf(node);
        advice.text = "This product runs without BLAS" + facts.placeOf(node) + ": give it float inputs of one dtype";
        advice.evidence =
            facts.nameOf(node) + " stayed a Dot, because " + whyNoBlas(data, node) + "; it takes " + percent(advice.gain) + " of the time";
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

std::vector<std::int64_t> sizesIn(const std::string &shape)
{
    std::vector<std::int64_t> sizes;
    for (std::size_t at = 0; at < shape.size();) {
        if (!std::isdigit(static_cast<unsigned char>(shape[at]))) {
            ++at;
            continue;
        }
        std::size_t used = 0;
        sizes.push_back(std::stoll(shape.substr(at, 18), &used));
        at += used;
    }
    return sizes;
}

// A product of all pairs that is summed over what both have: each factor lacks an axis that the other has.
bool isProductOfPairs(const Node &product)
{
    if (product.inputs.size() != 2) return false;
    const std::vector<std::int64_t> a = sizesIn(product.inputs[0]->shape), b = sizesIn(product.inputs[1]->shape);
    if (a.size() != b.size() || a.size() < 3) return false;
    bool aLacks = false, bLacks = false, isShared = false;
    for (std::size_t axis = 0; axis < a.size(); ++axis) {
        aLacks |= a[axis] == 1 && b[axis] > 1;
        bLacks |= b[axis] == 1 && a[axis] > 1;
        isShared |= a[axis] > 1 && b[axis] > 1;
    }
    return aLacks && bLacks && isShared;
}

void productsByHand(const AdviceFacts &facts, std::vector<Advice> &all)
{
    for (const Node &node : facts.nodes()) {
        if (AdviceFacts::className(node) != "Sum") continue;
        const Node *maker = node.inputs.size() == 1 ? facts.makerOf(*node.inputs[0]) : nullptr;
        const bool isFused = node.row->op.ends_with("{mul}");
        const bool isMade = maker && maker->readers.size() == 1 && maker->row->op.str().starts_with("Elemwise{mul");
        const double share = facts.shareOf(node) + (isFused || !maker ? 0 : facts.shareOf(*maker));
        if ((!isFused && !isMade) || !isProductOfPairs(isFused ? node : *maker) || share < kLeastByHand) continue;
        Advice advice;
        advice.id = "no-blas";
        advice.gain = share;
        advice.text = "This sum of products of all pairs is a matrix product" + facts.placeOf(node) +
                      ": use T.dot or T.tensordot, which BLAS computes";
        const Node &product = isFused ? node : *maker;
        advice.evidence = facts.nameOf(node) + " multiplies arrays of " + product.inputs[0]->shape + " and " + product.inputs[1]->shape +
                          " and sums, " + percent(share) + " of the time in ops";
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

// Rows by a vector of places that are a range: a slice takes them without a copy.
void indexedByRange(const AdviceFacts &facts, std::vector<Advice> &all)
{
    for (const Node &node : facts.nodes()) {
        if (AdviceFacts::className(node) != "AdvancedSubtensor1" || node.inputs.size() != 2 || facts.shareOf(node) < kLeastStored) continue;
        const Node *maker = facts.makerOf(*node.inputs[1]);
        const bool isRange =
            (maker && AdviceFacts::className(*maker) == "ARange") ||
            (node.inputs[1]->kind == VariableKind::Constant && node.inputs[1]->value.find(", in steps of ") != std::string::npos);
        if (!isRange) continue;
        Advice advice;
        advice.id = "index-range";
        advice.gain = facts.shareOf(node);
        advice.text =
            "An index array that is a range copies what a slice would only look at" + facts.placeOf(node) + ": use x[start:stop:step]";
        advice.evidence = facts.nameOf(node) + " takes " + percent(advice.gain) + " of the time in ops";
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

// Of what an apply makes, a small part is read and the rest is thrown away.
void partlyRead(const AdviceFacts &facts, std::vector<Advice> &all)
{
    constexpr std::int64_t kPart = 10; // a tenth of it at most
    static const std::set<OpRole> kMakers{OpRole::Elementwise, OpRole::Product, OpRole::Softmax, OpRole::Sort, OpRole::Reduction};
    for (const Node &node : facts.nodes()) {
        const bool isPart = AdviceFacts::className(node) == "Subtensor" && !node.inputs.empty() && !node.outputs.empty();
        const Node *maker = isPart ? facts.makerOf(*node.inputs[0]) : nullptr;
        if (!maker || maker->readers.size() != 1 || node.inputs[0]->isOutput || !kMakers.contains(roleOf(*maker->row))) continue;
        const std::int64_t made = node.inputs[0]->bytes, read = node.outputs[0]->bytes;
        if (read < 0 || made < kPart * read || facts.shareOf(*maker) < kLeastByHand) continue;
        Advice advice;
        advice.id = "partly-read";
        advice.gain = facts.shareOf(*maker) * (1 - static_cast<double>(read) / static_cast<double>(made));
        advice.text = "Most of what is computed here is never read" + facts.placeOf(*maker) + ": take the part first" +
                      facts.placeOf(node) + ", and compute with that";
        advice.evidence = facts.nameOf(*maker) + " makes " + std::to_string(made) + " bytes, of which " + std::to_string(read) +
                          " are read; it takes " + percent(facts.shareOf(*maker)) + " of the time in ops";
        advice.nodes = {AdviceFacts::keyOf(*maker), AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(*maker);
        advice.lines = {advice.place, facts.lineOf(node)};
        all.push_back(std::move(advice));
    }
}

// Nanoseconds that a byte takes through the memory that holds so many: a machine writes and reads large arrays at the
// bandwidth that the session measured, small ones stay in a cache about four times as fast.
double nsPerByte(const ProfileData &data, std::int64_t bytes)
{
    double bandwidth = 10e9;
    for (const Roof &roof : data.machine.roofs)
        if (roof.name == "bandwidth.memory" && roof.value > 0) bandwidth = roof.value;
    constexpr std::int64_t kCached = std::int64_t{1} << 20;
    return 1e9 / (bytes < kCached ? 4 * bandwidth : bandwidth);
}

// What a scan of a called function runs step by step.
std::deque<Node> nodesInLoops(const ProfileData &data, const AdviceFacts &facts)
{
    std::map<ApplyKey, const Node *> scans;
    for (const Node &node : facts.nodes())
        if (AdviceFacts::is(node, OpRole::Loop)) scans[AdviceFacts::keyOf(node)] = &node;
    std::map<GraphId, const FunctionInfo *> bodies;
    for (const GraphInfo &graph : data.graphs)
        if (const auto scan = scans.find({graph.parentGraph, graph.parentApply}); scan != scans.end() && graph.kind == GraphKind::Scan)
            bodies[graph.id] = scan->second->function;
    std::deque<Node> nodes;
    std::map<ApplyKey, Node *> byKey;
    for (const auto &[graph, function] : bodies)
        for (const auto rows = data.applies.of(graph); const ApplyRow &row : *rows) { // which data keeps
            if (!row.inOptimized) continue;
            Node &node = nodes.emplace_back();
            node.row = &row;
            node.function = function;
            byKey[{graph, row.apply}] = &node;
        }
    for (const ApplyStats &stats : data.stats)
        if (const auto node = byKey.find({stats.graph, stats.apply}); node != byKey.end())
            node->second->ns += stats.totalNs, node->second->calls += stats.calls;
    return nodes;
}

// A copy of an array of which a part is changed: without in-place rewrites there is one in each call.
void copiedToBeChanged(const ProfileData &data, const AdviceFacts &facts, std::vector<Advice> &all)
{
    std::set<GraphId> inplace;
    for (const PassInfo &pass : data.passes)
        if (pass.phase == "inplace") inplace.insert(pass.graph);
    for (const Node &node : facts.nodes()) {
        const bool isPart = AdviceFacts::is(node, OpRole::Write);
        const bool copies = isPart && lowered(node.row->op.str()).find("inplace") == std::string::npos;
        const bool isOff = !inplace.contains(node.row->graph) && !isUnoptimized(*node.function);
        constexpr std::int64_t kLargeCopy = 1 << 16; // bytes: what fits into a cache is copied at once
        const bool isLarge = !node.outputs.empty() && node.outputs[0]->bytes >= kLargeCopy;
        if (!copies || !isOff || !isLarge || facts.shareOf(node) < kLeastByHand) continue;
        Advice advice;
        advice.id = "inplace";
        advice.gain = facts.shareOf(node);
        advice.text = "A whole array is copied to change a part of it" + facts.placeOf(node) + ": leave the in-place rewrites on" +
                      placeText({node.function->location});
        advice.evidence = facts.nameOf(node) + " takes " + percent(advice.gain) + " of the time in ops; " + shortTitle(*node.function) +
                          " was compiled without the phase inplace";
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(node);
        advice.lines = {advice.place, node.function->location};
        all.push_back(std::move(advice));
    }
}

// One piece of advice for an op, wherever it is used.
void hostLanguage(const ProfileData &data, const AdviceFacts &facts, std::vector<Advice> &all)
{
    std::map<std::string, std::vector<const Node *>> ops; // by class
    for (const Node &node : facts.nodes())
        if (node.row->implementation == "Py") ops[node.row->opClass.str()].push_back(&node);
    const std::deque<Node> inLoops = nodesInLoops(data, facts);
    for (const Node &node : inLoops)
        if (node.row->implementation == "Py") ops[node.row->opClass.str()].push_back(&node);
    for (auto &[opClass, nodes] : ops) {
        std::ranges::stable_sort(nodes, std::ranges::greater(), &Node::ns);
        Advice advice;
        advice.id = "python-op";
        std::vector<SourceLine> lines;
        for (const Node *node : nodes) {
            advice.gain += facts.shareOf(*node);
            advice.nodes.push_back(AdviceFacts::keyOf(*node));
            for (const SourceLine &line : facts.linesOf(*node))
                if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
        }
        if (advice.gain < kLeastOfPython) continue;
        if (!lines.empty()) advice.place = lines.front(); // where most of the time is
        std::ranges::sort(lines);
        const std::string name = AdviceFacts::className(*nodes.front());
        advice.text = name + ", an op without compiled code, takes " + percent(advice.gain) + " of the time in ops" + placeText(lines) +
                      ": build it of ops that have some";
        advice.evidence = facts.nameOf(*nodes.front()) + " runs in Python";
        if (nodes.size() > 1) advice.evidence += ", and so do " + std::to_string(nodes.size() - 1) + " more applies of it";
        advice.lines = std::move(lines);
        all.push_back(std::move(advice));
    }
}

// Products of matrices of which neither rows nor columns lie one behind the other are copied before BLAS reads them.
void copiedForBlas(const ProfileData &data, const AdviceFacts &facts, std::vector<Advice> &all)
{
    std::map<ApplyKey, const ApplyRow *> applies;
    std::map<ApplyKey, const Node *> byKey;
    for (const Node &node : facts.nodes()) {
        applies[AdviceFacts::keyOf(node)] = node.row;
        byKey[AdviceFacts::keyOf(node)] = &node;
    }
    const MainPlans plans(data);
    std::vector<BufferRow> buffers;
    for (const FunctionInfo &function : data.functions)
        for (BufferRow &row : plans.buffersOf(function.id)) buffers.push_back(std::move(row));
    for (const auto &[key, bytes] : productCopies(buffers, data.inputs, applies).bytes) {
        const Node &node = *byKey.at(key);
        const double copying = 4 * static_cast<double>(bytes) * nsPerByte(data, bytes) * static_cast<double>(node.calls);
        const double share = std::min(copying / static_cast<double>(std::max<std::int64_t>(facts.totalNs(), 1)), facts.shareOf(node));
        if (share < kLeastOfProduct) continue;
        Advice advice;
        advice.id = "blas-layout";
        advice.gain = share;
        advice.text =
            "BLAS cannot read a matrix of this product as it lies, so each call copies it" + facts.placeOf(node) + ": keep it contiguous";
        advice.evidence = facts.nameOf(node) + " copies " + std::to_string(bytes) + " bytes in each of " + std::to_string(node.calls) +
                          " calls, about " + percent(share) + " of the time";
        advice.nodes = {key};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

// An elementwise result that goes through memory to another elementwise op only because a third one reads it, too. It speaks
// when writing and reading it again is a measurable part of the time.
void blockedFusion(const ProfileData &data, const AdviceFacts &facts, std::vector<Advice> &all)
{
    for (const Node &node : facts.nodes()) {
        if (!isElementwise(node) || node.readers.size() < 2 || node.outputs.empty() || facts.totalNs() <= 0) continue;
        const Node *partner = nullptr;
        const Node *blocker = nullptr;
        for (const Node *reader : node.readers) {
            const bool sameShape =
                isElementwise(*reader) && !reader->outputs.empty() && reader->outputs[0]->shape == node.outputs[0]->shape;
            (sameShape && !partner ? partner : blocker) = reader;
        }
        if (!partner || !blocker) continue;
        // The third reader needs the value written; what fusing saves is reading it back.
        const std::int64_t bytes = std::max<std::int64_t>(node.outputs[0]->bytes, 0);
        const double read = static_cast<double>(bytes) * nsPerByte(data, bytes) * static_cast<double>(node.calls);
        const double share = std::min({read / static_cast<double>(facts.totalNs()), facts.shareOf(*partner)});
        if (share < kLeastStored) continue;
        Advice advice;
        advice.id = "fusion";
        advice.gain = share;
        advice.of = kOpTime;
        advice.text = "Two elementwise ops are not one because a third op reads what is between them" + facts.placeOf(node) +
                      ": compute that value twice, or do without the third";
        advice.evidence = facts.nameOf(node) + " and " + facts.nameOf(*partner) + " are kept apart by " + facts.nameOf(*blocker) +
                          facts.placeOf(*blocker) + "; reading the " + liveness::sizeText(bytes) + " between them again takes about " +
                          percent(share) + " of the time";
        advice.nodes = {AdviceFacts::keyOf(node), AdviceFacts::keyOf(*partner), AdviceFacts::keyOf(*blocker)};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

} // namespace

std::vector<Advice> graphAdvice(const ProfileData &data)
{
    const AdviceFacts facts(data);
    std::vector<Advice> all;
    plainDots(data, facts, all);
    hostLanguage(data, facts, all);
    copiedToBeChanged(data, facts, all);
    copiedForBlas(data, facts, all);
    productsByHand(facts, all);
    indexedByRange(facts, all);
    partlyRead(facts, all);
    blockedFusion(data, facts, all);
    for (Advice &one : all) one.of = kOpTime;
    return all;
}

} // namespace profiler
