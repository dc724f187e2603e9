// Every view, in a small window and with large letters: no text is cut off, nothing stands beyond the edge.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/app/studio/one_window.h"
#endif

#include "views/common/controls.h"
#include "views/common/panels.h"
#include "views/graph/graph_pane.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QCheckBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>

using namespace app;
using namespace views;

class FitsTest : public OneWindow {
    Q_OBJECT

    QString m_path;

    static bool scrolls(const QWidget *widget)
    {
        for (const QWidget *each = widget->parentWidget(); each; each = each->parentWidget())
            if (qobject_cast<const QAbstractScrollArea *>(each)) return true;
        return false;
    }
    static QString nameOf(const QWidget *widget, const QString &text)
    {
        QStringList path;
        for (const QWidget *each = widget; each && path.size() < 4; each = each->parentWidget())
            path.prepend(each->objectName().isEmpty() ? QString::fromLatin1(each->metaObject()->className()) : each->objectName());
        return path.join(u'/') + QStringLiteral(" “%1” %2x%3").arg(text.left(40)).arg(widget->width()).arg(widget->height());
    }
    /// What is cut off in a window, one a line.
    static QStringList faults(const QWidget &window)
    {
        QStringList found;
        for (const QWidget *widget : window.findChildren<QWidget *>()) {
            if (!widget->isVisible() || widget->window() != &window) continue;
            QString text;
            QSize needs = widget->sizeHint();
            if (const auto *label = qobject_cast<const QLabel *>(widget)) {
                text = label->text();
                if (text.isEmpty() || qobject_cast<const ElidedLabel *>(label)) continue;
                if (label->wordWrap()) needs = QSize(0, label->heightForWidth(label->width()));
            } else if (const auto *button = qobject_cast<const QAbstractButton *>(widget)) {
                text = button->text();
                if (text.isEmpty() || (!qobject_cast<const QPushButton *>(button) && !qobject_cast<const QCheckBox *>(button))) continue;
            } else if (qobject_cast<const SegmentedSwitch *>(widget) || qobject_cast<const LabeledCombo *>(widget)) {
                text = widget->accessibleName();
                needs = widget->minimumSizeHint(); // a box elides, and a switch of icons leaves its texts out
                if (const auto *choices = qobject_cast<const SegmentedSwitch *>(widget); choices && choices->isCut())
                    needs = choices->sizeHint();
            } else {
                continue;
            }
            if (needs.width() > widget->width() + 1 || needs.height() > widget->height() + 1)
                found << QStringLiteral("cut: %1, needs %2x%3").arg(nameOf(widget, text)).arg(needs.width()).arg(needs.height());
            const QRect place(widget->mapTo(&window, QPoint()), widget->size());
            if (!scrolls(widget) && !window.rect().contains(place)) found << QStringLiteral("beyond: ") + nameOf(widget, text);
        }
        // Siblings that hold text do not lie on one another.
        const QMenuBar *menus = window.findChild<QMenuBar *>();
        const QLabel *title = menus ? menus->findChild<QLabel *>() : nullptr;
        for (const QAction *action : menus ? menus->actions() : QList<QAction *>())
            if (title && title->geometry().intersects(menus->actionGeometry(const_cast<QAction *>(action))) &&
                title->alignment() != Qt::AlignCenter)
                found << QStringLiteral("the title lies on the menu ") + action->text();
        return found;
    }

    /// What takes keys and says nothing of itself to who cannot see it.
    static QStringList nameless(const QWidget &window)
    {
        QStringList found;
        for (QWidget *widget : window.findChildren<QWidget *>()) {
            if (!widget->isVisible() || widget->window() != &window || widget->focusPolicy() == Qt::NoFocus) continue;
            if (qobject_cast<QScrollArea *>(widget) || qobject_cast<QStackedWidget *>(widget) || widget->parentWidget() == nullptr)
                continue;
            QAccessibleInterface *reader = QAccessible::queryAccessibleInterface(widget);
            if (reader && reader->text(QAccessible::Name).isEmpty()) found << QStringLiteral("nameless: ") + nameOf(widget, {});
        }
        return found;
    }

