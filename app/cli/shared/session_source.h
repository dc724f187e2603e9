#pragma once
// A session to look at: the one that was named, or one recorded now from a script.

#include "app/cli/shared/command.h"
#include "profiler/session/store/reader.h"

#include <memory>
#include <string>
#include <vector>

namespace app {

// Says on stderr when it is not what it seems to be.
[[nodiscard]] std::unique_ptr<profiler::SessionReader> openSession(const std::string &path);

// Where the studio and people who name no folder keep their sessions.
[[nodiscard]] std::string sessionFolder();

class SessionSource {
public:
    // The first word names a session or a script. A script runs in a worker; what it prints goes to stderr.
    SessionSource(const Arguments &arguments, const std::string &commandName);
    ~SessionSource();
    SessionSource(const SessionSource &) = delete;
    SessionSource &operator=(const SessionSource &) = delete;

    [[nodiscard]] profiler::SessionReader &reader() { return *m_reader; }
    void close() { m_reader.reset(); } // before something is written into it
    [[nodiscard]] bool isTemporary() const { return !m_temporary.empty(); }
    // The function called `name`, or number `name`; without a name the only one, else the first
    // that was called. `choice`: a sentence where there were others. Throws CliError with the names there are.
    [[nodiscard]] profiler::FunctionInfo function(const std::string &name, std::string &choice);
    // At least one; those of a loop may share a name. Throw CliError likewise.
    [[nodiscard]] std::vector<profiler::FunctionInfo> functions();
    [[nodiscard]] std::vector<profiler::FunctionInfo> functionsNamed(const std::string &name);

private:
    std::unique_ptr<profiler::SessionReader> m_reader;
    std::string m_temporary;
};

} // namespace app
