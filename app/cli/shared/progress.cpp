#include "app/cli/shared/progress.h"

#include "profiler/export/format.h"
#include "profiler/session/store/reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace app {

namespace {

constexpr auto kTellEvery = std::chrono::milliseconds(500);

// 0: there is none.
std::uint64_t fileNumber(const std::string &path)
{
    struct stat status;
    return !path.empty() && stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

} // namespace

ProgressLine::ProgressLine(std::string session)
    : m_session(isatty(STDERR_FILENO) ? std::move(session) : std::string()), m_old(fileNumber(m_session)),
      m_next(std::chrono::steady_clock::now() + kTellEvery), m_lastTime(m_next - kTellEvery)
{}

ProgressLine::~ProgressLine() = default;

void ProgressLine::update()
{
    const auto now = std::chrono::steady_clock::now();
    if (m_session.empty() || now < m_next) return;
    m_next = now + kTellEvery;
    if (fileNumber(m_session) == m_old) return;
    try {
        if (!m_reader) m_reader = profiler::SessionReader::open(m_session);
        long long calls = 0;
        int functions = 0;
        for (const profiler::FunctionInfo &function : m_reader->functions()) {
            calls += function.run.calls;
            ++functions;
        }
        const std::chrono::duration<double> since = now - m_lastTime;
        std::fprintf(stderr, "\r\033[K%s, %s, %.0f calls/s", profiler::counted(functions, "function").c_str(),
                     profiler::counted(calls, "call").c_str(), static_cast<double>(calls - m_lastCalls) / since.count());
        std::fflush(stderr);
        m_lastCalls = calls;
        m_lastTime = now;
        m_shown = true;
    } catch (const profiler::SessionError &) {
        // not there yet, or just being closed: the line stays as it is
        m_reader.reset();
    }
}

void ProgressLine::clear()
{
    m_reader.reset();
    if (m_shown) std::fputs("\r\033[K", stderr);
    m_shown = false;
}

} // namespace app
