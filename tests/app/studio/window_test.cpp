#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/dialogs/rewrites_dialog.h"
#include "app/studio/pages/graph_page.h"
#include "profiler/session/store/writer.h"
#include "tests/app/studio/one_window.h"
#include "tests/profiler/record/live_session.h"
#include "tests/profiler/session/dump.h"
#endif

#include "app/studio/run/run_bar.h"
#include "views/code/source_panel.h"
#include "views/common/panels.h"
#include "views/graph/graph_pane.h"
#include "views/inspector/inspector_view.h"
#include "views/profile/operations_view.h"
#include "views/steps/step_bar.h"

#include <QAction>
#include <QClipboard>
#include <QDockWidget>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableView>

using namespace app;
using namespace views;

class WindowTest : public OneWindow {
    Q_OBJECT

    QString m_path;

    GraphPage *page() { return view<GraphPage>("graph"); }
    NoticeStrip *notice() { return m_window->findChild<NoticeStrip *>(); }
    std::int64_t optimizedApply(int index)
    {
        if (!m_window->session()->graphOf(m_window->hub().selection().function)) return -1;
        for (const auto &row : m_window->session()->graphOf(m_window->hub().selection().function)->applies)
            if (row.inOptimized && row.optimizedIndex == index) return raw(row.apply);
        return -1;
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(true);
        m_path = copyOf(CROTON_REAL_SESSION, "a.croton");
    }
    void init()
    {
        QSettings().clear();
        showWindow();
    }
    void cleanup() { m_window.reset(); }

