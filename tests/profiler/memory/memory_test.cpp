#include "profiler/memory/alternatives.h"
#include "profiler/memory/memory.h"
#include "profiler/memory/product_copies.h"

#include <gtest/gtest.h>

using namespace profiler;

namespace {

BufferRow row(std::uint32_t variable, BufferKind kind, std::int64_t bytes, int from, int to, VariableId of = kNoVariable,
              bool isInput = false)
{
    BufferRow one;
    one.graph = GraphId{1};
    one.variable = VariableId{variable};
    one.apply = isInput ? kNoApply : ApplyId{variable};
    one.kind = kind;
    one.bytes = bytes;
    one.from = from;
    one.to = to;
    one.of = of;
    return one;
}

// An arena for what is needed in between; beside it an output, a new value of a shared variable and what works in place there.
TEST(Memory, outsideOfTheArenaAreOutputsAndWhatGoesFromStageToStage)
{
    std::vector<BufferRow> buffers{
        row(0, BufferKind::Shared, 100, 0, 5, kNoVariable, true),
        row(1, BufferKind::Created, 1000, 1, 2), // in the arena
        row(2, BufferKind::Inplace, 1000, 2, 3, VariableId{1}),
        row(3, BufferKind::Created, 70, 2, 5), // returned
        row(4, BufferKind::Inplace, 70, 3, 5, VariableId{3}),
        row(5, BufferKind::Inplace, 100, 4, 5, VariableId{0}), // the shared variable's own memory
        row(6, BufferKind::Created, 30, 4, 5),
    };
    buffers[1].offset = 0;
    OutsideMemory outside = outsideMemory(buffers);
    EXPECT_EQ(outside.peakBytes, 100);
    EXPECT_FALSE(outside.hasIntermediates);
    buffers.push_back(row(7, BufferKind::Created, 500, 0, 3)); // from one stage to the next
    outside = outsideMemory(buffers);
    EXPECT_EQ(outside.peakBytes, 570);
    EXPECT_TRUE(outside.hasIntermediates);
    EXPECT_EQ(outsideMemory({}).peakBytes, 0);
}

// The published memory profile of logistic regression in KB: 2481 = 16 + 2450 + 15.
TEST(Memory, agreesWithThePublishedProfile)
{
    const std::vector<BufferRow> buffers{
        row(0, BufferKind::Shared, 2508800, 0, 9, kNoVariable, true), // x
        row(1, BufferKind::Shared, 6272, 0, 9, kNoVariable, true),    // w
        row(2, BufferKind::View, 2508800, 0, 8, VariableId{0}),       // x.T
        row(3, BufferKind::Created, 3200, 1, 9),
        row(4, BufferKind::Inplace, 3200, 2, 9, VariableId{3}),
        row(5, BufferKind::Created, 3200, 3, 9),
        row(6, BufferKind::Created, 3200, 4, 9),
        row(7, BufferKind::Inplace, 3200, 5, 9, VariableId{6}),
        row(8, BufferKind::Created, 3200, 6, 9),
        row(9, BufferKind::Created, 3200, 7, 9),
        row(10, BufferKind::Inplace, 3200, 7, 9, VariableId{9}),
        row(11, BufferKind::Created, 416, 7, 9),
        row(12, BufferKind::Inplace, 6272, 8, 9, VariableId{1}), // the new w
    };
    const MemoryReport report = memoryReport(buffers);
    EXPECT_EQ(report.allBytes / 1024, 2481);
    EXPECT_EQ(report.noGcBytes / 1024, 16);
    EXPECT_EQ(report.peak.bytes / 1024, 16);
    EXPECT_EQ(report.viewBytes / 1024, 2450);
    EXPECT_EQ(report.inplaceBytes / 1024, 15);
    EXPECT_EQ(report.savedByGc, 0);
    EXPECT_EQ(report.rows.at(0).letter, 'v');
    EXPECT_EQ(report.rows.at(1).letter, 'i');
    EXPECT_EQ(report.rows.at(2).letter, 'c');
}

TEST(Memory, freesAfterTheLastReaderAndKeepsWhatAViewShows)
{
    const std::vector<BufferRow> buffers{
        row(0, BufferKind::Created, 100, 0, 1), row(1, BufferKind::Created, 30, 1, 2),
        row(2, BufferKind::Created, 50, 2, 4),  row(3, BufferKind::View, 50, 3, 5, VariableId{2}),
        row(4, BufferKind::Created, 10, 5, 5),
    };
    const MemoryReport report = memoryReport(buffers);
    EXPECT_EQ(report.liveBytes, (std::vector<std::int64_t>{100, 130, 80, 50, 50, 60}));
    EXPECT_EQ(report.peak.bytes, 130);
    EXPECT_EQ(report.peak.position, 1);
    EXPECT_EQ(report.peak.holders, (std::vector<VariableId>{VariableId{0}, VariableId{1}}));
    EXPECT_EQ(report.savedByGc, 190 - 130);
}

TEST(Memory, withoutInplaceEachOverwriteNeedsMemoryOfItsOwn)
{
    const std::vector<BufferRow> buffers{
        row(0, BufferKind::Created, 100, 0, 1),
        row(1, BufferKind::Inplace, 100, 1, 2, VariableId{0}),
        row(2, BufferKind::Inplace, 100, 2, 3, VariableId{1}),
    };
    const MemoryReport report = memoryReport(buffers);
    EXPECT_EQ(report.peak.bytes, 100);
    EXPECT_EQ(report.peakNoInplace.bytes, 200);
}

TEST(Memory, circlesAndNonsenseEnd)
{
    const std::vector<BufferRow> buffers{
        row(0, BufferKind::View, 8, 5, 1, VariableId{1}),
        row(1, BufferKind::View, 8, 0, 2000000000, VariableId{0}),
        row(2, BufferKind::Created, 8, -2000000000, 2147483647),
    };
    (void)memoryReport(buffers);
    EXPECT_EQ(memoryReport({}).peak.bytes, 0);
}

TEST(Memory, theHostIsCountedApartFromDevices)
{
    std::vector<BufferRow> buffers{row(1, BufferKind::Created, 100, 0, 1), row(2, BufferKind::Created, 700, 1, 2)};
    buffers[1].device = "cuda0";
    const auto peaks = peaksByDevice(buffers);
    EXPECT_EQ(peaks.at("cpu"), 100);
    EXPECT_EQ(peaks.at("cuda0"), 700);
    EXPECT_EQ(memoryReport(buffers).peak.bytes, 800);
}

ApplyInput reads(std::uint32_t apply, int port, std::uint32_t variable) { return {GraphId{1}, ApplyId{apply}, port, VariableId{variable}}; }

// x → a (in place b) → c, d reads a view of c and b: by hand.
TEST(MemoryAlternatives, areWorkedOutByHand)
{
    std::vector<BufferRow> buffers{row(0, BufferKind::Input, 640, 0, 4, kNoVariable, true), row(1, BufferKind::Created, 640, 0, 3),
                                   row(2, BufferKind::Inplace, 640, 1, 3, VariableId{1}),   row(3, BufferKind::Created, 1280, 2, 3),
                                   row(4, BufferKind::View, 1280, 3, 4, VariableId{3}),     row(5, BufferKind::Created, 64, 4, 4)};
    const std::vector<ApplyInput> inputs{reads(1, 0, 0), reads(2, 0, 1), reads(3, 0, 0), reads(4, 0, 3), reads(5, 0, 4), reads(5, 1, 2)};
    PlanFacts facts;
    facts.buffers = buffers;
    facts.inputs = inputs;
    facts.outputs = {VariableId{5}};
    const auto all = memoryAlternatives(
        facts, {{VariableId{1}, "TensorType(float64, matrix)"}, {VariableId{2}, "TensorType(float64, matrix)"}}, {128, -1});
    const auto of = [&](MemoryChoice choice) {
        for (const MemoryAlternative &one : all)
            if (one.choice == choice) return one.bytes;
        return std::int64_t{-1};
    };
    EXPECT_EQ(of(MemoryChoice::AsItIs), 640 + 1280 + 64 + 128);
    EXPECT_EQ(of(MemoryChoice::NoInplace), 640 + 1280 + 64 + 128); // the first is gone when the third comes
    EXPECT_EQ(of(MemoryChoice::NoViews), 640 + 2 * 1280 + 64 + 128);
    EXPECT_EQ(of(MemoryChoice::Float32), 320 + 1280 + 64 + 128);
    EXPECT_EQ(of(MemoryChoice::LeastOrder), 640 + 1280 + 64 + 128);
    EXPECT_EQ(planForBudget(facts, 10, {128, -1}).bytes, of(MemoryChoice::Least));
}

// What is read first and last is made again behind what is large; what its apply holds for itself is then held twice.
TEST(MemoryAlternatives, whatIsDoneAgainHoldsItsWorkOnceMore)
{
    const std::vector<BufferRow> buffers{row(0, BufferKind::Input, 640, 0, 5, kNoVariable, true),
                                         row(1, BufferKind::Created, 1280, 0, 4),
                                         row(2, BufferKind::Created, 64, 1, 2),
                                         row(3, BufferKind::Created, 6400, 2, 3),
                                         row(4, BufferKind::Created, 64, 3, 4),
                                         row(5, BufferKind::Created, 64, 4, 4)};
    const std::vector<ApplyInput> inputs{reads(1, 0, 0), reads(2, 0, 1), reads(3, 0, 2), reads(4, 0, 3), reads(5, 0, 1), reads(5, 1, 4)};
    PlanFacts facts;
    facts.buffers = buffers;
    facts.inputs = inputs;
    facts.outputs = {VariableId{5}};
    facts.repeats = {{{GraphId{1}, ApplyId{1}}, 5}};
    const auto least = [&](std::map<ApplyKey, std::int64_t> held) {
        const std::vector<MemoryAlternative> all = memoryAlternatives(facts, {}, {0, -1, 0, std::move(held)});
        EXPECT_EQ(all.back().choice, MemoryChoice::Least);
        return all.back();
    };
    const MemoryAlternative plain = least({});
    ASSERT_EQ(plain.repeats.size(), 1u);
    const ApplyKey again = plain.repeats.front().apply;
    EXPECT_EQ(least({{again, 100}}).bytes, plain.bytes + 100);
    EXPECT_EQ(least({{ApplyKey{again.graph, ApplyId{99}}, 100}}).bytes, plain.bytes);
}

// Of two products that read what was written over an array that lies backwards, one through a turn; a third reads the array itself.
TEST(MemoryAlternatives, copiesOfWhatWasWrittenInPlaceAreNotNeededWithoutIt)
{
    const auto lying = [](BufferRow one, const char *strides) {
        one.shape = "(10, 10)";
        one.strides = strides;
        return one;
    };
    const std::vector<BufferRow> buffers{lying(row(0, BufferKind::Created, 800, 0, 6), "(80, 8)"),
                                         lying(row(1, BufferKind::View, 800, 1, 2, VariableId{0}), "(-80, 8)"),
                                         lying(row(2, BufferKind::Inplace, 800, 2, 5, VariableId{0}), "(-80, 8)"),
                                         lying(row(3, BufferKind::View, 800, 3, 5, VariableId{0}), "(8, -80)")};
    const std::vector<ApplyInput> inputs{reads(1, 0, 0), reads(2, 0, 1), reads(3, 0, 2), reads(4, 0, 2),
                                         reads(4, 1, 0), reads(5, 0, 3), reads(6, 0, 1)};
    const auto apply = [](std::uint32_t number) { return ApplyKey{GraphId{1}, ApplyId{number}}; };
    std::vector<ApplyRow> rows(6);
    std::map<ApplyKey, const ApplyRow *> applies;
    for (const auto &[number, role] : {std::pair{1, OpRole::Index},
                                       {2, OpRole::Elementwise},
                                       {3, OpRole::View},
                                       {4, OpRole::Product},
                                       {5, OpRole::Product},
                                       {6, OpRole::Product}}) {
        ApplyRow &one = rows[static_cast<std::size_t>(number) - 1];
        one.role = role;
        if (role == OpRole::View) one.opClass = "theano.tensor.elemwise.DimShuffle";
        applies[apply(static_cast<std::uint32_t>(number))] = &one;
    }
    const ProductCopies copies = productCopies(buffers, inputs, applies);
    EXPECT_EQ(copies.forInplace, 2 * 800);
    EXPECT_EQ(copies.bytes, (std::map<ApplyKey, std::int64_t>{{apply(4), 800}, {apply(5), 800}, {apply(6), 800}}));
    PlanFacts facts;
    facts.buffers = buffers;
    facts.inputs = inputs;
    facts.outputs = {VariableId{3}};
    const auto all = memoryAlternatives(facts, {}, {3 * 800, -1, 2 * 800}), without = memoryAlternatives(facts, {}, {3 * 800, -1, 0});
    ASSERT_EQ(all[1].choice, MemoryChoice::NoInplace);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(without[i].bytes - all[i].bytes, i == 1 ? 2 * 800 : 0) << all[i].name;
}

// Work in place waited for a reader of what it overwrote; without it the engine asks for the first input of the last apply first.
TEST(MemoryAlternatives, withoutInplaceNothingWaitsForReaders)
{
    const std::vector<BufferRow> buffers{row(0, BufferKind::Input, 640, 0, 4, kNoVariable, true),
                                         row(1, BufferKind::Created, 640, 0, 3),
                                         row(2, BufferKind::Created, 6400, 1, 2),
                                         row(3, BufferKind::Created, 64, 2, 4),
                                         row(4, BufferKind::Inplace, 640, 3, 4, VariableId{1}),
                                         row(5, BufferKind::Created, 64, 4, 4)};
    const std::vector<ApplyInput> inputs{reads(1, 0, 0), reads(2, 0, 1), reads(3, 0, 2), reads(4, 0, 1), reads(5, 0, 4), reads(5, 1, 3)};
    PlanFacts facts;
    facts.buffers = buffers;
    facts.inputs = inputs;
    facts.outputs = {VariableId{5}};
    const auto withoutInplace = [&] { return memoryAlternatives(facts, {}, {0, -1})[1]; };
    ASSERT_EQ(withoutInplace().choice, MemoryChoice::NoInplace);
    EXPECT_EQ(withoutInplace().bytes, 640 + 6400 + 64 + 64) << "in the order in which it ran";
    facts.returned = {VariableId{5}};
    EXPECT_EQ(withoutInplace().bytes, 640 + 640 + 6400 + 64) << "what worked in place comes first, and its result stays";
    facts.groups = {{{GraphId{1}, ApplyId{4}}, {GraphId{1}, ApplyId{5}}}};
    EXPECT_EQ(withoutInplace().bytes, 640 + 6400 + 64 + 64) << "what lies between the two comes before them";
}

// x is returned turned around, and with it what was made of it: the caller gets a copy of the first. Without views that is an array.
TEST(MemoryAlternatives, whatIsReturnedOfAnInputIsCopied)
{
    std::vector<BufferRow> buffers{row(0, BufferKind::Input, 640, 0, 1, kNoVariable, true),
                                   row(1, BufferKind::View, 640, 0, 1, VariableId{0}), row(2, BufferKind::Created, 640, 1, 1)};
    const std::vector<ApplyInput> inputs{{GraphId{1}, ApplyId{1}, 0, VariableId{0}}, {GraphId{1}, ApplyId{2}, 0, VariableId{0}}};
    PlanFacts facts;
    facts.buffers = buffers;
    facts.inputs = inputs;
    facts.outputs = {VariableId{1}, VariableId{2}};
    for (const MemoryAlternative &one : memoryAlternatives(facts, {}, {0, -1})) EXPECT_EQ(one.bytes, 2 * 640) << one.name;
    EXPECT_EQ(planForBudget(facts, 2 * 640, {0, -1}).bytes, 2 * 640);
    buffers[0].kind = BufferKind::Shared; // of what the function holds a look is enough
    for (const MemoryAlternative &one : memoryAlternatives(facts, {}, {0, -1}))
        EXPECT_EQ(one.bytes, one.choice == MemoryChoice::NoViews ? 2 * 640 : 640) << one.name;
}

} // namespace
