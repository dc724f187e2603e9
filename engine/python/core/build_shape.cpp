#include "engine/python/core/build.h"

#include "engine/ops/elements/compose.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/known_sizes.h"
#include "engine/ops/shapes/reshape.h"

#include <algorithm>

namespace python {

using engine::VarRef;

namespace {

VarRef reduce(const std::string &kind, const Operand &a, std::optional<std::vector<int>> axes, bool keepDims,
              const std::optional<std::string> &dtype, const std::optional<std::string> &accDType)
{
    const auto found = std::find(engine::kReduceNames.begin(), engine::kReduceNames.end(), kind);
    if (found == engine::kReduceNames.end()) throw py::key_error("there is no reduction called " + kind);
    const auto dtypeOf = [](const std::optional<std::string> &name) {
        return name ? std::optional<engine::DType>(dtypeFromText(*name)) : std::nullopt;
    };
    return engine::reduce(static_cast<engine::ReduceKind>(found - engine::kReduceNames.begin()), a.variable, std::move(axes), keepDims,
                          dtypeOf(dtype), dtypeOf(accDType));
}

VarRef allocEmpty(const std::string &dtype, const Operands &sizes)
{
    const std::vector<VarRef> given = variables(sizes);
    return engine::applySized(engine::makeOp<engine::AllocEmpty>(dtypeFromText(dtype)), given, given);
}

} // namespace

void addShapeBuilders(py::module_ &module)
{
    using Trace = py::call_guard<BuildScope>;
    module.def("reduce", reduce, Trace());
    module.def(
        "dimshuffle", [](const Operand &a, std::vector<int> order) { return engine::dimshuffle(a.variable, std::move(order)); }, Trace());
    module.def("known_length", [](const Operand &vector) { return engine::knownLength(vector.variable); });
    module.def("dimshuffle_op", [](const std::vector<bool> &pattern, std::vector<int> order) {
        return engine::makeOp<engine::DimShuffle>(pattern, std::move(order));
    });
    module.def("alloc_empty", allocEmpty, Trace());
    module.def(
        "reshape", [](const Operand &a, const Operand &sizes, int rank) { return engine::reshape(a.variable, sizes.variable, rank); },
        Trace());
    module.def(
        "reshape_sizes", [](const Operand &a, const Operands &sizes) { return engine::reshape(a.variable, variables(sizes)); }, Trace());
    module.def(
        "rebroadcast",
        [](const Operand &a, std::vector<std::pair<int, bool>> axes) { return engine::rebroadcast(a.variable, std::move(axes)); }, Trace());
    module.def(
        "pattern_broadcast",
        [](const Operand &a, const std::vector<bool> &pattern) { return engine::patternBroadcast(a.variable, pattern); }, Trace());
    module.def("scalar_constant_value", engine::scalarConstantValue, py::call_guard<PendingGuard>());
}

} // namespace python
