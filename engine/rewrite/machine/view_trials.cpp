#include "engine/rewrite/machine/view_trials.h"

#include <algorithm>

namespace engine {
namespace {

constexpr int kMostMoves = 3; // of views that follow each other

bool stabilizes(const RewriteInfo &info) { return info.run && (has(info.valueChange, ValueChange::Improves) || info.pass == "stabilize"); }

} // namespace

std::optional<ViewTrials::Found> ViewTrials::stabilizerOf(const std::vector<ApplyId> &applies, Editor &edit) const
{
    for (std::size_t i = 0; i < applies.size(); ++i) {
        const NodeHandle node = edit.node(applies[i]);
        std::optional<Kinds> inputs;
        for (const std::uint16_t entry : m_dispatch.find(*node.op())) {
            const RewriteInfo &info = *allRewrites()[entry];
            if (m_isOff[entry] || !stabilizes(info)) continue;
            if (info.rule) {
                if (!inputs) inputs = kindsOf(node);
                if (info.rule->declines(node, *inputs)) continue;
            }
            if (info.run(node, edit).isReplaced()) return Found{i, entry, 0};
        }
    }
    return std::nullopt;
}

// The search is a step that is always undone, so that views stay where they are if nothing fires.
std::optional<ViewTrials::Found> ViewTrials::search(ApplyId id, const ViewMove &first) const
{
    std::optional<Found> found;
    m_attempt(m_entry, id, [&](Editor &edit) {
        ApplyId root = id;
        std::optional<ViewMove> move = first;
        for (int moves = 1; move && moves <= kMostMoves; ++moves) {
            const std::vector<ApplyId> applies = moveView(edit.node(root), *move, edit);
            if (applies.empty()) return declined("the view cannot be moved");
            found = stabilizerOf(applies, edit);
            if (found) {
                found->moves = moves;
                return declined("the views are moved first");
            }
            root = applies[0];
            move = nextMove(edit.node(root), first.goesUp);
        }
        return declined("nothing stabilizes behind the view");
    });
    return found;
}

// Each move is a step of its own, and so is the rewrite.
void ViewTrials::moveAndRun(ApplyId id, const ViewMove &first, const Found &found) const
{
    const RewriteInfo &stabilizer = *allRewrites()[found.entry];
    std::vector<ApplyId> applies{id};
    std::optional<ViewMove> move = first;
    for (int i = 0; i < found.moves && move; ++i) {
        const ApplyId root = applies[0];
        bool isMoved = false;
        m_attempt(m_entry, root, [&](Editor &edit) {
            applies = moveView(edit.node(root), *move, edit);
            isMoved = !applies.empty();
            move = isMoved ? nextMove(edit.node(applies[0]), first.goesUp) : std::nullopt;
            return isMoved ? replaced("for " + stabilizer.name) : declined("the view cannot be moved");
        });
        if (!isMoved) return;
    }
    m_attempt(found.entry, applies[found.place], [&](Editor &edit) { return stabilizer.run(edit.node(applies[found.place]), edit); });
}

bool ViewTrials::visit(ApplyId id) const
{
    if (m_isOff[m_entry] || !m_graph.apply(id).live) return false;
    const Bucket &bucket = m_dispatch.find(*m_graph.apply(id).op);
    if (std::none_of(bucket.begin(), bucket.end(), [](std::uint16_t entry) { return stabilizes(*allRewrites()[entry]); })) return false;
    for (const ViewMove &first : viewMoves(NodeHandle(m_graph, id)))
        if (const auto found = search(id, first)) {
            moveAndRun(id, first, *found);
            return true;
        }
    return false;
}

} // namespace engine
