// Elementwise kernels with several outputs: what reads the same arrays, or one another, runs in one loop.
#include "engine/rewrite/execution/fusion.h"
#include "engine/rewrite/machine/driver.h"
#include "engine/runtime/plan/branches.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace engine {
namespace {

constexpr std::size_t kMostOutputs = 8;
constexpr std::size_t kMostInputs = 32;
constexpr std::size_t kMostLooks = 128;

/// Groups of applies, contracted to one node each. Levels (longest distance from the inputs) keep searches short: a
/// path from A to B only visits levels between theirs.
class Grouping {
public:
    Grouping(const FunctionGraph &graph, std::vector<ApplyId> order) : m_graph(graph), m_order(std::move(order))
    {
        m_groups.reserve(m_order.size());
        m_levels.reserve(m_order.size());
        m_group.assign(graph.applyCount(), kNone);
        const Branches branches(graph, m_order, true);
        for (ApplyId id : m_order) {
            m_group[raw(id)] = static_cast<std::uint32_t>(m_groups.size());
            Group group;
            group.members.push_back(id);
            const NodeHandle node(graph, id);
            if (const Elemwise *op = elemwiseOf(node); op && op->scalar()->code() != ScalarCode::Composite) group.size = 1;
            else if (op && op->scalar()->body()) group.size = op->scalar()->body()->instructions.size();
            group.type = node.output().type();
            group.branch = branches.of(id);
            std::uint32_t level = 0;
            forEachProducer(group, [&](std::uint32_t before) {
                level = std::max(level, m_levels[before] + 1);
                return false;
            });
            m_levels.push_back(level);
            m_groups.push_back(std::move(group));
        }
        m_seenGroups.assign(m_groups.size(), 0);
        m_seenVars.assign(graph.varCount(), 0);
    }

    void run()
    {
        for (ApplyId id : m_order) {
            if (!isFusable(m_group[raw(id)])) continue;
            // Producers first: their values need not be written at all if nobody else reads them.
            for (const Use &use : m_graph.apply(id).inputs) {
                const ApplyId producer = m_graph.var(use.var).owner;
                if (producer != kNoApply) tryMerge(m_group[raw(producer)], m_group[raw(id)]);
            }
            std::uint32_t refused[16];
            std::size_t refusals = 0;
            for (const Use &use : m_graph.apply(id).inputs) {
                const VarHandle v(m_graph, use.var);
                if (v.rank() == 0 || v.isConstant() || !samePattern(v.type(), m_groups[m_group[raw(id)]].type)) continue;
                std::size_t looked = 0;
                for (const Client &client : v.clients()) {
                    if (++looked > 16) break;
                    if (client.isGraphOutput() || client.apply == id) continue;
                    const std::uint32_t other = m_group[raw(client.apply)], own = m_group[raw(id)];
                    if (other == own || std::find(refused, refused + refusals, other) != refused + refusals) continue;
                    tryMerge(other, own);
                    if (m_group[raw(client.apply)] != m_group[raw(id)] && refusals < 16) refused[refusals++] = other;
                }
            }
        }
    }

    /// Groups of two and more, in topological order of their last members.
    std::vector<std::vector<ApplyId>> result() const
    {
        std::vector<std::vector<ApplyId>> found;
        std::vector<bool> done(m_groups.size());
        for (std::size_t at = m_order.size(); at-- > 0;) {
            const std::uint32_t g = m_group[raw(m_order[at])];
            if (done[g] || m_groups[g].members.size() < 2) continue;
            done[g] = true;
            found.push_back(m_groups[g].members);
        }
        return found;
    }

private:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
    struct Group {
        ShortList<ApplyId, 2> members;
        std::size_t size = 0;      ///< instructions; 0: not elementwise
        Type type;                 ///< of an output: all have one broadcast pattern
        BranchId branch = kAlways; ///< of a choice that decides whether they run
    };

