// `croton expr`: an expression in the small notation, what the compiler makes of it, and its value.

#include "app/cli/command.h"
#include "app/cli/expr_inputs.h"
#include "app/cli/graphviz.h"
#include "app/cli/version.h"
#include "app/cli/worker.h"
#include "engine/compile/function.h"
#include "engine/graph/errors.h"
#include "engine/graph/graph_document.h"
#include "engine/graph/notation.h"
#include "engine/graph/print.h"
#include "profiler/export/format.h"
#include "profiler/record/recorder.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <optional>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

struct Request {
    std::string text;
    engine::DType floatX = engine::DType::Float64;
    engine::Mode mode;
    std::string format; // empty: everything, for people
    bool optimizedOnly = false;
    bool types = false;
    bool json = false;
    long calls = 1;
    bool timed = false;
    InputSource inputs;
    std::string session;
    std::string output;
};

struct Timing {
    long calls = 0;
    double meanNs = 0;
    double fastestNs = 0;
};

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin)
            parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

Request requestOf(const Arguments &arguments) {
    Request request;
    request.text = arguments.words[0];
    if (request.text == "-")
        request.text.assign(std::istreambuf_iterator<char>(std::cin), {});
    const auto floatX = engine::dtypeFromName(arguments.get("--floatX", "float64"));
    if (!floatX || !engine::isFloat(*floatX))
        throw UsageError("floatX is float64, float32 or float16, not '" + arguments.get("--floatX") + "'");
    request.floatX = *floatX;
    try {
        request.mode = engine::Mode::named(arguments.get("--mode", "FAST_RUN"));
    } catch (const engine::UserError &error) {
        throw UsageError(error.what(), error.hint());
    }
    request.mode.including = split(arguments.get("--including"), ':');
    request.mode.excluding = split(arguments.get("--excluding"), ':');
    request.format = arguments.get("--format");
    const std::vector<std::string> formats{"", "text", "pp", "dot", "json", "svg"};
    if (std::find(formats.begin(), formats.end(), request.format) == formats.end())
        throw UsageError("there is no format '" + request.format + "'", "text, pp, dot, json or svg");
    request.optimizedOnly = arguments.has("--optimized");
    request.types = arguments.has("--types");
    request.json = arguments.has("--json");
    request.timed = arguments.has("--run");
    request.calls = arguments.number("--run", 1, 1);
    request.inputs.values = arguments.get("--values");
    request.inputs.shapes = arguments.get("--shapes");
    request.inputs.size = arguments.number("--size", 4, 0);
    request.inputs.seed = static_cast<std::uint64_t>(arguments.number("--seed", 0));
    request.inputs.floatX = request.floatX;
    const std::string target = arguments.get("-o");
    if (target.ends_with(".croton"))
        request.session = target;
    else if (!target.empty() && request.format.empty())
        throw UsageError("-o wants a session, for example run.croton", "or say which --format goes into " + target);
    else
        request.output = target;
    return request;
}

// The line, and a caret below the place.
[[noreturn]] void pointAt(const std::string &text, const engine::NotationError &error) {
    std::size_t begin = 0;
    for (int line = 1; line < error.line && begin != std::string::npos; ++line)
        begin = text.find('\n', begin) == std::string::npos ? std::string::npos : text.find('\n', begin) + 1;
    std::string line = begin == std::string::npos ? std::string() : text.substr(begin, text.find('\n', begin) - begin);
    // Long lines are shown around the place.
    std::size_t column = static_cast<std::size_t>(std::max(error.column, 1)) - 1, at = 0, byte = 0;
    while (byte < line.size() && at < column)
        if ((static_cast<unsigned char>(line[++byte]) & 0xC0u) != 0x80u || byte == line.size())
            ++at;
    std::size_t from = byte > 60 ? byte - 50 : 0;
    while (from < line.size() && from > 0 && (static_cast<unsigned char>(line[from]) & 0xC0u) == 0x80u)
        ++from;
    std::string caret;
    for (std::size_t i = from; i < byte; ++i)
        if ((static_cast<unsigned char>(line[i]) & 0xC0u) != 0x80u)
            caret += line[i] == '\t' ? '\t' : ' ';
    for (char &c : line)
        if (static_cast<unsigned char>(c) < 0x20 && c != '\t')
            c = '?';
    std::fprintf(stderr, "    %s\n    %s^\n", line.substr(from, 110).c_str(), caret.c_str());
    const std::string place = error.line > 1 ? "line " + std::to_string(error.line) + ", column " : "column ";
    throw CliError(place + std::to_string(error.column) + ": " + error.what(), error.hint);
}

