// Following a session without a window: what is fed, what is selected, what the strip says.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/run/session_keeper.h"
#include "tests/profiler/record/live_session.h"
#include "tests/profiler/session/scratch.h"
#endif

#include <QSignalSpy>
#include <QtTest>

using namespace app;
using namespace views;

class SessionKeeperTest : public QObject {
    Q_OBJECT

    profiler::Scratch m_scratch;
    QString m_path;

private Q_SLOTS:
    void initTestCase()
    {
        m_path = QString::fromStdString(m_scratch / "a.croton");
        QVERIFY(QFile::copy(QStringLiteral(CROTON_REAL_SESSION), m_path));
    }
    void aSessionComesWithItsBusiestFunction()
    {
        SelectionHub hub;
        std::atomic<int> prepared = 0;
        SessionKeeper keeper(hub, [&](const SessionData &) { ++prepared; });
        QVERIFY(!keeper.feed().session);
        QSignalSpy changed(&keeper, &SessionKeeper::changed);
        keeper.open(m_path, false);
        QVERIFY(keeper.isReading());
        QTRY_COMPARE(changed.size(), 2); // it is there, and then so is what views make of it
        QVERIFY(!keeper.isReading());
        QCOMPARE(prepared.load(), 1);
        QVERIFY(keeper.session()->isPrepared);
        QVERIFY(!changed[1][0].value<FeedParts>());
        const auto parts = changed[0][0].value<FeedParts>();
        QVERIFY(parts.testFlag(FeedPart::Opened) && parts.testFlag(FeedPart::Session) && parts.testFlag(FeedPart::Graph));
        const ViewFeed feed = keeper.feed();
        QVERIFY(feed.function == feed.session->busiestFunction());
        QVERIFY(feed.graph && feed.links && feed.costs());
        QCOMPARE(&feed.links->graph(), feed.graph.get());
        QVERIFY2(!hub.canGoBack(), "opening is no step of the history");
        keeper.open(m_path, false);
        QTRY_COMPARE(changed.size(), 4);
        QVERIFY(changed[2][0].value<FeedParts>().testFlag(FeedPart::Opened));
    }
    void theSelectionIsFollowedWithItsGraphAndItsLinks()
    {
        SelectionHub hub;
        SessionKeeper keeper(hub);
        keeper.open(m_path, false);
        QTRY_VERIFY(keeper.session());
        QSignalSpy changed(&keeper, &SessionKeeper::changed);
        const Links &links = *keeper.feed().links;
        const auto &applies = links.graph().applies;
        const auto stems = [&](const auto &row) { return row.inOptimized && !links.originalsOf(raw(row.apply)).empty(); };
        const auto row = std::find_if(applies.begin(), applies.end(), stems);
        QVERIFY(row != applies.end());
        hub.selectNode({Side::Original, NodeKind::Apply, *links.originalsOf(raw(row->apply)).begin()});
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed[0][0].value<FeedParts>(), FeedParts(FeedPart::Selection));
        QCOMPARE(changed[0][1].value<SelectionParts>(), SelectionParts(SelectionPart::Node));
        QVERIFY(!hub.linked().nodes.isEmpty());
        const auto before = keeper.feed().graph;
        QString error;
        QVERIFY(keeper.selectFunction("predict", &error));
        QVERIFY(changed[1][0].value<FeedParts>().testFlag(FeedPart::Graph));
        QVERIFY(keeper.feed().graph != before);
        QVERIFY(hub.linked().nodes.isEmpty());
    }
    void namesOfTheCommandLineAreFound()
    {
        SelectionHub hub;
        SessionKeeper keeper(hub);
        keeper.open(m_path, false);
        QTRY_VERIFY(keeper.session());
        QString error;
        QVERIFY(keeper.select("1", &error));
        QCOMPARE(hub.selection().node.side, Side::Optimized);
        QVERIFY(keeper.select("original:1", &error));
        QCOMPARE(hub.selection().node.side, Side::Original);
        QVERIFY(keeper.select("line:7", &error));
        QCOMPARE(hub.selection().source.line, 7);
        QCOMPARE(hub.selection().source.file, QString::fromStdString(keeper.session()->sourceFiles().front()));
        QVERIFY(!keeper.select("no such node", &error));
        QVERIFY(error.contains("no such node"));
        QVERIFY(!keeper.selectFunction("nobody", &error));
        QVERIFY(error.contains("nobody"));
        const int last = keeper.feed().graph->info.stepCount;
        QVERIFY(last > 1);
        QVERIFY2(keeper.selectStep(QString::number(last), &error), qPrintable(error));
        QCOMPARE(hub.selection().step, last);
        const Selection before = hub.selection();
        QVERIFY(!keeper.selectStep(QString::number(last + 1), &error));
        QVERIFY2(error.contains(QString::number(last + 1)) && error.contains(QStringLiteral("0 to %1").arg(last)), qPrintable(error));
        Selection elsewhere;
        elsewhere.function = 1000;
        QVERIFY(!keeper.select(elsewhere, &error));
        QVERIFY2(error.contains("1000"), qPrintable(error));
        QCOMPARE(hub.selection(), before);
        QVERIFY(keeper.selectStep("first", &error) && hub.selection().step == 0);
        QVERIFY(keeper.selectStep("last", &error) && hub.selection().step == Selection::kLastStep);
    }
    void aBrokenFileGetsASentenceAndTheLastSessionStays()
    {
        SelectionHub hub;
        SessionKeeper keeper(hub);
        keeper.open(m_path, false);
        QTRY_VERIFY(keeper.session());
        const SessionData *before = keeper.session();
        const QString broken = QString::fromStdString(m_scratch / "broken.croton");
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(5000, 'x'));
        file.close();
        QSignalSpy failed(&keeper, &SessionKeeper::failed);
        keeper.open(broken, false);
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(!failed[0][0].toString().isEmpty());
        QVERIFY(!keeper.isReading());
        QCOMPARE(keeper.session(), before);
    }
    void whatIsShownIsFollowedAgainWhereReadingAnotherFails()
    {
        SelectionHub hub;
        std::atomic<bool> mayGoOn = false;
        SessionKeeper keeper(hub, [&](const SessionData &) {
            while (!mayGoOn) QThread::msleep(1);
        });
        keeper.open(m_path, false);
        QTRY_VERIFY(keeper.session());
        const QString broken = QString::fromStdString(m_scratch / "nothing.croton");
        QSignalSpy failed(&keeper, &SessionKeeper::failed);
        keeper.open(broken, false);
        QTRY_COMPARE(failed.size(), 1);
        QCOMPARE(keeper.path(), m_path);
        QVERIFY(!keeper.session()->isPrepared);
        bool toldWhenPrepared = false;
        connect(&keeper, &SessionKeeper::changed, &keeper, [&] { toldWhenPrepared = keeper.session()->isPrepared; });
        mayGoOn = true;
        QTRY_VERIFY(toldWhenPrepared);
        keeper.open(m_path, false);
        QTRY_VERIFY(!keeper.isReading());
        QCOMPARE(failed.size(), 1);
    }
    void aGrowingSessionKeepsTheSelection()
    {
        const QString path = QString::fromStdString(m_scratch / "live.croton");
        profiler::LiveSession live(path.toStdString());
        SelectionHub hub;
        SessionKeeper keeper(hub);
        keeper.open(path, true);
        QTRY_VERIFY_WITH_TIMEOUT(keeper.function(), 10000);
        hub.selectNode({Side::Original, NodeKind::Apply, 1});
        const Selection selection = hub.selection();
        const std::int64_t before = keeper.session()->functions.front().run.calls;
        live.call(50);
        QTRY_VERIFY_WITH_TIMEOUT(keeper.session()->functions.front().run.calls > before, 10000);
        QCOMPARE(hub.selection(), selection);
        QVERIFY(hub.canGoBack());
    }
};

QTEST_GUILESS_MAIN(SessionKeeperTest)
#include "session_keeper_test.moc"
