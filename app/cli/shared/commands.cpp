#include "app/cli/shared/commands.h"

namespace app {

// One more subcommand: one file with its command, one line here.
std::vector<Command> commands()
{
    return {
        runCommand(),      profileCommand(),  graphCommand(),  passesCommand(),  exprCommand(),        reportCommand(),
        compareCommand(),  exportCommand(),   replayCommand(), ablateCommand(),  alongCommand(),       bisectCommand(),
        valuesCommand(),   memoryCommand(),   lessonCommand(), ranksCommand(),   historyCommand(),     whatifCommand(),
        snapshotCommand(), sessionsCommand(), cacheCommand(),  devicesCommand(), completionsCommand(),
    };
}

std::string helpOfAll()
{
    std::string out = "croton COMMAND …\n\nCompile and run tensor expressions, and see where the time goes.\n\n";
    for (const Command &command : commands())
        out += "  " + command.name + std::string(13 - command.name.size(), ' ') + command.summary + "\n";
    return out + "\ncroton COMMAND --help explains one. Exit status: 0 done, 1 failed, 2 wrong "
                 "words (run and profile pass on the script's).\n";
}

} // namespace app
