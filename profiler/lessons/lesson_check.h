#pragma once
// Whether a lesson keeps what it promises: every link leads somewhere, every question has an answer that its session gives.

#include "profiler/lessons/lesson.h"

#include <map>
#include <memory>

namespace profiler {

struct LessonSession;

// Where the things lie that lessons speak of. Empty: there are none.
struct LessonWorld {
    std::string samples, lessons, docs;
};

// The recorded session of a sample; empty when it has none.
[[nodiscard]] std::string sampleSession(const std::string &samples, const std::string &name);

// The views that a lesson may name, as the studio's table has them.
[[nodiscard]] const std::vector<std::string> &lessonViews();
// The kinds of links, with what stands behind the colon: "step" "PLACE".
struct LinkKind {
    const char *kind, *target, *says;
};
[[nodiscard]] const std::vector<LinkKind> &linkKinds();

class LessonChecker {
public:
    explicit LessonChecker(LessonWorld world);
    ~LessonChecker();
    // Everything that is wrong with a lesson that was read without a fault.
    [[nodiscard]] std::vector<LessonFault> check(const Lesson &lesson);

private:
    struct Here; // where a page stands, and what is asked there
    LessonSession *session(const std::string &sample, int line, std::vector<LessonFault> &faults);
    void checkPage(const LessonPage &page, const Lesson &lesson, std::vector<LessonFault> &faults);
    void checkText(const std::string &text, int line, Here &here);
    void checkLink(const LessonLink &link, Here &here);
    void checkQuestion(const LessonBlock &question, Here &here);
    [[nodiscard]] bool hasHelp(const std::string &place) const;

    LessonWorld m_world;
    std::map<std::string, std::unique_ptr<LessonSession>> m_sessions;
};

} // namespace profiler
