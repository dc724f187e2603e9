// What an index means for an array that is there: windows on it, and writing into them.
#pragma once

#include "engine/ops/index/index.h"
#include "engine/runtime/thunks/thunk.h"

namespace engine {

struct CanonicalSlice {
    std::int64_t start = 0, length = 0, step = 1;
};
/// Python's rules; throws for a step of 0.
CanonicalSlice canonicalSlice(std::optional<std::int64_t> start, std::optional<std::int64_t> stop, std::int64_t step, std::int64_t size);

/// What a slice names, or of an index its number as the start, in the language of shapes (engine/ops/index/index.cpp).
struct SymBounds {
    std::optional<Sym> start, stop, step;
};
/// Its scalars are inputs from `next` on, which goes behind them; nothing where one is not known before running.
std::optional<SymBounds> boundsOf(ShapeBuilder &shapes, const IndexEntry &entry, int &next);
Sym lengthOf(ShapeBuilder &shapes, const SymBounds &bounds, Sym size);

/// A view that owns its shape and strides.
struct Window {
    void *data = nullptr;
    DType dtype = DType::Float64;
    Dims shape, strides;
    View view() const { return {data, dtype, shape.rank(), shape.data(), strides.data()}; }
};

std::int64_t scalarInt(const View &view);
/// x[entries] with the given scalars; IndexError (a ShapeMismatch) for an integer out of range.
Window windowOf(std::span<const IndexEntry> entries, const View &x, std::span<const View> scalars);
/// target += value, or target = value; value is broadcast as NumPy does.
void writeInto(const View &target, const View &value, bool isSet);
/// Adds arrays of one dtype elementwise: to += from.
void addInto(const View &to, const View &from);

/// Sums what NumPy's broadcasting of a value of type `wanted` to `g` repeated: added axes, and broadcastable ones.
VarRef sumOver(const VarRef &g, Type wanted);

} // namespace engine
