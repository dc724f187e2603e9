#include "written_session.h"

#include "profiler/session/model/names.h"
#include "profiler/session/store/graph_writer.h"

#include <pybind11/stl.h>

#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

namespace py = pybind11;
using namespace profiler;

namespace {

// Functions of the engine count up from 1; those of others that are written beside them count from here.
constexpr std::uint32_t kFirstBesideRecorder = 1u << 24;

using Line = std::tuple<std::string, int, std::string>; // file, line, function
using Lines = std::vector<Line>;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;                                // output, input
using OutputTexts = std::tuple<std::string, std::string, std::string, std::string>;                // type, dtype, shape, name
using Lineage = std::vector<std::tuple<std::uint32_t, std::string, std::optional<std::uint32_t>>>; // from, fate, to

std::vector<WrittenLine> linesOf(const Lines &lines)
{
    std::vector<WrittenLine> made;
    for (const auto &[file, line, function] : lines) made.push_back({file, line, function});
    return made;
}

std::vector<PortPair> pairsOf(const Pairs &pairs)
{
    std::vector<PortPair> made;
    for (const auto &[output, input] : pairs) made.push_back({output, input});
    return made;
}

// The enum's value of a word that there is.
template <class Enum>
Enum known(const std::string &word, const char *what)
{
    std::string words;
    for (const char *one : Names<Enum>::kAll) {
        if (word == one) return valueOf<Enum>(word);
        words += (words.empty() ? "" : ", ") + std::string(one);
    }
    throw SessionError(std::string(what) + " is \"" + word + "\"", "it is one of " + words);
}

// A session of its own, or the one that is being recorded.
class WrittenSession {
public:
    WrittenSession(const std::string &path, const SessionStart &start) : m_own(SessionWriter::create(path, start)) {}
    explicit WrittenSession(const std::unique_ptr<Recorder> &recorder) : m_recorder(&recorder)
    {
        if (!recorder) throw SessionError("no session is being recorded", "give a path, or run the script by croton profile");
    }

