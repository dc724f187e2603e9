// A stretch of work during which no signal comes to this thread.
#pragma once

#include <csignal>
#include <pthread.h>

namespace engine {

class HeldSignals {
public:
    HeldSignals()
    {
        sigset_t all;
        sigfillset(&all);
        // A fault of the program is told where it happens.
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&all, fault);
        pthread_sigmask(SIG_BLOCK, &all, &m_before);
    }
    ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }
    HeldSignals(const HeldSignals &) = delete;
    HeldSignals &operator=(const HeldSignals &) = delete;

private:
    sigset_t m_before{};
};

} // namespace engine
