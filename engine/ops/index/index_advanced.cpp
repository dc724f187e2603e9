#include "engine/ops/index/index_advanced.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/ops/index/index_gradient.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {
namespace {

void wantIntegers(const char *symbol, Type type)
{
    if (!type.isTensor() || !isInteger(type.dtype()))
        throw TypeMismatch(std::string("[") + symbol + "] an index array must hold integers, got " + type.text(),
                           isFloat(type.isTensor() ? type.dtype() : DType::Bool) ? "cast it to an integer dtype" : "");
}

void wantStorable(const std::string &symbol, Type x, Type y)
{
    if (promote(y.dtype(), x.dtype()) != x.dtype())
        throw TypeMismatch("[" + symbol + "] cannot store " + std::string(nameOf(y.dtype())) + " in an array of " +
                               std::string(nameOf(x.dtype())),
                           "cast the value first");
}

std::string entriesText(std::span<const AdvancedEntry> entries)
{
    std::string result;
    for (const AdvancedEntry &entry : entries) {
        result += entry.isArray ? "array;" : indexText(std::span<const IndexEntry>(&entry.slice, 1)) + ";";
        if (!entry.isArray && !entry.slice.isSlice) result += "i";
    }
    return result;
}

// Where the broadcast axes of the arrays go: in place of the first array if the arrays are neighbours, else first.
std::size_t arrayPlace(std::span<const AdvancedEntry> entries)
{
    std::size_t first = entries.size(), last = 0, count = 0, kept = 0;
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].isArray) {
            first = std::min(first, i);
            last = i;
            ++count;
        }
    if (last - first + 1 != count) return 0;
    for (std::size_t i = 0; i < first; ++i) kept += !entries[i].isArray;
    return kept;
}

Type indexedType(const char *symbol, std::span<const AdvancedEntry> entries, Type x, std::span<const Operand> indices)
{
    if (!x.isTensor()) throw TypeMismatch(std::string("[") + symbol + "] wants a tensor, got " + x.text());
    if (static_cast<int>(entries.size()) > x.rank())
        throw ShapeMismatch(std::string("[") + symbol + "] too many indices: " + std::to_string(entries.size()) + " for " + x.text());
    std::vector<std::int64_t> kept, arrays;
    std::size_t next = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const AdvancedEntry &entry = entries[i];
        if (!entry.isArray) {
            kept.push_back(entry.slice.isFullSlice() ? x.shape()[i] : kUnknownDim);
            next += static_cast<std::size_t>(entry.inputCount());
            continue;
        }
        const Type array = indices[next++].type;
        wantIntegers(symbol, array);
        const auto shape = array.shape();
        if (arrays.size() < shape.size()) arrays.insert(arrays.begin(), shape.size() - arrays.size(), 1);
        for (std::size_t k = 0; k < shape.size(); ++k) {
            std::int64_t &place = arrays[arrays.size() - shape.size() + k];
            if (place == 1) place = shape[k];
            else if (shape[k] != 1 && place == kUnknownDim) place = shape[k];
        }
    }
    for (std::size_t axis = entries.size(); axis < static_cast<std::size_t>(x.rank()); ++axis) kept.push_back(x.shape()[axis]);
    kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(arrayPlace(entries)), arrays.begin(), arrays.end());
    return Type::tensor(x.dtype(), kept);
}

/// Places that are numbers: all of them inside of axis 0.
std::vector<SizeRule> placeRules(ShapeBuilder &shapes, int index)
{
    constexpr std::int64_t kMost = 64;
    std::vector<SizeRule> rules;
    const auto count = shapes.known(shapes.dim(index, 0));
    for (int i = 0; count && i < std::min(*count, kMost); ++i) {
        const auto place = shapes.value(index, i);
        if (!place || !shapes.known(*place)) break;
        const std::int64_t least = *shapes.known(*place) < 0 ? -*shapes.known(*place) : *shapes.known(*place) + 1;
        const Sym size = shapes.dim(0, 0);
        rules.push_back({size, shapes.max(size, shapes.constant(least)), 0, 0, 0, 0, "an index is out of bounds", true});
    }
    return rules;
}

} // namespace

std::vector<SizeRule> AdvancedSubtensor1::sizeRules(ShapeBuilder &shapes) const { return placeRules(shapes, 1); }
std::vector<SizeRule> AdvancedIncSubtensor1::sizeRules(ShapeBuilder &shapes) const { return placeRules(shapes, 2); }

std::vector<Type> AdvancedSubtensor1::outputTypes(std::span<const Operand> inputs) const
{
    const Type x = inputs[0].type, i = inputs[1].type;
    if (!x.isTensor() || x.rank() == 0) throw ShapeMismatch("[subtensor] cannot index " + x.text() + " with a vector");
    wantIntegers("subtensor", i);
    if (i.rank() != 1) throw ShapeMismatch("[subtensor] the index must be a vector, got " + i.text());
    std::vector<std::int64_t> shape(x.shape().begin(), x.shape().end());
    shape[0] = i.shape()[0];
    return {Type::tensor(x.dtype(), shape)};
}

