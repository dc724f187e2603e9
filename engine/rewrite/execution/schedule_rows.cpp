// What works on the same rows of arrays, combining each and using what came out on the same row again, as groups for one kernel. Rows may
// stand upright: columns.
#include "engine/graph/op/op_card.h"
#include "engine/rewrite/machine/driver.h"
#include "engine/runtime/plan/branches.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::size_t kLargestGroup = 48;
constexpr std::size_t kMostDetour = 256; // applies that are looked at for a way around

/// A group that grows from a reduction: all of it works on arrays of `rank` axes, some of which make a row, or on one number for each of
/// these rows.
class RowGroup {
public:
    /// What all groups of a graph look up, by apply.
    struct Places {
        std::vector<std::uint32_t> inOrder;
        std::vector<std::uint32_t> group, seen; ///< numbers of groups and of searches, from 1
        std::uint32_t groups = 0, searches = 0;
    };

    RowGroup(const FunctionGraph &graph, const Branches &branches, Places &places, ApplyId seed)
        : m_graph(graph), m_branches(branches), m_places(places), m_branch(branches.of(seed)), m_number(++places.groups)
    {
        m_rank = rankOf(inputTypes(seed));
        m_axes = *rowAxesOf(*graph.apply(seed).op, inputTypes(seed));
        take(seed);
    }

    const std::vector<ApplyId> &members() const { return m_members; }
    bool holds(ApplyId id) const { return m_places.group[raw(id)] == m_number; }

    /// Takes in what its members read and what reads them, as far as it fits; `isTaken` says what is not to be had.
    template <class IsTaken>
    void grow(IsTaken isTaken)
    {
        for (std::size_t i = 0; i < m_members.size() && m_members.size() < kLargestGroup; ++i) {
            for (ApplyId next : neighbours(m_members[i]))
                if (!holds(next) && !isTaken(next) && m_members.size() < kLargestGroup && fits(next) && !leadsAround(next)) take(next);
        }
        dropIdleWindows();
    }

    /// Steps on whole rows: with one alone there is nothing to keep in the cache.
    std::size_t stepsOnRows() const
    {
        return static_cast<std::size_t>(std::count_if(m_members.begin(), m_members.end(), [&](ApplyId id) {
            const ApplyNode &node = m_graph.apply(id);
            return node.op->viewMap().empty() && isOnWholeRows(id);
        }));
    }

    /// Is what it combines of a row used on the row again?
    bool comesBack() const
    {
        return std::any_of(m_members.begin(), m_members.end(), [&](ApplyId id) { return isOnWholeRows(id) && comesFromCombined(id); });
    }

    ApplyId whatLeadsAround() const { return m_leadsAround; }

private:
    void take(ApplyId id)
    {
        m_members.push_back(id);
        m_places.group[raw(id)] = m_number;
    }

    bool combines(ApplyId id) const { return rowAxesOf(*m_graph.apply(id).op, inputTypes(id)).value_or(RowAxes()).count() > 0; }
    bool isOnWholeRows(ApplyId id) const { return combines(id) || hasRows(m_graph.var(m_graph.apply(id).outputs[0]).type); }

    bool comesFromCombined(ApplyId id) const
    {
        std::vector<ApplyId> open{id};
        for (std::size_t i = 0; i < open.size(); ++i)
            for (const Use &use : m_graph.apply(open[i]).inputs) {
                const ApplyId owner = m_graph.var(use.var).owner;
                if (owner == kNoApply || !holds(owner) || std::find(open.begin(), open.end(), owner) != open.end()) continue;
                if (combines(owner)) return true;
                open.push_back(owner);
            }
        return false;
    }

    std::vector<Type> inputTypes(ApplyId id) const
    {
        std::vector<Type> types;
        for (const Use &use : m_graph.apply(id).inputs) types.push_back(m_graph.var(use.var).type);
        return types;
    }

    // Inputs of fewer axes are numbers of the rows, or the same for all of them.
    static int rankOf(std::span<const Type> types)
    {
        int rank = 0;
        for (const Type &type : types)
            if (type.isTensor()) rank = std::max(rank, type.rank());
        return rank;
    }

