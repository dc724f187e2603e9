// Builders of expressions, one file per family of ops.
#pragma once

#include "engine/python/core/convert.h"
#include "engine/python/core/core.h"
#include "engine/python/core/type.h"
#include "engine/python/core/watch.h"

namespace python {

void addElementwiseBuilders(py::module_ &module);
void addShapeBuilders(py::module_ &module);
void addProductBuilders(py::module_ &module);
void addSearchBuilders(py::module_ &module);
void addCreationBuilders(py::module_ &module);
void addAxisBuilders(py::module_ &module);
void addControlBuilders(py::module_ &module);
void addRandomBuilders(py::module_ &module);
void addSoftmaxBuilders(py::module_ &module);
void addComposeBuilders(py::module_ &module);
void addPickling(py::module_ &module);
void addIndexBuilders(py::module_ &module);
void addGradient(py::module_ &module);
void addPrinting(py::module_ &module);
void addFunctions(py::module_ &module);
void addKernels(py::module_ &module);
void addOnnx(py::module_ &module);

using Operands = std::vector<Operand>;
inline std::vector<engine::VarRef> variables(const Operands &operands)
{
    std::vector<engine::VarRef> result;
    for (const Operand &operand : operands) result.push_back(operand.variable);
    return result;
}

/// What Python gives for an argument of a builder.
template <class Argument>
struct Given {
    using Type = std::decay_t<Argument>;
    static Type read(Type &&given) { return std::move(given); }
};
template <>
struct Given<const engine::VarRef &> {
    using Type = Operand;
    static const engine::VarRef &read(const Operand &given) { return given.variable; }
};
template <>
struct Given<std::span<const engine::VarRef>> {
    using Type = Operands;
    static std::vector<engine::VarRef> read(const Operands &given) { return variables(given); }
};
template <class T>
struct Given<std::span<const T>> {
    using Type = std::vector<T>;
    static Type read(Type &&given) { return std::move(given); }
};
template <>
struct Given<engine::DType> {
    using Type = std::string;
    static engine::DType read(const std::string &given) { return dtypeFromText(given); }
};
template <>
struct Given<std::optional<engine::DType>> {
    using Type = std::optional<std::string>;
    static std::optional<engine::DType> read(const Type &given)
    {
        return given ? std::optional<engine::DType>(dtypeFromText(*given)) : std::nullopt;
    }
};

/// Binds a builder: its nodes know the user's line.
template <class Scope = BuildScope, class Result, class... Arguments>
void build(py::module_ &module, const char *name, Result (*builder)(Arguments...))
{
    module.def(
        name, [builder](typename Given<Arguments>::Type... given) { return builder(Given<Arguments>::read(std::move(given))...); },
        py::call_guard<Scope>());
}

} // namespace python
