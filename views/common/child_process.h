#pragma once
// Children that do not outlive us, whatever becomes of us.

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace views {

/// In a child that was just forked: `signal` when the thread that forked it ends. Start such children on the GUI thread.
inline void endWith(pid_t parent, int signal)
{
    ::prctl(PR_SET_PDEATHSIG, signal);
    if (::getppid() != parent) ::_exit(1); // it was gone before
}

} // namespace views
