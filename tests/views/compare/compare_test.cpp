#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/export/compare_report.h"
#include "profiler/session/store/database.h"
#include "profiler/session/store/reader.h"
#include "tests/profiler/session/scratch.h"
#include "views/compare/compare_rows.h"
#endif

#include "views/common/choice_tabs.h"
#include "views/common/palette.h"
#include "views/common/picture_panel.h"
#include "views/compare/blocking_rows.h"
#include "views/compare/compare_side_card.h"
#include "views/compare/compare_view.h"
#include "views/compare/compared_table.h"
#include "views/compare/graph_diff.h"
#include "views/compare/timeline_diff.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_pane.h"
#include "views/timeline/timeline_canvas.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QTableView>
#include <QtTest>

using namespace views;

class CompareTest : public QObject {
    Q_OBJECT

    profiler::Scratch m_scratch;
    QString m_a, m_b; ///< a real session, and the same with one apply that takes three times as long
    std::shared_ptr<const SessionData> m_session;

    std::unique_ptr<CompareView> made(SelectionHub &hub)
    {
        auto view = std::make_unique<CompareView>(hub);
        view->resize(1200, 600);
        view->show();
        return view;
    }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        m_a = QString::fromStdString(m_scratch / "before.croton");
        m_b = QString::fromStdString(m_scratch / "after.croton");
        for (const QString &path : {m_a, m_b}) QVERIFY(QFile::copy(CROTON_REAL_SESSION, path));
        {
            profiler::Database b(m_b.toStdString(), profiler::Database::Access::Write);
            b.execute(
                "UPDATE events SET duration_ns = 3 * duration_ns + 3000 WHERE kind = 'apply' AND function = 1 AND apply ="
                " (SELECT apply FROM events WHERE kind = 'apply' AND function = 1 GROUP BY apply ORDER BY sum(duration_ns) DESC LIMIT 1)");
            b.execute("UPDATE script SET text = text || 'one line more'");
            b.execute("UPDATE flags SET value = 'other' WHERE name = 'mode'");
        }
        m_session = readSession(*profiler::SessionReader::open(m_a.toStdString()), nullptr);
    }

    void theNumbersAreThoseOfTheCommand()
    {
        const CompareRows rows(m_a.toStdString(), m_b.toStdString());
        const auto a = profiler::SessionReader::open(m_a.toStdString()), b = profiler::SessionReader::open(m_b.toStdString());
        const profiler::ProfileData dataA = profiler::loadProfile(*a), dataB = profiler::loadProfile(*b);
        const profiler::Comparison printed =
            profiler::compareSessions(dataA, a->steadySamples(dataA.functions), dataB, b->steadySamples(dataB.functions));
        QCOMPARE(profiler::compareReport(rows.comparison), profiler::compareReport(printed));
        QVERIFY(rows.comparison.alarms > 0);
        const TextTable table = rows.table(CompareTable::Applies);
        QCOMPARE(static_cast<int>(table.rows.size()), rows.verdict.paired);
        QVERIFY2(table.rows.front().cells[3].text.startsWith(QStringLiteral("▲ +")), qPrintable(table.rows.front().cells[3].text));
        for (const TextTable::Row &row : table.rows) {
            const profiler::ComparedRow *pair = rows.row(CompareTable::Applies, row.key);
            QVERIFY(pair && row.cells[0].value == pair->a.nsPerCall && row.cells[3].value == pair->deltaNs);
            QCOMPARE(row.cells[3].text.contains(QStringLiteral("▲")) || row.cells[3].text.contains(QStringLiteral("▼")), pair->significant);
        }
        QCOMPARE(rows.scriptChanges, 1);
    }
    void openingAnotherSessionMakesItB()
    {
        SelectionHub hub;
        const auto view = made(hub);
        QVERIFY2(view->sentence().contains("two sessions"), qPrintable(view->sentence()));
        ViewFeed feed;
        feed.session = m_session;
        feed.changed = kAllFeedParts;
        view->feed(feed);
        QCOMPARE(view->pathA(), m_a);
        QVERIFY2(view->sentence().contains("second session"), qPrintable(view->sentence()));
        feed.session = readSession(*profiler::SessionReader::open(m_b.toStdString()), nullptr);
        view->feed(feed);
        QCOMPARE(view->pathA(), m_a);
        QCOMPARE(view->pathB(), m_b);
        QTRY_VERIFY(view->rows());
        QVERIFY(view->sentence().isEmpty());
        view->swap();
        QCOMPARE(view->pathA(), m_b);
        QTRY_COMPARE(view->rows()->a.path, m_b);
    }
    void everyRunIsKeptAndAPinnedSideStays()
    {
        KeptSides sides;
        for (const char *path : {"1", "2", "3"}) sides.add(path);
        QCOMPARE(sides.a + sides.b, QString("23"));
        sides.pinnedA = true;
        sides.add("4");
        QCOMPARE(sides.a + sides.b, QString("24"));
        sides.swap();
        QVERIFY(sides.pinnedB && !sides.pinnedA);
        sides.add("5");
        QCOMPARE(sides.a + sides.b, QString("52"));
        sides.pinnedA = true;
        QVERIFY(!sides.add("6"));
        QCOMPARE(sides.seen(), (QStringList{"6", "5", "4", "3", "2", "1"}));
    }
    void graphsAreMarkedSideBySide()
    {
        SelectionHub hub;
        const auto view = made(hub);
        view->setPaths(m_a, m_b);
        QTRY_VERIFY(view->rows());
        const CompareRows &rows = *view->rows();
        const Scene b = comparedScene(rows, rows.explanation.function, false);
        QVERIFY(!b.nodes.empty());
        const auto marked =
            std::count_if(b.nodes.begin(), b.nodes.end(), [](const SceneNode &node) { return node.pill.contains(QStringLiteral("▲")); });
        const auto slower =
            std::count_if(rows.comparison.applies.begin(), rows.comparison.applies.end(), [&](const profiler::ComparedRow &row) {
                return row.function == rows.explanation.function && profiler::changeOf(row) == profiler::Change::Worse;
            });
        QCOMPARE(marked, slower);
        view->showGraphs();
        QTRY_VERIFY_WITH_TIMEOUT(view->graphs()->isSettled() && !view->graphs()->pane(false)->canvas()->scene().nodes.empty(), 10000);
        view->choose(CompareTable::Classes);
        QVERIFY(view->table()->isVisible() && view->table()->model()->rowCount() > 0);
    }
    void aNameIsShownAndTold()
    {
        SelectionHub hub;
        const auto view = made(hub);
        view->setPaths(m_a, m_b);
        view->setNames({{m_a, "the old way"}});
        QTRY_VERIFY(view->rows());
        QVERIFY2(view->findChildren<CompareSideCard *>()[0]->title().startsWith("the old way"), "no name");
        view->swap();
        QTRY_VERIFY(view->findChildren<CompareSideCard *>()[1]->title().startsWith("the old way"));
    }
    void everyTableSaysWhatItHoldsOrWhyNot()
    {
        SelectionHub hub;
        const auto view = made(hub);
        view->setPaths(m_a, m_b);
        QTRY_VERIFY(view->rows());
        QAbstractItemModelTester tester(view->table()->model());
        for (const CompareTable table : {CompareTable::Applies, CompareTable::Functions, CompareTable::OnlyInOne, CompareTable::Settings,
                                         CompareTable::Script, CompareTable::Classes}) {
            view->choose(table);
            QCOMPARE(view->current(), table);
            if (view->rows()->count(table) == 0) QVERIFY(!view->sentence().isEmpty());
            else QVERIFY(view->table()->isVisible() && view->table()->model()->rowCount() > 0);
            view->grab();
        }
        view->choose(CompareTable::OnlyInOne);
        QVERIFY2(view->sentence().contains("partner"), qPrintable(view->sentence()));
        view->choose(CompareTable::Script);
        const QAbstractItemModel *model = view->table()->model();
        QCOMPARE(model->index(model->rowCount() - 1, 2).data().toString(), QStringLiteral("+"));
        // A session with itself: nothing counts, and it says so.
        view->setPaths(m_a, m_a);
        QTRY_COMPARE(view->rows()->b.path, m_a);
        QCOMPARE(view->rows()->comparison.alarms, 0);
        QVERIFY2(view->headline().contains("No difference"), qPrintable(view->headline()));
        view->choose(CompareTable::Settings);
        QVERIFY2(view->sentence().contains("the same"), qPrintable(view->sentence()));
    }
    void aPairSelectsTheNodeOfTheOpenSession()
    {
        SelectionHub hub;
        const auto view = made(hub);
        ViewFeed feed;
        feed.session = m_session;
        feed.changed = kAllFeedParts;
        view->feed(feed);
        view->setPaths(m_a, m_b);
        QTRY_VERIFY(view->rows());
        view->table()->selectRow(0);
        const profiler::ComparedRow *row =
            view->rows()->row(CompareTable::Applies, view->rows()->table(CompareTable::Applies).rows.front().key);
        QCOMPARE(hub.selection().node, (NodeRef{Side::Optimized, NodeKind::Apply, raw(row->applyA.apply)}));
        QCOMPARE(QString::fromStdString(m_session->function(hub.selection().function)->name), QString::fromStdString(row->function));
    }
    void timelinesMoveTogether()
    {
        SelectionHub hub;
        const auto view = made(hub);
        view->setPaths(m_a, m_b);
        QTRY_VERIFY(view->rows());
        view->showTimelines();
        TimelineDiff *diff = view->timelines();
        QTRY_VERIFY(diff->isSettled());
        QVERIFY(diff->isVisible());
        TimelineCanvas *a = diff->canvas(true), *b = diff->canvas(false);
        const auto span = [](TimelineCanvas *canvas) { return canvas->axis().to() - canvas->axis().from(); };
        QVERIFY(std::abs(span(a) - span(b)) <= 2);
        // Both begin at the first call of the function that speaks.
        const auto firstCall = [&](const SessionData &session) {
            for (const profiler::FunctionInfo &one : session.functions)
                if (one.name == view->rows()->explanation.function) return one.run.firstCallNs;
            return std::int64_t{-1};
        };
        const std::int64_t shift = firstCall(*view->rows()->sessionB) - firstCall(*view->rows()->sessionA);
        QVERIFY(std::abs(b->axis().from() - a->axis().from() - shift) <= 2);
        a->zoomBy(4);
        QVERIFY(std::abs(span(a) - span(b)) <= 2 && std::abs(b->axis().from() - a->axis().from() - shift) <= 2);
        b->zoomBy(2);
        QVERIFY(std::abs(span(a) - span(b)) <= 2);
        // A range of one is a range of the other; both are summed up, and the table has the sums.
        const TimeRange whole = b->range();
        QVERIFY(!whole.isValid());
        a->fit();
        TimeRange range;
        range.startNs = a->axis().from();
        range.endNs = a->axis().to();
        Q_EMIT a->rangeChosen(range);
        QCOMPARE(b->range().startNs, range.startNs + shift);
        QCOMPARE(b->range().endNs - b->range().startNs, range.endNs - range.startNs);
        const TextTable &table = diff->panel()->model()->table();
        QVERIFY(!table.rows.empty());
        double applies[2] = {0, 0};
        for (const TextTable::Row &row : table.rows)
            if (row.cells[0].text == TimelineRows::kindTitle(profiler::TrackKind::Applies))
                for (int side = 0; side < 2; ++side) applies[side] += row.cells[static_cast<std::size_t>(1 + side)].value;
        const auto sumOf = [](const SessionData &session, const TimeRange &of) {
            double ns = 0;
            const TimelineRows rows(session);
            for (const profiler::RangeRow &row : profiler::sumRange(rows.timeline, of.startNs, of.endNs).rows)
                if (row.kind == profiler::TrackKind::Applies) ns += static_cast<double>(row.totalNs);
            return ns;
        };
        QCOMPARE(applies[0], sumOf(*view->rows()->sessionA, a->range()));
        QCOMPARE(applies[1], sumOf(*view->rows()->sessionB, b->range()));
        QVERIFY(applies[0] > 0 && applies[0] != applies[1]);
        diff->align(false);
        QVERIFY(std::abs(b->axis().from() - a->axis().from()) <= 2);
        for (TimelineCanvas *canvas : {a, b}) canvas->grab();
    }
    void devicesAddUpToTheCall()
    {
        SelectionHub hub;
        const auto view = made(hub);
        view->setPaths(m_a, m_b);
        QTRY_VERIFY(view->rows());
        view->choose(CompareTable::Devices);
        const CompareRows &rows = *view->rows();
        double a = 0, perCall = 0;
        for (const profiler::DevicePair &pair : rows.devices) a += pair.clock == profiler::TimedBy::Host ? pair.a : 0;
        for (const profiler::FunctionInfo &one : rows.sessionA->functions)
            if (one.name == rows.explanation.function) perCall = static_cast<double>(one.run.totalNs) / static_cast<double>(one.run.calls);
        QVERIFY2(std::abs(a - perCall) < 1e-3 * perCall, qPrintable(QStringLiteral("%1 of %2").arg(a).arg(perCall)));
        QCOMPARE(view->table()->model()->rowCount(), static_cast<int>(rows.devices.size()));
        view->grab();
    }
    void oneSessionWithBothHasBlockingOffAndOn_data()
    {
        QTest::addColumn<QString>("sample");
        QTest::newRow("exp_on_devices") << "exp_on_devices";
        QTest::newRow("transfers") << "transfers";
    }
    void oneSessionWithBothHasBlockingOffAndOn()
    {
        QFETCH(QString, sample);
        const QString path = QStringLiteral(CROTON_SAMPLES "/%1/%1.croton").arg(sample);
        SelectionHub hub;
        const auto view = made(hub);
        ViewFeed feed;
        feed.session = readSession(*profiler::SessionReader::open(path.toStdString()), nullptr);
        feed.changed = kAllFeedParts;
        view->keep(path); // the window says that it is whole before the view is fed
        view->feed(feed);
        // One session is enough, and nothing has to be chosen.
        const QTableView *table = view->table();
        QVERIFY(!view->rows() && table->isVisible() && view->sentence().isEmpty());
        QVERIFY2(view->headline().contains("blocking"), qPrintable(view->headline()));
        double off = 0, on = 0; // the sums that the session keeps
        for (const profiler::ApplyStats &stats : feed.session->profile.stats) {
            off += static_cast<double>(stats.totalNs);
            on += static_cast<double>(stats.blockingNs.value_or(0));
        }
        const BlockingRows &both = feed.session->derived<BlockingRows>();
        QCOMPARE(table->model()->rowCount(), static_cast<int>(both.pairs.size()));
        for (const profiler::BlockingPair &pair : both.pairs) {
            off -= pair.offNs * static_cast<double>(pair.calls);
            on -= pair.onNs * static_cast<double>(pair.calls);
        }
        QVERIFY(std::abs(off) < 1 && std::abs(on) < 1);
        view->table()->selectRow(0);
        QCOMPARE(hub.selection().node, (NodeRef{Side::Optimized, NodeKind::Apply, raw(both.pairs.front().apply.apply)}));
        view->grab();
        // With a second session the tables of two come back, and it stays among the choices.
        view->setPaths(path, m_a);
        QTRY_VERIFY(view->rows());
        QCOMPARE(view->findChild<ChoiceTabs *>()->current(), QString("applies"));
        view->showBlocking();
        QCOMPARE(table->model()->rowCount(), static_cast<int>(both.pairs.size()));
        view->choose(CompareTable::Functions);
        QCOMPARE(view->current(), CompareTable::Functions);
    }
    void sessionsWithNothingInCommon()
    {
        const std::string other = m_scratch / "other.croton";
        QVERIFY(QFile::copy(CROTON_REAL_SESSION, QString::fromStdString(other)));
        profiler::Database(other, profiler::Database::Access::Write)
            .execute("UPDATE functions SET name = 'other' || id, file = 'other.py', line = 1000 + id");
        SelectionHub hub;
        const auto view = made(hub);
        view->setPaths(m_a, QString::fromStdString(other));
        QTRY_VERIFY(view->rows());
        QVERIFY2(view->headline().contains("Nothing in common"), qPrintable(view->headline()));
        QVERIFY(!view->sentence().isEmpty());
        view->choose(CompareTable::OnlyInOne);
        QVERIFY(view->table()->isVisible());
    }
    void aFileThatIsNoSessionIsASentence()
    {
        SelectionHub hub;
        const auto view = made(hub);
        view->setPaths(m_a, QString::fromStdString(m_scratch / "missing.croton"));
        QTRY_VERIFY2(view->sentence().contains("missing.croton"), qPrintable(view->sentence()));
        view->setPaths(m_a, m_b); // and it goes on
        QTRY_VERIFY(view->rows());
        QVERIFY(view->sentence().isEmpty());
    }
};

QTEST_MAIN(CompareTest)
#include "compare_test.moc"