    std::vector<ApplyId> neighbours(ApplyId id) const
    {
        constexpr std::size_t kMostClients = 64;
        std::vector<ApplyId> found;
        const ApplyNode &node = m_graph.apply(id);
        for (const Use &use : node.inputs)
            if (const ApplyId owner = m_graph.var(use.var).owner; owner != kNoApply) found.push_back(owner);
        for (VarId out : node.outputs)
            for (const Client &client : m_graph.var(out).clients)
                if (!client.isGraphOutput() && found.size() < kMostClients) found.push_back(client.apply);
        return found;
    }

    // Does it differ from row to row, and are there rows in it?
    bool differsByRow(Type type) const
    {
        for (int axis = 0; axis < type.rank(); ++axis)
            if (!(type.rank() == m_rank && isInRow(axis)) && !type.isBroadcastable(axis)) return true;
        return false;
    }
    bool isInRow(int axis) const { return axis < m_axes.first || axis >= m_rank - m_axes.last; }
    bool hasRows(Type type) const
    {
        if (type.rank() != m_rank) return false;
        for (int axis = 0; axis < m_rank; ++axis)
            if (isInRow(axis) && !type.isBroadcastable(axis)) return true;
        return false;
    }
    bool isOfRows(Type type) const
    {
        return type.isTensor() && (type.rank() == m_rank || type.rank() == m_rank - m_axes.count()) && differsByRow(type);
    }

    bool fits(ApplyId id) const
    {
        const ApplyNode &node = m_graph.apply(id);
        if (node.op->isOnDevice() || node.op->worksOnValues() || m_branches.of(id) != m_branch) return false;
        const std::vector<Type> types = inputTypes(id);
        const std::optional<RowAxes> axes = rowAxesOf(*node.op, types);
        if (!axes || (axes->count() != 0 && (*axes != m_axes || rankOf(types) != m_rank))) return false;
        if (!std::all_of(node.outputs.begin(), node.outputs.end(), [&](VarId out) { return isOfRows(m_graph.var(out).type); }))
            return false;
        if (node.op->viewMap().empty()) return true;
        return isOfRows(types[0]);
    }

    // Is there a way from a member to a member, with this one among them, through an apply that is none?
    bool leadsAround(ApplyId candidate)
    {
        std::uint32_t earliest = m_places.inOrder[raw(candidate)];
        for (ApplyId id : m_members) earliest = std::min(earliest, m_places.inOrder[raw(id)]);
        const auto isInside = [&](ApplyId id) { return id == candidate || holds(id); };
        const std::uint32_t search = ++m_places.searches;
        std::vector<ApplyId> open; // what members read, and what that reads, as far back as there are members
        const auto look = [&](ApplyId id, bool fromInside) {
            for (const Use &use : m_graph.apply(id).inputs) {
                const ApplyId owner = m_graph.var(use.var).owner;
                if (owner == kNoApply || m_places.inOrder[raw(owner)] < earliest || m_places.seen[raw(owner)] == search) continue;
                if (fromInside && isInside(owner)) continue;
                m_places.seen[raw(owner)] = search;
                open.push_back(owner);
            }
        };
        look(candidate, true);
        for (ApplyId id : m_members) look(id, true);
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (i > kMostDetour) return true;
            if (isInside(open[i])) {
                m_leadsAround = open[i];
                return true;
            }
            look(open[i], false);
        }
        return false;
    }

    // Windows that no member looks through.
    void dropIdleWindows()
    {
        for (bool more = true; more;) {
            more = false;
            for (std::size_t i = m_members.size(); i-- > 0;) {
                const ApplyNode &node = m_graph.apply(m_members[i]);
                if (node.op->viewMap().empty()) continue;
                const auto &clients = m_graph.var(node.outputs[0]).clients;
                const bool isUsed = std::any_of(clients.begin(), clients.end(),
                                                [&](const Client &client) { return !client.isGraphOutput() && holds(client.apply); });
                const ApplyId maker = m_graph.var(node.inputs[0].var).owner;
                if (isUsed && maker != kNoApply && holds(maker)) continue;
                m_places.group[raw(m_members[i])] = 0;
                m_members.erase(m_members.begin() + static_cast<std::ptrdiff_t>(i));
                more = true;
            }
        }
    }

    const FunctionGraph &m_graph;
    const Branches &m_branches;
    Places &m_places;
    const BranchId m_branch;
    const std::uint32_t m_number;
    int m_rank = 0;
    RowAxes m_axes;
    std::vector<ApplyId> m_members;
    ApplyId m_leadsAround = kNoApply;
};

