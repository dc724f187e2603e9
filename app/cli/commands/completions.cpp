// Shell completions and the manual page, made of the same table as --help.

#include "app/cli/shared/commands.h"
#include "app/cli/shared/output.h"
#include "app/cli/version.h"

namespace app {

namespace {

// The endings of the files that a command's words name: "croton|py"; none where any will do.
std::string endingsOf(const Command &command)
{
    std::string endings;
    for (const char *ending : {"croton", "json", "py"})
        if (command.words.find(std::string(".") + ending) != std::string::npos)
            endings += (endings.empty() ? "" : "|") + std::string(ending);
    return endings;
}

std::string optionWords(const Command &command)
{
    std::string words;
    for (const Option &option : command.options) words += option.name + " ";
    return words + "--help";
}

std::string bashScript()
{
    std::string out = "# bash completion for croton; made by: croton completions bash\n"
                      "_croton() {\n"
                      "    local word=\"${COMP_WORDS[COMP_CWORD]}\" command=\"${COMP_WORDS[1]}\"\n"
                      "    COMPREPLY=()\n"
                      "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
                      "        COMPREPLY=($(compgen -W \"";
    for (const Command &command : commands()) out += command.name + " ";
    out += "--help --version\" -- \"$word\"))\n"
           "        return\n"
           "    fi\n"
           "    local options=\"\" pattern=\"\"\n"
           "    case \"$command\" in\n";
    for (const Command &command : commands()) {
        out += "    " + command.name + ")\n        options=\"" + optionWords(command) + "\"\n";
        if (const std::string endings = endingsOf(command); !endings.empty()) out += "        pattern='*.@(" + endings + ")'\n";
        out += "        ;;\n";
    }
    return out + "    esac\n"
                 "    if [[ \"$word\" == -* ]]; then\n"
                 "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                 "        return\n"
                 "    fi\n"
                 "    local file\n"
                 "    shopt -s extglob\n"
                 "    while IFS= read -r file; do\n"
                 "        if [[ -z \"$pattern\" || -d \"$file\" || \"$file\" == $pattern ]]; then\n"
                 "            COMPREPLY+=(\"$file\")\n"
                 "        fi\n"
                 "    done < <(compgen -f -- \"$word\")\n"
                 "}\n"
                 "complete -o filenames -F _croton croton\n";
}

std::string zshQuoted(const std::string &text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\'') out += "'\\''";
        else if (c == '[' || c == ']' || c == ':') (out += '\\') += c;
        else out += c;
    }
    return out;
}

std::string zshScript()
{
    std::string out = "#compdef croton\n# made by: croton completions zsh\n\n_croton() {\n"
                      "    local -a names\n    names=(\n";
    for (const Command &command : commands()) out += "        '" + command.name + ":" + zshQuoted(command.summary) + "'\n";
    out += "    )\n    if (( CURRENT == 2 )); then\n        _describe command names\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n";
    for (const Command &command : commands()) {
        out += "    " + command.name + ")\n        _arguments";
        for (const Option &option : command.options)
            out += " \\\n            '" + option.name + "[" + zshQuoted(option.help) + "]" +
                   (option.value.empty() ? "" : ":" + zshQuoted(option.value) + ":_files") + "'";
        if (const std::string endings = endingsOf(command); !endings.empty())
            out += " \\\n            '*:file:_files -g \"*.(" + endings + ")\"'";
        else if (command.words.find("FOLDER") != std::string::npos) out += " \\\n            '*:folder:_files -/'";
        out += "\n        ;;\n";
    }
    return out + "    esac\n}\n\n_croton \"$@\"\n";
}

std::string fishQuoted(const std::string &text)
{
    std::string out = "'";
    for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "'";
}

