#pragma once
// A session as the program sqlite3 opens it: its views can be read, and its tables changed.

#include "profiler/session/store/database.h"

#include <string>

namespace profiler {

class AsSqlite3 : public Database {
public:
    explicit AsSqlite3(const std::string &path) : Database(path, Access::Write) { execute("PRAGMA trusted_schema=ON"); }
};

} // namespace profiler
