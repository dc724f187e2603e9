// `croton values`: where the digits of a call went, as written and as compiled.

#include "app/cli/expr/expr_parts.h"
#include "app/cli/shared/captured_session.h"
#include "app/cli/shared/output.h"
#include "engine/tensor/errors.h"
#include "engine/values/call_values.h"
#include "profiler/export/json_text.h"
#include "profiler/export/report.h"
#include "profiler/export/values_report.h"
#include "profiler/record/recorder.h"
#include "profiler/record/values_record.h"
#include "profiler/replay/call_values.h"
#include "profiler/session/store/add_values.h"
#include "profiler/session/store/files.h"

#include <algorithm>
#include <cstdio>

namespace app {

namespace {

using profiler::ValueSide;

struct Found {
    std::vector<profiler::ValueRow> rows;
    std::vector<profiler::ValueNote> notes;

    void add(const engine::CallValues &values, const profiler::ValuesOf &of)
    {
        for (profiler::ValueRow &row : profiler::valueRows(values, of)) rows.push_back(std::move(row));
        for (profiler::ValueNote &note : profiler::valueNotes(values, of)) notes.push_back(std::move(note));
    }
};

void show(profiler::ValuesReport report, const Arguments &arguments)
{
    const std::string only = arguments.get("--side", "both");
    if (only != "both" && only != "original" && only != "optimized")
        throw UsageError("there is no side '" + only + "'", "original, optimized or both");
    std::erase_if(report.sides, [&](const profiler::ValuesOfSide &side) {
        return only != "both" && (only == "original") != (side.side == ValueSide::Original);
    });
    writeOutput({}, arguments.has("--json") ? profiler::jsonText(profiler::valuesJson(report)) : profiler::valuesReport(report));
}

// An expression: compiled here, called once.
class ExpressionValues {
public:
    explicit ExpressionValues(const Arguments &arguments)
    {
        if (const std::string target = arguments.get("-o"); !target.empty() && !target.ends_with(".croton"))
            throw UsageError("-o wants a session, for example run.croton");
        m_request = exprRequest(arguments);
    }

    profiler::ValuesReport run()
    {
        engine::setFloatX(m_request.floatX);
        const engine::ParsedExpression parsed = parsedExpression(m_request);
        const std::vector<InputValue> given = inputValues(parsed.inputs, m_request.inputs);
        std::optional<profiler::Recorder> recorder;
        if (!m_request.session.empty()) {
            profiler::checkSessionPlace(m_request.session);
            recorder.emplace(m_request.session, expressionStart("values", m_request));
        }
        try {
            look(parsed, given, recorder.has_value());
        } catch (const std::exception &error) {
            if (recorder) recorder->finish(1, error.what());
            throw;
        }
        if (recorder) {
            recorder->finish(0);
            recorder.reset();
            store();
        }
        profiler::ValuesReport report;
        for (std::size_t i = 0; i < given.size(); ++i)
            report.inputs += (i ? ", " : "") + parsed.inputs[i]->displayName() + ": " +
                             std::string(engine::nameOf(given[i].tensor.dtype())) + " " + given[i].tensor.shape().text() +
                             (given[i].random ? " random" : "");
        report.sides = profiler::sidesOf(std::move(m_found.rows), m_found.notes);
        return report;
    }

private:
    void look(const engine::ParsedExpression &parsed, const std::vector<InputValue> &given, bool isRecorded)
    {
        const engine::FunctionGraph original(parsed.inputs, parsed.outputs);
        engine::FunctionSpec spec = expressionSpec(parsed, m_request);
        spec.mode.device = engine::DeviceId::Host; // values are looked at where they lie
        const auto function = engine::Function::compile(std::move(spec));
        std::vector<engine::Value> values, outputs;
        for (const InputValue &input : given) values.emplace_back(input.tensor);
        if (isRecorded) function->call(values, outputs);
        m_found.add(engine::valuesOfCall(original, original.toposort(), values), {.side = ValueSide::Original});
        m_found.add(engine::valuesOfCall(function->graph(), function->order(), values), {.side = ValueSide::Optimized});
    }

    void store()
    {
        const profiler::FunctionInfo function = profiler::SessionReader::open(m_request.session)->functions().at(0);
        for (profiler::ValueRow &row : m_found.rows) {
            row.function = function.id;
            row.graph = function.graph;
        }
        for (profiler::ValueNote &note : m_found.notes) note.function = function.id;
        profiler::addValues(m_request.session, m_found.rows, m_found.notes);
    }

