#include "engine/python/core/rewrites.h"

#include "engine/graph/ir/clone.h"
#include "engine/python/core/build.h"
#include "engine/python/core/mirror.h"
#include "engine/python/core/op.h"
#include "engine/rewrite/machine/driver.h"
#include "engine/rewrite/machine/extensions.h"
#include "engine/tensor/errors.h"

#include <map>

namespace python {

using engine::ApplyRef;
using engine::Editor;
using engine::RewriteResult;
using engine::VarHandle;
using engine::VarRef;

namespace {

using Pairs = std::vector<std::pair<VarRef, VarRef>>;

/// By graph that this thread is rewriting.
std::map<const engine::FunctionGraph *, std::unique_ptr<Mirror>> &mirrors()
{
    thread_local std::map<const engine::FunctionGraph *, std::unique_ptr<Mirror>> map;
    return map;
}

Mirror &mirrorOf(const engine::FunctionGraph &graph)
{
    std::unique_ptr<Mirror> &mirror = mirrors()[&graph];
    if (!mirror) {
        mirror = std::make_unique<Mirror>(graph);
        mirror->view = py::module_::import("croton.gof.driven").attr("CompiledView")();
    }
    mirror->catchUp();
    return *mirror;
}

void forget(const engine::FunctionGraph &graph)
{
    if (mirrors().empty()) return;
    Gil lock;
    mirrors().erase(&graph);
}

Mirror *holderOf(const VarRef &variable)
{
    for (const auto &[graph, mirror] : mirrors())
        if (mirror->find(variable.get()) != engine::kNoVar) return mirror.get();
    return nullptr;
}

/// A sentence for the report of the compile, with the place in the rewrite's own code.
[[noreturn]] void failed(py::error_already_set &error)
{
    if (error.trace()) PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
    const std::string text = py::cast<std::string>(py::module_::import("croton.gof.driven").attr("sentence_of")(error.value()));
    throwKept(error, text);
}

/// What a rewrite looks at: ops (equal ones), and classes of ops.
class Tracks {
public:
    explicit Tracks(const py::object &tracks)
    {
        if (tracks.is_none()) return;
        m_all = false;
        for (py::handle one : tracks) m_entries.push_back(py::reinterpret_borrow<py::object>(one).release().ptr());
    }
    bool has(const engine::OpRef &op) const
    {
        if (m_all) return true;
        const py::object face = py::reinterpret_steal<py::object>(wrap(op));
        for (PyObject *entry : m_entries) {
            const int yes =
                PyType_Check(entry) ? PyObject_IsInstance(face.ptr(), entry) : PyObject_RichCompareBool(face.ptr(), entry, Py_EQ);
            if (yes < 0) throw py::error_already_set();
            if (yes) return true;
        }
        return false;
    }

private:
    bool m_all = true;
    std::vector<PyObject *> m_entries; // rewrites live as long as the process
};

/// The applies that a local rewrite may have looked through.
void consumeAround(Editor &edit, engine::ApplyId root)
{
    constexpr int kDepth = 4;
    constexpr std::size_t kMost = 64;
    std::vector<engine::ApplyId> level{root}, all;
    for (int depth = 0; depth < kDepth && all.size() < kMost; ++depth) {
        std::vector<engine::ApplyId> next;
        for (engine::ApplyId id : level)
            for (const engine::Use &use : edit.graph().apply(id).inputs)
                if (const engine::ApplyId owner = edit.graph().var(use.var).owner; owner != engine::kNoApply) next.push_back(owner);
        all.insert(all.end(), next.begin(), next.end());
        level = std::move(next);
    }
    for (engine::ApplyId id : all) edit.consume(id);
}

void replaceAll(Mirror &mirror, Editor &edit, const Pairs &pairs, bool fresh)
{
    for (const auto &[before, after] : pairs) {
        const engine::VarId old = mirror.find(before.get());
        if (old == engine::kNoVar) throw engine::UserError("it replaces " + before->displayName() + ", which is not in the graph");
        const VarHandle made = mirror.import(edit, after, fresh);
        if (!made.type().convertibleTo(edit.var(old).type()))
            throw engine::TypeMismatch("it replaces a " + edit.var(old).type().text() + " by a " + made.type().text());
        edit.replace(edit.var(old), made);
    }
}

RewriteResult runLocal(PyObject *transform, const Tracks &tracks, const engine::NodeHandle &node, Editor &edit)
{
    Gil lock;
    try {
        if (!tracks.has(node.op())) return engine::declined("it does not look at this op");
        Mirror &mirror = mirrorOf(edit.graph());
        const ApplyRef apply = mirror.apply(node.id());
        const py::object answer = py::handle(transform)(apply);
        if (answer.is_none()) return engine::declined("its function gave no replacement");
        consumeAround(edit, node.id());
        replaceAll(mirror, edit, py::cast<Pairs>(answer), false);
        return engine::replaced();
    } catch (py::error_already_set &error) {
        failed(error);
    }
}

/// What an optimizer in Python works with, while it runs.
struct Run {
    engine::WholeRun *run;
    Mirror *mirror;

