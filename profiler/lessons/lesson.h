#pragma once
// A lesson: pages of text with links that drive the studio, and questions whose answers a session gives. resources/docs/lessons.md
// describes the file.

#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// What is wrong with a lesson: where, and how to mend it.
struct LessonFault {
    int line = 0; // 1-based
    std::string sentence;
    std::string wayOut;
};

// A link or a {{value}} in a text.
struct LessonLink {
    std::string kind;   // "step"
    std::string target; // "rewrite/MergeOptimizer"
    std::string text;   // what one reads
    int line = 0;
};

enum class LessonBlockKind { Text, Choice, Number, Nodes, Task, Solution, Teacher };

struct LessonOption {
    std::string text;
    std::string condition; // of the session; empty: `isRight` says it
    bool isRight = false;
    std::string why; // it is wrong, where it is wrong
    int line = 0;
};

// A wrong answer that people give, and what is said to it.
struct LessonMistake {
    std::string answer; // an expression: a number, or nodes
    std::string why;
    int line = 0;
};

// What a run must have shown for a task to be done.
struct LessonNeed {
    std::string condition;
    std::string otherwise; // told while it does not hold
    int line = 0;
};

struct LessonBlock {
    LessonBlockKind kind = LessonBlockKind::Text;
    std::string id;      // of a question, unique in the lesson
    std::string text;    // Markdown; of a question what is asked
    std::string answer;  // of Number and Nodes: an expression
    std::string offered; // of Choice: a list of the session whose first entry is right
    std::string in;      // of Number: the unit that is asked for ("ms")
    double within = 0;   // of Number: how far off, of the right one, still counts (0.05)
    std::string reveal;  // of Nodes: the step that shows the answer
    std::string hint, because;
    std::vector<LessonOption> options;
    std::vector<LessonNeed> needs;
    std::vector<LessonMistake> mistakes; // of Number and Nodes
    int line = 0;
    int answerLine = 0;

    [[nodiscard]] bool isQuestion() const
    {
        return kind == LessonBlockKind::Choice || kind == LessonBlockKind::Number || kind == LessonBlockKind::Nodes ||
               kind == LessonBlockKind::Task;
    }
};

// Where the studio stands when a page is opened. Empty words change nothing.
struct LessonStand {
    std::string sample, function, at, view, node;
    int line = 0;
};

struct LessonPage {
    std::string title;
    LessonStand stand; // what the page does not say is the lesson's
    std::vector<LessonBlock> blocks;
    int line = 0;
};

struct Lesson {
    std::string name; // of the file, without its ending
    std::string title, about, group;
    int order = 99;
    int minutes = 0;
    std::vector<LessonPage> pages;

    [[nodiscard]] const LessonBlock *question(std::string_view id) const;
    [[nodiscard]] int questionCount() const;
};

// Reads the text of a file; what cannot be read is a fault, and the rest is read on.
[[nodiscard]] Lesson readLesson(const std::string &text, const std::string &name, std::vector<LessonFault> &faults);
// The same of a file; a file that is not there is a fault of line 0.
[[nodiscard]] Lesson readLessonFile(const std::string &path, std::vector<LessonFault> &faults);
// Every *.md of a folder that reads as a lesson, by order and title; others are left out.
[[nodiscard]] std::vector<Lesson> lessonsIn(const std::string &folder);

// The links of a Markdown text, and of its first line the number.
[[nodiscard]] std::vector<LessonLink> linksOf(const std::string &text, int firstLine = 1);
// The text with every {{value}} replaced by what `valueOf` says of it.
template <class ValueOf>
[[nodiscard]] std::string withValues(const std::string &text, ValueOf &&valueOf)
{
    std::string out;
    std::size_t at = 0;
    for (;;) {
        const std::size_t open = text.find("{{", at), close = open == std::string::npos ? open : text.find("}}", open);
        if (close == std::string::npos) return out + text.substr(at);
        out += text.substr(at, open - at) + valueOf(text.substr(open + 2, close - open - 2));
        at = close + 2;
    }
}

} // namespace profiler
