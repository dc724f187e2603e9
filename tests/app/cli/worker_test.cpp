// How `croton` starts, watches and ends a worker; a shell script stands for Python.

#include "tests/app/cli/program.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <thread>

using profiler::Scratch;
namespace fs = std::filesystem;

namespace {

// Does what its script's text says, after telling how it was called.
// Interrupts are held back until the worker says that it can take them; here env says so.
constexpr const char *kWorker = R"(#!/usr/bin/env -S --default-signal=INT,TERM,HUP /bin/bash
echo "called $*"
echo "flags $CROTON_FLAGS blocking $CUDA_LAUNCH_BLOCKING command $CROTON_COMMAND path $PYTHONPATH"
for word in "$@"; do [[ $word == *.py ]] && script=$word; done
source "$script"
)";

class Worker : public testing::Test {
protected:
    Worker() : m_before(fs::current_path())
    {
        fs::current_path(m_scratch.path()); // sessions are named without a folder
        // A tree of its own: the program finds its packages beside itself.
        fs::create_directories(m_scratch / "bin");
        fs::create_directories(m_scratch / "python/croton");
        fs::copy_file(CROTON_PROGRAM, m_scratch / "bin/croton");
        std::ofstream(m_scratch / "python/croton/worker.py") << "";
        std::ofstream(m_scratch / "python3") << kWorker;
        fs::permissions(m_scratch / "python3", fs::perms::owner_all);
        m_environment = {"CROTON_PYTHON=" + (m_scratch / "python3"), "CROTON_FLAGS=", "PYTHONPATH="};
    }
    ~Worker() override { fs::current_path(m_before); }
    std::string script(const std::string &text)
    {
        std::ofstream(m_scratch / "s.py") << text << "\n";
        return m_scratch / "s.py";
    }
    app::Result croton(std::vector<std::string> words)
    {
        words.insert(words.begin(), m_scratch / "bin/croton");
        return app::run(words, m_scratch / ".", m_environment);
    }
    pid_t start(std::vector<std::string> words)
    {
        words.insert(words.begin(), m_scratch / "bin/croton");
        const pid_t child = app::start(words, m_scratch / ".", m_environment);
        while (!fs::exists(m_scratch / "ready")) std::this_thread::yield();
        return child;
    }
    Scratch m_scratch;
    fs::path m_before;
    std::vector<std::string> m_environment;
};

TEST_F(Worker, isCalledWithTheScriptsWords)
{
    const std::string file = script("exit 0");
    const app::Result result = croton({"run", file, "--help", "-o", "x y"});
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.out.find("called -m croton.worker run " + file + " --help -o x y\n"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("command croton run " + file + " --help -o 'x y' path " + (m_scratch / "python")), std::string::npos)
        << result.out;
}

TEST_F(Worker, takesSettingsBeforeAndBehindTheFile)
{
    const std::string file = script("exit 0");
    m_environment[1] = "CROTON_FLAGS=mode=FAST_COMPILE";
    const app::Result result = croton({"profile", "--device", "cuda0", file, "-o", "out.croton", "--flags", "a=1,b=2", "--launch-blocking",
                                       "--events-fd", "1", "word", "--device", "its own"});
    EXPECT_NE(result.out.find("profile --session out.croton --events-fd 1 " + file + " word --device its own\n"), std::string::npos)
        << result.out;
    EXPECT_NE(result.out.find("flags mode=FAST_COMPILE,device=cuda0,a=1,b=2 blocking 1"), std::string::npos) << result.out;
}

TEST_F(Worker, saysWhenAnOptionOfCrotonsGoesToTheScript)
{
    const std::string file = script("exit 0");
    const auto count = [](const std::string &text, const std::string &what) {
        return text.find(what) == std::string::npos ? 0 : text.find(what, text.find(what) + 1) == std::string::npos ? 1 : 2;
    };
    const std::string notice = "croton: -o behind the script's arguments is given to the script (croton profile -o S.croton FILE … is";
    app::Result result = croton({"profile", file, "word", "-o", "x.croton", "--repeat=2", "-o", "y"});
    EXPECT_NE(result.out.find("--session s.croton " + file + " word -o x.croton --repeat=2 -o y\n"), std::string::npos) << result.out;
    EXPECT_EQ(count(result.err, notice), 1) << result.err;
    EXPECT_EQ(count(result.err, "is given to the script"), 1) << result.err;
    result = croton({"profile", file, "word", "--launch-blocking"});
    EXPECT_EQ(count(result.err, "croton: --launch-blocking behind the script's arguments"), 1) << result.err;
    // Nothing to say: croton's own, said with --, not an option of croton.
    for (const std::vector<std::string> &words : {std::vector<std::string>{"profile", file, "-o", "x.croton"},
                                                  {"profile", "-o", "x.croton", file, "word", "--output", "y"},
                                                  {"profile", file, "-o", "x.croton", "--", "word", "-o", "y"},
                                                  {"profile", file, "word", "--", "-o", "y"},
                                                  {"run", file, "word", "-o", "y"}}) {
        result = croton(words);
        EXPECT_EQ(count(result.err, "is given to the script"), 0) << result.err;
        EXPECT_EQ(result.status, 0) << result.err;
    }
}

