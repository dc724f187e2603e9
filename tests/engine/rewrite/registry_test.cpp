#include "engine/ops/elements/elementwise.h"
#include "tests/engine/rewrite/support.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace rewrite_test {
namespace {

TEST(Registry, OrderIsPhasePositionName)
{
    const auto all = allRewrites();
    for (std::size_t i = 1; i < all.size(); ++i)
        EXPECT_LT(std::tie(all[i - 1]->phase, all[i - 1]->position, all[i - 1]->name),
                  std::tie(all[i]->phase, all[i]->position, all[i]->name));
}

TEST(Registry, NoneHasVanished)
{
    // Counts REWRITE lines of engine/rewrite; the number grows with the catalogue and never shrinks by accident.
    EXPECT_GE(allRewrites().size(), 190u);
    std::set<std::string> names;
    for (const RewriteInfo *info : allRewrites()) EXPECT_TRUE(names.insert(info->name).second) << info->name << " is registered twice";
}

TEST(Registry, EveryRewriteRunsInAPassThatExists)
{
    for (const RewriteInfo *info : allRewrites()) {
        bool found = false;
        for (const PassInfo &pass : allPasses()) found |= pass.name == info->pass && pass.phase == info->phase;
        EXPECT_TRUE(found) << info->name << " asks for the pass " << info->pass;
        EXPECT_FALSE(info->why.empty()) << info->name;
        EXPECT_TRUE(info->run || info->whole || info->movesViews) << info->name;
    }
}

// Texts are read when somebody rewrites first: no word of them may surprise a user.
TEST(Registry, EveryRuleInTheNotationCanBeRead)
{
    std::size_t rules = 0;
    for (const RewriteInfo *info : allRewrites()) {
        if (!info->rule) continue;
        ++rules;
        try {
            EXPECT_FALSE(info->rule->scalars().empty() && info->rule->ops().empty()) << info->name;
        } catch (const InternalError &error) {
            ADD_FAILURE() << error.what();
        }
    }
    EXPECT_GE(rules, 60u);
}

TEST(Registry, PassesStandInTheirOrder)
{
    for (std::size_t i = 1; i < allPasses().size(); ++i) {
        EXPECT_LE(allPasses()[i - 1].position, allPasses()[i].position);
        EXPECT_LE(allPasses()[i - 1].phase, allPasses()[i].phase);
    }
}

TEST(Driver, NamesAndTagsExclude)
{
    Mode mode = Mode::named("FAST_RUN");
    mode.excluding = {"local_log1p", "fusion"};
    const auto graph = parseGraph("x: dvector; log(1 + x) * 2.5");
    const RewriteReport report = rewriteGraph(*graph, mode);
    EXPECT_EQ(timesFired(report, "local_log1p"), 0u);
    EXPECT_EQ(countOps(*graph, "Composite"), 0);
    for (const PassReport &pass : report.passes) EXPECT_NE(pass.phase, "fusion");
}

TEST(Driver, NoneDoesNothing)
{
    const auto graph = parseGraph("x: dvector; (x + x) - x");
    const RewriteReport report = rewriteGraph(*graph, Mode::named("None"));
    EXPECT_TRUE(report.passes.empty());
    EXPECT_TRUE(graph->journal().steps.empty());
}

TEST(Driver, ProductsBecomeBlasInEveryModeButNone)
{
    for (const char *name : {"FAST_RUN", "FAST_COMPILE", "merge"}) {
        const auto graph = parseGraph("x: dmatrix; v: dvector; y: dmatrix; dot(x, v), dot(x, y)");
        rewriteGraph(*graph, Mode::named(name));
        EXPECT_EQ(countOps(*graph, "CGemv"), 1) << name;
        EXPECT_EQ(countOps(*graph, "Dot22"), 1) << name;
    }
}

TEST(Driver, AnswersWhyNot)
{
    const auto graph = parseGraph("x: dvector; log(2 + x)");
    Mode mode = Mode::named("FAST_RUN");
    mode.excluding = {"fusion", "inplace"};
    const RewriteReport report = rewriteGraph(*graph, mode);
    bool answered = false;
    for (ApplyId id : graph->liveApplies())
        for (const WhyNot &answer : report.whyNot->about(id))
            if (answer.info->name == "local_log1p") {
                answered = true;
                EXPECT_EQ(answer.reason, "no term of the sum is the constant 1");
                EXPECT_EQ(graph->apply(answer.because).op->friendlyName(), "+");
            }
    EXPECT_TRUE(answered);
}

TEST(Driver, AKernelAnswersForWhatWentIntoIt)
{
    const auto graph = parseGraph("x: dvector; 3 * log(2 + x)");
    const RewriteReport report = rewriteGraph(*graph, Mode::named("FAST_RUN"));
    ASSERT_EQ(graph->liveApplyCount(), 1u);
    bool answered = false;
    for (const WhyNot &answer : report.whyNot->about(graph->liveApplies()[0])) {
        if (answer.info->name != "local_log1p") continue;
        answered = true;
        EXPECT_EQ(answer.reason, "no term of the sum is the constant 1");
        EXPECT_EQ(graph->apply(answer.about).op->friendlyName(), "log");
    }
    EXPECT_TRUE(answered);
}

const WhyNot *answerOf(const std::vector<WhyNot> &answers, std::string_view rewrite)
{
    const auto found = std::find_if(answers.begin(), answers.end(), [&](const WhyNot &answer) { return answer.info->name == rewrite; });
    return found == answers.end() ? nullptr : &*found;
}

ApplyId applyOf(const FunctionGraph &graph, std::string_view className)
{
    for (ApplyId id : graph.liveApplies())
        if (graph.apply(id).op->className() == className) return id;
    return kNoApply;
}

TEST(Driver, AProductWithTwoReadersIsTheCause)
{
    const auto graph = parseGraph("x: dmatrix; w: dmatrix; z: dmatrix; p = dot(x, w); 2 * p + z, sum(exp(p))");
    Mode mode = Mode::named("FAST_RUN");
    mode.excluding = {"fusion"};
    const RewriteReport report = rewriteGraph(*graph, mode);
    int answered = 0;
    for (ApplyId id : graph->liveApplies())
        for (const char *rewrite : {"gemm_optimizer", "local_dot22_to_dot22scalar"}) {
            const std::vector<WhyNot> answers = report.whyNot->about(id);
            const WhyNot *answer = answerOf(answers, rewrite);
            if (!answer || answer->because == kNoApply || graph->apply(answer->because).op->name() != "Dot22") continue;
            ++answered;
            EXPECT_EQ(answer->reason, "the product has other readers: it would be computed twice");
        }
    EXPECT_EQ(answered, 2);
}

TEST(Driver, RewritesOfTheWholeGraphAnswerToo)
{
    // The cosine reads the sine after it could have been overwritten.
    const auto graph = parseGraph("x: dmatrix; v: dvector; s = sin(x); cos(s) * set_subtensor(s[1], v)");
    Mode mode = Mode::named("FAST_RUN");
    mode.excluding = {"fusion", "inplace_elemwise_opt"};
    const RewriteReport report = rewriteGraph(*graph, mode);
    const ApplyId written = applyOf(*graph, "IncSubtensor");
    ASSERT_NE(written, kNoApply);
    const std::vector<WhyNot> answers = report.whyNot->about(written);
    // Set in place after the cosine, it still says what it said before.
    EXPECT_TRUE(graph->apply(written).op->name().find("Inplace") != std::string::npos) << graph->apply(written).op->name();
    EXPECT_NE(answerOf(answers, "local_set_to_inc_subtensor"), nullptr);
    EXPECT_EQ(answerOf(answers, "local_inplace_setsubtensor"), nullptr);

    const auto other = parseGraph("x: dmatrix; v: dvector; s = sin(x); s, set_subtensor(s[1], v)");
    const RewriteReport second = rewriteGraph(*other, mode);
    const ApplyId kept = applyOf(*other, "IncSubtensor");
    ASSERT_NE(kept, kNoApply);
    const std::vector<WhyNot> said = second.whyNot->about(kept);
    const WhyNot *answer = answerOf(said, "local_inplace_setsubtensor");
    ASSERT_NE(answer, nullptr);
    EXPECT_EQ(answer->reason, "the argument is returned by the function");
    ASSERT_NE(answer->because, kNoApply);
    EXPECT_EQ(other->apply(answer->because).op->friendlyName(), "sin");
}

TEST(Driver, AReaderThatComesLaterIsTheCause)
{
    const auto graph = parseGraph("x: dmatrix; v: dvector; s = sin(x); t = set_subtensor(s[1], v); dot(t, s)");
    Mode mode = Mode::named("FAST_RUN");
    mode.excluding = {"fusion"};
    const RewriteReport report = rewriteGraph(*graph, mode);
    const std::vector<WhyNot> answers = report.whyNot->about(applyOf(*graph, "IncSubtensor"));
    const WhyNot *answer = answerOf(answers, "local_inplace_setsubtensor");
    ASSERT_NE(answer, nullptr);
    EXPECT_EQ(answer->reason, "a later apply reads the argument");
    ASSERT_NE(answer->because, kNoApply);
    EXPECT_EQ(graph->apply(answer->because).op->name(), "Dot22");
}

TEST(Driver, LoopsSayWhyTheirStepsRunOneByOne)
{
    const std::pair<const char *, const char *> cases[] = {
        {"r: dscalar; x: dvector; n: lscalar; each(r, exp(r), x, n)", "no step reads what another one made: threads share the steps"},
        {"h: dvector; e: dscalar; c: bscalar; n: lscalar; loop(e, ifelse(c, exp(e), e * 2), h, n)", "a choice decides what a step runs"},
        {"h: dmatrix; e: dvector; n: lscalar; loop(e, sort(e), h, n)", "a kernel could not do any of the work of a step"},
    };
    for (const auto &[text, reason] : cases) {
        const auto graph = parseGraph(text);
        const RewriteReport report = rewriteGraph(*graph, onlyMode({"croton_loop_in_one_kernel"}));
        const ApplyId loop = applyOf(*graph, "Scan");
        ASSERT_NE(loop, kNoApply) << text;
        const std::vector<WhyNot> answers = report.whyNot->about(loop);
        const WhyNot *answer = answerOf(answers, "croton_loop_in_one_kernel");
        ASSERT_NE(answer, nullptr) << text;
        EXPECT_EQ(answer->reason, reason);
    }
}

TEST(Driver, CountsAndSamples)
{
    std::string text = "x: dvector; y0 = x\n";
    for (int i = 0; i < 40; ++i) text += "y" + std::to_string(i + 1) + " = log(2 + y" + std::to_string(i) + ")\n";
    const auto graph = parseGraph(text + "y40");
    const RewriteReport report = rewriteGraph(*graph, onlyMode({"local_log1p"}));
    ASSERT_EQ(report.rewrites.size(), 1u);
    const RewriteCounts &counts = report.rewrites[0];
    EXPECT_EQ(counts.fired, 0u);
    EXPECT_EQ(counts.samples.size(), 20u);
    ASSERT_EQ(counts.declines.size(), 1u);
    EXPECT_EQ(counts.declines[0].second, counts.tried);
    EXPECT_GE(counts.tried, 40u);
}

// Declines are timed by samples: what they are taken for is no more than the time that there was, also where one was interrupted.
TEST(Driver, TimesOfDeclinesStayWithinThoseOfThePasses)
{
    for (const char *text :
         {"x: dvector; log(2 + x)", "x: dvector; sum(exp(x) * log(1 + x) / (x + 3))", "a: dmatrix; b: dmatrix; dot(a, b) + tanh(a)"}) {
        const auto graph = parseGraph(text);
        const RewriteReport report = rewriteGraph(*graph, Mode::named("FAST_RUN"));
        std::uint64_t rewrites = 0, passes = 0;
        for (const RewriteCounts &counts : report.rewrites) rewrites += counts.nanoseconds;
        for (const PassReport &pass : report.passes) passes += pass.nanoseconds;
        EXPECT_LE(rewrites, passes) << text;
        EXPECT_GT(rewrites, 0u);
    }
}

// Two rewrites that undo one another, and one that throws: registered by the test, run only by name.
REWRITE(test_sin_to_cos, Phase::Specialize).why("for the test").off().match<ScalarCode::Sin>([](const NodeHandle &node, Editor &edit) {
    edit.replace(node.output(), edit.make(elemwise(ScalarCode::Cos), {node.input(0)}));
    return replaced();
});
REWRITE(test_cos_to_sin, Phase::Specialize).why("for the test").off().match<ScalarCode::Cos>([](const NodeHandle &node, Editor &edit) {
    edit.replace(node.output(), edit.make(elemwise(ScalarCode::Sin), {node.input(0)}));
    return replaced();
});
REWRITE(test_throws, Phase::Specialize)
    .why("for the test")
    .off()
    .match<ScalarCode::Exp>([](const NodeHandle &node, Editor &edit) -> RewriteResult {
        edit.make(elemwise(ScalarCode::Sin), {node.input(0)});
        throw std::runtime_error("it is meant to");
    });

TEST(Driver, ReportsWhatDoesNotSettle)
{
    const auto graph = parseGraph("x: dvector; sin(x)");
    const RewriteReport report = rewriteGraph(*graph, onlyMode({"test_sin_to_cos", "test_cos_to_sin"}));
    ASSERT_FALSE(report.warnings.empty());
    EXPECT_NE(report.warnings[0].find("does not settle"), std::string::npos) << report.warnings[0];
    for (const char *name : {"test_sin_to_cos", "test_cos_to_sin"})
        EXPECT_NE(report.warnings[0].find(name), std::string::npos) << report.warnings[0];
    EXPECT_EQ(checkJournal(*graph), "");
}

TEST(Driver, SkipsARewriteThatThrows)
{
    const auto graph = parseGraph("x: dvector; exp(x)");
    const std::string before = canonicalDump(*graph);
    const RewriteReport report = rewriteGraph(*graph, onlyMode({"test_throws"}));
    ASSERT_EQ(report.warnings.size(), 1u);
    EXPECT_NE(report.warnings[0].find("test_throws failed on Elemwise{exp,no_inplace}"), std::string::npos) << report.warnings[0];
    EXPECT_EQ(canonicalDump(*graph), before);
    EXPECT_TRUE(graph->journal().steps.empty());
}

} // namespace
// What is said of everybody says nothing: a sentence of its own, or none where no harm is known.
TEST(Registry, saysOfEachRewriteWhenItHurts)
{
    std::map<std::string, std::vector<std::string>> namesOf;
    for (const RewriteInfo *info : allRewrites())
        if (!info->whenItHurts.empty() && !info->whenItHurts.starts_with("values change for the better"))
            namesOf[info->whenItHurts].push_back(info->name);
    EXPECT_GT(namesOf.size(), 50u);
    for (const auto &[sentence, names] : namesOf)
        EXPECT_LE(names.size(), 3u) << "\"" << sentence << "\" stands at " << names.front() << " and others";
}

TEST(Registry, knowsWhereEachRewriteStands)
{
    std::set<std::pair<std::string, int>> places;
    for (const RewriteInfo *info : allRewrites()) {
        EXPECT_EQ(info->file.rfind("engine/rewrite/", 0), 0u) << info->name << " " << info->file;
        EXPECT_GT(info->line, 0) << info->name;
        EXPECT_TRUE(places.emplace(info->file, info->line).second) << info->name;
    }
}

} // namespace rewrite_test
