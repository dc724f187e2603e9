// Reading and writing by places: Gather, Scatter and what is made of them.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/compose.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/reductions/cumulative.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/reductions/sort.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace engine::onnx {
namespace {

using S = ScalarCode;

Vars gather(Call &call)
{
    const VarRef &x = call.in(0), &places = call.in(1);
    const int axis = call.axis(call.integer("axis", 0), call.rank());
    std::vector<IndexItem> items(static_cast<std::size_t>(axis), IndexItem::slice());
    // A size that is taken from a shape stays a number that reading knows.
    if (places->type().rank() == 0) {
        items.push_back(IndexItem::integer(places));
        return {subtensor(x, items)};
    }
    items.push_back(IndexItem::array(places));
    return {subtensor(x, items)};
}

Vars gatherElements(Call &call)
{
    const int axis = call.axis(call.integer("axis", 0), call.rank());
    return {gathered(call.in(0), call.in(1), axis)};
}

// x and places without the axes of the batch: numbers of those axes are places, too.
std::vector<IndexItem> itemsOfRows(Call &call, const VarRef &x, const VarRef &places, int batch)
{
    const int rank = places->type().rank();
    const std::int64_t depth = places->type().shape()[static_cast<std::size_t>(rank - 1)];
    if (depth == kUnknownDim) call.fail("needs to know how many axes each place names");
    if (depth + batch > x->type().rank())
        call.fail("has places of " + std::to_string(depth) + " axes for an array of " + std::to_string(x->type().rank()));
    std::vector<IndexItem> items;
    for (int i = 0; i < batch; ++i) {
        std::vector<int> order(static_cast<std::size_t>(rank - 1), -1);
        order[static_cast<std::size_t>(i)] = 0;
        items.push_back(IndexItem::array(permuted(pinned(arange(sizeOf(places, i))), order)));
    }
    for (std::int64_t i = 0; i < depth; ++i) {
        std::vector<IndexItem> last(static_cast<std::size_t>(rank - 1), IndexItem::slice());
        last.push_back(IndexItem::at(i));
        items.push_back(IndexItem::array(pinned(subtensor(places, last))));
    }
    return items;
}

Vars gatherNd(Call &call)
{
    return {subtensor(call.in(0), itemsOfRows(call, call.in(0), call.in(1), static_cast<int>(call.integer("batch_dims", 0))))};
}

// Sets, adds to, or combines with, what stands at places.
VarRef written(Call &call, const VarRef &x, const std::vector<IndexItem> &items, const VarRef &values, const std::string &how)
{
    const VarRef part = subtensor(x, items);
    if (how == "none") return setSubtensor(part, values);
    if (how == "add") return incSubtensor(part, values);
    // Places that are named several times are combined one after the other: each update by itself.
    const Ints sizes = sizesOf(values);
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) count *= size == kUnknownDim ? -1 : size;
    if (how != "mul" && how != "max" && how != "min") call.fail("has the reduction \"" + how + "\", which is none of ONNX's");
    const S code = how == "mul" ? S::Mul : how == "max" ? S::Maximum : S::Minimum;
    // One after the other along the first axis of the places.
    const VarRef first = items.front().value;
    int axes = 0;
    for (const IndexItem &item : items) axes = std::max(axes, item.value->type().rank());
    std::int64_t steps = 1;
    Ints lead;
    for (int i = 0; i < axes; ++i) {
        const std::int64_t size = values->type().shape()[static_cast<std::size_t>(i)];
        if (size == kUnknownDim) call.fail("needs to know how many places it combines values at");
        lead.push_back(size);
        steps *= size;
    }
    if (steps > 256) call.fail("combines values at " + std::to_string(steps) + " places by " + how + "; 256 are possible");
    VarRef result = x;
    for (std::int64_t step = 0; step < steps; ++step) {
        std::vector<IndexItem> at, from;
        std::int64_t rest = step;
        Ints place(lead.size());
        for (std::size_t i = lead.size(); i-- > 0; rest /= lead[i]) place[i] = rest % lead[i];
        for (const std::int64_t one : place) from.push_back(IndexItem::at(one));
        for (const IndexItem &item : items) {
            const int rank = item.value->type().rank();
            std::vector<IndexItem> own;
            for (int i = 0; i < rank; ++i) {
                const std::size_t axis = lead.size() - static_cast<std::size_t>(rank - i);
                own.push_back(IndexItem::at(item.value->type().isBroadcastable(i) ? 0 : place[axis]));
            }
            at.push_back(IndexItem::integer(subtensor(item.value, own)));
        }
        const VarRef old = subtensor(result, at);
        result = setSubtensor(old, elementwise(code, {old, subtensor(values, from)}));
    }
    return result;
}

Vars scatterElements(Call &call)
{
    const int axis = call.axis(call.integer("axis", 0), call.rank());
    return {written(call, call.in(0), alongAxis(call.in(0), call.in(1), axis), call.in(2), call.text("reduction", "none"))};
}

Vars scatterNd(Call &call)
{
    return {written(call, call.in(0), itemsOfRows(call, call.in(0), call.in(1), 0), call.in(2), call.text("reduction", "none"))};
}