std::string fishScript()
{
    std::string out = "# fish completion for croton; made by: croton completions fish\n";
    for (const Command &command : commands()) {
        out += "complete -c croton -n __fish_use_subcommand -f -a " + command.name + " -d " + fishQuoted(command.summary) + "\n";
        for (const Option &option : command.options) {
            const bool isLong = option.name.rfind("--", 0) == 0;
            out += "complete -c croton -n '__fish_seen_subcommand_from " + command.name + "' " +
                   (isLong ? "-l " + option.name.substr(2) : "-s " + option.name.substr(1)) + (option.value.empty() ? "" : " -r") + " -d " +
                   fishQuoted(option.help) + "\n";
        }
    }
    return out;
}

// Backslashes, hyphens and leading dots mean something to troff.
std::string roff(const std::string &text)
{
    std::string out;
    bool lineStart = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (lineStart && (c == '.' || c == '\'')) out += "\\&";
        lineStart = c == '\n';
        if (c == '\\') out += "\\e";
        else if (c == '-') out += "\\-";
        else if (text.compare(i, 3, "…") == 0) out += "...", i += 2;
        else if (text.compare(i, 3, "→") == 0) out += "\\(->", i += 2;
        else out += c;
    }
    return out;
}

int print(const Arguments &arguments)
{
    const std::string &what = arguments.words[0];
    const std::string text = what == "man" ? manualPage() : completionScript(what);
    writeOutput({}, text);
    return 0;
}

} // namespace

std::string completionScript(const std::string &shell)
{
    if (shell == "bash") return bashScript();
    if (shell == "zsh") return zshScript();
    if (shell == "fish") return fishScript();
    throw UsageError("croton completions knows no shell '" + shell + "'", "bash, zsh, fish, or man for the manual page");
}

std::string manualPage()
{
    std::string out =
        std::string(".TH CROTON 1 \"\" \"croton ") + kVersion +
        "\" \"User Commands\"\n.SH NAME\ncroton \\- compile and run tensor expressions, and see where "
        "the time goes\n.SH SYNOPSIS\n.B croton\n.I COMMAND\n[\\fIoptions\\fR] [\\fIwords\\fR]\n"
        ".SH DESCRIPTION\nRuns Theano scripts, records what their compilation and their calls do in a "
        "session file, and reports, compares and exports sessions.\n"
        ".SH OPTIONS\n.TP\n\\fB\\-\\-help\\fR\nof croton alone: the commands; of a command: what it does, its words and options\n"
        ".TP\n\\fB\\-\\-version\\fR\nthe version of croton\n.SH COMMANDS\n";
    for (const Command &command : commands()) {
        out += ".SS \"croton " + roff(command.name) + (command.words.empty() ? "" : " " + roff(command.words)) + "\"\n";
        out += roff(command.summary) + ".\n";
        if (!command.details.empty()) out += roff(command.details) + "\n";
        if (command.rest != Rest::None) out += roff(restRule(command)) + "\n";
        for (const Option &option : command.options)
            out += ".TP\n\\fB" + roff(option.name) + "\\fR" + (option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR") + "\n" +
                   roff(option.help) + "\n";
    }
    return out + ".SH EXIT STATUS\n0 when it was done, 1 when it failed, 2 when the words made no sense. "
                 "\\fBrun\\fR and \\fBprofile\\fR pass on the status of the script.\n"
                 ".SH ENVIRONMENT\n.TP\n.B THEANO_FLAGS, CROTON_FLAGS, THEANORC\nflags, as in Theano; later ones win\n"
                 ".TP\n.B CROTON_PYTHON\nthe interpreter that runs scripts\n"
                 ".TP\n.B CROTON_CACHE_DIR\nwhere compiled kernels are kept\n"
                 ".SH FILES\n.TP\n.I ~/.cache/croton/sessions\nsessions of the studio\n"
                 ".TP\n.I ~/.cache/croton/kernels\ncompiled kernels\n";
}

Command completionsCommand()
{
    Command command;
    command.name = "completions";
    command.words = "bash | zsh | fish | man";
    command.summary = "print completions for a shell, or the manual page";
    command.details = "For bash, now: source <(croton completions bash)";
    command.leastWords = command.mostWords = 1;
    command.run = print;
    return command;
}

} // namespace app
