#pragma once

#include "views/common/selection_hub.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/lessons/judge.h"
#endif

#include <QFrame>

#include <functional>
#include <set>

class QAbstractButton;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace views {

class FlowText;
class FlowLayout;
class TextLabel;
struct KeptAnswer;

/// What a card needs of the lesson around it.
struct CardContext {
    profiler::SessionFacts *facts = nullptr;          ///< null: no session is open that could answer
    bool hidesAnswers = false;                        ///< says right or wrong, and no more
    bool isAbout = true;                              ///< the session is the one that the page is about
    int atStep = 0;                                   ///< of a nodes question: the step its nodes are marked at
    std::function<QString(const std::string &)> text; ///< with its values, and links that lead
};

/// One question: what is asked, where one answers, and what the session says of the answer.
class QuestionCard : public QFrame {
    Q_OBJECT
public:
    QuestionCard(const profiler::LessonBlock &question, CardContext context, const KeptAnswer *kept, QWidget *parent = nullptr);

    const profiler::LessonBlock &question() const { return m_question; }
    /// Of nodes: takes what was clicked in the graph, or gives it back.
    void toggleNode(std::int64_t apply);
    bool wantsNodes() const { return m_question.kind == profiler::LessonBlockKind::Nodes && !m_isRevealed; }
    const NodeMarks &marks() const { return m_marks; }
    /// What the card says of the answer now.
    QString verdict() const;
    /// Why it is wrong; empty where it is not, or where answers are hidden.
    QString explanation() const;

public Q_SLOTS:
    void check();

Q_SIGNALS:
    void answered(const QString &text, bool isRight, bool isRevealed);
    void marksChanged();
    void revealWanted(const QString &step);
    void linkActivated(const QUrl &link);

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void buildChoice(QVBoxLayout *rows, const KeptAnswer *kept);
    void buildNumber(QVBoxLayout *rows, const KeptAnswer *kept);
    void buildNodes(QVBoxLayout *rows);
    void buildFoot(QVBoxLayout *rows);
    FlowText *addText(QVBoxLayout *rows, const QString &markdown);
    void refreshChips();
    void say(bool isRight, const QString &sentence);
    /// Why an answer is wrong, and where to look: opens the hint. With nothing to say only that.
    void explain(const profiler::Judgement &judgement);
    void judge();
    void judgeChoice();
    void judgeNumber();
    void judgeNodes();
    void judgeTask();
    void showBecause(bool on);
    QString nameOf(profiler::ApplyId apply) const;

    const profiler::LessonBlock &m_question;
    CardContext m_context;
    std::vector<QAbstractButton *> m_options;
    QStringList m_offered;
    QLineEdit *m_number = nullptr;
    QWidget *m_chips = nullptr;
    TextLabel *m_chosen = nullptr;
    QPushButton *m_check = nullptr;
    QToolButton *m_hintButton = nullptr;
    QToolButton *m_see = nullptr;
    FlowText *m_hint = nullptr;
    FlowText *m_because = nullptr;
    FlowText *m_why = nullptr; ///< the answer is wrong
    QWidget *m_verdictRow = nullptr;
    QLabel *m_verdictIcon = nullptr;
    TextLabel *m_verdict = nullptr;
    std::set<profiler::ApplyId> m_marked;
    NodeMarks m_marks;
    bool m_isRevealed = false;
};

} // namespace views