Vars oneHot(Call &call)
{
    const VarRef &places = call.in(0);
    const int rank = call.rank() + 1, axis = call.axis(call.integer("axis", -1), rank);
    VarRef depth = call.in(1);
    if (depth->type().rank()) depth = reshape(depth, std::vector<std::int64_t>{});
    depth = cast(depth, DType::Int64);
    if (const auto value = call.known(depth)) depth = int64(value->intAt(0));
    std::vector<int> order(static_cast<std::size_t>(rank), -1);
    order[static_cast<std::size_t>(axis)] = 0;
    const VarRef classes = permuted(pinned(arange(depth)), order);
    const VarRef whole = cast(places, DType::Int64);
    const VarRef inside = switchOn(elementwise(S::Lt, {whole, int64(0)}), add(whole, depth), whole);
    const VarRef values = call.in(2);
    return {switchOn(elementwise(S::Eq, {withAxes(inside, {axis}), classes}), elementAt(values, 1), elementAt(values, 0))};
}

Vars nonZero(Call &call)
{
    VarRef x = call.in(0);
    if (call.rank() == 0) x = withAxes(x, {0});
    if (x->type().dtype() != DType::Bool) x = elementwise(S::Neq, {x, number(x->type().dtype(), 0)});
    return {stack(nonzero(x))};
}

Vars compress(Call &call)
{
    VarRef x = call.in(0);
    int axis = 0;
    if (call.hasAttribute("axis")) axis = call.axis(call.integer("axis"), call.rank());
    else x = reshapeTo(x, {int64(-1)});
    return {take(x, nonzero(call.in(1)).at(0), axis)};
}

Vars reverseSequence(Call &call)
{
    const VarRef &x = call.in(0);
    const int batch = static_cast<int>(call.integer("batch_axis", 1)), time = static_cast<int>(call.integer("time_axis", 0));
    if (batch + time != 1) call.fail("wants the axes 0 and 1 for time and batch");
    // The first axes change places where the batch stands before the time.
    std::vector<int> turned(static_cast<std::size_t>(call.rank()));
    for (int i = 0; i < call.rank(); ++i) turned[static_cast<std::size_t>(i)] = i;
    if (time == 1) std::swap(turned[0], turned[1]);
    const VarRef y = permuted(x, turned), steps = withAxes(pinned(arange(sizeOf(y, 0))), {1}), lengths = withAxes(call.in(1), {0});
    const VarRef places = switchOn(elementwise(S::Lt, {steps, lengths}), sub(sub(lengths, int64(1)), steps), steps);
    const std::vector<IndexItem> items{IndexItem::array(places), IndexItem::array(withAxes(pinned(arange(sizeOf(y, 1))), {0}))};
    return {permuted(pinned(subtensor(y, items)), turned)};
}

Vars uniqueOf(Call &call)
{
    const VarRef &x = call.in(0);
    if (call.hasAttribute("axis") && call.rank() > 1) call.fail("looks for equal rows along an axis, which Croton does not do");
    const Vars found = unique(x);
    VarRef values = found[0], first = found[1], which = found[2], counts = found[3];
    if (!call.integer("sorted", 1)) {
        const VarRef order = argsort(first, 0);
        values = take(values, order, 0);
        which = take(argsort(order, 0), which, 0);
        counts = take(counts, order, 0);
        first = take(first, order, 0);
    }
    return {values, first, which, counts};
}

Vars tensorScatter(Call &call)
{
    const VarRef &past = call.in(0), &update = call.in(1);
    const int rank = call.rank(), axis = call.axis(call.integer("axis", -2), rank);
    const bool isCircular = call.text("mode", "linear") == "circular";
    std::vector<int> batchOrder(static_cast<std::size_t>(rank), -1), timeOrder = batchOrder;
    batchOrder[0] = 0;
    timeOrder[static_cast<std::size_t>(axis)] = 0;
    VarRef places = permuted(pinned(arange(sizeOf(update, axis))), timeOrder);
    if (call.has(2)) places = add(permuted(call.in(2), batchOrder), places);
    if (isCircular) places = elementwise(S::Mod, {places, sizeOf(past, axis)});
    std::vector<IndexItem> items;
    for (int i = 0; i < rank; ++i) {
        if (i == axis) {
            items.push_back(IndexItem::array(places));
            continue;
        }
        std::vector<int> order(static_cast<std::size_t>(rank), -1);
        order[static_cast<std::size_t>(i)] = 0;
        items.push_back(IndexItem::array(permuted(pinned(arange(sizeOf(update, i))), order)));
    }
    return {setSubtensor(subtensor(past, items), update)};
}

const OpRows kIndexRows{
    {"", "Compress", 9, compress},
    {"", "Gather", 1, gather},
    {"", "GatherElements", 11, gatherElements},
    {"", "GatherND", 11, gatherNd},
    {"", "NonZero", 9, nonZero},
    {"", "OneHot", 9, oneHot},
    {"", "ReverseSequence", 10, reverseSequence},
    {"", "Scatter", 9, scatterElements},
    {"", "ScatterElements", 11, scatterElements},
    {"", "ScatterND", 11, scatterNd},
    {"", "TensorScatter", 24, tensorScatter},
    {"", "Unique", 11, uniqueOf},
};

} // namespace
} // namespace engine::onnx
