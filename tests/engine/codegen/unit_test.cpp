// Compiled units on disk: damage, other people's files, processes that are killed, folders that are full.
#include "tests/engine/codegen/units.h"

#include "engine/codegen/kernel_service.h"
#include "engine/device/cpu/compiler/product_lock.h"
#include "engine/device/kept_binary.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
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

using namespace units;

namespace {

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
    for (int i = 0; i < 2; ++i) EXPECT_EQ(valueOf(buildUnit(sourceOf(i), 1, kStaying).functions), 40 + i);
    for (const auto &entry : fs::directory_iterator(folder())) {
        if (entry.path().extension() != ".so") continue;
        EXPECT_TRUE(isWholeProduct(entry.path()));
        EXPECT_TRUE(ProductLock(entry.path()).tryTake()) << "a process that was killed holds it";
    }
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

} // namespace
