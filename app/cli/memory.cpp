#include "app/cli/command.h"
#include "app/cli/profile_request.h"
#include "app/cli/session_source.h"
#include "profiler/export/memory_choices_report.h"
#include "profiler/export/report.h"
#include "profiler/session/files.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>
#include <optional>

namespace app {

namespace {

// Functions that stand at the same place among those of their name are the same one.
std::map<std::pair<std::string, int>, std::int64_t> measuredPeaks(const profiler::ProfileData &data)
{
    std::map<std::pair<std::string, int>, std::int64_t> peaks;
    std::map<std::string, int> seen;
    for (const profiler::FunctionInfo &function : data.functions) {
        const int place = seen[function.name]++;
        const profiler::PlanInfo plan = profiler::mainPlan(data, function.id);
        if (plan.function == function.id && plan.measuredPeakBytes >= 0) peaks[{function.name, place}] = plan.measuredPeakBytes;
    }
    return peaks;
}

// The script once more for each set of flags; by function.
std::map<profiler::FunctionId, profiler::MeasuredChoices> verified(const Arguments &arguments, const profiler::ProfileData &data,
                                                                   const std::vector<profiler::MemoryAlternative> &all)
{
    std::map<profiler::FunctionId, profiler::MeasuredChoices> result;
    for (const profiler::MemoryAlternative &one : all) {
        if (one.flags.empty()) continue;
        WorkerRequest request = profileRequest(arguments, "memory");
        const std::string path = profiler::uniquePath(profiler::temporaryFolder(), "croton-memory");
        request.session = path;
        request.stdoutToStderr = true;
        for (std::size_t from = 0; from <= one.flags.size();) {
            const std::size_t end = std::min(one.flags.find(',', from), one.flags.size());
            request.flags.push_back(one.flags.substr(from, end - from));
            from = end + 1;
        }
        std::fprintf(stderr, "croton: running with %s\n", one.flags.c_str());
        const int status = runWorker(request);
        if (status != 0) std::fprintf(stderr, "croton: with %s the script ended with status %d\n", one.flags.c_str(), status);
        if (!profiler::fileExists(path)) continue;
        {
            const auto reader = openSession(path);
            const auto peaks = measuredPeaks(profiler::loadProfile(*reader));
            std::map<std::string, int> seen;
            for (const profiler::FunctionInfo &function : data.functions)
                if (const auto found = peaks.find({function.name, seen[function.name]++}); found != peaks.end())
                    result[function.id][one.choice] = found->second;
        }
        profiler::removeSession(path);
    }
    return result;
}

int memory(const Arguments &arguments)
{
    std::optional<std::int64_t> budget;
    if (arguments.has("--budget")) {
        budget = profiler::bytesNamed(arguments.get("--budget"));
        if (*budget < 0) throw UsageError("'" + arguments.get("--budget") + "' is no size", "200MB, 1.5GB, or a number of bytes");
    }
    SessionSource source(arguments, "memory");
    const std::vector<profiler::FunctionInfo> functions =
        arguments.has("--function") ? source.functionsNamed(arguments.get("--function")) : source.functions();
    const profiler::ProfileData data = profiler::loadProfile(source.reader());
    std::map<profiler::FunctionId, profiler::MeasuredChoices> measured;
    if (arguments.has("--verify")) {
        const std::string &script = arguments.words[0];
        if (script.size() < 3 || script.compare(script.size() - 3, 3, ".py") != 0)
            throw UsageError("--verify runs the script once for each alternative, and " + script + " is a session", "name the script");
        for (const profiler::FunctionInfo &function : functions)
            if (const auto choices = profiler::memoryChoices(data, function.id); !choices.all.empty()) {
                measured = verified(arguments, data, choices.all);
                break;
            }
    }
    nlohmann::json all = nlohmann::json::array();
    bool isFirst = true;
    for (const profiler::FunctionInfo &function : functions) {
        const profiler::MemoryChoices choices = profiler::memoryChoices(data, function.id);
        const std::string title = profiler::distinctTitle(function, data.functions);
        if (arguments.has("--json")) {
            all.push_back(profiler::memoryChoicesJson(choices, title, budget, measured[function.id]));
            continue;
        }
        if (!isFirst) std::puts("");
        isFirst = false;
        if (budget) std::printf("Memory of %s\n%s", title.c_str(), profiler::budgetReport(data, choices, *budget).c_str());
        else std::fputs(profiler::memoryChoicesReport(data, choices, title, measured[function.id]).c_str(), stdout);
    }
    if (arguments.has("--json")) std::puts(all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return 0;
}

} // namespace

Command memoryCommand()
{
    Command command;
    command.name = "memory";
    command.words = "S.croton | FILE.py [arguments of the script]";
    command.summary = "what a call takes of memory, and what it could be";
    command.details =
        "Each line predicts what a call would take at most with the flags beside it; what the allocator measured stands beside that.";
    command.options = {{"--function", "NAME", "only this function"},
                       {"--budget", "SIZE", "the plan that takes no more: 200MB, 1.5GB, bytes"},
                       {"--verify", "", "run the script with the flags of each line, and set what was measured beside what was predicted"},
                       {"--json", "", "everything as JSON"}};
    command.options.insert(command.options.end(), settingOptions().begin(), settingOptions().end());
    command.rest = Rest::AfterOurs;
    command.leastWords = 1;
    command.run = memory;
    return command;
}

} // namespace app
