#include "app/cli/run_again.h"

#include "app/cli/command.h"
#include "app/cli/worker.h"

#include <filesystem>
#include <sstream>

namespace app {

namespace fs = std::filesystem;

void runAgain(profiler::SessionReader &reader, const std::string &flags, const std::string &path, const std::string &commandName)
{
    const profiler::SessionInfo info = reader.info();
    const profiler::ScriptInfo script = reader.script();
    const fs::path file = fs::path(info.directory) / script.path;
    if (script.path.empty() || !fs::exists(file))
        throw CliError("the script of this session is not here, so no run can verify anything" +
                           (script.path.empty() ? "" : ": " + file.string()),
                       "leave out --verify, or put the script there");
    WorkerRequest request;
    request.mode = "profile";
    request.script = file.string();
    request.arguments = script.arguments;
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