    static QHash<QString, QRect> docks(const MainWindow &window)
    {
        QHash<QString, QRect> shown;
        for (const QDockWidget *dock : window.findChildren<QDockWidget *>())
            if (dock->isVisible()) shown.insert(dock->objectName(), dock->geometry());
        return shown;
    }
    static std::unique_ptr<MainWindow> opened(const QString &path, const QSize &size, double text)
    {
        wear(true, text);
        auto window = std::make_unique<MainWindow>();
        window->resize(size);
        window->show();
        window->files().open(path);
        return window;
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        m_path = copyOf(CROTON_REAL_SESSION, "a_recording_with_a_long_name.croton");
        QVERIFY(QFile::copy(QStringLiteral(CROTON_REAL_SESSION), scratch("b.croton")));
    }
    void everyViewFits_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("text");
        QTest::newRow("1440x900") << QSize(1440, 900) << 1.0;
        QTest::newRow("1024x700") << QSize(1024, 700) << 1.0;
        QTest::newRow("1440x900 200 %") << QSize(1440, 900) << 2.0;
        QTest::newRow("1024x700 200 %") << QSize(1024, 700) << 2.0;
    }
    void everyViewFits()
    {
        QFETCH(QSize, size);
        QFETCH(double, text);
        QSettings().clear();
        wear(true, text);
        MainWindow window;
        window.resize(size);
        window.show();
        QStringList all;
        const auto check = [&](const QString &view) {
            QCoreApplication::processEvents();
            window.settle();
            QCOMPARE(window.size(), size);
            for (const QString &fault : faults(window))
                if (const QString line = view + QStringLiteral(": ") + fault; !all.contains(line)) all << line;
        };
        check("welcome");
        window.files().open(m_path);
        QTRY_VERIFY_WITH_TIMEOUT(window.session() && window.isReady(), 20000);
        window.hub().selectNode({Side::Optimized, NodeKind::Apply, raw(window.session()->graphs.begin()->second->applies.back().apply)});
        for (const ViewEntry &entry : studioViews().entries()) {
            if (entry.missing || entry.id == QLatin1String("welcome")) continue;
            window.showView(entry.id);
            QTRY_VERIFY_WITH_TIMEOUT(window.isReady(), 20000);
            check(entry.id);
        }
        window.files().compare(m_path, scratch("b.croton"));
        QTRY_VERIFY_WITH_TIMEOUT(window.isReady(), 20000);
        check("compare");
        for (const QString &fault : all) qInfo("%s", qPrintable(fault));
        QVERIFY(all.isEmpty());
    }
    /// What a picture shows is read whole, and so is what stands beside it; the rest is in a menu.
    void headersOfGraphsAreReadWhole_data() { everyViewFits_data(); }
    void headersOfGraphsAreReadWhole()
    {
        QFETCH(QSize, size);
        QFETCH(double, text);
        QSettings().clear();
        const auto window = opened(m_path, size, text);
        QTRY_VERIFY_WITH_TIMEOUT(window->session() && window->isReady(), 20000);
        for (const char *view : {"graph", "steps"}) {
            window->showView(view);
            for (int step : {Selection::kLastStep, 12}) {
                window->hub().selectStep(step);
                QTRY_VERIFY_WITH_TIMEOUT(window->isReady(), 20000);
                QCoreApplication::processEvents();
                for (const GraphPane *pane : window->findChildren<GraphPane *>()) {
                    if (!pane->isVisible()) continue;
                    for (const ElidedLabel *label : pane->header()->findChildren<ElidedLabel *>())
                        QVERIFY2(!label->isVisible() || label->text().isEmpty() || label->width() + 1 >= label->sizeHint().width(),
                                 qPrintable(nameOf(label, label->text())));
                    QStringList hidden;
                    for (const QString &name : {QStringLiteral("What colours the nodes"), QStringLiteral("What is folded")})
                        for (const LabeledCombo *combo : pane->header()->findChildren<LabeledCombo *>()) {
                            if (combo->accessibleName() != name || combo->isHidden()) continue;
                            if (!combo->isVisible()) hidden << name;
                            else QVERIFY2(combo->width() >= combo->sizeHint().width(), qPrintable(nameOf(combo, combo->currentText())));
                        }
                    const auto *more = pane->header()->findChild<QToolButton *>(QStringLiteral("moreTools"));
                    Q_EMIT more->menu()->aboutToShow();
                    QStringList offered;
                    for (const QAction *action : more->menu()->actions()) offered << action->text();
                    for (const QString &name : hidden) QVERIFY2(more->isVisible() && offered.contains(name), qPrintable(name));
                }
            }
        }
        // What the menu says is done.
        for (GraphPane *pane : window->findChildren<GraphPane *>()) {
            const auto *more = pane->header()->findChild<QToolButton *>(QStringLiteral("moreTools"));
            if (!pane->isVisible() || !more->isVisible()) continue;
            Q_EMIT more->menu()->aboutToShow();
            for (QAction *action : more->menu()->actions()) {
                if (!action->menu() || action->text() != QStringLiteral("What colours the nodes")) continue;
                for (QAction *choice : action->menu()->actions())
                    if (choice->text() == QStringLiteral("Device")) choice->trigger();
                QCOMPARE(pane->canvas()->overlay(), Overlay::Device);
            }
        }
    }
    /// With all panels of the left side, and the most that the key may say.
    void theKeyLiesOnNothing_data() { everyViewFits_data(); }
    void theKeyLiesOnNothing()
    {
        QFETCH(QSize, size);
        QFETCH(double, text);
        QSettings().clear();
        const auto window = opened(m_path, size, text);
        QTRY_VERIFY_WITH_TIMEOUT(window->session() && window->isReady(), 20000);
        window->showView("key");
        for (const char *colours : {"time", "phase", "dtype"}) {
            window->hub().request(ShowColours{QLatin1String(colours)});
            QTRY_VERIFY_WITH_TIMEOUT(window->isReady(), 20000);
            const auto lowest = [&] {
                int bottom = 0;
                for (const QDockWidget *dock : window->findChildren<QDockWidget *>())
                    if (dock->isVisible()) bottom = std::max(bottom, dock->geometry().bottom());
                return bottom;
            };
            QTRY_VERIFY2(lowest() < window->statusBar()->geometry().top(), qPrintable(QString::number(lowest())));
        }
    }
    void whatWasArrangedInALargeWindowIsFittedToATightOne()
    {
        QSettings().clear();
        const QSize large(1800, 1100), tight(1024, 700);
        QHash<QString, QRect> fresh;
        {
            const auto window = opened(m_path, tight, 2);
            QTRY_VERIFY_WITH_TIMEOUT(window->session() && window->isReady(), 20000);
            QTRY_COMPARE(docks(*window).value("source").width(), tight.width() * 8 / 20); // what a tight window gives to its docks
            fresh = docks(*window);
        }
        QVERIFY(fresh.contains("source") && fresh.contains("functions"));
        QSettings().clear();
        {
            const auto window = opened(m_path, large, 1);
            QTRY_VERIFY_WITH_TIMEOUT(window->session() && window->isReady(), 20000);
            for (const char *view : {"source", "key", "inspector", "help"}) window->showView(view);
            QDockWidget *left = nullptr, *right = nullptr;
            for (QDockWidget *dock : window->findChildren<QDockWidget *>()) {
                if (dock->objectName() == "source") left = dock;
                if (dock->objectName() == "inspector") right = dock;
            }
            window->resizeDocks({left, right}, {420, 700}, Qt::Horizontal);
            QCoreApplication::processEvents();
            window->close();
        }
        {
            const auto window = opened(m_path, tight, 2);
            QTRY_VERIFY_WITH_TIMEOUT(window->session() && window->isReady(), 20000);
            QTRY_COMPARE(docks(*window).value("source").width(), tight.width() * 8 / 20);
            const QHash<QString, QRect> fitted = docks(*window);
            QCOMPARE(window->size(), tight);
            QVERIFY2(faults(*window).isEmpty(), qPrintable(faults(*window).join(u'\n')));
            QCOMPARE(QStringList(fitted.keys()).contains("inspector"), false); // one side at a time
            for (const char *id : {"source", "functions"}) {
                QVERIFY2(fitted.value(id).width() >= fresh.value(id).width() && fitted.value(id).height() >= fresh.value(id).height() - 1,
                         qPrintable(QStringLiteral("%1: %2x%3, by itself %4x%5")
                                        .arg(QLatin1String(id))
                                        .arg(fitted.value(id).width())
                                        .arg(fitted.value(id).height())
                                        .arg(fresh.value(id).width())
                                        .arg(fresh.value(id).height())));
            }
            window->close();
        }
        const auto window = opened(m_path, large, 1); // and the arrangement of the large one is still there
        QTRY_VERIFY_WITH_TIMEOUT(window->session() && window->isReady(), 20000);
        QTRY_VERIFY(docks(*window).contains("inspector") && docks(*window).contains("key"));
        QVERIFY(docks(*window).value("inspector").width() > 600);
    }
    void aWindowThatChangesIsFittedWhileItRuns()
    {
        QSettings().clear();
        const QSize large(1800, 1100), tight(1024, 700);
        const auto widthOf = [](const MainWindow &window, const char *dock) { return docks(window).value(dock).width(); };
        int fresh = 0;
        {
            const auto window = opened(m_path, tight, 2);
            QTRY_VERIFY_WITH_TIMEOUT(window->session() && window->isReady(), 20000);
            QTRY_COMPARE(widthOf(*window, "source"), tight.width() * 8 / 20);
            fresh = widthOf(*window, "source");
        }
        QSettings().clear();
        const auto window = opened(m_path, large, 1);
        QTRY_VERIFY_WITH_TIMEOUT(window->session() && window->isReady(), 20000);
        for (const char *view : {"source", "key", "inspector"}) window->showView(view);
        QCoreApplication::processEvents();
        const int source = widthOf(*window, "source"), inspector = widthOf(*window, "inspector");
        QVERIFY(source > 0 && inspector > 0);
        const auto isAsBefore = [&] {
            return std::abs(widthOf(*window, "source") - source) <= 2 && std::abs(widthOf(*window, "inspector") - inspector) <= 2;
        };
        // Docks grow with the letters.
        wear(true, 1.2);
        QTRY_VERIFY(std::abs(widthOf(*window, "source") - source * 1.2) <= 2);
        QTRY_VERIFY(std::abs(widthOf(*window, "inspector") - inspector * 1.2) <= 2);
        wear(true, 1);
        QTRY_VERIFY(isAsBefore());
        // In less room they are as if it had been opened there.
        window->resize(1100, 760);
        QTRY_VERIFY(widthOf(*window, "source") < source);
        QTRY_VERIFY2(faults(*window).isEmpty(), qPrintable(faults(*window).join(u'\n')));
        QCOMPARE(window->size(), QSize(1100, 760));
        window->resize(large);
        QTRY_VERIFY(isAsBefore());
        // One side at a time in a tight window, and both again in the large one.
        wear(true, 2);
        window->resize(tight);
        QTRY_VERIFY(!docks(*window).contains("inspector"));
        QTRY_COMPARE(widthOf(*window, "source"), fresh);
        QTRY_VERIFY2(faults(*window).isEmpty(), qPrintable(faults(*window).join(u'\n')));
        QCOMPARE(window->size(), tight);
        wear(true, 1);
        window->resize(large);
        QTRY_VERIFY(docks(*window).contains("inspector") && docks(*window).contains("key"));
    }
    void noGraphSqueezesADock()
    {
        const QSize tight(1024, 700);
        for (const QString &path : {m_path, QStringLiteral(CROTON_REAL_LARGE)}) {
            QSettings().clear();
            const auto window = opened(path, tight, 2);
            QTRY_VERIFY_WITH_TIMEOUT(window->session() && window->isReady(), 20000);
            window->settle();
            QTRY_COMPARE(docks(*window).value("source").width(), tight.width() * 8 / 20);
        }
    }
    void everythingHasANameForReaders()
    {
        QSettings().clear();
        wear(false);
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QSet<QString> all;
        const auto check = [&](const QString &view) {
            QCoreApplication::processEvents();
            for (const QString &fault : nameless(window)) all << view + QStringLiteral(": ") + fault;
        };
        check("welcome");
        window.files().open(m_path);
        QTRY_VERIFY_WITH_TIMEOUT(window.session() && window.isReady(), 20000);
        for (const ViewEntry &entry : studioViews().entries()) {
            if (entry.missing || entry.id == QLatin1String("welcome")) continue;
            window.showView(entry.id);
            QTRY_VERIFY_WITH_TIMEOUT(window.isReady(), 20000);
            check(entry.id);
        }
        QVERIFY2(all.isEmpty(), qPrintable(u'\n' + QStringList(all.begin(), all.end()).join(u'\n')));
    }
};

QTEST_MAIN(FitsTest)
#include "fits_test.moc"
