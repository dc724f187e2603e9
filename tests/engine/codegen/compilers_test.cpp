// Compilers: their environment and temporary folders, and what happens if they misbehave, hang or are ended.
#include "tests/engine/codegen/units.h"

#include "engine/codegen/kernel_service.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace units;

namespace {

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
    const BuiltUnit built = buildUnit(sourceOf(2), 1, kStaying);
    EXPECT_TRUE(built.functions.empty());
    EXPECT_NE(built.messages.find("was not done after 200 ms and was ended"), std::string::npos) << built.messages;

    std::atomic<bool> leaving{false};
    std::thread leaver([&] {
        std::this_thread::sleep_for(milliseconds(50));
        leaving = true;
    });
    setCompileLimit(std::chrono::seconds(20));
    EXPECT_TRUE(buildUnit(sourceOf(2), 1, leaving).ended);
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
    EXPECT_NE(buildUnit(sourceOf(3), 1, kStaying).messages.find("was ended"), std::string::npos);
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
