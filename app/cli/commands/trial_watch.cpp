#include "app/cli/commands/trial_watch.h"

#include "profiler/session/codec/printable.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace app {

namespace {

volatile std::sig_atomic_t g_isInterrupted = 0;

void interrupted(int)
{
    g_isInterrupted = 1;
    std::signal(SIGINT, SIG_DFL);
}

// What is over before anybody wonders says nothing.
constexpr std::chrono::milliseconds kPatience(1000), kEvery(200), kEveryLine(2000);

} // namespace

TrialWatch::TrialWatch(const EventLine *events) : m_isTerminal(isatty(STDERR_FILENO)), m_events(events)
{
    // One that is ignored stays so: the command runs in the background.
    if (std::signal(SIGINT, interrupted) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
    m_thread = std::thread([this] { follow(); });
}

TrialWatch::~TrialWatch() { clear(); }

profiler::Watch TrialWatch::watch()
{
    return {[this](const std::string &doing, std::size_t done, std::size_t all) { tell(doing, done, all); }, isInterrupted};
}

bool TrialWatch::isInterrupted() { return g_isInterrupted != 0; }

void TrialWatch::tell(const std::string &doing, std::size_t done, std::size_t all)
{
    if (m_events) m_events->progress(doing, static_cast<double>(done), static_cast<double>(all));
    const std::lock_guard lock(m_mutex);
    m_text = profiler::printableInLine(doing) + (all > 0 ? " (" + std::to_string(done) + " of " + std::to_string(all) + ")" : "");
}

void TrialWatch::follow()
{
    std::unique_lock lock(m_mutex);
    std::chrono::milliseconds wait = kPatience;
    while (!m_changed.wait_for(lock, wait, [this] { return m_isOver; })) {
        wait = m_isTerminal ? kEvery : kEveryLine;
        print();
    }
}

void TrialWatch::print()
{
    if (m_text == m_printed) return;
    std::fprintf(stderr, m_isTerminal ? "\r\033[Kcroton: %s" : "croton: %s\n", m_text.c_str());
    std::fflush(stderr);
    m_printed = m_text;
    m_isShown = m_isTerminal;
}

void TrialWatch::clear()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isOver = true;
        m_changed.notify_all();
    }
    if (m_thread.joinable()) m_thread.join();
    if (m_isShown) std::fputs("\r\033[K", stderr);
    m_isShown = false;
}

} // namespace app
