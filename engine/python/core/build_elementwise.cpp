#include "engine/python/core/build.h"

#include "engine/ops/elements/elementwise.h"
#include "engine/tensor/errors.h"

namespace python {

using engine::ScalarOpPtr;
using engine::VarRef;

namespace {

ScalarOpPtr scalarNamed(const std::string &name)
{
    ScalarOpPtr op = engine::findScalarOp(name);
    if (!op) throw py::key_error("there is no scalar function called " + name);
    return op;
}

std::optional<ScalarOpPtr> scalarOf(const engine::OpRef &op)
{
    const auto *elemwise = engine::opCast<engine::Elemwise>(op);
    if (!elemwise) return std::nullopt;
    return elemwise->scalar();
}

py::dict describe(ScalarOpPtr op)
{
    py::dict result;
    result["name"] = op->name();
    result["symbol"] = op->symbol();
    result["class"] = op->className();
    result["arity"] = op->arity();
    return result;
}

/// op(a, b, …) of an Elemwise, straight from a tuple of anything.
VarRef callElemwise(const engine::OpRef &op, const py::args &arguments)
{
    const auto *elemwise = engine::opCast<engine::Elemwise>(op);
    ENGINE_ASSERT(elemwise, "called with an Elemwise");
    const int arity = elemwise->scalar()->arity();
    if (arity >= 0 && static_cast<std::size_t>(arity) != arguments.size())
        throw py::type_error(elemwise->scalar()->symbol() + " takes " + std::to_string(arity) + " argument" + (arity == 1 ? "" : "s") +
                             ", got " + std::to_string(arguments.size()));
    if (arguments.empty()) throw py::type_error(elemwise->scalar()->symbol() + " takes at least one argument");
    std::vector<VarRef> inputs;
    inputs.reserve(arguments.size());
    for (py::handle argument : arguments) inputs.push_back(toVariable(argument.ptr()));
    return engine::elementwise(elemwise->scalar(), inputs);
}

} // namespace

void addElementwiseBuilders(py::module_ &module)
{
    using Trace = py::call_guard<BuildScope>;
    module.def("elemwise", [](const std::string &name) { return engine::elemwise(scalarNamed(name)); });
    module.def("has_scalar", [](const std::string &name) { return engine::findScalarOp(name) != nullptr; });
    module.def("scalar_names", [] {
        std::vector<std::string> names;
        for (ScalarOpPtr op : engine::allScalarOps()) names.push_back(op->symbol());
        return names;
    });
    module.def("scalar_of", [](const engine::OpRef &op) -> py::object {
        const auto scalar = scalarOf(op);
        return scalar ? py::object(describe(*scalar)) : py::none();
    });
    module.def("call_elemwise", callElemwise, Trace());
    module.def(
        "binary",
        [](const std::string &name, const Operand &a, const Operand &b) {
            const VarRef inputs[] = {a.variable, b.variable};
            return engine::elementwise(scalarNamed(name), inputs);
        },
        Trace());
    module.def("scalar_result", [](const std::string &name, const std::vector<std::string> &dtypes) {
        std::vector<engine::DType> arguments;
        for (const std::string &dtype : dtypes) arguments.push_back(dtypeFromText(dtype));
        return std::string(engine::nameOf(scalarNamed(name)->resultTypes(arguments).at(0)));
    });
    module.def("scalar_value",
               [](const std::string &name, const std::vector<double> &arguments) { return scalarNamed(name)->evaluate(arguments); });
}

} // namespace python
