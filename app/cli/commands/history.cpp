#include "profiler/compare/history.h"
#include "app/cli/shared/command.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/session_source.h"
#include "profiler/compare/fingerprint.h"
#include "profiler/export/format.h"
#include "profiler/export/history_report.h"
#include "profiler/export/json_text.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace app {

namespace fs = std::filesystem;

namespace {

std::string absolute(const std::string &path)
{
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(path, error);
    return error ? fs::absolute(path).string() : whole.string();
}

// Sessions in the folders themselves, each once.
std::vector<std::string> sessionsIn(const std::vector<std::string> &folders)
{
    std::set<std::string> paths;
    for (const std::string &folder : folders) {
        std::error_code error;
        for (const fs::directory_entry &file : fs::directory_iterator(folder, error))
            if (file.path().extension() == ".croton") paths.insert(absolute(file.path().string()));
    }
    return {paths.begin(), paths.end()};
}

std::string textOf(const std::string &file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Which of the groups is that of the script or session that was named.
const std::vector<std::size_t> *groupOf(const std::string &word, const std::vector<profiler::SessionGlance> &glances,
                                        const std::vector<std::vector<std::size_t>> &groups)
{
    const std::string path = absolute(word);
    std::error_code error;
    const bool isScript = fs::path(word).extension() == ".py";
    const std::uint64_t text = isScript && fs::is_regular_file(word, error) ? profiler::fingerprintOf(textOf(word)) : 0;
    for (const auto &group : groups)
        for (const std::size_t one : group) {
            const profiler::SessionGlance &glance = glances[one];
            const bool sameFile = isScript && !glance.script.empty() && absolute(glance.script) == path;
            if (isScript ? sameFile || (text && glance.scriptText == text) : glance.path == path) return &group;
        }
    if (!isScript || fs::path(word).has_parent_path()) return nullptr;
    for (const auto &group : groups) // "train.py", wherever it lay
        for (const std::size_t one : group)
            if (fs::path(glances[one].script).filename() == word) return &group;
    return nullptr;
}

int listScripts(const std::vector<profiler::SessionGlance> &glances, const std::vector<std::vector<std::size_t>> &groups)
{
    for (const auto &group : groups)
        printOut("%s  %s\n", profiler::counted(static_cast<std::int64_t>(group.size()), "session").c_str(),
                 glances[group.back()].script.empty() ? glances[group.back()].path.c_str() : glances[group.back()].script.c_str());
    printOut("croton history SCRIPT shows one\n");
    return 0;
}

int history(const Arguments &arguments)
{
    const auto most = static_cast<std::size_t>(arguments.number("--last", 40, 1));
    std::string wanted;
    std::vector<std::string> folders;
    for (const std::string &word : arguments.words) {
        std::error_code error;
        if (fs::is_directory(word, error)) folders.push_back(word);
        else if (!wanted.empty())
            throw UsageError("a history is that of one script, and " + wanted + " is named already", "leave out '" + word + "'");
        else wanted = word;
    }
    if (!wanted.empty() && !fs::exists(wanted) && fs::path(wanted).extension() != ".py")
        throw CliError("there is no script, session or folder " + wanted);
    if (folders.empty()) {
        folders = {".", sessionFolder()};
        if (fs::path(wanted).has_parent_path()) folders.push_back(fs::path(wanted).parent_path().string());
    }
    std::vector<profiler::SessionGlance> glances;
    std::vector<profiler::LeftOut> damaged;
    for (const std::string &path : sessionsIn(folders)) {
        glances.push_back(profiler::glanceAt(path));
        if (!glances.back().problem.empty()) damaged.push_back({path, glances.back().problem});
    }
    const auto groups = profiler::groupByScript(glances);
    if (wanted.empty() && groups.size() > 1 && !arguments.has("--json")) return listScripts(glances, groups);
    const std::vector<std::size_t> *group = wanted.empty() ? groups.empty() ? nullptr : &groups.front() : groupOf(wanted, glances, groups);
    if (!group) {
        std::string where;
        for (const std::string &folder : folders) where += (where.empty() ? "" : ", ") + folder;
        throw CliError("there is no session of " + (wanted.empty() ? "any script" : wanted) + " in " + where +
                           (damaged.empty() ? ""
                                            : ", and " + profiler::counted(static_cast<std::int64_t>(damaged.size()), "file") +
                                                  " there cannot be read"),
                       "croton profile FILE.py -o S.croton records one; croton history SCRIPT FOLDER looks elsewhere");
    }
    std::vector<std::string> paths;
    for (const std::size_t one : *group) paths.push_back(glances[one].path);
    const bool tells = isatty(STDERR_FILENO) && paths.size() > 20;
    profiler::History all = profiler::makeHistory(paths, [&](std::size_t done) {
        if (tells) printErr("\r%zu of %zu sessions", done, paths.size());
        return true;
    });
    if (tells) printErr("\r\033[K");
    all.leftOut.insert(all.leftOut.end(), damaged.begin(), damaged.end());
    const std::string text = arguments.has("--json") ? profiler::jsonText(profiler::historyJson(all)) : profiler::historyReport(all, most);
    writeOutput({}, text);
    return 0;
}

} // namespace

Command historyCommand()
{
    Command command;
    command.name = "history";
    command.words = "[SCRIPT.py | S.croton] [FOLDER …]";
    command.summary = "show all sessions of a script over time, and since when its graphs are others";
    command.details = "For each function one line a session: time of a call in the steady state, memory, applies, compile time;\n"
                      "between the lines what became another: settings, the script, and applies of the optimized graph.\n"
                      "Sessions belong to a script when they name its file, hold its text, or compiled the same graphs. They are\n"
                      "looked for in the folders that are named, else here, beside the script, and where the studio keeps its own.\n"
                      "Without a script: those that there are.";
    command.options = {{"--last", "N", "the last N sessions (default 40)"}, {"--json", "", "everything as JSON"}};
    command.mostWords = 64;
    command.run = history;
    return command;
}

} // namespace app
