#include "app/cli/shared/run_again.h"

#include "app/cli/commands/worker.h"
#include "app/cli/shared/command.h"

#include <filesystem>
#include <sstream>

namespace app {

namespace fs = std::filesystem;

namespace {

fs::path scriptOf(profiler::SessionReader &reader) { return fs::path(reader.info().directory) / reader.script().path; }

} // namespace

void checkScriptIsHere(profiler::SessionReader &reader)
{
    const bool isNamed = !reader.script().path.empty();
    if (isNamed && fs::exists(scriptOf(reader))) return;
    throw CliError("the script of this session is not here, so no run can verify anything" +
                       (isNamed ? ": " + scriptOf(reader).string() : std::string()),
                   "leave out --verify, or put the script there");
}

void runAgain(profiler::SessionReader &reader, const std::string &flags, const std::string &path, const std::string &commandName)
{
    checkScriptIsHere(reader);
    WorkerRequest request;
    request.mode = "profile";
    request.script = scriptOf(reader).string();
    request.arguments = reader.script().arguments;
    request.session = path;
    request.label = "what if " + flags;
    request.command = "croton " + commandName + " --verify " + flags;
    request.stdoutToStderr = true;
    for (const profiler::Flag &one : reader.flags()) // as the session was recorded
        if (one.origin != "default" && one.origin != "script" && !(flags + ",").starts_with(one.name + "=") &&
            flags.find("," + one.name + "=") == std::string::npos)
            request.flags.push_back(one.name + "=" + one.value);
    std::istringstream each(flags);
    for (std::string one; std::getline(each, one, ',');) request.flags.push_back(one);
    if (const int status = runWorker(request); status != 0)
        throw CliError("the run that was to verify it ended with status " + std::to_string(status));
}

} // namespace app
