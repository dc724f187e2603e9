#pragma once

#include "views/lessons/lesson_answers.h"
#include "views/session/view_feed.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/lessons/judge.h"
#endif

#include <QPointer>
#include <QWidget>

class QAction;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace views {

class LessonFoot;
class PanelHeader;
class QuestionCard;

/// Where lessons and what they speak of lie: beside the program, and where what is kept goes.
struct LessonFolders {
    QString lessons, samples, sessions;
};
LessonFolders lessonFolders();

/// Lessons: a list of them, or a page of one beside the real thing. Its links lead the views, its questions ask the session.
class LessonView : public QWidget {
    Q_OBJECT
public:
    explicit LessonView(SelectionHub &hub, QWidget *parent = nullptr);
    ~LessonView() override;

    void obey(const Request &request);
    void feed(const ViewFeed &feed);
    void setFolders(const LessonFolders &folders);
    const std::vector<profiler::Lesson> &lessons() const { return m_lessons; }
    /// Opens a lesson by its name; one that is not there gives a notice.
    void openLesson(const QString &name, int page = 0);
    /// Opens a file; what is wrong with it is shown in its place.
    void openFile(const QString &path);
    void showShelf();
    bool isReading() const { return m_lesson != nullptr; }
    const profiler::Lesson *lesson() const { return m_lesson.get(); }
    int page() const { return m_page; }
    void showPage(int page);
    const std::vector<QuestionCard *> &cards() const { return m_cards; }
    /// Follows a link of a lesson ("step:first"); false with a notice when it leads nowhere.
    bool follow(const QString &link);
    const LessonAnswers &answers() const { return m_answers; }
    /// Whether the open session is the one that the page is about.
    bool isAtHome() const;
    /// Whether the studio is still being brought to where the page wants it.
    bool isArriving() const { return m_standsSoon; }

    bool hidesAnswers() const { return m_hidesAnswers; }
    void setHidesAnswers(bool on);
    void forgetAnswers();
    /// Empty on success, else one sentence.
    QString exportAnswers(const QString &path) const;

protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void read();
    void adopt(profiler::Lesson lesson, int page);
    void rebuild();
    void buildShelf();
    void buildPage();
    void buildStrip();
    bool isTask() const;
    void addQuestion(const profiler::LessonBlock &block);
    void addText(const QString &markdown);
    /// Brings the studio where the page wants it: opens the sample first, when another session is open.
    void stand();
    void standNow();
    void keep(const QuestionCard *card, const QString &text, bool isRight, bool isRevealed);
    void loadAnswers();
    void takeClick();
    /// The first question that is not answered right and of which something is seen; null: none is.
    QuestionCard *cardInView() const;
    void keepInView();
    void showMarks();
    void refreshHead();
    profiler::SessionFacts *facts();
    QString withValues(const std::string &text);
    const profiler::LessonStand &place() const;
    void select(const QString &step, const QString &node);
    void buildMenu();

    SelectionHub &m_hub;
    LessonFolders m_folders;
    ViewFeed m_feed;
    std::vector<profiler::Lesson> m_lessons;
    bool m_isRead = false;
    std::unique_ptr<profiler::Lesson> m_lesson;  ///< null: the list is shown
    std::vector<profiler::LessonFault> m_faults; ///< of a file that could not be read
    QString m_file;
    int m_page = 0;
    bool m_standsSoon = false; ///< once the sample of the page is open
    bool m_hidesAnswers = false;
    bool m_isTaking = false;
    LessonAnswers m_answers;
    std::unique_ptr<profiler::SessionFacts> m_facts;
    std::shared_ptr<const SessionData> m_factsOf;
    std::vector<QuestionCard *> m_cards;
    QPointer<QuestionCard> m_keptInView; ///< the question that one was about to answer when the panel became smaller

    PanelHeader *m_header;
    QToolButton *m_menu, *m_close;
    QAction *m_hide, *m_notes;
    QScrollArea *m_scroll;
    QVBoxLayout *m_rows = nullptr;
    LessonFoot *m_foot;
};

} // namespace views