std::string prettyOf(const std::vector<engine::VarRef> &outputs, const Request &request) {
    std::string text;
    for (const engine::VarRef &output : outputs)
        text += engine::prettyPrint(output, {.exact = true, .floatX = request.floatX, .limit = 4000}) + "\n";
    return text;
}

std::string applies(std::size_t count) { return std::to_string(count) + (count == 1 ? " apply" : " applies"); }

std::string indented(const std::string &text) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin)
            out += "  " + text.substr(begin, end - begin);
        out += '\n';
        begin = end + 1;
    }
    return out;
}

std::string timeText(double ns) {
    char text[40];
    if (ns < 1e3)
        std::snprintf(text, sizeof text, "%.0f ns", ns);
    else if (ns < 1e6)
        std::snprintf(text, sizeof text, "%.2f µs", ns / 1e3);
    else if (ns < 1e9)
        std::snprintf(text, sizeof text, "%.2f ms", ns / 1e6);
    else
        std::snprintf(text, sizeof text, "%.2f s", ns / 1e9);
    return text;
}

void emit(const std::string &text, const std::string &path) {
    std::FILE *out = path.empty() ? stdout : std::fopen(path.c_str(), "wb");
    if (!out)
        throw CliError(path + " cannot be written", "check the folder");
    const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
    if (out != stdout && (std::fclose(out) != 0 || !written))
        throw CliError(path + " could not be written whole", "is the disk full?");
}

class Expression {
public:
    explicit Expression(Request request) : m_request(std::move(request)) {}

