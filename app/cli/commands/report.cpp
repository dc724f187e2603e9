#include "profiler/export/report.h"

#include "app/cli/shared/command.h"
#include "app/cli/shared/output.h"
#include "profiler/export/json_export.h"
#include "profiler/export/json_text.h"
#include "profiler/export/lines_report.h"
#include "profiler/session/store/reader.h"

namespace app {

namespace {

int report(const Arguments &arguments)
{
    const std::string style = arguments.get("--style", "lines");
    if (style != "lines" && style != "theano" && style != "profilemode" && style != "summary")
        throw UsageError("there is no style '" + style + "'", "lines, theano, profilemode or summary");
    profiler::ReportOptions options;
    options.classes = options.ops = static_cast<int>(arguments.number("--rows", 20, 1));
    options.applies = static_cast<int>(arguments.number("--rows", style == "profilemode" ? 15 : 20, 1));
    options.lines = static_cast<int>(arguments.number("--rows", options.lines, 1));
    options.optimizer = arguments.has("--optimizer");
    options.steadyOnly = arguments.has("--steady");
    options.operands = arguments.has("--operands");
    options.minPeak = arguments.has("--min-peak");
    const auto reader = profiler::SessionReader::open(arguments.words[0]);
    const profiler::ProfileData data = profiler::loadProfile(*reader);
    if (const std::string name = arguments.get("--function"); !name.empty()) {
        for (const profiler::FunctionInfo &function : data.functions)
            if (profiler::isCalled(function, name)) options.functions.push_back(function.id);
        if (options.functions.empty())
            throw CliError("there is no function " + name + " in " + arguments.words[0], "croton report --style summary lists them");
    }
    std::string text;
    if (arguments.has("--json")) text = profiler::jsonText(profiler::reportJson(data, {options.functions, options.steadyOnly}));
    else if (style == "profilemode") text = profiler::profileModeReport(data, options);
    else if (style == "summary") text = profiler::summaryReport(data, options);
    else if (style == "theano") text = profiler::profileReport(data, options);
    else text = profiler::linesReport(data, profiler::SourceTexts(reader->sources()), options);
    writeOutput({}, text);
    return 0;
}

} // namespace

Command reportCommand()
{
    Command command;
    command.name = "report";
    command.words = "S.croton";
    command.summary = "print the slowest lines of a session, what to try, and where the time went";
    command.options = {
        {"--style", "STYLE",
         "lines (the slowest lines, tips, then Theano's tables; default), theano (as profile=True prints it), "
         "profilemode (as mode=ProfileMode prints it), summary (one screen)"},
        {"--function", "NAME", "only functions of this name"},
        {"--rows", "N", "rows of each table (default 20, and 5 lines)"},
        {"--steady", "", "without the calls before the last change of tier (warm-up)"},
        {"--min-peak", "", "the least memory that any order of the applies needs"},
        {"--operands", "", "flops of each apply, and dtype, shape and strides of what it reads and writes"},
        {"--optimizer", "", "the optimizer profile of each function"},
        {"--json", "", "everything as JSON"},
    };
    command.leastWords = command.mostWords = 1;
    command.run = report;
    return command;
}

} // namespace app
