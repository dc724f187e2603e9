// What people come for, counted in steps (a click, a key, a word typed) from an open session, through real events.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/graph_page.h"
#include "app/studio/window/main_window.h"
#include "profiler/session/store/database.h"
#include "tests/profiler/session/scratch.h"
#include "views/compare/compare_view.h"
#include "views/compare/compared_table.h"
#include "views/timeline/timeline_canvas.h"
#endif

#include "views/code/source_panel.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/palette.h"
#include "views/common/panels.h"
#include "views/common/picture_panel.h"
#include "views/graph/graph_pane.h"
#include "views/steps/step_card.h"
#include "views/steps/steps_view.h"

#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QToolBar>
#include <QToolTip>
#include <QTreeView>
#include <QtTest>

using namespace app;
using namespace views;

namespace {

/// Widgets that were windows of their own for a moment: each takes the keys away from the window that is open.
class StrayWindows : public QObject {
public:
    QStringList seen;
    bool eventFilter(QObject *object, QEvent *event) override
    {
        auto *widget = event->type() == QEvent::Show ? qobject_cast<QWidget *>(object) : nullptr;
        if (widget && widget->isWindow() && !qobject_cast<MainWindow *>(widget)) seen << widget->metaObject()->className();
        return false;
    }
};

} // namespace

class TasksTest : public QObject {
    Q_OBJECT

    profiler::Scratch m_scratch;
    QString m_path;
    std::unique_ptr<MainWindow> m_window;
    int m_steps = 0;

    QString scratch(const char *name) const { return QString::fromStdString(m_scratch / name); }
    GraphPage *page() { return view<GraphPage>("graph"); }
    GraphCanvas *canvas() { return page()->optimizedPane()->canvas(); }
    template <class View>
    View *view(const char *id)
    {
        return qobject_cast<View *>(m_window->views().widget(id));
    }
    void click(QWidget *widget, const QPoint &at)
    {
        ++m_steps;
        QTest::mouseClick(widget, Qt::LeftButton, Qt::NoModifier, at);
    }
    void click(QWidget *widget) { click(widget, widget->rect().center()); }
    void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        ++m_steps;
        QWidget *focus = m_window->focusWidget() ? m_window->focusWidget() : m_window.get();
        QTest::keyClick(focus, static_cast<Qt::Key>(key), modifiers);
    }
    void type(QWidget *into, const QString &text)
    {
        ++m_steps;
        QTest::keyClicks(into, text);
    }
    /// The hottest node, as a person would see it.
    SceneKey hottest()
    {
        SceneKey key = kNoSceneKey;
        double most = 0;
        for (const SceneNode &node : canvas()->scene().nodes)
            if (isApply(node.kind) && node.cost.shareOfSlowest > most) {
                most = node.cost.shareOfSlowest;
                key = node.key;
            }
        return key;
    }
    void clickHottest()
    {
        const SceneKey key = hottest();
        QVERIFY(key != kNoSceneKey);
        click(canvas(), canvas()->widgetRect(key).center().toPoint());
        QVERIFY(m_window->hub().selection().node.isValid());
    }
    static QString textsOf(QWidget *widget)
    {
        QStringList texts;
        for (const QLabel *label : widget->findChildren<QLabel *>())
            if (label->isVisible()) texts << label->text();
        return texts.join(u'\n').remove(QChar(0x200b)); // where a line may break
    }
    void chooseARewrite()
    {
        QTreeView *tree = view<StepsView>("steps")->tree();
        const QAbstractItemModel *model = tree->model();
        std::function<QModelIndex(const QModelIndex &)> visibleLeaf = [&](const QModelIndex &parent) {
            for (int row = 0; row < model->rowCount(parent); ++row) {
                const QModelIndex index = model->index(row, 0, parent);
                if (model->rowCount(index) == 0 && tree->visualRect(index).isValid() &&
                    tree->viewport()->rect().contains(tree->visualRect(index).center()))
                    return index;
                if (const QModelIndex inside = visibleLeaf(index); inside.isValid()) return inside;
            }
            return QModelIndex();
        };
        const QModelIndex leaf = visibleLeaf({});
        QVERIFY2(leaf.isValid(), "no rewrite is in view");
        click(tree->viewport(), tree->visualRect(leaf).center());
        QVERIFY(m_window->hub().selection().step >= 0);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 10000);
    }
    void openWindow(const QString &path)
    {
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1440, 900);
        m_window->show();
        StrayWindows stray;
        qApp->installEventFilter(&stray);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 20000);
        m_window->settle();
        QVERIFY2(stray.seen.isEmpty(), qPrintable(stray.seen.join(u' ')));
        QCOMPARE(QApplication::activeWindow(), static_cast<QWidget *>(m_window.get()));
        m_steps = 0;
    }
    /// Opens the session beside another one, which is what these statements make of it.
    void openBeside(const char *folder, const std::vector<std::string> &statements)
    {
        QVERIFY(QDir().mkpath(scratch(folder)));
        const QString here = scratch(folder) + "/a.croton", other = scratch(folder) + "/b.croton";
        for (const QString &path : {here, other}) {
            QFile::remove(path);
            QVERIFY(QFile::copy(QStringLiteral(CROTON_REAL_SESSION), path));
        }
        {
            profiler::Database database(other.toStdString(), profiler::Database::Access::Write);
            for (const std::string &statement : statements) database.execute(statement);
        }
        openWindow(here);
    }
    void compareWithTheOther()
    {
        press(Qt::Key_4, Qt::ControlModifier);
        QCOMPARE(m_window->workspaces().current(), QString("compare"));
        auto *comparison = view<CompareView>("compare");
        auto *offer = comparison->findChild<EmptyState *>()->findChild<QPushButton *>();
        QVERIFY2(offer->isVisible() && offer->text().contains("b.croton"), qPrintable(offer->text()));
        click(offer);
        QTRY_VERIFY_WITH_TIMEOUT(comparison->rows() && m_window->isReady(), 20000);
        QVERIFY(!comparison->headline().isEmpty());
    }
    void withinSteps(int most) { QVERIFY2(m_steps <= most, qPrintable(QStringLiteral("%1 steps, %2 are allowed").arg(m_steps).arg(most))); }

