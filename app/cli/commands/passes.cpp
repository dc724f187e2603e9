#include "app/cli/shared/command.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/profile_request.h"
#include "app/cli/shared/session_source.h"
#include "profiler/export/json_export.h"
#include "profiler/export/json_text.h"
#include "profiler/export/report.h"
#include "profiler/export/why_not.h"
#include "profiler/stats/times/profile_parts.h"

#include <algorithm>
#include <cstdio>

namespace app {

namespace {

// What every rewrite that looks at these nodes said last.
int whyNot(const Arguments &arguments, SessionSource &source, const std::vector<profiler::FunctionInfo> &functions)
{
    const std::string node = arguments.get("--why-not");
    if (node.empty())
        throw UsageError("--why-not wants a node", "the number that `croton graph` prints, an id (a148), a part of its op, or a variable");
    nlohmann::json all = nlohmann::json::array();
    std::size_t found = 0;
    const profiler::DistinctTitles titles(source.reader().functions());
    for (const profiler::FunctionInfo &function : functions) {
        profiler::GraphReplica replica = source.reader().replica(function.graph);
        replica.goTo(replica.stepCount());
        const std::vector<profiler::ApplyId> applies = profiler::appliesNamed(replica, node);
        if (applies.empty()) continue;
        found += applies.size();
        const std::vector<profiler::Decline> declines = *source.reader().graphRows(function.graph).declines.of(function.graph);
        if (arguments.has("--json")) {
            nlohmann::json one = profiler::whyNotJson(replica, declines, applies);
            one["function"] = function.name;
            all.push_back(std::move(one));
        } else {
            if (functions.size() > 1) printOut("%s\n", titles.of(function).c_str());
            writeOutput({}, profiler::whyNotText(replica, declines, applies));
        }
    }
    if (!found)
        throw CliError(
            "no node of the optimized graph is called '" + node + "'",
            "name an apply by the number that `croton graph` prints or by its id (a148), by a part of its op, or by its variable");
    if (arguments.has("--json")) writeOutput({}, profiler::jsonText(all));
    return 0;
}

// Where the code is of those that are not the engine's.
void printOwnRewrites(profiler::SessionReader &reader)
{
    std::vector<profiler::RewriteInfo> own = reader.rewrites();
    std::erase_if(own, [](const profiler::RewriteInfo &one) { return one.code.file.starts_with("engine/"); });
    if (own.empty()) return;
    printOut("Rewrites that the script registered\n");
    for (const profiler::RewriteInfo &one : own)
        printOut("  %s  %s:%d  %s\n", one.name.c_str(), one.code.file.c_str(), one.code.line, one.why.c_str());
    printOut("\n");
}

int passes(const Arguments &arguments)
{
    SessionSource source(arguments, "passes");
    const std::vector<profiler::FunctionInfo> functions =
        arguments.has("--function") ? source.functionsNamed(arguments.get("--function")) : source.functions();
    if (arguments.has("--why-not")) return whyNot(arguments, source, functions);
    const profiler::ProfileData data = profiler::loadProfile(source.reader());
    const profiler::ProfileParts parts(data);
    const profiler::DistinctTitles titles(data.functions);
    if (arguments.has("--json")) {
        nlohmann::json all = nlohmann::json::array();
        for (const profiler::FunctionInfo &function : functions)
            all.push_back(profiler::passesJson(parts.of(function.id), function.id, source.reader().steps(function.graph)));
        writeOutput({}, profiler::jsonText(all));
        return 0;
    }
    for (const profiler::FunctionInfo &function : functions)
        writeOutput({}, profiler::optimizerReport(parts.of(function.id), function.id, titles, arguments.has("--changed")) + "\n");
    printOwnRewrites(source.reader());
    if (!arguments.has("--steps")) return 0;
    for (const profiler::FunctionInfo &function : functions) {
        const std::vector<profiler::StepInfo> steps = source.reader().steps(function.graph);
        std::size_t phases = 0, rewrites = 0;
        for (const profiler::StepInfo &step : steps) {
            phases = std::max(phases, step.phase.size());
            rewrites = std::max(rewrites, step.rewrite.size());
        }
        printOut("Steps of %s\n", titles.of(function).c_str());
        for (const profiler::StepInfo &step : steps)
            if (step.index > 0)
                printOut("  %5d  %-*s  %-*s  %7.1f us  %5d -> %5d  %s\n", step.index, static_cast<int>(phases), step.phase.c_str(),
                         static_cast<int>(rewrites), step.rewrite.c_str(), static_cast<double>(step.ns) * 1e-3, step.nodesBefore,
                         step.nodesAfter, step.reason.c_str());
    }
    return 0;
}

} // namespace

Command passesCommand()
{
    Command command;
    command.name = "passes";
    command.words = "S.croton | FILE.py [arguments of the script]";
    command.summary = "list phases, passes and rewrites with counts and times";
    command.options = {{"--function", "NAME", "only this function"},
                       {"--changed", "", "leave out what changed nothing"},
                       {"--steps", "", "every single rewrite, too"},
                       {"--why-not", "NODE", "what every rewrite that looks at NODE of the optimized graph said last"},
                       {"--json", "", "everything as JSON"}};
    command.options.insert(command.options.end(), settingOptions().begin(), settingOptions().end());
    command.rest = Rest::AfterOurs;
    command.leastWords = 1;
    command.run = passes;
    return command;
}

} // namespace app
