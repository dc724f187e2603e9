#include "engine/python/core/function_object.h"

#include "engine/python/core/array.h"
#include "engine/python/core/errors.h"
#include "engine/python/core/heap_type.h"
#include "engine/python/core/interrupts.h"
#include "engine/python/core/op.h"

#include <structmember.h>

#include <array>
#include <bit>
#include <optional>
#include <thread>

namespace python {

using engine::Tensor;
using engine::View;

namespace {

/// Calls that took longer than this let other Python threads run next time.
constexpr double kLongCallSeconds = 20e-6;
/// Calls that took longer than this watch for signals from the beginning next time.
constexpr double kWatchedSeconds = 10e-3;
constexpr std::uint64_t kNotCalled = ~std::uint64_t(0);

struct FunctionState {
    FunctionParts parts;
    bool onlyTensors = false;
    bool anyRefused = false; ///< an input that may not be given
    bool anyMutable = false;
    bool anyKept = false;  ///< an input whose value stays from call to call
    bool anyRefed = false; ///< an input whose default comes back after each call
    bool running = false;  ///< guarded by the interpreter lock
    std::thread::id runner;
    std::uint64_t lastTicks = kNotCalled;
    std::uint64_t calls = 0, conversions = 0, convertingTicks = 0;
    std::uint64_t longTicks = 0, watchedTicks = 0;
    std::vector<View> views;
    std::vector<Tensor> tensors;
};

struct FunctionObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    FunctionState *state;
    PyObject *dict;
    PyObject *weak;
    char trustInput;
};

PyTypeObject *s_type = nullptr;
PyObject *s_filter = nullptr;  ///< (function, index, value) → a value that fits, or raises
PyObject *s_watcher = nullptr; ///< (id, arguments or None, result, calls, conversions, their nanoseconds); null: nothing is recorded
PyObject *s_subset = nullptr;  ///< (function, arguments, keywords) → some of the outputs

FunctionObject *as(PyObject *object) { return reinterpret_cast<FunctionObject *>(object); }

class Released {
public:
    explicit Released(bool really) : m_state(really ? PyEval_SaveThread() : nullptr) {}
    ~Released()
    {
        if (m_state) PyEval_RestoreThread(m_state);
    }

private:
    PyThreadState *m_state;
};

/// References to converted arguments, for as long as the call lasts.
class Held {
public:
    ~Held()
    {
        for (std::size_t i = 0; i < m_count; ++i) Py_DECREF(m_few[i]);
        for (PyObject *object : m_many) Py_DECREF(object);
    }
    PyObject *operator()(PyObject *object)
    {
        if (m_count < m_few.size()) m_few[m_count++] = object;
        else m_many.push_back(object);
        return object;
    }

private:
    std::array<PyObject *, 4> m_few;
    std::size_t m_count = 0;
    std::vector<PyObject *> m_many;
};

PyObject *copied(PyObject *array)
{
    PyObject *copy = PyObject_CallMethod(array, "copy", nullptr);
    if (!copy) throw py::error_already_set();
    return copy;
}

std::string slotName(const FunctionState &state, std::size_t index)
{
    const InputSlot &slot = state.parts.inputs[index];
    return slot.name.is_none() ? "input " + std::to_string(index) : py::cast<std::string>(slot.name);
}

PyObject *stored(const InputSlot &slot)
{
    if (PyList_CheckExact(slot.storage.ptr()) && PyList_GET_SIZE(slot.storage.ptr()) > 0)
        return Py_NewRef(PyList_GET_ITEM(slot.storage.ptr(), 0));
    PyObject *value = PySequence_GetItem(slot.storage.ptr(), 0);
    if (!value) throw py::error_already_set();
    return value;
}

void store(const InputSlot &slot, PyObject *value)
{
    if (PyList_CheckExact(slot.storage.ptr()) && PyList_GET_SIZE(slot.storage.ptr()) > 0 && PyList_GET_ITEM(slot.storage.ptr(), 0) == value)
        return;
    if (PySequence_SetItem(slot.storage.ptr(), 0, value) < 0) throw py::error_already_set();
}

/// Default values that were set from outside are good for one call.
class Refeed {
public:
    explicit Refeed(const FunctionState &state) : m_state(state) {}
    ~Refeed()
    {
        if (!m_state.anyRefed) return;
        for (const InputSlot &slot : m_state.parts.inputs)
            if (slot.defaultValue && PyList_GET_SIZE(slot.storage.ptr()) > 0 &&
                PyList_GET_ITEM(slot.storage.ptr(), 0) != slot.defaultValue.ptr())
                PyList_SetItem(slot.storage.ptr(), 0, Py_NewRef(slot.defaultValue.ptr()));
    }

private:
    const FunctionState &m_state;
};

/// Positional and named arguments and the values of now, one per slot.
void bindArguments(const FunctionState &state, PyObject *const *args, std::size_t count, PyObject *names, std::span<PyObject *> bound,
                   Held &held)
{
    const auto &slots = state.parts.inputs;
    std::size_t next = 0;
    std::size_t given = 0;
    for (std::size_t i = 0; i < slots.size() && next < count; ++i) {
        if (slots[i].refused) continue;
        bound[i] = args[next++];
        ++given;
    }
    if (next < count && state.anyRefused && count <= slots.size())
        throw py::type_error("Tried to provide value for implicit input: the function takes " + std::to_string(given) + " values, got " +
                             std::to_string(count));
    if (next < count)
        throw py::type_error("Too many parameter passed to theano function: it takes " + std::to_string(given) + ", got " +
                             std::to_string(count));
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject *name = PyTuple_GET_ITEM(names, k);
        bool found = false;
        for (std::size_t i = 0; i < slots.size() && !found; ++i) {
            if (slots[i].name.is_none()) continue;
            if (slots[i].name.ptr() != name && PyUnicode_Compare(slots[i].name.ptr(), name) != 0) continue;
            if (slots[i].refused)
                throw py::type_error("Tried to provide value for implicit input: " + slotName(state, i) + ": it has its own value");
            for (std::size_t k = i + 1; k < slots.size(); ++k)
                if (!slots[k].name.is_none() && PyUnicode_Compare(slots[k].name.ptr(), name) == 0)
                    throw py::type_error("Ambiguous name: " + slotName(state, i) +
                                         " - please check the names of the inputs of your function for duplicates.");
            if (bound[i]) throw py::type_error("Multiple values for input: " + slotName(state, i));
            bound[i] = args[count + static_cast<std::size_t>(k)];
            found = true;
        }
        if (!found)
            throw py::type_error("the function " + state.parts.function->name() + " has no input called '" +
                                 py::cast<std::string>(py::handle(name)) + "'");
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (bound[i]) continue;
        if (slots[i].required) throw py::type_error("Missing required input: " + slotName(state, i));
        bound[i] = held(stored(slots[i]));
        if (!slots[i].isMutable || slots[i].keeps || !isArray(bound[i])) continue;
        bound[i] = held(copied(bound[i])); // it is needed again
    }
}

