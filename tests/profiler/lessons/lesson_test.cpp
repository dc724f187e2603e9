// Lessons as text: what is read of them, and what is said of those that are damaged.
#include "profiler/lessons/lesson.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

const char *const kWhole = R"(lesson: Two and two
about: A sum.
group: first
order: 3
minutes: 5
sample: mlp

# First
at: first

Text with a [link](step:first) and {{ applies(first) }}.

::: number how-many
How many?
= applies(first)
in: ms
within: 5 %
hint: Count.
because: There are so many.
:::

# Second
function: step

```
# no page
::: no block
```

::: choice which
Which?
- {steps() > 0} This one.
- [ ] That one.
:::

::: nodes these
Click them.
= matched("phase/merge")
reveal: phase/merge
:::

::: task run
Run it.
needs: calls() > 0 | It was not called.
:::

::: solution
So.
:::

::: teacher
Tell them.
:::
)";

std::vector<LessonFault> faultsOf(const std::string &text)
{
    std::vector<LessonFault> faults;
    (void)readLesson(text, "it", faults);
    return faults;
}

/// The one fault of a text, as a person is told it.
std::string faultOf(const std::string &text)
{
    const std::vector<LessonFault> faults = faultsOf(text);
    if (faults.empty()) return "no fault";
    EXPECT_FALSE(faults[0].wayOut.empty());
    return std::to_string(faults[0].line) + ": " + faults[0].sentence;
}

const std::string kHead = "lesson: L\nsample: mlp\n\n# Page\n\n";

TEST(Lesson, IsRead)
{
    std::vector<LessonFault> faults;
    const Lesson lesson = readLesson(kWhole, "it", faults);
    ASSERT_TRUE(faults.empty()) << faults[0].line << faults[0].sentence;
    EXPECT_EQ(lesson.title, "Two and two");
    EXPECT_EQ(lesson.order, 3);
    EXPECT_EQ(lesson.minutes, 5);
    ASSERT_EQ(lesson.pages.size(), 2u);
    EXPECT_EQ(lesson.pages[0].stand.at, "first");
    EXPECT_EQ(lesson.pages[0].stand.sample, "mlp");
    EXPECT_EQ(lesson.pages[1].stand.sample, "mlp") << "what a page does not say is that of the page before";
    EXPECT_EQ(lesson.pages[1].stand.function, "step");
    EXPECT_EQ(lesson.pages[1].stand.at, "") << "a step of another function means nothing here";
    EXPECT_EQ(lesson.questionCount(), 4);
    const LessonBlock &number = *lesson.question("how-many");
    EXPECT_EQ(number.answer, "applies(first)");
    EXPECT_EQ(number.in, "ms");
    EXPECT_DOUBLE_EQ(number.within, 0.05);
    EXPECT_EQ(number.hint, "Count.");
    EXPECT_EQ(number.text, "How many?");
    EXPECT_EQ(lesson.question("which")->options[0].condition, "steps() > 0");
    EXPECT_EQ(lesson.question("run")->needs[0].otherwise, "It was not called.");
    EXPECT_EQ(lesson.pages[1].blocks.size(), 6u);
    EXPECT_EQ(lesson.question("nobody"), nullptr);
}

TEST(Lesson, LinksAreFoundWithTheirLines)
{
    const auto links = linksOf("a [b](step:first)\n`[c](no:link)` and [d](lesson:x)", 7);
    ASSERT_EQ(links.size(), 2u);
    EXPECT_EQ(links[0].kind, "step");
    EXPECT_EQ(links[0].target, "first");
    EXPECT_EQ(links[1].text, "d");
    EXPECT_EQ(links[1].line, 8);
}

TEST(Lesson, DamageIsASentenceWithItsLine)
{
    EXPECT_EQ(faultOf(""), "1: The lesson has no title");
    EXPECT_EQ(faultOf("lesson: L\n"), "1: The lesson has no page");
    EXPECT_EQ(faultOf("lesson: L\nwhat is this\n# P\n\nx\n"),
              "2: Before the first page stand lines of a word, a colon and a text, not 'what is this'");
    EXPECT_EQ(faultOf("lesson: L\ncolour: red\n# P\n\nx\n"), "2: No lesson has a 'colour'");
    EXPECT_EQ(faultOf("lesson: L\norder: soon\n# P\n\nx\n"), "2: 'soon' is no whole number");
    EXPECT_EQ(faultOf("lesson: L\n# P\ncolour: red\n\nx\n"), "3: No page has a 'colour'");
    EXPECT_EQ(faultOf("lesson: L\n# P\n"), "2: The page 'P' is empty");
    EXPECT_EQ(faultOf(kHead + "::: guess a\nx\n:::\n"), "6: There is no block 'guess'");
    EXPECT_EQ(faultOf(kHead + "::: number a\nHow many?\n= steps()\n"), "6: The block 'number' does not end");
    EXPECT_EQ(faultOf(kHead + "::: number a\nHow many?\n\n# Next\n\nx\n"), "6: The block 'number' does not end");
    EXPECT_EQ(faultOf(kHead + ":::\n"), "6: A block ends that did not begin");
    EXPECT_EQ(faultOf(kHead + "::: number\nHow many?\n= steps()\n:::\n"), "6: A question has no name, and its answers could not be kept");
    EXPECT_EQ(faultOf(kHead + "::: number a\nHow many?\n:::\n"), "6: Nothing says what the right answer is");
    EXPECT_EQ(faultOf(kHead + "::: number a\n= steps()\n:::\n"), "6: A block 'number' says nothing");
    EXPECT_EQ(faultOf(kHead + "::: number a\nHow?\n= steps()\nwithin: much\n:::\n"), "9: 'much' is no part of a number");
    EXPECT_EQ(faultOf(kHead + "::: choice a\nWhich?\n- [x] this\n:::\n"), "6: A choice offers less than two answers");
    EXPECT_EQ(faultOf(kHead + "::: choice a\nWhich?\n- [x] this\n- that\n:::\n"), "9: Nothing says whether 'that' is right");
    EXPECT_EQ(faultOf(kHead + "::: task a\nRun.\n:::\n"), "6: Nothing says when the task is done");
    EXPECT_EQ(faultOf(kHead + "::: task a\nRun.\nneeds: calls() > 0\n:::\n"),
              "8: What a task needs has no sentence for the case that it is missing");
    const std::string one = "::: number a\nHow?\n= steps()\n:::\n";
    EXPECT_EQ(faultOf(kHead + one + one), "10: Two questions are named 'a'");
    EXPECT_EQ(faultOf(std::string(300 * 1024, 'x')), "1: The file is too large for a lesson");
}

TEST(Lesson, AnyCutOfALessonIsReadToItsEnd)
{
    const std::string whole = kWhole;
    for (std::size_t length = 0; length < whole.size(); length += 3) {
        for (const LessonFault &fault : faultsOf(whole.substr(0, length))) EXPECT_FALSE(fault.wayOut.empty());
    }
}

TEST(Lesson, AFileThatIsNotThereIsAFault)
{
    std::vector<LessonFault> faults;
    (void)readLessonFile("/nowhere/lesson.md", faults);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults[0].sentence.find("/nowhere/lesson.md"), std::string::npos);
}

} // namespace
} // namespace profiler
