#include "app/cli/shared/keep_in_session.h"

#include "app/cli/commands/worker.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/session_source.h"
#include "profiler/session/model/model.h"

#include <filesystem>
#include <unistd.h>

namespace app {

namespace fs = std::filesystem;

bool isOfSample(const std::string &session)
{
    std::error_code problem;
    const fs::path samples = fs::canonical(programHome() + "/samples", problem);
    if (problem) return false;
    const fs::path place = fs::weakly_canonical(session, problem);
    const auto [end, rest] = std::mismatch(samples.begin(), samples.end(), place.begin(), place.end());
    return !problem && end == samples.end();
}

std::string placeBeside(const std::string &session, const std::string &name)
{
    const fs::path beside = fs::path(session).parent_path();
    if (!isOfSample(session) && ::access(beside.empty() ? "." : beside.c_str(), W_OK) == 0) return (beside / name).string();
    std::error_code problem; // one that cannot be made cannot be written either, and who writes says so
    fs::create_directories(sessionFolder(), problem);
    return (fs::path(sessionFolder()) / name).string();
}

int keepInSession(const std::string &session, const std::string &what, const std::function<void()> &store)
{
    if (isOfSample(session)) {
        printErr("croton: %s is not kept: %s was recorded for a sample and stays as it is; a copy of it takes it in\n", what.c_str(),
                 session.c_str());
        return 0;
    }
    try {
        store();
        return 0;
    } catch (const profiler::SessionError &error) {
        printErr("croton: %s is not kept in the session: %s\n", what.c_str(), error.what());
        if (!error.hint().empty()) printErr("        %s\n", error.hint().c_str());
        return 1;
    }
}

} // namespace app