/// Fits without a conversion: nothing but a look at the array.
inline std::optional<View> exactView(const InputSlot &slot, PyObject *object)
{
    if (!isArray(object)) return std::nullopt;
    const auto window = windowOf(object);
    if (!window || window->dtype != slot.type.dtype() || window->rank != slot.type.rank()) return std::nullopt;
    for (int axis = 0; axis < window->rank; ++axis)
        if (slot.type.isBroadcastable(axis) && window->shape[axis] != 1) return std::nullopt;
    return View{window->data, window->dtype, window->rank, window->shape, window->strides};
}

PyObject *filtered(PyObject *self, std::size_t index, PyObject *object)
{
    FunctionState &state = *as(self)->state;
    const std::uint64_t start = engine::ticks();
    PyObject *fits = PyObject_CallFunction(s_filter, "OnO", self, static_cast<Py_ssize_t>(index), object);
    state.convertingTicks += engine::ticks() - start;
    ++state.conversions;
    if (!fits) throw py::error_already_set();
    return fits;
}

PyObject *resultOf(const FunctionState &state, std::span<py::object> arrays)
{
    if (state.parts.result == ResultShape::Bare) return arrays[0].release().ptr();
    const std::size_t count = state.parts.visibleOutputs;
    if (state.parts.result == ResultShape::Dict) {
        py::dict result;
        for (std::size_t i = 0; i < count; ++i) result[state.parts.keys[i]] = arrays[i];
        return result.release().ptr();
    }
    PyObject *list = PyList_New(static_cast<Py_ssize_t>(count));
    if (!list) throw py::error_already_set();
    for (std::size_t i = 0; i < count; ++i) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), arrays[i].release().ptr());
    return list;
}

