#include "engine/python/core/build.h"

#include "engine/ops/alloc.h"
#include "engine/ops/compose.h"
#include "engine/ops/dimshuffle.h"
#include "engine/ops/fused_reduce.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/python/core/trace.h"
#include "engine/python/core/type.h"
#include "engine/tensor/errors.h"

namespace python {

using engine::DType;
using engine::VarRef;

namespace {

engine::ReduceKind reduceKind(const std::string &name)
{
    using engine::ReduceKind;
    if (name == "sum") return ReduceKind::Sum;
    if (name == "prod") return ReduceKind::Prod;
    if (name == "max") return ReduceKind::Max;
    if (name == "min") return ReduceKind::Min;
    if (name == "any") return ReduceKind::Any;
    if (name == "all") return ReduceKind::All;
    throw py::key_error("there is no reduction called " + name);
}

std::optional<DType> optionalDType(const std::optional<std::string> &name)
{
    return name ? std::optional<DType>(dtypeFromText(*name)) : std::nullopt;
}

} // namespace

void addShapeBuilders(py::module_ &module)
{
    using Trace = py::call_guard<TraceScope>;
    module.def(
        "reduce",
        [](const std::string &kind, const Operand &a, const std::optional<std::vector<int>> &axes, bool keepDims,
           const std::optional<std::string> &dtype, const std::optional<std::string> &accDType) {
            return engine::reduce(reduceKind(kind), a.variable, axes, keepDims, optionalDType(dtype), optionalDType(accDType));
        },
        py::arg("kind"), py::arg("a"), py::arg("axes") = py::none(), py::arg("keepdims") = false, py::arg("dtype") = py::none(),
        py::arg("acc_dtype") = py::none(), Trace());
    module.def(
        "mean",
        [](const Operand &a, const std::optional<std::vector<int>> &axes, bool keepDims) {
            return engine::mean(a.variable, axes, keepDims);
        },
        py::arg("a"), py::arg("axes") = py::none(), py::arg("keepdims") = false, Trace());
    module.def(
        "dimshuffle", [](const Operand &a, std::vector<int> order) { return engine::dimshuffle(a.variable, std::move(order)); }, Trace());
    module.def("dimshuffle_op", [](const std::vector<bool> &pattern, std::vector<int> order) {
        return engine::makeOp<engine::DimShuffle>(pattern, std::move(order));
    });
    module.def("dimshuffle_order", [](const engine::OpRef &op) -> py::object {
        const auto *shuffle = engine::opCast<engine::DimShuffle>(op);
        return shuffle ? py::cast(shuffle->order()) : py::none();
    });
    module.def("reduce_axes", [](const engine::OpRef &op) -> py::object {
        const auto *reduce = engine::opCast<engine::CAReduce>(op);
        if (const auto *fused = engine::opCast<engine::FusedReduce>(op)) reduce = &fused->reduce();
        return reduce && reduce->axes() ? py::cast(*reduce->axes()) : py::none();
    });
    module.def(
        "shape", [](const Operand &a) { return engine::shape(a.variable); }, Trace());
    module.def(
        "shape_i", [](const Operand &a, int axis) { return engine::shapeOf(a.variable, axis); }, Trace());
    module.def(
        "make_vector", [](const Operands &scalars) { return engine::makeVector(variables(scalars)); }, Trace());
    module.def(
        "alloc", [](const Operand &value, const Operands &sizes) { return engine::alloc(value.variable, variables(sizes)); }, Trace());
    module.def(
        "alloc_empty",
        [](const std::string &dtype, const Operands &sizes) {
            return engine::apply(engine::makeOp<engine::AllocEmpty>(dtypeFromText(dtype)), variables(sizes));
        },
        Trace());
    module.def(
        "reshape", [](const Operand &a, const Operand &sizes, int rank) { return engine::reshape(a.variable, sizes.variable, rank); },
        Trace());
    module.def(
        "reshape_sizes", [](const Operand &a, const Operands &sizes) { return engine::reshape(a.variable, variables(sizes)); }, Trace());
    module.def(
        "flatten", [](const Operand &a, int rank) { return engine::flatten(a.variable, rank); }, Trace());
    module.def(
        "specify_shape", [](const Operand &a, const Operand &sizes) { return engine::specifyShape(a.variable, sizes.variable); }, Trace());
    module.def(
        "rebroadcast",
        [](const Operand &a, std::vector<std::pair<int, bool>> axes) { return engine::rebroadcast(a.variable, std::move(axes)); }, Trace());
    module.def(
        "pattern_broadcast",
        [](const Operand &a, const std::vector<bool> &pattern) { return engine::patternBroadcast(a.variable, pattern); }, Trace());
    module.def("scalar_constant_value", [](const engine::VarRef &variable) { return engine::scalarConstantValue(variable); });
}

} // namespace python
