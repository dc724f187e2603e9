#pragma once
// What a subcommand is, and how its words are read.

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace app {

// A failure that the person at the terminal can do something about: one sentence and a hint.
class CliError : public std::runtime_error {
public:
    explicit CliError(const std::string &message, std::string hint = {}) : std::runtime_error(message), m_hint(std::move(hint)) {}
    [[nodiscard]] const std::string &hint() const { return m_hint; }

private:
    std::string m_hint;
};

// Words that make no sense: exit status 2.
class UsageError : public CliError {
public:
    using CliError::CliError;
};

struct Option {
    std::string name;  // "--style", "-o"
    std::string value; // "STYLE"; empty for a switch; "[N]": a number that may be missing
    std::string help;
};

enum class Rest {
    None,      // every word is ours
    AfterFile, // what follows the first word that is no option belongs to the script
    AfterOurs, // ours may follow the file, too; the first word that is not ours begins the script's
};

struct Arguments {
    std::vector<std::string> words;   // no options; for scripts only the file
    std::vector<std::string> rest;    // of the script
    const Option *handedOn = nullptr; // the first of `rest` that is an option of ours, too, where no -- said whose it is
    std::map<std::string, std::string> options;
    bool help = false; // --help stood among our own words; the others were not looked at
    [[nodiscard]] bool has(const std::string &name) const { return options.contains(name); }
    [[nodiscard]] std::string get(const std::string &name, const std::string &otherwise = {}) const
    {
        const auto found = options.find(name);
        return found == options.end() ? otherwise : found->second;
    }
    // Throws UsageError when it is no number from `least` to `most`, which is what an int holds and what stays a number in bytes.
    [[nodiscard]] long number(const std::string &name, long otherwise, long least = 0, long most = 1'000'000'000) const;
};

struct Command {
    std::string name;
    std::string words;   // "S.croton"
    std::string summary; // one line for `croton --help`
    std::string details; // further lines for `croton NAME --help`
    std::vector<Option> options;
    Rest rest = Rest::None;
    std::size_t leastWords = 0;
    std::size_t mostWords = 0;
    int (*run)(const Arguments &arguments) = nullptr;
};

[[nodiscard]] Arguments readArguments(const Command &command, const std::vector<std::string> &words);
[[nodiscard]] std::string helpOf(const Command &command);
// Whose the words behind a script are; empty for a command that takes none.
[[nodiscard]] std::string restRule(const Command &command);

// One of each file; commands.cpp lists them.
[[nodiscard]] Command ablateCommand();
[[nodiscard]] Command alongCommand();
[[nodiscard]] Command bisectCommand();
[[nodiscard]] Command cacheCommand();
[[nodiscard]] Command compareCommand();
[[nodiscard]] Command completionsCommand();
[[nodiscard]] Command devicesCommand();
[[nodiscard]] Command exportCommand();
[[nodiscard]] Command exprCommand();
[[nodiscard]] Command graphCommand();
[[nodiscard]] Command memoryCommand();
[[nodiscard]] Command lessonCommand();
[[nodiscard]] Command historyCommand();
[[nodiscard]] Command passesCommand();
[[nodiscard]] Command profileCommand();
[[nodiscard]] Command replayCommand();
[[nodiscard]] Command ranksCommand();
[[nodiscard]] Command reportCommand();
[[nodiscard]] Command runCommand();
[[nodiscard]] Command sessionsCommand();
[[nodiscard]] Command snapshotCommand();
[[nodiscard]] Command valuesCommand();
[[nodiscard]] Command whatifCommand();

} // namespace app