void feedBack(FunctionState &state, std::span<PyObject *const> bound, std::span<py::object> arrays)
{
    for (std::size_t k = 0; k < state.parts.feedback.size(); ++k) {
        const std::size_t index = state.parts.feedback[k];
        PyObject *next = arrays[state.parts.visibleOutputs + k].ptr();
        const InputSlot &slot = state.parts.inputs[index];
        if (!slot.isOverwritten) store(slot, next);
        else if (exactView(slot, bound[index]) && isWritable(bound[index]) && isArray(next)) copyInto(bound[index], next);
    }
}

/// What a function may overwrite is never an array that is read-only.
void copyReadOnly(const FunctionState &state, std::span<PyObject *> bound, Held &held)
{
    const auto &slots = state.parts.inputs;
    for (std::size_t i = 0; i < bound.size(); ++i)
        if (slots[i].isMutable && isArray(bound[i]) && !isWritable(bound[i])) bound[i] = held(copied(bound[i]));
}

/// Stores what the call gives for inputs that keep their value; it stays there even if the call fails.
void keepGiven(PyObject *self, const FunctionState &state, std::span<PyObject *> bound, Held &held)
{
    const auto &slots = state.parts.inputs;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        if (!slots[i].keeps) continue;
        if (!slots[i].type.isTensor() || !exactView(slots[i], bound[i])) bound[i] = held(filtered(self, i, bound[i]));
        store(slots[i], bound[i]);
    }
}

/// While it lives the function counts as running on this thread.
class Running {
public:
    explicit Running(FunctionState &state) : m_state(state)
    {
        m_state.running = true;
        m_state.runner = std::this_thread::get_id();
    }
    ~Running() { m_state.running = false; }

private:
    FunctionState &m_state;
};

PyObject *callOnViews(PyObject *self, FunctionState &state, std::span<PyObject *const> bound)
{
    const auto &slots = state.parts.inputs;
    const std::size_t outputCount = state.parts.visibleOutputs + state.parts.feedback.size();
    // Somebody else's call holds the members: this one works with its own.
    const bool waits = state.running;
    std::vector<View> ownViews;
    std::vector<Tensor> ownTensors;
    std::vector<View> &views = waits ? ownViews : state.views;
    std::vector<Tensor> &tensors = waits ? ownTensors : state.tensors;
    std::optional<Running> running;
    if (!waits) running.emplace(state);
    views.resize(slots.size());
    tensors.resize(outputCount);
    Held held;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        auto view = exactView(slots[i], bound[i]);
        if (!view) {
            PyObject *fits = held(filtered(self, i, bound[i]));
            view = exactView(slots[i], fits);
            if (!view) throw py::type_error("Bad input argument at index " + std::to_string(i) + " (0-based)");
        }
        views[i] = *view;
    }
    const Interruptible interruptible(state.lastTicks != kNotCalled && state.lastTicks > state.watchedTicks);
    const std::uint64_t start = engine::ticks();
    {
        Released gil(waits || state.lastTicks > state.longTicks);
        state.parts.function->callViews(views, tensors);
    }
    state.lastTicks = engine::ticks() - start;
    std::array<py::object, 8> few;
    std::vector<py::object> many;
    std::span<py::object> arrays(few.data(), outputCount);
    if (outputCount > few.size()) {
        many.resize(outputCount);
        arrays = many;
    }
    for (std::size_t i = 0; i < outputCount; ++i) {
        arrays[i] = arrayOf(tensors[i]);
        tensors[i] = Tensor();
    }
    if (!state.parts.feedback.empty()) feedBack(state, bound, arrays);
    return resultOf(state, arrays);
}

std::vector<engine::Value> runByPython(FunctionState &state, std::span<const engine::Value> inputs)
{
    py::list arguments;
    for (const engine::Value &value : inputs) arguments.append(toPython(value, true));
    const py::list results = state.parts.runner(arguments);
    std::vector<engine::Value> outputs;
    const auto &variables = state.parts.function->spec().outputs;
    for (std::size_t i = 0; i < variables.size(); ++i) outputs.push_back(toValue(variables[i]->type(), py::object(results[i]).ptr()));
    return outputs;
}