    ExprRequest m_request;
    Found m_found;
};

// What a session keeps.
profiler::ValuesReport storedValues(const Arguments &arguments)
{
    const std::string path = arguments.words[0], wanted = arguments.get("--function");
    const auto reader = profiler::SessionReader::open(path);
    const long call = arguments.number("--call", -1);
    profiler::ValuesReport report;
    std::vector<profiler::ValuesOfSide> all = profiler::sidesOf(reader->values(), reader->valueNotes());
    for (const profiler::FunctionInfo &function : reader->functions()) {
        if (!wanted.empty() && !profiler::isCalled(function, wanted)) continue;
        for (profiler::ValuesOfSide &side : all) {
            if (side.function != function.id || (call >= 0 && side.call != call)) continue;
            if (!report.sides.empty() && (report.sides.front().function != side.function || report.sides.front().call != side.call))
                continue;
            report.function = function.name;
            report.sides.push_back(std::move(side));
        }
    }
    if (report.sides.empty())
        throw CliError("no values of a call " + (wanted.empty() ? std::string() : "of " + wanted + " ") + "are kept in " + path,
                       "record with croton profile --capture, or keep those of an expression: croton values 'EXPRESSION' -o S.croton");
    report.lines = profiler::ValueLines(*reader);
    return report;
}

// Of a captured call, compiled again; kept where it was compiled as it was.
profiler::ValuesReport capturedValues(const Arguments &arguments)
{
    CapturedSession session(arguments, "values");
    profiler::SessionReader &reader = session.reader();
    if (reader.capturedCalls().empty() && !session.isTemporary()) return storedValues(arguments);
    std::optional<std::int64_t> number;
    if (arguments.has("--call")) number = arguments.number("--call", 0);
    const profiler::LoadedCall call = profiler::loadCall(reader, arguments.get("--function"), number);
    profiler::ModeChanges changes;
    changes.device = "cpu"; // values are looked at where they lie
    if (arguments.has("--mode")) changes.mode = arguments.get("--mode");
    changes.including = namesBetween(arguments.get("--including"), ':');
    changes.excluding = namesBetween(arguments.get("--excluding"), ':');
    const bool isItsOwn = !changes.mode && changes.including.empty() && changes.excluding.empty();
    profiler::CapturedValues found = profiler::valuesOfCaptured(reader, call, profiler::modeOf(call.view.function, changes));
    const bool isFinished = reader.info().state == profiler::SessionState::Finished;
    profiler::ValuesReport report;
    report.function = call.view.functionName;
    report.lines = profiler::ValueLines(reader);
    session.close();
    if (isItsOwn && isFinished && !session.isTemporary()) {
        try {
            profiler::addValues(session.path(), found.rows, found.notes);
        } catch (const profiler::SessionError &error) {
            printErr("croton: these values are not kept in the session: %s\n", error.what());
        }
    }
    report.sides = profiler::sidesOf(std::move(found.rows), found.notes);
    return report;
}

int values(const Arguments &arguments)
{
    const std::string &what = arguments.words[0];
    const bool isExpression = !what.ends_with(".croton") && !what.ends_with(".py") && !what.ends_with(".onnx");
    if (isExpression && !arguments.rest.empty()) throw UsageError("an expression is one word, and '" + arguments.rest[0] + "' is another");
    try {
        show(isExpression ? ExpressionValues(arguments).run() : capturedValues(arguments), arguments);
        return 0;
    } catch (const engine::UserError &error) {
        throw CliError(error.what(), error.hint());
    }
}

} // namespace

Command valuesCommand()
{
    Command command;
    command.name = "values";
    command.words = "S.croton | FILE.py | 'EXPRESSION'";
    command.summary = "where the digits of a call went, and where its first nan was born";
    command.details =
        "Every value of a call as written and as compiled, beside a reference with 34 digits and more: smallest, largest, nan, inf, and\n"
        "how many digits are wrong. Fused kernels are looked at step by step.\n"
        "    croton profile --capture FILE.py -o S.croton; croton values S.croton --function train\n"
        "    croton values 'x: dvector; log(1 + exp(x))' --values 'x = [-40, 3, 800]'";
    command.options = {{"--function", "NAME", "of a session or script: the function (default: the one that took most time)"},
                       {"--call", "N", "of a session or script: a captured call (default: a chosen one, else the slowest, else the first)"},
                       {"--side", "SIDE", "original, optimized or both (default)"},
                       {"--values", "VALUES", "values of inputs: 'x = [[1, 2], [3, 4]]; b = 0.5' (others are random)"},
                       {"--shapes", "SHAPES", "sizes of random inputs: 'x = 3x4; b = 4'"},
                       {"--size", "N", "of every axis of a random input that nothing else says (4)"},
                       {"--seed", "N", "of the random inputs (0)"},
                       {"--floatX", "DTYPE", "float64 (default), float32 or float16"},
                       {"--mode", "MODE", "FAST_RUN (default), FAST_COMPILE …"},
                       {"--including", "TAGS", "tags or names of rewrites, separated by ':'"},
                       {"--excluding", "TAGS", "the same, to leave out"},
                       {"--json", "", "everything as one JSON object"},
                       {"-o", "FILE", "S.croton: record a session with these values in it"}};
    command.leastWords = command.mostWords = 1;
    command.rest = Rest::AfterOurs;
    command.run = values;
    return command;
}

} // namespace app
