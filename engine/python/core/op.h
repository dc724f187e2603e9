// Ops as Python objects, and Python classes as ops.
#pragma once

#include "engine/python/core/core.h"

#include <vector>

namespace python {

void addOps(py::module_ &module);

/// An op whose rules and code are a Python object's methods. One engine op per apply: it carries what `perform(node, …)`
/// wants to see. Two are equal if the Python ops are equal and give the same types.
class PyOp final : public engine::Op {
public:
    /// `ownTypes`: one an output, the Python type where a user wrote its class, else null.
    PyOp(PyObject *object, std::vector<engine::VarRef> inputs, std::vector<engine::Type> outputs, std::vector<PyObject *> ownTypes);
    ~PyOp() override;

    PyObject *object() const { return m_object; }
    PyObject *ownType(int output) const { return m_ownTypes[output]; }

    std::string_view className() const override { return m_className; }
    std::string_view moduleName() const override { return m_moduleName; }
    bool equals(const engine::Op &other) const override;
    std::vector<engine::Type> outputTypes(std::span<const engine::Operand> inputs) const override;
    bool inferShape(engine::ShapeBuilder &shapes, std::vector<engine::SymShape> &outputs) const override;
    std::vector<engine::Alias> viewMap() const override { return m_views; }
    std::vector<engine::Alias> destroyMap() const override { return m_destroys; }
    bool canFold() const override;
    int defaultOutput() const override { return m_defaultOutput; }
    std::vector<engine::VarRef> gradient(const engine::Apply &node, std::span<const engine::VarRef> outputGrads) const override;
    std::vector<engine::VarRef> rop(const engine::Apply &node, std::span<const engine::VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const engine::Apply &node) const override;
    bool worksOnValues() const override { return true; }
    void performValues(std::span<const engine::Value> inputs, std::span<engine::Value> outputs) const override;
    bool isCompiled() const override { return false; }
    bool runsCompiled(bool compiles) const override;
    bool takesDeviceArrays() const override { return true; }

protected:
    std::string exactName() const override { return m_text; }
    std::string shortName() const override { return m_className; }
    std::string identity() const override { return m_identity; }

private:
    py::object performNode() const;
    engine::Value ofInput(engine::Value result, std::size_t output, std::span<const engine::Value> inputs) const;

    PyObject *m_object;
    std::vector<engine::VarRef> m_inputs;
    std::vector<engine::Type> m_outputs;
    std::vector<PyObject *> m_ownTypes;
    std::string m_className, m_moduleName, m_text, m_identity;
    std::vector<engine::Alias> m_views, m_destroys;
    int m_defaultOutput = -1;
    mutable PyObject *m_node = nullptr; ///< what perform() is shown, made at the first run
};

/// A Python exception crossed the engine: keep it, so that the same class is raised to the caller.
struct PendingError {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    bool set() const { return type != nullptr; }
    void keep(py::error_already_set &error);
    void clear();
};
PendingError &pendingError(); ///< of this thread
/// Keeps it and goes through the engine as a UserError of that text. KeyboardInterrupt and SystemExit go as Interrupted: no apply is to
/// blame, and nothing is tried another way, as in Theano.
[[noreturn]] void throwKept(py::error_already_set &error, const std::string &text);

/// At the entry of every call that may run Python code of an op: what an earlier call left is not taken for this one's error.
struct PendingGuard {
    PendingGuard() { pendingError().clear(); }
};

} // namespace python
