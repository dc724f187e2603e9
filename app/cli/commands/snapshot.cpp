#include "profiler/session/store/snapshot.h"

#include "app/cli/shared/command.h"
#include "app/cli/shared/session_source.h"

namespace app {

namespace {

int snapshot(const Arguments &arguments)
{
    (void)openSession(arguments.words[0]);
    profiler::snapshotSession(arguments.words[0], arguments.words[1], arguments.get("--only"));
    return 0;
}

} // namespace

Command snapshotCommand()
{
    Command command;
    command.name = "snapshot";
    command.words = "S.croton OUT.croton";
    command.summary = "copy a session, also one that is being written";
    command.details = "With --only it is small: one function, with its captured calls, to hand somebody a bug.";
    command.options = {{"--only", "F", "a function by its name or number; what belongs to others is left out"}};
    command.leastWords = command.mostWords = 2;
    command.run = snapshot;
    return command;
}

} // namespace app