bool AdvancedSubtensor1::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    outputs = {shapes.sizesOf(0)};
    outputs[0][0] = shapes.dim(1, 0);
    return true;
}

std::vector<VarRef> AdvancedSubtensor1::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return gradientOfRead(node, outputGrads[0], makeOp<AdvancedIncSubtensor1>(false, false));
}

std::vector<VarRef> AdvancedSubtensor1::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return directionAtIndex(node, evalPoints, 1);
}

std::string AdvancedIncSubtensor1::exactName() const
{
    return std::string("AdvancedIncSubtensor1{") + (m_inplace ? "inplace," : "no_inplace,") + (m_set ? "set}" : "inc}");
}

std::vector<Type> AdvancedIncSubtensor1::outputTypes(std::span<const Operand> inputs) const
{
    const std::string symbol = m_set ? "set_subtensor" : "inc_subtensor";
    const Type x = inputs[0].type, y = inputs[1].type;
    if (!x.isTensor() || x.rank() == 0) throw ShapeMismatch("[" + symbol + "] cannot index " + x.text() + " with a vector");
    wantIntegers(symbol.c_str(), inputs[2].type);
    if (inputs[2].type.rank() != 1) throw ShapeMismatch("[" + symbol + "] the index must be a vector, got " + inputs[2].type.text());
    if (!y.isTensor() || y.rank() > x.rank())
        throw ShapeMismatch("[" + symbol + "] the value has more dimensions than the array: " + y.text() + " into " + x.text());
    wantStorable(symbol, x, y);
    return {x};
}

std::vector<VarRef> AdvancedIncSubtensor1::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return gradientOfWrite(node, outputGrads[0], makeOp<AdvancedSubtensor1>(),
                           m_set ? makeOp<AdvancedIncSubtensor1>(false, true) : OpRef());
}

std::vector<VarRef> AdvancedIncSubtensor1::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return directionAtIndex(node, evalPoints, 2);
}

std::string AdvancedSubtensor::identity() const { return entriesText(m_entries); }

std::vector<Type> AdvancedSubtensor::outputTypes(std::span<const Operand> inputs) const
{
    return {indexedType("subtensor", m_entries, inputs[0].type, inputs.subspan(1))};
}

bool AdvancedSubtensor::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    SymShape kept, arrays;
    std::vector<bool> stretches;
    int next = 1;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const AdvancedEntry &entry = m_entries[i];
        if (!entry.isArray) {
            const auto bounds = boundsOf(shapes, entry.slice, next);
            if (!bounds) return false;
            kept.push_back(lengthOf(shapes, *bounds, shapes.dim(0, static_cast<int>(i))));
            continue;
        }
        const int input = next++;
        const auto rank = static_cast<std::size_t>(shapes.inputRank(input));
        if (arrays.size() < rank) {
            stretches.insert(stretches.begin(), rank - arrays.size(), true);
            arrays.insert(arrays.begin(), rank - arrays.size(), shapes.constant(1));
        }
        // NumPy lets a run-time size of 1 stretch here: the size is the other one, whichever is not 1.
        for (std::size_t k = 0; k < rank; ++k) {
            if (shapes.inputBroadcastable(input, static_cast<int>(k))) continue;
            const std::size_t place = arrays.size() - rank + k;
            const Sym size = shapes.dim(input, static_cast<int>(k));
            const Sym isLong = shapes.less(shapes.constant(1), size);
            const Sym isEmpty = shapes.less(size, shapes.constant(1));
            arrays[place] = stretches[place] ? size : shapes.select(shapes.max(isLong, isEmpty), size, arrays[place]);
            stretches[place] = false;
        }
    }
    for (int axis = static_cast<int>(m_entries.size()); axis < shapes.inputRank(0); ++axis) kept.push_back(shapes.dim(0, axis));
    kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(arrayPlace(m_entries)), arrays.begin(), arrays.end());
    outputs = {kept};
    return true;
}

std::vector<VarRef> AdvancedSubtensor::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return gradientOfRead(node, outputGrads[0], makeOp<AdvancedIncSubtensor>(m_entries, false, false));
}

std::vector<VarRef> AdvancedSubtensor::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return directionAtIndex(node, evalPoints, 1);
}

std::string AdvancedIncSubtensor::exactName() const
{
    const auto text = [](bool value) { return value ? "True" : "False"; };
    return std::string("AdvancedIncSubtensor{inplace=") + text(m_inplace) + ",  set_instead_of_inc=" + text(m_set) + "}";
}

std::string AdvancedIncSubtensor::identity() const { return exactName() + entriesText(m_entries); }

