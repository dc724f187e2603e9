// The functions of the notation as functions of croton._core: each is made when Python first asks for it.
#include "engine/graph/syntax/notation_call.h"
#include "engine/python/core/build.h"
#include "engine/scalar/cast_policy.h"

namespace python {

using engine::NotationValue;
using engine::VarRef;

namespace {

/// Python's objects become variables by Python's rules.
class PythonCall final : public engine::NotationCall {
public:
    using NotationCall::NotationCall;
    VarRef toVariable(const NotationValue &value) const override
    {
        if (!value.object) return NotationCall::toVariable(value);
        return python::toVariable(static_cast<PyObject *>(const_cast<void *>(value.object)));
    }
};

NotationValue valueOf(PyObject *object)
{
    const auto plain = [&]() -> NotationValue {
        if (object == Py_None) return {};
        if (PyBool_Check(object)) return NotationValue::ofBoolean(object == Py_True);
        if (PyFloat_Check(object)) return NotationValue::ofReal(PyFloat_AS_DOUBLE(object));
        if (PyUnicode_Check(object)) return NotationValue::ofText(py::cast<std::string>(py::handle(object)));
        if (PyLong_Check(object)) {
            int overflow = 0;
            return NotationValue::ofInteger(PyLong_AsLongLongAndOverflow(object, &overflow));
        }
        if (PyList_Check(object) || PyTuple_Check(object)) {
            std::vector<NotationValue> items;
            for (py::handle item : py::reinterpret_borrow<py::sequence>(object)) items.push_back(valueOf(item.ptr()));
            return NotationValue::ofList(std::move(items));
        }
        return {python::toVariable(object)};
    };
    NotationValue value = plain();
    if (value.kind != NotationValue::Kind::Variable) value.object = object;
    return value;
}

py::object pythonResult(const NotationValue &value)
{
    if (value.kind != NotationValue::Kind::List) return py::cast(value.variable);
    py::list results;
    for (const NotationValue &one : value.items) results.append(py::cast(one.variable));
    return results;
}

py::object called(const engine::NotationFunction &function, const py::args &arguments, const py::kwargs &named)
{
    std::vector<NotationValue> positional;
    std::vector<std::pair<std::string, NotationValue>> byName;
    for (py::handle argument : arguments) positional.push_back(valueOf(argument.ptr()));
    for (const auto &[name, argument] : named) byName.emplace_back(py::cast<std::string>(name), valueOf(argument.ptr()));
    const BuildScope scope; // begins when what is given is there
    try {
        PythonCall call(function.name, std::move(positional), std::move(byName), engine::floatX(), 1, 1);
        const NotationValue result = function.build(call);
        call.finish(function.signature);
        return pythonResult(result);
    } catch (const engine::NotationError &error) {
        throw py::value_error(error.what());
    }
}

} // namespace

void addNotation(py::module_ &module)
{
    module.def("__getattr__", [module](const std::string &name) -> py::object {
        const engine::NotationFunction *function = engine::findNotation(name);
        if (!function || function->isScalar) throw py::attribute_error("module 'croton._core' has no attribute '" + name + "'");
        py::cpp_function made(
            [function](const py::args &arguments, const py::kwargs &named) { return called(*function, arguments, named); },
            py::name(function->name.c_str()));
        module.attr(name.c_str()) = made;
        return made;
    });
}

} // namespace python