    int run() {
        engine::setFloatX(m_request.floatX);
        try {
            m_parsed = engine::parseExpression(m_request.text, m_request.floatX);
        } catch (const engine::NotationError &error) {
            pointAt(m_request.text, error);
        }
        const bool compiles = m_request.format.empty() || m_request.optimizedOnly || !m_request.session.empty() ||
                              m_request.json || m_request.timed || !m_request.inputs.values.empty();
        if (!compiles) {
            const engine::FunctionGraph graph(m_parsed.inputs, m_parsed.outputs);
            emit(formatted(graph, graph.toposort()), m_request.output);
            return 0;
        }
        // Values are looked at before anything is written.
        m_inputs = inputValues(m_parsed.inputs, m_request.inputs);
        std::optional<profiler::Recorder> recorder;
        if (!m_request.session.empty())
            recorder.emplace(m_request.session, sessionStart());
        try {
            compile();
            show();
            if (!m_request.format.empty() && !m_request.timed && m_request.session.empty() && !m_request.json)
                return 0;
            call();
        } catch (const std::exception &error) {
            if (recorder)
                recorder->finish(1, error.what());
            throw;
        }
        m_function.reset();
        if (recorder)
            recorder->finish(0);
        if (m_request.json)
            emit(asJson().dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", {});
        else if (m_request.format.empty())
            showValues();
        return 0;
    }

private:
    profiler::SessionStart sessionStart() const {
        profiler::SessionStart start;
        start.crotonVersion = kVersion;
        start.label = m_request.text.substr(0, 60);
        start.command = "croton expr " + shellQuoted({m_request.text}) + " -o " + shellQuoted({m_request.session});
        start.script = {"<expression>", m_request.text, {}};
        return start;
    }

    void compile() {
        engine::FunctionSpec spec;
        for (const engine::VarRef &input : m_parsed.inputs)
            spec.inputs.push_back({input});
        spec.outputs = m_parsed.outputs;
        spec.mode = m_request.mode;
        spec.name = "expression";
        spec.onUnusedInput = engine::OnUnusedInput::Ignore;
        spec.profile = !m_request.session.empty();
        m_original.emplace(m_parsed.inputs, m_parsed.outputs);
        m_function = engine::Function::compile(std::move(spec));
        const engine::FunctionGraph &graph = m_function->graph();
        m_optimized = engine::exportGraph(graph, m_function->order());
        m_steps = graph.journal().steps;
        m_optimizedApplies = graph.liveApplyCount();
        if (m_request.json)
            m_optimizedDocument = engine::writeGraphDocument(graph);
        for (const std::string &warning : m_function->warnings())
            std::fprintf(stderr, "croton: %s\n", warning.c_str());
    }

    std::string formatted(const engine::FunctionGraph &graph, std::span<const engine::ApplyId> order) const {
        if (m_request.format == "json")
            return engine::writeGraphDocument(graph);
        if (m_request.format == "dot")
            return engine::toDot(graph);
        if (m_request.format == "svg")
            return svgOfDot(engine::toDot(graph));
        const engine::ExportedGraph exported = engine::exportGraph(graph, order);
        if (m_request.format == "pp")
            return prettyOf(exported.outputs, m_request);
        return engine::debugPrint(exported.outputs, {.types = m_request.types}, exported.toposort);
    }

    void show() const {
        if (m_request.json)
            return;
        if (!m_request.format.empty()) {
            if (m_request.optimizedOnly)
                emit(formatted(m_function->graph(), m_function->order()), m_request.output);
            else
                emit(formatted(*m_original, m_original->toposort()), m_request.output);
            return;
        }
        std::string out;
        if (!m_request.optimizedOnly) {
            out += "Original: " + applies(m_original->liveApplyCount()) + "\n";
            out += indented(prettyOf(m_parsed.outputs, m_request)) + "\n";
            out += indented(engine::debugPrint(m_parsed.outputs, {.types = m_request.types})) + "\n";
            out += "Rewrites: " + profiler::counted(static_cast<std::int64_t>(m_steps.size()), "step") + ", " +
                   timeText(static_cast<double>(m_function->times().optimizerNs)) + "\n";
            out += stepTable() + "\n";
        }
        out += "Optimized: " + applies(m_optimizedApplies) + "\n";
        out += indented(prettyOf(m_optimized.outputs, m_request)) + "\n";
        out += indented(engine::debugPrint(m_optimized.outputs, {.types = m_request.types}, m_optimized.toposort)) + "\n";
        emit(out, {});
    }

    std::string stepTable() const {
        std::size_t phase = 0, rewrite = 0;
        for (const engine::Step &step : m_steps) {
            phase = std::max(phase, step.phase.size());
            rewrite = std::max(rewrite, step.rewrite.size());
        }
        std::string out;
        for (std::size_t i = 0; i < m_steps.size(); ++i) {
            const engine::Step &step = m_steps[i];
            const std::string number = std::to_string(i + 1);
            std::string line = std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + "  " + std::string(step.phase) +
                               std::string(phase - step.phase.size() + 2, ' ') + std::string(step.rewrite) +
                               std::string(rewrite - step.rewrite.size() + 2, ' ') + std::to_string(step.appliesBefore) +
                               " → " + std::to_string(step.appliesAfter);
            if (!step.reason.empty())
                line.append("  ").append(step.reason);
            out += line + "\n";
        }
        return out;
    }

    void call() {
        std::vector<engine::Value> inputs;
        for (const InputValue &input : m_inputs)
            inputs.emplace_back(input.tensor);
        using Clock = std::chrono::steady_clock;
        double total = 0;
        for (long i = 0; i < m_request.calls; ++i) {
            const auto start = Clock::now();
            m_function->call(inputs, m_values);
            const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
            m_timing.fastestNs = i == 0 ? ns : std::min(m_timing.fastestNs, ns);
            total += ns;
        }
        m_timing.calls = m_request.calls;
        m_timing.meanNs = total / static_cast<double>(m_request.calls);
    }

    std::string inputNames() const {
        std::string text;
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            const engine::Tensor &value = m_inputs[i].tensor;
            text += (i ? ", " : "") + m_parsed.inputs[i]->displayName() + ": " + std::string(engine::nameOf(value.dtype())) +
                    " " + value.shape().text() + (m_inputs[i].random ? " random" : "");
        }
        return text;
    }

    void showValues() const {
        std::string out = m_inputs.empty() ? "Value\n" : "Value for " + inputNames() + "\n";
        for (const engine::Value &value : m_values) {
            const engine::Tensor &tensor = value.tensor();
            out += "  " + tensor.text(2000) + "  " + std::string(engine::nameOf(tensor.dtype())) +
                   (tensor.rank() ? " " + tensor.shape().text() : "") + "\n";
        }
        if (m_request.timed)
            out += "\n" + profiler::counted(m_timing.calls, "call") + ": " + timeText(m_timing.meanNs) +
                   " each, the fastest " + timeText(m_timing.fastestNs) + "\n";
        if (!m_request.session.empty())
            out += "\nSession: " + m_request.session + "\n";
        emit(out, {});
    }

