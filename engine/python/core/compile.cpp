// function(): from what the Python side sorted out to a callable; and what a compiled function tells of itself.
#include "engine/python/core/build.h"

#include "engine/compile/function/function.h"
#include "engine/compile/function/run_error.h"
#include "engine/compile/request/shared_values.h"
#include "engine/python/core/array.h"
#include "engine/python/core/device.h"
#include "engine/python/core/foreign.h"
#include "engine/python/core/function_object.h"
#include "engine/python/core/interrupts.h"
#include "engine/python/core/op.h"
#include "engine/python/core/rewrites.h"
#include "engine/python/core/trace.h"
#include "engine/runtime/plan/branches.h"
#include "engine/runtime/plan/threads.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace python {

using engine::VarRef;

namespace {

// A field of one of the tuples in croton/compile/requests.py.
template <class T>
T field(py::handle of, const char *name)
{
    try {
        return py::cast<T>(of.attr(name));
    } catch (const py::cast_error &) {
        throw py::type_error("the field " + std::string(name) + " of a " + std::string(py::str(py::type::of(of).attr("__name__"))) +
                             " cannot be " + std::string(py::repr(of.attr(name))));
    }
}

template <class T>
T wordField(py::handle of, const char *name, std::initializer_list<std::pair<std::string_view, T>> words)
{
    const auto given = field<std::string>(of, name);
    for (const auto &[word, value] : words)
        if (word == given) return value;
    throw py::value_error("the field " + std::string(name) + " cannot be '" + given + "'");
}

} // namespace

engine::Mode modeOf(py::handle settings)
{
    using engine::OnRewriteError, engine::OnStrides, engine::OptimizerLevel;
    engine::Mode mode;
    mode.name = field<std::string>(settings, "name");
    mode.level = wordField<OptimizerLevel>(settings, "level",
                                           {{"none", OptimizerLevel::None},
                                            {"merge", OptimizerLevel::Merge},
                                            {"fast_compile", OptimizerLevel::FastCompile},
                                            {"fast_run", OptimizerLevel::FastRun}});
    mode.linker = engine::linkerNamed(field<std::string>(settings, "linker"));
    mode.including = field<std::vector<std::string>>(settings, "including");
    mode.excluding = field<std::vector<std::string>>(settings, "excluding");
    mode.allowGc = field<bool>(settings, "allow_gc");
    mode.memoryBudget = engine::memoryBudgetNamed(field<std::string>(settings, "memory_budget"));
    mode.onRewriteError =
        wordField<OnRewriteError>(settings, "on_rewrite_error",
                                  {{"warn", OnRewriteError::Warn}, {"ignore", OnRewriteError::Ignore}, {"raise", OnRewriteError::Raise}});
    mode.firingsANode = field<double>(settings, "firings_a_node");
    if (const py::object debug = settings.attr("debug"); !debug.is_none())
        mode.debug = engine::DebugChecks{
            .interpreted = field<bool>(debug, "check_py"),
            .compiled = field<bool>(debug, "check_c"),
            .finite = field<bool>(debug, "check_isfinite"),
            .patience = field<int>(debug, "patience"),
            .outputs = engine::outputMemoryNamed(field<std::string>(debug, "outputs")),
            .outputRank = field<int>(debug, "outputs_ndim"),
            .strides = wordField<OnStrides>(debug, "strides",
                                            {{"ignore", OnStrides::Ignore}, {"warn", OnStrides::Warn}, {"raise", OnStrides::Raise}}),
            .warn = [](const std::string &text) {
                const Gil lock;
                if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) throw py::error_already_set();
            }};
    return mode;
}

