#include "engine/python/core/interrupts.h"

#include "engine/python/core/core.h"
#include "engine/python/core/op.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <pthread.h>

namespace python {
namespace {

// What scripts and the worker take. Those that tell of a fault of the program, or come many times a second, are left alone.
constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2};

/// Python's handlers only leave a note, which the main thread finds when it is back in Python. During a long call this one stands in
/// front of them and passes the signal on.
class SignalRelay {
public:
    void install(engine::InterruptWatch *watch)
    {
        s_watch.store(watch, std::memory_order_release);
        const auto relay = [&](int signal) {
            struct sigaction now {};
            if (sigaction(signal, nullptr, &now) != 0 || isOurs(now) || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
            s_before[signal] = now;
            struct sigaction ours = now;
            ours.sa_sigaction = take;
            ours.sa_flags |= SA_SIGINFO;
            if (sigaction(signal, &ours, nullptr) == 0) s_isTaken[signal] = true;
        };
        for (const int signal : kSignals) relay(signal);
        for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) relay(signal);
    }
    // What was set meanwhile stays.
    void remove()
    {
        for (int signal = 1; signal < _NSIG; ++signal) {
            struct sigaction now {};
            if (!s_isTaken[signal]) continue;
            s_isTaken[signal] = false;
            if (sigaction(signal, nullptr, &now) == 0 && isOurs(now)) sigaction(signal, &s_before[signal], nullptr);
        }
        s_watch.store(nullptr, std::memory_order_release);
    }

private:
    static bool isOurs(const struct sigaction &action) { return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == take; }

    // On any thread.
    static void take(int signal, siginfo_t *info, void *context)
    {
        const int error = errno;
        const struct sigaction &before = s_before[signal];
        if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(signal, info, context);
        else before.sa_handler(signal);
        if (engine::InterruptWatch *watch = s_watch.load(std::memory_order_acquire)) watch->hurry();
        errno = error;
    }

    static inline std::array<struct sigaction, _NSIG> s_before{}; // stays: a handler may be running
    static inline std::array<bool, _NSIG> s_isTaken{};
    static inline std::atomic<engine::InterruptWatch *> s_watch{nullptr};
};

class MainThread final : public engine::InterruptWatch {
public:
    bool isHere() const { return pthread_equal(pthread_self(), m_thread); }
    void follow(pthread_t thread)
    {
        m_thread = thread;
        // The thread that forks is the child's main thread.
        pthread_atfork(nullptr, nullptr, [] { of().m_thread = pthread_self(); });
    }
    void relaySignals()
    {
        if (!m_isRelaying) m_relay.install(this);
        m_isRelaying = true;
        waitForHurry();
    }
    void release()
    {
        if (m_isRelaying) m_relay.remove();
        m_isRelaying = false;
    }
    static MainThread &of()
    {
        static MainThread *const instance = new MainThread; // a signal may come at any time
        return *instance;
    }

protected:
    bool isEndWanted() override
    {
        relaySignals(); // first: what comes from now on is heard
        const Gil lock;
        if (PyErr_CheckSignals() == 0) return false;
        py::error_already_set raised;
        pendingError().keep(raised);
        return true;
    }

private:
    pthread_t m_thread{};
    SignalRelay m_relay;
    bool m_isRelaying = false;
};

} // namespace

Interruptible::Interruptible(bool isLong) : m_call(MainThread::of().isHere() ? &MainThread::of() : nullptr)
{
    if (isLong && m_call.isOutermost()) MainThread::of().relaySignals();
}

Interruptible::~Interruptible()
{
    if (m_call.isOutermost()) MainThread::of().release();
}

void raiseInterrupt()
{
    MainThread::of().settle();
    PendingError &pending = pendingError();
    if (!pending.set()) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        return;
    }
    PyErr_Restore(pending.type, pending.value, pending.trace);
    pending.type = pending.value = pending.trace = nullptr;
}

void addInterrupts()
{
    const py::object main = py::module_::import("threading").attr("main_thread")();
    MainThread::of().follow(static_cast<pthread_t>(py::cast<unsigned long>(main.attr("ident"))));
}

} // namespace python