    void opensASessionAndShowsBothGraphs()
    {
        open(m_path);
        QVERIFY(page()->originalPane()->showsCanvas());
        QVERIFY(page()->optimizedPane()->showsCanvas());
        QVERIFY(page()->optimizedPane()->canvas()->scene().applyCount() > 10);
        QVERIFY(m_window->windowTitle().contains("train"));
        QVERIFY(!notice()->isVisible());
    }
    void missingAndBrokenFilesGetASentence()
    {
        QSignalSpy failed(&m_window->notices(), &Notices::failed);
        m_window->files().open("/nowhere/x.croton");
        QCOMPARE(failed.size(), 1);
        QVERIFY(m_window->notices().lastError().contains("/nowhere/x.croton"));
        const QString broken = scratch("broken.croton");
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(5000, 'x'));
        file.close();
        m_window->files().open(broken);
        QTRY_COMPARE(failed.size(), 2);
        QVERIFY(notice()->isVisible());
        QCOMPARE(notice()->kind(), NoticeStrip::Kind::Error);
    }
    void whatTakesLongToReadIsCalledOff()
    {
        open(m_path);
        const auto before = m_window->session();
        m_window->findChild<QTimer *>("readsLong")->setInterval(0);
        m_window->files().open(QStringLiteral(CROTON_REAL_LARGE));
        auto *notice = m_window->findChild<NoticeStrip *>();
        QTRY_VERIFY2(notice->sentence().contains("Reading"), "it was read in no time");
        Q_EMIT notice->actionTriggered();
        QVERIFY(notice->sentence().isEmpty());
        QTRY_VERIFY(m_window->isReady());
        QTest::qWait(300); // what its thread has read meanwhile comes to nobody
        QCOMPARE(m_window->session(), before);
        QCOMPARE(m_window->keeper().path(), m_path);
        // And it is opened when it is wanted after all.
        m_window->files().open(QStringLiteral(CROTON_REAL_LARGE));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() != before && m_window->isReady(), 60000);
        QVERIFY2(!notice->sentence().contains("Reading"), qPrintable(notice->sentence()));
    }
    void lastGoodPictureStaysWhenTheNextFileIsBroken()
    {
        open(m_path);
        const int before = page()->optimizedPane()->canvas()->scene().applyCount();
        m_window->files().open("/nowhere/x.croton");
        QVERIFY(notice()->isVisible());
        QCOMPARE(page()->optimizedPane()->canvas()->scene().applyCount(), before);
    }
    void aNodeSelectsItsLinesItsOriginalsAndItsRow()
    {
        open(m_path);
        const std::int64_t apply = optimizedApply(1);
        QVERIFY(apply >= 0);
        GraphCanvas *canvas = page()->optimizedPane()->canvas();
        const auto graph = raw(m_window->session()->function(m_window->hub().selection().function)->graph);
        const QRectF place = canvas->widgetRect(sceneKey(graph, SceneRole::Apply, static_cast<std::uint32_t>(apply)));
        QTest::mouseClick(canvas, Qt::LeftButton, {}, place.center().toPoint());
        QCOMPARE(m_window->hub().selection().node, (NodeRef{Side::Optimized, NodeKind::Apply, apply}));
        QVERIFY(!m_window->hub().linked().lines.isEmpty());
        QVERIFY(!page()->originalPane()->canvas()->linked().isEmpty());
        QVERIFY(view<SourcePanel>("source")->view()->currentLine() > 0);
        QVERIFY(view<InspectorView>("inspector")->content().subject.contains("1"));
        m_window->showView("operations");
        const OperationsView *tables = view<OperationsView>("operations");
        QCOMPARE(tables->table(CostTableKind::Apply)->selectionModel()->selectedRows().size(), 1);
    }
    void everyOptimizedNodeLeadsToLinesAndOriginals()
    {
        open(m_path);
        int seen = 0;
        for (std::int64_t apply; (apply = optimizedApply(seen)) >= 0; ++seen) {
            m_window->hub().selectNode({Side::Optimized, NodeKind::Apply, apply});
            QVERIFY(!m_window->hub().linked().lines.isEmpty());
            QVERIFY(!page()->originalPane()->canvas()->linked().isEmpty());
        }
        QVERIFY(seen > 2);
    }
    void aRowSelectsItsNode()
    {
        open(m_path);
        m_window->showView("operations");
        view<OperationsView>("operations")->setKind(CostTableKind::Apply);
        view<OperationsView>("operations")->table(CostTableKind::Apply)->selectRow(0);
        const NodeRef node = m_window->hub().selection().node;
        QVERIFY(node.isValid());
        QCOMPARE(page()->optimizedPane()->canvas()->selected().size(), 1);
    }
    void aLineSelectsNodesOnBothSides()
    {
        open(m_path);
        const std::int64_t apply = optimizedApply(1);
        m_window->hub().selectNode({Side::Optimized, NodeKind::Apply, apply});
        const SourceRef line = *m_window->hub().linked().lines.begin();
        m_window->hub().selectSource(line);
        QVERIFY(!page()->originalPane()->canvas()->linked().isEmpty());
        QVERIFY(!page()->optimizedPane()->canvas()->linked().isEmpty());
        QVERIFY(page()->optimizedPane()->canvas()->selected().isEmpty());
    }
    void backAndForwardReturnToTheSameView()
    {
        open(m_path);
        SelectionHub &hub = m_window->hub();
        hub.selectNode({Side::Optimized, NodeKind::Apply, optimizedApply(1)});
        const Selection first = hub.selection();
        hub.selectNode({Side::Optimized, NodeKind::Apply, optimizedApply(2)});
        hub.selectStep(3);
        m_window->findChild<QAction *>("back")->trigger();
        m_window->findChild<QAction *>("back")->trigger();
        QCOMPARE(hub.selection(), first);
        QCOMPARE(page()->shownStep(), Selection::kLastStep);
        m_window->findChild<QAction *>("forward")->trigger();
        m_window->findChild<QAction *>("forward")->trigger();
        QCOMPARE(page()->shownStep(), 3);
    }
    void steppingThroughAllAndBackGivesTheSameGraphs()
    {
        open(m_path);
        m_window->showView("steps");
        SelectionHub &hub = m_window->hub();
        const auto graph = m_window->session()->graphOf(hub.selection().function);
        GraphScenes scenes(m_window->session()->shared_from_this(), graph);
        std::vector<std::string> dumps;
        for (int step = 0; step <= graph->info.stepCount; ++step) {
            hub.selectStep(step);
            m_window->settle();
            dumps.push_back(canonicalDump(scenes.replicaAt(step)));
            QCOMPARE(page()->shownStep(), step);
        }
        for (int step = graph->info.stepCount; step >= 0; --step) {
            hub.selectStep(step);
            m_window->settle();
            QCOMPARE(canonicalDump(scenes.replicaAt(step)), dumps[static_cast<std::size_t>(step)]);
        }
        QVERIFY(dumps.front() != dumps.back());
    }
    void linkToAViewOpensIt()
    {
        open(m_path);
        m_window->hub().selectNode({Side::Optimized, NodeKind::Apply, optimizedApply(2)});
        const Selection wanted = m_window->hub().selection();
        m_window->findChild<QAction *>("copyLink")->trigger();
        const QString link = QGuiApplication::clipboard()->text();
        m_window->hub().selectNode({});
        m_window->hub().select(*SelectionHub::fromLink(link));
        QCOMPARE(m_window->hub().selection(), wanted);
    }
    void enteringAPageGivesItTheKeys()
    {
        open(m_path);
        QCOMPARE(m_window->focusWidget(), page()->optimizedPane()->canvas());
        m_window->showView("profile");
        QCOMPARE(m_window->focusWidget(), view<OperationsView>("profile"));
        m_window->hub().goBack();
        QCOMPARE(m_window->workspaces().current(), QString("graph"));
        QCOMPARE(m_window->focusWidget(), page()->optimizedPane()->canvas());
    }
    void otherFunctionShowsItsGraph()
    {
        open(m_path);
        const int train = page()->optimizedPane()->canvas()->scene().applyCount();
        QString error;
        QVERIFY(m_window->keeper().selectFunction("predict", &error));
        QTRY_VERIFY(m_window->isReady());
        QVERIFY(page()->optimizedPane()->canvas()->scene().applyCount() < train);
        QVERIFY(!m_window->keeper().selectFunction("nobody", &error));
        QVERIFY(error.contains("nobody"));
    }
    void workspacesKeepAndResetTheirLayout()
    {
        open(m_path);
        auto *inspector = m_window->findChild<QDockWidget *>("inspector");
        auto *key = m_window->findChild<QDockWidget *>("key");
        QVERIFY(inspector->isVisible() && key->isVisible());
        inspector->hide();
        m_window->showView("profile");
        QVERIFY(!m_window->findChild<QDockWidget *>("source")->isVisible());
        QVERIFY(m_window->findChild<QDockWidget *>("summary")->isVisible());
        m_window->showView("graph");
        QVERIFY(!inspector->isVisible());
        m_window->workspaces().resetLayout();
        QVERIFY(inspector->isVisible());
        for (const QDockWidget *dock : m_window->findChildren<QDockWidget *>()) QVERIFY(!dock->objectName().isEmpty());
    }
    void narrowWindowShowsOneCanvas()
    {
        m_window->resize(1100, 700);
        open(m_path);
        QTRY_VERIFY(!page()->originalPane()->isVisible());
        QVERIFY(page()->optimizedPane()->isVisible());
        m_window->hub().selectNode({Side::Original, NodeKind::Apply, 0});
        QTRY_VERIFY(page()->originalPane()->isVisible());
    }
    void growingSessionIsFollowed()
    {
        const QString path = scratch("live.croton");
        profiler::LiveSession live(path.toStdString());
        open(path);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->session()->functions.empty() && optimizedApply(1) >= 0, 10000);
        const std::int64_t before = m_window->session()->functions.front().run.calls;
        m_window->hub().selectNode({Side::Optimized, NodeKind::Apply, optimizedApply(1)});
        const Selection selection = m_window->hub().selection();
        live.call(50);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->functions.front().run.calls > before, 10000);
        QCOMPARE(m_window->hub().selection(), selection);
        QVERIFY(m_window->session()->info.state == profiler::SessionState::Running);
    }
    /// A run that begins names its rewrites only after a while: they are offered as soon as they are known.
    void rewritesOfARunAreOffered()
    {
        const QString path = scratch("young.croton");
        auto writer = profiler::SessionWriter::create(path.toStdString(), {});
        writer->flush();
        open(path);
        const auto *bar = m_window->findChild<RunBar *>();
        const auto offers = [bar] {
            return std::any_of(bar->rewrites().begin(), bar->rewrites().end(),
                               [](const RewriteChoice &one) { return one.name == "young"; });
        };
        QVERIFY(!offers());
        profiler::RewriteInfo rewrite;
        rewrite.name = "young";
        rewrite.phase = "fusion";
        writer->addRewrites({rewrite});
        writer->flush();
        QTRY_VERIFY_WITH_TIMEOUT(offers(), 10000);
        writer->finish(0);
    }
    void droppedFileIsOpened()
    {
        QMimeData mime;
        mime.setUrls({QUrl::fromLocalFile(m_path)});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_window.get(), &drop);
        QTRY_VERIFY(m_window->session());
        QCOMPARE(QSettings().value("recent").toStringList(), QStringList{m_path});
    }
    void darkThemeChangesTheWholeWindow()
    {
        open(m_path);
        const QImage light = m_window->grab().toImage();
        applyTheme(*qApp, Theme::load(ThemeKind::Dark));
        const QImage dark = m_window->grab().toImage();
        int bright = 0;
        for (int y = 0; y < dark.height(); y += 4)
            for (int x = 0; x < dark.width(); x += 4) bright += dark.pixelColor(x, y).lightness() > 200;
        const int all = (dark.width() / 4) * (dark.height() / 4);
        wear(true);
        QVERIFY2(bright < all / 10, qPrintable(QStringLiteral("%1 of %2 points stay bright").arg(bright).arg(all)));
        QVERIFY(light != dark);
    }
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
