#include "engine/rewrite/machine/aliasing.h"

#include "engine/runtime/plan/branches.h"
#include "engine/runtime/plan/order.h"
#include "engine/tensor/clock.h"

#include <algorithm>
#include <tuple>

namespace engine {
namespace {

constexpr std::size_t kSearchLimit = 4000;
constexpr std::uint64_t kRoom = std::uint64_t(1) << 32;

} // namespace

Aliasing::Aliasing(const FunctionGraph &graph) : m_graph(graph), m_order(executionOrder(graph))
{
    coverNew();
    m_destroyed.resize(graph.varCount());
    m_mutable.resize(graph.varCount());
    for (std::size_t i = 0; i < m_order.size(); ++i)
        m_places[raw(m_order[i])] = {kRoom * (i + 1), i ? m_order[i - 1] : kNoApply, i + 1 < m_order.size() ? m_order[i + 1] : kNoApply};
    for (VarId id : graph.mutableInputs) m_mutable[raw(id)] = true;
    const Branches branches(graph, m_order);
    for (ApplyId id : m_order)
        branches.eachCondition(id, [&](VarId condition) {
            const ApplyId owner = graph.var(condition).owner;
            if (owner == kNoApply) return;
            m_after.push(owner, id);
            m_before.push(id, owner);
        });
    for (ApplyId id : m_order) {
        const ApplyNode &node = graph.apply(id);
        for (const Alias &alias : node.op->destroyMap()) {
            const VarId root = viewRoot(node.inputs[alias.input].var);
            std::vector<VarId> members;
            collectClass(root, members);
            for (VarId member : members) {
                m_destroyed[raw(member)] = true;
                for (const Client &client : graph.var(member).clients)
                    if (!client.isGraphOutput() && client.apply != id) {
                        m_after.push(client.apply, id);
                        m_before.push(id, client.apply);
                    }
            }
        }
    }
}

VarId Aliasing::viewRoot(VarId var) const
{
    for (;;) {
        const VarNode &node = m_graph.var(var);
        if (node.owner == kNoApply) return var;
        const ApplyNode &owner = m_graph.apply(node.owner);
        VarId next = kNoVar;
        for (const Alias &alias : owner.op->viewMap())
            if (alias.output == node.index) next = owner.inputs[alias.input].var;
        if (next == kNoVar) return var;
        var = next;
    }
}

void Aliasing::collectClass(VarId root, std::vector<VarId> &members) const
{
    members.push_back(root);
    for (std::size_t i = 0; i < members.size(); ++i)
        for (const Client &client : m_graph.var(members[i]).clients) {
            if (client.isGraphOutput()) continue;
            const ApplyNode &reader = m_graph.apply(client.apply);
            for (const Alias &alias : reader.op->viewMap())
                if (alias.input == client.port) members.push_back(reader.outputs[alias.output]);
        }
}

void Aliasing::coverNew()
{
    m_places.resize(m_graph.applyCount());
    m_after.cover(m_graph.applyCount());
    m_before.cover(m_graph.applyCount());
}

bool Aliasing::see(Search &search, ApplyId id, std::uint32_t met)
{
    std::uint32_t &seen = m_seen[raw(id)];
    if (seen == met) return false;
    if (seen == search.mark) return true;
    seen = search.mark;
    search.found.push_back(id);
    return true;
}

bool Aliasing::lookForward(std::uint64_t until)
{
    const ApplyId at = m_forward.found[m_forward.looked++];
    bool isFree = true;
    const auto go = [&](ApplyId next) {
        if (place(next).label <= until) isFree &= see(m_forward, next, m_backward.mark);
    };
    for (VarId out : m_graph.apply(at).outputs)
        for (const Client &client : m_graph.var(out).clients)
            if (!client.isGraphOutput()) go(client.apply);
    m_after.each(at, [&](ApplyId next) {
        if (m_graph.apply(next).live) go(next);
    });
    return isFree;
}

bool Aliasing::lookBackward(std::uint64_t from)
{
    const ApplyId at = m_backward.found[m_backward.looked++];
    bool isFree = true;
    const auto go = [&](ApplyId next) {
        if (place(next).label >= from) isFree &= see(m_backward, next, m_forward.mark);
    };
    for (const Use &use : m_graph.apply(at).inputs)
        if (const ApplyId owner = m_graph.var(use.var).owner; owner != kNoApply) go(owner);
    m_before.each(at, [&](ApplyId next) {
        if (m_graph.apply(next).live) go(next);
    });
    return isFree;
}

/// Keeps an order with `reader` before `destroyer`; false: a cycle, or too far to search. The searches from both ends take
/// turns, so that the shorter of the two decides: what it found moves behind the reader, or before the destroyer.
bool Aliasing::orderBefore(ApplyId reader, ApplyId destroyer)
{
    const std::uint64_t low = place(destroyer).label, high = place(reader).label;
    if (high < low) return true;
    m_seen.resize(m_graph.applyCount());
    m_forward.begin(destroyer, ++m_search);
    m_backward.begin(reader, ++m_search);
    m_seen[raw(destroyer)] = m_forward.mark;
    m_seen[raw(reader)] = m_backward.mark;
    while (!m_forward.isOver() && !m_backward.isOver()) {
        if (m_forward.looked > kSearchLimit) return false;
        if (!lookForward(high) || !lookBackward(low)) return false;
    }
    if (m_forward.isOver()) moveBetween(m_forward.found, reader, place(reader).next);
    else moveBetween(m_backward.found, place(destroyer).previous, destroyer);
    return true;
}

/// `before` and `after` are neighbours; kNoApply: an end of the order.
void Aliasing::moveBetween(std::vector<ApplyId> &moved, ApplyId before, ApplyId after)
{
    std::sort(moved.begin(), moved.end(), [&](ApplyId a, ApplyId b) { return place(a).label < place(b).label; });
    for (ApplyId id : moved) {
        const Place &old = place(id);
        if (old.previous != kNoApply) place(old.previous).next = old.next;
        if (old.next != kNoApply) place(old.next).previous = old.previous;
    }
    const auto labels = [&] {
        return std::pair(before == kNoApply ? 0 : place(before).label,
                         after == kNoApply ? place(before).label + kRoom * (moved.size() + 1) : place(after).label);
    };
    auto [from, to] = labels();
    const auto isTight = [&] { return (to - from) / (moved.size() + 1) == 0; };
    if (isTight()) {
        spread(before == kNoApply ? after : before);
        std::tie(from, to) = labels();
    }
    const std::uint64_t step = (to - from) / (moved.size() + 1);
    for (ApplyId id : moved) {
        place(id) = {from += step, before, after};
        if (before != kNoApply) place(before).next = id;
        before = id;
    }
    if (after != kNoApply) place(after).previous = before;
}
void Aliasing::spread(ApplyId one)
{
    while (place(one).previous != kNoApply) one = place(one).previous;
    for (std::uint64_t label = kRoom; one != kNoApply; one = place(one).next, label += kRoom) place(one).label = label;
}

ApplyId Aliasing::destroyerOf(VarId var) const
{
    for (const Client &client : m_graph.var(var).clients) {
        if (client.isGraphOutput()) continue;
        for (const Alias &alias : m_graph.apply(client.apply).op->destroyMap())
            if (alias.input == client.port) return client.apply;
    }
    return kNoApply;
}

const char *Aliasing::whyNot(ApplyId id, std::size_t port)
{
    const std::uint64_t start = nowNs();
    const char *reason = obstacle(id, port);
    m_ns += nowNs() - start;
    return reason;
}

const char *Aliasing::obstacle(ApplyId id, std::size_t port)
{
    const ApplyNode &node = m_graph.apply(id);
    const VarId input = node.inputs[port].var;
    const VarId root = viewRoot(input);
    const VarNode &base = m_graph.var(root);
    if (m_destroyed.size() < m_graph.varCount()) m_destroyed.resize(m_graph.varCount());
    if (m_mutable.size() < m_graph.varCount()) m_mutable.resize(m_graph.varCount());
    m_because = base.owner;
    if (base.kind == Variable::Kind::Constant) return "a constant is never overwritten";
    if (base.owner == kNoApply && !m_mutable[raw(root)]) return "the argument is an input of the function that must keep its value";
    constexpr const char *kManyReaders = "too many readers to put before it";
    constexpr const char *kReadLater = "a later apply reads the argument";
    // What many read is asked for by many: mostly the same reader is in the way.
    const auto blocker = m_blockers.find(raw(root));
    if (blocker != m_blockers.end() && blocker->second != id && !m_destroyed[raw(root)] && isReader(blocker->second, root) &&
        !orderBefore(blocker->second, id)) {
        m_because = blocker->second;
        return kReadLater;
    }
    if (base.clients.size() > kSearchLimit) return kManyReaders;
    std::vector<VarId> members;
    collectClass(root, members);
    if (members.size() > kSearchLimit) return "too many values share that memory";
    for (VarId member : members) {
        if (m_destroyed[raw(member)]) {
            m_because = destroyerOf(member);
            return "another apply overwrites that memory already";
        }
        for (const Client &client : m_graph.var(member).clients)
            if (client.isGraphOutput()) {
                m_because = m_graph.var(member).owner;
                return "the argument is returned by the function";
            }
    }
    for (std::size_t other = 0; other < node.inputs.size(); ++other)
        if (other != port && std::find(members.begin(), members.end(), node.inputs[other].var) != members.end())
            return "another argument shares that memory";
    // What has this variable's memory through an in-place apply counts as fresh: its readers come after that apply.
    std::size_t uses = 0;
    for (VarId member : members) uses += m_graph.var(member).clients.size();
    if (uses > kSearchLimit) return kManyReaders;
    std::vector<ApplyId> readers;
    for (VarId member : members)
        for (const Client &client : m_graph.var(member).clients)
            if (client.apply != id) readers.push_back(client.apply);
    std::sort(readers.begin(), readers.end());
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    const auto comesEarlier = [&](ApplyId a, ApplyId b) { return place(a).label < place(b).label; };
    if (!readers.empty())
        std::iter_swap(readers.begin(), std::max_element(readers.begin(), readers.end(), comesEarlier)); // the likeliest to be in the way
    // A view of the argument that this apply's own ancestors make is fine: they run before anyway.
    for (std::size_t i = 0; i < readers.size(); ++i) {
        if (!orderBefore(readers[i], id)) {
            for (std::size_t k = 0; k < i; ++k) {
                m_after.popLatest(readers[k]);
                m_before.popLatest(id);
            }
            m_because = m_blockers[raw(root)] = readers[i];
            return kReadLater;
        }
        m_after.push(readers[i], id);
        m_before.push(id, readers[i]);
    }
    for (VarId member : members) m_destroyed[raw(member)] = true;
    return nullptr;
}

bool Aliasing::isReader(ApplyId id, VarId root) const
{
    const ApplyNode &node = m_graph.apply(id);
    return node.live && std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Use &use) { return viewRoot(use.var) == root; });
}

void Aliasing::moved(ApplyId old, ApplyId made)
{
    if (place(made).label == 0) {
        const Place where = place(made) = place(old);
        if (where.previous != kNoApply) place(where.previous).next = made;
        if (where.next != kNoApply) place(where.next).previous = made;
    }
    m_before.share(old, made);
    m_before.each(made, [&](ApplyId reader) {
        m_after.each(reader, [&](ApplyId &next) {
            if (next == old) next = made;
        });
    });
    m_after.share(old, made);
    m_after.each(made, [&](ApplyId next) {
        m_before.each(next, [&](ApplyId &reader) {
            if (reader == old) reader = made;
        });
    });
}

} // namespace engine
