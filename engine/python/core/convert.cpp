#include "engine/python/core/convert.h"

#include "engine/ops/elements/elementwise.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/python/core/array.h"
#include "engine/python/core/device.h"
#include "engine/python/core/trace.h"
#include "engine/python/core/type.h"
#include "engine/scalar/cast_policy.h"

#include <array>

namespace python {

using engine::DType;
using engine::Tensor;
using engine::Variable;
using engine::VarRef;

namespace {

PyObject *s_fallback = nullptr; ///< Python's as_tensor_variable for everything else
bool s_customPolicy = true;     ///< flag cast_policy

/// Numbers from -10 to 10 are written again and again: one constant each.
VarRef fromInteger(PyObject *object)
{
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0 && value == -1 && PyErr_Occurred()) throw py::error_already_set();
    if (overflow > 0) {
        const unsigned long long big = PyLong_AsUnsignedLongLong(object);
        if (PyErr_Occurred()) throw py::error_already_set();
        Tensor tensor = Tensor::empty(DType::UInt64, {});
        *tensor.as<std::uint64_t>() = big;
        return Variable::constant(std::move(tensor));
    }
    if (overflow < 0) throw py::type_error("the integer is below what int64 can hold");
    if (!s_customPolicy) return Variable::constant(Tensor::scalarInt(DType::Int64, value));
    if (value < -10 || value > 10) return engine::literal(static_cast<std::int64_t>(value));
    static auto *small = new std::array<VarRef, 21>;
    VarRef &known = (*small)[value + 10];
    if (!known || !known->name().empty()) known = engine::literal(static_cast<std::int64_t>(value));
    return known;
}

VarRef fromFloat(double value)
{
    if (!s_customPolicy) return Variable::constant(Tensor::scalar(DType::Float64, value));
    return engine::literal(value, engine::floatX());
}

} // namespace

VarRef toVariable(PyObject *object)
{
    if (isVariable(object)) {
        Variable *variable = variableOf(object);
        if (variable->type().isTensor()) return engine::transfer(VarRef(variable), engine::DeviceId::Host);
    } else if (PyLong_CheckExact(object)) {
        return fromInteger(object);
    } else if (PyFloat_CheckExact(object)) {
        return fromFloat(PyFloat_AS_DOUBLE(object));
    } else if (isArray(object)) {
        const auto window = windowOf(object);
        if (window) {
            const TraceScope line; // the call that takes it sets its own only when all it takes is there
            return Variable::constant(tensorOf(object).copy());
        }
    }
    if (!s_fallback) throw py::type_error("the Python side is not loaded: import croton");
    py::object result = py::reinterpret_steal<py::object>(PyObject_CallOneArg(s_fallback, object));
    if (!result) throw py::error_already_set();
    if (!isVariable(result.ptr())) throw py::type_error(std::string(Py_TYPE(object)->tp_name) + " cannot be used as a tensor");
    return VarRef(variableOf(result.ptr()));
}

void addConversions(py::module_ &module)
{
    module.def("register_fallback", [](py::object function) { s_fallback = function.release().ptr(); });
    module.def("set_cast_policy", [](bool custom) {
        s_customPolicy = custom;
        engine::setLowersToFloatX(!custom);
    });
    module.def("set_float_x", [](const std::string &dtype) { engine::setFloatX(dtypeFromText(dtype)); });
    module.def(
        "as_variable", [](const Operand &operand) { return operand.variable; }, py::call_guard<TraceScope>());
    module.def(
        "constant",
        [](engine::Type type, py::object value, const std::string &name) {
            engine::Value native = toValue(type, value.ptr());
            if (native.isTensor()) native = isOnDevice(type) ? copiedOnDevice(native.tensor()) : native.tensor().copy();
            return Variable::constant(std::move(native), type, name);
        },
        py::call_guard<TraceScope>());
    module.def("constant_value", [](const VarRef &variable) {
        if (!variable || variable->kind() != Variable::Kind::Constant) throw py::type_error("this variable is no constant");
        return toPython(variable->value(), true);
    });
}

} // namespace python