    engine::WholeRun &alive() const
    {
        if (!run) throw py::value_error("this graph was compiled already: an optimizer changes it only while it runs");
        return *run;
    }
    /// False where the graph does not take it.
    bool replace(const Pairs &pairs, const std::string &reason) const
    {
        engine::WholeRun &whole = alive();
        const engine::VarId first = pairs.empty() ? engine::kNoVar : mirror->find(pairs.front().first.get());
        const engine::ApplyId root = first == engine::kNoVar ? engine::kNoApply : mirror->graph().var(first).owner;
        const bool done = whole.step(root, [&](Editor &edit) {
            replaceAll(*mirror, edit, pairs, true);
            if (root != engine::kNoApply) consumeAround(edit, root);
            return engine::replaced(reason);
        });
        mirror->skip();
        return done;
    }
    std::vector<VarRef> inputs() const
    {
        std::vector<VarRef> result;
        for (engine::VarId id : alive().graph().inputs()) result.push_back(mirror->variable(id));
        return result;
    }
    std::vector<VarRef> outputs() const
    {
        std::vector<VarRef> result;
        for (std::size_t i = 0; i < alive().graph().outputCount(); ++i) result.push_back(mirror->variable(alive().graph().output(i)));
        return result;
    }
    std::vector<std::pair<std::size_t, VarRef>> updates() const
    {
        std::vector<std::pair<std::size_t, VarRef>> result;
        for (const auto &[output, input] : alive().graph().updates) result.emplace_back(output, mirror->variable(input));
        return result;
    }
    py::tuple tags() const
    {
        const engine::Optimizer &optimizer = alive().optimizer();
        return py::make_tuple(static_cast<int>(optimizer.level), optimizer.including, optimizer.excluding);
    }
};

void runWhole(PyObject *optimize, engine::WholeRun &whole)
{
    Gil lock;
    auto run = std::make_shared<Run>(Run{&whole, &mirrorOf(whole.graph())});
    try {
        const py::handle function(optimize);
        function(run);
    } catch (py::error_already_set &error) {
        run->run = nullptr;
        mirrors().erase(&whole.graph()); // half done on its side
        failed(error);
    }
    run->run = nullptr;
}

engine::RewriteInfo infoOf(const std::string &name, const std::vector<std::string> &tags, const std::string &why, const std::string &file,
                           int line)
{
    engine::RewriteInfo info;
    info.name = name;
    info.tags = tags;
    info.why = why;
    info.file = file;
    info.line = line;
    return info;
}

bool addLocal(const std::string &name, const std::string &passName, const std::vector<std::string> &tags, const std::string &why,
              const std::string &file, int line, const py::object &tracks, py::object transform)
{
    for (const engine::PassInfo &pass : engine::allPasses()) {
        if (pass.name != passName) continue;
        engine::RewriteInfo info = infoOf(name, tags, why, file, line);
        info.phase = pass.phase;
        info.pass = passName;
        info.position = 1e6; // behind the engine's own
        info.tracksAll = true;
        PyObject *function = transform.release().ptr();
        info.run = [function, looksAt = Tracks(tracks)](const engine::NodeHandle &node, Editor &edit) {
            return runLocal(function, looksAt, node, edit);
        };
        return engine::addRewrite(std::move(info));
    }
    throw py::key_error("there is no pass called " + passName);
}

bool addWhole(const std::string &name, double position, const std::vector<std::string> &tags, const std::string &why,
              const std::string &file, int line, py::object optimize)
{
    if (!engine::addPass(name, position)) return false;
    engine::RewriteInfo info = infoOf(name, tags, why, file, line);
    for (const engine::PassInfo &pass : engine::allPasses())
        if (pass.name == name) info.phase = pass.phase;
    info.pass = name;
    PyObject *function = optimize.release().ptr();
    info.whole = [function](engine::WholeRun &run) { runWhole(function, run); };
    return engine::addRewrite(std::move(info));
}

/// The outputs once the rewrites of these settings have worked on them, over the same inputs.
std::vector<VarRef> rewritten(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs, py::handle settings)
{
    pendingError().clear();
    const engine::Mode mode = modeOf(settings);
    engine::FunctionGraph graph(inputs, outputs);
    const engine::RewriteReport report = engine::rewriteGraph(graph, mode);
    pendingError().clear();
    for (const std::string &warning : report.warnings)
        if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 1) < 0) throw py::error_already_set();
    const engine::ExportedGraph made = engine::exportGraph(graph, graph.toposort());
    std::vector<VarRef> from, to;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        const engine::VarNode &node = graph.var(graph.inputs()[i]);
        if (!node.leaf) continue;
        from.push_back(made.inputs[i]);
        to.push_back(node.leaf);
    }
    return engine::substitute(made.outputs, from, to);
}

} // namespace