private Q_SLOTS:
    void initTestCase()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, scratch("settings"));
        QCoreApplication::setOrganizationName("croton-test");
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        qputenv("XDG_CACHE_HOME", scratch("cache").toLocal8Bit());
        QVERIFY(QDir::setCurrent(scratch("")));
        Theme theme = Theme::load(ThemeKind::Light);
        theme.setReducedMotion(true);
        applyTheme(*qApp, theme);
        m_path = scratch("a.croton");
        QVERIFY(QFile::copy(QStringLiteral(CROTON_REAL_SESSION), m_path));
    }
    void init()
    {
        QSettings().clear();
        openWindow(m_path);
    }
    void cleanup() { m_window.reset(); }

    void whyIsThisOpSlow()
    {
        clickHottest();
        auto *inspector = m_window->findChild<QDockWidget *>("inspector");
        QVERIFY(inspector->isVisible());
        const QString texts = textsOf(inspector);
        const SceneNode *node = canvas()->scene().node(hottest());
        QVERIFY2(texts.contains(formats::time(node->cost.seconds)), qPrintable(texts)); // how slow it is,
        QVERIFY2(texts.contains("Under the roofs"), qPrintable(texts));                 // and whether it has to be
        withinSteps(2);
    }
    void whichLine()
    {
        clickHottest();
        SourceView *source = view<SourcePanel>("source")->view();
        QTRY_VERIFY(source->currentLine() > 0);
        const std::int64_t apply = m_window->hub().selection().node.id;
        const auto graph = m_window->session()->graphOf(m_window->hub().selection().function);
        QVERIFY(std::any_of(graph->sourceLinks.begin(), graph->sourceLinks.end(), [&](const profiler::SourceLink &link) {
            return raw(link.apply) == apply && link.source.line == source->currentLine();
        }));
        withinSteps(1);
    }
    void whatDidARewriteDo()
    {
        press(Qt::Key_2, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 10000);
        chooseARewrite();
        auto *card = m_window->findChild<StepCard *>();
        QVERIFY(card && card->isVisible());
        QVERIFY(!card->beforeCanvas()->scene().nodes.empty() || !card->afterCanvas()->scene().nodes.empty());
        const auto graph = m_window->session()->graphOf(m_window->hub().selection().function);
        const profiler::StepInfo &step = graph->steps[static_cast<std::size_t>(m_window->hub().selection().step)];
        QVERIFY2(textsOf(m_window.get()).contains(QString::fromStdString(step.rewrite)), qPrintable(textsOf(m_window.get())));
        withinSteps(3);
    }
    void oneDeviceAgainstAnother()
    {
        openBeside("devices", {"UPDATE functions SET device = 'opencl0:0'",
                               "INSERT OR REPLACE INTO flags (name, value, origin) VALUES ('device', 'opencl0:0', 'test')",
                               "UPDATE events SET duration_ns = 2 * duration_ns WHERE kind = 'call'"});
        compareWithTheOther();
        auto *comparison = view<CompareView>("compare");
        QVERIFY2(comparison->rows()->b.apart.contains("opencl0:0"),
                 qPrintable(QString(comparison->rows()->b.path + u' ' + comparison->rows()->b.apart)));
        QVERIFY2(comparison->headline().contains("slower"), qPrintable(comparison->headline()));
        QVERIFY(comparison->table()->isVisible() && comparison->table()->model()->rowCount() > 3); // apply by apply
        withinSteps(2);
    }
    void whereMemoryIsHighest()
    {
        press(Qt::Key_7, Qt::ControlModifier);
        QTRY_VERIFY(m_window->workspaces().isShown("memory") && m_window->isReady());
        auto *panel = view<QWidget>("memory")->findChild<PicturePanel *>();
        QVERIFY(panel && !panel->isEmpty());
        QVERIFY2(panel->caption().contains("peak"), qPrintable(panel->caption()));
        QVERIFY2(panel->model()->rowCount() > 0, "nothing names what holds memory");
        withinSteps(2);
    }
    void whatHappenedAtThisTime()
    {
        press(Qt::Key_5, Qt::ControlModifier);
        QTRY_VERIFY(m_window->workspaces().isShown("timeline") && m_window->isReady());
        auto *panel = view<QWidget>("timeline")->findChild<PicturePanel *>();
        QVERIFY(panel && !panel->isEmpty());
        // The pointer over a call says which, and how long it took: that is no step more.
        auto *canvas = qobject_cast<TimelineCanvas *>(panel->picture());
        QVERIFY(canvas);
        const profiler::Timeline timeline = TimelineRows(*m_window->session()).timeline;
        std::size_t calls = 0;
        while (calls < timeline.tracks.size() && timeline.tracks[calls].kind != profiler::TrackKind::Calls) ++calls;
        QVERIFY(calls < timeline.tracks.size());
        const QRectF lane = canvas->trackRect(calls);
        QString said;
        for (int x = static_cast<int>(lane.left()) + 1; x < lane.right() && said.isEmpty(); ++x) {
            const QPointF at(x, lane.center().y());
            if (!canvas->hitAt(at)) continue;
            QHelpEvent help(QEvent::ToolTip, at.toPoint(), canvas->viewport()->mapToGlobal(at.toPoint()));
            QCoreApplication::sendEvent(canvas->viewport(), &help);
            said = QToolTip::text();
        }
        QVERIFY2(said.contains("Calls") || said.contains("call "), qPrintable(said));
        QToolTip::hideText();
        withinSteps(1);
    }
    void oneNodeAmongMany()
    {
        m_window->files().open(QStringLiteral(CROTON_REAL_LARGE));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady() && m_window->session()->functions.size() == 2, 60000);
        QString error;
        QVERIFY2(m_window->keeper().selectFunction("layers", &error), qPrintable(error));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 60000);
        m_window->settle();
        QVERIFY(canvas()->scene().applyCount() > 5'000);
        m_steps = 0;
        press(Qt::Key_F, Qt::ControlModifier);
        auto *edit = qobject_cast<QLineEdit *>(m_window->focusWidget());
        QVERIFY(edit);
        type(edit, "op:sum"); // there is one
        auto *count = page()->optimizedPane()->findChild<QLabel *>("findCount");
        QTRY_VERIFY2_WITH_TIMEOUT(count && count->text().startsWith("1 of 1"), qPrintable(count->text()), 10000);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 10000);
        m_window->settle();
        const SceneKey found = canvas()->matches().front();
        QVERIFY2(QRectF(canvas()->rect()).contains(canvas()->widgetRect(found).center()), "it is out of view");
        withinSteps(2);
    }
    void aPictureToShare()
    {
        QTimer::singleShot(0, this, [this] {
            QTRY_VERIFY(qobject_cast<QFileDialog *>(QApplication::activeModalWidget()));
            ++m_steps;
            QTest::keyClick(QApplication::activeModalWidget()->findChild<QLineEdit *>(), Qt::Key_Return);
        });
        press(Qt::Key_E, Qt::ControlModifier);
        QTRY_VERIFY2(QFileInfo(scratch("graph.svg")).size() > 1000, "no picture was written");
        withinSteps(2);
    }
    void whatChangedBetweenTwoVersions()
    {
        openBeside("versions", {"UPDATE script SET text = text || 'one line more'",
                                "INSERT OR REPLACE INTO flags (name, value, origin) VALUES ('floatX', 'float16', 'test')",
                                "UPDATE events SET duration_ns = 2 * duration_ns WHERE kind = 'call'"});
        compareWithTheOther();
        const QString said = textsOf(view<CompareView>("compare"));
        QVERIFY2(said.contains("Scripts that differ in one line"), qPrintable(said));
        QVERIFY2(said.contains("slower") && said.contains("more a call"), qPrintable(said));
        withinSteps(2);
    }
    void teachOneRewrite()
    {
        press(Qt::Key_2, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 10000);
        chooseARewrite();
        press(Qt::Key_F11);
        QVERIFY(m_window->isFullScreen());
        QVERIFY(!m_window->findChild<QToolBar *>("runBar")->isVisible());
        QVERIFY(m_window->findChild<StepCard *>()->isVisible());
        withinSteps(3);
        press(Qt::Key_F11);
        QVERIFY(!m_window->isFullScreen() && m_window->findChild<QToolBar *>("runBar")->isVisible());
        QVERIFY(m_window->findChild<QDockWidget *>("steps")->isVisible());
    }
};

QTEST_MAIN(TasksTest)
#include "tasks_test.moc"
