#include "app/cli/shared/command.h"
#include "app/cli/shared/event_line.h"
#include "app/cli/shared/keep_in_session.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/profile_request.h"
#include "app/cli/shared/run_again.h"
#include "app/cli/shared/session_source.h"
#include "engine/liveness/sizes.h"
#include "profiler/export/format.h"
#include "profiler/export/json_text.h"
#include "profiler/export/memory_choices_report.h"
#include "profiler/export/report.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/trials.h"
#include "profiler/stats/machine/headroom.h"
#include "profiler/stats/times/profile_parts.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <optional>

namespace app {

namespace {

// Functions that stand at the same place among those of their name are the same one.
std::vector<std::pair<profiler::FunctionId, const profiler::FunctionInfo *>> pairedFunctions(const profiler::ProfileData &a,
                                                                                             const profiler::ProfileData &b)
{
    const auto placed = [](const profiler::ProfileData &data) {
        std::map<std::pair<std::string, int>, const profiler::FunctionInfo *> places;
        std::map<std::string, int> seen;
        for (const profiler::FunctionInfo &function : data.functions) places[{function.name, seen[function.name]++}] = &function;
        return places;
    };
    const auto others = placed(b);
    std::vector<std::pair<profiler::FunctionId, const profiler::FunctionInfo *>> pairs;
    for (const auto &[place, function] : placed(a))
        if (const auto found = others.find(place); found != others.end()) pairs.emplace_back(function->id, found->second);
    return pairs;
}

// The script once more with the flags; a row for each function that was called there.
std::vector<profiler::VerifiedRow> runWith(profiler::SessionReader &reader, const profiler::ProfileData &data, const std::string &flags)
{
    const std::string path = profiler::uniquePath(profiler::temporaryFolder(), "croton-memory");
    std::vector<profiler::VerifiedRow> rows;
    std::string problem;
    try {
        runAgain(reader, flags, path, "memory");
    } catch (const CliError &error) {
        problem = error.what();
    }
    if (profiler::fileExists(path)) {
        const auto other = openSession(path);
        const profiler::ProfileData run = profiler::loadProfile(*other);
        const profiler::ProfileParts parts(run);
        for (const auto &[function, twin] : pairedFunctions(data, run)) {
            const profiler::ProfileData own = parts.of(twin->id);
            const profiler::PlanInfo plan = profiler::mainPlan(own, twin->id);
            if (twin->run.calls == 0 || plan.function != twin->id) continue;
            rows.push_back({function, flags, profiler::makeHeadroom(own, twin->id).nowNs, plan.measuredPeakBytes, {}});
        }
    }
    profiler::removeSession(path);
    if (!problem.empty()) { // no flag of a plan makes a script fail but one that asks for too little
        printErr("croton: with %s: %s\n", flags.c_str(), problem.c_str());
        for (const profiler::FunctionInfo &function : data.functions) rows.push_back({function.id, flags, -1, -1, problem});
    }
    return rows;
}

// What runs with the flags of the alternatives measured: these now, and those that the session has.
class Verified {
public:
    explicit Verified(std::vector<profiler::VerifiedRow> rows) : m_rows(std::move(rows)) {}
    void add(std::vector<profiler::VerifiedRow> rows)
    {
        for (profiler::VerifiedRow &row : rows) {
            std::erase_if(m_rows, [&](const auto &old) { return old.function == row.function && old.flags == row.flags; });
            m_rows.push_back(std::move(row));
        }
    }
    const std::vector<profiler::VerifiedRow> &rows() const { return m_rows; }
    /// Why a run with these flags gave nothing; empty: it did.
    std::string problem(const std::string &flags) const
    {
        const auto found = std::ranges::find(m_rows, flags, &profiler::VerifiedRow::flags);
        return found == m_rows.end() ? std::string() : found->error;
    }
    profiler::MeasuredChoices of(const profiler::MemoryChoices &choices, profiler::FunctionId function) const
    {
        profiler::MeasuredChoices measured;
        for (const profiler::MemoryAlternative &one : choices.all)
            for (const profiler::VerifiedRow &row : m_rows)
                if (!one.flags.empty() && row.function == function && row.flags == one.flags && row.peakBytes >= 0)
                    measured[one.choice] = row.peakBytes;
        return measured;
    }

private:
    std::vector<profiler::VerifiedRow> m_rows;
};

// The flags of all alternatives, or of the plan that keeps the budget.
std::vector<std::string> flagsToVerify(const profiler::MemoryChoices &choices, std::optional<std::int64_t> budget)
{
    if (budget) return {"memory_budget=" + std::to_string(*budget)};
    std::vector<std::string> flags;
    for (const profiler::MemoryAlternative &one : choices.all)
        if (!one.flags.empty()) flags.push_back(one.flags);
    return flags;
}

int memory(const Arguments &arguments)
{
    const EventLine events(arguments);
    std::optional<std::int64_t> budget;
    if (arguments.has("--budget")) {
        budget = profiler::bytesNamed(arguments.get("--budget"));
        if (*budget < 0) throw UsageError("'" + arguments.get("--budget") + "' is no size", "200MB, 1.5GB, or a number of bytes");
    }
    SessionSource source(arguments, "memory");
    const std::vector<profiler::FunctionInfo> functions =
        arguments.has("--function") ? source.functionsNamed(arguments.get("--function")) : source.functions();
    const profiler::ProfileData data = profiler::loadProfile(source.reader());
    const std::string text = source.reader().script().text;
    const profiler::ProfileParts parts(data);
    const profiler::DistinctTitles titles(data.functions);
    std::deque<profiler::ProfileData> partsAskedFor; // choices look into theirs
    const auto choicesOf = [&](profiler::FunctionId function) {
        profiler::MemoryChoices choices = profiler::memoryChoices(partsAskedFor.emplace_back(parts.of(function)), function);
        profiler::readScript(choices, text);
        return choices;
    };
    Verified verified(source.isTemporary() ? std::vector<profiler::VerifiedRow>{} : profiler::verifiedRuns(arguments.words[0]));
    bool isNew = false, hasFailed = false;
    if (arguments.has("--verify")) {
        checkScriptIsHere(source.reader());
        for (const profiler::FunctionInfo &function : functions) {
            const profiler::MemoryChoices choices = choicesOf(function.id);
            if (choices.all.empty()) continue;
            const std::vector<std::string> flags = flagsToVerify(choices, budget);
            for (std::size_t i = 0; i < flags.size(); ++i) {
                printErr("croton: running with %s\n", flags[i].c_str());
                events.progress("Running the script with " + flags[i], static_cast<double>(i), static_cast<double>(flags.size()));
                verified.add(runWith(source.reader(), data, flags[i]));
                hasFailed = hasFailed || !verified.problem(flags[i]).empty();
            }
            isNew = true;
            break; // a run tells of all functions
        }
    }
    nlohmann::json all = nlohmann::json::array();
    bool isFirst = true;
    for (const profiler::FunctionInfo &function : functions) {
        const profiler::MemoryChoices choices = choicesOf(function.id);
        const std::string title = titles.of(function);
        profiler::MeasuredChoices measured = verified.of(choices, function.id);
        for (const profiler::MemoryAlternative &one : choices.all)
            if (!one.whyNoFlag.empty()) measured.erase(one.choice); // of another one's flags
        if (arguments.has("--json")) {
            all.push_back(profiler::memoryChoicesJson(choices, title, budget, measured));
            continue;
        }
        if (!isFirst) printOut("\n");
        isFirst = false;
        if (budget) {
            printOut("Memory of %s\n%s", title.c_str(), profiler::budgetReport(data, choices, *budget).c_str());
            for (const profiler::VerifiedRow &row : verified.rows())
                if (row.function == function.id && row.flags == flagsToVerify(choices, budget).front() && row.peakBytes >= 0)
                    printOut("  a run with it took %s at most, and %s a call\n", liveness::sizeText(row.peakBytes).c_str(),
                             profiler::duration(row.ns).c_str());
        } else {
            writeOutput({}, profiler::memoryChoicesReport(data, choices, title, measured));
        }
    }
    if (arguments.has("--json")) writeOutput({}, profiler::jsonText(all));
    if (isNew && !source.isTemporary()) {
        source.close();
        const int kept =
            keepInSession(arguments.words[0], "what the runs took", [&] { profiler::storeVerified(arguments.words[0], verified.rows()); });
        hasFailed = hasFailed || kept != 0;
    }
    return hasFailed ? 1 : 0;
}

} // namespace

Command memoryCommand()
{
    Command command;
    command.name = "memory";
    command.words = "S.croton | FILE.py [arguments of the script]";
    command.summary = "what a call takes of memory, and what it could be";
    command.details =
        "Each line predicts what a call would take at most with the flags beside it; what the allocator measured stands beside that.\n"
        "A session keeps what --verify measured.";
    command.options = {
        {"--function", "NAME", "only this function"},
        {"--budget", "SIZE", "the plan that takes no more: 200MB, 1.5GB, bytes"},
        {"--verify", "", "run the script with the flags of each line (or with the budget), and set what was measured beside it"},
        {"--json", "", "everything as JSON"},
        EventLine::option()};
    command.options.insert(command.options.end(), settingOptions().begin(), settingOptions().end());
    command.rest = Rest::AfterOurs;
    command.leastWords = 1;
    command.run = memory;
    return command;
}

} // namespace app
