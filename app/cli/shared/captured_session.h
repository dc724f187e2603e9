#pragma once
// A session with captured calls: the one that was named, or one recorded now from a script.

#include "app/cli/shared/command.h"
#include "profiler/session/store/reader.h"

#include <memory>
#include <string>

namespace app {

class CapturedSession {
public:
    // The first word names a session or a script. A script runs in a worker; what it prints goes to stderr.
    CapturedSession(const Arguments &arguments, const std::string &commandName);
    ~CapturedSession();
    CapturedSession(const CapturedSession &) = delete;
    CapturedSession &operator=(const CapturedSession &) = delete;

    [[nodiscard]] profiler::SessionReader &reader() { return *m_reader; }
    void close() { m_reader.reset(); } // before something is written into it
    [[nodiscard]] const std::string &path() const { return m_path; }
    [[nodiscard]] bool isTemporary() const { return m_isTemporary; }

private:
    std::unique_ptr<profiler::SessionReader> m_reader;
    std::string m_path;
    bool m_isTemporary = false;
};

} // namespace app
