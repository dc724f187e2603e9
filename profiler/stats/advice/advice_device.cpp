// Advice that only work on a device calls for.

#include "engine/liveness/sizes.h"
#include "profiler/stats/advice/advice.h"

#include "profiler/stats/advice/advice_facts.h"
#include "profiler/stats/machine/machine_roofs.h"
#include "profiler/stats/times/ground.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace profiler {

namespace {

constexpr double kLeastShareOfOps = 0.05;      // of the time in ops; smaller ones are not worth a sentence
constexpr double kLeastOfResults = 0.1;        // results mostly have to come down, so this one speaks only where much is at stake
constexpr std::int64_t kManyBytes = 64 * 1024; // of one call
constexpr double kSlowDoubles = 8;             // times the arithmetic in float32: cards for graphics have 32 or 64, others 2

using Node = AdviceFacts::Node;

bool isTransfer(const Node &node) { return AdviceFacts::is(node, OpRole::Transfer); }
bool isOnHost(const Node &node) { return !isTransfer(node) && deviceOf(*node.row) == "cpu"; }
bool isSent(const Node &node) { return AdviceFacts::className(node) == "GpuFromHost"; }
bool isFetched(const Node &node) { return AdviceFacts::className(node) == "HostFromGpu"; }

// What the pieces of advice ask of the devices of a session.
class DeviceFacts {
public:
    explicit DeviceFacts(const ProfileData &data) : m_data(data), m_facts(data), m_roofs(roofsByDevice(data.machine.roofs))
    {
        std::int64_t there = 0;
        for (const AdviceFacts::Node &node : m_facts.nodes()) there += node.deviceNs;
        m_totalNs = static_cast<double>(std::max(m_facts.totalNs(), there));
        for (const Transfer &transfer : data.devices.transfers) {
            auto &[bytes, ns] = m_moved[{transfer.graph, transfer.apply}];
            bytes += transfer.bytes;
            ns += transfer.totalNs;
        }
    }
    const AdviceFacts &graph() const { return m_facts; }
    const ProfileData &data() const { return m_data; }
    // Its times say nothing, so nothing is a share of them.
    bool isSimulated(const std::string &device) const
    {
        const std::string &names = m_data.info.simulated;
        return !names.empty() && (", " + names + ", ").find(", " + device + ", ") != std::string::npos;
    }
    bool isSimulated() const { return !m_data.info.simulated.empty(); }
    MachineRoofs roofs(const std::string &device) const
    {
        const auto found = m_roofs.find(device);
        return found == m_roofs.end() ? MachineRoofs{} : found->second;
    }
    std::int64_t bytes(const Node &node) const
    {
        const auto found = m_moved.find(AdviceFacts::keyOf(node));
        return found == m_moved.end() ? 0 : found->second.first;
    }
    // What the copy takes, of the host or of the device.
    double shareOf(const Node &node) const
    {
        const auto found = m_moved.find(AdviceFacts::keyOf(node));
        const std::int64_t copied = found == m_moved.end() ? 0 : found->second.second;
        // The host's time has waiting in it for all that was given before: that is not the copy's.
        return share(static_cast<double>(copied > 0 ? copied : node.ns));
    }
    // Of the time in ops: the host's, or the device's where nothing waits for that.
    double share(double ns) const { return m_totalNs > 0 ? std::min(1.0, ns / m_totalNs) : 0; }
    bool isWorthIt(const Node &node) const
    {
        if (!isSimulated()) return shareOf(node) >= kLeastShareOfOps;
        return bytes(node) >= kManyBytes * std::max<std::int64_t>(node.calls, 1);
    }
    std::string moved(const Node &node) const
    {
        const std::string text = liveness::sizeText(bytes(node)) + " moved in " + std::to_string(node.calls) + " calls";
        return isSimulated() ? text : text + ", " + percent(shareOf(node)) + " of the time";
    }
    // The sentence of the last rewrite that would have taken it to the device, or nothing.
    std::string whyOnHost(const Node &node) const
    {
        constexpr const char *kStays = "it stays on the CPU because ";
        const auto ofGraph = m_data.declines.of(node.row->graph);
        for (const Decline &decline : declinesOf(*ofGraph, node.row->apply))
            if (decline.reason.starts_with(kStays)) return decline.reason;
        return {};
    }

private:
    const ProfileData &m_data;
    AdviceFacts m_facts;
    double m_totalNs = 0;
    std::map<std::string, MachineRoofs> m_roofs;
    std::unordered_map<ApplyKey, std::pair<std::int64_t, std::int64_t>, ApplyKeyHash> m_moved; // bytes, nanoseconds
};

// An input that is sent with every call although it may never change.
void sentAgain(const DeviceFacts &facts, std::vector<Advice> &all)
{
    for (const Node &node : facts.graph().nodes()) {
        if (!isSent(node) || node.inputs.empty() || !facts.isWorthIt(node)) continue;
        const VariableRow &from = *node.inputs[0];
        if (from.kind != VariableKind::Input && from.kind != VariableKind::Shared) continue;
        Advice advice;
        advice.id = "transfer";
        advice.gain = facts.isSimulated() ? 0 : facts.shareOf(node);
        advice.nodes = {AdviceFacts::keyOf(node)};
        advice.place = facts.graph().lineOf(node);
        advice.text = from.kind == VariableKind::Input
                          ? "Make " + from.name + " a shared variable: it is sent to the device with every call"
                          : "Let " + from.name + " lie on the device: it is a shared variable of the host, sent with every call";
        advice.evidence = facts.graph().nameOf(node) + ": " + facts.moved(node);
        all.push_back(std::move(advice));
    }
}

// All that the host does between what it fetches and what it sends again.
void onHostBetween(const DeviceFacts &facts, std::vector<Advice> &all)
{
    const AdviceFacts &graph = facts.graph();
    const auto fetched = [&](const Node &node) {
        std::vector<const Node *> makers;
        for (const VariableRow *input : node.inputs)
            if (const Node *maker = graph.makerOf(*input); maker && isFetched(*maker)) makers.push_back(maker);
        return makers;
    };
    for (const Node &node : graph.nodes()) {
        if (!isOnHost(node)) continue;
        const std::vector<const Node *> down = fetched(node);
        if (down.empty()) continue;
        std::vector<const Node *> chain{&node}, up;
        for (std::size_t i = 0; i < chain.size(); ++i)
            for (const Node *reader : chain[i]->readers) {
                std::vector<const Node *> &list = isSent(*reader) ? up : chain;
                if ((isSent(*reader) || isOnHost(*reader)) && std::find(list.begin(), list.end(), reader) == list.end())
                    list.push_back(reader);
            }
        if (up.empty()) continue;
        double share = facts.share(static_cast<double>(node.ns));
        bool isWorthIt = share >= kLeastShareOfOps && !facts.isSimulated();
        for (const std::vector<const Node *> &ends : {down, up})
            for (const Node *copy : ends) {
                share += facts.shareOf(*copy);
                isWorthIt |= facts.isWorthIt(*copy);
            }
        if (!isWorthIt) continue;
        Advice advice;
        advice.id = "host-between";
        advice.gain = facts.isSimulated() ? 0 : std::min(share, 1.0);
        advice.nodes = {AdviceFacts::keyOf(node)};
        for (const std::vector<const Node *> &ends : {down, up})
            for (const Node *copy : ends) advice.nodes.push_back(AdviceFacts::keyOf(*copy));
        advice.place = graph.lineOf(node);
        advice.text = "An op takes data to the host and back" + graph.placeOf(node) + ": use one that devices have";
        const std::string why = facts.whyOnHost(node);
        advice.evidence = graph.nameOf(node) + " stands between two transfers: " + facts.moved(*down[0]) + " down, " + facts.moved(*up[0]) +
                          " up" + (why.empty() ? "" : "; " + why);
        all.push_back(std::move(advice));
    }
}

// Each fetch waits for the device. What can be won is that the host goes on meanwhile: no more than the device's idle time.
void resultsFetched(const DeviceFacts &facts, std::vector<Advice> &all)
{
    if (facts.isSimulated()) return;
    struct Sums {
        std::int64_t ns = 0, deviceNs = 0, fetchNs = 0;
        std::vector<const Node *> fetches;
    };
    std::map<const FunctionInfo *, Sums> functions;
    for (const Node &node : facts.graph().nodes()) {
        Sums &sums = functions[node.function];
        sums.ns += node.ns;
        sums.deviceNs += isTransfer(node) ? 0 : node.deviceNs;
        if (!isFetched(node) || !node.readers.empty() || node.calls < kManyCalls) continue;
        sums.fetchNs += node.ns;
        sums.fetches.push_back(&node);
    }
    for (const auto &[function, sums] : functions) {
        if (sums.fetches.empty() || sums.ns == 0) continue;
        const std::int64_t idle = std::max<std::int64_t>(0, sums.ns - sums.deviceNs);
        const double share = facts.share(static_cast<double>(std::min(sums.fetchNs, idle)));
        if (share < kLeastOfResults) continue;
        Advice advice;
        advice.id = "fetched-results";
        advice.gain = share;
        advice.text = "Results of " + shortTitle(*function) +
                      " are fetched with every call, and each fetch waits for the device: leave them there, gpu_from_host(…) or "
                      "Out(…, borrow=True), and fetch those that are looked at";
        std::int64_t bytes = 0;
        for (const Node *one : sums.fetches) {
            bytes += facts.bytes(*one);
            advice.nodes.push_back(AdviceFacts::keyOf(*one));
        }
        advice.evidence = liveness::sizeText(bytes) + " fetched in " + std::to_string(sums.fetches[0]->calls) +
                          " calls; the device works " +
                          percent(std::min(1.0, static_cast<double>(sums.deviceNs) / static_cast<double>(sums.ns))) + " of the time";
        advice.place = function->location;
        all.push_back(std::move(advice));
    }
}

// Kernels that are over before the next can be given.
void launchBound(const DeviceFacts &facts, std::vector<Advice> &all)
{
    std::int64_t launches = 0, small = 0;
    double lost = 0, least = 0;
    Advice advice;
    for (const DeviceKernel &kernel : facts.data().devices.kernels) {
        const double launch = facts.roofs(kernel.device).launchNs;
        if (launch <= 0 || facts.isSimulated(kernel.device) || kernel.launches == 0) continue;
        launches += kernel.launches;
        const double each = static_cast<double>(kernel.totalNs) / static_cast<double>(kernel.launches);
        if (each >= launch) continue;
        small += kernel.launches;
        lost += (launch - each) * static_cast<double>(kernel.launches);
        least = std::max(least, launch);
        if (kernel.apply != kNoApply && advice.nodes.size() < 20) advice.nodes.push_back({kernel.graph, kernel.apply});
    }
    if (small < kManyCalls || small * 2 <= launches) return;
    advice.id = "launch-bound";
    advice.gain = facts.share(lost);
    advice.text = "Most kernels are over before the next can be launched: give the device larger arrays, or let it fuse more";
    advice.evidence = format("%lld of %lld launches ran less than the %.1f us that giving one takes there", static_cast<long long>(small),
                             static_cast<long long>(launches), least / 1000);
    all.push_back(std::move(advice));
}

// Arithmetic in float64 on a card that is made for float32.
void slowDoubles(const DeviceFacts &facts, std::vector<Advice> &all)
{
    struct Work {
        std::int64_t ns = 0;
        std::vector<const Node *> nodes;
    };
    std::map<std::string, Work> devices;
    for (const Node &node : facts.graph().nodes()) {
        if (isOnHost(node) || isTransfer(node) || node.deviceNs == 0) continue;
        const bool isDouble =
            std::any_of(node.outputs.begin(), node.outputs.end(), [](const VariableRow *v) { return v->dtype == "float64"; });
        if (!isDouble) continue;
        Work &work = devices[node.row->device.str()];
        work.ns += node.deviceNs;
        work.nodes.push_back(&node);
    }
    for (auto &[device, work] : devices) {
        const double single = facts.roofs(device).flops32, twice = facts.roofs(device).flops64;
        if (facts.isSimulated(device) || twice <= 0 || single < kSlowDoubles * twice) continue;
        const double share = facts.share(static_cast<double>(work.ns));
        if (share < kLeastShareOfOps) continue;
        std::sort(work.nodes.begin(), work.nodes.end(), [](const Node *a, const Node *b) { return a->deviceNs > b->deviceNs; });
        Advice advice;
        advice.id = "slow-float64";
        advice.gain = share * (1 - twice / single);
        const bool isAsked = facts.graph().flag("floatX") == "float64";
        if (isAsked && facts.graph().followsFloatX()) advice.setting = "floatX=float32";
        advice.text =
            device + " computes in float64 much more slowly than in float32: " +
            (isAsked ? "try floatX=float32, with arrays of that dtype" : "cast to float32" + facts.graph().placeOf(*work.nodes[0]));
        advice.evidence = format("%.1f against %.1f GFLOP/s, as measured there; %zu applies in float64 take %s of the time, most of it ",
                                 twice / 1e9, single / 1e9, work.nodes.size(), percent(share).c_str()) +
                          facts.graph().nameOf(*work.nodes[0]);
        for (const Node *node : work.nodes)
            if (advice.nodes.size() < 20) advice.nodes.push_back(AdviceFacts::keyOf(*node));
        advice.place = facts.graph().lineOf(*work.nodes[0]);
        all.push_back(std::move(advice));
    }
}

} // namespace

std::vector<Advice> deviceAdvice(const ProfileData &data)
{
    const DeviceFacts facts(data);
    std::vector<Advice> all;
    sentAgain(facts, all);
    onHostBetween(facts, all);
    resultsFetched(facts, all);
    launchBound(facts, all);
    slowDoubles(facts, all);
    for (Advice &one : all) one.of = kOpTime;
    return all;
}

} // namespace profiler
