// croton._record: a session from Python. Loaded by the worker and by profile=True; `import croton` needs no SQLite.
#include "profiler/export/report.h"
#include "profiler/record/recorder.h"
#include "profiler/session/store/reader.h"
#include "written_session.h"

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <tuple>

namespace py = pybind11;

namespace {

std::unique_ptr<profiler::Recorder> g_recorder;

profiler::SessionWriter &writer() { return g_recorder->writer(); }

template <class T>
T option(const py::dict &options, const char *name, T otherwise)
{
    return options.contains(name) ? py::cast<T>(options[name]) : otherwise;
}

// `options`: warm_up (calls), size_limit (bytes), only_profiled, capture (calls beside the first and the slowest; -1: none at all),
// capture_limit (bytes).
void start(const std::string &path, const std::string &version, const std::string &label, const std::string &command,
           const std::string &script, const std::string &text, const std::vector<std::string> &arguments,
           std::function<void(std::string)> onError, const py::dict &options)
{
    profiler::SessionStart about{version, label, command, {script, text, arguments}};
    profiler::WriterOptions writing;
    writing.onError = [onError = std::move(onError)](const profiler::SessionError &error) {
        py::gil_scoped_acquire lock;
        onError(std::string(error.what()) + (error.hint().empty() ? "" : " (" + error.hint() + ")"));
    };
    profiler::RecordOptions recording;
    recording.warmUpCalls = option<std::uint64_t>(options, "warm_up", 0);
    recording.onlyProfiled = option(options, "only_profiled", false);
    if (const int further = option(options, "capture", -1); further >= 0) {
        recording.capture.isOn = true;
        recording.capture.chosen = further;
        recording.capture.limitBytes = option<std::size_t>(options, "capture_limit", recording.capture.limitBytes);
    }
    if (const auto limit = option<std::size_t>(options, "size_limit", 0)) writing.maxFileBytes = limit;
    py::gil_scoped_release unlocked;
    g_recorder = std::make_unique<profiler::Recorder>(path, about, std::move(writing), recording);
}

// The report of some functions as it stands now. `groups`: (message, function ids) each.
std::string report(const std::string &style, const std::vector<std::pair<std::string, std::vector<std::uint32_t>>> &groups,
                   const py::dict &options)
{
    profiler::ReportOptions how;
    how.classes = how.ops = option(options, "ops", 20);
    how.applies = option(options, "applies", 20);
    how.width = option<std::size_t>(options, "width", 512);
    how.minMemoryBytes = option<std::int64_t>(options, "min_memory", 1024);
    how.memory = how.operands = option(options, "memory", false);
    how.optimizer = option(options, "optimizer", false);
    how.steadyOnly = option(options, "ignore_first_call", false);
    how.minPeak = option(options, "min_peak", false);
    for (const auto &[message, ids] : groups) {
        profiler::ProfileGroup group{message, {}};
        for (const std::uint32_t id : ids)
            group.functions.push_back(profiler::FunctionId{id}), how.functions.push_back(profiler::FunctionId{id});
        how.groups.push_back(std::move(group));
    }
    if (!g_recorder)
        throw std::runtime_error(
            "nothing is being recorded any more: the session has ended, or belongs to the process that forked this one; ask for the report there, before the end");
    py::gil_scoped_release unlocked;
    g_recorder->refresh();
    writer().flush();
    const auto reader = profiler::SessionReader::open(writer().path());
    const profiler::ProfileData data = profiler::loadProfile(*reader);
    return style == "profilemode" ? profiler::profileModeReport(data, how) : profiler::profileReport(data, how);
}

// `place`: file and line; `span`: nanoseconds of the steady clock.
void communicated(const std::string &call, const std::string &kind, const std::pair<std::string, int> &place,
                  std::pair<std::int64_t, std::int64_t> span, bool inside, std::int64_t bytes, const std::string &members,
                  std::int64_t number)
{
    if (g_recorder)
        g_recorder->communicated({call, kind, {place.first, place.second}, members, number, inside, span.first, span.second, bytes});
}

// As _host_use.py tells them: function, what, name, position, file, line, count, out of, nanoseconds, bytes.
void addHostUses(const std::vector<py::tuple> &rows)
{
    if (!g_recorder) return;
    std::vector<profiler::HostUse> uses;
    for (const py::tuple &row : rows) {
        profiler::HostUse use;
        if (!row[0].is_none()) use.function = profiler::FunctionId{py::cast<std::uint32_t>(row[0])};
        use.what = py::cast<std::string>(row[1]);
        use.name = py::cast<std::string>(row[2]);
        use.position = py::cast<int>(row[3]);
        use.source = {py::cast<std::string>(row[4]), py::cast<int>(row[5])};
        use.count = py::cast<std::int64_t>(row[6]);
        use.outOf = py::cast<std::int64_t>(row[7]);
        use.totalNs = py::cast<std::int64_t>(row[8]);
        use.bytes = py::cast<std::int64_t>(row[9]);
        uses.push_back(std::move(use));
    }
    writer().addHostUses(std::move(uses));
}

// Classes of extension modules take no new methods from Python; what they hand out, and what others hold of them, is to be seen, too.
void replaceMethod(const py::type &type, const std::string &name, const py::object &method)
{
    auto *const cls = reinterpret_cast<PyTypeObject *>(type.ptr());
    if (PyDict_SetItemString(cls->tp_dict, name.c_str(), method.ptr()) != 0) throw py::error_already_set();
    PyType_Modified(cls);
}

} // namespace

