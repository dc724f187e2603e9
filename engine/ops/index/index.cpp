#include "engine/ops/index/index.h"

#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/ops/index/index_gradient.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <array>

namespace engine {

std::string indexText(std::span<const IndexEntry> entries)
{
    std::string result;
    const auto part = [](const std::optional<DType> &dtype) { return dtype ? std::string(nameOf(*dtype)) : std::string(); };
    for (const IndexEntry &entry : entries) {
        if (!result.empty()) result += ", ";
        if (entry.isSlice) result += part(entry.start) + ":" + part(entry.stop) + ":" + part(entry.step);
        else result += part(entry.start);
    }
    return result;
}

namespace {

void checkScalars(const char *symbol, std::span<const IndexEntry> entries, std::span<const Operand> inputs, std::size_t first)
{
    const Type type = inputs[0].type;
    if (!type.isTensor()) throw TypeMismatch(std::string("[") + symbol + "] wants a tensor, got " + type.text());
    if (static_cast<int>(entries.size()) > type.rank())
        throw ShapeMismatch(std::string("[") + symbol + "] too many indices: " + std::to_string(entries.size()) + " for " + type.text());
    std::size_t count = first;
    for (const IndexEntry &entry : entries) count += static_cast<std::size_t>(entry.inputCount());
    ENGINE_ASSERT(count == inputs.size(), "an index has another number of scalars than the apply");
    for (const Operand &input : inputs.subspan(first))
        if (!input.type.isTensor() || input.type.rank() != 0 || !isInteger(input.type.dtype()))
            throw TypeMismatch(std::string("[") + symbol + "] an index must be an integer scalar, got " + input.type.text());
}

// Length of a slice of an axis of known size with constant bounds, else unknown. Only what is declared broadcastable
// stays so: a slice that merely happens to have length 1 does not stretch.
std::int64_t staticLength(const IndexEntry &entry, std::int64_t size, std::span<const Operand> scalars)
{
    if (entry.isFullSlice()) return size;
    std::optional<std::int64_t> bounds[3];
    std::size_t next = 0;
    const std::optional<DType> *parts[] = {&entry.start, &entry.stop, &entry.step};
    for (int i = 0; i < 3; ++i) {
        if (!parts[i]->has_value()) continue;
        const Operand &scalar = scalars[next++];
        if (!scalar.constant) return kUnknownDim;
        bounds[i] = scalar.constant->tensor().intAt(0);
    }
    if (size == kUnknownDim || bounds[2] == 0) return kUnknownDim;
    const std::int64_t length = canonicalSlice(bounds[0], bounds[1], bounds[2].value_or(1), size).length;
    return length == 1 && size != 1 ? kUnknownDim : length;
}

Type viewType(std::span<const IndexEntry> entries, Type type, std::span<const Operand> scalars)
{
    std::array<std::int64_t, kMaxRank> shape;
    std::size_t rank = 0, next = 0;
    for (int axis = 0; axis < type.rank(); ++axis) {
        const std::int64_t size = type.shape()[axis];
        if (axis >= static_cast<int>(entries.size())) {
            shape[rank++] = size;
            continue;
        }
        const IndexEntry &entry = entries[axis];
        if (entry.isSlice) shape[rank++] = staticLength(entry, size, scalars.subspan(next));
        next += static_cast<std::size_t>(entry.inputCount());
    }
    return Type::tensor(type.dtype(), std::span<const std::int64_t>(shape.data(), rank));
}

struct SymSlice {
    Sym start, length, step;
};

// Python's rules for x[start:stop:step] in the language of shapes.
SymSlice symbolicSlice(ShapeBuilder &s, const SymBounds &bounds, Sym size)
{
    const auto &[start, stop, step] = bounds;
    const Sym zero = s.constant(0), one = s.constant(1);
    const Sym stride = step.value_or(one);
    const auto wrapped = [&](Sym bound) { return s.select(s.less(bound, zero), s.add(bound, size), bound); };
    const auto ceilDiv = [&](Sym a, Sym b) { return s.floorDiv(s.sub(s.add(a, b), one), b); };
    const auto forwards = [&]() -> SymSlice {
        const Sym from = start ? s.min(s.max(wrapped(*start), zero), size) : zero;
        const Sym to = stop ? s.min(s.max(wrapped(*stop), zero), size) : size;
        return {from, s.max(ceilDiv(s.sub(to, from), stride), zero), stride};
    };
    const auto backwards = [&]() -> SymSlice {
        const Sym last = s.sub(size, one), before = s.constant(-1);
        const Sym from = start ? s.min(s.max(wrapped(*start), before), last) : last;
        const Sym to = stop ? s.min(s.max(wrapped(*stop), before), last) : before;
        return {from, s.max(ceilDiv(s.sub(from, to), s.sub(zero, stride)), zero), stride};
    };
    const auto known = s.known(stride);
    if (known) return *known < 0 ? backwards() : forwards();
    const SymSlice up = forwards(), down = backwards();
    const Sym isDown = s.less(stride, zero);
    return {s.select(isDown, down.start, up.start), s.select(isDown, down.length, up.length), stride};
}

// Calls onInteger(axis, position) and onSlice(axis, slice); false where a bound is not known before running.
template <class OnInteger, class OnSlice>
bool walkIndex(ShapeBuilder &shapes, std::span<const IndexEntry> entries, int firstScalar, OnInteger onInteger, OnSlice onSlice)
{
    int next = firstScalar;
    for (int axis = 0; axis < shapes.inputRank(0); ++axis) {
        const Sym size = shapes.dim(0, axis);
        if (axis >= static_cast<int>(entries.size()) || entries[axis].isFullSlice()) {
            onSlice(axis, SymSlice{shapes.constant(0), size, shapes.constant(1)});
            continue;
        }
        const IndexEntry &entry = entries[axis];
        const auto bounds = boundsOf(shapes, entry, next);
        if (!bounds) return false;
        if (entry.isSlice) {
            onSlice(axis, symbolicSlice(shapes, *bounds, size));
        } else {
            const Sym i = *bounds->start;
            onInteger(axis, shapes.select(shapes.less(i, shapes.constant(0)), shapes.add(i, size), i));
        }
    }
    return true;
}

std::vector<SizeRule> indexRules(ShapeBuilder &shapes, std::span<const IndexEntry> entries, int firstScalar)
{
    std::vector<SizeRule> rules;
    int next = firstScalar;
    for (std::size_t axis = 0; axis < entries.size(); ++axis) {
        const auto index = entries[axis].isSlice ? std::nullopt : shapes.value(next);
        next += entries[axis].inputCount();
        if (!index) continue;
        const Sym size = shapes.dim(0, static_cast<int>(axis)), zero = shapes.constant(0);
        const Sym place = shapes.select(shapes.less(*index, zero), shapes.add(*index, size), *index);
        // What the index is if it is inside.
        const Sym inside = shapes.select(shapes.less(place, zero), size, shapes.min(place, shapes.sub(size, shapes.constant(1))));
        rules.push_back({place, inside, next - 1, -1, 0, static_cast<int>(axis), "the index is out of bounds", true});
    }
    return rules;
}

} // namespace

std::optional<SymBounds> boundsOf(ShapeBuilder &shapes, const IndexEntry &entry, int &next)
{
    SymBounds bounds;
    const auto read = [&](const std::optional<DType> &part, std::optional<Sym> &bound) { return !part || (bound = shapes.value(next++)); };
    const bool isKnown = read(entry.start, bounds.start) && read(entry.stop, bounds.stop) && read(entry.step, bounds.step);
    return isKnown ? std::optional(bounds) : std::nullopt;
}

Sym lengthOf(ShapeBuilder &shapes, const SymBounds &bounds, Sym size)
{
    return !bounds.start && !bounds.stop && !bounds.step ? size : symbolicSlice(shapes, bounds, size).length;
}

std::vector<Type> Subtensor::outputTypes(std::span<const Operand> inputs) const
{
    checkScalars("subtensor", m_entries, inputs, 1);
    return {viewType(m_entries, inputs[0].type, inputs.subspan(1))};
}

bool Subtensor::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    // An integer index that is not known yet costs no shape, so slices are walked by themselves.
    SymShape shape;
    int next = 1;
    for (int axis = 0; axis < shapes.inputRank(0); ++axis) {
        const Sym size = shapes.dim(0, axis);
        if (axis >= static_cast<int>(m_entries.size())) {
            shape.push_back(size);
            continue;
        }
        const IndexEntry &entry = m_entries[axis];
        if (!entry.isSlice) {
            next += 1;
            continue;
        }
        const auto bounds = boundsOf(shapes, entry, next);
        if (!bounds) return false;
        shape.push_back(lengthOf(shapes, *bounds, size));
    }
    outputs = {shape};
    return true;
}

