#include "profiler/compare/compare.h"
#include "app/cli/shared/command.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/session_source.h"
#include "profiler/export/compare_report.h"
#include "profiler/export/json_text.h"
#include "profiler/session/store/reader.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace app {

namespace {

// "10%", "10" or "0.1" (below 1, without a sign: a fraction).
double fractionOf(const std::string &text)
{
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const std::string unit = end;
    if (text.empty() || end == text.c_str() || (!unit.empty() && unit != "%") || !(value >= 0))
        throw UsageError("--fail-over wants a share like 10%, not '" + text + "'");
    return unit.empty() && value < 1 ? value : value / 100;
}

void sayWhoseFunctionsNeverRan(const profiler::Comparison &comparison, const std::string &a, const std::string &b)
{
    const bool inA = std::ranges::all_of(comparison.functions, [](const auto &row) { return !row.a.present || row.neverRanA; });
    const bool inB = std::ranges::all_of(comparison.functions, [](const auto &row) { return !row.b.present || row.neverRanB; });
    const std::string &warning = inA ? comparison.warningA : comparison.warningB;
    const std::string who = inA && inB ? a + " and " + b : inA ? a : b;
    if (inA || inB)
        printErr("croton: %s %s no call of a function, so nothing was compared (%s)\n", who.c_str(), inA && inB ? "have" : "has",
                 warning.empty() ? "record a run that calls one" : warning.c_str());
    else
        printErr("croton: no function was called in both %s and %s, so nothing was compared (record runs that call the same)\n", a.c_str(),
                 b.c_str());
}

// Was a function called in A and never in B?
bool lostCalls(const profiler::Comparison &comparison)
{
    return std::ranges::any_of(comparison.functions,
                               [](const auto &row) { return row.a.present && row.b.present && !row.neverRanA && row.neverRanB; });
}

int compare(const Arguments &arguments)
{
    profiler::CompareReportOptions options;
    options.rows = static_cast<int>(arguments.number("--rows", 20, 1));
    const bool limited = arguments.has("--fail-over");
    const double limit = limited ? fractionOf(arguments.get("--fail-over")) : 0;
    const auto a = openSession(arguments.words[0]);
    const auto b = openSession(arguments.words[1]);
    const profiler::ProfileData dataA = profiler::loadProfile(*a), dataB = profiler::loadProfile(*b);
    const profiler::Comparison comparison =
        profiler::compareSessions(dataA, a->steadySamples(dataA.functions), dataB, b->steadySamples(dataB.functions));
    const std::string text =
        arguments.has("--json") ? profiler::jsonText(profiler::compareJson(comparison)) : profiler::compareReport(comparison, options);
    writeOutput({}, text);
    std::fflush(stdout);
    if (!profiler::hasCommonFunction(comparison)) {
        printErr("croton: %s and %s have no function in common, so nothing was compared (functions are paired by name and place)\n",
                 arguments.words[0].c_str(), arguments.words[1].c_str());
        return limited ? 1 : 0;
    }
    if (!profiler::hasPairedFunction(comparison)) {
        sayWhoseFunctionsNeverRan(comparison, arguments.words[0], arguments.words[1]);
        return 1;
    }
    if (limited && lostCalls(comparison)) {
        printErr("croton: %s never called a function that %s called, so it cannot be told whether it became worse (see Not compared)\n",
                 arguments.words[1].c_str(), arguments.words[0].c_str());
        return 1;
    }
    const double worst = profiler::worstRegression(comparison);
    if (!limited || worst <= limit) return 0;
    printErr("croton: %s is worse than %s by %.1f%%, more than %.1f%%\n", arguments.words[1].c_str(), arguments.words[0].c_str(),
             100 * worst, 100 * limit);
    return 1;
}

} // namespace

Command compareCommand()
{
    Command command;
    command.name = "compare";
    command.words = "A.croton B.croton";
    command.summary = "say what became slower or larger from A to B, and what may be chance";
    command.details = "Applies are paired through what they stem from and their names. A difference counts (*) when the\n"
                      "Mann-Whitney test says so after Holm's correction and it is large enough. Sessions of 6 runs or more\n"
                      "(croton profile --runs 12) are compared run by run, and 7% of the apply is enough. With fewer, single calls\n"
                      "are compared, and it takes 8.5%. Where operands exceed the innermost cache it takes 25% in both: two\n"
                      "processes differ by that much. Less than 0.35% of the function never counts. A shift of 3 to 20% that all\n"
                      "applies share is stated; with few runs it is taken out of the judgement on applies, not on functions:\n"
                      "'measured' has it, 'judged' has not.";
    command.options = {
        {"--fail-over", "SHARE",
         "exit with 1 when anything that counts is worse by more, e.g. 10%, when nothing can be compared, or when B never called a "
         "function that A called"},
        {"--rows", "N", "rows of the table of applies, and of what is only in one (default 20)"},
        {"--json", "", "everything as JSON"},
    };
    command.leastWords = command.mostWords = 2;
    command.run = compare;
    return command;
}

} // namespace app
