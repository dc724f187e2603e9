#include "app/cli/commands/document.h"
#include "app/cli/shared/command.h"
#include "app/cli/shared/graphviz.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/profile_request.h"
#include "app/cli/shared/session_source.h"
#include "profiler/export/graph_export.h"
#include "profiler/export/json_text.h"
#include "profiler/export/report.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>

namespace app {

namespace {

int stepOf(const std::string &stage, const profiler::GraphReplica &replica)
{
    if (stage == "original") return 0;
    if (stage == "optimized") return replica.stepCount();
    char *end = nullptr;
    const long step = std::strtol(stage.c_str(), &end, 10);
    if (stage.empty() || *end != '\0') throw UsageError("there is no stage '" + stage + "'", "original, optimized, or a step number");
    if (step < 0 || step > replica.stepCount())
        throw CliError("step " + stage + " does not exist", "this function has steps 0 to " + std::to_string(replica.stepCount()));
    return static_cast<int>(step);
}

std::string whyNotAll(profiler::SessionReader &reader)
{
    for (const char *what : {"bytes of steps", "steps"})
        if (const std::string why = reader.whyDropped(what); !why.empty()) return " (" + why + ")";
    return {};
}

// The generated kernels with the apply that each runs.
std::string kernelText(profiler::SessionReader &reader, const profiler::FunctionInfo &function)
{
    const std::vector<profiler::Kernel> kernels = reader.kernels(function.id);
    const std::string why = kernels.empty() ? reader.whyDropped("kernels") : std::string();
    if (!why.empty())
        throw CliError("kernels of " + profiler::functionTitle(function) + " may not have been kept: " + why,
                       "record it again with a larger --size-limit");
    if (kernels.empty())
        throw CliError("no kernel was generated for " + profiler::functionTitle(function),
                       function.run.calls == 0 ? "it was not called, and kernels are made for the sizes of a call"
                                               : "it ran in the interpreter: its mode compiles none, there is no C compiler, it was called "
                                                 "less than three times, or no apply has steps that one loop can join");
    std::string out;
    std::map<profiler::GraphId, std::map<profiler::ApplyId, std::string>> labels;
    for (const profiler::Kernel &kernel : kernels) {
        auto &ofGraph = labels[kernel.graph];
        if (ofGraph.empty())
            for (profiler::ApplyRow &row : reader.graphRows(kernel.graph).applies) ofGraph[row.apply] = std::move(row.label);
        const std::string &label = ofGraph[kernel.apply];
        const char *origin = kernel.fromCache       ? "from the cache"
                             : kernel.compileNs > 0 ? "compiled here"
                                                    : "not compiled, the interpreter does the same";
        out += "/* " + label + "\n   " + kernel.language + ", " + origin + (kernel.flags.empty() ? "" : "\n   " + kernel.flags) + " */\n" +
               kernel.source + "\n\n";
    }
    return out;
}

std::string textOfFunction(const Arguments &arguments, const std::string &format, std::string &choice)
{
    SessionSource source(arguments, "graph");
    const profiler::FunctionInfo function = source.function(arguments.get("--function"), choice);
    if (arguments.has("--kernels")) return kernelText(source.reader(), function);
    profiler::GraphReplica replica = source.reader().replica(function.graph);
    if (const std::string path = arguments.get("--journal"); !path.empty()) {
        const std::string text = profiler::jsonText(profiler::journalJson(replica), 1);
        writeOutput(path, text, arguments.words[0]);
    }
    if (replica.stepCount() < function.stepCount)
        printErr("croton: %d of the %d steps of %s were kept%s, so its optimized graph is not known\n", replica.stepCount(),
                 function.stepCount, profiler::functionTitle(function).c_str(), whyNotAll(source.reader()).c_str());
    replica.goTo(stepOf(arguments.get("--stage", "optimized"), replica));
    std::string text;
    if (format == "text") {
        text = profiler::graphText(replica, arguments.has("--types"));
    } else if (format == "json") {
        const nlohmann::json document = profiler::graphJson(replica, source.reader().documents(function.graph), function.updates);
        if (const auto missing = document.find("missing"); missing != document.end())
            printErr("croton: this document lacks %s%s, so no program can build the graph from it (record the script again)\n",
                     missing->front().get<std::string>().c_str(),
                     missing->size() == 1 ? "" : (", and " + std::to_string(missing->size() - 1) + " more").c_str());
        text = profiler::jsonText(document);
    } else {
        profiler::DotOptions options;
        options.compact = !arguments.has("--all");
        options.updates = function.updates;
        text = profiler::graphDot(replica, options);
        if (format == "svg") text = svgOfDot(text);
    }
    return text;
}

int graph(const Arguments &arguments)
{
    const std::string format = arguments.get("--format", arguments.has("--json") ? "json" : "text");
    if (format != "text" && format != "dot" && format != "svg" && format != "json")
        throw UsageError("there is no format '" + format + "'", "text, dot, svg or json");
    for (const char *option : {"-o", "--journal"}) checkOutput(arguments.get(option), arguments.words[0]);
    std::string choice;
    const std::string text = isDocument(arguments.words[0]) ? textOfDocument(arguments.words[0], format, arguments.has("--types"))
                                                            : textOfFunction(arguments, format, choice);
    writeOutput(arguments.get("-o"), text, arguments.words[0]);
    if (!choice.empty()) printErr("croton: %s\n", choice.c_str());
    return 0;
}

} // namespace

Command graphCommand()
{
    Command command;
    command.name = "graph";
    command.words = "S.croton | GRAPH.json | FILE.py | MODEL.onnx [arguments of the script]";
    command.summary = "print a function's graph, original, optimized, or at any step";
    command.options = {{"--function", "NAME", "which function (default: the first that was called)"},
                       {"--stage", "STAGE", "original, optimized (default), or a step number"},
                       {"--format", "FORMAT", "text (default), dot, svg, json"},
                       {"--kernels", "", "the generated kernels instead of the graph"},
                       {"--types", "", "types in the text"},
                       {"--all", "", "unnamed intermediate variables in the picture, too"},
                       {"--json", "", "the same as --format json"},
                       {"--journal", "FILE", "write every edit of every step there, too, as JSON"},
                       {"-o", "FILE", "write there instead of stdout"}};
    command.options.insert(command.options.end(), settingOptions().begin(), settingOptions().end());
    command.rest = Rest::AfterOurs;
    command.leastWords = 1;
    command.run = graph;
    return command;
}

} // namespace app
