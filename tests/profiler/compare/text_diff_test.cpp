#include "profiler/compare/text_diff.h"
#include "profiler/compare/verdict.h"

#include <gtest/gtest.h>

#include <random>

namespace profiler {
namespace {

std::string toldOf(std::string_view a, std::string_view b)
{
    std::string told;
    for (const DiffLine &line : diffLines(a, b)) told += (line.isSame() ? " " : line.a ? "-" : "+") + line.text;
    return told;
}

TEST(TextDiff, LinesThatChangedStandBesideOneAnother)
{
    EXPECT_EQ(toldOf("a\nb\nc\n", "a\nb\nc\n"), " a b c");
    EXPECT_EQ(toldOf("a\nb\nc\n", "a\nx\nc\n"), " a-b+x c");
    EXPECT_EQ(toldOf("a\nc\n", "a\nb\nc\nd\n"), " a+b c+d");
    EXPECT_EQ(toldOf("", "a"), "+a");
    EXPECT_EQ(toldOf("a", ""), "-a");
    EXPECT_EQ(toldOf("", ""), "");
}

TEST(TextDiff, BothTextsCanBeReadFromIt)
{
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::string a, b;
        for (std::string *text : {&a, &b})
            for (unsigned i = random() % 12; i-- > 0;) *text += static_cast<char>('a' + random() % 4) + std::string("\n");
        std::string left, right;
        int lastA = 0, lastB = 0;
        for (const DiffLine &line : diffLines(a, b)) {
            if (line.a) {
                EXPECT_EQ(line.a, ++lastA);
                left += line.text + "\n";
            }
            if (line.b) {
                EXPECT_EQ(line.b, ++lastB);
                right += line.text + "\n";
            }
        }
        EXPECT_EQ(left, a);
        EXPECT_EQ(right, b);
    }
}

ComparedRow rowOf(double a, double b, std::int64_t ns, bool significant)
{
    ComparedRow row;
    row.a = {a > 0, 1, ns, a};
    row.b = {b > 0, 1, ns, b};
    row.deltaNs = b - a;
    row.relative = row.rawRelative = a > 0 ? b / a - 1 : 0;
    row.significant = significant;
    return row;
}

TEST(Verdict, TheFunctionWithMostTimeSpeaks)
{
    Comparison comparison;
    comparison.functions = {rowOf(100, 50, 10, true), rowOf(200, 300, 1000, true), rowOf(0, 900, 99999, false)};
    comparison.applies = {rowOf(10, 12, 1, true), rowOf(50, 20, 1, false), rowOf(5, 0, 1, false), rowOf(0, 7, 1, false)};
    Verdict verdict = verdictOf(comparison);
    EXPECT_EQ(verdict.function, &comparison.functions[1]);
    EXPECT_EQ(verdict.change, Change::Worse);
    EXPECT_DOUBLE_EQ(verdict.factor, 1.5);
    EXPECT_EQ(verdict.paired, 2);
    EXPECT_EQ(verdict.onlyA, 1);
    EXPECT_EQ(verdict.onlyB, 1);
    EXPECT_DOUBLE_EQ(verdict.largestNs, 30);
    EXPECT_EQ(changeOf(comparison.applies[1]), Change::Same) << "it may be chance";
    comparison.functions[1].significant = false;
    EXPECT_EQ(verdictOf(comparison).change, Change::Same);
    EXPECT_EQ(verdictOf(Comparison{}).function, nullptr);
}

} // namespace
} // namespace profiler
