#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/database.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/trials.h"
#include "tests/profiler/session/scratch.h"
#include "views/worth/worth_rows.h"
#endif

#include "tests/views/feed.h"
#include "views/common/choice_tabs.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/measure_strip.h"
#include "views/common/measuring.h"
#include "views/common/palette.h"
#include "views/common/picture_panel.h"
#include "views/graph/graph_pane.h"
#include "views/worth/worth_canvas.h"
#include "views/worth/worth_graphs.h"
#include "views/worth/worth_view.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

using namespace views;
using profiler::WorthMeasure;

class WorthTest : public QObject {
    Q_OBJECT

    profiler::Scratch m_scratch;
    std::shared_ptr<const SessionData> m_session;
    std::unique_ptr<SelectionHub> m_hub;
    std::unique_ptr<WorthView> m_view;

    void feed(std::shared_ptr<const SessionData> session, bool canRun = true)
    {
        ViewFeed feed = feedOf(std::move(session), *m_hub, kAllFeedParts, ~SelectionParts());
        feed.canRun = canRun;
        m_view->feed(feed);
    }
    std::shared_ptr<const SessionData> without(const char *name, const char *sql)
    {
        const std::string path = m_scratch / name;
        std::filesystem::copy_file(CROTON_TRIED_SESSION, path);
        profiler::Database(path, profiler::Database::Access::Write).execute(sql);
        return readSession(*profiler::SessionReader::open(path), nullptr);
    }
    int lineOf(WorthLine::Kind kind, int nth = 0) const
    {
        const auto &lines = m_view->rows()->lines;
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (lines[i].kind == kind && lines[i].instead.isEmpty() && nth-- == 0) return static_cast<int>(i);
        return -1;
    }
    void click(int line)
    {
        QTest::mouseClick(m_view->canvas()->viewport(), Qt::LeftButton, {}, m_view->canvas()->lineRect(line).center().toPoint());
    }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        m_session = readSession(*profiler::SessionReader::open(CROTON_TRIED_SESSION), nullptr);
    }
    void init()
    {
        m_hub = std::make_unique<SelectionHub>();
        Selection first;
        first.function = raw(m_session->functions.front().id);
        m_hub->reset(first);
        m_view = std::make_unique<WorthView>(*m_hub);
        m_view->resize(1200, 700);
        m_view->show();
        feed(m_session);
    }
    void cleanup() { m_view.reset(); }

    void everyRewriteThatFiredHasItsBar()
    {
        QVERIFY2(m_view->rows(), qPrintable(m_view->panel()->sentence()));
        const WorthRows &rows = *m_view->rows();
        int singles = 0;
        for (const profiler::AblationRow &row : rows.table.rows) singles += row.kind == profiler::AblationKind::Single;
        QVERIFY(singles > 5);
        QCOMPARE(std::count_if(rows.lines.begin(), rows.lines.end(),
                               [](const WorthLine &line) { return line.kind == WorthLine::Kind::Rewrite; }),
                 singles);
        QVERIFY(lineOf(WorthLine::Kind::Sum) >= 0 && lineOf(WorthLine::Kind::All) >= 0 && lineOf(WorthLine::Kind::Pair) >= 0);
        // Bars lie on the side of zero that their sign says, and as long as their part of the largest.
        const double zero = m_view->canvas()->barOf(lineOf(WorthLine::Kind::Sum)).left();
        for (int i = 0; i < static_cast<int>(rows.lines.size()); ++i) {
            const WorthLine &line = rows.lines[static_cast<std::size_t>(i)];
            const QRectF bar = m_view->canvas()->barOf(i);
            QCOMPARE(bar.isEmpty(), !line.instead.isEmpty() || line.worth == 0);
            if (bar.isEmpty()) continue;
            if (line.worth > 0 && rows.lines[static_cast<std::size_t>(lineOf(WorthLine::Kind::Sum))].worth > 0) QCOMPARE(bar.left(), zero);
            QVERIFY(bar.width() <= m_view->canvas()->viewport()->width());
        }
        QVERIFY(m_view->panel()->caption().contains(formats::time(rows.table.nothing().ns * 1e-9)));
    }
    void aMeasureSortsAndScalesAnew()
    {
        for (const WorthMeasure measure : kWorthMeasures) {
            m_view->measure()->setCurrentIndex(m_view->measure()->findData(static_cast<int>(measure)));
            const WorthRows &rows = *m_view->rows();
            QCOMPARE(rows.measure, measure);
            double last = std::numeric_limits<double>::infinity(), largest = 0;
            for (const WorthLine &line : rows.lines) {
                largest = std::max(largest, std::abs(line.place));
                if (line.kind != WorthLine::Kind::Rewrite || !line.instead.isEmpty()) continue;
                QVERIFY(line.worth <= last);
                last = line.worth;
            }
            QVERIFY(largest == 1 || largest == 0);
            QCOMPARE(lineOf(WorthLine::Kind::Sum) >= 0, measure != WorthMeasure::Error);
        }
    }
    void aClickShowsTheStepsOfTheRewriteAndBothGraphs()
    {
        const int line = lineOf(WorthLine::Kind::Rewrite);
        click(line);
        const WorthRows &rows = *m_view->rows();
        const auto steps = WorthRows::stepsOf(*m_session, rows.table,
                                              rows.table.rows[static_cast<std::size_t>(rows.lines[static_cast<std::size_t>(line)].row)]);
        QVERIFY(!steps.empty());
        const auto graph = m_session->graphOf(m_hub->selection().function);
        for (int step : steps)
            QCOMPARE(QString::fromStdString(graph->steps[static_cast<std::size_t>(step)].rewrite),
                     rows.lines[static_cast<std::size_t>(line)].name);
        QCOMPARE(m_hub->selection().step, steps.front());
        QTRY_VERIFY(m_view->graphs()->isSettled());
        for (bool left : {true, false}) QVERIFY(!m_view->graphs()->pane(left)->canvas()->scene().nodes.empty());
        bool marked = false;
        for (const SceneNode &node : m_view->graphs()->pane(false)->canvas()->scene().nodes) marked |= node.diff == DiffState::Created;
        for (const SceneNode &node : m_view->graphs()->pane(true)->canvas()->scene().nodes) marked |= node.diff == DiffState::Replaced;
        QVERIFY(marked);
        QTest::keyClick(m_view->canvas(), Qt::Key_Down);
        QCOMPARE(m_view->canvas()->chosen(), line + 1);
        QVERIFY(m_hub->selection().step != steps.front() || steps.size() > 1 || line + 1 >= lineOf(WorthLine::Kind::Sum));
    }
    void passesAreAnotherTable()
    {
        m_view->by()->setCurrent(QStringLiteral("pass"));
        QVERIFY(m_view->rows());
        QCOMPARE(m_view->rows()->table.by, std::string("pass"));
        QVERIFY(lineOf(WorthLine::Kind::Pair) < 0);
        QVERIFY(m_view->pairsButton()->isVisibleTo(m_view.get()));
        // Nobody tried tags: it says so, and a button does it.
        m_view->by()->setCurrent(QStringLiteral("tag"));
        QVERIFY(!m_view->rows());
        QVERIFY2(m_view->panel()->sentence().contains("not been measured yet"), qPrintable(m_view->panel()->sentence()));
        QVERIFY(m_view->by()->isVisibleTo(m_view.get())); // the way back
        QSignalSpy commands(m_hub.get(), &SelectionHub::requested);
        Q_EMIT m_view->panel()->actionTriggered();
        QCOMPARE(commands.value(0).value(0).value<Request>(),
                 Request(MeasureSession{{"ablate", "--function", QString::number(m_hub->selection().function), "--by", "tag"}}));
    }
    void whatWasMeasuredIsShownFirst()
    {
        feed(nullptr);
        feed(without("passes.croton", "DELETE FROM ablations WHERE by = 'rewrite'"));
        QCOMPARE(m_view->by()->current(), QStringLiteral("pass"));
        QVERIFY(m_view->rows());
    }
    void withoutValuesItSaysWhatIsMissing()
    {
        const auto bare = without("bare.croton", "DELETE FROM ablations; DELETE FROM captured_functions; DELETE FROM captured_calls");
        feed(bare);
        QVERIFY2(m_view->panel()->sentence().contains("First the script is run"), qPrintable(m_view->panel()->sentence()));
        feed(bare, false);
        QVERIFY2(m_view->panel()->sentence().contains("--capture"), qPrintable(m_view->panel()->sentence()));
        feed(nullptr);
        QCOMPARE(m_view->panel()->sentence(), QStringLiteral("No session is open."));
    }
    void measuringIsShownAndStopped()
    {
        QVERIFY(!m_view->strip()->isVisibleTo(m_view.get()));
        Measuring::of(*m_hub).set({{"ablate"}, "Without fusion", 0.5, true, {}, {}});
        QVERIFY(m_view->strip()->isVisibleTo(m_view.get()));
        QCOMPARE(m_view->strip()->text(), QStringLiteral("Without fusion"));
        QSignalSpy commands(m_hub.get(), &SelectionHub::requested);
        m_view->strip()->stopButton()->click();
        QCOMPARE(commands.value(0).value(0).value<Request>(), Request(Command::StopMeasuring));
        Measuring::of(*m_hub).set({{"ablate"}, {}, -1, false, "it was stopped", {}});
        QVERIFY(m_view->strip()->isVisibleTo(m_view.get()));
        QCOMPARE(m_view->strip()->text(), QStringLiteral("it was stopped"));
        m_view->strip()->stopButton()->click(); // hides it
        QVERIFY(!m_view->strip()->isVisibleTo(m_view.get()));
        Measuring::of(*m_hub).set({{"memory"}, "of another view", 0.5, true, {}, {}});
        QVERIFY(!m_view->strip()->isVisibleTo(m_view.get()));
    }
    void theGraphWithoutItStandsBesideTheOneWithIt()
    {
        const int line = lineOf(WorthLine::Kind::Rewrite);
        click(line);
        QVERIFY(m_view->graphs()->compileButton()->isEnabled());
        QSignalSpy commands(m_hub.get(), &SelectionHub::requested);
        m_view->graphs()->compileButton()->click();
        const QString name = m_view->rows()->lines[static_cast<std::size_t>(line)].name;
        QCOMPARE(commands.value(0).value(0).value<Request>(),
                 Request(MeasureSession{
                     {"replay", "--function", QString::number(m_hub->selection().function), "--exclude", name, "-o", "%out"}}));
        // As if it came back: the session itself stands for one without it, in which everything has its partner.
        Measuring::of(*m_hub).set({{"replay"}, {}, -1, false, {}, QStringLiteral(CROTON_TRIED_SESSION)});
        QTRY_VERIFY(m_view->graphs()->showsBoth());
        QTRY_VERIFY(m_view->graphs()->isSettled());
        for (bool left : {true, false})
            for (const SceneNode &node : m_view->graphs()->pane(left)->canvas()->scene().nodes) QVERIFY(node.diff == DiffState::None);
        const qsizetype asked = commands.size();
        m_view->graphs()->compileButton()->click(); // back to the steps, and there again
        QVERIFY(!m_view->graphs()->showsBoth() && m_view->graphs()->step() > 0);
        m_view->graphs()->compileButton()->click();
        QVERIFY(m_view->graphs()->showsBoth());
        QCOMPARE(commands.size(), asked);
    }
    void everyLineStandsInTheTable()
    {
        QCOMPARE(m_view->panel()->model()->rowCount(), static_cast<int>(m_view->rows()->lines.size()));
        const QString text = tableAsText(*m_view->panel()->model());
        for (const WorthLine &line : m_view->rows()->lines) QVERIFY(text.contains(line.name));
        m_view->panel()->showTable(true);
        Q_EMIT m_view->panel()->keyChosen(lineOf(WorthLine::Kind::Rewrite));
        QCOMPARE(m_view->canvas()->chosen(), lineOf(WorthLine::Kind::Rewrite));
    }
    void nothingIsClippedInASmallView()
    {
        m_view->resize(560, 420);
        QTest::qWait(10);
        for (int i = 0; i < static_cast<int>(m_view->rows()->lines.size()); ++i) {
            const QRectF bar = m_view->canvas()->barOf(i);
            QVERIFY(bar.isEmpty() || (bar.left() >= 0 && bar.right() <= m_view->canvas()->viewport()->width()));
        }
    }
};

QTEST_MAIN(WorthTest)
#include "worth_test.moc"
