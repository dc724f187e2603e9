// studio_bench SESSION [whole]: from opening a session to its picture, what that takes, how long an event holds the GUI thread,
// and frames a second while panning and zooming; `whole`: with every apply as a node. One line, for studio.py.
// studio_bench SESSION views: how long each view, a step, a search and the palette take until they are there, and hold the thread.
#include "app/studio/dialogs/palette_entries.h"
#include "app/studio/pages/graph_page.h"
#include "app/studio/window/main_window.h"
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
constexpr qint64 kIdleMs = 50;

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

/// One line of a table: from doing something until all is there, by the wall, and the longest event on the way.
void note(Watchdog &application, MainWindow &window, const char *what, const std::function<void()> &action)
{
    application.begin();
    QElapsedTimer timer;
    timer.start();
    const double start = Watchdog::threadMs();
    action();
    const double own = Watchdog::threadMs() - start;
    waitFor([&] { return window.isReady(); });
    window.repaint();
    std::printf("%-12s %7lld ms %8.1f ms  %s\n", what, static_cast<long long>(timer.elapsed()), std::max(own, application.longestMs),
                own > application.longestMs ? "itself" : qPrintable(application.longest));
}

void noteViews(Watchdog &application, MainWindow &window, GraphPage &page)
{
    for (const ViewEntry &view : studioViews().entries())
        if (!view.missing && !view.worksAlone && view.id != QLatin1String("welcome"))
            note(application, window, qPrintable(view.id), [&] { window.showView(view.id); });
    for (const char *workspace : {"graph", "profile", "steps", "graph"})
        note(application, window, workspace, [&] { window.showView(workspace); });
    const auto graph = window.session()->graphOf(window.hub().selection().function);
    for (const auto &row : graph->applies)
        if (row.inOptimized) {
            note(application, window, "a node", [&] { window.hub().selectNode({Side::Optimized, NodeKind::Apply, raw(row.apply)}); });
            break;
        }
    note(application, window, "a line", [&] { window.hub().selectSource({QString::fromStdString(window.session()->script.path), 8}); });
    const int last = graph->info.stepCount;
    for (int step : {0, 1, 2, last / 2, last / 2 + 1, last - 1})
        note(application, window, qPrintable(QStringLiteral("step %1").arg(step)), [&] { window.hub().selectStep(step); });
    note(application, window, "last step", [&] { window.hub().selectStep(Selection::kLastStep); });
    note(application, window, "search", [&] { page.optimizedPane()->canvas()->setSearch(QStringLiteral("tanh")); });
    PaletteEntries entries;
    note(application, window, "palette", [&] { entries = paletteEntries(studioViews(), window.session(), graph.get()); });
    for (const char *words : {"", "tanh", "apply 12", "as written 7"})
        note(application, window, "find in it", [&] { bestMatches(entries, QString::fromLatin1(words), 60); });
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
    const bool isOfViews = count > 2 && arguments[2] == std::string("views");
    Theme theme = Theme::load(ThemeKind::Light);
    theme.setReducedMotion(isOfViews); // a smooth move that follows the picture is no part of what switching takes
    applyTheme(application, theme);
    MainWindow window;
    window.resize(1440, 900);
    window.show();
    waitFor([&] { return window.isVisible(); });
    QElapsedTimer timer;
    for (timer.start(); timer.elapsed() < kIdleMs;) QCoreApplication::processEvents(); // what an empty window takes is no part of this
    const auto page = [&] { return qobject_cast<GraphPage *>(window.views().widget("graph")); };
    const auto isDrawn = [&] {
        const GraphCanvas *canvas = page()->optimizedPane()->canvas();
        return page()->isSettled() && !canvas->scene().nodes.empty();
    };
    application.begin();
    timer.start();
    window.openFile(QString::fromLocal8Bit(arguments[1]));
    if (!waitFor([&] { return window.session() && isDrawn(); })) return 1;
    page()->optimizedPane()->canvas()->repaint();
    double picture = static_cast<double>(timer.elapsed()) / 1e3;
    if (!waitFor([&] { return window.isReady(); })) return 1;
    const double all = static_cast<double>(timer.elapsed()) / 1e3;
    if (isOfViews) {
        noteViews(application, window, *page());
        return 0;
    }
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
