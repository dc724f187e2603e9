#pragma once
// One line on a terminal about a session that is being recorded; nothing when stderr is piped.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace profiler {
class SessionReader;
}

namespace app {

class ProgressLine {
public:
    explicit ProgressLine(std::string session); // empty: stays silent
    ~ProgressLine();
    void update(); // at most twice a second
    void clear();

private:
    std::string m_session;
    std::uint64_t m_old; // the session that lies there until the new one takes its place
    std::unique_ptr<profiler::SessionReader> m_reader;
    std::chrono::steady_clock::time_point m_next;
    std::chrono::steady_clock::time_point m_lastTime; // of m_lastCalls
    long long m_lastCalls = 0;
    bool m_shown = false;
};

} // namespace app
