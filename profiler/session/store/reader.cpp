#include "profiler/session/store/database.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader_rows.h"
#include "profiler/session/store/schema.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace profiler {

namespace {

// A writer elsewhere gives a sign of life each second.
constexpr std::int64_t kSilentMs = 30'000;

std::map<std::string, std::string> metaOf(Database &database)
{
    std::map<std::string, std::string> meta;
    for (MetaValue &row : rowsOf<MetaValue>(database, MetaValue::kTable, "", nullptr)) meta[row.key] = std::move(row.value);
    return meta;
}

std::int64_t numberIn(const std::map<std::string, std::string> &meta, const char *key)
{
    const auto found = meta.find(key);
    return found == meta.end() ? 0 : std::strtoll(found->second.c_str(), nullptr, 10);
}

std::string textIn(const std::map<std::string, std::string> &meta, const char *key)
{
    const auto found = meta.find(key);
    return found == meta.end() ? std::string() : found->second;
}

void checkIdentity(Database &database)
{
    if (database.integer("PRAGMA application_id") != kApplicationId)
        throw SessionError(database.path() + " is a database, but not a Croton session",
                           "sessions are written by: croton profile FILE.py -o S.croton");
    const std::int64_t version = database.integer("PRAGMA user_version");
    if (version / 1000 != kSchemaMajor)
        throw SessionError(database.path() + " was written with schema " + std::to_string(version / 1000) + "; this croton reads schema " +
                               std::to_string(kSchemaMajor),
                           version / 1000 > kSchemaMajor ? "open it with a newer croton" : "profile the script again");
    if (database.columns("meta").empty() || database.columns("functions").empty())
        throw SessionError(database.path() + " lacks the tables of a session", "the session file is damaged");
}

// Nearly all of a session that is being written lies in the file beside it, which a plain copy leaves behind.
bool isCopiedAlone(const std::map<std::string, std::string> &meta, const std::string &path)
{
    const auto number = static_cast<std::uint64_t>(numberIn(meta, "file_number"));
    return number != 0 && number != fileNumber(path) && fileSize(path + "-wal") == 0;
}

bool writerGone(const std::map<std::string, std::string> &meta, const std::string &path)
{
    const ProcessIdentity writer{numberIn(meta, "pid"), textIn(meta, "pid_start"), textIn(meta, "boot"), textIn(meta, "host")};
    switch (stateOf(writer)) {
    case ProcessState::Alive: return false;
    case ProcessState::Gone: return true;
    case ProcessState::Elsewhere: break;
    }
    const std::int64_t modified = std::max(modifiedUnixMs(path), modifiedUnixMs(path + "-wal"));
    return unixMs() - modified > kSilentMs;
}

std::unique_ptr<Database> openForReading(const std::string &path)
{
    auto database = std::make_unique<Database>(path, Database::Access::Read);
    checkIdentity(*database);
    return database;
}

// A finished session of which nothing waits in a -wal does not change any more: it is read without
// locks, also from a folder that cannot be written.
bool isSettled(Database &database)
{
    return database.text("SELECT value FROM meta WHERE key='state'") != "running" && fileSize(database.path() + "-wal") == 0;
}

} // namespace

SessionReader::SessionReader(std::unique_ptr<Database> database, std::string path)
    : m_database(std::move(database)), m_path(std::move(path))
{}

SessionReader::~SessionReader()
{
    m_database.reset();
    if (!m_temporaryCopy.empty()) removeSession(m_temporaryCopy);
}

std::unique_ptr<SessionReader> SessionReader::open(const std::string &path)
{
    if (!fileExists(path)) throw SessionError(path + " does not exist", "croton sessions lists those there are");
    if (std::filesystem::is_directory(path)) throw SessionError(path + " is a folder", "name a session in it");
    if (!std::filesystem::is_regular_file(path)) // a pipe would be waited for without end
        throw SessionError(path + " is no ordinary file, so it is no session", "copy it into a file first");
    for (const char *beside : {"-wal", "-shm", "-journal"})
        if (const std::string file = path + beside; fileExists(file) && !std::filesystem::is_regular_file(file))
            throw SessionError(file + " is no ordinary file, so " + path + " cannot be read", "delete it, or copy the session elsewhere");
    if (fileSize(path) == 0 && fileSize(path + "-wal") == 0)
        throw SessionError(path + " is empty: nothing was recorded in it", "sessions are written by: croton profile FILE.py -o S.croton");
    std::unique_ptr<Database> database;
    std::string copy;
    try {
        database = openForReading(path);
    } catch (const SessionError &) {
        // WAL in a folder that cannot be written: when nothing waits in the -wal, read it as it is;
        // otherwise read a copy.
        if (fileSize(path + "-wal") == 0) {
            database = std::make_unique<Database>(path, Database::Access::ReadImmutable);
            checkIdentity(*database);
        } else {
            copy = uniquePath(temporaryFolder(), "croton-copy");
            try {
                copyFile(path, copy);
                copyFile(path + "-wal", copy + "-wal");
                database = openForReading(copy);
            } catch (...) {
                removeSession(copy);
                throw;
            }
        }
    }
    if (!database->immutable() && copy.empty() && isSettled(*database)) {
        database.reset();
        database = std::make_unique<Database>(path, Database::Access::ReadImmutable);
    }
    std::unique_ptr<SessionReader> reader(new SessionReader(std::move(database), path));
    reader->m_temporaryCopy = copy;
    return reader;
}

