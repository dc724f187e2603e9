#include "engine/rewrite/machine/build.h"

#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/tensor/errors.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_set>

namespace engine {

std::optional<NodeHandle> madeBy(VarHandle v, ScalarCode code)
{
    const ApplyId owner = ownerOf(v);
    if (owner == kNoApply) return std::nullopt;
    const Elemwise *op = opCast<Elemwise>(v.graph().apply(owner).op);
    if (!op || !op->is(code) || !op->inplace().empty()) return std::nullopt;
    // The negative of an unsigned integer wraps around: it is no sign that a wider sum or product could take over.
    if (code == ScalarCode::Neg && isUnsignedInteger(v.dtype())) return std::nullopt;
    return v.owner();
}

std::optional<NodeHandle> madeByReduce(VarHandle v, ReduceKind kind)
{
    const ApplyId owner = ownerOf(v);
    if (owner == kNoApply) return std::nullopt;
    const CAReduce *op = opCast<CAReduce>(v.graph().apply(owner).op);
    if (!op || op->kind() != kind) return std::nullopt;
    return v.owner();
}

namespace {

/// The input that an apply only repeats, or none.
std::optional<VarHandle> repeated(const NodeHandle &node)
{
    if (node.opAs<DimShuffle>()) return node.input(0);
    if (node.opAs<Alloc>()) return node.input(0);
    if (const Elemwise *op = node.opAs<Elemwise>(); op && op->is(ScalarCode::Second)) return node.input(1);
    return std::nullopt;
}

} // namespace

std::optional<double> constantValue(VarHandle v)
{
    for (int depth = 0; depth < 16; ++depth) {
        if (v.isConstant()) return v.uniformConstant();
        if (!v.type().isTensor()) return std::nullopt;
        const ApplyId owner = ownerOf(v);
        if (owner == kNoApply) return std::nullopt;
        const NodeHandle node(v.graph(), owner);
        if (const std::optional<VarHandle> inner = repeated(node)) {
            v = *inner;
            continue;
        }
        const Elemwise *op = node.opAs<Elemwise>();
        if (!op || !op->is(ScalarCode::Cast) || !isFloat(v.dtype())) return std::nullopt;
        v = node.input(0);
        if (!v.isConstant() || isComplex(v.dtype())) return std::nullopt;
        const std::optional<double> value = v.uniformConstant();
        if (!value) return std::nullopt;
        return op->scalar()->evaluate({&*value, 1});
    }
    return std::nullopt;
}

VarHandle withoutBroadcast(VarHandle v)
{
    for (int depth = 0; depth < 16; ++depth) {
        const ApplyId owner = ownerOf(v);
        if (owner == kNoApply) return v;
        const NodeHandle node(v.graph(), owner);
        std::optional<VarHandle> inner = repeated(node);
        if (!inner) return v;
        if (const DimShuffle *shuffle = node.opAs<DimShuffle>()) {
            // Only new axes repeat; a permutation or a dropped axis is another array.
            int next = 0;
            for (int axis : shuffle->order()) {
                if (axis == DimShuffle::kNewAxis) continue;
                if (axis != next++) return v;
            }
            if (next != shuffle->inputRank()) return v;
        }
        v.owner();
        v = *inner;
    }
    return v;
}

bool isFloatType(VarHandle v) { return v.type().isTensor() && isFloat(v.dtype()); }

std::optional<NodeHandle> onlyReader(VarHandle v)
{
    if (v.clients().size() != 1 || v.clients()[0].isGraphOutput()) return std::nullopt;
    return NodeHandle(v.graph(), v.clients()[0].apply);
}

ScalarCode codeOf(const FunctionGraph &graph, VarId v)
{
    const ApplyId owner = graph.var(v).owner;
    const Elemwise *op = owner == kNoApply ? nullptr : opCast<Elemwise>(graph.apply(owner).op);
    return op && op->inplace().empty() ? op->scalar()->code() : ScalarCode::Identity;
}

std::optional<int> joinAxis(const NodeHandle &join)
{
    const auto axis = constantValue(join.input(0));
    if (!axis) return std::nullopt;
    return static_cast<int>(*axis) < 0 ? static_cast<int>(*axis) + join.output().rank() : static_cast<int>(*axis);
}

// --- building -----------------------------------------------------------------------------------------

bool needs(VarHandle v, ApplyId node)
{
    const FunctionGraph &graph = v.graph();
    std::unordered_set<ApplyId> seen;
    std::vector<ApplyId> open{ownerOf(v)};
    while (!open.empty()) {
        const ApplyId at = open.back();
        open.pop_back();
        if (at == node) return true;
        if (at == kNoApply || !seen.insert(at).second) continue;
        for (const Use &use : graph.apply(at).inputs) open.push_back(graph.var(use.var).owner);
    }
    return false;
}

bool holdsDigits(DType dtype, double value)
{
    const double size = std::fabs(value);
    switch (dtype) {
    case DType::Float16: return size == 0 || (size >= 0x1p-14 && size <= 65504);
    case DType::Float32: return size == 0 || (size >= std::numeric_limits<float>::min() && size <= std::numeric_limits<float>::max());
    default: return size == 0 || std::isnormal(value);
    }
}

VarHandle constantLike(Editor &edit, DType dtype, int rank, double value)
{
    return edit.constant(Tensor::full(dtype, Dims(static_cast<std::size_t>(rank), 1), value));
}

VarHandle dimshuffle(Editor &edit, VarHandle v, std::vector<int> order)
{
    // An axis of size 1 that is dropped and added in the same place stays.
    bool identity = static_cast<int>(order.size()) == v.rank();
    for (std::size_t i = 0; i < order.size() && identity; ++i)
        identity = order[i] == static_cast<int>(i) || order[i] == DimShuffle::kNewAxis;
    if (identity) return v;
    if (const auto inner = madeBy<DimShuffle>(v)) {
        const std::vector<int> &before = inner->opAs<DimShuffle>()->order();
        for (int &axis : order)
            if (axis != DimShuffle::kNewAxis) axis = before[axis];
        return dimshuffle(edit, inner->input(0), std::move(order));
    }
    if (const auto value = v.uniformConstant()) {
        // A reshuffled constant stays a constant.
        std::vector<std::int64_t> sizes;
        for (int axis : order) sizes.push_back(axis == DimShuffle::kNewAxis ? 1 : v.constant()->tensor().shape()[axis]);
        const Tensor &tensor = v.constant()->tensor();
        Tensor one(tensor.dtype(), {}, {}, tensor.data(), tensor.storage());
        Tensor filled = Tensor::empty(tensor.dtype(), Dims(std::span<const std::int64_t>(sizes)));
        for (std::int64_t i = 0; i < filled.size(); ++i)
            std::memcpy(filled.as<char>() + static_cast<std::size_t>(i) * sizeOf(one.dtype()), one.data(), sizeOf(one.dtype()));
        std::vector<std::int64_t> declared;
        for (int axis : order) declared.push_back(axis == DimShuffle::kNewAxis ? 1 : v.type().shape()[axis]);
        return edit.constant(Value(filled), Type::tensor(tensor.dtype(), declared));
    }
    return edit.make(makeOp<DimShuffle>(v.type().pattern(), std::move(order)), {v});
}

VarHandle padLeft(Editor &edit, VarHandle v, int rank)
{
    if (v.rank() >= rank) return v;
    std::vector<int> order(static_cast<std::size_t>(rank - v.rank()), DimShuffle::kNewAxis);
    for (int axis = 0; axis < v.rank(); ++axis) order.push_back(axis);
    return dimshuffle(edit, v, std::move(order));
}

VarHandle elementwise(Editor &edit, ScalarOpPtr scalar, std::span<const VarHandle> inputs)
{
    int rank = 0;
    for (const VarHandle &input : inputs) rank = std::max(rank, input.rank());
    std::vector<VarHandle> padded;
    for (const VarHandle &input : inputs) padded.push_back(padLeft(edit, input, rank));
    return edit.make(elemwise(scalar), padded);
}

VarHandle elementwise(Editor &edit, ScalarCode code, std::initializer_list<VarHandle> inputs)
{
    return elementwise(edit, scalarOp(code), std::span<const VarHandle>(inputs.begin(), inputs.size()));
}

OpRef overAxes(const CAReduce &op, std::optional<std::vector<int>> axes)
{
    return makeOp<CAReduce>(op.kind(), std::move(axes), op.dtype(), op.accDtype());
}

VarHandle castTo(Editor &edit, VarHandle v, DType dtype)
{
    if (v.dtype() == dtype) return v;
    if (const Value *value = v.constant(); value && value->isTensor())
        return edit.constant(Value(value->tensor().converted(dtype)), v.type().withDType(dtype));
    return elementwise(edit, castOp(dtype), std::span<const VarHandle>(&v, 1));
}

VarHandle asFloat(Editor &edit, VarHandle v) { return castTo(edit, v, floatUpgrade(v.dtype())); }

VarHandle withPattern(Editor &edit, VarHandle value, Type wanted)
{
    std::vector<std::pair<int, bool>> axes;
    for (int axis = 0; axis < wanted.rank(); ++axis)
        if (value.type().isBroadcastable(axis) && !wanted.isBroadcastable(axis)) axes.emplace_back(axis, false);
    return axes.empty() ? value : edit.make(makeOp<Rebroadcast>(std::move(axes)), {value});
}

VarHandle fillLike(Editor &edit, VarHandle like, VarHandle value)
{
    if (value.rank() == like.rank()) {
        bool covers = true;
        for (int axis = 0; axis < like.rank() && covers; ++axis)
            covers = like.type().isBroadcastable(axis) || !value.type().isBroadcastable(axis);
        if (covers) return value;
    }
    return elementwise(edit, ScalarCode::Second, {like, value});
}

VarHandle product(Editor &edit, std::span<const VarHandle> factors, VarHandle like)
{
    if (factors.empty()) return constantLike(edit, like, 1);
    if (factors.size() == 1) return factors[0];
    return elementwise(edit, scalarOp(ScalarCode::Mul), factors);
}

VarHandle total(Editor &edit, std::span<const VarHandle> terms, VarHandle like)
{
    if (terms.empty()) return constantLike(edit, like, 0);
    if (terms.size() == 1) return terms[0];
    return elementwise(edit, scalarOp(ScalarCode::Add), terms);
}

RewriteResult becomeOutput(Editor &edit, const NodeHandle &node, std::size_t output, VarHandle after, std::string reason)
{
    const VarHandle before = node.output(output);
    if (after.rank() > before.rank()) return declined("the rank would grow", node.id());
    if (after.dtype() != before.dtype()) {
        // A wider result is cast back; anything else would change the numbers.
        if (!canCastSafely(before.dtype(), after.dtype()) && !(isFloat(before.dtype()) && isFloat(after.dtype())) && !after.isConstant())
            return declined("the dtype would change", node.id());
        after = castTo(edit, after, before.dtype());
    }
    after = padLeft(edit, after, before.rank());
    if (!(after.type() == before.type()) && !node.opAs<Elemwise>() && after.rank() == before.rank()) {
        // Nothing stretches here: a size that is now known to be 1 was 1 before.
        std::vector<std::pair<int, bool>> axes;
        for (int axis = 0; axis < before.rank(); ++axis)
            if (after.type().isBroadcastable(axis) && !before.type().isBroadcastable(axis)) axes.emplace_back(axis, false);
        if (!axes.empty()) after = edit.make(makeOp<Rebroadcast>(std::move(axes)), {after});
    }
    if (!(after.type() == before.type())) {
        // Only the inputs of an Elemwise have its shape; elsewhere a size that is known to be 1 is one that just was not.
        for (std::size_t i = 0; elemwiseOf(node) && i < node.inputCount() && !(after.type() == before.type()); ++i)
            if (node.input(i).type().isTensor() && node.input(i).rank() == before.rank()) after = fillLike(edit, node.input(i), after);
        if (!elemwiseOf(node)) after = withPattern(edit, after, before.type());
        if (!(after.type() == before.type())) return declined("the broadcast pattern would change", node.id());
    }
    if (after == before) return declined("it is that already");
    edit.replace(before, after);
    return replaced(std::move(reason));
}

RewriteResult become(Editor &edit, const NodeHandle &node, VarHandle after, std::string reason)
{
    return becomeOutput(edit, node, 0, after, std::move(reason));
}

RewriteResult liftOverFunction(const NodeHandle &node, Editor &edit)
{
    const VarHandle x = node.input(0);
    const ApplyId owner = ownerOf(x);
    if (owner == kNoApply) return declined("its input is an input or a constant");
    const NodeHandle producer(node.graph(), owner);
    if (!elemwiseOf(producer) || producer.inputCount() != 1 || producer.outputCount() != 1)
        return declined("its input is no function of one argument", owner);
    if (!x.hasOneClient()) return declined("its input has other readers", owner);
    x.owner();
    std::vector<VarHandle> inputs = node.inputs();
    inputs[0] = producer.input(0);
    return become(edit, node, edit.make(producer.op(), {edit.make(node.op(), inputs)}));
}

} // namespace engine