PyObject *callOnValues(PyObject *self, FunctionState &state, std::span<PyObject *const> bound)
{
    const auto &slots = state.parts.inputs;
    const bool waits = state.running;
    std::optional<Running> running;
    if (!waits) running.emplace(state);
    Held held;
    std::vector<engine::Value> inputs;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        PyObject *object = bound[i];
        if (!slots[i].type.isTensor() || !exactView(slots[i], object)) object = held(filtered(self, i, object));
        inputs.push_back(toValue(slots[i].type, object));
    }
    std::vector<engine::Value> outputs(state.parts.visibleOutputs + state.parts.feedback.size());
    const Interruptible interruptible;
    {
        Released gil(!state.parts.runner);
        if (state.parts.runner) outputs = runByPython(state, inputs);
        else state.parts.function->call(inputs, outputs);
    }
    std::vector<py::object> arrays;
    for (engine::Value &value : outputs) {
        arrays.push_back(toPython(value, true));
        value = {};
    }
    feedBack(state, bound, arrays);
    return resultOf(state, arrays);
}

bool asksForSubset(PyObject *names)
{
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, k), "output_subset") == 0) return true;
    return false;
}

PyObject *callSubset(PyObject *self, PyObject *const *args, std::size_t count, PyObject *names)
{
    py::tuple arguments(count);
    for (std::size_t i = 0; i < count; ++i) arguments[i] = py::handle(args[i]);
    py::dict keywords;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k)
        keywords[PyTuple_GET_ITEM(names, k)] = py::handle(args[count + static_cast<std::size_t>(k)]);
    PyObject *result = PyObject_CallFunctionObjArgs(s_subset, self, arguments.ptr(), keywords.ptr(), nullptr);
    if (!result) throw py::error_already_set();
    return result;
}

/// The first calls, then ever fewer, each with the one behind it.
bool isWatched(std::uint64_t call)
{
    constexpr std::uint64_t kFirst = 8;
    return s_watcher && (call < kFirst || std::has_single_bit(call) || std::has_single_bit(call - 1));
}

/// With arguments before the call, with its result after it. What goes wrong there is nothing to the call.
void watchCall(const FunctionState &state, std::span<PyObject *const> bound, PyObject *result)
{
    py::object arguments = py::none();
    if (!result) {
        py::tuple all(bound.size());
        for (std::size_t i = 0; i < bound.size(); ++i) all[i] = py::handle(bound[i]);
        arguments = std::move(all);
    }
    const auto ns = static_cast<unsigned long long>(static_cast<double>(state.convertingTicks) * 1e9 / engine::ticksPerSecond());
    PyObject *done = PyObject_CallFunction(s_watcher, "kOOKKK", static_cast<unsigned long>(state.parts.function->id()), arguments.ptr(),
                                           result ? result : Py_None, static_cast<unsigned long long>(state.calls),
                                           static_cast<unsigned long long>(state.conversions), ns);
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
}

PyObject *callBound(PyObject *self, FunctionState &state, std::span<PyObject *const> bound)
{
    const bool watched = isWatched(state.calls);
    ++state.calls;
    if (watched) watchCall(state, bound, nullptr);
    PyObject *result = state.onlyTensors ? callOnViews(self, state, bound) : callOnValues(self, state, bound);
    if (watched) watchCall(state, bound, result);
    return result;
}

PyObject *call(PyObject *self, PyObject *const *args, std::size_t flags, PyObject *names)
{
    FunctionState &state = *as(self)->state;
    try {
        if (state.running && state.runner == std::this_thread::get_id())
            throw std::runtime_error("the function " + state.parts.function->name() + " called itself while it was running");
        const std::size_t count = static_cast<std::size_t>(PyVectorcall_NARGS(static_cast<Py_ssize_t>(flags)));
        const std::size_t wanted = state.parts.inputs.size();
        if (pendingError().set()) pendingError().clear();
        const Refeed refeed(state);
        if (count == wanted && !names && !state.anyRefused && !state.anyMutable && !state.anyKept) {
            return callBound(self, state, {args, count});
        }
        if (asksForSubset(names)) return callSubset(self, args, count, names);
        std::vector<PyObject *> bound(wanted, nullptr);
        Held held;
        bindArguments(state, args, count, names, bound, held);
        if (state.anyMutable) copyReadOnly(state, bound, held);
        if (state.anyKept) keepGiven(self, state, bound, held);
        return callBound(self, state, bound);
    } catch (py::error_already_set &error) {
        error.restore();
    } catch (...) {
        raiseTranslated(std::current_exception());
    }
    return nullptr;
}

