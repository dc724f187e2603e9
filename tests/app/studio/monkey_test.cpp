// Somebody who knows nothing, very fast: random clicks, keys, wheels and drags on a real session. The window must live, and
// must go on to answer. CROTON_MONKEY_SEED repeats a run; CROTON_LONG_TESTS makes it five minutes of 30 a second.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/app/studio/one_window.h"
#endif

#include "app/studio/dialogs/preferences.h"

#include <QFileDialog>
#include <QInputDialog>
#include <QMenu>
#include <QWheelEvent>

#include <functional>
#include <random>

using namespace app;
using namespace views;

namespace {

constexpr int kMostDialogs = 100;

/// Five minutes, and more under a sanitizer: before QtTest reads how long a test may take.
const bool g_isPatient = qputenv("QTEST_FUNCTION_TIMEOUT", "1800000");

QStringList g_complaints;

void listen(QtMsgType type, const QMessageLogContext &, const QString &text)
{
    // What Qt says of misuse.
    static const QStringList grave{"ASSERT", "QPainter", "QObject::", "QLayout", "Timer", "out of range", "QAbstractItem", "QSortFilter"};
    const bool isGrave = std::any_of(grave.begin(), grave.end(), [&text](const QString &each) { return text.contains(each); });
    if (!isGrave || type == QtDebugMsg || type == QtInfoMsg) return;
    g_complaints << text;
    std::fprintf(stderr, "monkey heard: %s\n", qPrintable(text));
}

} // namespace

class MonkeyTest : public OneWindow {
    Q_OBJECT

    QString m_path;
    std::mt19937 m_random;

    int upTo(int count) { return count <= 1 ? 0 : std::uniform_int_distribution<int>(0, count - 1)(m_random); }
    QPoint somewhereIn(const QWidget &widget) { return {upTo(widget.width()), upTo(widget.height())}; }