    SessionWriter &writer()
    {
        if (m_own) return *m_own;
        if (!m_recorder || !*m_recorder) throw SessionError("the session has ended", "write into it before finish()");
        return (*m_recorder)->writer();
    }
    GraphId newGraph() { return m_own ? GraphId{m_graphs++} : (writer(), (*m_recorder)->newGraph()); }
    FunctionId newFunction() { return FunctionId{(m_own ? 0 : kFirstBesideRecorder) + m_functions++}; }
    bool isOwn() const { return m_own != nullptr; }
    void finish(int status, const std::string &reason)
    {
        writer().finish(status, reason);
        m_own.reset();
        m_recorder = nullptr;
    }

private:
    std::unique_ptr<SessionWriter> m_own;
    const std::unique_ptr<Recorder> *m_recorder = nullptr;
    std::uint32_t m_graphs = 1, m_functions = 1;
};

class WrittenGraph {
public:
    WrittenGraph(std::shared_ptr<WrittenSession> session, GraphInfo info)
        : m_session(std::move(session)), m_writer(m_session->writer(), std::move(info))
    {}
    const GraphInfo &info() const { return m_writer.info(); }
    GraphWriter &writer()
    {
        m_session->writer(); // throws when it has ended
        return m_writer;
    }

private:
    std::shared_ptr<WrittenSession> m_session;
    GraphWriter m_writer;
};

std::uint32_t addVariable(WrittenGraph &graph, const std::string &kind, const OutputTexts &texts, const std::string &value,
                          const Lines &lines)
{
    const auto &[type, dtype, shape, name] = texts;
    return raw(
        graph.writer().addVariable({known<VariableKind>(kind, "the kind of a variable"), type, dtype, shape, name, value, linesOf(lines)}));
}

std::pair<std::uint32_t, std::vector<std::uint32_t>> addApply(WrittenGraph &graph,
                                                              const std::tuple<std::string, std::string, std::string> &op,
                                                              const std::vector<std::uint32_t> &inputs,
                                                              const std::vector<OutputTexts> &outputs, const py::dict &more)
{
    WrittenApply apply;
    std::tie(apply.op, apply.friendly, apply.opClass) = op;
    for (const std::uint32_t input : inputs) apply.inputs.push_back(VariableId{input});
    for (const auto &[type, dtype, shape, name] : outputs)
        apply.outputs.push_back({VariableKind::Result, type, dtype, shape, name, {}, {}});
    if (more.contains("device")) apply.device = py::cast<std::string>(more["device"]);
    if (more.contains("implementation")) apply.implementation = py::cast<std::string>(more["implementation"]);
    if (more.contains("role")) apply.role = py::cast<std::string>(more["role"]);
    if (more.contains("views")) apply.views = pairsOf(py::cast<Pairs>(more["views"]));
    if (more.contains("destroys")) apply.destroys = pairsOf(py::cast<Pairs>(more["destroys"]));
    if (more.contains("lines")) apply.lines = linesOf(py::cast<Lines>(more["lines"]));
    const ApplyId id = graph.writer().addApply(apply);
    std::vector<std::uint32_t> made;
    for (std::size_t port = 0; port < outputs.size(); ++port) made.push_back(raw(graph.writer().output(id, port)));
    return {raw(id), made};
}

bool endStep(WrittenGraph &graph, const std::string &rewrite, const std::string &phase, const std::string &reason, std::int64_t ns,
             const Lineage &lineage)
{
    WrittenStep step{phase, rewrite, reason, -1, ns, {}};
    for (const auto &[from, fate, to] : lineage)
        step.lineage.push_back({ApplyId{from}, known<Fate>(fate, "the fate of an apply"), to ? ApplyId{*to} : kNoApply});
    return graph.writer().endStep(step);
}

void setFunction(WrittenSession &session, std::uint32_t function, WrittenGraph &graph, const py::dict &about)
{
    FunctionInfo info;
    const auto text = [&](const char *key) { return about.contains(key) ? py::cast<std::string>(about[key]) : std::string(); };
    const auto number = [&](const char *key) { return about.contains(key) ? py::cast<std::int64_t>(about[key]) : std::int64_t{0}; };
    info.id = FunctionId{function};
    info.name = text("name");
    info.location = {text("file"), static_cast<int>(number("line"))};
    info.mode = text("mode");
    info.linker = text("linker");
    info.device = about.contains("device") ? text("device") : "cpu";
    info.message = text("message");
    info.state = about.contains("state") ? text("state") : "ready";
    info.graph = graph.writer().id();
    info.createdNs = number("created_ns");
    info.compile.totalNs = number("compile_ns");
    info.compile.optimizerNs = number("rewrite_ns");
    info.compile.linkerNs = number("link_ns");
    info.compile.graphNs = std::max<std::int64_t>(0, info.compile.totalNs - info.compile.optimizerNs - info.compile.linkerNs);
    info.appliesOriginal = graph.writer().info().appliesOriginal;
    info.appliesOptimized = graph.writer().info().appliesOptimized;
    info.stepCount = graph.writer().info().stepCount;
    info.run = {
        number("calls"), number("call_ns"), number("vm_ns"), number("thunk_ns"), number("first_call_ns"), number("last_call_ns"), 0};
    if (about.contains("inputs"))
        for (const auto &[variable, name, type, kind] :
             py::cast<std::vector<std::tuple<std::uint32_t, std::string, std::string, std::string>>>(about["inputs"]))
            info.inputs.push_back({VariableId{variable}, name, type, known<VariableKind>(kind, "the kind of an input"), kNoFunction, 0});
    if (about.contains("updates"))
        for (const auto &[variable, output, name] : py::cast<std::vector<std::tuple<std::uint32_t, int, std::string>>>(about["updates"]))
            info.updates.push_back({VariableId{variable}, output, name, kNoFunction});
    session.writer().setFunction(std::move(info));
}

// (apply, calls, ns in all, least ns, most ns) each; the tier is "library", "compiled" or "interpreter".
void setTimes(WrittenSession &session, std::uint32_t function, WrittenGraph &graph, const std::string &tier,
              const std::vector<std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>> &times)
{
    std::vector<ApplyStats> rows;
    for (const auto &[apply, calls, total, least, most] : times) {
        if (calls < 0 || total < 0) throw SessionError("apply " + std::to_string(apply) + " has a negative time or number of calls");
        (void)graph.writer().output(ApplyId{apply}, 0);
        ApplyStats one;
        one.function = FunctionId{function};
        one.graph = graph.writer().id();
        one.apply = ApplyId{apply};
        one.tier = tier;
        one.calls = calls;
        one.totalNs = total;
        one.minNs = least;
        one.maxNs = most;
        if (calls > 0) {
            const std::int64_t mean = total / calls; // single calls are not known
            one.sumSquares = static_cast<double>(calls) * static_cast<double>(mean) * static_cast<double>(mean);
            one.histogram.add(mean, static_cast<std::uint64_t>(calls));
        }
        rows.push_back(std::move(one));
    }
    session.writer().setApplyStats(std::move(rows));
}

void addRewrites(WrittenSession &session,
                 const std::vector<std::tuple<std::string, std::string, double, std::string, std::string, std::string, int>> &rewrites)
{
    std::vector<RewriteInfo> rows;
    for (const auto &[name, phase, position, tags, why, file, line] : rewrites) {
        RewriteInfo row;
        row.name = name;
        row.phase = phase;
        row.position = position;
        row.tags = tags;
        row.why = why;
        row.code = {file, line};
        rows.push_back(std::move(row));
    }
    session.writer().addRewrites(std::move(rows));
}

void addEvent(WrittenSession &session, int lane, const std::string &kind, std::int64_t start, std::int64_t duration, std::uint32_t function,
              const std::string &name)
{
    if (duration < 0) throw SessionError("the event " + name + " ends before it begins");
    Event event;
    event.lane = lane;
    event.kind = known<EventKind>(kind, "the kind of an event");
    event.startNs = start;
    event.durationNs = duration;
    if (function) event.function = FunctionId{function};
    event.name = name;
    session.writer().addEvents({std::move(event)});
}

void addMessage(WrittenSession &session, const std::string &severity, const std::string &text, std::uint32_t function)
{
    Message message;
    message.timeNs = session.writer().nowNs();
    message.severity = known<Severity>(severity, "how severe a message is");
    message.text = text;
    if (function) message.function = FunctionId{function};
    session.writer().addMessage(std::move(message));
}

void addGraphs(py::module_ &module)
{
    py::class_<WrittenGraph>(module, "Graph")
        .def_property_readonly("id", [](const WrittenGraph &graph) { return raw(graph.info().id); })
        .def_property_readonly("steps", [](const WrittenGraph &graph) { return graph.info().stepCount; })
        .def("variable", addVariable)
        .def("has", [](WrittenGraph &graph, std::uint32_t variable) { return graph.writer().has(VariableId{variable}); })
        .def("apply", addApply)
        .def("set_input", [](WrittenGraph &graph, std::uint32_t apply, std::uint32_t port,
                             std::uint32_t variable) { graph.writer().setInput(ApplyId{apply}, port, VariableId{variable}); })
        .def("set_output", [](WrittenGraph &graph, std::uint32_t index,
                              std::uint32_t variable) { graph.writer().setOutput(index, VariableId{variable}); })
        .def("prune", [](WrittenGraph &graph, std::uint32_t apply) { graph.writer().prune(ApplyId{apply}); })
        .def("begin_step", [](WrittenGraph &graph) { graph.writer().beginStep(); })
        .def("end_step", endStep)
        .def("add_pass",
             [](WrittenGraph &graph, const std::string &name, const std::string &phase, const std::string &kind, std::int64_t ns) {
                 PassInfo pass;
                 pass.name = name;
                 pass.phase = phase;
                 pass.kind = kind;
                 pass.ns = ns;
                 graph.writer().addPass(std::move(pass));
             })
        .def("finish", [](WrittenGraph &graph, const std::vector<std::uint32_t> &order) {
            std::vector<ApplyId> applies;
            for (const std::uint32_t one : order) applies.push_back(ApplyId{one});
            graph.writer().finish(std::move(applies));
        });
}

} // namespace

