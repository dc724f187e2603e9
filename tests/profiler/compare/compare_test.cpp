#include "profiler/compare/compare.h"
#include "profiler/compare/explanation.h"
#include "profiler/compare/pairing.h"
#include "profiler/compare/verdict.h"
#include "profiler/export/compare_report.h"
#include "profiler/session/store/reader.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>
#include <sstream>

using namespace profiler;

namespace {

constexpr GraphId kGraph{1};

struct Made {
    ProfileData data;
    std::vector<Event> samples;
};

// A function "train" whose applies have these names; each stems from an original of the same number.
Made session(const std::vector<std::string> &ops)
{
    Made made;
    FunctionInfo function;
    function.id = FunctionId{0};
    function.name = "train";
    function.graph = kGraph;
    made.data.functions.push_back(function);
    made.data.graphs.push_back({kGraph, FunctionId{0}});
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
        ApplyRow original;
        original.graph = kGraph;
        original.apply = ApplyId{i};
        original.op = original.label = "original" + std::to_string(i);
        original.inOriginal = true;
        original.originalIndex = static_cast<int>(i);
        made.data.applies.push_back(original);
        ApplyRow row;
        row.graph = kGraph;
        row.apply = ApplyId{100 + i};
        row.op = ops[i];
        row.label = ops[i] + "(x)";
        row.inOptimized = true;
        row.optimizedIndex = static_cast<int>(i);
        made.data.applies.push_back(row);
        made.data.origins.push_back({kGraph, row.apply, kGraph, original.apply});
    }
    return made;
}

// Durations as machines give them: a floor, a long tail, and now and then an interruption.
void sample(Made &made, std::uint32_t apply, double ns, int count, std::mt19937 &random)
{
    std::lognormal_distribution<double> noise(0, 0.06);
    std::uniform_real_distribution<double> chance(0, 1);
    std::int64_t total = 0;
    for (int i = 0; i < count; ++i) {
        Event event;
        event.kind = EventKind::Apply;
        event.function = FunctionId{0};
        event.graph = kGraph;
        event.apply = ApplyId{100 + apply};
        event.call = i;
        event.durationNs = static_cast<std::int64_t>(ns * noise(random) + (chance(random) < 0.02 ? 8000 : 0));
        total += event.durationNs;
        made.samples.push_back(event);
    }
    ApplyStats stats;
    stats.function = FunctionId{0};
    stats.graph = kGraph;
    stats.apply = ApplyId{100 + apply};
    stats.calls = count;
    stats.totalNs = total;
    made.data.stats.push_back(stats);
}

const std::vector<std::string> kOps{"CGemv{inplace}", "CGemv{inplace}", "Elemwise{a}", "Elemwise{b}", "Sum",
                                    "Elemwise{c}",    "Alloc",          "Elemwise{d}"};
const std::vector<double> kNs{30000, 28000, 9000, 4000, 3900, 2000, 800, 300}; // Sum: 5% of the whole

Made run(std::mt19937 &random, double sumFactor, double machine = 1)
{
    Made made = session(kOps);
    for (std::uint32_t i = 0; i < kNs.size(); ++i) sample(made, i, kNs[i] * machine * (i == 4 ? sumFactor : 1), 200, random);
    return made;
}

Comparison compare(const Made &a, const Made &b) { return compareSessions(a.data, a.samples, b.data, b.samples); }

TEST(Compare, fortyEqualPairsRaiseAtMostTwoAlarms)
{
    std::mt19937 random(11);
    int alarms = 0;
    for (int i = 0; i < 40; ++i) {
        // The machine itself is not the same twice.
        std::uniform_real_distribution<double> machine(0.95, 1.08);
        const Made a = run(random, 1, machine(random));
        const Made b = run(random, 1, machine(random));
        alarms += compare(a, b).alarms;
    }
    EXPECT_LE(alarms, 2);
}

