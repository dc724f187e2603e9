// The rewriting as one steps through it, on real sessions: what survives stays, what changed is in view, and passes end tidily.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/graph_page.h"
#include "tests/app/studio/one_window.h"
#include "tests/app/studio/own_pace.h"
#endif

#include "views/graph/graph_pane.h"
#include "views/steps/step_bar.h"
#include "views/steps/steps_view.h"

#include <QComboBox>
#include <QTreeView>

#include <algorithm>

using namespace app;
using namespace views;

namespace {

constexpr double kMostMoved = 12;      // px, of the survivors on average, in one step
constexpr double kMostMovedByTen = 25; // steps

using Places = QHash<SceneKey, QPointF>;

/// Where the nodes stand that are really there.
Places placesOf(const GraphCanvas &canvas)
{
    Places places;
    const Scene &scene = canvas.scene();
    for (std::size_t i = 0; i < scene.nodes.size(); ++i)
        if (!scene.nodes[i].ghost) places.insert(scene.nodes[i].key, canvas.picture().nodes[i].rect.center());
    return places;
}

double meanDisplacement(const Places &before, const Places &after)
{
    double sum = 0;
    int survivors = 0;
    for (auto it = before.begin(); it != before.end(); ++it) {
        const auto now = after.constFind(it.key());
        if (now == after.constEnd()) continue;
        sum += QLineF(it.value(), now.value()).length();
        ++survivors;
    }
    return survivors ? sum / survivors : 0;
}

double areaOf(const Picture &picture) { return picture.bounds.width() * picture.bounds.height(); }

} // namespace

class TheatreTest : public OneWindow {
    Q_OBJECT

