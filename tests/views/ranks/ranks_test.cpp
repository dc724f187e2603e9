#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "views/session/session_data.h"
#endif

#include "views/common/palette.h"
#include "views/ranks/ranks_bars.h"
#include "views/ranks/ranks_view.h"

#include <QPushButton>
#include <QTableView>
#include <QtTest>

using namespace views;

class RanksTest : public QObject {
    Q_OBJECT

    static constexpr std::int64_t kMs = 1'000'000;

    static ViewFeed feedOf(std::shared_ptr<const SessionData> session)
    {
        ViewFeed feed;
        feed.session = std::move(session);
        feed.changed = kAllFeedParts;
        return feed;
    }
    // Three ranks, of which the last needs longest for itself.
    static std::shared_ptr<SessionData> jobOfThree()
    {
        const auto session = std::make_shared<SessionData>();
        session->info.path = "some/job.croton";
        profiler::Job &job = session->profile.job;
        for (int rank = 0; rank < 3; ++rank) {
            profiler::RankRow row;
            row.rank = rank;
            row.session = rank ? "job." + std::to_string(rank) + ".croton" : "";
            row.durationNs = 100 * kMs;
            row.callNs = rank == 2 ? 80 * kMs : 40 * kMs;
            row.communicationNs = rank == 2 ? 2 * kMs : 42 * kMs;
            row.waitingNs = rank == 2 ? 0 : 40 * kMs;
            job.ranks.push_back(row);
            job.functions.push_back({rank, profiler::FunctionId{1}, "train", {}, 5, row.callNs});
            profiler::RankCommunication call;
            call.rank = rank;
            call.sum.call = "Allreduce";
            call.sum.kind = profiler::kCollectiveCall;
            call.sum.source = {"s.py", 9};
            call.sum.count = 5;
            call.sum.totalNs = row.communicationNs;
            call.waitingNs = row.waitingNs;
            job.communication.push_back(call);
        }
        return session;
    }

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, Theme::load(ThemeKind::Light)); }

    void aSessionOfOneProcessSaysSo()
    {
        SelectionHub hub;
        RanksView view(hub);
        view.show();
        view.feed(feedOf(readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr)));
        QVERIFY2(view.sentence().contains("of one process"), qPrintable(view.sentence()));
        const auto rank = std::make_shared<SessionData>();
        rank->info.rank = 2;
        view.feed(feedOf(rank));
        QVERIFY2(view.sentence().contains("This is rank 2 of a job"), qPrintable(view.sentence()));
        view.feed(feedOf(nullptr));
        QVERIFY2(view.sentence().contains("No session"), qPrintable(view.sentence()));
    }
    void ranksStandSideBySideAndTheSlowestIsNamed()
    {
        SelectionHub hub;
        RanksView view(hub);
        view.resize(1000, 300);
        view.show();
        view.feed(feedOf(jobOfThree()));
        QVERIFY2(view.sentence().contains("wait for rank 2") && view.sentence().endsWith("in train."), qPrintable(view.sentence()));
        QCOMPARE(view.table()->rows()->rowCount(), 3);
        QCOMPARE(view.table()->rows()->table().rows[0].cells[2].value, 60.0 * kMs);
        QCOMPARE(view.calls()->rows()->rowCount(), 1);
        QCOMPARE(view.calls()->rows()->table().rows[0].cells[4].value, 80.0 * kMs);
        QCOMPARE(view.calls()->rows()->index(0, 6).data().toString(), QStringLiteral("s.py:9"));
    }
    void partsOfABarAreAllOfIt()
    {
        const auto job = jobOfThree();
        for (const profiler::RankRow &row : job->profile.job.ranks) {
            std::int64_t sum = 0;
            for (const RanksBars::Part &part : RanksBars::partsOf(row)) sum += part.ns;
            QCOMPARE(sum, row.durationNs);
        }
    }
    void aRankIsChosenAndOpened()
    {
        SelectionHub hub;
        RanksView view(hub);
        view.resize(1000, 300);
        view.show();
        view.feed(feedOf(jobOfThree()));
        QCOMPARE(view.bars()->chosen(), 0);
        QVERIFY(!view.openButton()->isEnabled()); // it is open
        QTest::keyClick(view.bars(), Qt::Key_Down);
        QCOMPARE(view.table()->selectionModel()->selectedRows().value(0).row(), 1);
        view.table()->selectRow(2);
        QCOMPARE(view.bars()->chosen(), 2);
        QSignalSpy asked(&hub, &SelectionHub::requested);
        view.openButton()->click();
        QCOMPARE(asked.value(0).value(0).value<Request>(), Request(OpenFile{"some/job.2.croton"}));
    }
};

QTEST_MAIN(RanksTest)
#include "ranks_test.moc"
