// studio_bench SESSION [whole]: from opening a session to its picture, what that takes, how long an event holds the GUI thread,
// and frames a second while panning and zooming; `whole`: with every apply as a node. One line, for studio.py.
#include "app/studio/graph_page.h"
#include "app/studio/main_window.h"
#include "tests/app/studio/watchdog.h"
#include "views/common/palette.h"
#include "views/graph/graph_pane.h"

#include <QElapsedTimer>
#include <QMouseEvent>
#include <QSettings>
#include <QTemporaryDir>

#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

using namespace app;
using namespace views;

namespace {

constexpr int kFrames = 120;

bool waitFor(const std::function<bool()> &isDone)
{
    constexpr qint64 kLimitMs = 120'000;
    QElapsedTimer timer;
    timer.start();
    while (!isDone()) {
        if (timer.elapsed() > kLimitMs) return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    }
    return true;
}

double peakMb()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024;
    return 0;
}

double framesPerSecond(GraphCanvas &canvas, const std::function<void(int)> &frame)
{
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < kFrames; ++i) {
        frame(i);
        canvas.repaint();
    }
    return kFrames * 1e3 / static_cast<double>(std::max<qint64>(1, timer.elapsed()));
}

} // namespace

int main(int count, char **arguments)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    Watchdog application(count, arguments);
    if (count < 2) {
        std::fprintf(stderr, "usage: studio_bench SESSION [whole]\n");
        return 2;
    }
    const QTemporaryDir settings;
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    applyTheme(application, Theme::load(ThemeKind::Light));
    MainWindow window;
    window.resize(1440, 900);
    window.show();
    waitFor([&] { return window.isVisible(); });
    const auto page = [&] { return qobject_cast<GraphPage *>(window.views().widget("graph")); };
    const auto isDrawn = [&] {
        const GraphCanvas *canvas = page()->optimizedPane()->canvas();
        return page()->isSettled() && !canvas->scene().nodes.empty();
    };
    application.begin();
    QElapsedTimer timer;
    timer.start();
    window.openFile(QString::fromLocal8Bit(arguments[1]));
    if (!waitFor([&] { return window.session() && isDrawn(); })) return 1;
    page()->optimizedPane()->canvas()->repaint();
    double picture = static_cast<double>(timer.elapsed()) / 1e3;
    if (!waitFor([&] { return window.isReady(); })) return 1;
    const double all = static_cast<double>(timer.elapsed()) / 1e3;
    if (count > 2) {
        timer.restart();
        page()->setFold(FoldChoice::Nothing);
        if (!waitFor([&] { return page()->originalPane()->canvas()->scene().folding == nullptr && isDrawn(); })) return 1;
        picture = static_cast<double>(timer.elapsed()) / 1e3;
    }
    const double stall = application.longestMs;
    GraphCanvas &canvas = *page()->originalPane()->canvas();
    canvas.settle();
    canvas.fit();
    canvas.settle();
    const QPointF middle = QRectF(canvas.rect()).center();
    const double pan = framesPerSecond(canvas, [&](int i) {
        const QPointF at = middle + QPointF(i % 2 ? 7 : 0, 5);
        QMouseEvent move(QEvent::MouseMove, at, canvas.mapToGlobal(at), Qt::NoButton, Qt::MiddleButton, {});
        if (i == 0) {
            QMouseEvent press(QEvent::MouseButtonPress, middle, canvas.mapToGlobal(middle), Qt::MiddleButton, Qt::MiddleButton, {});
            QCoreApplication::sendEvent(&canvas, &press);
        }
        QCoreApplication::sendEvent(&canvas, &move);
    });
    const double least = canvas.scale();
    const double zoom = framesPerSecond(canvas, [&](int i) {
        const double share = 1 - std::abs(2.0 * i / kFrames - 1);
        canvas.setScale(least * std::pow(std::max(2.0, 1 / least), share), middle);
    });
    std::printf("%d %zu %.2f %.2f %.0f %.1f %.0f %.0f %s\n", canvas.scene().applyCount(), canvas.scene().nodes.size(), picture, all,
                peakMb(), stall, pan, zoom, qPrintable(application.longest));
    return 0;
}
