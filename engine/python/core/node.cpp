#include "engine/python/core/node.h"

#include "engine/python/core/foreign.h"
#include "engine/python/core/heap_type.h"
#include "engine/python/core/op.h"
#include "engine/python/core/trace.h"
#include "engine/tensor/errors.h"

#include <structmember.h>

#include <array>
#include <utility>

namespace python {

using engine::Apply;
using engine::ApplyRef;
using engine::Variable;
using engine::VarRef;

namespace {

using VariableObject = NodeObject<Variable>;
using ApplyObject = NodeObject<Apply>;

PyTypeObject *s_variableBase = nullptr;
PyTypeObject *s_applyBase = nullptr;
PyTypeObject *s_applyClass = nullptr;
/// By kind of type and kind of variable; set once by the Python side.
std::array<std::array<PyTypeObject *, 4>, 7> s_variableClasses{};
/// Among the attributes of a variable: its class, where a script wrote it.
constexpr const char *s_classKey = "_class";

template <class T>
NodeObject<T> *as(PyObject *object)
{
    return reinterpret_cast<NodeObject<T> *>(object);
}

template <class T>
PyObject *makeFace(PyTypeObject *cls, T *node)
{
    auto *self = as<T>(cls->tp_alloc(cls, 0));
    if (!self) throw py::error_already_set();
    node->retain();
    node->face = self;
    self->node = node;
    if (PyObject *bag = foreignObject(node->tag)) self->dict = Py_NewRef(bag);
    return reinterpret_cast<PyObject *>(self);
}

/// Attributes outlive the face: they wait at the node for the next one.
template <class T>
void dealloc(PyObject *object)
{
    auto *self = as<T>(object);
    PyObject_GC_UnTrack(object);
    if (self->weak) PyObject_ClearWeakRefs(object);
    if (self->node) {
        self->node->face = nullptr;
        if (self->dict && PyDict_GET_SIZE(self->dict) > 0 && foreignObject(self->node->tag) != self->dict)
            self->node->tag = engine::ForeignRef(new PyForeign(self->dict));
        Py_CLEAR(self->dict);
        self->node->release();
    }
    Py_CLEAR(self->dict);
    PyTypeObject *type = Py_TYPE(object);
    type->tp_free(object);
    Py_DECREF(type);
}

template <class T>
int traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(as<T>(object)->dict);
    return 0;
}

/// In a cycle only the attributes can point back to us; they go, and with them the cycle.
template <class T>
int clear(PyObject *object)
{
    Py_CLEAR(as<T>(object)->dict);
    return 0;
}

template <class T>
T *checked(PyObject *object)
{
    T *node = as<T>(object)->node;
    if (!node) PyErr_SetString(PyExc_RuntimeError, "this object was not set up: its class must call __init__ of its base");
    return node;
}

PyObject *text(const std::string &value) { return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())); }

// --- Variable ------------------------------------------------------------------------------------------
/// The class that the faces of this node have, unless a script wrote another.
PyTypeObject *usualClass(const Variable &node)
{
    PyTypeObject *cls = s_variableClasses[static_cast<std::size_t>(node.type().kind())][static_cast<std::size_t>(node.kind())];
    return cls ? cls : s_variableBase;
}

void keep(PyObject *face, const char *key, PyObject *value)
{
    auto *self = as<Variable>(face);
    if (!self->dict) self->dict = PyDict_New();
    if (!self->dict || PyDict_SetItemString(self->dict, key, value) < 0) throw py::error_already_set();
}

/// The object may go before its node, which then gets another: of the same class.
void keepOwnClass(PyObject *face)
{
    PyTypeObject *cls = Py_TYPE(face);
    if (cls != usualClass(*as<Variable>(face)->node)) keep(face, s_classKey, reinterpret_cast<PyObject *>(cls));
}

/// Makes an object without a node that of another's.
void adopt(const py::object &face, const py::object &made)
{
    if (!isVariable(face.ptr()) || !isVariable(made.ptr())) throw py::type_error("adopt() takes two variables");
    auto *self = as<Variable>(face.ptr()), *other = as<Variable>(made.ptr());
    if (self->node || !other->node) throw py::value_error("adopt() takes a variable without a node and one with its own");
    if (other->dict && self->dict) {
        if (PyDict_Update(self->dict, other->dict) < 0) throw py::error_already_set();
    } else if (other->dict) {
        self->dict = std::exchange(other->dict, nullptr);
    }
    self->node = std::exchange(other->node, nullptr);
    self->node->face = face.ptr();
    keepOwnClass(face.ptr());
}

