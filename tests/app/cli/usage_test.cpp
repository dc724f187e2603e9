// How the command is used: help, completions, and what it says to wrong words and wrong files.
#include "tests/app/cli/cli.h"

#include <sys/stat.h>

#include <fstream>
#include <map>
#include <sstream>

namespace {

TEST_F(Cli, everyCommandHelps)
{
    const app::Result all = croton({"--help"});
    EXPECT_EQ(all.status, 0);
    for (const char *name :
         {"run",   "profile", "graph",  "passes", "expr",   "report", "compare", "history", "whatif", "export", "snapshot",   "sessions",
          "cache", "devices", "lesson", "memory", "values", "ranks",  "replay",  "ablate",  "along",  "bisect", "completions"}) {
        EXPECT_NE(all.out.find(std::string("  ") + name + " "), std::string::npos);
        const app::Result one = croton({name, "--help"});
        EXPECT_EQ(one.status, 0);
        EXPECT_EQ(one.out.rfind(std::string("croton ") + name, 0), 0u);
        EXPECT_EQ(one.err, "");
    }
}

TEST_F(Cli, whatRunsCapturedCallsSaysHowToCaptureThem)
{
    for (const std::vector<std::string> &words : std::vector<std::vector<std::string>>{
             {"replay", session()}, {"ablate", session()}, {"along", session()}, {"bisect", session(), "--until", "nan"}}) {
        const app::Result result = croton(words);
        expectComplaint(result, 1);
        EXPECT_NE(result.err.find("croton profile --capture"), std::string::npos) << result.err;
    }
    expectComplaint(croton({"bisect", session()}), 2);
    expectComplaint(croton({"ablate", session(), "--by", "line"}), 2);
    expectComplaint(croton({"snapshot", session(), m_scratch / "one.croton", "--only", "nobody"}), 1);
}

TEST_F(Cli, wrongWordsEndWithTwo)
{
    EXPECT_EQ(croton({}).status, 2);
    expectComplaint(croton({"repotr"}), 2);
    for (const char *number : {"99999999999999999", "99999999999999999999999", "-1", "1e3"}) {
        expectComplaint(croton({"expr", "1 + 1", "--run", number}), 2);
        expectComplaint(croton({"report", session(), "--rows", number}), 2);
    }
    const app::Result large = croton({"expr", "zeros(1000000, 1000000)"});
    EXPECT_EQ(large.status, 1);
    EXPECT_NE(large.err.find("not enough memory for an array of"), std::string::npos) << large.err;
    EXPECT_NE(large.err.find("8000000000000"), std::string::npos) << large.err;
    expectComplaint(croton({"report"}), 2);
    expectComplaint(croton({"report", "a", "b"}), 2);
    expectComplaint(croton({"report", "--no-such-option", session()}), 2);
    expectComplaint(croton({"report", session(), "--style"}), 2);
    expectComplaint(croton({"report", session(), "--style=fancy"}), 2);
    expectComplaint(croton({"report", session(), "--rows", "many"}), 2);
    expectComplaint(croton({"graph", session(), "--stage", "late"}), 2);
}

TEST_F(Cli, badFilesEndWithOne)
{
    std::ofstream(m_scratch / "text.croton") << "no database at all, but long enough to be read";
    for (const std::string &file : {m_scratch / "absent.croton", m_scratch / "text.croton"})
        for (const char *command : {"report", "graph", "passes"}) expectComplaint(croton({command, file}), 1);
    expectComplaint(croton({"graph", session(), "--stage", "5000"}), 1);
    expectComplaint(croton({"graph", session(), "--function", "absent"}), 1);
    expectComplaint(croton({"report", session(), "--function", "absent"}), 1);
}

TEST_F(Cli, onlyScriptsTakeArguments)
{
    for (const char *command : {"graph", "passes"}) {
        const app::Result result = croton({command, session(), "5"});
        expectComplaint(result, 2);
        EXPECT_NE(result.err.find("leave out '5'"), std::string::npos) << result.err;
    }
}

// A slip of the hand costs no session, and no other file either.
TEST_F(Cli, nothingIsWrittenOverASession)
{
    const std::string path = session();
    const std::string before = app::readFile(path);
    const std::string other = m_scratch / "other.croton";
    std::filesystem::copy_file(path, other);
    for (const std::string &target : {path, other}) {
        for (const char *format : {"--csv", "--json", "--html", "--chrome-trace"})
            expectComplaint(croton({"export", path, format, "-o", target}), 1);
        expectComplaint(croton({"graph", path, "--function", "train", "-o", target}), 1);
        expectComplaint(croton({"graph", path, "--function", "train", "--journal", target}), 1);
    }
    EXPECT_EQ(app::readFile(path), before);
    EXPECT_EQ(app::readFile(other), before);
    std::ofstream(m_scratch / "notes.croton") << "keep me";
    expectComplaint(croton({"snapshot", path, m_scratch / "notes.croton"}), 1);
    expectComplaint(croton({"expr", "log(1 + x)", "-o", m_scratch / "notes.croton"}), 1);
    EXPECT_EQ(app::readFile(m_scratch / "notes.croton"), "keep me");
    std::filesystem::create_directory(m_scratch / "folder.croton");
    expectComplaint(croton({"snapshot", path, m_scratch / "folder.croton"}), 1);
    expectComplaint(croton({"export", path, "--csv", "-o", m_scratch / "folder.croton"}), 1);
    EXPECT_TRUE(std::filesystem::is_directory(m_scratch / "folder.croton"));
    expectComplaint(croton({"export", path, "--json", "--table", "ops"}), 2);

    // A budget deletes sessions only.
    const app::Result left = croton({"sessions", m_scratch / ".", "--budget", "0"});
    EXPECT_EQ(left.status, 0) << left.err;
    EXPECT_NE(left.err.find("are left"), std::string::npos) << left.err;
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(app::readFile(m_scratch / "notes.croton"), "keep me");
}

TEST_F(Cli, whatIsNoOrdinaryFileIsNotWaitedFor)
{
    const std::string pipe = m_scratch / "pipe.croton";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const char *beside : {"-wal", "-journal"}) { // SQLite would wait for who writes to it
        const std::string file = session() + beside;
        ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
        const app::Result report = croton({"report", session()});
        expectComplaint(report, 1);
        EXPECT_NE(report.err.find("no ordinary file"), std::string::npos) << report.err;
        std::filesystem::remove(file);
    }
    expectComplaint(croton({"report", pipe}), 1);
    EXPECT_NE(croton({"sessions", m_scratch / "."}).out.find("no ordinary file"), std::string::npos);
    expectComplaint(croton({"report", "/dev/zero"}), 1);
    std::ofstream(m_scratch / "empty.croton").close();
    EXPECT_NE(croton({"report", m_scratch / "empty.croton"}).err.find("is empty: nothing was recorded"), std::string::npos);
}

