// Files of other versions: of the same major they open and read as if what they lack were not known, others are explained.

#include "profiler/export/report.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/schema.h"
#include "profiler/session/store/writer.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

using namespace profiler;

namespace {

std::string written(const Scratch &scratch)
{
    const std::string path = scratch / "a.croton";
    copyFile(CROTON_REAL_SESSION, path);
    return path;
}

// What a run need not have, no reader misses.
TEST(Version, aSessionWithoutWhatOnlySomeRunsHaveIsRead)
{
    const Scratch scratch;
    const std::string path = written(scratch);
    {
        AsSqlite3 database(path);
        for (const char *view : {"graph_applies", "graph_variables", "apply_costs", "variable_sizes", "apply_inputs"})
            database.execute(std::string("DROP VIEW ") + view);
        for (const char *table :
             {"apply_groups", "cost_pages", "size_pages", "rewrite_counts", "device_kernels", "last_declines", "body_origins"})
            database.execute(std::string("DROP TABLE ") + table);
        for (const char *column : {"functions DROP COLUMN message", "declines DROP COLUMN because", "applies DROP COLUMN inputs"})
            database.execute(std::string("ALTER TABLE ") + column);
    }
    const auto reader = SessionReader::open(path);
    const ProfileData data = loadProfile(*reader);
    EXPECT_EQ(data.functions.size(), 2u);
    EXPECT_EQ(data.functions[0].message, "");
    EXPECT_TRUE(data.inputs.empty());
    EXPECT_EQ(data.applies[0].costBytes, -1);
    EXPECT_NE(profileReport(data).find("Message: train"), std::string::npos);
    EXPECT_NE(profileModeReport(data).find("Op-wise summary"), std::string::npos);
}

TEST(Version, laterMinorVersionsAreRead)
{
    const Scratch scratch;
    const std::string path = written(scratch);
    {
        AsSqlite3 database(path);
        database.execute("CREATE TABLE later (id INTEGER); ALTER TABLE functions ADD COLUMN later TEXT");
        database.execute("PRAGMA user_version=3999");
    }
    EXPECT_EQ(SessionReader::open(path)->functions().size(), 2u);
}

TEST(Version, anotherMajorVersionIsExplained)
{
    const Scratch scratch;
    const std::string path = written(scratch);
    for (const auto &[version, hint] : {std::pair("4000", "open it with a newer croton"), std::pair("2000", "profile the script again")}) {
        {
            AsSqlite3 database(path);
            database.execute(std::string("PRAGMA user_version=") + version);
        }
        try {
            (void)SessionReader::open(path);
            FAIL();
        } catch (const SessionError &error) {
            EXPECT_NE(std::string(error.what()).find("reads schema 3"), std::string::npos);
            EXPECT_EQ(error.hint(), hint);
        }
    }
}

// What a device's recorder hands over, as recorded on one: kernels, copies, streams, and the clock they share.
TEST(Device, kernelsCopiesAndStreamsComeBack)
{
    const Scratch scratch;
    const std::string path = scratch / "a.croton";
    {
        auto writer = SessionWriter::create(path, {});
        writer->addLanes(
            {{0, LaneKind::Host, "cpu", "calls"}, {1, LaneKind::Stream, "cuda0", "stream 7"}, {2, LaneKind::Copy, "cuda0", "copies"}});
        writer->setClocks({{"cuda0", "CUPTI, fitted to the host clock", 32, -1500.5, 900}});
        DeviceKernel kernel;
        kernel.device = "cuda0";
        kernel.symbol = "croton_elementwise_3";
        kernel.function = FunctionId{1};
        kernel.graph = GraphId{1};
        kernel.apply = ApplyId{4};
        kernel.launches = 1000;
        kernel.totalNs = 2'500'000;
        kernel.minNs = 2'400;
        kernel.maxNs = 9'000;
        kernel.grid = "(450, 1, 1)";
        kernel.block = "(512, 1, 1)";
        kernel.registers = 24;
        kernel.sharedBytes = 0;
        kernel.occupancy = 0.92;
        kernel.bytes = 1'843'200'000;
        writer->setDeviceKernels({kernel});
        writer->setTransfers({{FunctionId{1}, GraphId{1}, ApplyId{3}, "HtoD", "cuda0", 1000, 3'600'000, 812'000}});
        Event launch;
        launch.kind = EventKind::Apply;
        launch.startNs = 5'000;
        launch.durationNs = 4'100;
        launch.function = FunctionId{1};
        launch.graph = GraphId{1};
        launch.apply = ApplyId{4};
        launch.correlation = 77;
        Event run = launch;
        run.lane = 1;
        run.kind = EventKind::Kernel;
        run.startNs = 8'000;
        run.durationNs = 2'500;
        run.name = "croton_elementwise_3";
        Event copy;
        copy.lane = 2;
        copy.kind = EventKind::Copy;
        copy.startNs = 6'000;
        copy.durationNs = 812;
        copy.bytes = 3600;
        writer->addEvents({launch, copy, run});
        ApplyStats stats;
        stats.function = FunctionId{1};
        stats.graph = GraphId{1};
        stats.apply = ApplyId{4};
        stats.calls = 1000;
        stats.totalNs = 4'100'000;
        stats.deviceNs = 2'500'000;
        stats.blockingNs = 7'000'000;
        writer->setApplyStats({stats});
        writer->addMemoryEvents({{100, "cuda0", 4096, 4096, FunctionId{1}, GraphId{1}, ApplyId{4}}});
        writer->finish(0);
    }
    const auto reader = SessionReader::open(path);
    ASSERT_EQ(reader->deviceKernels().size(), 1u);
    const DeviceKernel kernel = reader->deviceKernels()[0];
    EXPECT_EQ(kernel.grid, "(450, 1, 1)");
    EXPECT_EQ(kernel.registers, 24);
    EXPECT_EQ(kernel.bytes, 1'843'200'000);
    EXPECT_DOUBLE_EQ(kernel.occupancy, 0.92);
    EXPECT_EQ(reader->clocks().at(0).offsetNs, -1500.5);
    const std::vector<Event> events = reader->events();
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[1].kind, EventKind::Copy);
    EXPECT_EQ(events[1].bytes, 3600);
    EXPECT_EQ(events[2].correlation, events[0].correlation);
    EXPECT_EQ(reader->lanes().at(1).kind, LaneKind::Stream);
    EXPECT_EQ(reader->transfers().at(0).direction, "HtoD");
    EXPECT_EQ(reader->applyStats().at(0).deviceNs, 2'500'000);
    EXPECT_EQ(reader->memoryEvents().at(0).device, "cuda0");
}

} // namespace
