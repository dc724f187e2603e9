#include "engine/codegen/compiler.h"

#include "engine/runtime/rt/rt.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace engine {
namespace fs = std::filesystem;
namespace {

std::uint64_t now()
{
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

// Runs a program with stdin from `input` and both outputs into a temporary file; returns the exit status, -1 if it
// could not start. posix_spawn, because fork copies the page tables of a large process.
int runProgram(const std::vector<std::string> &arguments, const std::string &input, std::string &output)
{
    char inName[] = "/tmp/croton-in-XXXXXX", outName[] = "/tmp/croton-out-XXXXXX";
    const int in = mkostemp(inName, O_CLOEXEC), out = mkostemp(outName, O_CLOEXEC);
    if (in >= 0) unlink(inName);
    if (out >= 0) unlink(outName);
    int status = -1;
    if (in >= 0 && out >= 0) {
        std::size_t written = 0;
        while (written < input.size()) {
            const ssize_t n = write(in, input.data() + written, input.size() - written);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) break;
            written += static_cast<std::size_t>(n);
        }
        lseek(in, 0, SEEK_SET);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in, 0);
        posix_spawn_file_actions_adddup2(&actions, out, 1);
        posix_spawn_file_actions_adddup2(&actions, out, 2);
        std::vector<char *> argv;
        for (const std::string &argument : arguments) argv.push_back(const_cast<char *>(argument.c_str()));
        argv.push_back(nullptr);
        pid_t child = -1;
        if (written == input.size() && posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0) {
            while (waitpid(child, &status, 0) < 0)
                if (errno != EINTR) {
                    status = -1; // somebody else reaped it (a SIGCHLD handler of the host): judged by its product
                    break;
                }
            if (status != -1) status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
            else status = 0;
        }
        posix_spawn_file_actions_destroy(&actions);
        lseek(out, 0, SEEK_SET);
        char buffer[4096];
        for (ssize_t n; (n = read(out, buffer, sizeof buffer)) > 0 && output.size() < 65536;) output.append(buffer, static_cast<std::size_t>(n));
    }
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    return status;
}

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

Compiler find()
{
    Compiler found;
    std::vector<std::string> candidates = {"gcc", "cc", "clang"};
    if (const char *named = std::getenv("CROTON_CC")) {
        if (!*named) {
            found.reason = "the C compiler is switched off (CROTON_CC is empty)";
            return found;
        }
        candidates = {named};
    }
    for (const std::string &candidate : candidates) {
        std::string text;
        if (runProgram({candidate, "--version"}, "", text) != 0 || text.empty()) continue;
        found.path = candidate;
        found.version = text.substr(0, text.find('\n'));
        found.isClang = text.find("clang") != std::string::npos;
        break;
    }
    if (found.path.empty()) {
        found.reason = "no C compiler was found (" + candidates.front() + (candidates.size() > 1 ? ", cc, clang" : "") +
                       "): kernels run on the interpreter";
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

bool isProduct(const fs::directory_entry &entry) { return entry.path().extension() == ".so"; }

} // namespace

const Compiler &compiler()
{
    // Never destroyed: the compile thread may be at work while static objects go.
    static const Compiler *const found = new Compiler(find());
    return *found;
}

CompileResult compileSharedObject(const std::string &source, const fs::path &target)
{
    CompileResult result;
    const Compiler &cc = compiler();
    if (cc.path.empty()) {
        result.messages = cc.reason;
        return result;
    }
    const std::uint64_t start = now();
    const fs::path temporary = target.string() + "." + std::to_string(getpid()) + ".tmp";
    std::vector<std::string> command = {cc.path};
    command.insert(command.end(), cc.flags.begin(), cc.flags.end());
    for (const char *argument : {"-x", "c", "-", "-o"}) command.push_back(argument);
    command.push_back(temporary.string());
    for (const std::string &word : command) result.command += (result.command.empty() ? "" : " ") + word;
    const int status = runProgram(command, source, result.messages);
    std::error_code error;
    if (status == 0 && fs::exists(temporary, error)) {
        // Readers see the whole file or none.
        fs::rename(temporary, target, error);
        result.ok = !error;
        if (error) result.messages += "\n" + error.message();
    }
    if (!result.ok) fs::remove(temporary, error);
    result.nanoseconds = now() - start;
    return result;
}

fs::path kernelCacheDirectory()
{
    static const fs::path *const directory = new fs::path([] {
        fs::path base;
        if (const char *named = std::getenv("CROTON_CACHE_DIR"); named && *named) base = named;
        else if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) base = fs::path(cache) / "croton";
        else if (const char *home = std::getenv("HOME"); home && *home) base = fs::path(home) / ".cache" / "croton";
        else base = fs::temp_directory_path() / ("croton-" + std::to_string(getuid()));
        base /= "kernels";
        std::error_code error;
        fs::create_directories(base, error);
        // Code is loaded from here: nobody else may write into it.
        struct stat status;
        if (error || stat(base.c_str(), &status) != 0 || status.st_uid != getuid() || access(base.c_str(), W_OK) != 0) return fs::path();
        if (status.st_mode & (S_IWGRP | S_IWOTH)) chmod(base.c_str(), 0700);
        return base;
    }());
    return *directory;
}

CacheInfo kernelCacheInfo()
{
    CacheInfo info;
    info.directory = kernelCacheDirectory();
    std::error_code error;
    if (info.directory.empty()) return info;
    for (const auto &entry : fs::directory_iterator(info.directory, error)) {
        if (!isProduct(entry)) continue;
        ++info.files;
        info.bytes += entry.file_size(error);
    }
    return info;
}

std::uint64_t clearKernelCache()
{
    std::uint64_t removed = 0;
    std::error_code error;
    if (kernelCacheDirectory().empty()) return 0;
    for (const auto &entry : fs::directory_iterator(kernelCacheDirectory(), error))
        if (isProduct(entry) || entry.path().extension() == ".tmp") removed += fs::remove(entry.path(), error) && isProduct(entry);
    return removed;
}

void evictKernels(std::uint64_t bytes)
{
    const fs::path directory = kernelCacheDirectory();
    if (directory.empty()) return;
    const int lock = open((directory / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (lock < 0) return;
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
        struct Product {
            fs::file_time_type used;
            std::uint64_t size;
            fs::path path;
        };
        std::vector<Product> products;
        std::uint64_t total = 0;
        std::error_code error;
        const auto dayAgo = fs::file_time_type::clock::now() - std::chrono::hours(24);
        for (const auto &entry : fs::directory_iterator(directory, error)) {
            const auto used = entry.last_write_time(error);
            if (error) continue;
            if (entry.path().extension() == ".tmp" && used < dayAgo) fs::remove(entry.path(), error);
            if (!isProduct(entry)) continue;
            products.push_back({used, entry.file_size(error), entry.path()});
            total += products.back().size;
        }
        std::sort(products.begin(), products.end(), [](const Product &a, const Product &b) { return a.used < b.used; });
        for (const Product &product : products) {
            if (total <= bytes) break;
            if (fs::remove(product.path, error)) total -= product.size;
        }
        flock(lock, LOCK_UN);
    }
    close(lock);
}

} // namespace engine
