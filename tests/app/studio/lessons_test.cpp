// Every lesson, walked page by page through the real window: the samples open, the views follow, each question is answered wrong and
// right and says so, each link leads somewhere.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/graph_page.h"
#include "tests/app/studio/one_window.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_pane.h"
#include "views/help/help_view.h"
#include "views/lessons/lesson_view.h"
#include "views/lessons/question_card.h"
#endif

#include "app/studio/pages/handout.h"
#include "app/studio/pages/welcome_page.h"
#include "profiler/lessons/lesson_check.h"

#include <QAbstractButton>
#include <QAction>
#include <QDir>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBrowser>

using namespace app;
using namespace views;
using profiler::LessonBlockKind;

class LessonsTest : public OneWindow {
    Q_OBJECT

    LessonView *panel() { return view<LessonView>("lessons"); }
    LessonFolders folders() const
    {
        return {QStringLiteral(CROTON_ROOT "/resources/lessons"), QStringLiteral(CROTON_ROOT "/samples"), scratch("answers")};
    }
    void openPanel()
    {
        m_window->showView(QStringLiteral("lessons"));
        panel()->setFolders(folders());
        QVERIFY(m_window->workspaces().isShown("lessons"));
    }
    void rest() { QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 20000); }
    QuestionCard *card(const char *id) const { return m_window->findChild<QuestionCard *>(QLatin1String(id)); }
    static QAbstractButton *checkOf(const QuestionCard *card) { return card->findChild<QAbstractButton *>(QStringLiteral("check")); }
    profiler::SessionFacts *factsAt(std::unique_ptr<profiler::LessonSession> &session)
    {
        session = std::make_unique<profiler::LessonSession>(m_window->session()->info.path);
        session->facts->setFunction(panel()->lesson()->pages[static_cast<std::size_t>(panel()->page())].stand.function);
        return session->facts.get();
    }
    const KeptAnswer *kept(const QuestionCard *card) { return panel()->answers().find(QString::fromStdString(card->question().id)); }

    /// A picture for a person, where one asks for it.
    void look(const QString &name)
    {
        if (qEnvironmentVariableIsSet("CROTON_PICTURES"))
            m_window->grab().save(qEnvironmentVariable("CROTON_PICTURES") + '/' + name + ".png");
    }
    void press(const QuestionCard *card)
    {
        QVERIFY2(checkOf(card)->isEnabled(), qPrintable(card->objectName()));
        checkOf(card)->click();
    }
    void told(const QuestionCard *card, bool isRight)
    {
        const QString where = panel()->lesson()->name.c_str() + ('/' + card->objectName()) + ": " + card->verdict();
        QVERIFY2(!card->verdict().isEmpty(), qPrintable(where));
        QVERIFY2(kept(card), qPrintable(where));
        QVERIFY2(kept(card)->isRight == isRight, qPrintable(where));
        const bool saysRight = card->verdict().startsWith("Right") || card->verdict().startsWith("Done");
        QVERIFY2(saysRight == isRight, qPrintable(where));
    }
    static void choose(const QuestionCard *card, const std::set<int> &wanted)
    {
        int at = 0;
        for (QAbstractButton *button : card->findChildren<QAbstractButton *>()) {
            if (!button->isCheckable()) continue;
            if (button->isChecked() != (wanted.count(at) > 0)) button->click();
            ++at;
        }
    }
    void answerChoice(const QuestionCard *card, profiler::SessionFacts &facts)
    {
        const auto offered = profiler::offeredAnswers(facts, card->question());
        std::set<int> right, wrong;
        for (int i = 0; i < static_cast<int>(offered.size()); ++i) (offered[static_cast<std::size_t>(i)].isRight ? right : wrong).insert(i);
        for (const int each : wrong) {
            choose(card, {each});
            press(card);
            told(card, false);
            QVERIFY2(panel()->hidesAnswers() || !card->explanation().isEmpty(), qPrintable(card->objectName()));
        }
        choose(card, right);
        press(card);
        told(card, true);
    }
    void answerNumber(const QuestionCard *card, profiler::SessionFacts &facts)
    {
        auto *line = card->findChild<QLineEdit *>();
        line->setText("-98765");
        press(card);
        told(card, false);
        line->setText(QString::fromStdString(profiler::judgeNumber(facts, card->question(), {}).expected));
        press(card);
        told(card, true);
    }
    /// Clicks as a person would see the nodes: in the picture of the graph at the step of the page.
    void clickNode(profiler::ApplyId id) { m_window->hub().selectNode({Side::Optimized, NodeKind::Apply, profiler::raw(id)}); }
    void answerNodes(const QString &name, profiler::SessionFacts &facts)
    {
        const auto find = [&] { return m_window->findChild<QuestionCard *>(name); };
        const profiler::LessonBlock &question = find()->question();
        const int step = facts.step(panel()->lesson()->pages[static_cast<std::size_t>(panel()->page())].stand.at);
        const std::set<profiler::ApplyId> right = profiler::judgeNodes(facts, question, {}, step).missed;
        profiler::ApplyId wrong = profiler::kNoApply;
        for (const profiler::ApplyId id : facts.graphAt(step).applies())
            if (!right.count(id) && facts.isDrawn(id, step)) wrong = id;
        QVERIFY(wrong != profiler::kNoApply);
        clickNode(wrong);
        QCOMPARE(find()->marks().size(), 1);
        QVERIFY(m_window->hub().marks() == find()->marks());
        press(find());
        told(find(), false);
        QVERIFY2(!find()->explanation().isEmpty(), qPrintable(name));
        const int page = panel()->page();
        panel()->showPage(page); // a fresh card
        rest();
        for (const profiler::ApplyId id : right) clickNode(id);
        QCOMPARE(find()->marks().size(), static_cast<qsizetype>(right.size()));
        // Each of them stands in the picture, so that a person can click it.
        QCOMPARE(view<GraphPage>("graph")->optimizedPane()->canvas()->marks().size(), static_cast<qsizetype>(right.size()));
        press(find());
        told(find(), true);
    }
    void answer(const QString &name)
    {
        std::unique_ptr<profiler::LessonSession> session;
        const QuestionCard *card = m_window->findChild<QuestionCard *>(name);
        const LessonBlockKind kind = card->question().kind;
        if (kind == LessonBlockKind::Task) {
            // The recorded session may have done it already; a verdict is given in any case.
            press(card);
            QVERIFY(!card->verdict().isEmpty());
            QVERIFY(kept(card)->isRight == card->verdict().startsWith("Done"));
            return;
        }
        profiler::SessionFacts &facts = *factsAt(session);
        if (kind == LessonBlockKind::Choice) answerChoice(card, facts);
        else if (kind == LessonBlockKind::Number) answerNumber(card, facts);
        else answerNodes(name, facts);
    }
    void followLinks(const profiler::LessonPage &page)
    {
        HelpPages help(QStringLiteral(CROTON_DOCS));
        for (const profiler::LessonBlock &block : page.blocks)
            for (const profiler::LessonLink &link : profiler::linksOf(block.text + "\n" + block.hint + "\n" + block.because)) {
                const QString target = QString::fromStdString(link.target);
                const QString whole = QString::fromStdString(link.kind + ":" + link.target);
                if (link.kind == "lesson" || link.kind == "sample" || link.kind == "script") continue; // the checker opens them
                if (link.kind == "help") {
                    const HelpPlace place = help.placeOfLink(
                        "index", target.section('#', 0, 0) + ".md" + (target.contains('#') ? '#' + target.section('#', 1) : QString()));
                    QVERIFY2(help.has(place), qPrintable(whole));
                    continue;
                }
                QVERIFY2(panel()->follow(whole), qPrintable(whole));
                QVERIFY2(m_window->notices().lastError().isEmpty(), qPrintable(whole + ": " + m_window->notices().lastError()));
                if (link.kind == "view") QVERIFY2(m_window->workspaces().isShown(target), qPrintable(whole));
                QVERIFY2(m_window->workspaces().isShown("lessons"), "the lesson stays beside what it shows");
                rest();
            }
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(true);
    }

    void init()
    {
        QDir(scratch("answers")).removeRecursively();
        showWindow();
    }
    void cleanup() { m_window.reset(); }

    void walk_data()
    {
        QTest::addColumn<QString>("name");
        for (const profiler::Lesson &lesson : profiler::lessonsIn(folders().lessons.toStdString()))
            QTest::newRow(lesson.name.c_str()) << QString::fromStdString(lesson.name);
    }

    void walk()
    {
        QFETCH(QString, name);
        openPanel();
        panel()->openLesson(name);
        QVERIFY(panel()->isReading());
        const int pages = static_cast<int>(panel()->lesson()->pages.size());
        for (int i = 0; i < pages; ++i) {
            QCOMPARE(panel()->page(), i);
            const profiler::LessonPage &page = panel()->lesson()->pages[static_cast<std::size_t>(i)];
            if (!page.stand.sample.empty()) QTRY_VERIFY_WITH_TIMEOUT(panel()->isAtHome() && !panel()->isArriving(), 20000);
            rest();
            QVERIFY2(m_window->workspaces().isShown("lessons"), "the lesson stays");
            if (!page.stand.view.empty())
                QVERIFY2(m_window->workspaces().isShown(QString::fromStdString(page.stand.view)), page.stand.view.c_str());
            QStringList questions;
            for (const QuestionCard *card : panel()->cards()) questions << card->objectName();
            for (const QString &question : questions) answer(question);
            followLinks(page);
            panel()->showPage(i);
            rest();
            auto *next = m_window->findChild<QPushButton *>(QStringLiteral("lessonNext"));
            next->click();
        }
        QVERIFY2(!panel()->isReading(), "behind the last page comes the list");
    }

    void answersAreKeptAndExported()
    {
        openPanel();
        panel()->openLesson("graph");
        QTRY_VERIFY_WITH_TIMEOUT(panel()->isAtHome() && !panel()->isArriving(), 20000);
        rest();
        answer("applies-as-written");
        panel()->showShelf();
        panel()->openLesson("graph");
        QVERIFY(kept(card("applies-as-written"))->isRight);
        QVERIFY(card("applies-as-written")->verdict().contains("right"));
        QCOMPARE(panel()->answers().rightCount(), 1);
        QVERIFY(panel()->answers().path().startsWith(scratch("answers")));
        QCOMPARE(panel()->exportAnswers(scratch("out.csv")), QString());
        QFile table(scratch("out.csv"));
        QVERIFY(table.open(QIODevice::ReadOnly));
        QVERIFY(table.readAll().contains("\"applies-as-written\",\"2\",yes,,"));
        QVERIFY(panel()->exportAnswers(scratch("no/such/folder.csv")).contains("Choose another place"));
        panel()->forgetAnswers();
        QVERIFY(!QFile::exists(panel()->answers().path()));
        QVERIFY(card("applies-as-written")->verdict().isEmpty());
    }

    void answersToASessionOfOnesOwnLieBesideIt()
    {
        const QString own = scratch("first_function.croton");
        QVERIFY(QFile::copy(folders().samples + "/first_function/first_function.croton", own));
        open(own);
        openPanel();
        panel()->openLesson("graph");
        QCOMPARE(panel()->answers().path(), scratch("graph.answers.json"));
    }

    void hiddenAnswersStayHidden()
    {
        openPanel();
        panel()->openLesson("merge", 1);
        QTRY_VERIFY_WITH_TIMEOUT(panel()->isAtHome() && !panel()->isArriving(), 20000);
        rest();
        panel()->setHidesAnswers(true);
        std::unique_ptr<profiler::LessonSession> session;
        const std::set<profiler::ApplyId> right = factsAt(session)->value(card("first-merge")->question().answer).nodes;
        QCOMPARE(right.size(), std::size_t(2));
        clickNode(*right.begin());
        press(card("first-merge"));
        told(card("first-merge"), false);
        QVERIFY(card("first-merge")->wantsNodes());
        for (const NodeMark mark : card("first-merge")->marks()) QCOMPARE(mark, NodeMark::Chosen);
        // A second click takes a mark away.
        clickNode(*right.begin());
        QVERIFY(card("first-merge")->marks().isEmpty());
    }

    void aTeacherGoesThroughTheMenu()
    {
        openPanel();
        panel()->openLesson("your_own");
        QTRY_VERIFY_WITH_TIMEOUT(panel()->isAtHome() && !panel()->isArriving(), 20000);
        rest();
        const auto choose = [&](const char *name) {
            auto *action = m_window->findChild<QAction *>(QLatin1String(name));
            QVERIFY2(action, name);
            action->trigger();
            rest();
        };
        const auto words = [&] {
            QString all;
            for (const QTextBrowser *each : panel()->findChildren<QTextBrowser *>())
                if (each->isVisible()) all += each->toPlainText() + '\n';
            return all;
        };
        QVERIFY(!words().contains("Only you see this"));
        choose("teacherNotes");
        QVERIFY2(words().contains("Only you see this"), qPrintable(words()));
        look("notes");
        panel()->showPage(2);
        rest();
        const auto solution = [&] {
            for (auto *button : panel()->findChildren<QAbstractButton *>())
                if (button->isVisible() && button->text() == "Show a solution") return button;
            return static_cast<QAbstractButton *>(nullptr);
        };
        QVERIFY(solution());
        solution()->click();
        QVERIFY(words().contains("This is folded until"));
        choose("hideAnswers");
        QVERIFY2(!solution() && !words().contains("This is folded until"), qPrintable(words()));
        panel()->showPage(1);
        rest();
        std::unique_ptr<profiler::LessonSession> session;
        answerChoice(card("a-choice"), *factsAt(session));
        QVERIFY2(!words().contains("became"), "what is said behind an answer gives it away");
        look("hidden");
        choose("hideAnswers");
        QVERIFY2(words().contains("became"), qPrintable(words()));
        const int letters = panel()->fontMetrics().height();
        m_window->hub().request(Command::Presenter);
        m_window->settle();
        rest();
        QVERIFY(panel()->fontMetrics().height() > letters * 5 / 4);
        look("presenter");
        m_window->hub().request(Command::Presenter);
        rest();
        choose("forgetAnswers");
        QCOMPARE(panel()->answers().rightCount(), 0);
        QVERIFY(card("a-choice")->verdict().isEmpty());
    }

    void theCanvasShowsTheMarks()
    {
        openPanel();
        panel()->openLesson("merge", 1);
        QTRY_VERIFY_WITH_TIMEOUT(panel()->isAtHome() && !panel()->isArriving(), 20000);
        rest();
        std::unique_ptr<profiler::LessonSession> session;
        const profiler::ApplyId id = *factsAt(session)->value(card("first-merge")->question().answer).nodes.begin();
        auto *canvas = view<GraphPage>("graph")->optimizedPane()->canvas();
        SceneKey key = kNoSceneKey;
        for (const SceneNode &node : canvas->scene().nodes)
            if (isApply(node.kind) && key == kNoSceneKey) key = node.key;
        canvas->reveal(key);
        m_window->settle();
        QTest::mouseClick(canvas, Qt::LeftButton, Qt::NoModifier, canvas->widgetRect(key).center().toPoint());
        QCOMPARE(card("first-merge")->marks().size(), 1);
        QCOMPARE(canvas->marks().value(key), NodeMark::Chosen);
        Q_UNUSED(id)
    }

    void aLinkToALineKeepsTheQuestionInView()
    {
        m_window->resize(1280, 800);
        openPanel();
        panel()->openLesson("graph");
        QTRY_VERIFY_WITH_TIMEOUT(panel()->isAtHome() && !panel()->isArriving(), 20000);
        rest();
        QVERIFY(panel()->follow("line:6"));
        rest();
        m_window->settle();
        look("line");
        QVERIFY(m_window->workspaces().isShown("source") && m_window->workspaces().isShown("lessons"));
        const auto isSeen = [&](const QWidget *widget) {
            return QRect(panel()->mapToGlobal(QPoint()), panel()->size()).contains(QRect(widget->mapToGlobal(QPoint()), widget->size()));
        };
        QTRY_VERIFY(!checkOf(card("applies-as-written"))->visibleRegion().isEmpty());
        QVERIFY(isSeen(checkOf(card("applies-as-written"))));
        QVERIFY(!card("applies-as-written")->findChild<QLineEdit *>()->visibleRegion().isEmpty());
        QCOMPARE(m_window->hub().selection().source.line, 6);
    }

    void aWrongAnswerIsExplained()
    {
        openPanel();
        panel()->openLesson("graph");
        QTRY_VERIFY_WITH_TIMEOUT(panel()->isAtHome() && !panel()->isArriving(), 20000);
        rest();
        const auto say = [&](const char *number) {
            card("applies-as-written")->findChild<QLineEdit *>()->setText(number);
            press(card("applies-as-written"));
            rest();
            m_window->settle();
            return card("applies-as-written")->verdict();
        };
        QCOMPARE(say("1"), QString("Not right: 1 is too small."));
        QCOMPARE(card("applies-as-written")->explanation(), QString());
        QCOMPARE(say("two"), QString("Not right: two is not a number."));
        QCOMPARE(say("3"), QString("Not right: 3 is too large."));
        QVERIFY2(card("applies-as-written")->explanation().contains("DimShuffle"), qPrintable(card("applies-as-written")->explanation()));
        look("wrong");
        QVERIFY(say("2").startsWith("Right"));
        QCOMPARE(card("applies-as-written")->explanation(), QString());
        panel()->setHidesAnswers(true);
        QCOMPARE(say("3"), QString("Not right. Look again, and try another number."));
        QCOMPARE(card("applies-as-written")->explanation(), QString());
    }

    void anotherSessionWaitsWithAWayBack()
    {
        openPanel();
        panel()->openLesson("graph");
        QTRY_VERIFY_WITH_TIMEOUT(panel()->isAtHome() && !panel()->isArriving(), 20000);
        open(folders().samples + "/mlp/mlp.croton");
        QVERIFY(!panel()->isAtHome());
        QVERIFY(!checkOf(card("applies-as-written"))->isEnabled());
        auto *back = m_window->findChild<QPushButton *>(QStringLiteral("openSample"));
        QVERIFY(back && back->isVisible());
        back->click();
        QTRY_VERIFY_WITH_TIMEOUT(panel()->isAtHome() && !panel()->isArriving(), 20000);
    }

    void aDamagedFileSaysWhatToDo()
    {
        openPanel();
        QFile file(scratch("mine.md"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("lesson: Mine\n\n# Page\n\n::: number a\nHow many?\n");
        file.close();
        panel()->openFile(scratch("mine.md"));
        QVERIFY(!panel()->isReading());
        QString shown;
        for (const QTextBrowser *words : panel()->findChildren<QTextBrowser *>()) shown += words->toPlainText();
        QVERIFY2(shown.contains("Line 5: The block 'number' does not end"), qPrintable(shown));
        QVERIFY2(shown.contains("Way out:"), qPrintable(shown));
    }

    void viewsAreThoseOfTheStudio()
    {
        QStringList ids = studioViews().ids();
        QStringList known;
        for (const std::string &view : profiler::lessonViews()) known << QString::fromStdString(view);
        ids.sort();
        known.sort();
        QCOMPARE(known, ids);
    }

    void theWelcomePageLeadsThere()
    {
        auto *learn = m_window->findChild<QAbstractButton *>(QStringLiteral("welcomeLearn"));
        QVERIFY(learn);
        QTest::mouseClick(learn, Qt::LeftButton);
        QVERIFY(m_window->workspaces().isShown("lessons"));
        m_window->hub().request(HideView{"lessons"});
        QVERIFY(!m_window->workspaces().isShown("lessons"));
    }

    void otherDocksComeBack()
    {
        open(folders().samples + "/mlp/mlp.croton");
        QVERIFY(m_window->workspaces().isShown("functions"));
        openPanel();
        QVERIFY(!m_window->workspaces().isShown("functions"));
        m_window->hub().request(HideView{"lessons"});
        QVERIFY(m_window->workspaces().isShown("functions"));
    }

    void aHandoutIsAPdf()
    {
        std::vector<profiler::LessonFault> faults;
        const profiler::Lesson lesson = profiler::readLessonFile((folders().lessons + "/merge.md").toStdString(), faults);
        QCOMPARE(writeHandout(lesson, folders().samples, scratch("plain.pdf"), false), QString());
        QCOMPARE(writeHandout(lesson, folders().samples, scratch("answers.pdf"), true), QString());
        for (const char *name : {"plain.pdf", "answers.pdf"}) {
            QFile file(scratch(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            QVERIFY(text.startsWith("%PDF") && text.contains("/Subtype /Image"));
        }
        QVERIFY(writeHandout(lesson, folders().samples, scratch("no/such.pdf"), false).contains("Choose another place"));
        QVERIFY(writeHandout(lesson, scratch(""), scratch("none.pdf"), false).contains("cannot be printed"));
    }
};

QTEST_MAIN(LessonsTest)
#include "lessons_test.moc"