    /// What a click would go to: a menu or dialog that is open, else the window.
    QWidget *top()
    {
        if (QWidget *popup = QApplication::activePopupWidget()) return popup;
        if (QWidget *modal = QApplication::activeModalWidget()) return modal;
        return m_window.get();
    }
    void act()
    {
        tidy();
        QWidget *window = top();
        if (qobject_cast<QFileDialog *>(window)) { // it could write or remove files of this machine
            static_cast<QFileDialog *>(window)->reject();
            return;
        }
        const QPoint at = somewhereIn(*window);
        QWidget *target = window->childAt(at);
        if (!target) target = window;
        const QPoint local = target->mapFrom(window, at);
        switch (upTo(12)) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4: QTest::mouseClick(target, Qt::LeftButton, m_random() % 8 == 0 ? Qt::ControlModifier : Qt::NoModifier, local); break;
        case 5: {
            QContextMenuEvent event(QContextMenuEvent::Mouse, local, target->mapToGlobal(local));
            QCoreApplication::sendEvent(target, &event);
            break;
        }
        case 6: QTest::mouseDClick(target, Qt::LeftButton, Qt::NoModifier, local); break;
        case 7: {
            QWheelEvent event(local, target->mapToGlobal(local), {}, QPoint(0, m_random() % 2 ? 120 : -120), Qt::NoButton,
                              m_random() % 2 ? Qt::ControlModifier : Qt::NoModifier, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(target, &event);
            break;
        }
        case 8: {
            const QPoint to = local + QPoint(upTo(200) - 100, upTo(200) - 100);
            QTest::mousePress(target, Qt::LeftButton, Qt::NoModifier, local);
            const QPointer<QWidget> still(target);
            if (still) QTest::mouseMove(target, (local + to) / 2);
            if (still) QTest::mouseMove(target, to);
            if (still) QTest::mouseRelease(target, Qt::LeftButton, Qt::NoModifier, to);
            break;
        }
        default: key(window);
        }
    }
    void key(QWidget *window)
    {
        static const int keys[] = {Qt::Key_Left,   Qt::Key_Right,     Qt::Key_Up,       Qt::Key_Down,  Qt::Key_Return, Qt::Key_Escape,
                                   Qt::Key_Tab,    Qt::Key_Space,     Qt::Key_Home,     Qt::Key_End,   Qt::Key_Plus,   Qt::Key_Minus,
                                   Qt::Key_A,      Qt::Key_O,         Qt::Key_L,        Qt::Key_F6,    Qt::Key_F3,     Qt::Key_F11,
                                   Qt::Key_Delete, Qt::Key_Backspace, Qt::Key_PageDown, Qt::Key_PageUp};
        static const int withControl[] = {Qt::Key_1,    Qt::Key_2,    Qt::Key_3,   Qt::Key_4, Qt::Key_5,    Qt::Key_6,     Qt::Key_7,
                                          Qt::Key_8,    Qt::Key_9,    Qt::Key_0,   Qt::Key_T, Qt::Key_G,    Qt::Key_U,     Qt::Key_F,
                                          Qt::Key_K,    Qt::Key_I,    Qt::Key_L,   Qt::Key_R, Qt::Key_Left, Qt::Key_Right, Qt::Key_Up,
                                          Qt::Key_Down, Qt::Key_Home, Qt::Key_End, Qt::Key_C, Qt::Key_Z,    Qt::Key_Comma};
        QWidget *focus = window->focusWidget() ? window->focusWidget() : window;
        const bool control = m_random() % 3 == 0;
        const int key = control ? withControl[upTo(std::size(withControl))] : keys[upTo(std::size(keys))];
        // Through the window, so that shortcuts are heard. What is pressed may be gone before the key is let go.
        if (const QPointer<QWindow> handle = window->window()->windowHandle(); handle && control) {
            // One event at a time: a window that is gone with the first must not get the second.
            const std::pair<bool, int> events[] = {{true, Qt::Key_Control}, {true, key}, {false, key}, {false, Qt::Key_Control}};
            for (const auto &[isPress, code] : events)
                if (handle) QTest::simulateEvent(handle, isPress, code, code == key ? Qt::ControlModifier : Qt::NoModifier, {}, false);
            return;
        }
        const QPointer<QWidget> still(focus);
        QTest::keyPress(focus, static_cast<Qt::Key>(key));
        if (still) QTest::keyRelease(focus, static_cast<Qt::Key>(key));
    }
    /// One window, which is open.
    void tidy()
    {
        for (QWidget *each : QApplication::topLevelWidgets())
            if (auto *other = qobject_cast<MainWindow *>(each); other && other != m_window.get()) other->deleteLater();
        if (!m_window->isVisible()) m_window->show();
        QSettings().setValue("editor", "true %f");
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        QApplication::setQuitOnLastWindowClosed(false);
        qputenv("PATH", scratch("").toLocal8Bit() + ":" + qgetenv("PATH"));
        QFile program(scratch("croton"));
        QVERIFY(program.open(QIODevice::WriteOnly));
        program.write("#!/bin/sh\nexit 0\n");
        program.close();
        program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        wear(false);
        m_path = copyOf(CROTON_REAL_SESSION, "a.croton");
        QVERIFY(QFile::copy(QStringLiteral(CROTON_REAL_SESSION), scratch("b.croton")));
    }
    void theWindowLives()
    {
        const bool given = qEnvironmentVariableIsSet("CROTON_MONKEY_SEED");
        const unsigned seed = given ? qEnvironmentVariable("CROTON_MONKEY_SEED").toUInt() : std::random_device()();
        std::fprintf(stderr, "CROTON_MONKEY_SEED=%u\n", seed);
        m_random.seed(seed);
        const bool isLong = qEnvironmentVariableIsSet("CROTON_LONG_TESTS");
        const int actions = isLong ? 9000 : 400;
        const int pause = isLong ? 33 : 1;
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1280, 800);
        m_window->show();
        m_window->files().open(m_path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 20000);
        const QtMessageHandler before = qInstallMessageHandler(listen);
        // The next action is on its way before this one is done, which may open a dialog with a loop of its own.
        int done = 0;
        QEventLoop loop;
        std::function<void()> next = [&] {
            if (++done <= actions) {
                QTimer::singleShot(pause, this, [&next] { next(); });
                act();
                return;
            }
            QWidget *open = QApplication::activePopupWidget() ? QApplication::activePopupWidget() : QApplication::activeModalWidget();
            if (open) open->close();
            if (open && done < actions + kMostDialogs) QTimer::singleShot(pause, this, [&next] { next(); });
            else loop.quit();
        };
        QTimer::singleShot(0, this, [&next] { next(); });
        loop.exec();
        qInstallMessageHandler(before);
        tidy();
        // It still does what it is asked for.
        m_window->files().open(m_path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 30000);
        m_window->showView("profile");
        QCOMPARE(m_window->workspaces().current(), QString("profile"));
        QVERIFY2(g_complaints.isEmpty(), qPrintable(g_complaints.join(u'\n')));
        m_window.reset();
    }
};

QTEST_MAIN(MonkeyTest)
#include "monkey_test.moc"
