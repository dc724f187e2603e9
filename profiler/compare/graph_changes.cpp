#include "profiler/compare/graph_changes.h"

#include "profiler/compare/pairing.h"
#include "profiler/stats/machine/machine_roofs.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace profiler {
namespace {

std::string placeOf(const SourceLine &line) { return line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line); }

// One optimized graph, for questions about what reads what.
struct Reads {
    const ProfileData &data;
    GraphId graph;
    std::map<ApplyId, std::vector<VariableId>> inputs; // by port
    std::map<VariableId, std::set<ApplyId>> readers;
    std::map<VariableId, const VariableRow *> variables;
    std::map<ApplyId, VariableId> overwritten; // by what its output lies in, in place
    std::map<ApplyId, SourceLine> lines;

    Reads(const ProfileData &all, GraphId which) : data(all), graph(which)
    {
        for (const ApplyInput &input : data.inputs) {
            if (input.graph != graph) continue;
            std::vector<VariableId> &ports = inputs[input.apply];
            ports.resize(std::max<std::size_t>(ports.size(), static_cast<std::size_t>(input.port) + 1), kNoVariable);
            ports[static_cast<std::size_t>(input.port)] = input.variable;
            readers[input.variable].insert(input.apply);
        }
        for (const VariableRow &variable : data.variables)
            if (variable.graph == graph) variables[variable.variable] = &variable;
        for (const BufferRow &buffer : data.buffers)
            if (buffer.graph == graph && buffer.kind == BufferKind::Inplace) overwritten.emplace(buffer.apply, buffer.of);
        for (const SourceLink &link : data.sources)
            if (link.graph == graph && link.source.line > 0) lines.emplace(link.apply, link.source);
    }
    [[nodiscard]] SourceLine lineOf(ApplyId apply) const
    {
        const auto found = lines.find(apply);
        return found == lines.end() ? SourceLine{} : found->second;
    }
};

// Why may what A overwrote no longer be overwritten in B?
void sayWhy(GraphChange &change, const Reads &a, const Reads &b, ApplyId applyA, ApplyId applyB, const std::map<ApplyId, ApplyId> &inA)
{
    const auto over = a.overwritten.find(applyA);
    const auto portsA = a.inputs.find(applyA), portsB = b.inputs.find(applyB);
    if (over == a.overwritten.end() || portsA == a.inputs.end() || portsB == b.inputs.end()) return;
    const auto port = std::ranges::find(portsA->second, over->second) - portsA->second.begin();
    if (port >= std::ssize(portsA->second) || port >= std::ssize(portsB->second)) return;
    const VariableId now = portsB->second[static_cast<std::size_t>(port)];
    const auto variable = b.variables.find(now), before = a.variables.find(over->second);
    change.returned =
        variable != b.variables.end() && variable->second->isOutput && (before == a.variables.end() || !before->second->isOutput);
    const auto readers = b.readers.find(now), readersA = a.readers.find(over->second);
    if (readers == b.readers.end()) return;
    for (const ApplyId reader : readers->second) {
        if (reader == applyB) continue;
        const auto pair = inA.find(reader);
        if (pair != inA.end() && readersA != a.readers.end() && readersA->second.contains(pair->second)) continue;
        if (change.reader = b.lineOf(reader); change.reader.line > 0) return;
    }
}

bool saysInPlace(const std::string &op)
{
    if (op.find("no_inplace") != std::string::npos) return false;
    return op.find("inplace") != std::string::npos || (op.find("[(") != std::string::npos && op.back() == ']');
}

void addUp(std::vector<GraphChange> &all, GraphChange change)
{
    for (GraphChange &one : all)
        if (std::tie(one.kind, one.op, one.now, one.before, one.returned) ==
                std::tie(change.kind, change.op, change.now, change.before, change.returned) &&
            one.reader.line == change.reader.line) {
            ++one.count;
            return;
        }
    all.push_back(std::move(change));
}

} // namespace

std::string GraphChange::text() const
{
    const std::string what = (count > 1 ? std::to_string(count) + " " : std::string()) + op;
    const std::string is = count > 1 ? " are " : " is ";
    const std::string at = source.line > 0 ? " (" + placeOf(source) + (count > 1 ? " and others)" : ")") : std::string();
    switch (kind) {
    case ChangeKind::NoLongerInPlace:
        return what + is + "no longer in place" +
               (reader.line > 0 ? ": the reader at " + placeOf(reader) + " is new"
                : returned      ? ": what it overwrote is returned now"
                                : at);
    case ChangeKind::InPlace: return what + is + "in place now" + at;
    case ChangeKind::Device: return what + (count > 1 ? " run on " : " runs on ") + now + " now, not on " + before + at;
    case ChangeKind::Became: return what + is + now + " now" + at;
    case ChangeKind::New: return what + is + "new" + at;
    case ChangeKind::Gone: return what + is + "gone" + at;
    case ChangeKind::Setting:
        return op + " is " + (now.empty() ? "not set" : now) + " now, it was " + (before.empty() ? "not set" : before);
    case ChangeKind::Script: return "the script changed: " + now;
    }
    return {};
}

std::vector<GraphChange> graphChanges(const ProfileData &a, GraphId graphA, const ProfileData &b, GraphId graphB)
{
    const Reads readsA(a, graphA), readsB(b, graphB);
    const std::vector<ApplyPair> pairs = pairApplies(a, graphA, b, graphB);
    std::map<ApplyId, ApplyId> inA; // of an apply of B
    for (const ApplyPair &pair : pairs)
        if (pair.a >= 0 && pair.b >= 0)
            inA[b.applies[static_cast<std::size_t>(pair.b)].apply] = a.applies[static_cast<std::size_t>(pair.a)].apply;
    std::vector<GraphChange> changes;
    for (const ApplyPair &pair : pairs) {
        const ApplyRow *was = pair.a >= 0 ? &a.applies[static_cast<std::size_t>(pair.a)] : nullptr;
        const ApplyRow *is = pair.b >= 0 ? &b.applies[static_cast<std::size_t>(pair.b)] : nullptr;
        GraphChange change;
        change.source = is ? readsB.lineOf(is->apply) : readsA.lineOf(was->apply);
        change.op = opWithoutPlace((is ? is : was)->op);
        if (!was || !is) {
            change.kind = is ? ChangeKind::New : ChangeKind::Gone;
            addUp(changes, change);
            continue;
        }
        if (opWithoutPlace(was->op) != change.op) {
            change.kind = ChangeKind::Became;
            change.now = change.op;
            change.op = opWithoutPlace(was->op);
            addUp(changes, change);
            continue;
        }
        if (deviceOf(*was) != deviceOf(*is)) {
            GraphChange moved = change;
            moved.kind = ChangeKind::Device;
            moved.now = deviceOf(*is);
            moved.before = deviceOf(*was);
            addUp(changes, moved);
        }
        const bool before = saysInPlace(was->op), now = saysInPlace(is->op);
        if (before == now) continue;
        change.kind = now ? ChangeKind::InPlace : ChangeKind::NoLongerInPlace;
        if (!now) sayWhy(change, readsA, readsB, was->apply, is->apply, inA);
        addUp(changes, change);
    }
    std::ranges::stable_sort(changes, {}, &GraphChange::kind);
    return changes;
}

} // namespace profiler