TEST(Compare, findsATenthMoreInAnApplyOfFivePercent)
{
    std::mt19937 random(12);
    int found = 0;
    int wrong = 0;
    for (int i = 0; i < 10; ++i) {
        const Comparison result = compare(run(random, 1), run(random, 1.1, 1.06));
        for (const ComparedRow &row : result.applies) {
            if (!row.significant) continue;
            (row.a.name == "Sum(x)" ? found : wrong) += 1;
            if (row.a.name == "Sum(x)") {
                EXPECT_NEAR(row.relative, 0.1, 0.04);
                EXPECT_NEAR(row.share, 0.05, 0.02);
            }
        }
        EXPECT_NEAR(result.commonShift, 1.06, 0.015);
    }
    EXPECT_GE(found, 9);
    EXPECT_EQ(wrong, 0);
}

TEST(Compare, aTinyApplyIsNotWorthAnAlarm)
{
    std::mt19937 random(15);
    Made a = run(random, 1);
    Made b = session(kOps);
    for (std::uint32_t i = 0; i < kNs.size(); ++i) sample(b, i, kNs[i] * (i == 7 ? 1.4 : 1), 200, random); // 120 ns more in a step of 78 us
    const Comparison result = compare(a, b);
    EXPECT_EQ(result.alarms, 0);
    for (const ComparedRow &row : result.applies)
        if (row.a.name == "Elemwise{d}(x)") {
            EXPECT_NEAR(row.relative, 0.4, 0.05); // it is shown all the same
        }
}

TEST(Compare, doesNotTakeALargeShiftForTheMachine)
{
    std::mt19937 random(13);
    const Comparison result = compare(run(random, 1), run(random, 1, 2));
    EXPECT_EQ(result.commonShift, 1);
    EXPECT_GE(result.alarms, 6);
    EXPECT_NEAR(worstRegression(result), 1, 0.1);
}

// Runs of one script as processes give them: products lie elsewhere each time, and the clock is another.
Made runs(std::mt19937 &random, int count, double sumFactor, double allFactor = 1)
{
    Made all = session(kOps);
    std::lognormal_distribution<double> place(0, 0.06);
    std::lognormal_distribution<double> busy(0, 0.012);
    for (int run = 0; run < count; ++run) {
        const double clock = run % 2 ? 1.06 : 1; // two cores, taken by turns
        const double where = place(random);
        Made one = session(kOps);
        for (std::uint32_t i = 0; i < kNs.size(); ++i)
            sample(one, i, kNs[i] * allFactor * clock * busy(random) * (i < 2 ? where : 1) * (i == 4 ? sumFactor : 1), 60, random);
        for (int call = 0; call < 60; ++call) {
            Event whole;
            whole.kind = EventKind::Call;
            whole.function = FunctionId{0};
            whole.call = call;
            for (const Event &event : one.samples)
                whole.durationNs += event.kind == EventKind::Apply && event.call == call ? event.durationNs : 0;
            one.samples.push_back(whole);
        }
        for (Event &event : one.samples) event.lane += run * kLanesPerRun;
        all.samples.insert(all.samples.end(), one.samples.begin(), one.samples.end());
        if (run == 0) all.data.stats = one.data.stats;
    }
    return all;
}

TEST(Compare, fortyEqualPairsOfRunsRaiseAtMostTwoAlarms)
{
    std::mt19937 random(21);
    int alarms = 0;
    int functions = 0;
    for (int i = 0; i < 40; ++i) {
        const Comparison result = compare(runs(random, 8, 1), runs(random, 8, 1));
        EXPECT_EQ(result.runs, 8);
        alarms += result.alarms;
        functions += result.functions[0].significant;
    }
    EXPECT_LE(alarms, 2);
    EXPECT_LE(functions, 2);
}

TEST(Compare, eightRunsShowATenthOfFivePercent)
{
    std::mt19937 random(22);
    int found = 0;
    int wrong = 0;
    for (int i = 0; i < 10; ++i)
        for (const ComparedRow &row : compare(runs(random, 8, 1), runs(random, 8, 1.1)).applies)
            if (row.significant) (row.a.name == "Sum(x)" ? found : wrong) += 1;
    EXPECT_GE(found, 9);
    EXPECT_LE(wrong, 1);
}

