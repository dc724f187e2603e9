#pragma once
// Whether an answer is right, by what the session says.

#include "profiler/lessons/facts.h"
#include "profiler/lessons/lesson.h"

namespace profiler {

// What a choice offers, and which of it is right.
struct OfferedAnswer {
    std::string text; // short: one op, class or line
    bool isRight = false;
    std::string exact; // the whole name of what is offered from a list of the session, where `text` is a part of it
    std::string why;   // it is wrong; Markdown with {{values}}
};
// Options as they are shown; a list of the session in an order that does not tell which is first. Throws FactError.
[[nodiscard]] std::vector<OfferedAnswer> offeredAnswers(SessionFacts &facts, const LessonBlock &question);

struct Judgement {
    bool isRight = false;
    std::string expected;                   // of a number, with its unit
    std::set<ApplyId> right, missed, wrong; // of nodes: marked and meant, meant only, marked only
    int need = -1;                          // of a task: the first that does not hold
    bool isPart = false;                    // of a choice: nothing wrong is chosen, and not all that is right
    int off = 0;                            // of a number: below 0 where too little was said, above it where too much; 0: no number
    std::vector<std::string> why;           // the answer is wrong: Markdown with {{values}}
};

// Options by their place in offeredAnswers: all that are right, and none else. Throws FactError, as the others.
[[nodiscard]] Judgement judgeChoice(SessionFacts &facts, const LessonBlock &question, const std::set<int> &chosen);
// A text that is no number is wrong; `expected` says what was meant.
[[nodiscard]] Judgement judgeNumber(SessionFacts &facts, const LessonBlock &question, const std::string &typed);
// Of the graph at a step: what its picture does not draw is not asked for.
[[nodiscard]] Judgement judgeNodes(SessionFacts &facts, const LessonBlock &question, const std::set<ApplyId> &marked, int step);
[[nodiscard]] Judgement judgeTask(SessionFacts &facts, const LessonBlock &question);

// The unit in which a number is asked for; empty for a count.
[[nodiscard]] std::string unitOf(SessionFacts &facts, const LessonBlock &question);

} // namespace profiler
