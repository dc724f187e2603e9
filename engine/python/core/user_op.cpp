// PyOp: rules and code of an op that is written in Python.
#include "engine/python/core/op.h"

#include "engine/compile/debug/debug_mode.h"
#include "engine/compile/request/mode.h"
#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/ops/shapes/nested_shapes.h"
#include "engine/python/core/array.h"
#include "engine/python/core/device.h"
#include "engine/python/core/trace.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>

namespace python {

using engine::Alias;
using engine::Type;
using engine::Value;
using engine::VarRef;

namespace {

std::vector<Alias> aliasesFrom(py::handle op, const char *attribute)
{
    std::vector<Alias> result;
    const py::object map = py::getattr(op, attribute, py::none());
    if (map.is_none()) return result;
    const auto port = [&](py::handle number) {
        const int value = py::cast<int>(number);
        if (value < 0)
            throw py::value_error(std::string(attribute) + " of " + std::string(py::str(op)) + " names " + std::to_string(value) +
                                  ": outputs and inputs are counted from 0");
        return static_cast<std::uint32_t>(value);
    };
    for (auto [output, inputs] : py::dict(map))
        for (py::handle input : inputs) result.push_back({port(output), port(input)});
    return result;
}

/// "text" of the exception, its class where it has none: what C++ says of it would carry a traceback too.
std::string sentenceOf(const py::error_already_set &error)
{
    const std::string text = py::cast<std::string>(py::str(error.value()));
    return text.empty() ? py::cast<std::string>(error.type().attr("__name__")) : text;
}

py::object helper(const char *name) { return py::module_::import("croton.gof.user_op").attr(name); }

} // namespace

PendingError &pendingError()
{
    thread_local PendingError error;
    return error;
}

void PendingError::keep(py::error_already_set &error)
{
    clear();
    error.restore();
    PyErr_Fetch(&type, &value, &trace);
}

void throwKept(py::error_already_set &error, const std::string &text)
{
    const bool isError = error.matches(PyExc_Exception);
    pendingError().keep(error);
    if (!isError) throw engine::Interrupted();
    throw engine::UserError(text);
}

void PendingError::clear()
{
    Py_CLEAR(type);
    Py_CLEAR(value);
    Py_CLEAR(trace);
}

PyOp::PyOp(PyObject *object, std::vector<VarRef> inputs, std::vector<Type> outputs, std::vector<PyObject *> ownTypes)
    : m_object(Py_NewRef(object)), m_inputs(std::move(inputs)), m_outputs(std::move(outputs)), m_ownTypes(std::move(ownTypes))
{
    for (PyObject *type : m_ownTypes) Py_XINCREF(type);
    const py::handle self(object);
    const py::handle cls = py::type::handle_of(self);
    m_className = py::cast<std::string>(cls.attr("__name__"));
    m_moduleName = py::cast<std::string>(cls.attr("__module__"));
    m_text = py::cast<std::string>(py::str(self));
    m_identity = "python " + std::to_string(py::hash(self));
    m_views = aliasesFrom(self, "view_map");
    m_destroys = aliasesFrom(self, "destroy_map");
    const py::object output = py::getattr(self, "default_output", py::none());
    if (!output.is_none()) m_defaultOutput = py::cast<int>(output);
}

PyOp::~PyOp()
{
    releaseAnywhere(m_node);
    for (PyObject *type : m_ownTypes) releaseAnywhere(type);
    releaseAnywhere(m_object);
}

bool PyOp::equals(const engine::Op &other) const
{
    if (this == &other) return true;
    const auto *op = engine::opCast<PyOp>(&other);
    if (!op || op->m_outputs != m_outputs) return false;
    if (op->m_object == m_object) return true;
    Gil lock;
    const int equal = PyObject_RichCompareBool(m_object, op->m_object, Py_EQ);
    if (equal < 0) throw py::error_already_set();
    return equal == 1;
}

std::vector<Type> PyOp::outputTypes(std::span<const engine::Operand>) const { return m_outputs; }

bool PyOp::canFold() const
{
    Gil lock;
    try {
        return py::cast<bool>(py::handle(m_object).attr("do_constant_folding")(performNode()));
    } catch (py::error_already_set &error) {
        throwKept(error, "do_constant_folding of the op " + m_text + " failed");
    }
}

bool PyOp::runsCompiled(bool compiles) const
{
    Gil lock;
    try {
        return py::cast<bool>(helper("runs_c_code")(py::handle(m_object), performNode(), compiles));
    } catch (py::error_already_set &) {
        return false; // its first run says what is wrong with the code
    }
}

/// infer_shape() gives expressions of sizes and of the op's inputs; the builder follows them. Where it cannot, the sizes
/// are those of what perform() gave.
bool PyOp::inferShape(engine::ShapeBuilder &shapes, std::vector<engine::SymShape> &outputs) const
{
    Gil lock;
    try {
        const py::object answer = helper("symbolic_shapes")(py::handle(m_object), performNode());
        if (answer.is_none()) return false;
        // (sizes: [(variable, input, axis)], shapes: [[variable]])
        std::vector<std::pair<VarRef, engine::Sym>> known;
        for (py::handle entry : py::object(answer[py::int_(0)])) {
            const auto [variable, input, axis] = py::cast<std::tuple<VarRef, int, int>>(entry);
            known.emplace_back(variable, shapes.dim(input, axis));
        }
        for (py::handle shape : py::object(answer[py::int_(1)])) {
            const auto sizes = engine::nestedValues(m_inputs, known, py::cast<std::vector<VarRef>>(shape), shapes);
            if (!sizes) {
                outputs.clear();
                return false;
            }
            outputs.push_back(*sizes);
        }
        return true;
    } catch (py::error_already_set &error) {
        throwKept(error, "infer_shape of the op " + m_text + " failed");
    }
}

std::vector<VarRef> PyOp::gradient(const engine::Apply &node, std::span<const VarRef> outputGrads) const
{
    Gil lock;
    try {
        const py::object terms = helper("gradient_terms")(py::handle(m_object), engine::ApplyRef(const_cast<engine::Apply *>(&node)),
                                                          std::vector<VarRef>(outputGrads.begin(), outputGrads.end()));
        return py::cast<std::vector<VarRef>>(terms);
    } catch (py::error_already_set &error) {
        throwKept(error, "the gradient of the op " + m_text + " failed");
    }
}

std::vector<VarRef> PyOp::rop(const engine::Apply &node, std::span<const VarRef> evalPoints) const
{
    Gil lock;
    try {
        const py::object terms = helper("rop_terms")(py::handle(m_object), engine::ApplyRef(const_cast<engine::Apply *>(&node)),
                                                     std::vector<VarRef>(evalPoints.begin(), evalPoints.end()));
        return py::cast<std::vector<VarRef>>(terms);
    } catch (py::error_already_set &error) {
        throwKept(error, "R_op of the op " + m_text + " failed");
    }
}

std::vector<std::vector<bool>> PyOp::connectionPattern(const engine::Apply &node) const
{
    Gil lock;
    try {
        const py::object pattern = helper("connection_pattern")(py::handle(m_object), engine::ApplyRef(const_cast<engine::Apply *>(&node)));
        return py::cast<std::vector<std::vector<bool>>>(pattern);
    } catch (py::error_already_set &error) {
        throwKept(error, "connection_pattern of the op " + m_text + " failed");
    }
}

py::object PyOp::performNode() const
{
    if (!m_node) {
        py::list outputs;
        for (std::size_t i = 0; i < m_outputs.size(); ++i) {
            const py::object output = py::cast(engine::Variable::input(m_outputs[i]));
            if (m_ownTypes[i]) keepOwnType(output.ptr(), m_ownTypes[i]);
            outputs.append(output);
        }
        m_node = helper("PerformNode")(py::handle(m_object), m_inputs, outputs).release().ptr();
    }
    return py::reinterpret_borrow<py::object>(m_node);
}

// perform() gets its inputs as read-only arrays. A view that it returns shares the memory of the input, and a later op may overwrite it.
Value PyOp::ofInput(Value result, std::size_t output, std::span<const Value> inputs) const
{
    const auto isHere = [](const Value &value) {
        return value.isTensor() && value.tensor().device() == engine::DeviceId::Host && value.tensor().storage();
    };
    for (const engine::Alias &alias : m_views) {
        if (alias.output != output || !isHere(result) || !isHere(inputs[alias.input])) continue;
        const engine::Tensor &view = result.tensor(), &base = inputs[alias.input].tensor();
        if (view.size() == 0) return Value(engine::Tensor(view.dtype(), view.shape(), view.strides(), base.data(), base.storage()));
        const engine::ByteRange range = engine::byteRange(base.shape(), base.strides(), engine::sizeOf(base.dtype()));
        const std::int64_t at = view.as<const char>() - base.as<const char>();
        if (at >= range.begin && at < range.end)
            return Value(engine::Tensor(view.dtype(), view.shape(), view.strides(), view.data(), base.storage()));
    }
    return result;
}

void PyOp::performValues(std::span<const Value> inputs, std::span<Value> outputs) const
{
    Gil lock;
    try {
        py::list arguments;
        for (std::size_t i = 0; i < inputs.size(); ++i) arguments.append(toPython(inputs[i], true));
        // Only DebugMode leaves something where the results go.
        const bool isDebugging = engine::isDebugging();
        py::list found;
        for (const Value &output : outputs) found.append(isDebugging && output.isTensor() ? toPython(output, true) : py::none());
        const WithinOp within;
        const py::object results =
            helper("perform")(py::handle(m_object), performNode(), arguments, found, isDebugging, isDebugging || engine::isRunCompiled());
        std::size_t i = 0;
        for (py::handle result : results) {
            outputs[i] = ofInput(toValue(m_outputs[i], result.ptr()), i, inputs);
            ++i;
        }
    } catch (py::error_already_set &error) {
        const std::string text = sentenceOf(error);
        if (const auto fault =
                engine::isDebugging() ? engine::debugFault(py::cast<std::string>(error.type().attr("__name__"))) : std::nullopt)
            throw engine::DebugModeError(*fault, text);
        throwKept(error, text);
    }
}

OP_CARD(PyOp, Script);

} // namespace python
