#include "engine/python/core/op.h"

#include "engine/python/core/heap_type.h"
#include "engine/python/core/node.h"
#include "engine/python/core/trace.h"
#include "engine/python/core/watch.h"

#include <structmember.h>

#include <unordered_map>

namespace python {

using engine::Op;
using engine::OpRef;
using engine::VarRef;

namespace {

struct OpObject {
    PyObject_HEAD const Op *op; ///< a counted reference; null for ops written in Python
    PyObject *dict;
    PyObject *weak;
};

PyTypeObject *s_opBase = nullptr;
PyObject *s_classFor = nullptr; ///< (module, class name) → Python class

std::unordered_map<const Op *, PyObject *> &faces()
{
    static auto *map = new std::unordered_map<const Op *, PyObject *>;
    return *map;
}

OpObject *as(PyObject *object) { return reinterpret_cast<OpObject *>(object); }

void dealloc(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    if (as(object)->weak) PyObject_ClearWeakRefs(object);
    if (as(object)->op) {
        faces().erase(as(object)->op);
        as(object)->op->release();
    }
    Py_CLEAR(as(object)->dict);
    PyTypeObject *type = Py_TYPE(object);
    type->tp_free(object);
    Py_DECREF(type);
}
int traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(as(object)->dict);
    return 0;
}
int clear(PyObject *object)
{
    Py_CLEAR(as(object)->dict);
    return 0;
}

PyObject *compare(PyObject *a, PyObject *b, int operation)
{
    if ((operation != Py_EQ && operation != Py_NE) || !isOp(b)) Py_RETURN_NOTIMPLEMENTED;
    const Op *left = as(a)->op;
    const Op *right = as(b)->op;
    const bool same = a == b || (left && right && engine::sameOp(*left, *right));
    return Py_NewRef(same == (operation == Py_EQ) ? Py_True : Py_False);
}
Py_hash_t hash(PyObject *object)
{
    const Op *op = as(object)->op;
    const auto value = static_cast<Py_hash_t>(op ? op->hash() : reinterpret_cast<std::uintptr_t>(object) >> 4);
    return value == -1 ? -2 : value;
}
PyObject *str(PyObject *object)
{
    if (!as(object)->op) return PyUnicode_FromString(Py_TYPE(object)->tp_name);
    const std::string &name = as(object)->op->name();
    return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}

PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(OpObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(OpObject, weak), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

py::list aliases(const std::vector<engine::Alias> &list)
{
    py::list result;
    for (const engine::Alias &alias : list) result.append(py::make_tuple(alias.output, alias.input));
    return result;
}

/// Apply of an op written in Python: the variables it made become the outputs.
py::object applyFromPython(py::object op, const std::vector<VarRef> &inputs, const py::list &outputs)
{
    TraceScope trace;
    if (!isOp(op.ptr()))
        throw py::type_error(std::string("the first argument of Apply has to be an Op, got ") + Py_TYPE(op.ptr())->tp_name);
    std::vector<engine::Type> types;
    std::vector<PyObject *> ownTypes;
    std::vector<py::object> held;
    for (py::handle output : outputs) {
        if (!isVariable(output.ptr())) throw py::type_error("outputs of an Apply must be Variables");
        types.push_back(variableOf(output.ptr())->type());
        held.push_back(output.attr("type"));
        ownTypes.push_back(isOwnType(held.back().ptr()) ? held.back().ptr() : nullptr);
    }
    for (const VarRef &input : inputs)
        if (!input) throw py::type_error("inputs of an Apply must be Variables");
    const Op *known = as(op.ptr())->op;
    OpRef ref = known ? OpRef(known) : engine::sealOp(std::make_unique<PyOp>(op.ptr(), inputs, types, ownTypes));
    // An op of the engine knows its outputs; others would be written where nothing was made ready.
    const engine::ApplyRef apply = known ? engine::Apply::create(ref, inputs) : engine::Apply::create(ref, inputs, types);
    if (static_cast<std::size_t>(apply->outputCount()) != types.size())
        throw py::type_error(ref->name() + " has " + std::to_string(apply->outputCount()) + " outputs, its Apply was given " +
                             std::to_string(types.size()));
    for (std::size_t i = 0; i < types.size(); ++i)
        if (!(apply->output(static_cast<int>(i))->type() == types[i]))
            throw py::type_error("output " + std::to_string(i) + " of " + ref->name() + " is " +
                                 apply->output(static_cast<int>(i))->type().text() + ", its Apply was given " + types[i].text());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        py::object face = outputs[i];
        engine::Variable *before = variableOf(face.ptr());
        if (before->owner()) throw py::value_error("output " + std::to_string(i) + " of the new Apply is computed by another one already");
        if (before->kind() == engine::Variable::Kind::Input) rebind(face.ptr(), VarRef(apply->output(static_cast<int>(i))));
    }
    return py::cast(apply);
}

} // namespace