void dealloc(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    if (as(object)->weak) PyObject_ClearWeakRefs(object);
    Py_CLEAR(as(object)->dict);
    delete as(object)->state;
    PyTypeObject *type = Py_TYPE(object);
    type->tp_free(object);
    Py_DECREF(type);
}
int traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(as(object)->dict);
    if (FunctionState *state = as(object)->state) {
        for (InputSlot &slot : state->parts.inputs) {
            Py_VISIT(slot.storage.ptr());
            Py_VISIT(slot.defaultValue.ptr());
        }
        Py_VISIT(state->parts.runner.ptr());
    }
    return 0;
}
int clear(PyObject *object)
{
    Py_CLEAR(as(object)->dict);
    return 0;
}

PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weak), READONLY, nullptr},
    {"trust_input", T_BOOL, offsetof(FunctionObject, trustInput), 0, "take arguments as they are"},
    {nullptr, 0, 0, 0, nullptr},
};

FunctionState &stateOf(py::handle object)
{
    if (!isFunction(object)) throw py::type_error("expected a compiled function");
    return *as(object.ptr())->state;
}

} // namespace

bool isFunction(py::handle object) { return Py_TYPE(object.ptr()) == s_type; }
const FunctionParts &partsOf(py::handle function) { return stateOf(function).parts; }

py::object makeFunctionObject(FunctionParts parts)
{
    auto *self = as(s_type->tp_alloc(s_type, 0));
    if (!self) throw py::error_already_set();
    self->vectorcall = call;
    self->state = new FunctionState;
    self->state->onlyTensors = parts.function->onlyTensors();
    self->state->longTicks = static_cast<std::uint64_t>(kLongCallSeconds * engine::ticksPerSecond());
    self->state->watchedTicks = static_cast<std::uint64_t>(kWatchedSeconds * engine::ticksPerSecond());
    self->state->parts = std::move(parts);
    for (const InputSlot &slot : self->state->parts.inputs) {
        self->state->anyRefused |= slot.refused;
        self->state->anyMutable |= slot.isMutable;
        self->state->anyKept |= slot.keeps;
        self->state->anyRefed |= bool(slot.defaultValue);
    }
    return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(self));
}

void addFunctionObject(py::module_ &module)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
        {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
        {Py_tp_clear, reinterpret_cast<void *>(clear)},
        {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
        {Py_tp_getset, attributes},
        {Py_tp_members, members},
        {0, nullptr},
    };
    s_type = heapType("croton._core.Function", sizeof(FunctionObject),
                      Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots);
    module.add_object("Function", py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(s_type)));
    module.def("register_filter", [](py::object function) { s_filter = function.release().ptr(); });
    module.def("watch_calls", [](py::object function) {
        Py_XDECREF(s_watcher);
        s_watcher = function.is_none() ? nullptr : function.release().ptr();
    });
    module.def("register_subset", [](py::object function) { s_subset = function.release().ptr(); });
    module.def("function_slot", [](py::handle function, std::size_t index) {
        const InputSlot &slot = stateOf(function).parts.inputs.at(index);
        py::dict result;
        result["type"] = slot.type;
        result["name"] = slot.name;
        result["required"] = slot.required;
        result["default"] = slot.defaultValue ? slot.defaultValue : py::object(py::none());
        result["strict"] = slot.strict;
        result["allow_downcast"] = slot.allowDowncast < 0 ? py::object(py::none()) : py::object(py::bool_(slot.allowDowncast != 0));
        return result;
    });
    module.def("function_set_runner", [](py::handle function, py::object runner) {
        stateOf(function).parts.runner = std::move(runner);
        stateOf(function).onlyTensors = false;
    });
}

} // namespace python
