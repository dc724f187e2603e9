// What a session answers, against what its tables hold; and numbers as people type them.
#include "profiler/lessons/judge.h"
#include "profiler/session/store/reader.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

const std::string kSamples = std::string(CROTON_ROOT) + "/samples/";

std::string path(const std::string &name) { return kSamples + name + "/" + name + ".croton"; }

class Facts : public testing::Test {
protected:
    LessonSession m_session{path("logistic_regression")};
    SessionFacts &facts() { return *m_session.facts; }
    double number(const std::string &expression) { return facts().value(expression).number; }
    std::string words(const std::string &expression) { return facts().value(expression).text; }
    std::string problem(const std::string &expression)
    {
        try {
            return "no problem: " + textOf(facts().value(expression));
        } catch (const FactError &error) {
            return error.what();
        }
    }
};

TEST_F(Facts, OfGraphsAreThoseOfTheSession)
{
    const FunctionInfo &train = facts().function();
    EXPECT_EQ(train.name, "train") << "the function that took most time";
    EXPECT_EQ(number("applies(first)"), train.appliesOriginal);
    EXPECT_EQ(number("applies(last)"), train.appliesOptimized);
    EXPECT_EQ(number("steps()"), train.stepCount);
    EXPECT_EQ(number("steps(\"merge\") + steps(\"useless\")"), number("step(\"after/phase/useless\")"));
    EXPECT_EQ(number("step(\"phase/merge/2\") - step(\"phase/merge\")"), 1);
    EXPECT_EQ(number("step(\"before/phase/merge\")"), 0);
    EXPECT_EQ(words("rewrite(\"phase/merge\")"), "MergeOptimizer");
    EXPECT_EQ(words("phase(1)"), "merge");
    EXPECT_EQ(number("applies(last, \"CGemv\")"), 2);
    EXPECT_EQ(number("count(gone(0, 1))"), 1) << "merge takes one away";
    EXPECT_EQ(number("count(same(\"phase/merge\"))"), 2) << "one stays, one goes";
    EXPECT_GT(number("count(taken(\"phase/fusion\"))"), 1);
    EXPECT_EQ(number("count(nodes(last))"), number("applies(last)"));
    EXPECT_GE(number("count(origins(\"CGemv\"))"), 1);
    EXPECT_EQ(number("count(busiest(\"phases\", 2))"), 2);
    EXPECT_EQ(number("in(\"predict\", applies(first))"), 11);
    EXPECT_EQ(facts().function().name, "train") << "asking another function changes nothing";
    EXPECT_GE(number("count(inplace(last))"), 2);
    EXPECT_GE(number("count(on_line(first, 17))"), 1);
    EXPECT_EQ(number("count(on_device(last))"), 0);
    EXPECT_GT(number("variables(first, \"float64\")"), number("variables(first, \"bool\")"));
}

TEST_F(Facts, OfRunsAreThoseOfTheTables)
{
    EXPECT_EQ(number("calls()"), 1000);
    EXPECT_EQ(number("functions()"), 2);
    EXPECT_EQ(number("own_kernels()"), 0);
    EXPECT_EQ(number("has_function(\"predict\") + has_function(\"nobody\")"), 1);
    const FunctionCosts &costs = facts().functionCosts();
    EXPECT_EQ(words("slowest(ops)"), costs.ops.rows[0].name);
    double percent = 0;
    for (const TableRow &row : costs.applies.rows)
        if (row.name.starts_with("CGemv")) percent += row.percent;
    EXPECT_DOUBLE_EQ(number("share(\"CGemv\")"), percent);
    EXPECT_NEAR(number("spent(cpu)") + number("spent(gpu)") + number("spent(transfer)"), 100, 1e-6);
    EXPECT_EQ(words("flag(\"device\")"), "cpu");
    EXPECT_EQ(number("printed(\"after 1000 steps\")"), 1);
    EXPECT_EQ(number("printed(\"nothing of it\")"), 0);
    EXPECT_GT(number("peak(all)"), number("peak()"));
    EXPECT_EQ(facts().value("hot(2)").nodes.size(), 2u);
    EXPECT_GT(number("call_time()"), number("time(\"CGemv\")"));
    EXPECT_EQ(number("compile_time() > compile_time(rewriting)"), 1);
}

