#include "engine/python/core/build.h"

#include "engine/ops/index/index_advanced.h"

#include <algorithm>

namespace python {
namespace {

/// Beyond any array every bound of a slice is as good as the last. Half of what int64 holds: sizes are added to it.
constexpr std::int64_t kFurthest = std::int64_t(1) << 62;

std::int64_t clamped(py::handle number)
{
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow) return overflow > 0 ? kFurthest : -kFurthest;
    return std::clamp<std::int64_t>(value, -kFurthest, kFurthest);
}

engine::VarRef bound(py::handle part)
{
    if (part.is_none()) return {};
    // Numbers are int64 here, as they are between the brackets themselves: Subtensor{int64:int64:}.
    if (PyLong_CheckExact(part.ptr())) return engine::IndexItem::at(clamped(part)).value;
    return toVariable(part.ptr());
}

/// One part of what stands between the brackets; the Python side has turned arrays and lists into variables.
engine::IndexItem itemOf(py::handle part)
{
    using engine::IndexItem;
    if (part.is_none()) return IndexItem::newAxis();
    if (part.ptr() == Py_Ellipsis) return IndexItem::ellipsis();
    if (PySlice_Check(part.ptr())) {
        const auto *slice = reinterpret_cast<PySliceObject *>(part.ptr());
        return IndexItem::slice(bound(slice->start), bound(slice->stop), bound(slice->step));
    }
    if (PyLong_CheckExact(part.ptr())) {
        const long long index = PyLong_AsLongLong(part.ptr());
        if (PyErr_Occurred()) {
            PyErr_Clear();
            throw py::index_error("an index that does not fit into 64 bits is out of bounds of any array");
        }
        return IndexItem::at(index);
    }
    engine::VarRef variable = toVariable(part.ptr());
    if (variable->type().rank() == 0 && engine::isInteger(variable->type().dtype())) return IndexItem::integer(std::move(variable));
    return IndexItem::array(std::move(variable));
}

bool isSlice(const engine::IndexItem &item) { return item.kind == engine::IndexItem::Kind::Slice; }

} // namespace

void addIndexBuilders(py::module_ &module)
{
    using Trace = py::call_guard<BuildScope>;
    module.def(
        "subtensor",
        [](const engine::VarRef &x, const py::tuple &parts) {
            std::vector<engine::IndexItem> items;
            for (py::handle part : parts) items.push_back(itemOf(part));
            const engine::VarRef part = engine::subtensor(x, items);
            // x[:] is something that can be written to: set_subtensor(x[:], y).
            if (part != x || std::none_of(items.begin(), items.end(), isSlice)) return part;
            engine::IndexEntry whole;
            whole.isSlice = true;
            return engine::apply(engine::makeOp<engine::Subtensor>(std::vector{whole}), {x});
        },
        Trace());
    module.def(
        "inc_subtensor",
        [](const Operand &indexed, const Operand &y, bool isSet, bool inplace) {
            return engine::incSubtensor(indexed.variable, y.variable, isSet, inplace);
        },
        Trace());
}

} // namespace python
