// What the tests of compiled units share: sources, a folder of their own for the cache, compilers made of shell text.
#pragma once

#include "engine/device/cpu/compiler/compiler.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/device/cpu/compiler/temporary.h"
#include "engine/device/cpu/compiler/unit_builder.h"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace units {

using namespace engine;
namespace fs = std::filesystem;
using std::chrono::milliseconds;

inline const std::atomic<bool> kStaying{false};

inline std::string sourceOf(int number)
{
    return "void croton_kernel_0(void *const *operands, const void *math, long n) { ((double *)operands[0])[0] = n + " +
           std::to_string(number) + "; }\n";
}

inline double valueOf(const std::vector<KernelFunction> &functions)
{
    double value = -1;
    void *operands[] = {&value};
    if (!functions.empty()) functions[0](operands, nullptr, 40);
    return value;
}

class Units : public testing::Test {
protected:
    void SetUp() override
    {
        if (compiler().path.empty()) GTEST_SKIP() << compiler().reason;
        m_folder = makeTemporaryFolder(fs::temp_directory_path() / "croton-unit-test");
        ASSERT_FALSE(m_folder.empty());
        chooseKernelCache(m_folder / "cache");
    }
    void TearDown() override
    {
        chooseCompiler(std::nullopt);
        chooseKernelCache(std::nullopt);
        setCompileLimit(std::chrono::seconds(120));
        std::error_code error;
        if (!m_folder.empty()) fs::remove_all(m_folder, error);
    }
    fs::path folder() const { return m_folder / "cache" / "kernels"; }
    fs::path onlyProduct() const
    {
        for (const auto &entry : fs::directory_iterator(folder()))
            if (entry.path().extension() == ".so") return entry.path();
        return {};
    }
    std::size_t filesEndingIn(const char *extension) const
    {
        std::size_t count = 0;
        for (const auto &entry : fs::directory_iterator(folder())) count += entry.path().extension() == extension;
        return count;
    }
    /// A compiler of that shell text; OUT is where the product goes.
    void useCompiler(const std::string &text)
    {
        const fs::path path = m_folder / ("compiler" + std::to_string(m_compilers++));
        std::ofstream(path) << "#!/bin/bash\nif [[ \"$1\" == --version ]]; then echo 'gcc (of a test)'; exit 0; fi\n"
                            << "args=(\"$@\"); while [[ $# -gt 0 ]]; do [[ \"$1\" == -o ]] && OUT=$2; shift; done\n"
                            << text << "\n";
        fs::permissions(path, fs::perms::owner_all);
        chooseCompiler(path.string());
    }

    fs::path m_folder;
    int m_compilers = 0;
};

/// Sets an environment variable until the end of a scope.
class Environment {
public:
    Environment(const char *name, const std::optional<std::string> &value) : m_name(name)
    {
        if (const char *old = std::getenv(name)) m_old = old;
        set(value);
    }
    ~Environment() { set(m_old); }
    Environment(const Environment &) = delete;
    Environment &operator=(const Environment &) = delete;

private:
    void set(const std::optional<std::string> &value) { value ? setenv(m_name, value->c_str(), 1) : unsetenv(m_name); }
    const char *m_name;
    std::optional<std::string> m_old;
};

/// What `work` answers in a process with mounts of its own, where each of `full` is 64 kB of memory. Nothing: this user may mount
/// nothing.
template <class Work>
std::optional<std::string> withFullFolders(const std::vector<fs::path> &full, Work work)
{
    const uid_t user = geteuid();
    int news[2];
    if (pipe(news) != 0) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0) {
            if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(77);
            std::ofstream("/proc/self/uid_map") << user << " " << user << " 1";
        }
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        for (const fs::path &folder : full)
            if (mount("none", folder.c_str(), "tmpfs", 0, "size=64k,mode=0700") != 0) _exit(77);
        const std::string answer = work();
        _exit(write(news[1], answer.data(), answer.size()) < 0);
    }
    close(news[1]);
    std::string answer(2000, '\0');
    const ssize_t length = read(news[0], answer.data(), answer.size());
    answer.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    close(news[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return std::nullopt;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? answer : "ended with " + std::to_string(status);
}

} // namespace units