void addRewrites(py::module_ &module)
{
    engine::setRewritingEnded(forget);
    py::class_<Run, std::shared_ptr<Run>>(module, "RewriteRun")
        .def("replace", &Run::replace)
        .def("inputs", &Run::inputs)
        .def("outputs", &Run::outputs)
        .def("updates", &Run::updates)
        .def("tags", &Run::tags);
    module.def("add_local_rewrite", addLocal);
    module.def("add_rewrite", addWhole);
    module.def("rewritten", rewritten);
    module.def("set_input", [](const ApplyRef &apply, std::size_t port, const VarRef &to) {
        if (port >= apply->inputs().size()) throw py::index_error("this apply has fewer inputs");
        setInput(*apply, port, to);
    });
    // The graph that a function is being compiled from, if this variable is in it; None elsewhere.
    module.def("view_of", [](const VarRef &variable) {
        Mirror *mirror = holderOf(variable);
        return mirror ? mirror->view : py::object(py::none());
    });
    // [(apply or None, index)]: its readers there; None for the outputs of the graph.
    module.def("readers_there", [](const VarRef &variable) -> std::optional<py::list> {
        Mirror *mirror = holderOf(variable);
        if (!mirror) return std::nullopt;
        py::list result;
        for (const engine::Client &client : mirror->graph().var(mirror->find(variable.get())).clients)
            result.append(
                py::make_tuple(client.isGraphOutput() ? py::object(py::none()) : py::cast(mirror->apply(client.apply)), client.port));
        return result;
    });
    module.def("graph_there", [](const VarRef &variable) -> py::object {
        Mirror *mirror = holderOf(variable);
        if (!mirror) return py::none();
        std::vector<VarRef> inputs, outputs;
        for (engine::VarId id : mirror->graph().inputs()) inputs.push_back(mirror->variable(id));
        for (engine::VarId id : mirror->graph().outputs()) outputs.push_back(mirror->variable(id));
        return py::make_tuple(inputs, outputs);
    });
    // Would one of these applies, reading `variable`, read what it makes itself?
    module.def("needs_any", [](const VarRef &variable, const std::vector<ApplyRef> &applies) {
        for (engine::Apply *apply : engine::toposort(std::vector<VarRef>{variable}))
            for (const ApplyRef &one : applies)
                if (one.get() == apply) return true;
        return false;
    });
}

} // namespace python
