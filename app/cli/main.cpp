// The `croton` command: one table of subcommands, one place for errors and exit statuses.

#include "app/cli/shared/commands.h"
#include "app/cli/shared/output.h"
#include "app/cli/version.h"
#include "profiler/session/model/model.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

int complain(const char *message, const std::string &hint, int status)
{
    app::printErr(hint.empty() ? "croton: %s%s\n" : "croton: %s (%s)\n", message, hint.c_str());
    return status;
}

int dispatch(const std::vector<std::string> &words)
{
    if (words.empty()) {
        std::fputs(app::helpOfAll().c_str(), stderr);
        return 2;
    }
    if (words[0] == "help" && words.size() > 1) return dispatch({words[1], "--help"});
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        std::fputs(app::helpOfAll().c_str(), stdout);
        return 0;
    }
    if (words[0] == "--version") {
        std::printf("croton %s\n%s\n", app::kVersion, app::kParts);
        return 0;
    }
    for (const app::Command &command : app::commands()) {
        if (command.name != words[0]) continue;
        const app::Arguments arguments = app::readArguments(command, {words.begin() + 1, words.end()});
        if (!arguments.help) return command.run(arguments);
        std::fputs(app::helpOf(command).c_str(), stdout);
        return 0;
    }
    throw app::UsageError("there is no command '" + words[0] + "'", "croton --help lists them");
}

} // namespace

int main(int argc, char **argv)
{
    std::signal(SIGPIPE, SIG_DFL); // `croton report S | head` ends quietly
    try {
        const int status = dispatch({argv + 1, argv + argc});
        if (std::fflush(stdout) != 0 || std::ferror(stdout)) return complain("the output could not be written", "is the disk full?", 1);
        return status;
    } catch (const app::UsageError &error) {
        return complain(error.what(), error.hint(), 2);
    } catch (const app::CliError &error) {
        return complain(error.what(), error.hint(), 1);
    } catch (const profiler::SessionError &error) {
        return complain(error.what(), error.hint(), 1);
    } catch (const std::bad_alloc &error) {
        const bool isNamed = std::string_view(error.what()) != std::bad_alloc().what();
        return complain(isNamed ? error.what() : "there is not enough memory", "use smaller arrays, or fewer of them", 1);
    } catch (const std::exception &error) {
        return complain(error.what(), "this is a fault of croton: please report it", 1);
    }
}
