#include "profiler/session/reader.h"

#include "profiler/session/database.h"
#include "profiler/session/files.h"
#include "profiler/session/names.h"
#include "profiler/session/rows.h"
#include "profiler/session/schema.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>

namespace profiler {

namespace {

// A writer elsewhere gives a sign of life each second.
constexpr std::int64_t kSilentMs = 30'000;

std::map<std::string, std::string> metaOf(Database &database)
{
    std::map<std::string, std::string> meta;
    for (auto &[key, value] : collect(database, "meta", {"key", "value"}, "", [](Row &row) {
             std::string key = row.text();
             return std::pair(std::move(key), row.text());
         }))
        meta[key] = value;
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
bool isSettled(Database &database) { return metaOf(database)["state"] != "running" && fileSize(database.path() + "-wal") == 0; }

} // namespace

std::string Row::name()
{
    std::string out;
    for (const char c : text()) {
        const auto code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code != 0x7f) {
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", code);
            out += escaped;
        }
    }
    return out;
}

int Row::small()
{
    return static_cast<int>(std::clamp<std::int64_t>(integer(), std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

int Row::smallOrNegative() { return static_cast<int>(std::clamp<std::int64_t>(integerOrNegative(), -1, std::numeric_limits<int>::max())); }

std::string selectSql(Database &database, const std::string &table, std::span<const char *const> columns, const std::string &tail)
{
    const std::vector<std::string> known = database.columns(table);
    if (known.empty()) return {};
    std::string sql = "SELECT ";
    const char *separator = "";
    for (const char *column : columns) {
        const bool there = std::find(known.begin(), known.end(), column) != known.end();
        (sql += separator) += there ? column : "NULL";
        separator = ", ";
    }
    return sql + " FROM " + table + " " + tail;
}

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
    info.exitStatus = static_cast<int>(numberIn(meta, "exit_status"));
    for (const Progress &row :
         collect(*m_database, "progress", {"activity", "function", "call", "graph", "step", "time_ns"}, "WHERE id=1", [](Row &row) {
             Progress progress;
             progress.activity = row.text();
             progress.function = row.id<FunctionId>();
             progress.call = row.integer();
             progress.graph = row.id<GraphId>();
             progress.step = row.smallOrNegative();
             progress.timeNs = row.integer();
             return progress;
         }))
        info.progress = row;
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
    const std::vector<Message> said = messages();
    if (!said.empty()) text += " (last message: " + said.back().text + ")";
    return text;
}

ScriptInfo SessionReader::script()
{
    ScriptInfo script;
    for (auto &[path, text, arguments] : collect(*m_database, "script", {"path", "text", "arguments"}, "WHERE id=1", [](Row &row) {
             std::string path = row.text();
             std::string text = row.text();
             return std::tuple(std::move(path), std::move(text), row.text());
         })) {
        script.path = path;
        script.text = text;
        // A list of strings in JSON: SQLite itself reads it.
        Statement each(*m_database, "SELECT value FROM json_each(CASE WHEN json_valid(?1) THEN ?1 "
                                    "ELSE '[]' END)");
        each.bindAll(arguments);
        while (each.step()) script.arguments.push_back(each.text(0));
    }
    return script;
}

std::vector<SourceFile> SessionReader::sources()
{
    return collect(*m_database, "sources", {"file", "text"}, "ORDER BY file", [](Row &row) {
        SourceFile file;
        file.file = row.text();
        file.text = row.text();
        return file;
    });
}

std::vector<Flag> SessionReader::flags()
{
    return collect(*m_database, "flags", {"name", "value", "origin"}, "ORDER BY name", [](Row &row) {
        Flag flag;
        flag.name = row.text();
        flag.value = row.text();
        flag.origin = row.text();
        return flag;
    });
}

namespace {

std::vector<NameValue> nameValues(Database &database, const char *table)
{
    return collect(database, table, {"name", "value"}, "ORDER BY name", [](Row &row) {
        NameValue pair;
        pair.name = row.text();
        pair.value = row.text();
        return pair;
    });
}

} // namespace

std::vector<NameValue> SessionReader::environment() { return nameValues(*m_database, "environment"); }
std::vector<NameValue> SessionReader::machine() { return nameValues(*m_database, "machine"); }

std::vector<Roof> SessionReader::roofs()
{
    return collect(*m_database, "roofs", {"device", "name", "value", "unit"}, "ORDER BY device, name", [](Row &row) {
        Roof roof;
        roof.device = row.text();
        roof.name = row.text();
        roof.value = row.real();
        roof.unit = row.text();
        return roof;
    });
}

std::vector<DeviceInfo> SessionReader::devices()
{
    return collect(*m_database, "devices", {"name", "description", "available", "reason", "memory_bytes"}, "ORDER BY name", [](Row &row) {
        DeviceInfo device;
        device.name = row.text();
        device.description = row.text();
        device.available = row.flag();
        device.reason = row.text();
        device.memoryBytes = row.integer();
        return device;
    });
}

std::vector<Clock> SessionReader::clocks()
{
    return collect(*m_database, "clocks", {"name", "description", "resolution_ns", "offset_ns", "overhead_ns"}, "ORDER BY name",
                   [](Row &row) {
                       Clock clock;
                       clock.name = row.text();
                       clock.description = row.text();
                       clock.resolutionNs = row.real();
                       clock.offsetNs = row.real();
                       clock.overheadNs = row.real();
                       return clock;
                   });
}

std::string sessionWarning(const SessionInfo &info)
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

} // namespace profiler
