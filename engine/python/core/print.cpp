// Graphs as text, and walks over expressions.
#include "engine/python/core/build.h"

#include "engine/compile/function/function.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/elements/checks.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/python/core/array.h"
#include "engine/python/core/function_object.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/text/print.h"

namespace python {

using engine::ApplyRef;
using engine::VarRef;

namespace {

/// Outputs of one apply for given values of its inputs; inputs that it would overwrite are copied.
std::vector<py::object> runApply(const ApplyRef &apply, const std::vector<py::object> &values)
{
    if (values.size() != apply->inputs().size())
        throw py::value_error(apply->op().name() + " has " + std::to_string(apply->inputs().size()) + " inputs, it was given " +
                              std::to_string(values.size()) + " values");
    std::vector<engine::Value> inputs;
    for (std::size_t i = 0; i < values.size(); ++i) {
        engine::Value value = toValue(apply->inputs()[i]->type(), values[i].ptr());
        for (const engine::Alias &alias : apply->op().destroyMap())
            if (alias.input == i && value.isTensor()) value = engine::denseCopy(value.tensor());
        inputs.push_back(std::move(value));
    }
    std::vector<engine::Type> types;
    for (int i = 0; i < apply->outputCount(); ++i) types.push_back(apply->output(i)->type());
    std::vector<py::object> results;
    for (const engine::Value &value : engine::evaluateOp(apply->op(), inputs, types)) results.push_back(toPython(value, true));
    return results;
}

void setPrintSink(py::object function)
{
    if (function.is_none()) {
        engine::setPrintSink(nullptr);
        return;
    }
    PyObject *sink = function.release().ptr(); // lives as long as the process
    engine::setPrintSink([sink](const engine::PrintEvent &event) {
        Gil lock;
        py::reinterpret_borrow<py::object>(sink)(event.message, event.attribute, arrayOf(event.value.copy()));
    });
}

} // namespace

void addPrinting(py::module_ &module)
{
    module.def("run_apply", runApply, py::call_guard<PendingGuard>());
    module.def("set_print_sink", setPrintSink);
    module.def(
        "print",
        [](const Operand &x, const std::string &message, std::vector<std::string> attributes) {
            return engine::print(x.variable, message, std::move(attributes));
        },
        py::call_guard<BuildScope>());
    module.def(
        "assert_true",
        [](const Operand &x, const Operands &conditions, const std::string &message, bool asValue) {
            return engine::assertTrue(x.variable, variables(conditions), message, asValue);
        },
        py::arg("x"), py::arg("conditions"), py::arg("message"), py::arg("as_value") = false, py::call_guard<BuildScope>());
    module.def(
        "deep_copy", [](const Operand &x) { return engine::apply(engine::makeOp<engine::DeepCopyOp>(), {x.variable}); },
        py::call_guard<BuildScope>());
    module.def("toposort", [](const std::vector<VarRef> &outputs, const std::vector<VarRef> &stop) {
        std::vector<ApplyRef> result;
        for (engine::Apply *apply : engine::toposort(outputs, stop)) result.emplace_back(apply);
        return result;
    });
    module.def("leaves", [](const std::vector<VarRef> &outputs, const std::vector<VarRef> &stop) { return engine::leaves(outputs, stop); });
    module.def("ancestors", [](const std::vector<VarRef> &outputs, const std::vector<VarRef> &stop, bool withSiblings) {
        return engine::ancestors(outputs, stop, withSiblings);
    });
    module.def(
        "debug_print",
        [](const std::vector<VarRef> &outputs, int depth, bool types, bool stopOnName, const std::string &ids,
           const std::vector<ApplyRef> &order, bool maps, const std::vector<std::pair<VarRef, std::string>> &notes) {
            engine::DebugPrintOptions options;
            options.depth = depth;
            options.types = types;
            options.stopOnName = stopOnName;
            options.viewMap = options.destroyMap = maps;
            for (const auto &[variable, note] : notes) options.notes[variable.get()] += note;
            options.ids = ids == "int"  ? engine::DebugPrintOptions::Ids::Number
                          : ids.empty() ? engine::DebugPrintOptions::Ids::None
                                        : engine::DebugPrintOptions::Ids::Char;
            return engine::debugPrint(outputs, options, order);
        },
        py::arg("outputs"), py::arg("depth"), py::arg("types"), py::arg("stop_on_name"), py::arg("ids"), py::arg("order"), py::arg("maps"),
        py::arg("notes") = std::vector<std::pair<VarRef, std::string>>());
    // Of each operand the text of the number that it is, or "".
    module.def("number_texts", [](const ApplyRef &apply) {
        std::vector<std::string> texts;
        for (const VarRef &input : apply->inputs()) {
            const bool isNumber = engine::isNumber(apply->op(), texts.size()) && input->kind() == engine::Variable::Kind::Constant;
            texts.push_back(isNumber && input->name().empty() ? engine::numberText(input->value()) : std::string());
        }
        return texts;
    });
    module.def("pretty_print", [](const VarRef &variable) { return engine::prettyPrint(variable); });
    module.def("dot_of_function",
               [](py::handle function, bool types, bool namesOnly, bool compact, bool highContrast, std::size_t maxLabel) {
                   return engine::toDot(partsOf(function).function->graph(), {types, namesOnly, compact, highContrast, maxLabel});
               });
    module.def("dot_of_graph", [](const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs, bool types, bool namesOnly,
                                  bool compact, bool highContrast, std::size_t maxLabel) {
        return engine::toDot(engine::FunctionGraph(inputs, outputs), {types, namesOnly, compact, highContrast, maxLabel});
    });
}

} // namespace python
