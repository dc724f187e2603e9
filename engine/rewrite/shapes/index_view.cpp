#include "engine/rewrite/shapes/index_view.h"

#include "engine/rewrite/shapes/shape_graph.h"

namespace engine {

IndexParts partsOf(const NodeHandle &node)
{
    IndexParts parts;
    const Subtensor *read = node.opAs<Subtensor>();
    std::size_t next = read ? 1 : 2; // an IncSubtensor has what is written before
    for (const IndexEntry &entry : read ? read->entries() : node.opAs<IncSubtensor>()->entries()) {
        IndexPart part;
        part.isSlice = entry.isSlice;
        if (entry.start) part.start = node.input(next++);
        if (entry.stop) part.stop = node.input(next++);
        if (entry.step) part.step = node.input(next++);
        parts.push_back(part);
    }
    return parts;
}

std::vector<IndexEntry> entriesOf(const IndexParts &parts)
{
    std::vector<IndexEntry> entries;
    const auto dtype = [](const std::optional<VarHandle> &v) { return v ? std::optional(v->dtype()) : std::nullopt; };
    for (const IndexPart &part : parts) entries.push_back({part.isSlice, dtype(part.start), dtype(part.stop), dtype(part.step)});
    return entries;
}

std::vector<VarHandle> scalarsOf(const IndexParts &parts)
{
    std::vector<VarHandle> scalars;
    for (const IndexPart &part : parts)
        for (const auto *bound : {&part.start, &part.stop, &part.step})
            if (*bound) scalars.push_back(**bound);
    return scalars;
}

VarHandle indexed(Editor &edit, VarHandle x, IndexParts parts)
{
    while (!parts.empty() && parts.back().isFull()) parts.pop_back();
    if (parts.empty()) return x;
    std::vector<VarHandle> inputs{x};
    for (const VarHandle &scalar : scalarsOf(parts)) inputs.push_back(scalar);
    return edit.make(makeOp<Subtensor>(entriesOf(parts)), inputs);
}

std::optional<std::int64_t> knownInteger(const std::optional<VarHandle> &v)
{
    if (!v || !v->isConstant() || !v->constant()->isTensor() || !isDiscrete(v->dtype())) return std::nullopt;
    return v->constant()->tensor().intAt(0);
}

bool takesWholeAxis(Editor &edit, const IndexPart &part, VarHandle x, int axis)
{
    if (!part.isSlice) return false;
    if (part.step && knownInteger(part.step) != 1) return false;
    if (part.start && knownInteger(part.start) != 0) return false;
    if (!part.stop) return true;
    if (knownInteger(part.stop) == INT64_MAX) return true;
    VarHandle stop = *part.stop;
    if (const auto cast = madeBy(stop, ScalarCode::Cast)) stop = cast->input(0);
    if (ownerOf(stop) == kNoApply && !stop.isConstant()) return false;
    if (const auto known = knownInteger(stop)) {
        const auto size = knownSize(edit, x, axis);
        return size && *known >= *size;
    }
    return isSizeOf(edit, stop, x, axis);
}

} // namespace engine
