// 500 random graphs: rewriting keeps values, fates are complete, the journal replays, replaced values stay equal.
#include "tests/engine/rewrite/random_graph.h"

#include <gtest/gtest.h>

namespace rewrite_test {
namespace {

constexpr std::uint32_t kGraphs = 500;
constexpr double kTolerance = 2e-5;

void checkGraph(std::uint32_t seed, const Mode &mode, const char *what, const RandomGraph &random)
{
    const auto plain = graphOf(random.inputs, random.outputs), graph = graphOf(random.inputs, random.outputs);
    std::vector<Value> expected;
    try {
        expected = evaluate(*plain, random.values);
    } catch (const UserError &error) {
        GTEST_FAIL() << "seed " << seed << " does not run: " << error.what();
    }
    RewriteReport report;
    ASSERT_NO_THROW(report = rewriteGraph(*graph, mode)) << "seed " << seed;
    EXPECT_TRUE(report.warnings.empty()) << "seed " << seed << " " << what << ": " << report.warnings[0];
    const std::vector<Value> found = evaluate(*graph, random.values);
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(difference(expected[i], found[i], kTolerance), "") << "seed " << seed << " " << what << " output " << i << "\n"
                                                                     << textOf(*plain) << "\n"
                                                                     << textOf(*graph);
    EXPECT_EQ(checkJournal(*graph), "") << "seed " << seed;
}

void checkGraph(std::uint32_t seed, const Mode &mode, const char *what, bool wide = false)
{
    checkGraph(seed, mode, what, randomGraph(seed, 24, wide));
}

TEST(Properties, GradientsOfLoopsKeepTheirValues)
{
    Mode unlike = Mode::named("FAST_RUN");
    unlike.excluding = {"croton"};
    for (std::uint32_t seed = 0; seed < kGraphs / 2; ++seed) {
        checkGraph(seed, seed % 4 ? Mode::named("FAST_RUN") : unlike, "gradients of loops", randomLoopGradients(seed));
        if (HasFatalFailure()) return;
    }
}

TEST(Properties, FastRunKeepsValues)
{
    for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
        checkGraph(seed, Mode::named("FAST_RUN"), "FAST_RUN");
        if (HasFatalFailure()) return;
    }
}

TEST(Properties, WideProgramsKeepTheirValues)
{
    for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
        checkGraph(seed, Mode::named("FAST_RUN"), "FAST_RUN", true);
        if (HasFatalFailure()) return;
    }
}

TEST(Properties, WideProgramsWithoutCrotonKeepTheirValues)
{
    Mode mode = Mode::named("FAST_RUN");
    mode.excluding = {"croton"};
    for (std::uint32_t seed = 1; seed < kGraphs; seed += 2) {
        checkGraph(seed, mode, "without croton", true);
        if (HasFatalFailure()) return;
    }
}

TEST(Properties, WithoutCrotonKeepsValues)
{
    Mode mode = Mode::named("FAST_RUN");
    mode.excluding = {"croton"};
    for (std::uint32_t seed = 0; seed < kGraphs; seed += 2) {
        checkGraph(seed, mode, "without croton");
        if (HasFatalFailure()) return;
    }
}

TEST(Properties, FastCompileAndMergeKeepValues)
{
    for (std::uint32_t seed = 0; seed < kGraphs; seed += 5) {
        checkGraph(seed, Mode::named("FAST_COMPILE"), "FAST_COMPILE");
        Mode merge;
        merge.level = OptimizerLevel::Merge;
        checkGraph(seed, merge, "merge");
        if (HasFatalFailure()) return;
    }
}

TEST(Properties, EveryReplacedValueEqualsItsReplacement)
{
    // Values of everything that ever existed: walk the journal and evaluate each new apply from its inputs' values.
    for (std::uint32_t seed = 0; seed < kGraphs; seed += 5) {
        const RandomGraph random = seed % 2 ? randomLoopGradients(seed) : randomGraph(seed, 24, seed % 4 == 0);
        const auto graph = graphOf(random.inputs, random.outputs);
        Mode mode = Mode::named("FAST_RUN");
        mode.excluding = {"inplace"};
        rewriteGraph(*graph, mode);
        std::vector<Value> values(graph->varCount());
        for (std::size_t i = 0; i < random.values.size(); ++i) values[raw(graph->inputs()[i])] = random.values[i];
        for (std::uint32_t i = 0; i < graph->varCount(); ++i)
            if (graph->var(VarId{i}).kind == Variable::Kind::Constant) values[i] = graph->var(VarId{i}).leaf->value();
        for (std::uint32_t a = 0; a < graph->applyCount(); ++a) {
            // A tombstone keeps its last inputs, which stand for the same values as its first ones.
            const ApplyNode &node = graph->apply(ApplyId{a});
            std::vector<Value> in;
            std::vector<Type> types;
            bool known = true;
            for (const Use &use : node.inputs) {
                in.push_back(values[raw(use.var)]);
                known &= in.back().valid();
            }
            if (!known) continue;
            for (VarId out : node.outputs) types.push_back(graph->var(out).type);
            const std::vector<Value> out = evaluateOp(*node.op, in, types);
            for (std::size_t o = 0; o < out.size(); ++o) values[raw(node.outputs[o])] = out[o];
        }
        std::size_t compared = 0;
        for (const Step &step : graph->journal().steps)
            for (const Replacement &r : graph->journal().replacements(step)) {
                const Value &before = values[raw(r.before)], &after = values[raw(r.after)];
                if (!before.valid() || !after.valid()) continue;
                ++compared;
                EXPECT_EQ(difference(before, after, kTolerance), "") << "seed " << seed << ", " << step.rewrite << ": " << step.reason;
            }
        EXPECT_GT(compared, 0u);
    }
}

TEST(Properties, SameGraphSameSteps)
{
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const RandomGraph first = randomGraph(seed), second = randomGraph(seed);
        const auto a = graphOf(first.inputs, first.outputs), b = graphOf(second.inputs, second.outputs);
        rewriteGraph(*a, Mode::named("FAST_RUN"));
        rewriteGraph(*b, Mode::named("FAST_RUN"));
        ASSERT_EQ(a->journal().steps.size(), b->journal().steps.size());
        for (std::size_t i = 0; i < a->journal().steps.size(); ++i)
            ASSERT_EQ(a->journal().steps[i].rewrite, b->journal().steps[i].rewrite) << "seed " << seed << " step " << i;
        EXPECT_EQ(canonicalDump(*a), canonicalDump(*b));
    }
}

} // namespace
} // namespace rewrite_test
