// What is left out, and the graph between its steps. Times are measured there; nothing here asks which is larger.
#include "profiler/replay/ablate.h"
#include "profiler/replay/along.h"
#include "profiler/session/store/snapshot.h"
#include "profiler/session/store/trials.h"
#include "tests/profiler/replay/captured.h"

#include "engine/rewrite/machine/build.h"
#include "engine/rewrite/machine/registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace profiler;

namespace engine {
namespace {

// Planted: wrong, and nan.
REWRITE(planted_wrong_arctan, Phase::Specialize).why("planted by a test").turns("arctan(x)", "x");
REWRITE(planted_nan_arcsinh, Phase::Specialize).why("planted by a test").turns("arcsinh(x)", "log(-1 - x * x)");

} // namespace
} // namespace engine

namespace {

constexpr TurnOptions kFew{.seconds = 0, .leastRounds = 5, .mostRounds = 5};

engine::Value singles(const engine::Dims &shape, double first, double step)
{
    engine::Tensor tensor = engine::Tensor::empty(engine::DType::Float32, shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.as<float>()[i] = static_cast<float>(first + step * static_cast<double>(i));
    return tensor;
}

const AblationRow *find(const Ablation &ablation, const std::string &name)
{
    for (const AblationRow &row : ablation.rows)
        if (row.kind == AblationKind::Single && row.leftOut == std::vector{name}) return &row;
    return nullptr;
}

class Trial : public testing::Test {
protected:
    std::unique_ptr<SessionReader> open() { return SessionReader::open(m_path); }
    Scratch m_scratch;
    std::string m_path = m_scratch / "a.croton";
};

TEST_F(Trial, ofATrainingStepEveryRewriteThatFiredIsLeftOutOnce)
{
    recordTraining(m_path, 12);
    const auto reader = open();
    const Ablation ablation =
        ablate(*reader, {.trial = {.function = "train", .call = {}, .turns = kFew}, .by = AblateBy::Rewrite, .pairs = false});
    const auto steps = reader->steps(reader->functions().at(0).graph);
    std::map<std::string, std::int64_t> fired;
    for (std::size_t i = 1; i < steps.size(); ++i)
        if (engine::findRewrite(steps[i].rewrite.str())) ++fired[steps[i].rewrite];
    std::size_t singles = 0;
    for (const AblationRow &row : ablation.rows) {
        if (row.kind != AblationKind::Single) continue;
        ++singles;
        EXPECT_EQ(row.fired, fired[row.leftOut.at(0)]) << row.leftOut[0];
        EXPECT_EQ(steps.at(static_cast<std::size_t>(row.firstStep)).rewrite, row.leftOut[0]);
        EXPECT_EQ(row.error, "");
        if (row.sameAs < 0) continue;
        const AblationRow &same = ablation.rows.at(static_cast<std::size_t>(row.sameAs));
        EXPECT_LT(same.sameAs, 0);
        EXPECT_EQ(row.ns, same.ns);
        EXPECT_EQ(row.peakBytes, same.peakBytes);
    }
    EXPECT_EQ(singles, fired.size());
    EXPECT_EQ(ablation.nothing().kind, AblationKind::Nothing);
    EXPECT_EQ(ablation.rows.back().kind, AblationKind::All);
    EXPECT_LT(ablation.nothing().ulp, 1e6); // rounding, and what the original loses by it
    const std::string text = ablationText(ablation);
    EXPECT_NE(text.find("sum of the single differences"), std::string::npos) << text;
    EXPECT_NE(text.find("all of them left out"), std::string::npos) << text;
    double sum = 0;
    for (const AblationRow &row : ablation.rows)
        if (row.kind == AblationKind::Single) sum += row.ns - ablation.nothing().ns;
    EXPECT_DOUBLE_EQ(ablation.sumOfSingles(), sum);
    EXPECT_DOUBLE_EQ(ablation.total(), ablation.rows.back().ns - ablation.nothing().ns);
}

TEST_F(Trial, withoutFusionThereAreMoreAppliesWithoutBlasNoGemv)
{
    recordTraining(m_path, 12);
    const auto reader = open();
    const Ablation ablation =
        ablate(*reader, {.trial = {.function = "train", .call = {}, .turns = kFew}, .by = AblateBy::Pass, .pairs = true});
    const AblationRow *const fusion = find(ablation, "fusion");
    ASSERT_TRUE(fusion);
    EXPECT_GT(fusion->applies, ablation.nothing().applies);
    EXPECT_EQ(fusion->notFinite, 0);
    const LoadedCall call = loadCall(*reader, "train");
    const auto namesOf = [&](const std::vector<std::string> &excluding) {
        ModeChanges changes;
        changes.excluding = excluding;
        return structureOf(*compileCaptured(call, modeOf(call.view.function, changes)));
    };
    EXPECT_NE(namesOf({}).find("Composite"), std::string::npos);
    EXPECT_EQ(namesOf({"fusion"}).find("Composite"), std::string::npos);
    EXPECT_EQ(namesOf({}), namesOf({}));
    EXPECT_NE(namesOf({"inplace"}), namesOf({}));
    // Two at a time: at most ten of five.
    std::size_t pairs = 0;
    for (const AblationRow &row : ablation.rows) {
        if (row.kind != AblationKind::Pair) continue;
        ++pairs;
        EXPECT_EQ(row.leftOut.size(), 2u);
        double wanted = row.ns - ablation.nothing().ns;
        for (const std::string &name : row.leftOut) wanted -= find(ablation, name)->ns - ablation.nothing().ns;
        EXPECT_DOUBLE_EQ(ablation.interaction(row), wanted);
    }
    EXPECT_GT(pairs, 0u);
    EXPECT_LE(pairs, 10u);
    EXPECT_NE(ablationText(ablation).find("what neither alone explains"), std::string::npos);
}

// log(1 + exp(100)) overflows in float32 and not in float64.
TEST_F(Trial, withoutStabilizeTheValuesAreWrong)
{
    recordExpression(m_path, "x: fvector; log(1 + exp(x))", {singles({8}, 60, 10)});
    const auto reader = open();
    const Ablation ablation =
        ablate(*reader, {.trial = {.function = "f", .call = {}, .turns = kFew}, .by = AblateBy::Pass, .pairs = false});
    EXPECT_EQ(ablation.nothing().notFinite, 0);
    EXPECT_LE(ablation.nothing().ulp, 2);
    EXPECT_EQ(ablation.nothing().reference, "the graph as it was written, in 34 digits");
    const AblationRow *const stabilize = find(ablation, "stabilize");
    ASSERT_TRUE(stabilize);
    EXPECT_GT(stabilize->notFinite, 0);
    const Along steps = along(*reader, {.trial = {.function = "f", .call = {}, .turns = kFew}, .every = 1});
    EXPECT_GT(steps.rows.front().notFinite, 0);
    EXPECT_EQ(steps.rows.back().notFinite, 0);
    for (std::size_t i = 1; i < steps.rows.size(); ++i)
        if (steps.rows[i - 1].notFinite > 0 && steps.rows[i].notFinite == 0) {
            EXPECT_EQ(steps.rows[i].phase, "stabilize");
        }
}

TEST_F(Trial, alongEndsWithTheFunctionAsItIsAndIsKept)
{
    recordTraining(m_path, 12);
    auto reader = open();
    const Along result = along(*reader, {.trial = {.function = "train", .call = 9, .turns = kFew}, .every = 0});
    const FunctionInfo info = reader->functions().at(0);
    ASSERT_GT(result.rows.size(), 3u);
    EXPECT_EQ(result.rows.front().step, 0);
    EXPECT_EQ(result.rows.front().applies, info.appliesOriginal);
    EXPECT_EQ(result.rows.back().step, info.stepCount);
    EXPECT_EQ(result.rows.back().applies, info.appliesOptimized);
    const std::vector<PlanInfo> plans = reader->plans(info.id);
    ASSERT_EQ(plans.size(), 1u);
    EXPECT_EQ(result.rows.back().plannedBytes, plans[0].arenaBytes);
    for (const AlongRow &row : result.rows) {
        EXPECT_EQ(row.error, "") << row.step;
        EXPECT_EQ(row.notFinite, 0);
        EXPECT_GT(row.peakBytes, 0);
    }
    EXPECT_NE(alongText(result).find("as written"), std::string::npos);
    const Ablation ablation =
        ablate(*reader, {.trial = {.function = "train", .call = 9, .turns = kFew}, .by = AblateBy::Pass, .pairs = false});
    reader.reset();
    for (int again = 0; again < 2; ++again) { // in the place of what was there
        storeAlong(m_path, result.rows, trialOf(result));
        storeAblation(m_path, ablation.rows, trialOf(ablation));
    }
    reader = open();
    ASSERT_EQ(reader->alongSteps().size(), result.rows.size());
    EXPECT_EQ(reader->alongSteps()[1].rewrite, result.rows[1].rewrite);
    const std::vector<Ablation> stored = storedAblations(*reader);
    ASSERT_EQ(stored.size(), 1u);
    ASSERT_EQ(stored[0].rows.size(), ablation.rows.size());
    EXPECT_EQ(stored[0].view.functionName, "train");
    EXPECT_EQ(stored[0].rows[1].leftOut, ablation.rows[1].leftOut);
    EXPECT_EQ(stored[0].total(), ablation.total());
    EXPECT_EQ(stored[0].mode, ablation.mode);
    EXPECT_EQ(stored[0].tried, ablation.tried);
    ASSERT_EQ(reader->trials().size(), 2u);
    EXPECT_EQ(reader->trials()[0].question, "along");
    EXPECT_EQ(reader->trials()[0].reference, result.reference);
    EXPECT_EQ(reader->trials()[0].offered, static_cast<int>(result.rows.size()));
}

// exp(-40) is lost in 1 + exp(-40) whatever float64 does: only more digits tell.
TEST_F(Trial, errorsOfFloat64AreMeasuredWithMoreDigits)
{
    recordExpression(m_path, "x: dvector; log(1 + exp(x))", {numbers({8}, -40)});
    const auto reader = open();
    const Along steps = along(*reader, {.trial = {.function = "f", .call = {}, .turns = kFew}, .every = 1});
    EXPECT_GT(steps.rows.front().ulp, 1e10) << "15 digits of 16";
    EXPECT_EQ(steps.rows.front().notFinite, 0);
    EXPECT_LE(steps.rows.back().ulp, 4);
    EXPECT_EQ(steps.reference, "the graph as it was written, in 34 digits");
    EXPECT_TRUE(steps.notes.empty());
    const Guilt guilt = bisect(*reader, {.function = "f", .call = {}, .until = "error > 1e-9"});
    EXPECT_NE(guilt.verdict.find("as it was written"), std::string::npos) << guilt.verdict;
}

TEST_F(Trial, whatHasNoMoreDigitsIsMeasuredInFloat64AndSaid)
{
    recordExpression(m_path, "x: fvector; erfinv(x) * 2, exp(x) - 1", {singles({8}, 0, 0.1)});
    const auto reader = open();
    const Ablation ablation =
        ablate(*reader, {.trial = {.function = "f", .call = {}, .turns = kFew}, .by = AblateBy::Rewrite, .pairs = false});
    EXPECT_NE(ablation.reference.find("in 34 digits, of output 0 in float64"), std::string::npos) << ablation.reference;
    EXPECT_LE(ablation.nothing().ulp, 8);
    ASSERT_FALSE(ablation.notes.empty());
    EXPECT_NE(ablation.notes[0].find("erfinv"), std::string::npos) << ablation.notes[0];
}

TEST_F(Trial, whatCannotBeAwaitedIsNotTriedAndSaid)
{
    recordTraining(m_path, 12);
    const auto reader = open();
    AblateRequest request{.trial = {.function = "train", .call = {}, .turns = kFew}};
    std::size_t heard = 0, most = 0;
    request.trial.watch.tell = [&](const std::string &doing, std::size_t done, std::size_t all) {
        ++heard;
        most = std::max(most, all);
        EXPECT_NE(doing, "");
        EXPECT_LE(done, all + 1);
    };
    request.trial.watch.isEnded = [&] { return heard > 4; };
    const Ablation some = ablate(*reader, request);
    EXPECT_LT(some.tried, some.all);
    EXPECT_EQ(static_cast<std::size_t>(some.all), most);
    EXPECT_EQ(static_cast<std::size_t>(some.all) + 1, some.rows.size());
    EXPECT_GT(some.nothing().applies, 0);
    EXPECT_NE(some.notes.back().find("until the time was up"), std::string::npos);
    EXPECT_NE(ablationText(some).find("not tried"), std::string::npos);
    heard = 0;
    AlongRequest steps{.trial = {.function = "train", .call = {}, .turns = kFew}, .every = 1};
    steps.trial.watch = request.trial.watch;
    const Along few = along(*reader, steps);
    EXPECT_LT(few.tried, few.all);
    EXPECT_EQ(few.rows.back().error, "") << "the function as it is comes first";
    heard = 0;
    BisectRequest question{.function = "train", .call = {}, .until = "nan"};
    question.watch = request.trial.watch;
    EXPECT_THROW((void)bisect(*reader, question), SessionError);
}

TEST_F(Trial, bisectNamesPlantedRewrites)
{
    for (const auto &[text, until, rewrite] :
         {std::tuple("x: dvector; sum(arctan(x) * 2 + exp(x))", "error > 1e-6", "planted_wrong_arctan"),
          std::tuple("x: dvector; sum(arcsinh(x) * 2 + exp(x))", "nan", "planted_nan_arcsinh"),
          std::tuple("x: dvector; sum(arcsinh(x) * 2 + exp(x))", "error>1e-6", "planted_nan_arcsinh")}) {
        recordExpression(m_path, text, {numbers({9}, 0.2)});
        const auto reader = open();
        const Guilt guilt = bisect(*reader, {.function = "f", .call = {}, .until = until});
        EXPECT_EQ(guilt.rewrite, rewrite) << guiltText(guilt);
        EXPECT_EQ(guilt.phase, "specialize");
        EXPECT_FALSE(guilt.region.empty());
        EXPECT_NE(guiltText(guilt).find(rewrite), std::string::npos);
    }
}

TEST_F(Trial, bisectSaysWhereThereIsNothingToFind)
{
    recordTraining(m_path, 3);
    const auto reader = open();
    EXPECT_EQ(bisect(*reader, {.function = "train", .call = {}, .until = "error > 1e-3"}).verdict, "no step made it so");
    EXPECT_THROW((void)bisect(*reader, {.function = "train", .call = {}, .until = "error"}), SessionError);
    EXPECT_THROW((void)bisect(*reader, {.function = "train", .call = {}, .until = "time > 0.5 x"}), SessionError);
    EXPECT_THROW((void)bisect(*reader, {.function = "train", .call = {}, .until = "memory > 2"}), SessionError);
    recordExpression(m_path, "x: fvector; log(exp(x) - exp(x))", {singles({8}, 1, 1)});
    const auto other = open();
    EXPECT_NE(bisect(*other, {.function = "f", .call = {}, .until = "error > 1e-30"}).verdict, "");
}

TEST_F(Trial, aSnapshotOfOneFunctionReplays)
{
    {
        RecordOptions options;
        options.capture = {.isOn = true};
        Recorder recorder(m_path, SessionStart{}, {}, options);
        Training training, other(3);
        training.call();
        other.call();
        training.function.reset();
        other.function.reset();
        recorder.finish(0);
    }
    const std::string small = m_scratch / "small.croton";
    const auto functions = open()->functions();
    ASSERT_EQ(functions.size(), 2u);
    snapshotSession(m_path, small, std::to_string(raw(functions[1].id)));
    const auto reader = SessionReader::open(small);
    ASSERT_EQ(reader->functions().size(), 1u);
    EXPECT_EQ(reader->functions()[0].id, functions[1].id);
    for (const GraphInfo &graph : reader->graphs()) EXPECT_EQ(graph.function, functions[1].id);
    EXPECT_EQ(loadCall(*reader, "train").inputs[0].tensor().shape(), (engine::Dims{20, 3}));
    GraphReplica replica = reader->replica(functions[1].graph);
    replica.goTo(replica.stepCount());
    try {
        snapshotSession(m_path, small, "nobody");
        FAIL();
    } catch (const SessionError &error) {
        EXPECT_NE(error.hint().find("train"), std::string::npos);
    }
}

} // namespace