TEST_F(Worker, saysWhoseTheWordsAreInItsHelpAndManual)
{
    for (const char *name : {"profile", "graph", "passes"}) {
        EXPECT_NE(croton({name, "--help"}).out.find("right behind it. The first word there that is none of them"), std::string::npos)
            << name;
    }
    EXPECT_NE(croton({"run", "--help"}).out.find("All that stands behind FILE.py is the script's."), std::string::npos);
    const std::string manual = croton({"completions", "man"}).out;
    EXPECT_NE(manual.find("Options of croton stand before FILE.py or right behind it."), std::string::npos);
    EXPECT_NE(manual.find("All that stands behind FILE.py is the script's."), std::string::npos);
}

TEST_F(Worker, takesLimitsAndRepeats)
{
    const std::string file = script("exit 0");
    const app::Result result =
        croton({"profile", file, "--repeat", "3", "--warmup", "20", "--time-limit", "1.5", "--size-limit", "16", "-o", "o.croton"});
    EXPECT_NE(result.out.find("profile --session o.croton --repeat 3 --warmup 20 --time-limit 1.5 --size-limit 16 " + file + "\n"),
              std::string::npos)
        << result.out;
    for (const char *limit : {"soon", "0", "-1", "inf", "nan", "1e300", ""})
        EXPECT_EQ(croton({"profile", file, "--time-limit", limit}).status, 2) << limit;
    EXPECT_EQ(croton({"profile", file, "--events-fd", "77"}).status, 2);
    EXPECT_EQ(croton({"profile", file, "-o", ""}).status, 2);
    EXPECT_EQ(croton({"profile", file, "--repeat", "0"}).status, 2);
}

TEST_F(Worker, isAskedToCapture)
{
    const std::string file = script("exit 0");
    const auto asked = [&](const std::vector<std::string> &words) { return croton(words).out; };
    EXPECT_NE(asked({"profile", "--capture", file, "-o", "o.croton"}).find(" --capture 0 " + file), std::string::npos);
    EXPECT_NE(asked({"profile", "--capture", "3", file, "-o", "o.croton"}).find(" --capture 3 " + file), std::string::npos);
    EXPECT_NE(asked({"profile", file, "--capture=2", "--capture-limit", "64", "-o", "o.croton"}).find(" --capture 2 --capture-limit 64 "),
              std::string::npos);
    EXPECT_EQ(asked({"profile", file, "-o", "o.croton"}).find("--capture"), std::string::npos);
    EXPECT_EQ(croton({"profile", file, "--capture-limit", "64"}).status, 2);
    EXPECT_EQ(croton({"profile", file, "--capture=many"}).status, 2);
}

TEST_F(Worker, passesTheStatusOn)
{
    EXPECT_EQ(croton({"run", script("echo to stderr >&2; exit 7")}).status, 7);
    EXPECT_NE(app::readFile(m_scratch / "err").find("to stderr"), std::string::npos);
}

TEST_F(Worker, thatIsKilledGivesASentence)
{
    const app::Result killed = croton({"profile", script("echo > a.croton; kill -9 $$"), "-o", "a.croton"});
    EXPECT_EQ(killed.status, 128 + SIGKILL);
    EXPECT_EQ(killed.err, "croton: the worker was killed, often for want of memory; a.croton keeps "
                          "what was recorded until then\n");
    EXPECT_NE(croton({"run", script("kill -SEGV $$")}).err.find("crashed"), std::string::npos);
    EXPECT_EQ(croton({"profile", script("kill -TERM $$"), "-o", "b.croton"}).err,
              "croton: the worker was ended by signal 15, Terminated; nothing was recorded\n");
}

