#include "profiler/session/snapshot.h"

#include "profiler/session/database.h"
#include "profiler/session/files.h"
#include "profiler/session/reader.h"
#include "profiler/session/tables.h"

#include <filesystem>

namespace profiler {

void snapshotSession(const std::string &from, const std::string &to)
{
    const SessionState state = SessionReader::open(from)->info().state;
    std::error_code error;
    if (std::filesystem::equivalent(from, to, error)) throw SessionError("a session cannot be copied onto itself", "name another file");
    checkSessionPlace(to);
    const std::string draft = to + ".new";
    removeSession(draft);
    try {
        Database source(from, Database::Access::Read);
        Database copy(draft, Database::Access::Create);
        copy.copyFrom(source);
        copy.execute("PRAGMA journal_mode=DELETE");
        Tables tables(copy);
        tables.meta("file_number", std::to_string(fileNumber(draft)));
        if (state == SessionState::Running) {
            tables.meta("state", "cut off");
            tables.meta("end_reason", "this is a snapshot, taken while the run went on");
        }
    } catch (...) {
        removeSession(draft);
        throw;
    }
    removeSession(to);
    moveFile(draft, to);
}

} // namespace profiler