TEST(Compare, aChangeOfEverythingCountsForTheFunction)
{
    std::mt19937 random(24);
    const Comparison slower = compare(runs(random, 8, 1), runs(random, 8, 1, 1.15));
    EXPECT_NEAR(slower.commonShift, 1.15, 0.06); // said, as it may be the machine's load
    EXPECT_TRUE(slower.functions[0].significant);
    EXPECT_GT(worstRegression(slower), 0.1); // and a limit holds
    EXPECT_NE(compareReport(slower).find("All applies of B are"), std::string::npos);
    const Comparison faster = compare(runs(random, 8, 1), runs(random, 8, 1, 0.87));
    EXPECT_TRUE(faster.functions[0].significant);
    EXPECT_LT(faster.functions[0].relative, -0.08);
    EXPECT_EQ(worstRegression(faster), 0);
}

TEST(Compare, oneRunSaysLittleOfAppliesThatDependOnTheirPlace)
{
    std::mt19937 random(25);
    const auto made = [&](double product) {
        Made one = session(kOps);
        for (std::uint32_t i = 0; i < kNs.size(); ++i) sample(one, i, kNs[i] * (i == 0 ? product : 1), 200, random);
        VariableRow matrix;
        matrix.graph = kGraph;
        matrix.variable = VariableId{1};
        matrix.bytes = 1'254'400;
        one.data.variables.push_back(matrix);
        one.data.inputs.push_back({kGraph, ApplyId{100}, 0, VariableId{1}});
        return one;
    };
    EXPECT_EQ(compare(made(1), made(1.15)).alarms, 0); // two processes differ by as much
    EXPECT_EQ(compare(made(1), made(1.4)).alarms, 1);
    EXPECT_NE(compareReport(compare(made(1), made(1.15))).find("--runs 12"), std::string::npos);
}

TEST(Compare, pairsByOriginThenByName)
{
    // b: the first two applies swapped, Elemwise{a} in place, and a Gpu one.
    Made a = session({"Dot", "Elemwise{a,no_inplace}", "Sum", "OnlyA"});
    Made b = session({"GpuDot", "Elemwise{a}[(0, 0)]", "Sum", "OnlyB", "New"});
    // OnlyA and OnlyB stem from different originals.
    a.data.origins.pop_back();
    for (ApplyRow &row : b.data.applies)
        if (row.label == "New(x)") row.optimizedIndex = -5; // order must not matter
    const std::vector<ApplyPair> pairs = pairApplies(a.data, kGraph, b.data, kGraph);
    std::vector<std::pair<std::string, std::string>> names;
    for (const ApplyPair &pair : pairs)
        names.emplace_back(pair.a < 0 ? "" : a.data.applies[static_cast<std::size_t>(pair.a)].op,
                           pair.b < 0 ? "" : b.data.applies[static_cast<std::size_t>(pair.b)].op);
    const auto has = [&](const char *left, const char *right) {
        return std::find(names.begin(), names.end(), std::pair<std::string, std::string>(left, right)) != names.end();
    };
    EXPECT_TRUE(has("Dot", "GpuDot"));
    EXPECT_TRUE(has("Elemwise{a,no_inplace}", "Elemwise{a}[(0, 0)]"));
    EXPECT_TRUE(has("Sum", "Sum"));
    EXPECT_TRUE(has("OnlyA", ""));
    EXPECT_TRUE(has("", "OnlyB"));
    EXPECT_TRUE(has("", "New"));
    EXPECT_EQ(pairs.size(), 6u);
}

TEST(Compare, pairsWhatWasFusedDifferently)
{
    Made a = session({"Composite{ab}", "Sum"});
    Made b = session({"Composite{abc}", "Sum"});
    const ApplyId composite{100};
    for (Made *made : {&a, &b}) {
        made->data.origins.clear();
        for (std::uint32_t origin = 0; origin < 2; ++origin) // both stem from the two originals …
            made->data.origins.push_back({kGraph, composite, kGraph, ApplyId{origin}});
    }
    ApplyRow third = b.data.applies[0];
    third.apply = ApplyId{7};
    third.op = third.label = "original7";
    third.originalIndex = 7;
    b.data.applies.push_back(third); // … and one from a third as well
    b.data.origins.push_back({kGraph, composite, kGraph, ApplyId{7}});
    const std::vector<ApplyPair> pairs = pairApplies(a.data, kGraph, b.data, kGraph);
    EXPECT_EQ(pairs.size(), 2u);
    for (const ApplyPair &pair : pairs) EXPECT_TRUE(pair.a >= 0 && pair.b >= 0);
}