    bool isFusable(std::uint32_t g) const { return m_groups[g].size > 0; }

    /// Groups that a group reads from, perhaps several times each, until `visit` says true; says whether it did.
    template <class Visit>
    bool forEachProducer(const Group &group, Visit &&visit) const
    {
        for (ApplyId id : group.members)
            for (const Use &use : m_graph.apply(id).inputs) {
                const ApplyId owner = m_graph.var(use.var).owner;
                if (owner != kNoApply && m_group[raw(owner)] != m_group[raw(id)] && visit(m_group[raw(owner)])) return true;
            }
        return false;
    }

    /// Is there a way from `from` to `to` through a third group?
    bool connectedAround(std::uint32_t from, std::uint32_t to)
    {
        m_open.clear();
        ++m_stamp;
        const std::uint32_t level = m_levels[from];
        const auto open = [&](std::uint32_t before) {
            if (m_levels[before] <= level || m_seenGroups[before] == m_stamp) return;
            m_seenGroups[before] = m_stamp;
            m_open.push_back(before);
        };
        forEachProducer(m_groups[to], [&](std::uint32_t before) {
            if (before != from) open(before);
            return false;
        });
        for (std::size_t i = 0; i < m_open.size(); ++i) {
            if (m_open.size() > kMostLooks) return true;
            const bool reached = forEachProducer(m_groups[m_open[i]], [&](std::uint32_t before) {
                if (before == from) return true;
                open(before);
                return false;
            });
            if (reached) return true;
        }
        return false;
    }

    void tryMerge(std::uint32_t a, std::uint32_t b)
    {
        if (a == b || !isFusable(a) || !isFusable(b) || m_groups[a].branch != m_groups[b].branch) return;
        if (!samePattern(m_groups[a].type, m_groups[b].type) || m_groups[a].size + m_groups[b].size > kLargestBody) return;
        if (m_levels[a] > m_levels[b]) std::swap(a, b);
        // The search would meet a group at nearly every level in between.
        if (m_levels[b] - m_levels[a] > kMostLooks) return;
        if (!fits(a, b) || connectedAround(a, b)) return;
        // Levels behind the merged group rise; a change that reaches too far is not worth its search.
        const std::uint32_t level = m_levels[b];
        std::vector<std::pair<std::uint32_t, std::uint32_t>> &raised = m_raised;
        raised.assign(1, {a, m_levels[a]});
        m_levels[a] = level;
        for (std::size_t i = 0; i < raised.size(); ++i) {
            const std::uint32_t from = raised[i].first;
            for (ApplyId id : m_groups[from].members)
                for (VarId out : m_graph.apply(id).outputs)
                    for (const Client &client : m_graph.var(out).clients) {
                        if (client.isGraphOutput()) continue;
                        const std::uint32_t next = m_group[raw(client.apply)];
                        if (next == from || next == b || next == a || m_levels[next] > m_levels[from]) continue;
                        raised.emplace_back(next, m_levels[next]);
                        m_levels[next] = m_levels[from] + 1;
                    }
            if (raised.size() > kMostLooks) {
                for (std::size_t k = raised.size(); k-- > 0;) m_levels[raised[k].first] = raised[k].second;
                return;
            }
        }
        for (ApplyId id : m_groups[b].members) m_group[raw(id)] = a;
        for (ApplyId id : m_groups[b].members) m_groups[a].members.push_back(id);
        m_groups[a].size += m_groups[b].size;
        m_groups[b].members.clear();
        m_groups[b].size = 0;
    }