TEST_F(Facts, AreComputedWith)
{
    EXPECT_EQ(number("2 + 3 * 4 - 6 / 2"), 11);
    EXPECT_EQ(number("(2 + 3) * -4"), -20);
    EXPECT_EQ(number("1 < 2 and 2 <= 2 or 0"), 1);
    EXPECT_EQ(number("\"a\" = \"a\""), 1);
    EXPECT_EQ(number("\"a\" != \"a\""), 0);
    EXPECT_EQ(facts().value("call_time() / 2").unit, ValueUnit::Nanoseconds);
    EXPECT_EQ(facts().value("call_time() / call_time()").unit, ValueUnit::Count);
}

TEST_F(Facts, SayWhatCannotBeAnswered)
{
    EXPECT_EQ(problem("applies("), "something is missing at its end, in: applies(");
    EXPECT_EQ(problem("applies()"), "it is written applies(PLACE[, OP]), in: applies()");
    EXPECT_EQ(problem("1 / 0"), "that divides by zero, in: 1 / 0");
    EXPECT_EQ(problem("steps() steps()"), "'steps()' does not belong there, in: steps() steps()");
    EXPECT_EQ(problem("\"a"), "a text does not end: a \" is missing, in: \"a");
    EXPECT_EQ(problem("slowest(ops) + 1").substr(0, 1), "'");
    EXPECT_NE(problem("share(\"Unicorn\")").find("no op of 'train' that ran is called 'Unicorn'; there are: "), std::string::npos);
    EXPECT_NE(problem("device_time(\"CGemv\")").find("has no time by the device's clock"), std::string::npos);
    EXPECT_EQ(problem("matched(0)"), "step 0 is the graph as written; no rewrite made it");
    EXPECT_NE(problem(std::string(200, '(')).find("these brackets are too deep"), std::string::npos);
    for (const char *nothing : {"", ")", ",", "a b", "= 1", "@", "in(1)", "in(\"x\", 1)", "step(\"before/\")", "step(\"phase/merge/0\")"})
        EXPECT_EQ(problem(nothing).find("no problem"), std::string::npos) << nothing;
}

TEST(Value, IsReadAsPeopleTypeIt)
{
    EXPECT_EQ(readNumber("12", ValueUnit::Count), 12);
    EXPECT_EQ(readNumber("1,234", ValueUnit::Count), 1234);
    EXPECT_EQ(readNumber("1,5", ValueUnit::Count), 1.5);
    EXPECT_EQ(readNumber("1.5 ms", ValueUnit::Nanoseconds), 1.5e6);
    EXPECT_EQ(readNumber("1.5", ValueUnit::Nanoseconds, "ms"), 1.5e6);
    EXPECT_EQ(readNumber("3 \xc2\xb5s", ValueUnit::Nanoseconds), 3000);
    EXPECT_EQ(readNumber("41 %", ValueUnit::Percent), 41);
    EXPECT_EQ(readNumber("2 MB", ValueUnit::Bytes), 2e6);
    EXPECT_FALSE(readNumber("2 MB", ValueUnit::Nanoseconds));
    EXPECT_FALSE(readNumber("many", ValueUnit::Count));
    EXPECT_FALSE(readNumber("", ValueUnit::Count));
    EXPECT_FALSE(readNumber("inf", ValueUnit::Count));
    EXPECT_EQ(textOf(Value::of(41.234, ValueUnit::Percent)), "41.2 %");
    EXPECT_EQ(textOf(Value::of(1234567, ValueUnit::Nanoseconds)), "1.23 ms");
    EXPECT_EQ(textOf(Value::of(800000, ValueUnit::Bytes)), "800 kB");
    EXPECT_EQ(textOf(Value::of(67)), "67");
}

