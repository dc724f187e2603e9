// Units on disk: damage, other people's files, processes that are killed, folders that are full; and compilers that misbehave.
#include "engine/codegen/kernel_service.h"
#include "engine/device/cpu/compiler/child_process.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/device/cpu/compiler/product_lock.h"
#include "engine/device/cpu/compiler/temporary.h"
#include "engine/device/cpu/compiler/unit_builder.h"
#include "engine/device/kept_binary.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace engine;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

const std::atomic<bool> kStaying{false};

std::string sourceOf(int number)
{
    return "void croton_kernel_0(void *const *operands, const void *math, long n) { ((double *)operands[0])[0] = n + " +
           std::to_string(number) + "; }\n";
}

double valueOf(const std::vector<KernelFunction> &functions)
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

TEST_F(Units, areFoundAgain)
{
    const BuiltUnit built = buildUnit(sourceOf(2), 1, kStaying);
    EXPECT_EQ(valueOf(built.functions), 42) << built.messages;
    EXPECT_FALSE(built.fromCache);
    EXPECT_EQ(valueOf(findUnit(sourceOf(2), 1)), 42);
    EXPECT_TRUE(findUnit(sourceOf(3), 1).empty());
    EXPECT_TRUE(buildUnit(sourceOf(2), 1, kStaying).fromCache);
}