    GraphPage &page() const { return *view<GraphPage>("graph"); }
    GraphCanvas &canvas() const { return *page().optimizedPane()->canvas(); }
    void open(const QString &path)
    {
        const QString copy = scratch("walk.croton");
        QFile::remove(copy);
        QVERIFY(QFile::copy(path, copy));
        m_window->files().open(copy);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 120000);
        m_window->showView("steps");
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 20000);
        m_window->settle();
        goTo(0, -1);
    }
    void goTo(int step, int last)
    {
        const int wanted = step == last ? Selection::kLastStep : step;
        m_window->hub().selectStep(wanted);
        while (page().shownStep() != wanted) QCoreApplication::processEvents();
        m_window->settle();
        while (!page().isSettled()) {
            QCoreApplication::processEvents();
            m_window->settle();
        }
    }
    /// No apply came, went or became another: there is no node to look for.
    static bool isOfConnections(const GraphData &graph, int step)
    {
        const profiler::StepInfo &info = graph.steps[static_cast<std::size_t>(step)];
        return info.nodesBefore == info.nodesAfter &&
               std::none_of(graph.lineage.begin(), graph.lineage.end(), [step](const profiler::LineageRow &row) {
                   return static_cast<int>(row.step) == step && row.fate != profiler::Fate::Kept;
               });
    }
    bool changeInView() const
    {
        const QRectF view = canvas().rect();
        bool any = false, seen = false;
        for (bool ghosts : {false, true}) {
            for (const SceneNode &node : canvas().scene().nodes) {
                if (node.diff == DiffState::None || node.ghost != ghosts) continue;
                any = true;
                seen = seen || view.contains(canvas().widgetRect(node.key));
            }
            if (any) break;
        }
        return seen;
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(false);
    }
    void init()
    {
        QSettings().clear();
        showWindow();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

    void stepping_data()
    {
        QTest::addColumn<QString>("path");
        QTest::newRow("logistic regression") << QStringLiteral(CROTON_REAL_SESSION);
        QTest::newRow("six layers") << QStringLiteral(CROTON_REAL_NETWORK);
        QTest::newRow("lstm") << QStringLiteral(CROTON_ROOT "/samples/lstm/lstm.croton"); // steps that make dozens of nodes
        for (const QString &path : qEnvironmentVariable("CROTON_THEATRE_SESSIONS").split(':', Qt::SkipEmptyParts))
            QTest::newRow(qPrintable(path)) << path;
    }
    void stepping()
    {
        QFETCH(QString, path);
        open(path);
        const auto graph = m_window->session()->graphOf(m_window->hub().selection().function);
        const int last = graph->info.stepCount;
        QVERIFY(last > 20);
        std::vector<Places> places{placesOf(canvas())};
        double farthest = 0, farthestOfTen = 0, sum = 0, totalMs = 0;
        int moves = 0;     // at the end of a pass, to lay the picture out compactly
        int lastMove = -1; // since when places can be compared
        for (int step = 1; step <= last; ++step) {
            const double start = Watchdog::threadMs();
            goTo(step, last);
            m_window->repaint();
            totalMs += Watchdog::threadMs() - start;
            m_window->settle();
            places.push_back(placesOf(canvas()));
            QVERIFY2(isOfConnections(*graph, step) || step == last || changeInView(),
                     qPrintable(QStringLiteral("step %1 is out of view").arg(step)));
            const auto index = static_cast<std::size_t>(step);
            const bool passEnds = step == last || graph->steps[index].pass != graph->steps[index + 1].pass;
            const double moved = meanDisplacement(places[index - 1], places[index]);
            if (passEnds && moved > kMostMoved) {
                ++moves;
                lastMove = step;
                continue;
            }
            sum += moved;
            farthest = std::max(farthest, moved);
            if (step - 10 >= std::max(0, lastMove))
                farthestOfTen = std::max(farthestOfTen, meanDisplacement(places[index - 10], places[index]));
        }
        const double area = areaOf(canvas().picture());
        const double ofOwn = area / areaOf(layoutScene(canvas().scene(), Theme::current()));
        GraphCanvas fresh;
        fresh.resize(canvas().size());
        fresh.show();
        fresh.setScene(canvas().scene(), GraphCanvas::Change::Fresh);
        QTRY_VERIFY(fresh.isSettled());
        const double ofFirst = area / areaOf(fresh.picture());
        const double limitMs = tenMs() / 10 * 1000 / 30;
        qInfo("%d steps: at most %.1f px for one, %.1f px for ten, %d compact moves, %.2f and %.2f of the area, %.1f of %.1f ms a step",
              last, farthest, farthestOfTen, moves, ofOwn, ofFirst, totalMs / last, limitMs);
        QVERIFY(farthest <= kMostMoved);
        QVERIFY(sum / last <= kMostMoved / 3);
        QVERIFY(farthestOfTen <= kMostMovedByTen);
        QVERIFY(ofOwn <= 1.3);
        QVERIFY(ofFirst <= 1.3);
        QVERIFY(moves <= last / 10);
        if (path == QStringLiteral(CROTON_REAL_SESSION)) QVERIFY(totalMs / last <= 2 * limitMs);
    }

    void goneToDirectly_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("wide") << QSize(1440, 900);
        QTest::newRow("small") << QSize(1024, 700);
    }
    /// As --step and a click on the bar do, whatever was looked at before.
    void goneToDirectly()
    {
        QFETCH(QSize, size);
        m_window->resize(size);
        open(QStringLiteral(CROTON_REAL_NETWORK));
        const auto graph = m_window->session()->graphOf(m_window->hub().selection().function);
        const int last = graph->info.stepCount;
        for (int step = 1; step < last; step += 3) {
            goTo(last, last);
            goTo(step, last);
            QVERIFY2(isOfConnections(*graph, step) || changeInView(), qPrintable(QStringLiteral("step %1 is out of view").arg(step)));
        }
        // Somebody looks at a node elsewhere, and makes the window smaller.
        for (const auto &row : graph->applies) {
            if (!row.inOptimized || row.optimizedIndex % 7 != 3) continue;
            const int step = 1 + row.optimizedIndex % (last - 1);
            goTo(last, last);
            m_window->hub().selectNode({Side::Optimized, NodeKind::Apply, raw(row.apply)});
            goTo(step, last);
            if (isOfConnections(*graph, step)) continue;
            QVERIFY2(changeInView(), qPrintable(QStringLiteral("step %1 is out of view").arg(step)));
            m_window->resize(size.width() - 60, size.height() - 50);
            QTRY_VERIFY(page().isSettled());
            QVERIFY2(changeInView(), qPrintable(QStringLiteral("step %1 is out of view in the smaller window").arg(step)));
            m_window->resize(size);
            QTRY_VERIFY(page().isSettled());
        }
    }

    /// Whoever opens the steps sees what the last one changed, not a graph without a mark.
    void openedAtTheLastStep()
    {
        m_window->files().open(copyOf(CROTON_REAL_SESSION, "last.croton"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 20000);
        const auto isMarked = [this] {
            const auto &nodes = canvas().scene().nodes;
            return std::any_of(nodes.begin(), nodes.end(), [](const SceneNode &node) { return node.diff != DiffState::None; });
        };
        QVERIFY(!isMarked());
        m_window->showView("steps");
        QTRY_VERIFY_WITH_TIMEOUT(isMarked(), 20000);
        QCOMPARE(page().shownStep(), Selection::kLastStep);
        m_window->settle();
        QVERIFY(changeInView());
        m_window->showView("graph");
        QTRY_VERIFY_WITH_TIMEOUT(!isMarked(), 20000);
    }

    /// The keys that the sheet names, wherever the focus is.
    void keysStep()
    {
        open(QStringLiteral(CROTON_REAL_SESSION));
        const int last = m_window->session()->graphOf(m_window->hub().selection().function)->info.stepCount;
        auto *tree = m_window->findChild<StepsView *>()->tree();
        const auto stepped = [this] { return m_window->hub().selection().step; };
        QCOMPARE(m_window->focusWidget(), &canvas()); // where whoever opens the steps is
        for (QWidget *where : {static_cast<QWidget *>(&canvas()), static_cast<QWidget *>(tree)}) {
            goTo(last, last);
            where->setFocus();
            QTest::keyClick(where, Qt::Key_Left);
            QCOMPARE(stepped(), last - 1);
            QTest::keyClick(where, Qt::Key_Left);
            QCOMPARE(stepped(), last - 2);
            QTest::keyClick(where, Qt::Key_Right);
            QCOMPARE(stepped(), last - 1);
        }
        goTo(last, last);
        canvas().setFocus();
        QTest::keyClick(&canvas(), Qt::Key_Up);
        QVERIFY(stepped() >= 0 && stepped() < last);
        QTest::keyClick(&canvas(), Qt::Key_Home);
        QCOMPARE(stepped(), 0);
        QTest::keyClick(&canvas(), Qt::Key_End);
        QCOMPARE(stepped(), Selection::kLastStep);
        // With the ring on a node the arrows walk, until Esc.
        QTest::keyClick(&canvas(), Qt::Key_Return);
        QTest::keyClick(&canvas(), Qt::Key_Down);
        QCOMPARE(stepped(), Selection::kLastStep);
        QTest::keyClick(&canvas(), Qt::Key_Escape);
        QTest::keyClick(&canvas(), Qt::Key_Left);
        QCOMPARE(stepped(), last - 1);
    }

    void backAndForth()
    {
        open(QStringLiteral(CROTON_REAL_SESSION));
        const int last = m_window->session()->graphOf(m_window->hub().selection().function)->info.stepCount;
        goTo(8, last);
        const Places there = placesOf(canvas());
        goTo(9, last);
        goTo(8, last);
        QVERIFY(meanDisplacement(there, placesOf(canvas())) <= kMostMoved);
        QVERIFY(changeInView());
    }

    void playing()
    {
        open(QStringLiteral(CROTON_REAL_SESSION));
        const int last = m_window->session()->graphOf(m_window->hub().selection().function)->info.stepCount;
        StepBar *bar = page().stepBar();
        auto *speed = bar->findChild<QComboBox *>();
        speed->setCurrentIndex(speed->count() - 1);
        goTo(last - 5, last);
        std::vector<int> seen;
        connect(&m_window->hub(), &SelectionHub::selectionChanged, bar, [&](const Selection &now) { seen.push_back(now.step); });
        m_window->hub().request(Command::PlaySteps);
        QTRY_VERIFY_WITH_TIMEOUT(!bar->isPlaying(), 20000);
        QCOMPARE(seen, (std::vector{last - 4, last - 3, last - 2, last - 1, Selection::kLastStep}));
        QCOMPARE(page().shownStep(), Selection::kLastStep);
    }
};

QTEST_MAIN(TheatreTest)

#include "theatre_test.moc"
