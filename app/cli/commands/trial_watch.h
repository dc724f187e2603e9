#pragma once
// How far a long question of a captured call is, on stderr and to who started us; and Ctrl-C, which ends it with what there is by then.

#include "app/cli/shared/event_line.h"
#include "profiler/replay/watch.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace app {

class TrialWatch {
public:
    explicit TrialWatch(const EventLine *events = nullptr); // from here on the first Ctrl-C asks for an end; the second one is one
    ~TrialWatch();
    TrialWatch(const TrialWatch &) = delete;
    TrialWatch &operator=(const TrialWatch &) = delete;

    [[nodiscard]] profiler::Watch watch();
    [[nodiscard]] static bool isInterrupted();
    void clear();
    // What a command that was ended leaves with.
    [[nodiscard]] static int status() { return isInterrupted() ? 130 : 0; }

private:
    void tell(const std::string &doing, std::size_t done, std::size_t all);
    void follow();
    void print();

    const bool m_isTerminal;
    const EventLine *m_events;
    std::mutex m_mutex; // guards what follows
    std::condition_variable m_changed;
    std::string m_text, m_printed;
    bool m_isShown = false, m_isOver = false;
    std::thread m_thread; // says what takes long while it takes long
};

} // namespace app