TEST_F(Units, thatAreDamagedAreCompiledAgain)
{
    using Damage = void (*)(const fs::path &);
    const Damage damages[] = {
        [](const fs::path &product) { fs::resize_file(product, 9000); },
        [](const fs::path &product) { fs::resize_file(product, 0); },
        [](const fs::path &product) { fs::resize_file(product, fs::file_size(product) + 1); },
        [](const fs::path &product) {
            std::fstream file(product, std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(4200);
            file.put('X');
        },
        [](const fs::path &product) { fs::permissions(product, fs::perms::all); },
        [](const fs::path &product) {
            fs::remove(product);
            fs::create_symlink("/etc/passwd", product);
        },
        [](const fs::path &product) {
            fs::remove(product);
            fs::create_directory(product);
        },
        [](const fs::path &product) {
            fs::remove(product);
            EXPECT_EQ(mkfifo(product.c_str(), 0700), 0);
        },
    };
    int number = 10;
    for (const Damage damage : damages) {
        clearKernelCache();
        // By another process: what this one has loaded must not change under it.
        const std::string source = sourceOf(++number);
        const pid_t child = fork();
        if (child == 0) _exit(buildUnit(source, 1, kStaying).functions.empty());
        waitpid(child, nullptr, 0);
        const fs::path product = onlyProduct();
        ASSERT_FALSE(product.empty());
        damage(product);
        EXPECT_TRUE(findUnit(source, 1).empty()) << number;
        EXPECT_EQ(valueOf(buildUnit(source, 1, kStaying).functions), 40 + number);
        EXPECT_TRUE(isWholeProduct(product)) << number;
    }
}

TEST(KeptBinaries, areFoundAgainAndPipesAreNotWaitedFor)
{
    const std::string file = binaryFile("test", "of pipes");
    ASSERT_FALSE(file.empty());
    fs::remove(file);
    keepBinary(file, std::string_view("abc"));
    EXPECT_EQ(std::string(keptBinary(file).data(), keptBinary(file).size()), "abc");
    fs::remove(file);
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    EXPECT_TRUE(keptBinary(file).empty());
    keepBinary(file, std::string_view("abc"));
    EXPECT_EQ(keptBinary(file).size(), 3u);
    fs::remove(file);
}

TEST_F(Units, ofSomebodyElseAreNotLoaded)
{
    if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    buildUnit(sourceOf(2), 1, kStaying);
    const fs::path product = onlyProduct();
    ASSERT_EQ(chown(product.c_str(), 65534, 65534), 0);
    EXPECT_TRUE(findUnit(sourceOf(2), 1).empty());
    EXPECT_EQ(valueOf(buildUnit(sourceOf(2), 1, kStaying).functions), 42);

    ASSERT_EQ(chown(folder().c_str(), 65534, 65534), 0);
    chooseKernelCache(m_folder / "cache");
    EXPECT_TRUE(kernelCacheDirectory().empty());
    EXPECT_NE(kernelCacheProblem().find("belongs to somebody else (user 65534)"), std::string::npos) << kernelCacheProblem();
    EXPECT_EQ(valueOf(buildUnit(sourceOf(2), 1, kStaying).functions), 42);
}

TEST_F(Units, workWithoutAFolder)
{
    std::ofstream(m_folder / "file") << "in the way";
    chooseKernelCache(m_folder / "file");
    EXPECT_FALSE(keepsKernels());
    EXPECT_NE(kernelCacheProblem().find("Not a directory; the flag compiledir has to name a folder of yours"), std::string::npos)
        << kernelCacheProblem();
    EXPECT_EQ(valueOf(buildUnit(sourceOf(2), 1, kStaying).functions), 42);
}

TEST_F(Units, neverLieWhereTheProcessHappensToBe)
{
    std::map<std::string, std::optional<std::string>> before;
    for (const char *name : {"HOME", "XDG_CACHE_HOME", "CROTON_CACHE_DIR"}) {
        const char *value = std::getenv(name);
        before[name] = value ? std::optional<std::string>(value) : std::nullopt;
        unsetenv(name);
    }
    for (const char *home : {"", "here"}) {
        setenv("HOME", home, 1);
        setenv("XDG_CACHE_HOME", home, 1);
        chooseKernelCache(std::nullopt);
        EXPECT_TRUE(kernelCacheDirectory().is_absolute()) << kernelCacheDirectory();
    }
    for (const auto &[name, value] : before)
        if (value) setenv(name.c_str(), value->c_str(), 1);
        else unsetenv(name.c_str());
}

TEST_F(Units, neverTakeMoreThanTheLimitWhenACompileIsDone)
{
    const char *old = std::getenv("CROTON_CACHE_MB");
    const std::optional<std::string> before = old ? std::optional<std::string>(old) : std::nullopt;
    ASSERT_TRUE(keepsKernels());
    // More than the limit is there already when this process compiles for the first time.
    for (int i = 0; i < 12; ++i) std::ofstream(folder() / ("0" + std::to_string(i) + ".so")) << std::string(20'000, 'x');
    EXPECT_GE(kernelCacheInfo().bytes, 240'000u);
    setenv("CROTON_CACHE_MB", "0.1", 1);
    for (int i = 0; i < 6; ++i) {
        const std::string body =
            "(void *const *operands, const Loop *math, long n) { ((double *)operands[0])[0] = n - " + std::to_string(i) + "; }\n";
        const auto kernel = internKernel({body, {}, static_cast<std::uint64_t>(700 + i)});
        requestKernels({kernel});
        waitForKernels();
        EXPECT_EQ(kernel->state.load(), KernelState::Ready);
        EXPECT_LE(kernelCacheInfo().bytes, 100'000u) << i;
        EXPECT_GT(kernelCacheInfo().files, 0u) << i;
    }
    before ? setenv("CROTON_CACHE_MB", before->c_str(), 1) : unsetenv("CROTON_CACHE_MB");
}

TEST_F(Units, areCountedAsTheDiskDoes)
{
    ASSERT_TRUE(keepsKernels());
    std::ofstream(folder() / "a.so") << "x";
    std::ofstream(folder() / "b.so.AbCdEf.tmp") << std::string(50'000, 'x');
    std::ofstream(folder() / "lock.other") << std::string(50'000, 'x');
    struct stat status;
    ASSERT_EQ(stat((folder() / "a.so").c_str(), &status), 0);
    const CacheInfo info = kernelCacheInfo();
    EXPECT_EQ(info.files, 1u);
    EXPECT_GE(info.bytes, 50'000u + static_cast<std::uint64_t>(status.st_blocks) * 512);
    EXPECT_LT(info.bytes, 90'000u);
}

TEST_F(Units, longestUnusedGoFirst)
{
    for (int i = 0; i < 4; ++i) {
        buildUnit(sourceOf(i), 1, kStaying);
        const timespec times[2] = {{i * 100, 0}, {i * 100, 0}};
        for (const auto &entry : fs::directory_iterator(folder()))
            if (entry.path().extension() == ".so" &&
                fs::last_write_time(entry) > fs::file_time_type::clock::now() - std::chrono::hours(1)) {
                ASSERT_EQ(utimensat(AT_FDCWD, entry.path().c_str(), times, 0), 0);
            }
    }
    EXPECT_EQ(valueOf(findUnit(sourceOf(0), 1)), 40); // used now
    std::ofstream(folder() / "old.so.AbCdEf.tmp") << "left by a compile that was killed";
    std::ofstream(folder() / "new.so.AbCdEf.tmp") << "of a compile at work";
    fs::last_write_time(folder() / "old.so.AbCdEf.tmp", fs::file_time_type::clock::now() - std::chrono::hours(2));
    const CacheInfo before = kernelCacheInfo();
    ASSERT_EQ(before.files, 4u);
    evictKernels(before.bytes / 2);
    EXPECT_EQ(kernelCacheInfo().files, 2u);
    EXPECT_EQ(filesEndingIn(".tmp"), 1u);
    EXPECT_FALSE(findUnit(sourceOf(0), 1).empty());
    EXPECT_TRUE(findUnit(sourceOf(1), 1).empty());
    EXPECT_TRUE(findUnit(sourceOf(2), 1).empty());
    EXPECT_FALSE(findUnit(sourceOf(3), 1).empty());
}

TEST_F(Units, areCompiledByOneProcessAndTheLockOfOneThatWasKilledIsTaken)
{
    const fs::path product = folder() / "0123456789abcdef0123456789abcdef.so";
    ASSERT_TRUE(keepsKernels());
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        ProductLock lock(product);
        const char answer = lock.tryTake() ? 'y' : 'n';
        if (write(ready[1], &answer, 1) != 1) _exit(1);
        pause();
        _exit(0);
    }
    char answer = 0;
    ASSERT_EQ(read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    ProductLock lock(product), other(folder() / "9123456789abcdef0123456789abcdef.so");
    EXPECT_FALSE(lock.tryTake());
    EXPECT_TRUE(other.tryTake());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(lock.tryTake());
    close(ready[0]);
    close(ready[1]);
}

TEST_F(Units, surviveProcessesThatAreKilledInTheMiddle)
{
    useCompiler(
        "gcc \"${args[@]}\" && cp $OUT $OUT.copy && head -c 5000 $OUT.copy > $OUT && sleep 0.02 && cat $OUT.copy > $OUT; rm -f $OUT.copy");
    std::mt19937 random(5);
    for (int round = 0; round < 4; ++round) {
        std::vector<pid_t> children;
        for (int i = 0; i < 8; ++i) {
            const pid_t child = fork();
            if (child == 0) _exit(valueOf(buildUnit(sourceOf(i % 2), 1, kStaying).functions) == 40 + i % 2 ? 0 : 1);
            children.push_back(child);
        }
        for (const pid_t child : children) {
            std::this_thread::sleep_for(milliseconds(random() % 20));
            if (random() % 3) kill(child, SIGKILL);
        }
        for (const pid_t child : children) {
            int status = 0;
            ASSERT_EQ(waitpid(child, &status, 0), child);
            EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
        }
    }
    const auto start = Clock::now();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(valueOf(buildUnit(sourceOf(i), 1, kStaying).functions), 40 + i);
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
    for (const auto &entry : fs::directory_iterator(folder()))
        EXPECT_TRUE(entry.path().extension() != ".so" || isWholeProduct(entry.path()));
}

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

TEST_F(Units, areNotKeptInAFullFolderAndThatIsSaid)
{
    const fs::path full = m_folder / "full";
    fs::create_directory(full);
    const auto notice = withFullFolders({full}, [&] {
        chooseKernelCache(full);
        std::string last;
        for (int i = 0; i < 7; ++i) {
            const BuiltUnit built = buildUnit(sourceOf(100 + i), 1, kStaying);
            if (valueOf(built.functions) != 140 + i) return "wrong value: " + built.messages;
            last = built.notice;
        }
        return last;
    });
    if (!notice) GTEST_SKIP() << "this user may mount nothing";
    EXPECT_NE(notice->find("compiled kernels are not kept: there is no space in"), std::string::npos) << *notice;
}

class Environment { // a variable for the time of a scope
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

// A name that does not exist, a file, the empty name, one that counts from here: kept or not, kernels are compiled.
TEST_F(Units, areCompiledWhateverTMPDIRNames)
{
    std::ofstream(m_folder / "file") << "no folder";
    const std::optional<std::string> names[] = {std::nullopt, "", m_folder / "missing", m_folder / "file", ".", fs::relative(m_folder)};
    int number = 300;
    for (const auto &name : names) {
        const Environment temporary("TMPDIR", name);
        chooseKernelCache(m_folder / "cache");
        const BuiltUnit kept = buildUnit(sourceOf(++number), 1, kStaying);
        EXPECT_EQ(valueOf(kept.functions), 40 + number) << kept.messages;
        EXPECT_EQ(kept.notice, "");
        chooseKernelCache(m_folder / "file");
        const BuiltUnit built = buildUnit(sourceOf(++number), 1, kStaying);
        EXPECT_EQ(valueOf(built.functions), 40 + number) << built.messages;
    }
    for (const auto &folder : {fs::current_path(), m_folder})
        for (const auto &entry : fs::directory_iterator(folder))
            EXPECT_NE(entry.path().filename().string().rfind("croton-", 0), 0u) << entry.path();
}

TEST_F(Units, areKeptWithoutAHomeWhateverTMPDIRNames)
{
    const Environment home("HOME", std::nullopt), cache("XDG_CACHE_HOME", std::nullopt), named("CROTON_CACHE_DIR", std::nullopt);
    for (const std::string &name : {(m_folder / "missing").string(), std::string("."), std::string()}) {
        const Environment temporary("TMPDIR", name);
        chooseKernelCache(std::nullopt);
        EXPECT_TRUE(keepsKernels()) << kernelCacheProblem();
        EXPECT_EQ(kernelCacheDirectory(), "/tmp/croton-" + std::to_string(geteuid()) + "/kernels") << name;
    }
}

TEST_F(Units, areCompiledWhereTMPDIRIsFull)
{
    const fs::path full = m_folder / "full";
    fs::create_directory(full);
    const auto answer = withFullFolders({full}, [&] {
        setenv("TMPDIR", full.c_str(), 1);
        std::ofstream(full / "fill") << std::string(200'000, 'x');
        const BuiltUnit kept = buildUnit(sourceOf(200), 1, kStaying);
        chooseKernelCache(full);
        const BuiltUnit built = buildUnit(sourceOf(201), 1, kStaying);
        return std::to_string(valueOf(kept.functions)) + " " + std::to_string(valueOf(built.functions)) + kept.messages + kept.notice +
               built.messages;
    });
    if (!answer) GTEST_SKIP() << "this user may mount nothing";
    EXPECT_EQ(answer->rfind("240.000000 241.000000", 0), 0u) << *answer;
}

TEST_F(Units, sayWhereThereIsNoSpaceAndTheWayOut)
{
    const fs::path full = m_folder / "full";
    fs::create_directory(full);
    const auto answer = withFullFolders({full, "/var/tmp", "/tmp"}, [&] { // the last hides the first
        mkdir("/tmp/full", 0700);
        setenv("TMPDIR", "/tmp/full", 1);
        chooseKernelCache("/dev/null");
        const BuiltUnit named = buildUnit(sourceOf(210), 1, kStaying);
        setenv("TMPDIR", "/tmp/missing", 1);
        const BuiltUnit missing = buildUnit(sourceOf(211), 1, kStaying);
        unsetenv("TMPDIR");
        const BuiltUnit none = buildUnit(sourceOf(212), 1, kStaying);
        return named.messages + "|" + missing.messages + "|" + none.messages;
    });
    if (!answer) GTEST_SKIP() << "this user may mount nothing";
    EXPECT_EQ(*answer, "there is no space in /tmp/full (TMPDIR), nor in /tmp; set TMPDIR to another folder|"
                       "there is no folder /tmp/missing (TMPDIR), nor in /tmp; set TMPDIR to another folder|"
                       "there is no space in /tmp; set TMPDIR to another folder");
}

struct Misbehaviour {
    const char *text, *words;
};

TEST_F(Units, ofCompilersThatMisbehaveFailWithTheirWords)
{
    const Misbehaviour all[] = {
        {"echo 'no such thing'; exit 3", "no such thing"},
        {"exit 3", "ended with status 3"},
        {"exit 0", "no whole shared object (0 bytes)"},
        {"kill -9 $$", "was killed by signal 9"},
        {"head -c 5000 /dev/urandom > $OUT", "no whole shared object (5000 bytes)"},
        {"gcc \"${args[@]}\"; head -c 9000 $OUT > $OUT.short; mv $OUT.short $OUT", "no whole shared object (9000 bytes)"},
        {"echo 'int a;' | gcc -shared -fPIC -x c - -o $OUT", "has no croton_kernel_0"},
        {"yes 'a note' | head -c 10000000; exit 1", "a note\na note\n"},
        {"printf '\\377\\001\\200'; exit 1", "???"},
        {"sleep 100 & exit 4", "ended with status 4"},
    };
    for (const Misbehaviour &one : all) {
        useCompiler(one.text);
        const BuiltUnit built = buildUnit(sourceOf(2), 1, kStaying);
        EXPECT_TRUE(built.functions.empty()) << one.text;
        EXPECT_NE(built.messages.find(one.words), std::string::npos) << one.text << ": " << built.messages;
        EXPECT_LT(built.messages.size(), 70'000u);
        EXPECT_NE(built.command.find("-O3"), std::string::npos);
        EXPECT_EQ(filesEndingIn(".so") + filesEndingIn(".tmp"), 0u) << one.text;
    }
    useCompiler("yes 'a note' | head -c 10000000 >&2; exec gcc \"${args[@]}\"");
    EXPECT_EQ(valueOf(buildUnit(sourceOf(2), 1, kStaying).functions), 42);
}

TEST_F(Units, areJudgedByTheirProductWhereNoStatusIsKept)
{
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    const std::string path = m_folder / "cache" / "a.so";
    fs::create_directories(m_folder / "cache");
    for (const char *text : {"echo 'no such thing'; exit 3", "exit 0", "kill -9 $PPID"}) {
        useCompiler(text);
        const CompileResult result = compileSharedObject(sourceOf(2), path);
        EXPECT_FALSE(result.ok) << text;
        EXPECT_NE(result.messages, "") << text;
    }
    useCompiler("exit 3");
    const std::string messages = buildUnit(sourceOf(2), 1, kStaying).messages;
    EXPECT_TRUE(messages.ends_with("ended with status 3")) << messages;
    useCompiler("exec gcc \"${args[@]}\"");
    EXPECT_EQ(valueOf(buildUnit(sourceOf(2), 1, kStaying).functions), 42);
    std::signal(SIGCHLD, before);
}

TEST_F(Units, ofACompilerThatHangsAreGivenUp)
{
    useCompiler("sleep 100");
    setCompileLimit(milliseconds(200));
    auto start = Clock::now();
    const BuiltUnit built = buildUnit(sourceOf(2), 1, kStaying);
    EXPECT_TRUE(built.functions.empty());
    EXPECT_NE(built.messages.find("was not done after 200 ms and was ended"), std::string::npos) << built.messages;
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));

    std::atomic<bool> leaving{false};
    std::thread leaver([&] {
        std::this_thread::sleep_for(milliseconds(50));
        leaving = true;
    });
    setCompileLimit(std::chrono::seconds(20));
    start = Clock::now();
    EXPECT_TRUE(buildUnit(sourceOf(2), 1, leaving).ended);
    EXPECT_LT(Clock::now() - start, compileLimit() / 2);
    leaver.join();
}

TEST_F(Units, ofAProcessThatHasGoneAreFinishedOrClearedAway)
{
    const fs::path temporary = m_folder / "temporary", begun = m_folder / "begun";
    fs::create_directory(temporary);
    const Environment named("TMPDIR", temporary.string());
    const auto waitUntil = [](const auto &holds) {
        for (int i = 0; i < 10'000 && !holds(); ++i) std::this_thread::sleep_for(milliseconds(1));
        return holds();
    };
    const auto leaveOne = [&](int number, const std::string &text) {
        useCompiler("echo > " + begun.string() + "; " + text);
        fs::remove(begun);
        const pid_t child = fork();
        if (child == 0) buildUnit(sourceOf(number), 1, kStaying);
        EXPECT_TRUE(waitUntil([&] { return fs::exists(begun); }));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    };
    leaveOne(2, "sleep 0.2; exec gcc \"${args[@]}\"");
    EXPECT_TRUE(waitUntil([&] { return filesEndingIn(".so") == 1 && filesEndingIn(".tmp") == 0; }));
    EXPECT_EQ(valueOf(findUnit(sourceOf(2), 1)), 42);
    EXPECT_TRUE(waitUntil([&] { return fs::is_empty(temporary); }));
    leaveOne(3, "sleep 0.2; exit 1");
    EXPECT_TRUE(waitUntil([&] { return filesEndingIn(".tmp") == 0 && fs::is_empty(temporary); }));
    // Where nobody could find it later, it is not even finished.
    chooseKernelCache("/dev/null");
    leaveOne(4, "sleep 100");
    EXPECT_TRUE(waitUntil([&] { return fs::is_empty(temporary); }));
}

TEST_F(Units, ofACompilerThatIsEndedLeaveNothingBehind)
{
    const fs::path temporary = m_folder / "temporary";
    fs::create_directory(temporary);
    const Environment named("TMPDIR", temporary.string());
    // As gcc does it.
    useCompiler("file=$(mktemp); trap 'rm -f $file; exit 1' TERM; sleep 100 & echo begun; wait");
    setCompileLimit(milliseconds(700));
    const BuiltUnit built = buildUnit(sourceOf(2), 1, kStaying);
    EXPECT_TRUE(built.messages.starts_with("begun\n")) << built.messages;
    EXPECT_TRUE(fs::is_empty(temporary));

    useCompiler("trap '' TERM; while true; do sleep 100; done");
    setCompileLimit(milliseconds(200));
    const auto start = Clock::now();
    EXPECT_NE(buildUnit(sourceOf(3), 1, kStaying).messages.find("was ended"), std::string::npos);
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
}

// The first compile waits until the variable has been changed.
TEST_F(Units, areCompiledInTheEnvironmentOfTheirRequest)
{
    const fs::path open = m_folder / "open", seen = m_folder / "seen";
    useCompiler("while [[ ! -e " + open.string() + " ]]; do sleep 0.01; done; echo $CROTON_TEST_MARK >> " + seen.string() +
                "; exec gcc \"${args[@]}\"");
    const auto request = [](int number) {
        KernelText text;
        text.body = sourceOf(number).substr(std::string("void croton_kernel_0").size());
        const std::shared_ptr<Kernel> kernel = internKernel(std::move(text));
        requestKernels({kernel});
        return kernel;
    };
    std::shared_ptr<Kernel> first, second;
    {
        const Environment mark("CROTON_TEST_MARK", "first");
        first = request(700);
    }
    {
        const Environment mark("CROTON_TEST_MARK", "second");
        second = request(701);
    }
    const Environment mark("CROTON_TEST_MARK", "late");
    std::ofstream{open};
    waitForKernels();
    EXPECT_EQ(first->state, KernelState::Ready);
    EXPECT_EQ(second->state, KernelState::Ready);
    std::ifstream file(seen);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "first\nsecond\n");
}

TEST(Compilers, thatAreNoneSayWhy)
{
    chooseCompiler("/nonexistent/cc");
    EXPECT_TRUE(compiler().path.empty());
    EXPECT_EQ(compiler().reason, "there is no C compiler (the flag cxx): /nonexistent/cc cannot be started: No such file or directory; "
                                 "kernels run on the interpreter");
    chooseCompiler("");
    EXPECT_EQ(compiler().reason, "the C compiler is switched off (the flag cxx is empty): kernels run on the interpreter");
    chooseCompiler("/bin/false");
    EXPECT_NE(compiler().reason.find("/bin/false --version says"), std::string::npos) << compiler().reason;
    chooseCompiler(std::nullopt);
}

} // namespace
