#include "app/cli/shared/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace app {

namespace {

const Option *findOption(const Command &command, const std::string &name)
{
    for (const Option &option : command.options)
        if (option.name == name) return &option;
    return nullptr;
}

std::string optionName(const std::string &word) { return word.substr(0, word.rfind("--", 0) == 0 ? word.find('=') : std::string::npos); }

bool isNumber(const std::string &word) { return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos; }

const Option *firstOfOurs(const Command &command, const std::vector<std::string> &words)
{
    for (const std::string &word : words) {
        if (word == "--") break;
        if (const Option *option = findOption(command, optionName(word))) return option;
    }
    return nullptr;
}

} // namespace

long Arguments::number(const std::string &name, long otherwise, long least, long most) const
{
    if (!has(name)) return otherwise;
    const std::string text = get(name);
    char *end = nullptr;
    errno = 0;
    const long value = std::strtol(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || value < least)
        throw UsageError(name + " wants a whole number of at least " + std::to_string(least) + ", not '" + text + "'");
    if (errno == ERANGE || value > most)
        throw UsageError(name + " wants a whole number of at most " + std::to_string(most) + ", not '" + text + "'");
    return value;
}

Arguments readArguments(const Command &command, const std::vector<std::string> &words)
{
    Arguments result;
    const std::string hint = "croton " + command.name + " --help";
    const bool script = command.rest != Rest::None;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string &word = words[i];
        const bool fileKnown = script && !result.words.empty();
        const auto takeRest = [&](std::size_t from) {
            result.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(from), words.end());
            i = words.size();
        };
        if (word == "--" && (fileKnown || !script)) {
            if (fileKnown) takeRest(i + 1);
            else
                while (++i < words.size()) result.words.push_back(words[i]);
            break;
        }
        const bool isOption = word.size() > 1 && word[0] == '-';
        const std::size_t equals = word.rfind("--", 0) == 0 ? word.find('=') : std::string::npos;
        const std::string name = optionName(word);
        const Option *option = isOption ? findOption(command, name) : nullptr;
        if (fileKnown && (command.rest == Rest::AfterFile || !option)) {
            takeRest(i);
            result.handedOn = firstOfOurs(command, result.rest);
            break;
        }
        if (!isOption) {
            result.words.push_back(word);
            continue;
        }
        if (!option && (word == "--help" || word == "-h")) {
            result.help = true;
            return result;
        }
        if (!option) throw UsageError("croton " + command.name + " has no option " + name, hint);
        if (option->value.empty()) {
            if (equals != std::string::npos) throw UsageError(name + " takes no value", hint);
            result.options[name] = "1";
        } else if (equals != std::string::npos) {
            result.options[name] = word.substr(equals + 1);
        } else if (option->value[0] == '[') {
            const bool hasNumber = i + 1 < words.size() && isNumber(words[i + 1]);
            result.options[name] = hasNumber ? words[++i] : "0";
        } else if (i + 1 < words.size()) {
            result.options[name] = words[++i];
        } else {
            throw UsageError(name + " wants a value: " + name + " " + option->value, hint);
        }
    }
    if (result.words.size() < command.leastWords) throw UsageError("croton " + command.name + " wants " + command.words, hint);
    if (!script && result.words.size() > command.mostWords)
        throw UsageError("croton " + command.name + " does not understand '" + result.words[command.mostWords] + "'", hint);
    return result;
}

std::string restRule(const Command &command)
{
    switch (command.rest) {
    case Rest::None: break;
    case Rest::AfterFile: return "All that stands behind FILE.py is the script's.";
    case Rest::AfterOurs:
        return "Options of croton stand before FILE.py or right behind it. The first word there that is none of them\n"
               "begins what is the script's, options included; -- begins it, too.";
    }
    return {};
}

std::string helpOf(const Command &command)
{
    std::string out = "croton " + command.name + (command.options.empty() ? "" : " [options]") + (command.words.empty() ? "" : " ") +
                      command.words + "\n\n" + command.summary + "\n";
    if (!command.details.empty()) out += command.details + "\n";
    if (command.rest != Rest::None) out += restRule(command) + "\n";
    std::size_t width = 8;
    const auto left = [](const Option &option) { return option.name + (option.value.empty() ? "" : " " + option.value); };
    for (const Option &option : command.options) width = std::max(width, left(option).size());
    out += "\n";
    for (const Option &option : command.options)
        out += "  " + left(option) + std::string(width + 2 - left(option).size(), ' ') + option.help + "\n";
    return out + "  --help" + std::string(width + 2 - 6, ' ') + "this text\n";
}

} // namespace app
