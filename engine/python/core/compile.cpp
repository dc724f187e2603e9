// function(): from what the Python side sorted out to a callable; and what a compiled function tells of itself.
#include "engine/python/core/build.h"

#include "engine/compile/function.h"
#include "engine/compile/run_error.h"
#include "engine/compile/shared_values.h"
#include "engine/python/core/array.h"
#include "engine/python/core/foreign.h"
#include "engine/python/core/function_object.h"
#include "engine/python/core/op.h"
#include "engine/python/core/trace.h"
#include "engine/runtime/threads.h"

#include <algorithm>

namespace python {

using engine::VarRef;

namespace {

engine::Mode modeOf(const py::dict &settings)
{
    engine::Mode mode;
    mode.name = py::cast<std::string>(settings["name"]);
    const auto level = py::cast<std::string>(settings["level"]);
    mode.level = level == "none"           ? engine::OptimizerLevel::None
                 : level == "merge"        ? engine::OptimizerLevel::Merge
                 : level == "fast_compile" ? engine::OptimizerLevel::FastCompile
                                           : engine::OptimizerLevel::FastRun;
    mode.linker = py::cast<std::string>(settings["linker"]);
    mode.including = py::cast<std::vector<std::string>>(settings["including"]);
    mode.excluding = py::cast<std::vector<std::string>>(settings["excluding"]);
    mode.allowGc = py::cast<bool>(settings["allow_gc"]);
    const auto onError = py::cast<std::string>(settings["on_rewrite_error"]);
    mode.onRewriteError = onError == "warn"     ? engine::OnRewriteError::Warn
                          : onError == "ignore" ? engine::OnRewriteError::Ignore
                                                : engine::OnRewriteError::Raise;
    mode.firingsANode = py::cast<double>(settings["firings_a_node"]);
    if (settings.contains("debug")) {
        const py::dict debug = settings["debug"];
        engine::DebugChecks checks;
        checks.interpreted = py::cast<bool>(debug["check_py"]);
        checks.compiled = py::cast<bool>(debug["check_c"]);
        checks.finite = py::cast<bool>(debug["check_isfinite"]);
        checks.patience = py::cast<int>(debug["patience"]);
        mode.debug = checks;
    }
    return mode;
}

InputSlot slotOf(const py::dict &input)
{
    InputSlot slot;
    const VarRef variable = py::cast<VarRef>(input["variable"]);
    slot.type = variable->type();
    slot.name = input["name"];
    if (slot.name.ptr() != Py_None) {
        PyObject *name = slot.name.release().ptr();
        PyUnicode_InternInPlace(&name);
        slot.name = py::reinterpret_steal<py::object>(name);
    }
    slot.storage = input["storage"];
    slot.required = py::cast<bool>(input["required"]);
    slot.keeps = py::cast<bool>(input["keeps"]);
    if (!slot.required && !slot.keeps) slot.defaultValue = input["default"];
    slot.strict = py::cast<bool>(input["strict"]);
    const py::object downcast = input["allow_downcast"];
    slot.allowDowncast = downcast.is_none() ? -1 : py::cast<bool>(downcast) ? 1 : 0;
    slot.refused = py::cast<bool>(input["implicit"]);
    slot.isMutable = py::cast<bool>(input["mutable"]);
    return slot;
}

py::object compile(const py::dict &request)
{
    TraceScope trace;
    pendingError().clear();
    engine::FunctionSpec spec;
    FunctionParts parts;
    for (py::handle item : py::list(request["inputs"])) {
        const py::dict input = py::reinterpret_borrow<py::dict>(item);
        spec.inputs.push_back({py::cast<VarRef>(input["variable"]), py::cast<bool>(input["borrow"]), py::cast<bool>(input["mutable"]),
                               py::cast<bool>(input["has_update"])});
        parts.inputs.push_back(slotOf(input));
    }
    spec.outputs = py::cast<std::vector<VarRef>>(request["outputs"]);
    spec.borrowOutput = py::cast<std::vector<bool>>(request["borrow"]);
    spec.updates = py::cast<std::vector<std::pair<VarRef, VarRef>>>(request["updates"]);
    spec.givens = py::cast<std::vector<std::pair<VarRef, VarRef>>>(request["givens"]);
    spec.name = py::cast<std::string>(request["name"]);
    spec.trace = engine::currentTrace();
    spec.mode = modeOf(request["mode"]);
    const auto unused = py::cast<std::string>(request["on_unused_input"]);
    spec.onUnusedInput = unused == "raise"  ? engine::OnUnusedInput::Raise
                         : unused == "warn" ? engine::OnUnusedInput::Warn
                                            : engine::OnUnusedInput::Ignore;
    spec.profile = py::cast<bool>(request["profile"]);
    const py::object keys = request["keys"];
    if (!keys.is_none()) {
        parts.result = ResultShape::Dict;
        for (py::handle key : keys) parts.keys.push_back(py::reinterpret_borrow<py::object>(key));
    } else if (py::cast<bool>(request["bare"])) {
        parts.result = ResultShape::Bare;
    }
    parts.feedback = py::cast<std::vector<std::size_t>>(request["feedback"]);
    parts.visibleOutputs = spec.outputs.size() - parts.feedback.size();
    parts.function = engine::Function::compile(std::move(spec));
    return makeFunctionObject(std::move(parts));
}

py::dict times(const engine::Function &function)
{
    const engine::CompileTimes &times = function.times();
    py::dict result;
    result["total"] = static_cast<double>(times.totalNs) * 1e-9;
    result["optimizer"] = static_cast<double>(times.optimizerNs) * 1e-9;
    result["validate"] = static_cast<double>(times.validateNs) * 1e-9;
    result["linker"] = static_cast<double>(times.linkerNs) * 1e-9;
    return result;
}

py::dict statistics(engine::Function &function)
{
    engine::FunctionStatistics &counters = function.statistics();
    py::dict result;
    result["calls"] = counters.calls.get();
    const double scale = 1.0 / engine::ticksPerSecond();
    result["call_time"] = static_cast<double>(counters.callTicks.get()) * scale;
    result["run_time"] = static_cast<double>(counters.runTicks.get()) * scale;
    py::list applies;
    for (const auto &[calls, ticks] : counters.totals()) applies.append(py::make_tuple(calls, static_cast<double>(ticks) * scale));
    result["applies"] = applies;
    return result;
}

// As expressions, in the order of execution, with the user's lines behind each apply.
py::dict optimizedGraph(const engine::Function &function)
{
    const engine::ExportedGraph graph = engine::exportGraph(function.graph(), function.order());
    py::dict result;
    result["inputs"] = graph.inputs;
    result["outputs"] = graph.outputs;
    result["toposort"] = graph.toposort;
    std::vector<std::uint32_t> ids;
    py::list sources;
    for (engine::ApplyId id : graph.ids) {
        ids.push_back(engine::raw(id));
        std::vector<std::uint32_t> traces;
        for (engine::TraceId trace : function.lineage().sources(function.graph(), id)) traces.push_back(static_cast<std::uint32_t>(trace));
        sources.append(traces);
    }
    result["ids"] = ids;
    result["sources"] = sources;
    std::vector<std::pair<std::size_t, std::size_t>> updates;
    for (auto [output, input] : function.graph().updates) {
        const auto inputs = function.graph().inputs();
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i] == input) updates.emplace_back(output, i);
    }
    result["updates"] = updates;
    return result;
}

