// Advice from what stands in the optimized graphs.

#include "profiler/stats/advice.h"

#include "profiler/stats/advice_facts.h"

#include <algorithm>
#include <unordered_set>

namespace profiler {

namespace {

constexpr double kLeastShareOfThunks = 0.01; // of the time in thunks; smaller ones are not worth a sentence
constexpr double kLeastStored = 0.05;        // estimated share of writing and reading what lies between two ops

using Node = AdviceFacts::Node;

bool isElementwise(const Node &node) { return AdviceFacts::className(node) == "Elemwise" || AdviceFacts::className(node) == "GpuElemwise"; }

bool makesFloat64OfLess(const Node &node)
{
    const bool makes = std::any_of(node.outputs.begin(), node.outputs.end(), [](const VariableRow *v) { return v->dtype == "float64"; });
    const bool reads = std::any_of(node.inputs.begin(), node.inputs.end(),
                                   [](const VariableRow *v) { return v->dtype == "float64" && v->kind != VariableKind::Constant; });
    return makes && !reads && !node.inputs.empty();
}

// Everything that is computed in float64 because of this apply.
double float64Share(const AdviceFacts &facts, const Node &from)
{
    std::vector<const Node *> waiting{&from};
    std::unordered_set<const Node *> seen{&from};
    double share = 0;
    while (!waiting.empty()) {
        const Node *node = waiting.back();
        waiting.pop_back();
        share += facts.shareOf(*node);
        for (const Node *reader : node->readers)
            if (std::any_of(reader->outputs.begin(), reader->outputs.end(), [](const VariableRow *v) { return v->dtype == "float64"; }) &&
                seen.insert(reader).second)
                waiting.push_back(reader);
    }
    return share;
}

void float64InFloat32(const AdviceFacts &facts, std::vector<Advice> &all)
{
    if (facts.flag("floatX") != "float32") return;
    for (const Node &node : facts.nodes()) {
        if (!makesFloat64OfLess(node)) continue;
        Advice advice;
        advice.id = "float64";
        advice.gain = float64Share(facts, node);
        std::string from;
        for (const VariableRow *input : node.inputs)
            from += (from.empty() ? "" : ", ") + (input->name.empty() ? std::string("a ") : input->name + " ") + input->dtype;
        advice.text = "float64 comes into a float32 program here: cast to float32" + facts.placeOf(node);
        advice.evidence =
            facts.nameOf(node) + " makes float64 of " + from + "; " + percent(advice.gain) + " of the time is spent in it and what follows";
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

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
        if (AdviceFacts::className(node) != "Dot") continue;
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

void hostLanguage(const AdviceFacts &facts, std::vector<Advice> &all)
{
    for (const Node &node : facts.nodes()) {
        if (node.row->implementation != "Py" || facts.shareOf(node) < kLeastShareOfThunks) continue;
        Advice advice;
        advice.id = "python-op";
        advice.gain = facts.shareOf(node);
        advice.text = "An op without compiled code takes much of the time" + facts.placeOf(node) + ": build it of ops that have some";
        advice.evidence = facts.nameOf(node) + " runs in the host language, " + percent(advice.gain) + " of the time";
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

// Nanoseconds that a byte takes through the memory that holds so many: a machine writes and reads large arrays at the
// bandwidth that the session measured, small ones stay in a cache about four times as fast.
double nsPerByte(const ProfileData &data, std::int64_t bytes)
{
    double bandwidth = 10e9;
    for (const Roof &roof : data.roofs)
        if (roof.name == "bandwidth.memory" && roof.value > 0) bandwidth = roof.value;
    constexpr std::int64_t kCached = std::int64_t{1} << 20;
    return 1e9 / (bytes < kCached ? 4 * bandwidth : bandwidth);
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
                          facts.placeOf(*blocker) + "; reading the " + std::to_string(bytes) + " bytes between them again takes about " +
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
    float64InFloat32(facts, all);
    plainDots(data, facts, all);
    hostLanguage(facts, all);
    blockedFusion(data, facts, all);
    for (Advice &one : all) one.of = kOpTime;
    return all;
}

} // namespace profiler
