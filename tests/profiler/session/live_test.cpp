// Sessions that grow, sessions under size limits, and files that are no good sessions.

#include "profiler/session/store/database.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/schema.h"
#include "profiler/session/store/snapshot.h"
#include "profiler/session/store/writer.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/dump.h"
#include "tests/profiler/session/packed.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace profiler;

namespace {

std::string openError(const std::string &path)
{
    try {
        (void)SessionReader::open(path)->info();
    } catch (const SessionError &error) {
        EXPECT_NE(error.hint(), "");
        return error.what();
    }
    return "opened";
}

TEST(Live, aReaderFollowsAWriter)
{
    const Scratch scratch;
    const std::string path = scratch / "live.croton";
    auto writer = SessionWriter::create(path, {});
    writer->flush();
    const auto reader = SessionReader::open(path);
    EXPECT_EQ(reader->info().state, SessionState::Running);
    const std::uint64_t before = reader->dataVersion();
    writer->addOutput(1, "hello");
    writer->flush();
    EXPECT_NE(reader->dataVersion(), before);
    EXPECT_EQ(reader->outputs().size(), 1u);
    EXPECT_EQ(reader->outputs(1).size(), 0u);

    Step import;
    import.info.graph = GraphId{1};
    import.edits.push_back(AddVariable{VariableId{0}, VariableKind::Input, writer->intern("vector"), writer->intern("x"), {}, {}});
    writer->addSteps({packed(*writer, import)});
    writer->flush();
    GraphReplica replica = reader->replica(GraphId{1});
    EXPECT_EQ(replica.stepCount(), 0);
    Step second;
    second.info.graph = GraphId{1};
    second.info.index = 1;
    second.edits.push_back(Rename{VariableId{0}, writer->intern("x"), writer->intern("a name never seen before")});
    writer->addSteps({packed(*writer, second)});
    writer->flush();
    replica = reader->replica(GraphId{1});
    EXPECT_EQ(replica.stepCount(), 1);
    EXPECT_EQ(replica.label(VariableId{0}), "x");
    replica.goTo(1);
    EXPECT_EQ(replica.label(VariableId{0}), "a name never seen before");

    // The reader is still connected: the writer ends all the same, and the reader sees the end.
    writer->finish(0);
    (void)reader->dataVersion();
    EXPECT_EQ(reader->info().state, SessionState::Finished);
    EXPECT_EQ(SessionReader::open(path)->outputs().size(), 1u);
}

TEST(Live, aggregatesAreRefreshedBeforeCommits)
{
    const Scratch scratch;
    auto writer = SessionWriter::create(scratch / "a.croton", {});
    int asked = 0;
    writer->onRefresh([&asked](SessionWriter &out) {
        ApplyStats stats;
        stats.function = FunctionId{0};
        stats.graph = GraphId{1};
        stats.apply = ApplyId{0};
        stats.calls = ++asked;
        out.setApplyStats({stats});
    });
    writer->flush();
    writer->finish(0);
    const auto stats = SessionReader::open(scratch / "a.croton")->applyStats();
    ASSERT_EQ(stats.size(), 1u);
    EXPECT_EQ(stats[0].calls, asked);
}

TEST(Live, aCopyWithoutItsWalSaysSo)
{
    const Scratch scratch;
    const std::string path = scratch / "live.croton", copy = scratch / "copy.croton";
    auto writer = SessionWriter::create(path, {});
    FunctionInfo function;
    function.id = FunctionId{0};
    function.name = "f";
    writer->setFunction(function);
    writer->flush();
    copyFile(path, copy);
    const SessionInfo info = SessionReader::open(copy)->info();
    EXPECT_TRUE(info.lacksWal);
    EXPECT_EQ(info.state, SessionState::CutOff);
    EXPECT_EQ(sessionWarning(info), "This session was copied while it was being written, without the file beside it (its -wal) that "
                                    "held what is missing here; croton snapshot SESSION copy.croton copies a live session whole.");
    EXPECT_TRUE(SessionReader::open(copy)->functions().empty());
    // What is whole says nothing of the kind: the session itself, a copy of both files, a snapshot, and all of them later.
    copyFile(path, scratch / "both.croton");
    copyFile(path + "-wal", scratch / "both.croton-wal");
    snapshotSession(path, scratch / "snapshot.croton");
    EXPECT_EQ(SessionReader::open(path)->info().state, SessionState::Running);
    for (const char *name : {"live.croton", "both.croton", "snapshot.croton"}) {
        EXPECT_FALSE(SessionReader::open(scratch / name)->info().lacksWal) << name;
        EXPECT_EQ(SessionReader::open(scratch / name)->functions().size(), 1u) << name;
    }
    writer->finish(0);
    copyFile(path, copy);
    EXPECT_FALSE(SessionReader::open(copy)->info().lacksWal);
}

TEST(Live, aRunningSessionIsNotOverwritten)
{
    const Scratch scratch;
    auto writer = SessionWriter::create(scratch / "a.croton", {});
    EXPECT_THROW((void)SessionWriter::create(scratch / "a.croton", {}), SessionError);
    writer->finish(0);
    auto again = SessionWriter::create(scratch / "a.croton", {}); // a finished one may be
    again->finish(0);
}

TEST(Limits, whatDoesNotFitIsCounted)
{
    const Scratch scratch;
    WriterOptions options;
    options.maxEvents = 10;
    options.maxOutputBytes = 8;
    auto writer = SessionWriter::create(scratch / "a.croton", {}, options);
    writer->addEvents(std::vector<Event>(7));
    writer->addEvents(std::vector<Event>(7));
    writer->addOutput(1, "0123456789");
    writer->finish(0);
    const auto reader = SessionReader::open(scratch / "a.croton");
    EXPECT_EQ(reader->events().size(), 10u);
    std::string said;
    for (const OutputText &piece : reader->outputs()) said += piece.text;
    EXPECT_EQ(said, "0123\n[croton: 2 bytes of output are left out here]\n6789");
    const std::vector<Drop> drops = reader->drops();
    ASSERT_EQ(drops.size(), 2u);
    EXPECT_EQ(drops[0].what, "bytes of output");
    EXPECT_EQ(drops[0].count, 2);
    EXPECT_EQ(drops[1].count, 4);
    EXPECT_EQ(drops[1].reason, "the limit of 10 was reached");
}

TEST(Limits, whatAScriptPrintsKeepsItsBeginningAndItsEnd)
{
    const Scratch scratch;
    WriterOptions options;
    options.maxOutputBytes = 400;
    auto writer = SessionWriter::create(scratch / "a.croton", {}, options);
    const auto said = [&] {
        std::string text;
        for (const OutputText &piece : SessionReader::open(scratch / "a.croton")->outputs()) text += piece.text;
        return text;
    };
    std::string all;
    for (int i = 0; i < 300; ++i) {
        const std::string line = "é line " + std::to_string(i) + "\n";
        writer->addOutput(1, line);
        all += line;
        if (i % 7 == 3) writer->flush();
        if (i % 70 != 3) continue;
        const std::string now = said(); // while it is written
        EXPECT_LT(now.size(), 500u);
        EXPECT_TRUE(now.ends_with(line)) << now;
    }
    writer->finish(0);
    const std::string now = said();
    const std::size_t note = now.find("\n[croton: ");
    ASSERT_NE(note, std::string::npos) << now;
    EXPECT_TRUE(all.starts_with(now.substr(0, note)));
    const std::string end = now.substr(now.find("]\n") + 2);
    EXPECT_GT(end.size(), 150u);
    EXPECT_TRUE(all.ends_with(end)) << end;
    const std::vector<Drop> drops = SessionReader::open(scratch / "a.croton")->drops();
    ASSERT_EQ(drops.size(), 1u);
    EXPECT_EQ(static_cast<std::size_t>(drops[0].count), all.size() - note - end.size());
}

TEST(Limits, aFileThatReachesItsSizeSaysSo)
{
    const Scratch scratch;
    WriterOptions options;
    options.maxFileBytes = 400'000;
    auto writer = SessionWriter::create(scratch / "a.croton", {}, options);
    for (int i = 0; i < 20; ++i) {
        writer->addOutput(1, std::string(50'000, 'x'));
        writer->flush();
    }
    writer->addDeclines(std::vector<Decline>(3));
    Kernel kernel;
    kernel.function = FunctionId{0};
    kernel.source = std::string(50'000, 'x');
    writer->addKernels({kernel}); // in the last batch: it is counted all the same
    writer->finish(0);
    const auto reader = SessionReader::open(scratch / "a.croton");
    EXPECT_EQ(reader->messages().size(), 1u);
    EXPECT_LT(fileSize(scratch / "a.croton"), 700'000);
    std::map<std::string, std::int64_t> drops;
    for (const Drop &drop : reader->drops()) {
        drops[drop.what] = drop.count;
        EXPECT_EQ(drop.reason, "the session has reached its size limit");
    }
    EXPECT_EQ(drops.size(), 3u);
    EXPECT_GT(drops["bytes of output"], 500'000);
    EXPECT_EQ(drops["declines"], 3);
    EXPECT_EQ(drops["kernels"], 1);
}

TEST(Limits, onANetworkFileSystemItIsMovedAtTheEnd)
{
    const Scratch scratch;
    std::filesystem::create_directory(scratch / "tmp");
    const char *old = std::getenv("TMPDIR");
    const std::string restore = old ? old : "";
    setenv("TMPDIR", (scratch / "tmp").c_str(), 1);
    WriterOptions options;
    options.forceStaging = true;
    auto writer = SessionWriter::create(scratch / "a.croton", {}, options);
    old ? setenv("TMPDIR", restore.c_str(), 1) : unsetenv("TMPDIR");
    EXPECT_EQ(writer->path().rfind(scratch / "tmp", 0), 0u);
    EXPECT_FALSE(fileExists(scratch / "a.croton"));
    writer->finish(0);
    EXPECT_EQ(SessionReader::open(scratch / "a.croton")->info().state, SessionState::Finished);
    EXPECT_TRUE(std::filesystem::is_empty(scratch / "tmp"));
}

class TemporaryFolder : public testing::Test {
protected:
    TemporaryFolder()
    {
        if (const char *old = std::getenv("TMPDIR")) m_old = old;
    }
    ~TemporaryFolder() override { m_old ? setenv("TMPDIR", m_old->c_str(), 1) : unsetenv("TMPDIR"); }
    std::optional<std::string> m_old;
};

TEST_F(TemporaryFolder, isOneThatCanBeUsed)
{
    const Scratch scratch;
    std::filesystem::create_directory(scratch / "good");
    std::ofstream(scratch / "file") << "no folder";
    for (const std::string &name : {scratch / "missing", scratch / "file", std::string("/proc"), std::string()}) {
        setenv("TMPDIR", name.c_str(), 1);
        EXPECT_EQ(temporaryFolder(), "/tmp") << name;
    }
    unsetenv("TMPDIR");
    EXPECT_EQ(temporaryFolder(), "/tmp");
    setenv("TMPDIR", (scratch / "good").c_str(), 1);
    EXPECT_EQ(temporaryFolder(), scratch / "good");
    setenv("TMPDIR", ".", 1); // a script may go elsewhere: the name says where it was meant
    EXPECT_EQ(std::filesystem::path(temporaryFolder()), std::filesystem::current_path() / ".");
}

TEST_F(TemporaryFolder, whereThereIsNoneSaysWhyAndTheWayOut)
{
    const Scratch scratch;
    int news[2];
    ASSERT_EQ(pipe(news), 0);
    const pid_t child = fork();
    if (child == 0) { // with mounts of its own: /tmp has 64 kB, /var/tmp is read-only
        if (unshare(CLONE_NEWNS) != 0) _exit(77);
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        if (mount("none", "/tmp", "tmpfs", 0, "size=64k") != 0 || mount("none", "/var/tmp", "tmpfs", MS_RDONLY, "") != 0) _exit(77);
        setenv("TMPDIR", "/tmp/missing", 1);
        std::string answer;
        try {
            answer = temporaryFolder();
        } catch (const SessionError &error) {
            answer = error.what() + std::string("|") + error.hint();
        }
        _exit(write(news[1], answer.data(), answer.size()) < 0);
    }
    close(news[1]);
    std::string answer(1000, '\0');
    answer.resize(static_cast<std::size_t>(std::max<ssize_t>(read(news[0], answer.data(), answer.size()), 0)));
    close(news[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "this user may mount nothing";
    EXPECT_EQ(answer, "there is no folder for temporary files: /tmp/missing is no folder, /tmp is full, /var/tmp cannot be written"
                      "|set TMPDIR to one that has space");
}

TEST(Open, errorsNameTheFileAndAWayOut)
{
    const Scratch scratch;
    EXPECT_EQ(openError(scratch / "none.croton"), scratch / "none.croton" + " does not exist");
    std::ofstream(scratch / "text") << std::string(5000, 'a');
    EXPECT_EQ(openError(scratch / "text"), scratch / "text" + " is not a Croton session");
    {
        Database(scratch / "other", Database::Access::Create).execute("CREATE TABLE t(x)");
    }
    EXPECT_EQ(openError(scratch / "other"), scratch / "other" + " is a database, but not a Croton session");
    copyFile(CROTON_REAL_SESSION, scratch / "a.croton");
    {
        Database(scratch / "a.croton", Database::Access::Write).execute("PRAGMA user_version=4000");
    }
    EXPECT_EQ(openError(scratch / "a.croton"), scratch / "a.croton" + " was written with schema 4; this croton reads schema 3");
    EXPECT_THROW((void)SessionWriter::create("/nowhere/at/all/a.croton", {}), SessionError);
}

TEST(Open, whatANewerMinorAddsIsIgnoredAndWhatAnOlderLacksIsEmpty)
{
    const Scratch scratch;
    const std::string path = scratch / "a.croton";
    copyFile(CROTON_REAL_SESSION, path);
    {
        AsSqlite3 database(path);
        database.execute("CREATE TABLE news(x); INSERT INTO news VALUES (1);"
                         "ALTER TABLE functions ADD COLUMN mood TEXT;"
                         "ALTER TABLE lanes DROP COLUMN name; DROP TABLE drops;"
                         "PRAGMA user_version=3007");
    }
    const auto reader = SessionReader::open(path);
    EXPECT_EQ(reader->info().schemaMinor, 7);
    EXPECT_EQ(reader->functions().size(), 2u);
    EXPECT_EQ(reader->lanes().at(0).name, "");
    EXPECT_TRUE(reader->drops().empty());
}

TEST(Open, viewsAndVirtualTablesAreNotRead)
{
    const Scratch scratch;
    const std::string path = scratch / "a.croton";
    copyFile(CROTON_REAL_SESSION, path);
    {
        AsSqlite3 database(path);
        database.execute("DROP TABLE flags; CREATE VIEW flags AS SELECT 'a' name, 'b' value, 'c' origin;"
                         "DROP TABLE machine; CREATE VIRTUAL TABLE machine USING fts4(name, value);");
    }
    const auto reader = SessionReader::open(path);
    EXPECT_TRUE(reader->flags().empty());
    EXPECT_TRUE(reader->machine().empty());
}

// Reads everything there is; only SessionError may come out.
void readAll(const std::string &path)
{
    const auto reader = SessionReader::open(path);
    (void)reader->info();
    (void)reader->script();
    (void)reader->sources();
    (void)reader->messages();
    (void)reader->applyStats();
    (void)reader->events();
    for (const FunctionInfo &function : reader->functions()) {
        (void)reader->kernels(function.id);
        (void)reader->buffers(function.id);
    }
    for (const GraphInfo &graph : reader->graphs()) {
        (void)reader->graphRows(graph.id);
        GraphReplica replica = reader->replica(graph.id);
        replica.goTo(replica.stepCount());
        (void)canonicalDump(replica);
    }
}

TEST(Open, damagedFilesGiveErrorsOnly)
{
    const Scratch scratch;
    const std::string path = scratch / "a.croton";
    copyFile(CROTON_REAL_SESSION, path);
    std::ifstream in(path, std::ios::binary);
    const std::string good((std::istreambuf_iterator<char>(in)), {});
    std::mt19937 random(3);
    int errors = 0;
    const int rounds = std::getenv("CROTON_LONG_TESTS") ? 3000 : 150;
    for (int round = 0; round < rounds; ++round) {
        std::string bad = good;
        if (round % 3 == 0) bad.resize(random() % bad.size());
        else
            for (int hits = 0; hits < 40; ++hits) bad[random() % (round % 3 == 1 ? bad.size() : 8192)] = static_cast<char>(random());
        const std::string file = scratch / "bad.croton";
        std::ofstream(file, std::ios::binary) << bad;
        try {
            readAll(file);
        } catch (const SessionError &error) {
            EXPECT_NE(std::string(error.what()), "");
            ++errors;
        }
    }
    EXPECT_GT(errors, rounds / 3);
}

} // namespace