std::vector<std::size_t> carriers(const engine::Function &function, const std::vector<VarRef> &variables)
{
    const engine::FunctionGraph &graph = function.graph();
    std::vector<engine::ApplyId> made;
    for (const VarRef &variable : variables)
        if (const engine::VarId id = graph.find(variable.get()); id != engine::kNoVar && graph.var(id).owner != engine::kNoApply)
            made.push_back(graph.var(id).owner);
    const auto isMade = [&](engine::ApplyId apply) { return std::find(made.begin(), made.end(), apply) != made.end(); };
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < function.order().size(); ++i) {
        const auto &origins = function.lineage().origins[engine::raw(function.order()[i])];
        if (origins.begin() != origins.end() && std::all_of(origins.begin(), origins.end(), isMade)) places.push_back(i);
    }
    return places;
}

} // namespace

void addFunctions(py::module_ &module)
{
    addFunctionObject(module);
    module.def("compile", compile);
    module.def("set_verbose_errors", engine::setVerboseErrors);
    module.def("set_threads", engine::setThreads, "0: as many as the process may use.");
    module.def("threads", engine::threads);
    module.def("set_shared_elements", engine::setSharedElements);
    module.def("function_name", [](py::handle f) { return partsOf(f).function->name(); });
    // Compiles the kernels of the last call and waits; how many there are.
    module.def("function_compile_kernels", [](py::handle f) {
        engine::Function &function = *partsOf(f).function;
        py::gil_scoped_release release;
        return function.compileKernels();
    });
    module.def("function_id", [](py::handle f) { return partsOf(f).function->id(); });
    module.def("function_free", [](py::handle f) {
        engine::Function &function = *partsOf(f).function;
        py::gil_scoped_release release; // a call under way may need it to end
        function.free();
    });
    module.def("function_shared", [](py::handle f) { return partsOf(f).function->sharedVariables(); });
    module.def("function_warnings", [](py::handle f) {
        const auto warnings = partsOf(f).function->warnings();
        return std::vector<std::string>(warnings.begin(), warnings.end());
    });
    // (rewrite, what it replaced, by what) in the order of the steps.
    module.def("function_replacements", [](py::handle f) {
        const engine::FunctionGraph &graph = partsOf(f).function->graph();
        const engine::Journal &journal = graph.journal();
        py::list result;
        for (const engine::Step &step : journal.steps)
            for (const engine::Replacement &one : journal.replacements(step))
                result.append(py::make_tuple(std::string(step.rewrite), graph.displayName(one.before), graph.displayName(one.after)));
        return result;
    });
    module.def("function_times", [](py::handle f) { return times(*partsOf(f).function); });
    module.def("function_statistics", [](py::handle f) { return statistics(*partsOf(f).function); });
    module.def("function_updates", [](py::handle f) { return partsOf(f).function->spec().updates; });
    module.def("function_graph", [](py::handle f) { return optimizedGraph(*partsOf(f).function); });
    // Where in the optimized order the applies are that compute nothing but these variables of the script.
    module.def("function_carriers", [](py::handle f, const std::vector<VarRef> &variables) { return carriers(*partsOf(f).function, variables); });

    module.def(
        "shared", [](engine::Type type, py::object value, const std::string &name, bool borrow) {
            engine::Value native = toValue(type, value.ptr());
            if (native.isTensor() && !borrow) native = native.tensor().copy();
            return engine::Variable::shared(std::make_shared<engine::Container>(std::move(native)), type, name);
        },
        py::call_guard<TraceScope>());
    module.def("shared_like", [](const VarRef &variable, const std::string &name) {
        return engine::Variable::shared(variable->container(), variable->type(), name);
    });
    module.def("shared_get", [](const VarRef &variable, bool borrow) { return toPython(engine::sharedValue(*variable->container()), borrow); });
    module.def("shared_set", [](const VarRef &variable, py::object value, bool borrow) {
        engine::Value native = toValue(variable->type(), value.ptr());
        if (native.isTensor() && !borrow) native = native.tensor().copy();
        engine::setSharedValue(*variable->container(), std::move(native));
    });
    module.def("same_container", [](const VarRef &a, const VarRef &b) { return a->container() == b->container(); });
}

} // namespace python