std::uint64_t SessionReader::dataVersion()
{
    if (m_database->immutable()) return 0;
    // Let go of a session that has ended, so that its writer can leave a single file.
    if (m_temporaryCopy.empty() && isSettled(*m_database)) {
        m_database = std::make_unique<Database>(m_path, Database::Access::ReadImmutable);
        return 0;
    }
    return static_cast<std::uint64_t>(m_database->integer("PRAGMA data_version"));
}

SessionInfo SessionReader::info()
{
    const auto meta = metaOf(*m_database);
    SessionInfo info;
    info.path = m_path;
    const std::int64_t version = m_database->integer("PRAGMA user_version");
    info.schemaMajor = static_cast<int>(version / 1000);
    info.schemaMinor = static_cast<int>(version % 1000);
    info.crotonVersion = textIn(meta, "croton");
    info.label = textIn(meta, "label");
    info.command = textIn(meta, "command");
    info.directory = textIn(meta, "directory");
    info.createdUnixMs = numberIn(meta, "created_unix_ms");
    info.gradNs = numberIn(meta, "grad_ns");
    info.recordingNs = numberIn(meta, "recording_ns");
    info.simulated = textIn(meta, "simulated");
    info.host = textIn(meta, "host");
    if (meta.contains("rank")) info.rank = static_cast<int>(numberIn(meta, "rank"));
    info.ranks = static_cast<int>(numberIn(meta, "ranks"));
    info.exitStatus = static_cast<int>(numberIn(meta, "exit_status"));
    for (Progress &row : rows<Progress>("")) info.progress = std::move(row);
    const std::string state = textIn(meta, "state");
    info.durationNs = state == "finished" ? numberIn(meta, "duration_ns") : info.progress.timeNs;
    if (state == "finished" && info.exitStatus >= 0) {
        info.state = SessionState::Finished;
        info.cutOffReason = info.exitStatus == 0 ? "" : textIn(meta, "end_reason");
    } else if (state == "running" && isCopiedAlone(meta, m_path)) {
        const std::string name = std::filesystem::path(m_path).filename();
        info.state = SessionState::CutOff;
        info.lacksWal = true;
        info.cutOffReason = "copied while it was being written, without the file beside it (its -wal) that held what is missing here; "
                            "croton snapshot SESSION " +
                            name + " copies a live session whole";
    } else if (state == "running" && !writerGone(meta, m_path)) {
        info.state = SessionState::Running;
    } else {
        info.state = SessionState::CutOff;
        info.cutOffReason = whereCutOff(info, textIn(meta, "end_reason"));
    }
    return info;
}

std::string SessionReader::whereCutOff(const SessionInfo &info, const std::string &reason)
{
    const Progress &at = info.progress;
    std::string name;
    for (const FunctionInfo &function : functions())
        if (function.id == at.function) name = function.name;
    std::string text = "cut off";
    if (at.activity == "compiling") {
        text += " while compiling";
        text += name.empty() ? " a function" : " " + name;
        if (at.step > 0) text += ", after step " + std::to_string(at.step);
    } else if (!name.empty() && at.call > 0) {
        text += " after call " + std::to_string(at.call) + " of " + name;
    } else {
        text += " while the script ran";
    }
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, ", at %.1f s", static_cast<double>(at.timeNs) * 1e-9);
    text += seconds;
    if (!reason.empty()) text += ": " + reason;
    for (const Message &last : rows<Message>("ORDER BY id DESC LIMIT 1")) text += " (last message: " + last.text + ")";
    return text;
}

namespace {

std::string endOf(const SessionInfo &info)
{
    switch (info.state) {
    case SessionState::CutOff: return "This session was " + info.cutOffReason + ".";
    case SessionState::Finished:
        if (info.exitStatus != 0)
            return "The script ended with status " + std::to_string(info.exitStatus) +
                   (info.cutOffReason.empty() ? "." : ": " + info.cutOffReason + ".");
        return {};
    case SessionState::Running: break;
    }
    return {};
}

} // namespace

std::string sessionWarning(const SessionInfo &info)
{
    std::string text = endOf(info);
    if (info.simulated.empty()) return text;
    return text + (text.empty() ? "" : " ") + info.simulated + " is a simulation on the processor: its times say nothing of a card.";
}

} // namespace profiler