std::vector<SizeRule> Subtensor::sizeRules(ShapeBuilder &shapes) const { return indexRules(shapes, m_entries, 1); }

std::optional<Sym> Subtensor::inferValue(ShapeBuilder &shapes, int, int element) const
{
    if (shapes.inputRank(0) != 1 || m_entries.size() > 1) return std::nullopt;
    std::optional<Sym> position;
    if (!walkIndex(
            shapes, m_entries, 1, [&](int, Sym at) { position = at; },
            [&](int, const SymSlice &slice) { position = shapes.add(slice.start, shapes.mul(shapes.constant(element), slice.step)); }))
        return std::nullopt;
    const auto known = position ? shapes.known(*position) : std::nullopt;
    if (!known || *known < 0) return std::nullopt;
    return shapes.value(0, static_cast<int>(*known));
}

std::vector<VarRef> Subtensor::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return gradientOfRead(node, outputGrads[0], makeOp<IncSubtensor>(m_entries, false, false));
}

std::vector<VarRef> Subtensor::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return directionAtIndex(node, evalPoints, 1);
}

void Subtensor::perform(PerformArgs &args) const
{
    const Window window = windowOf(m_entries, args.inputs[0], args.inputs.subspan(1));
    if (!args.outputs[0].data) args.allocate(0, window.shape);
    copyConverted(window.view(), args.outputs[0]);
}

