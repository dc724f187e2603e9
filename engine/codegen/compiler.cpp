#include "engine/codegen/compiler.h"

#include "engine/codegen/child_process.h"
#include "engine/codegen/kernel_cache.h"
#include "engine/codegen/temporary.h"
#include "engine/graph/fork.h"
#include "engine/runtime/rt/rt.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <system_error>
#include <unistd.h>

namespace engine {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

// The processor's name and abilities: a product with -march=native runs only there.
std::string processor()
{
    std::string result = rt_table()->level;
    std::ifstream info("/proc/cpuinfo");
    bool model = false, flags = false;
    for (std::string line; std::getline(info, line) && !(model && flags);) {
        if (!model && line.rfind("model name", 0) == 0) result += "|" + line, model = true;
        else if (!flags && (line.rfind("flags", 0) == 0 || line.rfind("Features", 0) == 0)) result += "|" + line, flags = true;
    }
    return result;
}

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

/// Nothing: whatever the PATH has. Empty: none.
Compiler find(const std::optional<std::string> &named, const std::string &namedBy)
{
    Compiler found;
    if (named && named->empty()) {
        found.reason = "the C compiler is switched off (" + namedBy + " is empty): kernels run on the interpreter";
        return found;
    }
    const std::vector<std::string> candidates = named ? std::vector{*named} : std::vector<std::string>{"gcc", "cc", "clang"};
    std::string answer;
    for (const std::string &candidate : candidates) {
        const ProgramEnd end = runProgram({candidate, "--version"}, "", {std::chrono::seconds(10)});
        if (!end.ok() || end.output.empty()) {
            answer = !end.problem.empty()    ? end.problem
                     : end.output.empty()    ? candidate + " --version prints nothing"
                                             : candidate + " --version says " + firstLine(end.output);
            continue;
        }
        found.path = candidate;
        found.version = firstLine(end.output);
        found.isClang = end.output.find("clang") != std::string::npos;
        break;
    }
    if (found.path.empty()) {
        found.reason = named ? "there is no C compiler (" + namedBy + "): " + answer + "; kernels run on the interpreter"
                             : "no C compiler was found (gcc, cc, clang): kernels run on the interpreter";
        return found;
    }
    found.flags = {"-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-shared", "-fPIC", "-nostdlib", "-w"};
    if (rt_table()->vectorBytes == 64) found.flags.push_back("-mprefer-vector-width=512");
    if (!found.isClang) {
        found.flags.push_back("-fno-tree-sink");
        found.flags.insert(found.flags.end(), {"--param", "vect-epilogues-nomask=0"});
    }
    found.identity = found.path + "|" + found.version + "|" + processor();
    for (const std::string &flag : found.flags) found.identity += " " + flag;
    return found;
}

struct Choice {
    ProcessMutex mutex; // guards the rest but `now`
    std::optional<std::string> chosen;
    std::map<std::optional<std::string>, const Compiler *> known; // never destroyed: the compile thread may be at work
    std::atomic<const Compiler *> now{nullptr};
};

Choice &choice()
{
    static auto *instance = new Choice;
    return *instance;
}

std::atomic<std::int64_t> g_limit{120'000};

/// Where the compiler may put what it needs in between: TMPDIR may be missing, read-only or full.
fs::path roomForCompiler(const fs::path &target)
{
    for (const fs::path &folder : temporaryParents())
        if (hasSpace(folder)) return folder;
    return target.parent_path();
}

std::string commandText(const std::vector<std::string> &command)
{
    std::string text;
    for (const std::string &word : command) text += (text.empty() ? "" : " ") + word;
    return text;
}

} // namespace

const Compiler &compiler()
{
    Choice &c = choice();
    if (const Compiler *now = c.now.load(std::memory_order_acquire)) return *now;
    std::lock_guard lock(c.mutex);
    std::optional<std::string> named = c.chosen;
    if (!named)
        if (const char *text = std::getenv("CROTON_CC")) named = text;
    const Compiler *&known = c.known[named];
    if (!known) known = new Compiler(find(named, c.chosen ? "the flag cxx" : "CROTON_CC"));
    c.now.store(known, std::memory_order_release);
    return *known;
}

void chooseCompiler(std::optional<std::string> path)
{
    Choice &c = choice();
    std::lock_guard lock(c.mutex);
    c.chosen = std::move(path);
    c.now.store(nullptr, std::memory_order_release);
}

void setCompileLimit(std::chrono::milliseconds limit) { g_limit = std::max<std::int64_t>(limit.count(), 1); }
std::chrono::milliseconds compileLimit() { return std::chrono::milliseconds(g_limit.load()); }

CompileResult compileSharedObject(const std::string &source, const fs::path &target, const std::atomic<bool> *leaving)
{
    CompileResult result;
    const Compiler &cc = compiler();
    if (cc.path.empty()) {
        result.compilerFailed = true;
        result.messages = cc.reason;
        return result;
    }
    const Clock::time_point start = Clock::now();
    fs::path temporary;
    const int made = makeTemporaryFile(target, temporary);
    if (made < 0) {
        result.messages = "no file can be made in " + target.parent_path().string() + ": " + std::generic_category().message(errno);
        return result;
    }
    close(made);
    std::vector<std::string> command = {cc.path};
    command.insert(command.end(), cc.flags.begin(), cc.flags.end());
    command.insert(command.end(), {"-x", "c", "-", "-o", temporary.string()});
    result.command = commandText(command);
    const ProgramEnd end = runProgram(command, source, {compileLimit(), leaving}, roomForCompiler(target).string());
    result.messages = end.output;
    result.compilerFailed = !end.ok();
    if (!end.ok()) {
        if (!result.messages.empty() && result.messages.back() != '\n') result.messages += '\n';
        result.messages += end.problem.empty() ? cc.path + " ended with status " + std::to_string(end.status) : end.problem;
    } else if (const std::string problem = sealProduct(temporary, target); !problem.empty()) {
        result.messages += (result.messages.empty() ? "" : "\n") + problem;
    } else {
        result.ok = true;
    }
    std::error_code error;
    if (!result.ok) fs::remove(temporary, error);
    result.nanoseconds = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
    return result;
}

} // namespace engine
