// The tour of the window: every stop points at what is there, it is walked by keys, left at any time, and not offered twice.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/graph_page.h"
#include "tests/app/studio/one_window.h"
#endif

#include "app/studio/window/tour.h"
#include "views/common/controls.h"
#include "views/graph/graph_pane.h"

#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>

using namespace app;
using namespace views;

class TourTest : public OneWindow {
    Q_OBJECT

    QString m_path;

    const Tour *tour() const { return m_window->guide().tour(); }
    QRect cardArea() const { return tour()->callout().geometry(); }
    void begin(int stop = 0)
    {
        m_window->guide().show(stop);
        QTRY_VERIFY(tour());
        QTRY_VERIFY(m_window->isReady());
        m_window->settle();
        QTest::qWait(0); // what moved meanwhile is followed
    }
    void press(Qt::Key key) { QTest::keyClick(m_window->focusWidget(), key); }
    /// Nothing of the card is outside of the window, or cut off.
    void cardIsWhole()
    {
        const TourCallout &card = tour()->callout();
        QVERIFY2(m_window->rect().contains(cardArea()), qPrintable(card.accessibleName()));
        for (const QLabel *label : card.findChildren<QLabel *>()) {
            const int needed = label->wordWrap() ? label->heightForWidth(label->width()) : label->sizeHint().height();
            QVERIFY2(label->height() >= needed, qPrintable(label->text()));
            QVERIFY2(card.rect().contains(label->geometry()), qPrintable(label->text()));
        }
        for (const QAbstractButton *button : card.findChildren<QAbstractButton *>())
            if (button->isVisible()) QVERIFY2(card.rect().contains(button->geometry()), qPrintable(button->text()));
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
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

    void everyStopPointsAtSomething_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("text");
        QTest::newRow("wide") << QSize(1440, 900) << 1.0;
        QTest::newRow("narrow") << QSize(1024, 700) << 1.0;
        QTest::newRow("large letters") << QSize(1440, 900) << 1.5;
    }
    void everyStopPointsAtSomething()
    {
        QFETCH(QSize, size);
        QFETCH(double, text);
        wear(true, text);
        m_window->resize(size);
        open(m_path);
        begin();
        QStringList titles;
        QList<QRect> places;
        const int count = tour()->count();
        for (int stop = 0; stop < count; ++stop) {
            QCOMPARE(tour()->at(), stop);
            QTRY_VERIFY(m_window->isReady());
            QTest::qWait(10);
            const QRect about = tour()->about();
            QVERIFY2(!about.isEmpty(), qPrintable(tour()->callout().accessibleName()));
            const QRect overlap = about & cardArea();
            QVERIFY2(overlap.width() * overlap.height() < about.width() * about.height() / 2,
                     qPrintable(tour()->callout().accessibleName()));
            cardIsWhole();
            QVERIFY(!titles.contains(tour()->callout().accessibleName()) && !places.contains(about));
            titles << tour()->callout().accessibleName();
            places << about;
            press(stop % 2 ? Qt::Key_Return : Qt::Key_Right);
        }
        QCOMPARE(titles.size(), 7);
        QTRY_VERIFY(!tour());
        QTRY_VERIFY(!m_window->findChild<TourCallout *>());
        wear(true);
    }
    void theNodeThatTakesLongestIsExplained()
    {
        open(m_path);
        begin(3);
        const NodeRef node = m_window->hub().selection().node;
        QCOMPARE(node, view<GraphPage>("graph")->hottest());
        QVERIFY(node.isValid());
        QVERIFY(tour()->about().contains(m_window->findChild<QDockWidget *>("inspector")->geometry().center()));
        press(Qt::Key_Left);
        QCOMPARE(tour()->at(), 2);
        QCOMPARE(m_window->hub().selection().node, node);
    }
    void theWindowCanBeUsedMeanwhile()
    {
        open(m_path);
        begin(1);
        GraphPage *page = view<GraphPage>("graph");
        GraphCanvas *canvas = page->optimizedPane()->canvas();
        QPoint at;
        for (const SceneNode &node : canvas->scene().nodes) {
            const QPoint middle = canvas->widgetRect(node.key).center().toPoint();
            if (isApply(node.kind) && canvas->rect().contains(middle) && !cardArea().contains(canvas->mapTo(m_window.get(), middle)))
                at = middle;
        }
        QVERIFY(!at.isNull());
        QCOMPARE(m_window->childAt(canvas->mapTo(m_window.get(), at)), static_cast<QWidget *>(canvas));
        QTest::mouseClick(canvas, Qt::LeftButton, Qt::NoModifier, at);
        QVERIFY(m_window->hub().selection().node.isValid());
        QVERIFY(tour());
        m_window->showView("profile"); // nothing of the stop is there any more: it is told all the same
        QTRY_VERIFY(m_window->isReady());
        QTest::qWait(0);
        cardIsWhole();
        QTest::mouseClick(m_window->findChild<QPushButton *>("tourNext"), Qt::LeftButton);
        QCOMPARE(m_window->workspaces().current(), QString("graph"));
    }
    void itIsLeftAtAnyTimeAndNotOfferedAgain()
    {
        m_window->guide().offer();
        QTest::qWait(300);
        QVERIFY2(!tour(), "there is nothing to be shown on the first page");
        open(m_path);
        QTRY_VERIFY(tour());
        QCOMPARE(tour()->at(), 0);
        press(Qt::Key_Escape);
        QTRY_VERIFY(!tour());
        QVERIFY(m_window->focusWidget());

        showWindow();
        m_window->guide().offer();
        open(m_path);
        QTest::qWait(400);
        QVERIFY2(!tour(), "it was seen");
        auto *again = m_window->findChild<QAction *>("tour");
        QVERIFY(again);
        again->trigger();
        QTRY_VERIFY(tour());
        QTest::mouseClick(m_window->findChild<QWidget *>("tourLeave"), Qt::LeftButton);
        QTRY_VERIFY(!tour());
    }
    // An offer that waits costs nothing: nobody asks again and again whether it can begin.
    void anOfferThatWaitsDoesNotWakeTheProcess()
    {
        m_window->guide().offer();
        QTest::qWait(1000); // what is made at the start has been made
        struct Counter : QObject {
            int timers = 0;
            bool eventFilter(QObject *, QEvent *event) override
            {
                if (event->type() == QEvent::Timer) ++timers;
                return false;
            }
        } counter;
        qApp->installEventFilter(&counter);
        QTest::qWait(1500);
        qApp->removeEventFilter(&counter);
        QVERIFY2(counter.timers < 5, qPrintable(QString::number(counter.timers)));
        open(m_path);
        QTRY_VERIFY(tour());
    }
    void itIsNotOfferedInALesson()
    {
        open(m_path);
        m_window->showView("lessons");
        m_window->guide().offer();
        QTest::qWait(400);
        QVERIFY(!tour());
        m_window->workspaces().toggle("lessons");
        QTRY_VERIFY2(tour(), "the lesson was closed");
    }
    void itIsOfferedOnAGraphThatIsShownAlready()
    {
        open(m_path);
        QTRY_VERIFY(m_window->isReady());
        QTest::qWait(200);
        m_window->guide().offer();
        QTRY_VERIFY(tour());
    }
    void fromTheFirstPageItOpensASample()
    {
        m_window->findChild<QAction *>("tour")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(tour(), 20000);
        QVERIFY2(m_window->keeper().path().endsWith("logistic_regression.croton"), qPrintable(m_window->keeper().path()));
    }
};

QTEST_MAIN(TourTest)
#include "tour_test.moc"
