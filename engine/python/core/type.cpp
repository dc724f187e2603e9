// Types as Python objects: one a type, kept for ever as the engine's types are.
#include "engine/python/core/type.h"
#include "engine/python/core/heap_type.h"
#include "engine/python/core/node.h"

#include <structmember.h>

#include <array>
#include <unordered_map>

namespace python {

using engine::Type;
using engine::TypeKind;

namespace {

struct TypeObject {
    PyObject_HEAD Type type;
    PyObject *dict;
};

PyTypeObject *s_typeBase = nullptr;
std::array<PyTypeObject *, 7> s_classes{};

struct TypeHash {
    std::size_t operator()(const Type &type) const { return type.hash(); }
};
struct SameType {
    bool operator()(const Type &a, const Type &b) const { return a.identical(b); }
};
std::unordered_map<Type, PyObject *, TypeHash, SameType> &known()
{
    static auto *map = new std::unordered_map<Type, PyObject *, TypeHash, SameType>;
    return *map;
}

TypeObject *as(PyObject *object) { return reinterpret_cast<TypeObject *>(object); }

void dealloc(PyObject *object)
{
    PyObject_GC_UnTrack(object);
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

/// A class of the user's own: plain objects for the engine.
PyObject *newType(PyTypeObject *cls, PyObject *, PyObject *)
{
    auto *self = as(cls->tp_alloc(cls, 0));
    if (!self) return nullptr;
    new (&self->type) Type(Type::plain(TypeKind::Generic));
    return reinterpret_cast<PyObject *>(self);
}

PyObject *compare(PyObject *a, PyObject *b, int operation)
{
    if ((operation != Py_EQ && operation != Py_NE) || !isType(b)) Py_RETURN_NOTIMPLEMENTED;
    const bool isOne = Py_TYPE(a) == Py_TYPE(b) || (as(a)->type.isTensor() && as(b)->type.isTensor());
    const bool same = isOne && as(a)->type == as(b)->type;
    return Py_NewRef(same == (operation == Py_EQ) ? Py_True : Py_False);
}
Py_hash_t hash(PyObject *object)
{
    const auto value = static_cast<Py_hash_t>(as(object)->type.hash());
    return value == -1 ? -2 : value;
}
PyObject *str(PyObject *object)
{
    const std::string &text = as(object)->type.text();
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

Type tensorOnly(PyObject *object)
{
    if (!isType(object)) throw py::type_error(std::string("expected a type, got ") + Py_TYPE(object)->tp_name);
    const Type type = typeOf(object);
    if (!type.isTensor()) throw py::attribute_error("the type " + type.text() + " has no dtype and no dimensions");
    return type;
}

PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(TypeObject, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

} // namespace

bool isType(PyObject *object) { return PyObject_TypeCheck(object, s_typeBase); }
Type typeOf(PyObject *object) { return as(object)->type; }
bool isOwnType(PyObject *object)
{
    const TypeKind kind = as(object)->type.kind();
    if (kind == TypeKind::Tensor) return Py_TYPE(object) != s_classes[static_cast<std::size_t>(kind)];
    const auto found = known().find(as(object)->type);
    return kind == TypeKind::Generic && (found == known().end() || Py_TYPE(found->second) != Py_TYPE(object));
}

PyObject *wrap(Type type)
{
    if (!type.valid()) Py_RETURN_NONE;
    auto found = known().find(type);
    if (found != known().end()) return Py_NewRef(found->second);
    PyTypeObject *cls = s_classes[static_cast<std::size_t>(type.kind())];
    if (!cls) cls = s_typeBase;
    auto *self = as(cls->tp_alloc(cls, 0));
    if (!self) throw py::error_already_set();
    new (&self->type) Type(type);
    auto *object = reinterpret_cast<PyObject *>(self);
    known().emplace(type, Py_NewRef(object));
    return object;
}

engine::DType dtypeFromText(const std::string &name)
{
    if (name == "floatX") return engine::floatX();
    const auto dtype = engine::dtypeFromName(name);
    if (!dtype)
        throw py::type_error("'" + name +
                             "' is not a dtype; known are bool, int8 … int64, uint8 … uint64, "
                             "float16, float32, float64, complex64, complex128 and floatX");
    return *dtype;
}

void addTypes(py::module_ &module)
{
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void *>(newType)},
        {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
        {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
        {Py_tp_clear, reinterpret_cast<void *>(clear)},
        {Py_tp_richcompare, reinterpret_cast<void *>(compare)},
        {Py_tp_hash, reinterpret_cast<void *>(hash)},
        {Py_tp_str, reinterpret_cast<void *>(str)},
        {Py_tp_repr, reinterpret_cast<void *>(str)},
        {Py_tp_getset, attributes},
        {Py_tp_members, members},
        {0, nullptr},
    };
    s_typeBase = heapType("croton._core.TypeBase", sizeof(TypeObject), Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots);
    module.add_object("TypeBase", py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(s_typeBase)));
    module.def("register_type_class", [](int kind, py::type cls) {
        s_classes.at(static_cast<std::size_t>(kind)) = reinterpret_cast<PyTypeObject *>(cls.release().ptr());
    });
    module.def("tensor_type", [](const std::string &dtype, const std::vector<bool> &pattern) {
        return Type::broadcastable(dtypeFromText(dtype), pattern);
    });
    // Of a class of its own: equal to the one that the engine has, but not the same object.
    module.def("own_tensor_type", [](py::type cls, const std::string &dtype, const std::vector<bool> &pattern) {
        auto *type = reinterpret_cast<PyTypeObject *>(cls.ptr());
        auto *self = as(type->tp_alloc(type, 0));
        if (!self) throw py::error_already_set();
        new (&self->type) Type(Type::broadcastable(dtypeFromText(dtype), pattern));
        return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(self));
    });
    module.def("plain_type", [](int kind) { return Type::plain(static_cast<TypeKind>(kind)); });
    module.def("null_type", [](const std::string &why) { return Type::null(why); });
    module.def("type_kind", [](Type type) { return static_cast<int>(type.kind()); });
    module.def("type_reason", [](Type type) { return type.reason(); });
    module.def("type_dtype", [](py::object type) { return std::string(engine::nameOf(tensorOnly(type.ptr()).dtype())); });
    module.def("type_pattern", [](py::object type) { return py::tuple(py::cast(tensorOnly(type.ptr()).pattern())); });
    module.def("type_shape", [](py::object type) {
        py::list sizes;
        for (std::int64_t size : tensorOnly(type.ptr()).shape())
            sizes.append(size < 0 ? py::object(py::none()) : py::object(py::int_(size)));
        return py::tuple(sizes);
    });
    module.def("promote", [](const std::vector<std::string> &names) {
        engine::DType result = dtypeFromText(names.at(0));
        for (std::size_t i = 1; i < names.size(); ++i) result = engine::promote(result, dtypeFromText(names[i]));
        return std::string(engine::nameOf(result));
    });
}

} // namespace python