/// Each gets the node of the other.
void exchange(const py::object &face, const py::object &other)
{
    if (!isVariable(face.ptr()) || !isVariable(other.ptr())) throw py::type_error("exchange() takes two variables");
    auto *a = as<Variable>(face.ptr()), *b = as<Variable>(other.ptr());
    if (!a->node || !b->node) throw py::value_error("exchange() takes two variables with nodes");
    std::swap(a->node, b->node);
    a->node->face = face.ptr();
    b->node->face = other.ptr();
}

PyObject *newVariable(PyTypeObject *cls, PyObject *, PyObject *) { return cls->tp_alloc(cls, 0); }

/// Here, not in __new__: a class of a script's may take other arguments and pass these on.
int initVariable(PyObject *object, PyObject *args, PyObject *kwargs)
{
    if (as<Variable>(object)->node) return 0; // a class with a __new__ of its own
    static const char *names[] = {"type", "owner", "index", "name", nullptr};
    PyObject *type = nullptr, *owner = Py_None, *index = Py_None, *name = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOO", const_cast<char **>(names), &type, &owner, &index, &name)) return -1;
    if (!isType(type)) {
        PyErr_Format(PyExc_TypeError, "a Variable needs a Type, got %s", Py_TYPE(type)->tp_name);
        return -1;
    }
    if (owner != Py_None) {
        PyErr_SetString(PyExc_TypeError, "outputs are made by Apply; give a Variable no owner");
        return -1;
    }
    try {
        std::string label;
        if (name != Py_None) label = py::cast<std::string>(py::handle(name));
        TraceScope trace;
        const VarRef node = Variable::input(typeOf(type), std::move(label));
        if (isOwnType(type)) keepOwnType(object, type);
        node->retain();
        node->face = object;
        as<Variable>(object)->node = node.get();
        keepOwnClass(object);
        return 0;
    } catch (py::error_already_set &error) {
        error.restore();
        return -1;
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_TypeError, error.what());
        return -1;
    }
}

PyObject *getType(PyObject *object, void *)
{
    Variable *node = checked<Variable>(object);
    if (!node) return nullptr;
    const engine::Type type = node->type();
    if (type.kind() == engine::TypeKind::Generic || (type.isTensor() && type.rank() == 0)) { // those that may be of a class of their own
        PyObject *own = as<Variable>(object)->dict ? PyDict_GetItemString(as<Variable>(object)->dict, "_type") : nullptr;
        const auto *op = !own && node->owner() ? engine::opCast<PyOp>(&node->owner()->op()) : nullptr;
        if (op) own = op->ownType(node->index());
        if (own) return Py_NewRef(own);
    }
    return wrap(type);
}
PyObject *getOwner(PyObject *object, void *)
{
    Variable *node = checked<Variable>(object);
    return node ? wrap(ApplyRef(node->owner())) : nullptr;
}
PyObject *getIndex(PyObject *object, void *)
{
    Variable *node = checked<Variable>(object);
    if (!node) return nullptr;
    if (!node->owner()) Py_RETURN_NONE;
    return PyLong_FromLong(node->index());
}
PyObject *getName(PyObject *object, void *)
{
    Variable *node = checked<Variable>(object);
    if (!node) return nullptr;
    if (node->name().empty()) Py_RETURN_NONE;
    return text(node->name());
}
int setName(PyObject *object, PyObject *value, void *)
{
    Variable *node = checked<Variable>(object);
    if (!node) return -1;
    if (!value || value == Py_None) {
        node->setName({});
        return 0;
    }
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "a variable's name must be a string or None, got %s", Py_TYPE(value)->tp_name);
        return -1;
    }
    const char *bytes = PyUnicode_AsUTF8(value);
    if (!bytes) return -1;
    node->setName(bytes);
    return 0;
}
PyObject *getAutoName(PyObject *object, void *)
{
    Variable *node = checked<Variable>(object);
    return node ? text("auto_" + std::to_string(static_cast<std::uint64_t>(node->id()))) : nullptr;
}
PyObject *getDisplayName(PyObject *object, void *)
{
    Variable *node = checked<Variable>(object);
    return node ? text(node->displayName()) : nullptr;
}