void addWrittenSessions(py::module_ &module, const std::unique_ptr<Recorder> &recorder)
{
    addGraphs(module);
    py::class_<WrittenSession, std::shared_ptr<WrittenSession>>(module, "Session")
        .def(py::init([](const std::string &path, const std::string &version, const std::string &label, const std::string &command,
                         const std::tuple<std::string, std::string, std::vector<std::string>> &script) {
            const auto &[file, text, arguments] = script;
            return std::make_shared<WrittenSession>(path, SessionStart{version, label, command, {file, text, arguments}});
        }))
        .def_static("recorded", [&recorder] { return std::make_shared<WrittenSession>(recorder); })
        .def("now", [](WrittenSession &session) { return session.writer().nowNs(); })
        .def("new_function", [](WrittenSession &session) { return raw(session.newFunction()); })
        .def("new_graph",
             [](const std::shared_ptr<WrittenSession> &session, std::uint32_t function, const std::string &label) {
                 GraphInfo info;
                 info.id = session->newGraph();
                 info.function = FunctionId{function};
                 info.label = label;
                 return std::make_unique<WrittenGraph>(session, std::move(info));
             })
        .def("set_function", setFunction)
        .def("set_times", setTimes)
        .def("add_rewrites", addRewrites)
        .def("count_rewrites",
             [](WrittenSession &session, WrittenGraph &graph,
                const std::vector<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>> &counts) {
                 std::vector<RewriteCount> rows;
                 for (const auto &[name, tried, applied, failed, ns] : counts)
                     rows.push_back({graph.writer().id(), name, tried, applied, tried - applied - failed, failed, ns, 0});
                 session.writer().setRewriteCounts(std::move(rows));
             })
        .def("why_not",
             [](WrittenSession &session, WrittenGraph &graph,
                const std::vector<std::pair<std::uint32_t, std::vector<std::pair<std::string, std::string>>>> &declines) {
                 std::vector<LastDeclines> rows;
                 for (const auto &[apply, words] : declines) {
                     LastDeclines one{graph.writer().id(), ApplyId{apply}, graph.writer().info().stepCount, {}};
                     for (const auto &[rewrite, reason] : words)
                         one.words.push_back({session.writer().intern(rewrite), session.writer().intern(reason), kNoApply});
                     rows.push_back(std::move(one));
                 }
                 return session.writer().addLastDeclines(std::move(rows));
             })
        .def("set_meta",
             [](WrittenSession &session, const std::string &key, const std::string &value) { session.writer().setMeta(key, value); })
        .def("set_machine",
             [](WrittenSession &session) {
                 session.writer().setMachine(describeMachine());
                 session.writer().setEnvironment();
             })
        .def("add_source",
             [](WrittenSession &session, const std::string &file, const std::string &text) {
                 session.writer().addSource({file, text});
             })
        .def("add_lane",
             [](WrittenSession &session, int id, const std::string &kind, const std::string &name) {
                 session.writer().addLanes({{id, known<LaneKind>(kind, "the kind of a lane"), "cpu", name}});
             })
        .def("add_event", addEvent)
        .def("add_message", addMessage)
        .def("finish", &WrittenSession::finish, py::call_guard<py::gil_scoped_release>());
}