namespace {

InputSlot slotOf(py::handle input)
{
    InputSlot slot;
    slot.type = field<VarRef>(input, "variable")->type();
    slot.name = input.attr("name");
    if (slot.name.ptr() != Py_None) {
        PyObject *name = slot.name.release().ptr();
        PyUnicode_InternInPlace(&name);
        slot.name = py::reinterpret_steal<py::object>(name);
    }
    slot.storage = input.attr("storage");
    slot.required = field<bool>(input, "required");
    slot.keeps = field<bool>(input, "keeps");
    if (!slot.required && !slot.keeps) slot.defaultValue = input.attr("default");
    slot.strict = field<bool>(input, "strict");
    const py::object downcast = input.attr("allow_downcast");
    slot.allowDowncast = downcast.is_none() ? -1 : py::cast<bool>(downcast) ? 1 : 0;
    slot.refused = field<bool>(input, "implicit");
    slot.isMutable = field<bool>(input, "mutable");
    slot.isOverwritten = field<bool>(input, "overwritten");
    return slot;
}

py::object compile(py::handle request)
{
    using engine::OnUnusedInput;
    using Pairs = std::vector<std::pair<VarRef, VarRef>>;
    TraceScope trace;
    pendingError().clear();
    const Interruptible interruptible;
    engine::FunctionSpec spec;
    FunctionParts parts;
    for (py::handle input : field<py::list>(request, "inputs")) {
        spec.inputs.push_back({field<VarRef>(input, "variable"), field<bool>(input, "borrow"), field<bool>(input, "mutable"),
                               field<bool>(input, "has_update")});
        parts.inputs.push_back(slotOf(input));
    }
    spec.outputs = field<std::vector<VarRef>>(request, "outputs");
    spec.borrowOutput = field<std::vector<bool>>(request, "borrow");
    spec.updates = field<Pairs>(request, "updates");
    spec.givens = field<Pairs>(request, "givens");
    spec.name = field<std::string>(request, "name");
    spec.trace = engine::currentTrace();
    spec.mode = modeOf(request.attr("mode"));
    spec.onUnusedInput = wordField<OnUnusedInput>(
        request, "on_unused_input", {{"raise", OnUnusedInput::Raise}, {"warn", OnUnusedInput::Warn}, {"ignore", OnUnusedInput::Ignore}});
    spec.profile = field<bool>(request, "profile");
    if (const py::object keys = request.attr("keys"); !keys.is_none()) {
        parts.result = ResultShape::Dict;
        for (py::handle key : keys) parts.keys.push_back(py::reinterpret_borrow<py::object>(key));
    } else if (field<bool>(request, "bare")) {
        parts.result = ResultShape::Bare;
    }
    parts.feedback = field<std::vector<std::size_t>>(request, "feedback");
    parts.visibleOutputs = spec.outputs.size() - parts.feedback.size();
    parts.function = engine::Function::compile(std::move(spec));
    pendingError().clear(); // of a rewrite that failed and was skipped
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

// By apply in the order of execution: the choices, the outermost first, on which it depends whether it runs, and what their conditions
// have to be.
std::vector<std::vector<std::pair<std::size_t, bool>>> branchesOf(const engine::Function &function)
{
    const engine::Branches branches(function.graph(), function.order());
    std::unordered_map<std::uint32_t, std::size_t> places;
    for (std::size_t at = 0; at < function.order().size(); ++at) places.emplace(engine::raw(function.order()[at]), at);
    std::vector<std::vector<std::pair<std::size_t, bool>>> result;
    for (engine::ApplyId id : function.order()) {
        auto &chain = result.emplace_back();
        for (engine::BranchId number = branches.of(id); number != engine::kAlways;) {
            const engine::Branch &branch = branches.all()[number];
            chain.insert(chain.begin(), {places.at(engine::raw(branch.choice)), branch.wanted});
            number = branch.around;
        }
    }
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
        if (!traces.empty() && graph.toposort[ids.size() - 1]->trace() == engine::TraceId::None)
            graph.toposort[ids.size() - 1]->setTrace(static_cast<engine::TraceId>(traces.front()));
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
    result["branches"] = branchesOf(function);
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

// What was sent to a device has no other owner.
engine::Value ownCopy(engine::Value value)
{
    if (!value.isTensor()) return value;
    const engine::Tensor &tensor = value.tensor();
    if (tensor.device() == engine::DeviceId::Host) return tensor.copy();
    return tensor.storage()->useCount() > 1 || !tensor.isContiguous() ? engine::Value(copiedOnDevice(tensor)) : value;
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
        const Interruptible interruptible;
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
    module.def("function_graph", [](py::handle f) { return optimizedGraph(*partsOf(f).function); });
    // Where in the optimized order the applies are that compute nothing but these variables of the script.
    module.def("function_carriers",
               [](py::handle f, const std::vector<VarRef> &variables) { return carriers(*partsOf(f).function, variables); });

    module.def(
        "shared",
        [](engine::Type type, py::object value, const std::string &name, bool borrow) {
            engine::Value native = toValue(type, value.ptr());
            if (!borrow) native = ownCopy(std::move(native));
            return engine::Variable::shared(std::make_shared<engine::Container>(std::move(native)), type, name);
        },
        py::call_guard<TraceScope>());
    module.def(
        "shared_like",
        [](const VarRef &variable, const std::string &name, std::optional<engine::Type> type) {
            return engine::Variable::shared(variable->container(), type.value_or(variable->type()), name);
        },
        py::arg("variable"), py::arg("name"), py::arg("type") = py::none());
    module.def("shared_get",
               [](const VarRef &variable, bool borrow) { return toPython(engine::sharedValue(*variable->container()), borrow); });
    module.def("shared_set", [](const VarRef &variable, py::object value, bool borrow) {
        engine::Value native = toValue(variable->type(), value.ptr());
        if (!borrow) native = ownCopy(std::move(native));
        engine::setSharedValue(*variable->container(), std::move(native));
    });
}

} // namespace python
