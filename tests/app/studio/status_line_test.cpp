#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/window/status_line.h"
#include "profiler/session/store/reader.h"
#endif

#include <QLabel>
#include <QtTest>

using namespace app;
using namespace views;

class StatusLineTest : public QObject {
    Q_OBJECT

    ViewFeed m_feed;

private Q_SLOTS:
    void initTestCase()
    {
        m_feed.session = readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr);
        m_feed.function = m_feed.session->busiestFunction();
        m_feed.graph = m_feed.session->graphOf(raw(m_feed.function->id));
    }
    void eachStateHasItsSentence()
    {
        StatusFacts facts;
        QCOMPARE(statusTexts({}, facts).sentence, QString("Ready"));
        QVERIFY(statusTexts({}, facts).icon.isEmpty());
        facts.reading = true;
        facts.readingName = "a.croton";
        QVERIFY(statusTexts({}, facts).sentence.contains("a.croton"));
        facts = {};
        facts.welcome = false;
        QVERIFY(statusTexts(m_feed, facts).sentence.startsWith("Run finished"));
        facts.running = true;
        facts.elapsedSeconds = 3;
        QVERIFY(statusTexts(m_feed, facts).sentence.startsWith("Running for"));
        auto cut = std::make_shared<SessionData>();
        cut->info.path = "cut.croton";
        cut->info.state = profiler::SessionState::CutOff;
        cut->costs = std::make_shared<const profiler::Costs>(cut->profile);
        ViewFeed feed;
        feed.session = cut;
        facts.running = false;
        QCOMPARE(statusTexts(feed, facts).icon, QString("warning"));
    }
    void nothingIsSaidOfASessionBehindTheFirstPage()
    {
        const StatusTexts texts = statusTexts(m_feed, {});
        QVERIFY(texts.machine.isEmpty() && texts.nodes.isEmpty() && texts.outside.isEmpty());
        QVERIFY(texts.note.startsWith("Croton"));
    }
    void figuresAreThoseOfTheSelection()
    {
        StatusFacts facts;
        facts.welcome = false;
        facts.note = "75%";
        StatusTexts texts = statusTexts(m_feed, facts);
        QVERIFY(texts.nodes.contains(QString::number(m_feed.function->appliesOptimized)));
        QVERIFY(texts.outside.startsWith("Outside thunks"));
        QCOMPARE(texts.note, QString("75%"));
        ViewFeed feed = m_feed;
        feed.selection.step = 3;
        texts = statusTexts(feed, facts);
        QCOMPARE(texts.nodes, QString("Step 3 of %1").arg(feed.graph->info.stepCount));
    }
    void theLargestSharesAndTheTitle()
    {
        QVERIFY(sharesText({}).isEmpty());
        const QString shares = sharesText(m_feed);
        QVERIFY2(shares.contains("<b>") && shares.contains("%"), qPrintable(shares));
        QCOMPARE(titleText({}, "a.py"), QString("Croton Studio"));
        QCOMPARE(titleText(m_feed, "a.py"), QString("a.py · train — Croton Studio"));
    }
    void theLineShowsItsTexts()
    {
        StatusLine line;
        StatusTexts texts;
        texts.sentence = "Ready";
        texts.nodes = "Applies 5 → 2";
        line.setTexts(texts);
        line.showProgress("half");
        QStringList shown;
        for (const QLabel *label : line.findChildren<QLabel *>()) shown << label->text();
        QVERIFY(shown.contains("half") && shown.contains("Applies 5 → 2") && !shown.contains("Ready"));
    }
};

QTEST_MAIN(StatusLineTest)
#include "status_line_test.moc"
