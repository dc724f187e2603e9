// Lessons keep what they promise: those of Croton, and what is said of one that does not.
#include "profiler/lessons/facts.h"
#include "profiler/lessons/judge.h"
#include "profiler/lessons/lesson_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

namespace profiler {
namespace {

const std::string kRoot = CROTON_ROOT;

LessonChecker checker() { return LessonChecker({kRoot + "/samples", kRoot + "/resources/lessons", CROTON_DOCS}); }

std::string told(const std::string &page)
{
    std::vector<LessonFault> faults;
    const Lesson lesson =
        readLesson("lesson: L\nsample: logistic_regression\nfunction: train\n\n# Page\nat: first\n\n" + page, "it", faults);
    if (!faults.empty()) return "does not read: " + faults[0].sentence;
    faults = checker().check(lesson);
    if (faults.empty()) return "nothing";
    EXPECT_FALSE(faults[0].wayOut.empty());
    return std::to_string(faults[0].line) + ": " + faults[0].sentence;
}

TEST(LessonCheck, LessonsOfCrotonAreWhole)
{
    LessonChecker all = checker();
    int lessons = 0;
    for (const auto &entry : std::filesystem::directory_iterator(kRoot + "/resources/lessons")) {
        if (entry.path().extension() != ".md" || entry.path().stem() == "README") continue;
        std::vector<LessonFault> faults;
        const Lesson lesson = readLessonFile(entry.path().string(), faults);
        if (faults.empty()) faults = all.check(lesson);
        for (const LessonFault &fault : faults)
            ADD_FAILURE() << entry.path().filename() << ":" << fault.line << ": " << fault.sentence << " (" << fault.wayOut << ")";
        EXPECT_GE(lesson.questionCount(), 1) << entry.path();
        EXPECT_FALSE(lesson.about.empty() || lesson.group.empty()) << entry.path();
        ++lessons;
    }
    EXPECT_EQ(static_cast<std::size_t>(lessons), lessonsIn(kRoot + "/resources/lessons").size());
    EXPECT_GE(lessons, 8);
}

// What is said of a wrong answer: why it is wrong, or where to look.
TEST(LessonCheck, WrongAnswersOfCrotonsLessonsAreExplained)
{
    int choices = 0, numbers = 0;
    for (const Lesson &lesson : lessonsIn(kRoot + "/resources/lessons"))
        for (const LessonPage &page : lesson.pages)
            for (const LessonBlock &block : page.blocks) {
                const std::string where = lesson.name + "/" + block.id;
                if (block.kind == LessonBlockKind::Number) {
                    EXPECT_FALSE(block.hint.empty() && block.mistakes.empty()) << where;
                    ++numbers;
                }
                if (block.kind != LessonBlockKind::Choice || page.stand.sample.empty()) continue;
                LessonSession session(sampleSession(kRoot + "/samples", page.stand.sample));
                session.facts->setFunction(page.stand.function);
                for (const OfferedAnswer &each : offeredAnswers(*session.facts, block)) {
                    EXPECT_TRUE(each.isRight || !each.why.empty()) << where << ": " << each.text;
                    // Names are short; what people say is a sentence.
                    EXPECT_TRUE(block.offered.empty() || each.text.size() <= 44) << where << ": " << each.text;
                    ++choices;
                }
            }
    EXPECT_GE(choices, 80);
    EXPECT_GE(numbers, 15);
}

TEST(LessonCheck, LinksThatLeadNowhere)
{
    EXPECT_EQ(told("[a](step:first) [b](view:memory) [c](sample:mlp) [d](help:profiles#the-summary) [e](line:17) [f](script:mlp)"),
              "nothing");
    EXPECT_NE(told("[a](step:900)").find("8: There is no step 900; 'train' has "), std::string::npos);
    EXPECT_NE(told("x\n\n[a](step:phase/magic)").find("10: No step of 'train' belongs to the phase 'magic'; there are: merge"),
              std::string::npos);
    EXPECT_NE(told("[a](node:Unicorn)").find("8: There is no node 'Unicorn' in 'train' at step 0; its ops are: "), std::string::npos);
    EXPECT_EQ(told("[a](view:kitchen)"), "8: The link [a](view:kitchen) leads to a view that there is not");
    EXPECT_EQ(told("[a](sample:nothing)"), "8: There is no sample 'nothing' with a recorded session");
    EXPECT_EQ(told("[a](sample:../samples/mlp)"), "8: There is no sample '../samples/mlp' with a recorded session");
    EXPECT_EQ(told("[a](lesson:nothing)"), "8: The link [a](lesson:nothing) leads to a lesson that there is not");
    EXPECT_EQ(told("[a](help:profiles#nowhere)"),
              "8: The link [a](help:profiles#nowhere) leads to a page of the documentation that there is not");
    EXPECT_EQ(told("[a](https://example.org)"), "8: The link [a](https://example.org) leads nowhere in the studio");
    EXPECT_EQ(told("[a](function:nobody)"), "8: There is no function 'nobody' in the session; there are: train, predict");
    EXPECT_EQ(told("[a](line:9999)"), "8: No node of 'train' was written in line 9999");
}

TEST(LessonCheck, QuestionsWithoutAnAnswer)
{
    EXPECT_EQ(told("::: number a\nHow many?\n= applies(first)\n:::"), "nothing");
    EXPECT_EQ(told("::: number a\nHow many?\n= slowest(ops)\n:::").substr(0, 19), "10: The answer is '");
    EXPECT_EQ(told("::: number a\nHow many?\n= applies(first)\nmistake: applies(last) | Look left.\n:::"), "nothing");
    EXPECT_EQ(told("::: number a\nHow many?\n= applies(first)\nmistake: applies(first) + 0 | Look left.\n:::"),
              "11: In this session 'applies(first) + 0' is no mistake: it answers 'a'");
    EXPECT_EQ(told("::: number a\nHow many?\n= applies(first)\nmistake: unicorns() | Look left.\n:::"),
              "11: There is no fact 'unicorns'; `croton lesson facts` lists them, in: unicorns()");
    EXPECT_EQ(told("::: number a\nHow many?\n= applies(first)\nmistake: applies(last)\n:::"),
              "does not read: A mistake has no sentence that says why it is wrong");
    EXPECT_EQ(told("::: choice a\nWhich?\n- [x] this\n- [ ] that\nmistake: 1 | No.\n:::"),
              "does not read: A 'mistake:' belongs to a number or to nodes");
    EXPECT_EQ(told("::: choice a\nWhich?\n- [x] this\n- [ ] that\n  why: See [there](step:900).\n:::").substr(0, 24),
              "11: There is no step 900");
    EXPECT_EQ(told("::: number a\nHow many?\n= applies(first)\nin: ms\n:::").substr(0, 35), "10: 'ms' is no unit of what 'a' ask");
    EXPECT_EQ(told("::: number a\nHow many?\n= unicorns()\n:::"),
              "10: There is no fact 'unicorns'; `croton lesson facts` lists them, in: unicorns()");
    EXPECT_EQ(told("::: choice a\nWhich?\n- {steps() > 0} this\n- {steps() = 0} that\n:::"), "nothing");
    EXPECT_EQ(told("::: choice a\nWhich?\n- {steps() < 0} this\n- [ ] that\n:::"),
              "8: Of what 'a' offers nothing is right in this session");
    EXPECT_EQ(told("::: choice a\nWhich?\n- [x] this\n- [x] that\n:::"), "8: All that 'a' offers is right");
    EXPECT_EQ(told("::: choice a\nWhich?\n- [x] this\n- [ ] this\n:::"), "8: 'a' offers 'this' twice");
    EXPECT_EQ(told("::: nodes a\nWhich?\n= nodes(first)\n:::"), "10: Every node of the graph answers 'a'");
    EXPECT_EQ(told("::: nodes a\nWhich?\n= nodes(first, \"dot\")\n:::"), "nothing");
    EXPECT_NE(told("::: nodes a\nWhich?\n= nodes(last, \"CGemv\")\n:::").find("is not in the graph at step 0"), std::string::npos);
    EXPECT_EQ(told("::: task a\nRun.\nneeds: printed(\"nothing of the kind\") | Print it.\n:::"), "nothing")
        << "a recorded session need not show it";
    EXPECT_NE(told("::: task a\nRun.\nneeds: unicorns() | Print it.\n:::").find("10: A task cannot be judged"), std::string::npos);
    EXPECT_NE(told("{{ applies(first }}").find("8: A ')' is missing"), std::string::npos);
}

// The plan for two hours: each row begins when the one before ends, takes as long as its lesson says, and all fit into the time.
TEST(LessonCheck, ThePlanForTwoHoursAddsUp)
{
    std::map<std::string, int> minutesOf;
    for (const Lesson &lesson : lessonsIn(kRoot + "/resources/lessons")) minutesOf[lesson.name] = lesson.minutes;
    std::ifstream in(kRoot + "/resources/docs/teaching.md");
    const std::regex row("\\| (\\d+):(\\d\\d) \\| (\\d+) \\| [^|]+ \\|(?: `(\\w+)`)? \\|.*"), name("`(\\w+)`");
    const std::vector<std::string> words{"no",    "one",   "two",  "three", "four",   "five",  "six",
                                         "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    int sum = 0, lessons = 0;
    std::string page;
    for (std::string line; std::getline(in, line);) {
        page += line + "\n";
        std::smatch part;
        if (!std::regex_match(line, part, row)) continue;
        EXPECT_EQ(std::stoi(part[1]) * 60 + std::stoi(part[2]), sum) << line;
        sum += std::stoi(part[3]);
        if (!part[4].matched) continue;
        ASSERT_TRUE(minutesOf.contains(part[4])) << line;
        EXPECT_EQ(std::stoi(part[3]), minutesOf[part[4]]) << line;
        ++lessons;
    }
    EXPECT_EQ(sum, 120);
    EXPECT_NE(page.find("It takes " + words[static_cast<std::size_t>(lessons)] + " of the"), std::string::npos) << lessons;
    for (const auto &[lesson, minutes] : minutesOf) EXPECT_NE(page.find("`" + lesson + "`"), std::string::npos) << lesson;
    EXPECT_NE(page.find(std::to_string(minutesOf["graph"] + minutesOf["merge"] + minutesOf["fusion"] + minutesOf["profile"]) + " minutes"),
              std::string::npos);
    std::ifstream index(kRoot + "/resources/docs/index.md");
    const std::string list((std::istreambuf_iterator<char>(index)), std::istreambuf_iterator<char>());
    EXPECT_NE(list.find("(teaching.md)"), std::string::npos);
}

TEST(LessonCheck, EveryFactAndLinkIsInTheDocumentation)
{
    std::ifstream in(kRoot + "/resources/docs/lessons.md");
    const std::string page((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (const FactInfo &fact : allFacts()) {
        const std::string row = "| `" + fact.call + "` | " + fact.says + " |";
        std::string escaped;
        for (const char c : row.substr(2, row.size() - 4))
            escaped += c == '|' && escaped.size() < fact.call.size() + 1 ? "\\|" : std::string(1, c);
        EXPECT_NE(page.find("| " + escaped + " |"), std::string::npos) << "resources/docs/lessons.md lacks the row:\n| " << escaped << " |";
    }
    for (const LinkKind &kind : linkKinds()) {
        const std::string row = std::string("| `") + kind.kind + ":" + kind.target + "` | " + kind.says + " |";
        EXPECT_NE(page.find(row), std::string::npos) << "resources/docs/lessons.md lacks the row:\n" << row;
    }
}

} // namespace
} // namespace profiler
