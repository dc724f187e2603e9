#include "engine/python/core/build.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/ir/clone.h"

namespace python {

using engine::VarRef;

namespace {

engine::GradOptions optionsOf(const std::vector<VarRef> &considerConstant, const std::string &disconnected, const std::string &returned,
                              bool raiseOnNull, bool addNames, std::vector<std::pair<VarRef, VarRef>> known,
                              std::vector<std::string> *warnings)
{
    engine::GradOptions options;
    options.considerConstant = considerConstant;
    options.onDisconnected = disconnected == "raise"  ? engine::OnDisconnected::Raise
                             : disconnected == "warn" ? engine::OnDisconnected::Warn
                                                      : engine::OnDisconnected::Ignore;
    options.disconnectedResult = returned == "none"           ? engine::DisconnectedResult::None
                                 : returned == "disconnected" ? engine::DisconnectedResult::Disconnected
                                                              : engine::DisconnectedResult::Zero;
    options.raiseOnNull = raiseOnNull;
    options.addNames = addNames;
    options.knownGrads = std::move(known);
    options.warnings = warnings;
    return options;
}

} // namespace

void addGradient(py::module_ &module)
{
    using Guard = py::call_guard<BuildScope>;
    module.def(
        "grad",
        [](const VarRef &cost, const std::vector<VarRef> &wrt, const std::vector<VarRef> &considerConstant, const std::string &disconnected,
           const std::string &returned, bool raiseOnNull, bool addNames, std::vector<std::pair<VarRef, VarRef>> known) {
            std::vector<std::string> warnings;
            auto options = optionsOf(considerConstant, disconnected, returned, raiseOnNull, addNames, std::move(known), &warnings);
            options.knownIsAll = true; // as Theano has it
            auto terms = engine::grad(cost, wrt, options);
            return std::make_pair(std::move(terms), std::move(warnings));
        },
        Guard());
    module.def(
        "lop",
        [](const std::vector<VarRef> &f, const std::vector<VarRef> &wrt, const std::vector<VarRef> &points,
           const std::vector<VarRef> &considerConstant, const std::string &disconnected) {
            std::vector<std::string> warnings;
            const auto options = optionsOf(considerConstant, disconnected, "zero", true, true, {}, &warnings);
            return engine::lop(f, wrt, points, options);
        },
        Guard());
    module.def(
        "rop",
        [](const std::vector<VarRef> &f, const std::vector<VarRef> &wrt, const std::vector<VarRef> &points, bool allowDisconnected) {
            return engine::rop(f, wrt, points, allowDisconnected);
        },
        Guard());
    // What one op says: a term an input, a point an output.
    module.def(
        "op_gradient",
        [](const engine::ApplyRef &apply, const std::vector<VarRef> &outputGrads) { return apply->op().gradient(*apply, outputGrads); },
        Guard());
    module.def(
        "op_rop", [](const engine::ApplyRef &apply, const std::vector<VarRef> &points) { return apply->op().rop(*apply, points); },
        Guard());
    module.def("disconnected", &engine::disconnected);
    module.def("undefined_gradient", &engine::undefinedGradient);
    module.def("is_disconnected", &engine::isDisconnected);
    module.def("is_undefined", &engine::isUndefined);
    module.def(
        "connections",
        [](const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs) { return engine::connections(inputs, outputs); },
        py::call_guard<PendingGuard>());
    module.def("substitute", [](const std::vector<VarRef> &outputs, const std::vector<VarRef> &from, const std::vector<VarRef> &to) {
        return engine::substitute(outputs, from, to);
    });
}

} // namespace python
