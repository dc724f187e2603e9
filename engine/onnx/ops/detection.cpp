// What detectors of objects end with: the boxes that stay.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"

#include <algorithm>
#include <limits>

namespace engine::onnx {
namespace {

using S = ScalarCode;

struct Box {
    VarRef top, left, bottom, right, area;
};

// Corners in order, from those of a box or from its centre and its size.
Box boxOf(const VarRef &boxes, bool isCentre)
{
    const DType dtype = boxes->type().dtype();
    const int rank = boxes->type().rank();
    const auto part = [&](int i) {
        std::vector<IndexItem> items(static_cast<std::size_t>(rank) - 1, IndexItem::slice());
        items.push_back(IndexItem::at(i));
        return pinned(subtensor(boxes, items));
    };
    Box box;
    if (isCentre) { // x, y, width, height
        const VarRef halfWidth = mul(part(2), number(dtype, 0.5)), halfHeight = mul(part(3), number(dtype, 0.5));
        box.left = sub(part(0), halfWidth);
        box.right = add(part(0), halfWidth);
        box.top = sub(part(1), halfHeight);
        box.bottom = add(part(1), halfHeight);
    } else {
        box.top = elementwise(S::Minimum, {part(0), part(2)});
        box.bottom = elementwise(S::Maximum, {part(0), part(2)});
        box.left = elementwise(S::Minimum, {part(1), part(3)});
        box.right = elementwise(S::Maximum, {part(1), part(3)});
    }
    box.area = mul(sub(box.bottom, box.top), sub(box.right, box.left));
    return box;
}

VarRef overlap(const Box &a, const Box &b)
{
    const VarRef zero = number(a.area->type().dtype(), 0);
    const auto length = [&](const VarRef &low, const VarRef &high) { return elementwise(S::Maximum, {sub(high, low), zero}); };
    const VarRef shared = mul(length(elementwise(S::Maximum, {a.top, b.top}), elementwise(S::Minimum, {a.bottom, b.bottom})),
                              length(elementwise(S::Maximum, {a.left, b.left}), elementwise(S::Minimum, {a.right, b.right})));
    const VarRef all = sub(add(a.area, b.area), shared);
    return switchOn(elementwise(S::Gt, {all, zero}), trueDiv(shared, all), zero);
}

// Each step takes the best box of each class that is left, and drops those that overlap it too much.
Vars nonMaxSuppression(Call &call)
{
    const VarRef &boxes = call.in(0), &scores = call.in(1);
    const std::int64_t most = call.has(2) ? call.constantInts(2).at(0) : 0, count = sizesOf(boxes).at(1);
    if (count == kUnknownDim) call.fail("needs to know how many boxes there are");
    const std::int64_t steps = std::clamp<std::int64_t>(most, 0, count);
    if (steps == 0) return {Variable::constant(Tensor::zeros(DType::Int64, {0, 3}))};
    const DType dtype = call.dtype(1);
    const VarRef none = number(dtype, -std::numeric_limits<double>::infinity());
    const auto limit = [&](int input) {
        return call.has(input)
                   ? cast(call.in(input)->type().rank() ? reshape(call.in(input), std::vector<std::int64_t>{}) : call.in(input), dtype)
                   : VarRef();
    };
    const VarRef threshold = call.has(3) ? limit(3) : number(dtype, 0), least = limit(4);
    const VarRef first = least ? switchOn(elementwise(S::Gt, {scores, least}), scores, none) : scores;
    const bool isCentre = call.integer("center_point_box", 0);

    const VarRef left = Variable::input(first->type()), given = Variable::input(boxes->type()), over = Variable::input(threshold->type());
    const VarRef step = Variable::input(Type::scalar(DType::Int64));
    const std::vector<int> last{2};
    const VarRef best = reduce(ReduceKind::Max, left, last), which = argmax(left, last); // batch, class
    const VarRef isThere = elementwise(S::Gt, {best, none});
    const std::vector<IndexItem> items{IndexItem::array(withAxes(pinned(arange(sizeOf(given, 0))), {1})), IndexItem::array(which)};
    const VarRef chosen = withAxes(pinned(subtensor(given, items)), {2}); // batch, class, 1, corners
    const VarRef shared = overlap(boxOf(chosen, isCentre), boxOf(withAxes(given, {1}), isCentre));
    const VarRef places = permuted(pinned(arange(sizeOf(left, 2))), {-1, -1, 0});
    const VarRef goes = elementwise(S::Or, {elementwise(S::Gt, {shared, over}), elementwise(S::Eq, {places, withAxes(which, {2})})});
    InnerGraph body;
    body.inputs = {step, left, given, over};
    body.outputs = {conformed(switchOn(goes, none, left), left->type()), which, isThere};
    ScanInfo info;
    info.sequences = 1;
    info.sitSot = 1;
    info.nitSot = 2;
    info.nonSequences = 2;
    info.name = call.node().name();
    const VarRef room =
        engine::apply(makeOp<AllocEmpty>(dtype), Vars{int64(steps + 1), sizeOf(first, 0), sizeOf(first, 1), sizeOf(first, 2)});
    const std::vector<IndexItem> begin{IndexItem::slice({}, int64(1))};
    const Vars outer{int64(steps), arange(int64(steps)), setSubtensor(subtensor(room, begin), withAxes(first, {0})),
                     int64(steps), int64(steps),         boxes,
                     threshold};
    const ApplyRef node = Apply::create(scanOp(info, std::move(body)), outer);
    const VarRef taken = permuted(VarRef(node->output(1)), {1, 2, 0}), stays = permuted(VarRef(node->output(2)), {1, 2, 0});
    const Vars where = nonzero(stays);
    const std::vector<IndexItem> found{IndexItem::array(where[0]), IndexItem::array(where[1]), IndexItem::array(where[2])};
    const VarRef columns[] = {where[0], where[1], subtensor(taken, found)};
    return {stack(columns, 1)};
}

const OpRows kDetectionRows{
    {"", "NonMaxSuppression", 10, nonMaxSuppression},
};

} // namespace
} // namespace engine::onnx