TEST_F(Worker, dyingLauncherTakesItAlong)
{
    const std::string file =
        script("echo $$ > " + (m_scratch / "pid") + "; touch " + (m_scratch / "ready") + "; while true; do sleep 0.05; done");
    const pid_t launcher = start({"run", file});
    const pid_t worker = std::stoi(app::readFile(m_scratch / "pid"));
    kill(launcher, SIGKILL);
    EXPECT_EQ(app::finish(launcher, m_scratch / ".").status, 1000 + SIGKILL);
    for (int i = 0; i < 500 && fs::exists("/proc/" + std::to_string(worker)); ++i) {
        if (app::readFile("/proc/" + std::to_string(worker) + "/stat").find(") Z ") != std::string::npos)
            break; // dead, and nobody has asked for its status yet
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const std::string stat = app::readFile("/proc/" + std::to_string(worker) + "/stat");
    EXPECT_TRUE(stat.empty() || stat.find(") Z ") != std::string::npos) << stat;
}

TEST_F(Worker, isAskedToStopAndKilledOnlyWhenItDoesNot)
{
    const pid_t kind = start({"profile",
                              script("echo > k.croton; trap 'echo closing; exit 143' TERM; touch " + (m_scratch / "ready") +
                                     "; while true; do sleep 0.05; done"),
                              "-o", "k.croton"});
    kill(kind, SIGTERM);
    const app::Result closed = app::finish(kind, m_scratch / ".");
    EXPECT_EQ(closed.status, 128 + SIGTERM);
    EXPECT_NE(closed.out.find("closing"), std::string::npos);
    EXPECT_EQ(closed.err, "croton: terminated by SIGTERM; k.croton keeps what was recorded until then\n");

    fs::remove(m_scratch / "ready");
    const pid_t stubborn = start({"run", script("trap '' INT; touch " + (m_scratch / "ready") + "; while true; do sleep 0.05; done")});
    kill(stubborn, SIGINT);
    const app::Result killed = app::finish(stubborn, m_scratch / ".");
    EXPECT_EQ(killed.err, "croton: stopped, and killed, for the script did not stop\n");
    EXPECT_EQ(killed.status, 128 + SIGINT);
}

TEST_F(Worker, getsTheSignalThatItsLauncherGot)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        fs::remove(m_scratch / "ready");
        const pid_t launcher = start({"run", script("for s in INT TERM HUP; do trap \"echo got $s; exit 7\" $s; done; touch " +
                                                    (m_scratch / "ready") + "; while true; do sleep 0.05; done")});
        kill(launcher, signal);
        const app::Result result = app::finish(launcher, m_scratch / ".");
        EXPECT_NE(result.out.find("got " + std::string(sigabbrev_np(signal))), std::string::npos) << result.out;
        EXPECT_EQ(result.status, 7); // the script has dealt with it
        EXPECT_EQ(result.err, "");
    }
    fs::remove(m_scratch / "ready");
    const pid_t launcher = start({"run", script("touch " + (m_scratch / "ready") + "; while true; do sleep 0.05; done")});
    kill(launcher, SIGTERM);
    const app::Result result = app::finish(launcher, m_scratch / ".");
    EXPECT_EQ(result.status, 128 + SIGTERM);
    EXPECT_EQ(result.err, "croton: terminated by SIGTERM\n");
}

TEST_F(Worker, goesOnWhereSignalsAreIgnored)
{
    m_environment.push_back("LAUNCHER=" + (m_scratch / "bin/croton")); // as nohup does it
    std::ofstream(m_scratch / "nohup") << "#!/bin/bash\ntrap '' HUP\nexec \"$LAUNCHER\" \"$@\"\n";
    fs::permissions(m_scratch / "nohup", fs::perms::owner_all);
    const std::string file =
        script("touch " + (m_scratch / "ready") + "; while [[ ! -e " + (m_scratch / "go") + " ]]; do sleep 0.05; done; exit 5");
    const pid_t launcher = app::start({m_scratch / "nohup", "run", file}, m_scratch / ".", m_environment);
    while (!fs::exists(m_scratch / "ready")) std::this_thread::yield();
    kill(launcher, SIGHUP);
    std::ofstream(m_scratch / "go") << "";
    const app::Result result = app::finish(launcher, m_scratch / ".");
    EXPECT_EQ(result.status, 5);
    EXPECT_EQ(result.err, "");
}

TEST_F(Worker, getsNoInterruptBeforeItCanEndARecording)
{
    std::ofstream(m_scratch / "python3") << "#!/bin/bash\ngrep SigBlk /proc/$BASHPID/status\n";
    const app::Result result = croton({"run", script("")});
    ASSERT_EQ(result.out.rfind("SigBlk:", 0), 0u) << result.out << result.err;
    EXPECT_EQ(result.out.substr(result.out.size() - 2), "2\n") << result.out; // the second signal is SIGINT
}

TEST_F(Worker, isKilledWhenItGoesOnAfterItsTimeLimit)
{
    const app::Result result = croton(
        {"profile", script("echo > t.croton; trap '' INT; while true; do sleep 0.1; done"), "--time-limit", "0.1", "-o", "t.croton"});
    EXPECT_EQ(result.status, 1);
    const std::string sentence =
        "croton: the script did not stop at its time limit of 0.1 s and was killed; t.croton keeps what was recorded until then\n";
    EXPECT_TRUE(result.err.starts_with(sentence + "\nSession: t.croton\n")) << result.err;
}

TEST_F(Worker, missingPartsAreNamed)
{
    fs::remove_all(m_scratch / "python");
    const app::Result none = croton({"run", script("exit 0")});
    EXPECT_EQ(none.status, 1);
    EXPECT_NE(none.err.find("the Python part is not there"), std::string::npos);
    fs::create_directories(m_scratch / "python/croton");
    std::ofstream(m_scratch / "python/croton/worker.py") << "";
    m_environment[0] = "CROTON_PYTHON=/nowhere/python3";
    EXPECT_NE(croton({"run", script("exit 0")}).err.find("/nowhere/python3 cannot be started"), std::string::npos);
}

} // namespace