// Without a recording nothing is noted: a child of a fork goes on with what its parent began.
PYBIND11_MODULE(_record, module)
{
    py::register_exception<profiler::SessionError>(module, "SessionError");
    module.attr("version") = CROTON_VERSION;
    addWrittenSessions(module, g_recorder);
    module.def("start", start, py::arg("path"), py::arg("version"), py::arg("label"), py::arg("command"), py::arg("script"),
               py::arg("text"), py::arg("arguments"), py::arg("on_error"), py::arg("options") = py::dict());
    module.def("active", [] { return g_recorder != nullptr; });
    module.def("report", report, py::arg("style"), py::arg("groups"), py::arg("options") = py::dict());
    // What takes the recorder's lock lets go of Python: whoever holds that lock may need it, for an op of the user.
    module.def(
        "set_message",
        [](std::uint32_t function, const std::string &message) {
            if (g_recorder) g_recorder->setMessage(function, message);
        },
        py::call_guard<py::gil_scoped_release>());
    module.def("set_flags", [](const std::vector<std::tuple<std::string, std::string, std::string>> &flags) {
        if (!g_recorder) return;
        std::vector<profiler::Flag> rows;
        for (const auto &[name, value, origin] : flags) rows.push_back({name, value, origin});
        writer().setFlags(std::move(rows));
    });
    module.def("set_machine", [](const std::vector<std::pair<std::string, std::string>> &more) {
        if (!g_recorder) return;
        std::vector<profiler::NameValue> rows;
        for (const auto &[name, value] : more) rows.push_back({name, value});
        writer().setMachine(std::move(rows));
    });
    module.def("set_meta", [](const std::string &key, const std::string &value) {
        if (g_recorder) writer().setMeta(key, value);
    });
    module.def("add_source", [](const std::string &file, const std::string &text) {
        if (g_recorder) writer().addSource({file, text});
    });
    module.def("output", [](int stream, const std::string &text) {
        if (g_recorder) writer().addOutput(stream, text);
    });
    module.def(
        "message",
        [](const std::string &severity, const std::string &text, const std::string &detail, const std::string &file, int line) {
            if (!g_recorder) return;
            profiler::Message message;
            message.timeNs = writer().nowNs();
            message.severity = severity == "error"     ? profiler::Severity::Error
                               : severity == "warning" ? profiler::Severity::Warning
                                                       : profiler::Severity::Info;
            message.text = text;
            message.detail = detail;
            message.source = {file, line};
            writer().addMessage(std::move(message));
        },
        py::arg("severity"), py::arg("text"), py::arg("detail") = "", py::arg("file") = "", py::arg("line") = 0);
    module.def("communicated", communicated, py::arg("call"), py::arg("kind"), py::arg("place"), py::arg("span"), py::arg("inside"),
               py::arg("bytes"), py::arg("members") = "", py::arg("number") = -1);
    module.def("collected", [](int generation, std::int64_t startNs, std::int64_t endNs) {
        if (g_recorder) g_recorder->collected(generation, startNs, endNs);
    });
    module.def("replace_method", replaceMethod);
    module.def("add_host_uses", addHostUses);
    module.def("check", [](std::uint32_t function, const std::string &kind, bool passed, const std::string &text) {
        if (!g_recorder) return;
        profiler::Check check;
        if (function) check.function = profiler::FunctionId{function};
        check.kind = kind;
        check.passed = passed;
        check.text = text;
        writer().addCheck(std::move(check));
    });
    module.def(
        "counts",
        [] {
            const auto counts = g_recorder ? g_recorder->counts() : profiler::Recorder::Counts{};
            return std::make_pair(counts.functions, counts.calls);
        },
        py::call_guard<py::gil_scoped_release>());
    module.def(
        "finish",
        [](int status, const std::string &reason) {
            if (!g_recorder) return;
            py::gil_scoped_release unlocked;
            g_recorder->finish(status, reason);
            g_recorder.reset(); // it holds a Python function, which cannot be let go after the interpreter has ended
        },
        py::arg("status"), py::arg("reason") = "");
    // The child of a fork: the session is its parent's; what it compiles may be recorded anew.
    py::module_::import("os").attr("register_at_fork")(py::arg("after_in_child") = py::cpp_function([] { g_recorder.reset(); }));
}
