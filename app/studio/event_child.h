#pragma once
// Programs that the studio starts; some tell on a descriptor of their own how far they are.

#include "app/studio/program.h"
#include "views/common/child_process.h"

#include <QProcess>
#include <QTimer>

#include <fcntl.h>

namespace app {

inline constexpr int kEventDescriptor = 3;

/// To be run in the child that was just forked: it ends with the studio, and its events go into the pipe.
inline auto tellingInto(int writeEnd)
{
    return [writeEnd, studio = ::getpid()] {
        views::endWith(studio, SIGTERM); // which ends a recording properly
        if (writeEnd == kEventDescriptor) ::fcntl(writeEnd, F_SETFD, 0);
        else ::dup2(writeEnd, kEventDescriptor);
    };
}

/// Calls `then` with a sentence if the program cannot be started. Never from within start(), and not once the process is replaced.
template <class Then>
void onFailureToStart(QProcess &process, Then then)
{
    QObject::connect(&process, &QProcess::errorOccurred, &process, [&process, then = std::move(then)](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        QMetaObject::invokeMethod(
            &process, [then, sentence = Program::whyNotStarted(process.program(), process.errorString())] { then(sentence); },
            Qt::QueuedConnection);
    });
}

/// Asks it to end, and kills it when it has not after a while.
inline void endOrKill(QProcess &process, int patienceMs)
{
    process.terminate();
    QTimer::singleShot(patienceMs, &process, [&process] {
        if (process.state() != QProcess::NotRunning) process.kill();
    });
}

} // namespace app
