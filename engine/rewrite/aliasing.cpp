#include "engine/rewrite/aliasing.h"

#include "engine/runtime/order.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::size_t kSearchLimit = 4000;

} // namespace

Aliasing::Aliasing(const FunctionGraph &graph) : m_graph(graph), m_order(executionOrder(graph))
{
    m_rank.resize(graph.applyCount());
    m_after.cover(graph.applyCount());
    m_before.cover(graph.applyCount());
    m_destroyed.resize(graph.varCount());
    m_mutable.resize(graph.varCount());
    for (std::size_t i = 0; i < m_order.size(); ++i) m_rank[raw(m_order[i])] = static_cast<std::uint32_t>(i);
    for (VarId id : graph.mutableInputs) m_mutable[raw(id)] = true;
    for (ApplyId id : m_order) {
        const ApplyNode &node = graph.apply(id);
        for (const Alias &alias : node.op->destroyMap()) {
            const VarId root = viewRoot(node.inputs[static_cast<std::size_t>(alias.input)].var);
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
            if (alias.output == static_cast<int>(node.index)) next = owner.inputs[static_cast<std::size_t>(alias.input)].var;
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
                if (alias.input == static_cast<int>(client.port)) members.push_back(reader.outputs[static_cast<std::size_t>(alias.output)]);
        }
}

void Aliasing::coverNew()
{
    m_rank.resize(m_graph.applyCount());
    m_after.cover(m_graph.applyCount());
    m_before.cover(m_graph.applyCount());
}

/// Keeps an order with `reader` before `destroyer` (Pearce and Kelly's dynamic topological sort); false: a cycle, or
/// too far to search.
bool Aliasing::orderBefore(ApplyId reader, ApplyId destroyer)
{
    const std::uint32_t low = rank(destroyer), high = rank(reader);
    if (high < low) return true;
    m_seen.resize(m_graph.applyCount());
    // Everything that follows the destroyer up to the reader.
    std::vector<ApplyId> &forward = m_forward;
    forward.assign(1, destroyer);
    m_seen[raw(destroyer)] = ++m_search;
    for (std::size_t i = 0; i < forward.size(); ++i) {
        if (forward.size() > kSearchLimit) return false;
        const auto go = [&](ApplyId next) {
            if (rank(next) > high || m_seen[raw(next)] == m_search) return;
            m_seen[raw(next)] = m_search;
            forward.push_back(next);
        };
        for (VarId out : m_graph.apply(forward[i]).outputs)
            for (const Client &client : m_graph.var(out).clients)
                if (!client.isGraphOutput()) go(client.apply);
        m_after.each(forward[i], [&](ApplyId next) {
            if (m_graph.apply(next).live) go(next);
        });
        if (m_seen[raw(reader)] == m_search) return false;
    }
    std::vector<ApplyId> &backward = m_backward;
    backward.assign(1, reader);
    m_seen[raw(reader)] = ++m_search;
    for (std::size_t i = 0; i < backward.size(); ++i) {
        if (backward.size() > kSearchLimit) return false;
        const auto go = [&](ApplyId next) {
            if (rank(next) < low || m_seen[raw(next)] == m_search) return;
            m_seen[raw(next)] = m_search;
            backward.push_back(next);
        };
        for (const Use &use : m_graph.apply(backward[i]).inputs) {
            const ApplyId owner = m_graph.var(use.var).owner;
            if (owner != kNoApply) go(owner);
        }
        m_before.each(backward[i], [&](ApplyId next) {
            if (m_graph.apply(next).live) go(next);
        });
    }
    const auto byRank = [&](ApplyId a, ApplyId b) { return rank(a) < rank(b); };
    std::sort(forward.begin(), forward.end(), byRank);
    std::sort(backward.begin(), backward.end(), byRank);
    std::vector<ApplyId> all(backward);
    all.insert(all.end(), forward.begin(), forward.end());
    std::vector<std::uint32_t> places;
    for (ApplyId id : all) places.push_back(rank(id));
    std::sort(places.begin(), places.end());
    for (std::size_t i = 0; i < all.size(); ++i) rank(all[i]) = places[i];
    return true;
}

ApplyId Aliasing::destroyerOf(VarId var) const
{
    for (const Client &client : m_graph.var(var).clients) {
        if (client.isGraphOutput()) continue;
        for (const Alias &alias : m_graph.apply(client.apply).op->destroyMap())
            if (alias.input == static_cast<int>(client.port)) return client.apply;
    }
    return kNoApply;
}

const char *Aliasing::whyNot(ApplyId id, std::size_t port)
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
    // A view of the argument that this apply's own ancestors make is fine: they run before anyway.
    for (std::size_t i = 0; i < readers.size(); ++i) {
        if (!orderBefore(readers[i], id)) {
            for (std::size_t k = 0; k < i; ++k) {
                m_after.popLatest(readers[k]);
                m_before.popLatest(id);
            }
            m_because = readers[i];
            return "a later apply reads the argument";
        }
        rank(readers[i]);
        m_after.push(readers[i], id);
        m_before.push(id, readers[i]);
    }
    for (VarId member : members) m_destroyed[raw(member)] = true;
    return nullptr;
}

void Aliasing::moved(ApplyId old, ApplyId made)
{
    rank(made) = rank(old);
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
