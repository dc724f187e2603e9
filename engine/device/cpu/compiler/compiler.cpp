#include "engine/device/cpu/compiler/compiler.h"

#include "engine/device/cpu/compiler/child_process.h"
#include "engine/device/cpu/compiler/compile_program.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/device/cpu/compiler/temporary.h"
#include "engine/rt/cpu_level.h"
#include "engine/rt/rt.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <mutex>
#include <system_error>
#include <unistd.h>

namespace engine {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kAlone{20'000};  // that a compile may go on after its process
constexpr std::chrono::milliseconds kOwnTime{5'000}; // of croton-compile, beside the compiler's

fs::path compileProgram()
{
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void *>(&compileSharedObject), &info) || !info.dli_fname) return {};
    std::error_code error;
    return fs::absolute(info.dli_fname, error).lexically_normal().parent_path() / kCompileProgram;
}

// A product with -march=native runs only on its processor, one for a level wherever that is.
std::string processor()
{
    std::string result = rt_cpu_level()->name;
    if (rt_cpu_level()->isChosen) return result;
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
    if (const fs::path program = compileProgram(); access(program.c_str(), X_OK) != 0) {
        found.reason = "this build is not whole, " + program.string() + " is missing: kernels run on the interpreter";
        return found;
    }
    std::string answer;
    for (const std::string &candidate : candidates) {
        const ProgramEnd end = runProgram({candidate, "--version"}, "", {std::chrono::seconds(10)});
        if (!end.ok() || end.output.empty()) {
            answer = !end.problem.empty() ? end.problem
                     : end.output.empty() ? candidate + " --version prints nothing"
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
    const std::string instructions =
        rt_cpu_level()->isChosen && rt_cpu_level()->name != std::string("base") ? rt_cpu_level()->name : "native";
    found.flags = {
        "-O3", "-march=" + instructions, "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-shared", "-fPIC", "-nostdlib",
        "-w"};
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

CompileResult compileSharedObject(const std::string &source, const fs::path &target, ProductFor whom, const std::atomic<bool> *leaving)
{
    CompileResult result;
    const Compiler &cc = compiler();
    if (cc.path.empty()) {
        result.compilerFailed = true;
        result.messages = cc.reason;
        return result;
    }
    const Clock::time_point start = Clock::now();
    std::vector<std::string> command = {cc.path};
    command.insert(command.end(), cc.flags.begin(), cc.flags.end());
    command.insert(command.end(), {"-x", "c", "-"});
    result.command = commandText(command) + " -o " + target.string();
    const auto grace = whom == ProductFor::All ? kAlone : std::chrono::milliseconds(0);
    command.insert(command.begin(), {compileProgram().string(), std::to_string(getpid()), std::to_string(compileLimit().count()),
                                     std::to_string(grace.count()), target.string()});
    ProgramLimits limits;
    limits.time = compileLimit() + kOwnTime;
    limits.leaving = leaving;
    const ProgramEnd end = runProgram(command, source, limits, roomForCompiler(target).string());
    result.messages = end.output;
    if (!end.problem.empty()) result.messages += (result.messages.empty() ? "" : "\n") + end.problem;
    result.ok = end.status == kCompiled && isWholeProduct(target); // its status may have been taken by somebody else
    if (end.status == kCompiled && !result.ok && result.messages.empty()) result.messages = cc.path + " left no product";
    result.compilerFailed = !result.ok && end.status != kNotKept;
    result.nanoseconds = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
    return result;
}

} // namespace engine
