// The engine's errors as the exceptions that scripts catch.
#include "engine/python/core/errors.h"

#include "engine/compile/debug/debug_mode.h"
#include "engine/compile/function/function.h"
#include "engine/compile/function/later_errors.h"
#include "engine/device/device.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/elements/checks.h"
#include "engine/ops/products/linalg.h"
#include "engine/python/core/interrupts.h"
#include "engine/python/core/op.h"
#include "engine/tensor/errors.h"
#include "engine/text/notation.h"

namespace python {
namespace {

PyObject *s_missingInput = nullptr, *s_disconnectedInput = nullptr, *s_nullGradient = nullptr, *s_runError = nullptr,
         *s_unusedInput = nullptr, *s_debugErrors = nullptr;

void raise(PyObject *type, const engine::UserError &error)
{
    std::string text = error.what();
    if (!error.hint().empty()) text += "\nHINT: " + error.hint();
    PyErr_SetString(type, text.c_str());
}

PyObject *linearAlgebraError()
{
    static PyObject *const type = py::object(py::module_::import("numpy.linalg").attr("LinAlgError")).release().ptr();
    return type;
}

/// The Python class of what an apply threw.
PyObject *exceptionClass(const std::exception_ptr &cause)
{
    try {
        if (cause) std::rethrow_exception(cause);
    } catch (const engine::TypeMismatch &) {
        return PyExc_TypeError;
    } catch (const engine::OutOfBounds &) {
        return PyExc_IndexError;
    } catch (const engine::AssertionFailed &) {
        return PyExc_AssertionError;
    } catch (const engine::LinearAlgebraError &) {
        return linearAlgebraError();
    } catch (const std::bad_alloc &) {
        return PyExc_MemoryError;
    } catch (const engine::OutOfDeviceMemory &) {
        return PyExc_MemoryError;
    } catch (...) {
        // everything else is a value that does not fit
    }
    return PyExc_ValueError;
}

/// The exception that Python code raised inside the engine comes out as it was.
bool restorePending()
{
    PendingError &pending = pendingError();
    if (!pending.set()) return false;
    PyErr_Restore(pending.type, pending.value, pending.trace);
    pending.type = pending.value = pending.trace = nullptr;
    return true;
}

void translate(std::exception_ptr pointer) // NOLINT(performance-unnecessary-value-param): as pybind11 calls it
{
    try {
        if (pointer) std::rethrow_exception(pointer);
    } catch (const engine::Interrupted &) {
        raiseInterrupt();
    } catch (const engine::RunError &error) {
        PendingError &pending = pendingError();
        py::object type, cause;
        if (pending.set()) {
            PyErr_NormalizeException(&pending.type, &pending.value, &pending.trace);
            if (pending.trace) PyException_SetTraceback(pending.value, pending.trace);
            type = py::reinterpret_borrow<py::object>(pending.type);
            cause = py::reinterpret_borrow<py::object>(pending.value);
            pending.clear();
        } else {
            type = py::reinterpret_borrow<py::object>(exceptionClass(error.cause));
            cause = py::none();
        }
        py::object raised = py::reinterpret_steal<py::object>(
            PyObject_CallFunction(s_runError, "OOss", type.ptr(), cause.ptr(), error.what(), error.hint().c_str()));
        if (raised) PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(raised.ptr())), raised.ptr());
    } catch (const engine::MissingInput &error) {
        raise(s_missingInput ? s_missingInput : PyExc_TypeError, error);
    } catch (const engine::UnusedInput &error) {
        raise(s_unusedInput ? s_unusedInput : PyExc_ValueError, error);
    } catch (const engine::DebugModeError &error) {
        PyObject *type = s_debugErrors ? PyDict_GetItemString(s_debugErrors, std::string(nameOf(error.fault)).c_str()) : nullptr;
        raise(type ? type : PyExc_ValueError, error);
    } catch (const engine::FoundOnDevice &error) {
        try {
            engine::throwWithApply(error);
        } catch (const engine::RunError &) {
            translate(std::current_exception());
        } catch (const engine::UserError &bare) {
            raise(exceptionClass(std::current_exception()), bare);
        }
    } catch (const engine::OutOfBudget &error) {
        raise(PyExc_MemoryError, error);
    } catch (const engine::UserError &error) {
        if (!restorePending()) raise(exceptionClass(std::current_exception()), error);
    } catch (const engine::DisconnectedInput &error) {
        PyErr_SetString(s_disconnectedInput ? s_disconnectedInput : PyExc_ValueError, error.what());
    } catch (const engine::NullGradient &error) {
        PyErr_SetString(s_nullGradient ? s_nullGradient : PyExc_ValueError, error.what());
    } catch (const engine::NotationError &error) {
        PyErr_Format(PyExc_SyntaxError, "%s (line %d, column %d)", error.what(), error.line, error.column);
    } catch (const engine::OutOfDeviceMemory &error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const engine::InternalError &error) {
        PyErr_Format(PyExc_AssertionError, "%s\nThis is a fault of Croton, not of your program.", error.what());
    }
}

} // namespace

void raiseTranslated(std::exception_ptr error)
{
    try {
        translate(std::move(error));
    } catch (py::error_already_set &python) {
        python.restore();
    } catch (const py::builtin_exception &builtin) {
        builtin.set_error();
    } catch (const std::bad_alloc &error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const std::exception &other) {
        PyErr_SetString(PyExc_RuntimeError, other.what());
    }
}

void addErrors(py::module_ &module)
{
    py::register_exception_translator(translate);
    module.def("register_unused_input", [](py::object cls) { s_unusedInput = cls.release().ptr(); });
    module.def("register_debug_errors", [](py::dict byName) { s_debugErrors = byName.release().ptr(); });
    module.def("register_errors", [](py::object missingInput, py::object disconnected, py::object null, py::object runError) {
        s_missingInput = missingInput.release().ptr();
        s_disconnectedInput = disconnected.release().ptr();
        s_nullGradient = null.release().ptr();
        s_runError = runError.release().ptr();
    });
}

} // namespace python
