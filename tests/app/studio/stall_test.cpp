// How long the window keeps the person waiting while large sessions come: no event may hold the GUI thread.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/graph_page.h"
#include "tests/app/studio/one_window.h"
#include "tests/app/studio/own_pace.h"
#include "tests/profiler/record/live_session.h"
#endif

#include "views/graph/graph_pane.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

using namespace app;
using namespace views;

class StallTest : public OneWindow {
    Q_OBJECT

    static Watchdog &watchdog() { return *static_cast<Watchdog *>(qApp); }
    GraphPage *page() { return view<GraphPage>("graph"); }
    void compare(const char *what)
    {
        const double limit = 5 * tenMs();
        qInfo("%s: longest stall %.1f of %.1f ms (%s)", what, watchdog().longestMs, limit, qPrintable(watchdog().longest));
        QVERIFY2(watchdog().longestMs < limit, qPrintable(watchdog().longest));
        watchdog().begin();
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

    void aLargeSession_data()
    {
        QTest::addColumn<QString>("path");
        QTest::newRow("layers") << QStringLiteral(CROTON_REAL_LARGE);
        if (const QString path = qEnvironmentVariable("CROTON_STALL_SESSION"); !path.isEmpty()) QTest::newRow("given") << path;
    }
    void aLargeSession()
    {
        QFETCH(QString, path);
        QTest::qWait(50); // what showing an empty window takes is no part of this
        watchdog().begin();
        m_window->files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 120000);
        compare("opening");
        if (path == QStringLiteral(CROTON_REAL_LARGE)) {
            QString error;
            QVERIFY2(m_window->keeper().selectFunction("layers", &error), qPrintable(error));
            QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 120000);
            QVERIFY(page()->optimizedPane()->canvas()->scene().applyCount() > 5'000);
            compare("another function");
            page()->setFold(FoldChoice::Nothing);
            QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 120000);
            QVERIFY(page()->optimizedPane()->canvas()->scene().nodes.size() > 5'000);
            compare("every apply a node");
        }
        const auto graph = m_window->session()->graphOf(m_window->hub().selection().function);
        for (const auto &row : graph->applies) {
            if (!row.inOptimized) continue;
            m_window->hub().selectNode({Side::Optimized, NodeKind::Apply, raw(row.apply)});
            break;
        }
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 120000);
        compare("a node");
        for (const char *view : {"profile", "steps", "graph"}) {
            m_window->showView(view);
            QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 120000);
            compare(view);
        }
        for (int step : {0, 1, 2, graph->info.stepCount / 2, graph->info.stepCount / 2 + 1}) {
            if (step >= graph->info.stepCount) continue;
            m_window->hub().selectStep(step);
            QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 120000);
            compare(qPrintable(QStringLiteral("step %1").arg(step)));
        }
    }

    void aLiveRun()
    {
        constexpr int kEachMs = 600; // some snapshots of the session come meanwhile
        const QString path = scratch("live.croton");
        profiler::LiveSession live(path.toStdString());
        m_window->files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady() && m_window->keeper().function(), 20000);
        const auto calls = [this] { return m_window->session()->functions.front().run.calls; };
        const std::int64_t before = calls();
        std::atomic<bool> hasEnded = false;
        std::thread run([&] {
            while (!hasEnded) live.call(100);
        });
        watchdog().begin();
        for (const char *view : {"graph", "profile", "timeline", "flame", "memory", "steps", "operations", "graph"}) {
            m_window->showView(view);
            QTest::qWait(kEachMs);
            qInfo("%s while a run writes: longest stall %.1f ms (%s)", view, watchdog().longestMs, qPrintable(watchdog().longest));
        }
        hasEnded = true;
        run.join();
        QVERIFY(calls() > before);
        compare("a live run");
    }
};

int main(int argc, char **argv)
{
    Watchdog application(argc, argv);
    StallTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "stall_test.moc"