Variable *tensorNode(PyObject *object, const char *attribute)
{
    Variable *node = checked<Variable>(object);
    if (node && !node->type().isTensor()) {
        PyErr_Format(PyExc_AttributeError, "a variable of type %s has no %s", node->type().text().c_str(), attribute);
        return nullptr;
    }
    return node;
}
PyObject *getNdim(PyObject *object, void *)
{
    Variable *node = tensorNode(object, "ndim");
    return node ? PyLong_FromLong(node->type().rank()) : nullptr;
}
PyObject *getDType(PyObject *object, void *)
{
    Variable *node = tensorNode(object, "dtype");
    return node ? text(std::string(engine::nameOf(node->type().dtype()))) : nullptr;
}
PyObject *getBroadcastable(PyObject *object, void *)
{
    Variable *node = tensorNode(object, "broadcastable");
    if (!node) return nullptr;
    const int rank = node->type().rank();
    PyObject *result = PyTuple_New(rank);
    for (int i = 0; result && i < rank; ++i) PyTuple_SET_ITEM(result, i, Py_NewRef(node->type().isBroadcastable(i) ? Py_True : Py_False));
    return result;
}

PyGetSetDef variableAttributes[] = {
    {"type", getType, nullptr, "the Type", nullptr},
    {"owner", getOwner, nullptr, "the Apply that computes it, or None", nullptr},
    {"index", getIndex, nullptr, "its place among the owner's outputs", nullptr},
    {"name", getName, setName, "a name for people, or None", nullptr},
    {"auto_name", getAutoName, nullptr, "a name that no other variable has", nullptr},
    {"_display", getDisplayName, nullptr, nullptr, nullptr},
    {"ndim", getNdim, nullptr, "number of dimensions", nullptr},
    {"dtype", getDType, nullptr, "element type as text", nullptr},
    {"broadcastable", getBroadcastable, nullptr, "which dimensions are known to have size 1", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef variableMembers[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(VariableObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(VariableObject, weak), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

// --- Apply ---------------------------------------------------------------------------------------------
PyObject *getOp(PyObject *object, void *)
{
    Apply *node = checked<Apply>(object);
    return node ? wrap(node->opRef()) : nullptr;
}
PyObject *listOf(std::span<const VarRef> variables)
{
    PyObject *result = PyList_New(static_cast<Py_ssize_t>(variables.size()));
    for (std::size_t i = 0; result && i < variables.size(); ++i) PyList_SET_ITEM(result, static_cast<Py_ssize_t>(i), wrap(variables[i]));
    return result;
}
PyObject *getInputs(PyObject *object, void *)
{
    Apply *node = checked<Apply>(object);
    return node ? listOf(node->inputs()) : nullptr;
}
PyObject *getOutputs(PyObject *object, void *)
{
    Apply *node = checked<Apply>(object);
    if (!node) return nullptr;
    PyObject *result = PyList_New(node->outputCount());
    for (int i = 0; result && i < node->outputCount(); ++i) PyList_SET_ITEM(result, i, wrap(VarRef(node->output(i))));
    return result;
}
PyObject *getTrace(PyObject *object, void *)
{
    Apply *node = checked<Apply>(object);
    return node ? PyLong_FromUnsignedLong(static_cast<unsigned long>(node->trace())) : nullptr;
}

PyGetSetDef applyAttributes[] = {
    {"op", getOp, nullptr, "the Op", nullptr},
    {"inputs", getInputs, nullptr, "list of the input variables", nullptr},
    {"outputs", getOutputs, nullptr, "list of the output variables", nullptr},
    {"_trace", getTrace, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef applyMembers[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(ApplyObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ApplyObject, weak), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <class T>
PyTypeObject *makeType(const char *name, newfunc create, initproc init, PyGetSetDef *attributes, PyMemberDef *members)
{
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void *>(create)},
        {Py_tp_init, reinterpret_cast<void *>(init)},
        {Py_tp_dealloc, reinterpret_cast<void *>(dealloc<T>)},
        {Py_tp_traverse, reinterpret_cast<void *>(traverse<T>)},
        {Py_tp_clear, reinterpret_cast<void *>(clear<T>)},
        {Py_tp_getset, attributes},
        {Py_tp_members, members},
        {0, nullptr},
    };
    return heapType(name, sizeof(NodeObject<T>), Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots);
}

/// Apply's __new__ has read them.
int ignoreArguments(PyObject *, PyObject *, PyObject *) { return 0; }

PyObject *refuseNew(PyTypeObject *, PyObject *, PyObject *)
{
    PyErr_SetString(PyExc_TypeError, "use theano.Apply(op, inputs, outputs)");
    return nullptr;
}

void registerVariableClass(int typeKind, int variableKind, py::type cls)
{
    if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(cls.ptr()), s_variableBase))
        throw py::type_error("the class of a variable must derive from VariableBase");
    s_variableClasses.at(static_cast<std::size_t>(typeKind)).at(static_cast<std::size_t>(variableKind)) =
        reinterpret_cast<PyTypeObject *>(cls.release().ptr());
}

} // namespace

bool isVariable(PyObject *object) { return PyObject_TypeCheck(object, s_variableBase); }
bool isApply(PyObject *object) { return PyObject_TypeCheck(object, s_applyBase); }

Variable *variableOf(PyObject *object)
{
    if (!as<Variable>(object)->node) throw py::type_error("this variable was not set up: its class must call __init__ of its base");
    return as<Variable>(object)->node;
}
Apply *applyOf(PyObject *object) { return as<Apply>(object)->node; }

void keepOwnType(PyObject *face, PyObject *type) { keep(face, "_type", type); }

PyObject *wrap(const VarRef &variable)
{
    if (!variable) Py_RETURN_NONE;
    if (variable->face) return Py_NewRef(static_cast<PyObject *>(variable->face));
    // A type that a user wrote may say of which class its variables are.
    const PyOp *op = variable->owner() ? engine::opCast<PyOp>(&variable->owner()->op()) : nullptr;
    py::object own;
    if (PyObject *type = op ? op->ownType(variable->index()) : nullptr) own = py::getattr(type, "Variable", py::none());
    if (PyObject *kept = foreignObject(variable->tag))
        if (PyObject *cls = PyDict_GetItemString(kept, s_classKey)) own = py::reinterpret_borrow<py::object>(cls);
    const bool isOwn = own && PyType_Check(own.ptr()) && PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(own.ptr()), s_variableBase);
    return makeFace(isOwn ? reinterpret_cast<PyTypeObject *>(own.ptr()) : usualClass(*variable), variable.get());
}

PyObject *wrap(const ApplyRef &apply)
{
    if (!apply) Py_RETURN_NONE;
    if (apply->face) return Py_NewRef(static_cast<PyObject *>(apply->face));
    return makeFace(s_applyClass ? s_applyClass : s_applyBase, apply.get());
}

void rebind(PyObject *face, const VarRef &variable)
{
    auto *self = as<Variable>(face);
    Variable *previous = self->node;
    variable->retain();
    variable->face = face;
    if (variable->name().empty()) variable->setName(previous->name());
    self->node = variable.get();
    previous->face = nullptr;
    previous->release();
}

void addNodes(py::module_ &module)
{
    s_variableBase = makeType<Variable>("croton._core.VariableBase", newVariable, initVariable, variableAttributes, variableMembers);
    s_applyBase = makeType<Apply>("croton._core.ApplyBase", refuseNew, ignoreArguments, applyAttributes, applyMembers);
    module.add_object("VariableBase", py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(s_variableBase)));
    module.add_object("ApplyBase", py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(s_applyBase)));
    module.def("register_variable_class", registerVariableClass);
    module.def("register_apply_class", [](py::type cls) { s_applyClass = reinterpret_cast<PyTypeObject *>(cls.release().ptr()); });
    module.def("adopt", adopt);
    module.def("exchange", exchange);
    module.def("variable_id", [](const VarRef &variable) { return static_cast<std::uint64_t>(variable->id()); });
    module.def("variable_kind", [](const VarRef &variable) { return static_cast<int>(variable->kind()); });
    module.def("variable_trace", [](const VarRef &variable) { return static_cast<std::uint32_t>(variable->trace()); });
    module.def("trace_lines", [](std::uint32_t trace) {
        std::vector<std::tuple<std::string, int, std::string, std::string>> lines;
        for (const engine::SourceLine &line : engine::traceLines(static_cast<engine::TraceId>(trace)))
            lines.emplace_back(line.file, line.line, line.function, line.text);
        return lines;
    });
    module.def("capture_trace", [] { return static_cast<std::uint32_t>(captureTrace()); });
    module.def("add_own_folder", addOwnFolder);
    module.def("add_code_of_op", [](const py::object &code) { addCodeOfOp(code.ptr()); });
    module.def("set_trace_limit", setTraceLimit);
}

} // namespace python