TEST_F(Facts, JudgeAnswers)
{
    LessonBlock number;
    number.kind = LessonBlockKind::Number;
    number.answer = "applies(first)";
    const std::string right = textOf(facts().value(number.answer));
    EXPECT_TRUE(judgeNumber(facts(), number, right).isRight);
    EXPECT_FALSE(judgeNumber(facts(), number, right + "1").isRight);
    EXPECT_FALSE(judgeNumber(facts(), number, "many").isRight);
    EXPECT_EQ(judgeNumber(facts(), number, "many").expected, right);
    number.answer = "share(\"CGemv\")";
    EXPECT_TRUE(judgeNumber(facts(), number, textOf(facts().value(number.answer))).isRight) << "as it is shown, rounded";
    EXPECT_FALSE(judgeNumber(facts(), number, "1 %").isRight);

    number.answer = "applies(first)";
    number.mistakes = {{"applies(last)", "That is the other picture.", 1}};
    const Judgement few = judgeNumber(facts(), number, textOf(facts().value("applies(last)")));
    EXPECT_LT(few.off, 0);
    EXPECT_EQ(few.why, std::vector<std::string>{"That is the other picture."});
    EXPECT_GT(judgeNumber(facts(), number, "100000").off, 0);
    EXPECT_TRUE(judgeNumber(facts(), number, "100000").why.empty());

    LessonBlock choice;
    choice.kind = LessonBlockKind::Choice;
    choice.offered = "top(\"ops\", 3)";
    const auto offered = offeredAnswers(facts(), choice);
    ASSERT_EQ(offered.size(), 3u);
    std::set<int> chosen;
    for (int i = 0; i < 3; ++i)
        if (offered[static_cast<std::size_t>(i)].isRight) chosen.insert(i);
    for (const OfferedAnswer &each : offered) {
        EXPECT_LE(each.text.size(), 44U) << "names are short";
        EXPECT_EQ(each.isRight, (each.exact.empty() ? each.text : each.exact) == words("slowest(ops)"));
        EXPECT_EQ(each.isRight, each.why.find(" % of the time, and another of these has more.") == std::string::npos) << each.why;
    }
    EXPECT_TRUE(judgeChoice(facts(), choice, chosen).isRight);
    EXPECT_FALSE(judgeChoice(facts(), choice, {0, 1, 2}).isRight);
    EXPECT_FALSE(judgeChoice(facts(), choice, {}).isRight);

    LessonBlock nodes;
    nodes.kind = LessonBlockKind::Nodes;
    nodes.answer = "nodes(last, \"CGemv\")";
    const std::set<ApplyId> both = facts().value(nodes.answer).nodes;
    EXPECT_TRUE(judgeNodes(facts(), nodes, both, facts().step("last")).isRight);
    const Judgement half = judgeNodes(facts(), nodes, {*both.begin(), ApplyId{9999}}, facts().step("last"));
    EXPECT_FALSE(half.isRight);
    EXPECT_EQ(half.right.size(), 1u);
    EXPECT_EQ(half.missed.size(), 1u);
    EXPECT_EQ(half.wrong.size(), 1u);

    EXPECT_EQ(half.why, std::vector<std::string>{"Each of these is of another op."});
    nodes.mistakes = {{"nodes(last, \"Alloc\")", "That one fills an array.", 1}};
    const Judgement alloc = judgeNodes(facts(), nodes, facts().value("nodes(last, \"Alloc\")").nodes, facts().step("last"));
    EXPECT_EQ(alloc.why, std::vector<std::string>{"That one fills an array."});

    LessonBlock task;
    task.kind = LessonBlockKind::Task;
    task.needs = {{"calls() > 0", "Call it.", 1}, {"flag(\"floatX\") = \"float32\"", "Choose float32.", 2}};
    EXPECT_EQ(judgeTask(facts(), task).need, 1);
    task.needs.pop_back();
    EXPECT_TRUE(judgeTask(facts(), task).isRight);
}

} // namespace
} // namespace profiler
