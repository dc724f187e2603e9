#include "engine/python/core/build.h"

#include "engine/ops/elements/compose.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/known_sizes.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"

#include <algorithm>

namespace python {

using engine::VarRef;

namespace {

VarRef reduce(const std::string &kind, const VarRef &a, std::optional<std::vector<int>> axes, bool keepDims,
              std::optional<engine::DType> dtype, std::optional<engine::DType> accDType)
{
    const auto found = std::find(engine::kReduceNames.begin(), engine::kReduceNames.end(), kind);
    if (found == engine::kReduceNames.end()) throw py::key_error("there is no reduction called " + kind);
    return engine::reduce(static_cast<engine::ReduceKind>(found - engine::kReduceNames.begin()), a, std::move(axes), keepDims, dtype,
                          accDType);
}

VarRef allocEmpty(engine::DType dtype, std::span<const VarRef> sizes)
{
    return engine::applySized(engine::makeOp<engine::AllocEmpty>(dtype), sizes, sizes);
}

} // namespace

void addShapeBuilders(py::module_ &module)
{
    build(module, "reduce", reduce);
    build(module, "mean", engine::mean);
    build(module, "dimshuffle", engine::dimshuffle);
    build(module, "pad_left", engine::padLeft);
    build(module, "known_length", engine::knownLength);
    module.def("dimshuffle_op", [](const std::vector<bool> &pattern, std::vector<int> order) {
        return engine::makeOp<engine::DimShuffle>(pattern, std::move(order));
    });
    build(module, "shape", engine::shape);
    build(module, "shape_i", engine::shapeOf);
    build(module, "make_vector", engine::makeVector);
    build(module, "alloc", engine::alloc);
    build(module, "alloc_empty", allocEmpty);
    build<BuildScope, VarRef, const VarRef &, const VarRef &, int>(module, "reshape", engine::reshape);
    build<BuildScope, VarRef, const VarRef &, std::span<const VarRef>>(module, "reshape_sizes", engine::reshape);
    build(module, "flatten", engine::flatten);
    build(module, "specify_shape", engine::specifyShape);
    build(module, "rebroadcast", engine::rebroadcast);
    build(module, "pattern_broadcast", engine::patternBroadcast);
}

} // namespace python