    static Json asJson(const engine::Tensor &tensor) {
        Json data = Json::array();
        const std::int64_t count = std::min<std::int64_t>(tensor.size(), 100'000);
        for (std::int64_t i = 0; i < count; ++i) {
            if (tensor.dtype() == engine::DType::Bool)
                data.push_back(tensor.intAt(i) != 0);
            else if (engine::isInteger(tensor.dtype()))
                data.push_back(tensor.intAt(i));
            else if (const double value = tensor.at(i); std::isfinite(value))
                data.push_back(value);
            else
                data.push_back(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        }
        std::vector<std::int64_t> shape(tensor.shape().begin(), tensor.shape().end());
        return {{"dtype", engine::nameOf(tensor.dtype())}, {"shape", shape}, {"data", std::move(data)}};
    }

    static Json lines(const std::string &text) {
        Json list = Json::array();
        for (const std::string &line : split(text, '\n'))
            list.push_back(line);
        return list;
    }

    Json asJson() const {
        Json all{{"expression", m_request.text}, {"mode", m_request.mode.name}};
        all["inputs"] = Json::array();
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            Json one{{"name", m_parsed.inputs[i]->name()}, {"type", m_parsed.inputs[i]->type().text()}, {"random", m_inputs[i].random}};
            one["value"] = asJson(m_inputs[i].tensor);
            all["inputs"].push_back(std::move(one));
        }
        all["original"] = {{"applies", m_original->liveApplyCount()},
                           {"pp", lines(prettyOf(m_parsed.outputs, m_request))},
                           {"graph", Json::parse(engine::writeGraphDocument(*m_original))}};
        all["steps"] = Json::array();
        for (const engine::Step &step : m_steps)
            all["steps"].push_back({{"phase", step.phase},
                                    {"pass", step.pass},
                                    {"rewrite", step.rewrite},
                                    {"reason", step.reason},
                                    {"ns", step.nanoseconds},
                                    {"before", step.appliesBefore},
                                    {"after", step.appliesAfter}});
        all["optimized"] = {{"applies", m_optimizedApplies},
                            {"pp", lines(prettyOf(m_optimized.outputs, m_request))},
                            {"graph", Json::parse(m_optimizedDocument)}};
        all["values"] = Json::array();
        for (const engine::Value &value : m_values)
            all["values"].push_back(asJson(value.tensor()));
        all["calls"] = {{"count", m_timing.calls}, {"meanNs", m_timing.meanNs}, {"fastestNs", m_timing.fastestNs}};
        if (!m_request.session.empty())
            all["session"] = m_request.session;
        return all;
    }

    Request m_request;
    engine::ParsedExpression m_parsed;
    std::vector<InputValue> m_inputs;
    std::optional<engine::FunctionGraph> m_original;
    std::shared_ptr<engine::Function> m_function;
    engine::ExportedGraph m_optimized;
    engine::BigVector<engine::Step> m_steps;
    std::size_t m_optimizedApplies = 0;
    std::string m_optimizedDocument;
    std::vector<engine::Value> m_values;
    Timing m_timing;
};

int expr(const Arguments &arguments) {
    try {
        return Expression(requestOf(arguments)).run();
    } catch (const engine::UserError &error) {
        std::fflush(stdout);
        throw CliError(error.what(), error.hint());
    } catch (const engine::NotationError &error) {
        throw CliError(error.what(), error.hint);
    }
}

} // namespace

Command exprCommand() {
    Command command;
    command.name = "expr";
    command.words = "'EXPRESSION' | -";
    command.summary = "compile a small expression: both graphs, every rewrite, its value";
    command.details =
        "The notation: statements end with ';' or a new line. 'x: fmatrix' declares an input, 'y = …' gives a name,\n"
        "a bare expression is an output; a name that was never declared is a matrix of floatX. Operators are Python's.\n"
        "    croton expr 'x: fmatrix; y = log(1 + exp(x)); sum(y, axis=0)'\n"
        "    croton expr 'log(1 + exp(x))' --values 'x = [[1, 2], [3, 1000]]'";
    command.options = {{"--optimized", "", "only the optimized graph"},
                       {"--format", "FORMAT", "only the graph: text, pp, dot, json or svg"},
                       {"--types", "", "types in the text"},
                       {"--values", "VALUES", "values of inputs: 'x = [[1, 2], [3, 4]]; b = 0.5' (others are random)"},
                       {"--shapes", "SHAPES", "sizes of random inputs: 'x = 3x4; b = 4'"},
                       {"--size", "N", "of every axis of a random input that nothing else says (4)"},
                       {"--seed", "N", "of the random inputs (0)"},
                       {"--run", "N", "call it N times and say how long a call takes"},
                       {"--floatX", "DTYPE", "float64 (default), float32 or float16"},
                       {"--mode", "MODE", "FAST_RUN (default), FAST_COMPILE …"},
                       {"--including", "TAGS", "tags or names of rewrites, separated by ':'"},
                       {"--excluding", "TAGS", "the same, to leave out"},
                       {"--json", "", "everything as one JSON object"},
                       {"-o", "FILE", "S.croton: record a session; another name: the output of --format"}};
    command.leastWords = 1;
    command.mostWords = 1;
    command.run = expr;
    return command;
}

} // namespace app
