// What people come for, counted in steps (a click, a key, a word typed) from an open session, through real events.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/graph_page.h"
#include "app/studio/main_window.h"
#include "tests/profiler/session/scratch.h"
#include "views/compare/compare_view.h"
#endif

#include "views/code/source_panel.h"
#include "views/common/controls.h"
#include "views/common/palette.h"
#include "views/common/panels.h"
#include "views/common/picture_panel.h"
#include "views/graph/graph_pane.h"
#include "views/steps/step_card.h"
#include "views/steps/steps_view.h"

#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QToolBar>
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
            if (isApply(node.kind) && node.shareOfSlowest > most) {
                most = node.shareOfSlowest;
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
        return texts.join(u'\n');
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
    void compareWithTheOther()
    {
        press(Qt::Key_4, Qt::ControlModifier);
        QCOMPARE(m_window->workspace(), QString("compare"));
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
        QVERIFY(QFile::copy(QStringLiteral(CROTON_REAL_SESSION), scratch("b.croton")));
    }
    void init()
    {
        QSettings().clear();
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1440, 900);
        m_window->show();
        StrayWindows stray;
        qApp->installEventFilter(&stray);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->openFile(m_path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 20000);
        m_window->settle();
        QVERIFY2(stray.seen.isEmpty(), qPrintable(stray.seen.join(u' ')));
        QCOMPARE(QApplication::activeWindow(), static_cast<QWidget *>(m_window.get()));
        m_steps = 0;
    }
    void cleanup() { m_window.reset(); }

    void whyIsThisOpSlow()
    {
        clickHottest();
        auto *inspector = m_window->findChild<QDockWidget *>("inspector");
        QVERIFY(inspector->isVisible());
        const QString texts = textsOf(inspector);
        QVERIFY2(texts.contains(QStringLiteral("µs")) || texts.contains("ns") || texts.contains("ms"), qPrintable(texts));
        withinSteps(2);
    }
    void whichLine()
    {
        clickHottest();
        QTRY_VERIFY(view<SourcePanel>("source")->view()->currentLine() > 0);
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
        withinSteps(3);
    }
    void oneDeviceAgainstAnother()
    {
        compareWithTheOther();
        withinSteps(2);
    }
    void whereMemoryIsHighest()
    {
        press(Qt::Key_7, Qt::ControlModifier);
        QTRY_VERIFY(m_window->isShown("memory") && m_window->isReady());
        auto *panel = view<QWidget>("memory")->findChild<PicturePanel *>();
        QVERIFY(panel && !panel->isEmpty());
        QVERIFY2(panel->model()->rowCount() > 0, "nothing names what holds memory");
        withinSteps(2);
    }
    void whatHappenedAtThisTime()
    {
        press(Qt::Key_5, Qt::ControlModifier);
        QTRY_VERIFY(m_window->isShown("timeline") && m_window->isReady());
        auto *panel = view<QWidget>("timeline")->findChild<PicturePanel *>();
        QVERIFY(panel && !panel->isEmpty());
        withinSteps(1);
    }
    void oneNodeAmongMany()
    {
        press(Qt::Key_F, Qt::ControlModifier);
        auto *edit = qobject_cast<QLineEdit *>(m_window->focusWidget());
        QVERIFY(edit);
        type(edit, "gemv");
        auto *count = page()->optimizedPane()->findChild<QLabel *>("findCount");
        QTRY_VERIFY2(count && count->text().startsWith("1 of "), "not found");
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
        compareWithTheOther();
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
