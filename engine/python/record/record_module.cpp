// croton._record: a session from Python. Loaded by the worker alone; `import croton` needs no SQLite.
#include "profiler/record/recorder.h"

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <tuple>

namespace py = pybind11;

namespace {

std::unique_ptr<profiler::Recorder> g_recorder;

profiler::SessionWriter &writer()
{
    if (!g_recorder) throw std::runtime_error("nothing is being recorded");
    return g_recorder->writer();
}

void start(const std::string &path, const std::string &version, const std::string &label, const std::string &command, const std::string &script,
           const std::string &text, const std::vector<std::string> &arguments, std::function<void(std::string)> onError)
{
    profiler::SessionStart about{version, label, command, {script, text, arguments}};
    profiler::WriterOptions options;
    options.onError = [onError = std::move(onError)](const profiler::SessionError &error) {
        py::gil_scoped_acquire lock;
        onError(std::string(error.what()) + (error.hint().empty() ? "" : " (" + error.hint() + ")"));
    };
    py::gil_scoped_release unlocked;
    g_recorder = std::make_unique<profiler::Recorder>(path, about, std::move(options));
}

} // namespace

PYBIND11_MODULE(_record, module)
{
    py::register_exception<profiler::SessionError>(module, "SessionError");
    module.def("start", start, py::arg("path"), py::arg("version"), py::arg("label"), py::arg("command"), py::arg("script"), py::arg("text"),
               py::arg("arguments"), py::arg("on_error"));
    module.def("set_flags", [](const std::vector<std::tuple<std::string, std::string, std::string>> &flags) {
        std::vector<profiler::Flag> rows;
        for (const auto &[name, value, origin] : flags) rows.push_back({name, value, origin});
        writer().setFlags(std::move(rows));
    });
    module.def("set_machine", [](const std::vector<std::pair<std::string, std::string>> &more) {
        std::vector<profiler::NameValue> rows = profiler::describeMachine();
        for (const auto &[name, value] : more) rows.push_back({name, value});
        writer().setMachine(std::move(rows));
    });
    module.def("set_devices", [](const std::vector<std::tuple<std::string, std::string, bool, std::string>> &devices) {
        std::vector<profiler::DeviceInfo> rows;
        for (const auto &[name, description, available, reason] : devices) rows.push_back({name, description, available, reason, 0});
        writer().setDevices(std::move(rows));
    });
    module.def("set_meta", [](const std::string &key, const std::string &value) { writer().setMeta(key, value); });
    module.def("add_source", [](const std::string &file, const std::string &text) { writer().addSource({file, text}); });
    module.def("output", [](int stream, const std::string &text) {
        if (g_recorder) writer().addOutput(stream, text);
    });
    module.def("message", [](const std::string &severity, const std::string &text, const std::string &detail, const std::string &file, int line) {
        profiler::Message message;
        message.timeNs = writer().nowNs();
        message.severity = severity == "error"     ? profiler::Severity::Error
                           : severity == "warning" ? profiler::Severity::Warning
                                                   : profiler::Severity::Info;
        message.text = text;
        message.detail = detail;
        message.source = {file, line};
        writer().addMessage(std::move(message));
    }, py::arg("severity"), py::arg("text"), py::arg("detail") = "", py::arg("file") = "", py::arg("line") = 0);
    module.def("counts", [] {
        const auto counts = g_recorder ? g_recorder->counts() : profiler::Recorder::Counts{};
        return std::make_pair(counts.functions, counts.calls);
    });
    module.def("finish", [](int status, const std::string &reason) {
        if (!g_recorder) return;
        py::gil_scoped_release unlocked;
        g_recorder->finish(status, reason);
        g_recorder.reset(); // it holds a Python function, which cannot be let go after the interpreter has ended
    }, py::arg("status"), py::arg("reason") = "");
}