TEST_F(Cli, helpIsGivenWhereverItIsAskedFor)
{
    const std::string help = croton({"report", "--help"}).out;
    EXPECT_EQ(croton({"report", "s.croton", "--help"}).out, help);
    EXPECT_EQ(croton({"report", "--rows", "3", "-h"}).out, help);
    EXPECT_EQ(croton({"help", "report"}).out, help);
    EXPECT_EQ(croton({"profile", "-o", "x", "--help"}).status, 0);
    expectComplaint(croton({"help", "repotr"}), 2);
}

// Completions and the manual are made of the table that --help prints: all commands and options are in them.
TEST_F(Cli, completionsAndManualKnowEverything)
{
    std::map<std::string, std::string> texts;
    for (const char *kind : {"bash", "zsh", "fish", "man"}) texts[kind] = croton({"completions", kind}).out;
    std::istringstream help(croton({"--help"}).out);
    int commands = 0;
    for (std::string line; std::getline(help, line);) {
        if (line.rfind("  ", 0) != 0) continue;
        ++commands;
        const std::string name = line.substr(2, line.find(' ', 2) - 2);
        for (const auto &[kind, text] : texts) EXPECT_NE(text.find(name), std::string::npos) << kind << " lacks " << name;
        std::istringstream options(croton({name, "--help"}).out);
        for (std::string option; std::getline(options, option);)
            if (option.rfind("  --", 0) == 0) {
                const std::string word = option.substr(2, option.find(' ', 2) - 2);
                EXPECT_NE(texts["bash"].find(word), std::string::npos) << word;
                std::string troff = word;
                for (std::size_t at = 0; (at = troff.find('-', at)) != std::string::npos; at += 2) troff.insert(at, "\\");
                EXPECT_NE(texts["man"].find("\\fB" + troff + "\\fR"), std::string::npos) << troff;
                if (word != "--help") {
                    EXPECT_NE(texts["fish"].find("-l " + word.substr(2)), std::string::npos) << word;
                }
            }
    }
    EXPECT_EQ(commands, 23);
    EXPECT_EQ(texts["man"].rfind(".TH CROTON 1", 0), 0u);
    expectComplaint(croton({"completions", "tcsh"}), 2);
    std::ofstream(m_scratch / "c.bash") << texts["bash"];
    EXPECT_EQ(app::run({"/bin/bash", "-n", m_scratch / "c.bash"}, m_scratch / ".").status, 0);
    std::ofstream(m_scratch / "try.bash")
        << texts["bash"] << "\ncd " << m_scratch.path().string()
        << "; touch a.croton b.txt c.json; COMP_WORDS=(croton report ''); COMP_CWORD=2; _croton; echo \"${COMPREPLY[*]}\"\n"
           "COMP_WORDS=(croton graph ''); COMP_CWORD=2; _croton; echo \"graph ${COMPREPLY[*]}\"\n"
           "COMP_WORDS=(croton co); COMP_CWORD=1; _croton; echo \"${COMPREPLY[*]}\"\n";
    const app::Result tried = app::run({"/bin/bash", m_scratch / "try.bash"}, m_scratch / ".");
    EXPECT_NE(tried.out.find("a.croton"), std::string::npos) << tried.err;
    EXPECT_EQ(tried.out.find("b.txt"), std::string::npos);
    EXPECT_NE(tried.out.find("c.json", tried.out.find("graph ")), std::string::npos) << tried.out;
    EXPECT_NE(tried.out.find("compare completions"), std::string::npos) << tried.out;
}

} // namespace