    /// Few enough arrays for one loop?
    bool fits(std::uint32_t a, std::uint32_t b)
    {
        std::size_t inputs = 0, outputs = 0;
        ++m_stamp;
        for (std::uint32_t g : {a, b})
            for (ApplyId id : m_groups[g].members) {
                for (const Use &use : m_graph.apply(id).inputs) {
                    const VarNode &var = m_graph.var(use.var);
                    const bool inside = var.owner != kNoApply && (m_group[raw(var.owner)] == a || m_group[raw(var.owner)] == b);
                    if (inside || var.kind == Variable::Kind::Constant || m_seenVars[raw(use.var)] == m_stamp) continue;
                    m_seenVars[raw(use.var)] = m_stamp;
                    if (++inputs > kMostInputs) return false;
                }
                for (VarId out : m_graph.apply(id).outputs)
                    for (const Client &client : m_graph.var(out).clients)
                        if (client.isGraphOutput() || (m_group[raw(client.apply)] != a && m_group[raw(client.apply)] != b)) {
                            if (++outputs > kMostOutputs) return false;
                            break;
                        }
            }
        return true;
    }

    const FunctionGraph &m_graph;
    std::vector<ApplyId> m_order;
    std::vector<std::uint32_t> m_group; ///< by apply
    BigVector<Group> m_groups;
    std::vector<std::uint32_t> m_levels;                           ///< by group
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_raised; ///< kept for its memory
    // What a search has seen carries its number, so that nothing has to be cleared.
    std::uint32_t m_stamp = 0;
    std::vector<std::uint32_t> m_seenGroups, m_seenVars, m_open;
};

REWRITE(croton_multi_output_fusion, Phase::Fusion)
    .why("applies that read the same arrays, or one another, run in one loop with several outputs")
    .hurts("results that are needed early wait for the whole loop; more arrays are alive at once")
    .pass("croton_fusion")
    .example(
        "x: dvector; y = exp(x); sum(y), y * 2, y + 3.5",
        "x: dvector; y = exp(x); sum(composite(y, y * 2, y + 3.5)[0]), composite(y, y * 2, y + 3.5)[1], composite(y, y * 2, y + 3.5)[2]")
    .nearMiss("x: dvector; y: dmatrix; exp(x), exp(y)")
    .tag("croton")
    .tag("fusion")
    .tag("elemwise_fusion") // who leaves Theano's fusion out wants to see the values
    .tag("local_elemwise_fusion")
    .tag("FusionOptimizer")
    .whole([](WholeRun &run) {
        const FunctionGraph &graph = run.graph();
        Grouping grouping(graph, run.order());
        grouping.run();
        for (const std::vector<ApplyId> &members : grouping.result()) {
            const std::unordered_set<std::uint32_t> inside = [&] {
                std::unordered_set<std::uint32_t> ids;
                for (ApplyId id : members) ids.insert(raw(id));
                return ids;
            }();
            std::vector<VarId> outputs;
            for (ApplyId id : members)
                for (VarId out : graph.apply(id).outputs) {
                    bool outside = false;
                    for (const Client &client : graph.var(out).clients)
                        outside |= client.isGraphOutput() || !inside.count(raw(client.apply));
                    if (outside) outputs.push_back(out);
                }
            run.step(members.back(), [&](Editor &edit) {
                FusedBody fused = fuseBody(graph, members, outputs, false);
                std::vector<VarHandle> inputs;
                for (VarId id : fused.inputs) inputs.push_back(edit.var(id));
                if (inputs.empty()) return declined("nothing is left to read");
                const NodeHandle made = edit.apply(elemwise(compositeOp(std::move(fused.body))), inputs);
                for (std::size_t i = 0; i < outputs.size(); ++i)
                    if (!(made.output(i).type() == edit.var(outputs[i]).type())) return declined("the shape would come from the constants");
                edit.setBodyOrigins(made.id(), std::move(fused.origins));
                for (ApplyId id : members) edit.consume(id);
                for (std::size_t i = 0; i < outputs.size(); ++i) edit.replace(edit.var(outputs[i]), made.output(i), FateKind::Fused);
                return replaced(std::to_string(members.size()) + " kernels in one loop with " + std::to_string(outputs.size()) +
                                " outputs");
            });
        }
    });

} // namespace
} // namespace engine
