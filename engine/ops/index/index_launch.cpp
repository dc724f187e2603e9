#include "engine/ops/index/index_launch.h"

#include "engine/codegen/kernel_target.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {

WalkedAxes::WalkedAxes(const Dims &sizes, std::span<const Dims> strides, std::span<const DType> dtypes) : steps(strides.size())
{
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] == 1) continue;
        bool isOne = !shape.empty();
        for (std::size_t k = 0; k < strides.size(); ++k)
            isOne = isOne && steps[k][shape.size() - 1] == strides[k][axis] / static_cast<std::int64_t>(sizeOf(dtypes[k])) * sizes[axis];
        if (!isOne) shape.push_back(1);
        shape[shape.size() - 1] *= sizes[axis];
        for (std::size_t k = 0; k < strides.size(); ++k) {
            steps[k].resize(shape.size());
            steps[k][shape.size() - 1] = strides[k][axis] / static_cast<std::int64_t>(sizeOf(dtypes[k]));
        }
    }
}

std::vector<ir::Value> walked(ir::Builder &k, const std::string &letter, const ir::Value &number, const WalkedAxes &axes)
{
    std::vector<ir::Value> sums(axes.steps.size(), 0);
    ir::Value rest = number;
    for (std::size_t axis = axes.shape.size(); axis-- > 0;) {
        const std::string at = std::to_string(axis);
        ir::Value place = rest;
        if (axis > 0) {
            const ir::Value size = k.number(letter + "n" + at, axes.shape[axis]);
            place = k.let(letter + "c" + at, rest % size);
            rest = k.let(letter + "q" + at, rest / size);
        }
        for (std::size_t array = 0; array < sums.size(); ++array)
            sums[array] = sums[array] + place * k.number(letter + std::to_string(array) + "_" + at, axes.steps[array][axis]);
    }
    return sums;
}

namespace {

/// Returns true if one item copies the whole block at its place. On a processor it does if there are enough blocks for its threads; on a
/// card an item copies one element.
bool takesWhole(const SlotOperand &out, std::int64_t places, std::int64_t rests)
{
    const KernelTarget target(deviceOf(out.device));
    return rests == 0 || (target.takesStrips() && rests > 1 && places >= std::min(rests, KernelTarget::kStrips));
}

} // namespace

IndexKernel gatherKernel(const std::string &name, const IndexLayout &index, const SlotOperand &out, const IndexReader &reader)
{
    const Dims strides = contiguousStrides(out.shape, sizeOf(out.dtype));
    const Dims steps[] = {index.restStrides, restWithin(index, strides)};
    const DType dtypes[] = {out.dtype, out.dtype};
    const WalkedAxes axes(index.restShape, steps, dtypes);
    const std::int64_t count = index.arrayShape.product(), each = index.restShape.product();
    const bool isWhole = takesWhole(out, count, each);
    ir::Builder k(name);
    const ir::Array x = k.reads("x", ir::bitsOf(out.dtype)), y = k.writes("y", ir::bitsOf(out.dtype));
    const auto placeOf = reader(k);
    const ir::Value rests = k.number("rests", each), step = k.number("step", stepOfArrays(index, strides, out.dtype));
    const ir::Value position = isWhole ? k.item() : k.let("position", k.item() / rests);
    const IndexPlace place = placeOf(position);
    const auto copy = [&](const ir::Value &r) {
        const std::vector<ir::Value> at = walked(k, "r", r, axes);
        const ir::Value from = x[at[0] + place.at];
        y[at[1] + position * step] = place.isOut ? ir::select(*place.isOut, ir::literal(from.type(), 0), from) : from;
    };
    if (!isWhole) copy(k.let("rest", k.item() % rests));
    else if (each > 0) k.loop("r", {0, rests}, copy, ir::LoopKind::Beside);
    return {k.finish(), isWhole ? count : count * each, isWhole ? std::max<std::int64_t>(each, 1) : 1};
}

