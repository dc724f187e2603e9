#include "app/cli/shared/command.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/session_source.h"
#include "engine/liveness/sizes.h"
#include "profiler/export/format.h"
#include "profiler/export/json_text.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace app {

namespace fs = std::filesystem;

namespace {

struct Entry {
    std::string path;
    std::int64_t bytes = 0;
    std::int64_t createdMs = 0;
    profiler::SessionState state = profiler::SessionState::Finished;
    std::string script;
    std::string note;      // why it cannot be read
    bool isSession = true; // damaged ones are sessions, too; other files that are called so are not
};

std::vector<Entry> entriesIn(const std::string &folder)
{
    std::vector<Entry> entries;
    std::error_code error;
    for (const fs::directory_entry &file : fs::directory_iterator(folder, error)) {
        if (file.path().extension() != ".croton") continue;
        Entry entry;
        entry.path = file.path().string();
        entry.bytes = profiler::fileSize(entry.path) + profiler::fileSize(entry.path + "-wal");
        entry.createdMs = profiler::modifiedUnixMs(entry.path);
        try {
            const auto reader = profiler::SessionReader::open(entry.path);
            const profiler::SessionInfo info = reader->info();
            entry.createdMs = info.createdUnixMs;
            entry.state = info.state;
            entry.script = reader->script().path;
            if (info.lacksWal) entry.script += " (a copy without its -wal)";
        } catch (const profiler::SessionError &problem) {
            entry.note = problem.what();
            std::error_code unknown;
            entry.isSession = file.is_regular_file(unknown) && profiler::isSessionFile(entry.path);
        }
        entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry &a, const Entry &b) { return a.createdMs != b.createdMs ? a.createdMs > b.createdMs : a.path < b.path; });
    return entries;
}

std::string dateText(std::int64_t unixMs)
{
    const std::time_t seconds = unixMs / 1000;
    std::tm parts{};
    localtime_r(&seconds, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
    return text;
}

// The oldest go first; one that is being written stays, and what is no session.
int keepWithin(const std::vector<Entry> &entries, std::int64_t budget)
{
    std::int64_t total = 0;
    for (const Entry &entry : entries) total += entry.bytes;
    for (auto entry = entries.rbegin(); entry != entries.rend() && total > budget; ++entry) {
        if (entry->state == profiler::SessionState::Running || !entry->isSession) continue;
        profiler::removeSession(entry->path);
        printOut("deleted %s\n", entry->path.c_str());
        total -= entry->bytes;
    }
    if (total > budget)
        printErr("croton: %s are left: sessions that are being written, and files that are none, are not deleted\n",
                 liveness::sizeText(total).c_str());
    return 0;
}

int deleteSession(const std::string &folder, const std::string &name)
{
    std::string path = name;
    if (!profiler::fileExists(path)) path = folder + "/" + name;
    if (!profiler::fileExists(path) && fs::path(path).extension() != ".croton") path += ".croton";
    const auto reader = profiler::SessionReader::open(path); // only sessions are deleted
    if (reader->info().state == profiler::SessionState::Running) throw CliError(path + " is being written", "stop its run first");
    profiler::removeSession(path);
    printOut("deleted %s\n", path.c_str());
    return 0;
}

int sessions(const Arguments &arguments)
{
    const std::string folder = arguments.words.empty() ? sessionFolder() : arguments.words[0];
    if (!arguments.words.empty() && !fs::is_directory(folder)) throw CliError("there is no folder " + folder);
    if (arguments.has("--delete")) return deleteSession(folder, arguments.get("--delete"));
    const std::vector<Entry> entries = entriesIn(folder);
    if (arguments.has("--budget")) return keepWithin(entries, arguments.number("--budget", 0) * 1'000'000);
    if (arguments.has("--json")) {
        nlohmann::json list = nlohmann::json::array();
        for (const Entry &entry : entries)
            list.push_back({{"path", entry.path},
                            {"bytes", entry.bytes},
                            {"createdUnixMs", entry.createdMs},
                            {"state", entry.note.empty() ? stateName(entry.state) : "unreadable"},
                            {"script", entry.script},
                            {"note", entry.note}});
        const nlohmann::json all{{"folder", folder}, {"sessions", list}};
        writeOutput({}, profiler::jsonText(all));
        return 0;
    }
    std::int64_t total = 0;
    for (const Entry &entry : entries) {
        total += entry.bytes;
        printOut("%s  %10s  %-9s %s  %s%s\n", dateText(entry.createdMs).c_str(), liveness::sizeText(entry.bytes).c_str(),
                 entry.note.empty() ? stateName(entry.state) : "unreadable", entry.path.c_str(), entry.script.c_str(), entry.note.c_str());
    }
    printOut("%s, %s in %s\n", profiler::counted(static_cast<std::int64_t>(entries.size()), "session").c_str(),
             liveness::sizeText(total).c_str(), folder.c_str());
    return 0;
}

} // namespace

Command sessionsCommand()
{
    Command command;
    command.name = "sessions";
    command.words = "[FOLDER]";
    command.summary = "list sessions, and delete old ones";
    command.details = "Without a folder: where the studio keeps them.";
    command.options = {{"--delete", "NAME", "delete this session"},
                       {"--budget", "MB", "delete the oldest until the rest fits"},
                       {"--json", "", "the list as JSON"}};
    command.mostWords = 1;
    command.run = sessions;
    return command;
}

} // namespace app