std::vector<Type> AdvancedIncSubtensor::outputTypes(std::span<const Operand> inputs) const
{
    const char *symbol = m_set ? "set_subtensor" : "inc_subtensor";
    const Type part = indexedType(symbol, m_entries, inputs[0].type, inputs.subspan(2));
    const Type y = inputs[1].type;
    if (!y.isTensor() || y.rank() > part.rank())
        throw ShapeMismatch(std::string("[") + symbol + "] the value has more dimensions than the part it goes to: " + y.text() + " into " +
                            part.text());
    wantStorable(symbol, inputs[0].type, y);
    return {inputs[0].type};
}

std::vector<VarRef> AdvancedIncSubtensor::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return gradientOfWrite(node, outputGrads[0], makeOp<AdvancedSubtensor>(m_entries),
                           m_set ? makeOp<AdvancedIncSubtensor>(m_entries, false, true) : OpRef());
}

std::vector<VarRef> AdvancedIncSubtensor::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return directionAtIndex(node, evalPoints, 2);
}

std::vector<Type> Nonzero::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type;
    if (!type.isTensor() || type.rank() == 0) throw ShapeMismatch("[nonzero] wants an array of at least one dimension, got " + type.text());
    if (inputs.size() > 1 && (!inputs[1].type.isTensor() || inputs[1].type.rank() != 0 || !isInteger(inputs[1].type.dtype())))
        throw TypeMismatch("[nonzero] how many there are is an integer, got " + inputs[1].type.text());
    return std::vector<Type>(static_cast<std::size_t>(type.rank()), Type::ofRank(DType::Int64, 1));
}

bool Nonzero::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const auto count = shapes.inputCount() > 1 ? shapes.value(1) : std::nullopt;
    if (!count) return false;
    outputs.assign(static_cast<std::size_t>(shapes.inputRank(0)), {*count});
    return true;
}

std::vector<VarRef> Nonzero::gradient(const Apply &node, std::span<const VarRef>) const
{
    const DType dtype = node.input(0)->type().dtype();
    return {zerosLike(node.input(0), isDiscrete(dtype) ? floatX() : dtype)};
}

std::vector<VarRef> nonzero(const VarRef &a)
{
    const VarRef inputs[] = {a};
    const ApplyRef node = Apply::create(makeOp<Nonzero>(), inputs);
    std::vector<VarRef> result;
    for (int o = 0; o < node->outputCount(); ++o) result.push_back(VarRef(node->output(o)));
    return result;
}

VarRef advancedSubtensor(const VarRef &x, std::span<const IndexItem> items)
{
    // Masks become the arrays of their places; integers beside arrays are arrays without axes.
    std::vector<AdvancedEntry> entries;
    std::vector<VarRef> inputs{x};
    int axis = 0;
    const auto array = [&](const VarRef &value) {
        AdvancedEntry entry;
        entry.isArray = true;
        entries.push_back(entry);
        inputs.push_back(value);
        ++axis;
    };
    for (const IndexItem &item : items) {
        if (item.kind == IndexItem::Kind::Slice) {
            AdvancedEntry entry;
            entry.slice.isSlice = true;
            const auto put = [&](const VarRef &scalar, std::optional<DType> &place) {
                if (!scalar) return;
                place = scalar->type().dtype();
                inputs.push_back(scalar);
            };
            put(item.start, entry.slice.start);
            put(item.stop, entry.slice.stop);
            put(item.step, entry.slice.step);
            entries.push_back(entry);
            ++axis;
        } else if (item.kind == IndexItem::Kind::Array && item.value->type().isTensor() && item.value->type().dtype() == DType::Bool) {
            for (const VarRef &places : nonzero(item.value)) array(places);
        } else {
            wantIntegers("subtensor", item.value->type());
            array(item.value);
        }
    }
    if (axis > x->type().rank()) throw ShapeMismatch("[subtensor] too many indices: " + std::to_string(axis) + " for " + x->type().text());
    const bool isTake = entries.size() == 1 && inputs[1]->type().rank() == 1;
    if (isTake) {
        static const OpRef op = makeOp<AdvancedSubtensor1>();
        return engine::apply(op, inputs);
    }
    return engine::apply(makeOp<AdvancedSubtensor>(std::move(entries)), inputs);
}

VarRef take(const VarRef &a, const VarRef &indices, std::optional<int> axis)
{
    const VarRef x = axis ? a : flatten(a);
    const int rank = x->type().rank();
    const int place = axis ? (*axis < 0 ? *axis + rank : *axis) : 0;
    if (place < 0 || place >= rank)
        throw ShapeMismatch("[take] axis " + std::to_string(*axis) + " is out of range for " + a->type().text());
    std::vector<IndexItem> items(static_cast<std::size_t>(place), IndexItem::slice());
    items.push_back(indices->type().rank() == 0 ? IndexItem::integer(indices) : IndexItem::array(indices));
    return subtensor(x, items);
}
NOTATION("take(x, indices, axis=None)", take);
NOTATION("nonzero(x)", nonzero);

} // namespace engine