TEST(Compare, statesWhatDiffersAndWhatIsOnlyInOne)
{
    std::mt19937 random(14);
    Made a = run(random, 1);
    Made b = run(random, 1.5);
    a.data.flags = {{"floatX", "float32", ""}, {"device", "cpu", ""}};
    b.data.flags = {{"floatX", "float64", ""}, {"device", "cpu", ""}};
    FunctionInfo extra;
    extra.id = FunctionId{5};
    extra.name = "extra";
    b.data.functions.push_back(extra);
    const Comparison result = compare(a, b);
    ASSERT_EQ(result.settings.size(), 1u);
    EXPECT_EQ(result.settings[0].b, "float64");
    const std::string text = compareReport(result);
    EXPECT_NE(text.find("floatX: float32  |  float64"), std::string::npos);
    EXPECT_NE(text.find("Only in B"), std::string::npos);
    EXPECT_NE(text.find("extra"), std::string::npos);
    EXPECT_NE(text.find("1 of the applies changed significantly"), std::string::npos) << text;
    const auto json = compareJson(result);
    EXPECT_EQ(json["alarms"], 1);
    EXPECT_NEAR(json["worstRegression"].get<double>(), 0.5, 0.1);
    EXPECT_TRUE(json["functions"][1]["a"].is_null());
}

TEST(Compare, whatNeverRanIsNotCompared)
{
    std::mt19937 random(14);
    Made a = run(random, 1);
    Made b = session(kOps);
    b.data.info.state = SessionState::CutOff;
    const Comparison result = compare(a, b);
    EXPECT_TRUE(hasCommonFunction(result));
    EXPECT_FALSE(hasPairedFunction(result));
    ASSERT_EQ(result.functions.size(), 1u);
    EXPECT_TRUE(result.functions[0].neverRanB && !result.functions[0].neverRanA);
    EXPECT_EQ(result.functions[0].rawRelative, 0) << "no call is not 100% faster";
    EXPECT_EQ(worstRegression(result), 0);
    EXPECT_EQ(verdictOf(result).function, nullptr);
    const std::string text = compareReport(result);
    EXPECT_NE(text.find("train was called in A and never in B"), std::string::npos) << text;
    EXPECT_EQ(text.find("%"), std::string::npos) << text;
    EXPECT_FALSE(result.warningB.empty());
    EXPECT_NE(text.find("B: " + result.warningB), std::string::npos) << text;
}

TEST(Compare, everyColumnHasAHeadingAndEveryRowItsFunction)
{
    std::mt19937 random(14);
    Made a = run(random, 1);
    Made b = run(random, 1.5);
    for (Made *one : {&a, &b}) one->data.functions[0].run.calls = 10;
    const std::string text = compareReport(compare(a, b));
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    const auto titles = std::ranges::find(lines, "Applies");
    ASSERT_NE(titles, lines.end()) << text;
    const std::string &heading = titles[1];
    const auto name = heading.find("function: apply");
    ASSERT_NE(name, std::string::npos) << text;
    for (auto row = titles + 2; !row->empty() && row->find("remaining") == std::string::npos; ++row) {
        EXPECT_EQ(row->find("train: "), name) << *row;
        // A number ends below the end of its heading, or of the sign behind it.
        for (const char *title : {"A us/call", "B us/call", "B-A us", "memory"})
            EXPECT_NE((*row)[heading.find(title) + std::string(title).size() - 1], ' ') << title << "\n" << *row;
    }
}