std::string IncSubtensor::exactName() const
{
    return std::string("IncSubtensor{") + (m_inplace ? "Inplace" : "") + (m_set ? "Set;" : "Inc;") + indexText(m_entries) + "}";
}

std::vector<Type> IncSubtensor::outputTypes(std::span<const Operand> inputs) const
{
    const Operand rest[] = {inputs[0]};
    std::vector<Operand> indices(rest, rest + 1);
    indices.insert(indices.end(), inputs.begin() + 2, inputs.end());
    checkScalars(m_set ? "set_subtensor" : "inc_subtensor", m_entries, indices, 1);
    const Type view = viewType(m_entries, inputs[0].type, inputs.subspan(2));
    const Type y = inputs[1].type;
    const std::string symbol = m_set ? "[set_subtensor] " : "[inc_subtensor] ";
    if (!y.isTensor() || y.rank() > view.rank())
        throw ShapeMismatch(symbol + "the value has more dimensions than the part it goes to: " + y.text() + " into " + view.text());
    if (promote(y.dtype(), inputs[0].type.dtype()) != inputs[0].type.dtype())
        throw TypeMismatch(symbol + "cannot store " + std::string(nameOf(y.dtype())) + " in an array of " +
                               std::string(nameOf(inputs[0].type.dtype())),
                           "cast the value first");
    return {inputs[0].type};
}

std::vector<SizeRule> IncSubtensor::sizeRules(ShapeBuilder &shapes) const
{
    std::vector<SizeRule> rules = indexRules(shapes, m_entries, 2);
    std::vector<Sym> part;
    if (!walkIndex(
            shapes, m_entries, 2, [](int, Sym) {}, [&](int, const SymSlice &slice) { part.push_back(slice.length); }))
        return rules;
    const int pad = static_cast<int>(part.size()) - shapes.inputRank(1);
    for (int axis = 0; axis < shapes.inputRank(1); ++axis) {
        if (shapes.inputBroadcastable(1, axis)) continue;
        const Sym size = shapes.dim(1, axis);
        rules.push_back({size, shapes.repeatedSize(size, part[axis + pad]), 1, axis, 0, 0, "the value does not fit the part it goes to"});
    }
    return rules;
}

std::vector<VarRef> IncSubtensor::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return gradientOfWrite(node, outputGrads[0], makeOp<Subtensor>(m_entries),
                           m_set ? makeOp<IncSubtensor>(m_entries, false, true) : OpRef());
}

std::vector<VarRef> IncSubtensor::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return directionAtIndex(node, evalPoints, 2);
}

void IncSubtensor::perform(PerformArgs &args) const
{
    if (!args.outputs[0].data) args.allocate(0, Dims(std::span(args.inputs[0].shape, static_cast<std::size_t>(args.inputs[0].rank))));
    const View &out = args.outputs[0];
    if (out.data != args.inputs[0].data) copyConverted(args.inputs[0], out);
    const Window window = windowOf(m_entries, out, args.inputs.subspan(2));
    writeInto(window.view(), args.inputs[1], m_set);
}

} // namespace engine