bool isOp(PyObject *object) { return PyObject_TypeCheck(object, s_opBase); }

OpRef opOf(PyObject *object)
{
    if (!as(object)->op)
        throw py::type_error(std::string(Py_TYPE(object)->tp_name) + " is an op written in Python: it becomes an op of the "
                                                                     "engine in its Apply");
    return OpRef(as(object)->op);
}

PyObject *wrap(const OpRef &op)
{
    if (!op) Py_RETURN_NONE;
    if (const auto *own = engine::opCast<PyOp>(op)) return Py_NewRef(own->object());
    auto found = faces().find(op.get());
    if (found != faces().end()) return Py_NewRef(found->second);
    py::object cls = py::reinterpret_steal<py::object>(
        PyObject_CallFunction(s_classFor, "s#s#", op->shownModule().data(), static_cast<Py_ssize_t>(op->shownModule().size()),
                              op->shownClass().data(), static_cast<Py_ssize_t>(op->shownClass().size())));
    if (!cls) throw py::error_already_set();
    auto *type = reinterpret_cast<PyTypeObject *>(cls.ptr());
    auto *self = as(type->tp_alloc(type, 0));
    if (!self) throw py::error_already_set();
    op->retain();
    self->op = op.get();
    auto *object = reinterpret_cast<PyObject *>(self);
    faces().emplace(op.get(), object);
    return object;
}

void addOps(py::module_ &module)
{
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void *>(PyType_GenericNew)},
        {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
        {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
        {Py_tp_clear, reinterpret_cast<void *>(clear)},
        {Py_tp_richcompare, reinterpret_cast<void *>(compare)},
        {Py_tp_hash, reinterpret_cast<void *>(hash)},
        {Py_tp_str, reinterpret_cast<void *>(str)},
        {Py_tp_getset, attributes},
        {Py_tp_members, members},
        {0, nullptr},
    };
    s_opBase = heapType("croton._core.OpBase", sizeof(OpObject), Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots);
    module.add_object("OpBase", py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(s_opBase)));
    module.def("register_op_classes", [](py::object function) { s_classFor = function.release().ptr(); });
    module.def("is_engine_op", [](py::object op) { return isOp(op.ptr()) && as(op.ptr())->op; });
    module.def("op_name", [](const OpRef &op) { return op->name(); });
    module.def("op_view_map", [](const OpRef &op) { return aliases(op->viewMap()); });
    module.def("op_destroy_map", [](const OpRef &op) { return aliases(op->destroyMap()); });
    module.def("op_inner", [](const OpRef &op) -> py::object {
        const engine::InnerGraph *inner = op->inner();
        if (!inner) return py::none();
        return py::make_tuple(inner->inputs, inner->outputs);
    });
    module.def("op_leaves_elements_open", [](const OpRef &op) { return op->leavesElementsOpen(); });
    module.def("op_default_output", [](const OpRef &op) { return op->defaultOutput(); });
    module.def("make_node", [](const OpRef &op, const std::vector<VarRef> &inputs) {
        BuildScope scope;
        return engine::Apply::create(op, inputs);
    });
    module.def("apply_from_python", applyFromPython);
    module.def("make_apply", [](const OpRef &op, const std::vector<VarRef> &inputs, const std::vector<engine::Type> &outputs) {
        TraceScope trace;
        return engine::Apply::create(op, inputs, outputs);
    });
}

} // namespace python