TEST(Compare, readsWholeSessions)
{
    const auto reader = SessionReader::open(CROTON_REAL_SESSION);
    const ProfileData data = loadProfile(*reader);
    const Comparison same = compareSessions(data, reader->steadySamples(data.functions), data, reader->steadySamples(data.functions));
    EXPECT_EQ(same.alarms, 0);
    EXPECT_EQ(same.commonShift, 1);
    EXPECT_EQ(worstRegression(same), 0);
    for (const ComparedRow &row : same.applies) {
        EXPECT_TRUE(row.a.present && row.b.present);
        EXPECT_EQ(row.applyA, row.applyB);
    }
}

} // namespace

// What the classes of ops gain and lose adds up to the difference of the function.
TEST(Compare, AnExplanationAddsUp)
{
    Made a = session({"Gemv", "Elemwise"}), b = session({"Gemv", "Elemwise", "Alloc"});
    std::mt19937 random(7);
    for (Made *side : {&a, &b}) {
        for (ApplyRow &row : side->data.applies) row.opClass = "theano.tensor." + row.op;
        sample(*side, 0, 4000, 50, random);
        sample(*side, 1, side == &a ? 1000 : 3000, 50, random);
        side->data.functions.front().run.calls = 50;
    }
    sample(b, 2, 500, 50, random);
    const Comparison comparison = compareSessions(a.data, a.samples, b.data, b.samples);
    const Explanation told = explain(comparison, a.data, b.data, "train");
    ASSERT_EQ(told.parts.size(), 3u);
    double sum = told.a;
    for (const ExplainedPart &part : told.parts) sum += part.deltaNs();
    EXPECT_NEAR(sum, told.b, 1e-6 * told.b);
    EXPECT_EQ(told.parts.front().name, "Elemwise");
    EXPECT_GT(told.parts.front().deltaNs(), 1500);
    EXPECT_TRUE(explain(comparison, a.data, b.data, "nothing").parts.empty());
}

// A function without a name is called after its place, and the script may have been run in another folder.
TEST(Compare, AFunctionWithoutANameIsFoundInAnotherFolder)
{
    Made a = session({"Gemv"}), b = session({"Gemv"});
    std::mt19937 random(7);
    for (auto [made, folder] : {std::pair(&a, "/home/ada/"), {&b, "/tmp/"}}) {
        made->data.functions[0].name = std::string(folder) + "model.py:7";
        made->data.functions[0].location = {std::string(folder) + "model.py", 7};
        sample(*made, 0, 4000, 50, random);
    }
    const Comparison comparison = compareSessions(a.data, a.samples, b.data, b.samples);
    ASSERT_TRUE(hasCommonFunction(comparison));
    EXPECT_EQ(comparison.functions.front().function, "model.py:7");
}

// A few calls that the machine disturbed do not make the explanation contradict the verdict.
TEST(Compare, AnExplanationAgreesWithTheVerdictWhereCallsWereDisturbed)
{
    Made a = session({"Gemv", "Elemwise"}), b = session({"Gemv", "Elemwise"});
    std::mt19937 random(7);
    for (Made *side : {&a, &b}) {
        for (ApplyRow &row : side->data.applies) row.opClass = "theano.tensor." + row.op;
        sample(*side, 0, side == &a ? 4000 : 3000, 50, random);
        sample(*side, 1, 1000, 50, random);
        side->data.functions.front().run.calls = 50;
    }
    sample(b, 0, 2'000'000, 3, random);
    const Comparison comparison = compareSessions(a.data, a.samples, b.data, b.samples);
    const auto whole = std::find_if(comparison.applies.begin(), comparison.applies.end(),
                                    [](const ComparedRow &row) { return row.a.name.find("Gemv") != std::string::npos; });
    ASSERT_NE(whole, comparison.applies.end());
    EXPECT_EQ(changeOf(*whole), Change::Better);
    const Explanation told = explain(comparison, a.data, b.data, "train");
    EXPECT_LT(told.b, told.a);
    EXPECT_EQ(told.parts.front().name, "Gemv");
    EXPECT_LT(told.parts.front().deltaNs(), -800);
}
