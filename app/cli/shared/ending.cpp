#include "app/cli/shared/ending.h"

#include "app/cli/commands/worker.h"
#include "app/cli/shared/output.h"
#include "profiler/export/lines_report.h"
#include "profiler/session/store/reader.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace app {

namespace fs = std::filesystem;

namespace {

constexpr int kFirstOfSignals = 128; // a status from here on: a signal ended the script

// As the person called us, so that what is printed can be pasted.
std::string asCalled(const std::string &program)
{
    const fs::path called = program_invocation_name;
    return called.has_parent_path() ? (called.parent_path() / program).string() : program;
}

bool hasStudio()
{
    const fs::path called = program_invocation_name;
    const fs::path folder = called.has_parent_path() ? called.parent_path() : fs::path(programHome()) / "bin";
    std::error_code error;
    return fs::exists(folder / "croton-studio", error);
}

// What begins with a dash would be read as an option.
std::string asWord(const std::string &path) { return path.starts_with('-') ? "./" + path : path; }

} // namespace

void sayWhereTheTimeWent(const std::string &session, int status)
{
    if (status >= kFirstOfSignals) return; // one sentence says that it was stopped, and where the session is
    std::string found;
    try {
        if (status == 0) { // else the words of what went wrong come last
            const auto reader = profiler::SessionReader::open(session);
            found = profiler::slowestLineText(profiler::loadProfile(*reader), profiler::SourceTexts(reader->sources()));
        }
    } catch (const profiler::SessionError &) {
        return; // the command that reads it says why
    }
    const std::string path = asWord(session);
    std::vector<std::string> second{asCalled("croton-studio"), path};
    if (!hasStudio()) second = {asCalled("croton"), "export", "--html", "-o", path + ".html", path};
    std::fflush(stdout);
    printErr("\nSession: %s\n%sNext:\n    %s\n    %s\n", session.c_str(), found.c_str(),
             shellQuoted({asCalled("croton"), "report", path}).c_str(), shellQuoted(second).c_str());
}

} // namespace app