struct Words {
    const char *alone, *needsAll, *notAgain;
};
constexpr Words kOfRows{"nothing else is done to its rows", "what else is done to its rows needs something that all rows are needed for",
                        "what it combines of its rows is not used on them again"};
constexpr Words kOfColumns{"nothing else is done to its columns",
                           "what else is done to its columns needs something that all columns are needed for",
                           "what it combines of its columns is not used on them again"};

void group(WholeRun &run, bool areColumns)
{
    const Words &words = areColumns ? kOfColumns : kOfRows;
    const FunctionGraph &graph = run.graph();
    const std::vector<ApplyId> order = graph.toposort();
    const std::vector<std::uint32_t> nothing(graph.applyCount(), 0);
    RowGroup::Places places{nothing, nothing, nothing};
    for (std::size_t i = 0; i < order.size(); ++i) places.inOrder[raw(order[i])] = static_cast<std::uint32_t>(i);
    std::vector<char> taken(graph.applyCount(), 0);
    for (const KernelGroup &other : graph.groups)
        for (ApplyId id : other.applies) taken[raw(id)] = 1;
    std::optional<Branches> branches;
    for (ApplyId id : order) {
        const ApplyNode &node = graph.apply(id);
        if (taken[raw(id)] || node.op->isOnDevice() || node.inputs.empty()) continue;
        std::vector<Type> types;
        for (const Use &use : node.inputs) types.push_back(graph.var(use.var).type);
        const RowAxes axes = rowAxesOf(*node.op, types).value_or(RowAxes());
        if (axes.count() == 0 || axes.areColumns() != areColumns) continue;
        if (!branches) branches.emplace(graph, order, true);
        RowGroup rows(graph, *branches, places, id);
        rows.grow([&](ApplyId other) { return taken[raw(other)] != 0; });
        if (rows.stepsOnRows() < 2) {
            const ApplyId around = rows.whatLeadsAround();
            run.decline(id, around == kNoApply ? words.alone : words.needsAll, around);
            continue;
        }
        // One pass is better done in the order of memory.
        if (axes.first > 0 && !rows.comesBack()) {
            run.decline(id, words.notAgain);
            continue;
        }
        std::vector<ApplyId> members = rows.members();
        std::sort(members.begin(), members.end(), [&](ApplyId a, ApplyId b) { return places.inOrder[raw(a)] < places.inOrder[raw(b)]; });
        for (ApplyId member : members) taken[raw(member)] = 1;
        run.group(std::move(members));
    }
}

REWRITE(croton_rows_in_one_kernel, Phase::Schedule)
    .why("what is combined of a row and used on it again reads and writes the row several times: in one kernel it stays in the first cache "
         "from its first step to its last one")
    .hurts("a profile can only estimate which part of the kernel's time each apply takes")
    .example("x: fmatrix; x - max(x, axis=1, keepdims=True)", "x: fmatrix; x - max(x, axis=1, keepdims=True)")
    .nearMiss("x: fmatrix; x - max(x, axis=0, keepdims=True)")
    .tag("croton")
    .whole([](WholeRun &run) { group(run, false); });

REWRITE(croton_columns_in_one_kernel, Phase::Schedule)
    .why(
        "what is combined of a column and used on it again reads and writes the whole matrix several times: in one kernel some columns stay in "
        "the second cache from their first step to their last one")
    .hurts("a profile can only estimate which part of the kernel's time each apply takes")
    .example("x: fmatrix; x - max(x, axis=0, keepdims=True)", "x: fmatrix; x - max(x, axis=0, keepdims=True)")
    .nearMiss("x: fmatrix; x - max(x, axis=1, keepdims=True)")
    .tag("croton")
    .whole([](WholeRun &run) { group(run, true); });

} // namespace
} // namespace engine
