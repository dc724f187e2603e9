// Advice from what stands in the optimized graphs.

#include "profiler/stats/advice.h"

#include "profiler/stats/advice_facts.h"

#include <algorithm>
#include <cstdio>

namespace profiler {

namespace {

constexpr double kLeastShare = 0.01; // of the time in thunks; smaller ones are not worth a sentence

using Node = AdviceFacts::Node;

std::string percent(double share) {
    char text[16];
    std::snprintf(text, sizeof text, "%.1f%%", 100 * share);
    return text;
}

bool isElementwise(const Node &node) { return AdviceFacts::className(node) == "Elemwise" || AdviceFacts::className(node) == "GpuElemwise"; }

bool makesFloat64OfLess(const Node &node) {
    const bool makes = std::any_of(node.outputs.begin(), node.outputs.end(), [](const VariableRow *v) { return v->dtype == "float64"; });
    const bool reads = std::any_of(node.inputs.begin(), node.inputs.end(), [](const VariableRow *v) {
        return v->dtype == "float64" && v->kind != VariableKind::Constant;
    });
    return makes && !reads && !node.inputs.empty();
}

// Everything that is computed in float64 because of this apply.
double float64Share(const AdviceFacts &facts, const Node &from) {
    std::vector<const Node *> waiting{&from};
    std::vector<const Node *> seen{&from};
    double share = 0;
    while (!waiting.empty()) {
        const Node *node = waiting.back();
        waiting.pop_back();
        share += facts.shareOf(*node);
        for (const Node *reader : node->readers)
            if (std::find(seen.begin(), seen.end(), reader) == seen.end() &&
                std::any_of(reader->outputs.begin(), reader->outputs.end(), [](const VariableRow *v) { return v->dtype == "float64"; })) {
                seen.push_back(reader);
                waiting.push_back(reader);
            }
    }
    return share;
}

void float64InFloat32(const AdviceFacts &facts, std::vector<Advice> &all) {
    if (facts.flag("floatX") != "float32")
        return;
    for (const Node &node : facts.nodes()) {
        if (!makesFloat64OfLess(node))
            continue;
        Advice advice;
        advice.id = "float64";
        advice.gain = float64Share(facts, node);
        std::string from;
        for (const VariableRow *input : node.inputs)
            from += (from.empty() ? "" : ", ") + (input->name.empty() ? std::string("a ") : input->name + " ") + input->dtype;
        advice.text = "float64 comes into a float32 program here: cast to float32" + facts.placeOf(node);
        advice.evidence = node.row->label + " makes float64 of " + from + "; " + percent(advice.gain) + " of the time is spent in it and what follows";
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

// Why a product stayed a plain Dot: what the rewrite said last, else what can be seen.
std::string whyNoBlas(const ProfileData &data, const Node &node) {
    for (const Decline &decline : data.declines)
        if (decline.graph == node.row->graph && decline.apply == node.row->apply && decline.rewrite.find("dot") != std::string::npos)
            return decline.rewrite + ": " + decline.reason;
    if (node.inputs.size() == 2 && node.inputs[0]->dtype != node.inputs[1]->dtype)
        return "its inputs are " + node.inputs[0]->dtype + " and " + node.inputs[1]->dtype;
    if (node.inputs.size() == 2 && node.inputs[0]->dtype.rfind("float", 0) != 0 && node.inputs[0]->dtype.rfind("complex", 0) != 0)
        return "BLAS knows no " + node.inputs[0]->dtype;
    return "no rewrite took it";
}

void plainDots(const ProfileData &data, const AdviceFacts &facts, std::vector<Advice> &all) {
    for (const Node &node : facts.nodes()) {
        if (AdviceFacts::className(node) != "Dot")
            continue;
        Advice advice;
        advice.id = "no-blas";
        advice.gain = facts.shareOf(node);
        advice.text = "This product runs without BLAS" + facts.placeOf(node) + ": give it float inputs of one dtype";
        advice.evidence = node.row->label + " stayed a Dot, because " + whyNoBlas(data, node) + "; it takes " + percent(advice.gain) + " of the time";
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

void hostLanguage(const AdviceFacts &facts, std::vector<Advice> &all) {
    for (const Node &node : facts.nodes()) {
        if (node.row->implementation != "Py" || facts.shareOf(node) < kLeastShare)
            continue;
        Advice advice;
        advice.id = "python-op";
        advice.gain = facts.shareOf(node);
        advice.text = "An op without compiled code takes much of the time" + facts.placeOf(node) + ": build it of ops that have some";
        advice.evidence = node.row->label + " runs in the host language, " + percent(advice.gain) + " of the time";
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

// An elementwise result that goes through memory to another elementwise op only because a third one reads it, too.
void blockedFusion(const AdviceFacts &facts, std::vector<Advice> &all) {
    for (const Node &node : facts.nodes()) {
        if (!isElementwise(node) || node.readers.size() < 2 || facts.shareOf(node) < kLeastShare)
            continue;
        const Node *partner = nullptr;
        const Node *blocker = nullptr;
        for (const Node *reader : node.readers) {
            const bool sameShape = isElementwise(*reader) && !reader->outputs.empty() && !node.outputs.empty() &&
                                   reader->outputs[0]->shape == node.outputs[0]->shape;
            (sameShape && !partner ? partner : blocker) = reader;
        }
        if (!partner || !blocker)
            continue;
        Advice advice;
        advice.id = "fusion";
        advice.gain = std::min(facts.shareOf(node), facts.shareOf(*partner));
        advice.text = "Two elementwise ops are not one because a third op reads what is between them" + facts.placeOf(node) +
                      ": compute that value twice, or do without the third";
        advice.evidence = node.row->label + " and " + partner->row->label + " are kept apart by " + blocker->row->label + facts.placeOf(*blocker);
        advice.nodes = {AdviceFacts::keyOf(node), AdviceFacts::keyOf(*partner), AdviceFacts::keyOf(*blocker)};
        advice.place = facts.lineOf(node);
        all.push_back(std::move(advice));
    }
}

// To the host and back, or an input that is sent on every call although it never changes hands.
void transfers(const ProfileData &data, const AdviceFacts &facts, std::vector<Advice> &all) {
    for (const Node &node : facts.nodes()) {
        const std::string kind = AdviceFacts::className(node);
        if (kind != "GpuFromHost" && kind != "HostFromGpu")
            continue;
        std::int64_t bytes = 0;
        for (const Transfer &transfer : data.transfers)
            if (transfer.graph == node.row->graph && transfer.apply == node.row->apply)
                bytes += transfer.bytes;
        const Node *maker = node.inputs.empty() ? nullptr : facts.makerOf(*node.inputs[0]);
        Advice advice;
        advice.id = "transfer";
        advice.gain = facts.shareOf(node);
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.lineOf(node);
        const std::string moved = std::to_string(bytes) + " bytes moved in " + std::to_string(node.calls) + " calls, " + percent(advice.gain) + " of the time";
        if (kind == "GpuFromHost" && !node.inputs.empty() && node.inputs[0]->kind == VariableKind::Input) {
            advice.text = "Make " + node.inputs[0]->name + " a shared variable: it is sent to the device with every call";
            advice.evidence = node.row->label + ": " + moved;
        } else if (maker && kind == "GpuFromHost" && AdviceFacts::className(*maker) != "HostFromGpu" && !maker->inputs.empty()) {
            const bool cameFromDevice = std::any_of(maker->inputs.begin(), maker->inputs.end(), [&](const VariableRow *input) {
                const Node *before = facts.makerOf(*input);
                return before && AdviceFacts::className(*before) == "HostFromGpu";
            });
            if (!cameFromDevice)
                continue;
            advice.text = "An op that has no device code takes data to the host and back" + facts.placeOf(*maker);
            advice.evidence = maker->row->label + " stands between two transfers: " + moved;
            advice.nodes.push_back(AdviceFacts::keyOf(*maker));
        } else {
            continue;
        }
        all.push_back(std::move(advice));
    }
}

} // namespace

std::vector<Advice> graphAdvice(const ProfileData &data) {
    const AdviceFacts facts(data);
    std::vector<Advice> all;
    float64InFloat32(facts, all);
    plainDots(data, facts, all);
    hostLanguage(facts, all);
    blockedFusion(facts, all);
    transfers(data, facts, all);
    return all;
}

} // namespace profiler