IndexKernel scatterKernel(const std::string &name, bool isSet, bool isSent, const IndexLayout &index, std::int64_t count, const Dims &steps,
                          const SlotOperand &y, const SlotOperand &out)
{
    const Dims ofRest[] = {index.restStrides, restWithin(index, steps)};
    const DType dtypes[] = {out.dtype, y.dtype};
    const WalkedAxes axes(index.restShape, ofRest, dtypes);
    Dims ofArrays;
    for (std::size_t axis = 0; axis < index.arrayShape.size(); ++axis) ofArrays.push_back(steps[index.place + axis]);
    const WalkedAxes arrayAxes(index.arrayShape, {&ofArrays, 1}, {&y.dtype, 1});
    const std::int64_t each = index.restShape.product();
    const bool isWhole = takesWhole(out, count, each);
    ir::Builder k(name);
    const ir::Array from = k.reads("y", y.dtype), keys = k.reads("keys", DType::UInt64), positions = k.reads("positions", DType::Int64),
                    x = k.writes("x", out.dtype);
    const ir::Value all = k.number("count", count), rests = k.number("rests", each);
    const ir::Value s = isWhole ? k.item() : k.let("s", k.item() / rests), rest = isWhole ? 0 : k.let("rest", k.item() % rests);
    const ir::Value key = k.let("key", keys[s]);
    const auto write = [&](const ir::Value &at, const ir::Value &q) {
        const ir::Value value = k.let("value", isSent ? ir::Value(positions[q]) : walked(k, "v", positions[q], arrayAxes)[0]);
        const auto store = [&](const ir::Value &r) {
            const std::vector<ir::Value> within = walked(k, "r", r, axes);
            const ir::Place to = x[at + within[0]];
            const ir::Value given = from[value + within[1]];
            to = isSet ? given : to + given;
        };
        if (isWhole) k.loop("r", {0, rests}, store, ir::LoopKind::Beside);
        else store(rest);
    };
    const auto place = [&] {
        ir::Value at = ir::cast(DType::Int64, key);
        if (!isSent) {
            ir::Value id = at;
            at = 0;
            for (std::size_t j = index.axes.size(); j-- > 0;) {
                const IndexLayout::Axis &axis = index.axes[j];
                const ir::Value size = k.number("z" + std::to_string(j), axis.size);
                at = at + id % size * k.number("w" + std::to_string(j), axis.stride / static_cast<std::int64_t>(sizeOf(out.dtype)));
                id = k.let("id", id / size);
            }
        }
        at = k.let("at", at);
        // Of those that name a place, the last one sets it; the first one's item adds them all.
        if (isSet) return write(at, s);
        k.loopWhile(
            "q", {s, all}, [&](const ir::Value &q) { return keys[q] == key; }, [&](const ir::Value &q) { write(at, q); });
    };
    ir::Value isMine = isSet ? s + 1 == all || keys[s + 1] != key : s == 0 || keys[s - 1] != key;
    if (!isSent) {
        std::int64_t places = 1;
        for (const IndexLayout::Axis &axis : index.axes) places *= axis.size;
        isMine = keys[all - 1] < ir::cast(DType::UInt64, k.number("places", places)) && isMine;
    }
    k.when(isMine, place);
    return {k.finish(), isWhole ? count : count * each, isWhole ? each : 1};
}

Dims restWithin(const IndexLayout &index, const Dims &strides)
{
    Dims result;
    for (std::size_t a = 0; a < index.restShape.size(); ++a) result.push_back(strides[a < index.place ? a : a + index.arrayShape.size()]);
    return result;
}

std::int64_t stepOfArrays(const IndexLayout &index, const Dims &strides, DType dtype)
{
    if (index.arrayShape.empty()) return 0;
    return strides[index.place + index.arrayShape.size() - 1] / static_cast<std::int64_t>(sizeOf(dtype));
}

Dims stridesOfPart(Finding symbol, const SlotOperand &y, const Dims &part)
{
    Dims strides(part.size(), 0);
    for (int axis = 0; axis < y.shape.rank(); ++axis) {
        const auto from = static_cast<std::size_t>(axis), to = static_cast<std::size_t>(part.rank() - y.shape.rank() + axis);
        if (y.shape[from] == part[to]) strides[to] = y.strides[from];
        else if (y.shape[from] != 1)
            throw ShapeMismatch(std::string("[") + nameOf(symbol) + "] cannot broadcast a value of shape " + y.shape.text() +
                                " to the part of shape " + part.text());
    }
    return strides;
}

std::unique_ptr<Thunk> copyUnlessInPlace(const ThunkSpec &spec, const std::string &name)
{
    const SlotOperand &x = spec.inputs[0], &out = spec.outputs[0];
    const bool isInPlace = x.root != kNoSlot && x.root == out.root && x.strides == out.strides;
    return isInPlace || x.shape.product() == 0 ? nullptr : copyThunk({x}, {out}, name);
}

void checkFits(const SlotOperand &y, const Dims &part, const std::string &name)
{
    const std::size_t pad = part.size() - y.shape.size();
    for (std::size_t axis = 0; axis < y.shape.size(); ++axis)
        if (y.shape[axis] != 1 && y.shape[axis] != part[axis + pad])
            throw ShapeMismatch("[" + name + "] cannot broadcast a value of shape " + y.shape.text() + " to the part of shape " +
                                part.text());
}

bool readsIndexOnDevice(std::span<const AdvancedEntry> entries, std::span<const SlotOperand> indices)
{
    std::size_t next = 0;
    for (const AdvancedEntry &entry : entries) {
        if (entry.isArray && indices[next].device != DeviceId::Host) return true;
        next += static_cast<std::size_t>(entry.inputCount());
    }
    return false;
}

std::span<const AdvancedEntry> oneArray()
{
    static const AdvancedEntry one[] = {{true, {}}};
    return one;
}

} // namespace engine
