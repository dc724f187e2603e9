// Views (reshapes, transpositions, indices, joins, casts) that stand between what a stabilizing rewrite would find side by side.
#pragma once

#include "engine/rewrite/machine/build.h"

#include <optional>
#include <vector>

namespace engine {

/// The array that a view of a view of … shows, or its first; looks only.
VarHandle withoutViews(VarHandle v);

/// f(V(a)) as V(f(a)), or V(f(a)) as f(V(a)): `view` is one V somewhere below the root.
struct ViewMove {
    ApplyId view;
    bool goesUp; ///< above the root; else down to the operands of what it stands on
};

/// What may help an elementwise root; looks only. Nothing where no view stands on anything computed.
std::vector<ViewMove> viewMoves(const NodeHandle &root);
/// The first of them in that direction.
std::optional<ViewMove> nextMove(const NodeHandle &root, bool goesUp);
/// Makes the move: applies that have new neighbours, the root's successor first; empty where the view cannot be moved.
std::vector<ApplyId> moveView(const NodeHandle &root, const ViewMove &move, Editor &edit);

} // namespace engine
