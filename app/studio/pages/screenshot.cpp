#include "app/studio/pages/screenshot.h"

#include "app/studio/pages/graph_page.h"
#include "app/studio/window/main_window.h"
#include "views/common/text.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_pane.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QHash>
#include <QImageWriter>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace app {

using views::tr;

namespace {

constexpr int kReadLimitMs = 180000; // a script is run first
constexpr int kConditionPollMs = 25;
constexpr qsizetype kMostColors = 256;
constexpr qsizetype kSurfaces = 48; // the most frequent colours are kept whatever lies near them
constexpr int kFirstDistance = 150; // squared, in RGB: letters keep about five steps of grey
constexpr int kCalmPolls = 3;       // deferred relayouts and repaints have run by then

/// Runs the event loop until the condition has held for some polls; false at the limit.
template <class Condition>
bool waitFor(Condition condition, int limitMs)
{
    QEventLoop loop;
    QTimer poll;
    QElapsedTimer clock;
    clock.start();
    int calm = 0;
    bool reached = false;
    QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
        calm = condition() ? calm + 1 : 0;
        reached = calm >= kCalmPolls;
        if (reached || clock.elapsed() > limitMs) loop.quit();
    });
    poll.start(kConditionPollMs);
    loop.exec();
    return reached;
}

/// At most 256 colours, so that a picture of a window stays small: the frequent ones that differ visibly are kept, the
/// rest (edges of letters) takes the nearest of them.
QImage withFewColors(const QImage &source)
{
    const QImage image = source.convertToFormat(QImage::Format_RGB32);
    QHash<QRgb, int> counts;
    for (int y = 0; y < image.height(); ++y) {
        const auto *line = reinterpret_cast<const QRgb *>(image.constScanLine(y));
        for (int x = 0; x < image.width(); ++x) ++counts[line[x]];
    }
    std::vector<std::pair<int, QRgb>> byCount;
    for (auto it = counts.cbegin(); it != counts.cend(); ++it) byCount.emplace_back(it.value(), it.key());
    std::sort(byCount.begin(), byCount.end(), std::greater<>());
    const auto distance = [](QRgb a, QRgb b) {
        const int red = qRed(a) - qRed(b);
        const int green = qGreen(a) - qGreen(b);
        const int blue = qBlue(a) - qBlue(b);
        return red * red + green * green + blue * blue;
    };
    QList<QRgb> table;
    const bool few = byCount.size() <= kMostColors;
    for (int apart = few ? 0 : kFirstDistance; table.size() < kMostColors && apart >= 0; apart = apart / 2 - 1) {
        for (const auto &[count, color] : byCount) {
            if (table.size() >= kMostColors) break;
            const bool taken = std::any_of(table.cbegin(), table.cend(), [&, color = color](QRgb each) {
                return each == color || (table.size() >= kSurfaces && distance(each, color) < apart);
            });
            if (!taken) table << color;
        }
    }
    QHash<QRgb, uchar> nearest;
    QImage result(image.size(), QImage::Format_Indexed8);
    result.setColorTable(table);
    for (int y = 0; y < image.height(); ++y) {
        const auto *line = reinterpret_cast<const QRgb *>(image.constScanLine(y));
        uchar *out = result.scanLine(y);
        for (int x = 0; x < image.width(); ++x) {
            auto found = nearest.constFind(line[x]);
            if (found == nearest.constEnd()) {
                const auto best = std::min_element(table.cbegin(), table.cend(),
                                                   [&](QRgb a, QRgb b) { return distance(a, line[x]) < distance(b, line[x]); });
                found = nearest.insert(line[x], static_cast<uchar>(best - table.cbegin()));
            }
            out[x] = *found;
        }
    }
    return result;
}

/// What a file manager shows of a session: the optimized graph, without a window around it.
QImage thumbnailOf(const MainWindow &window, int pixels)
{
    const auto *page = window.findChild<GraphPage *>();
    if (!page) return {};
    const views::GraphCanvas &canvas = *page->optimizedPane()->canvas();
    QImage whole = canvas.drawing().image();
    if (whole.isNull()) whole = page->optimizedPane()->canvas()->grab().toImage(); // too large to draw at full size
    return whole.scaled(QSize(pixels, pixels), Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

int fail(const QString &sentence)
{
    std::fprintf(stderr, "croton-studio: %s\n", qPrintable(sentence));
    return 1;
}

/// Opens the file, and runs it where it is a script; empty when there is something to be seen.
QString openFor(MainWindow &window, const Options &options)
{
    window.files().open(options.file);
    const auto isThere = [&] { return !window.notices().lastError().isEmpty() || (window.session() && window.isReady()); };
    bool read = waitFor(isThere, kReadLimitMs);
    if (window.session() && !window.session()->isRecorded()) { // nobody is there who could press Run
        window.runs().run();
        read = waitFor(isThere, kReadLimitMs);
    }
    if (!window.session())
        return window.notices().lastError().isEmpty()
                   ? tr("%1 could not be read within %2 seconds.").arg(options.file).arg(kReadLimitMs / 1000)
                   : window.notices().lastError();
    if (!read) std::fprintf(stderr, "croton-studio: %s\n", qPrintable(tr("The run still goes on; the picture shows what is there.")));
    return {};
}

} // namespace

int takeScreenshot(MainWindow &window, const Options &options)
{
    window.resize(options.size.isValid() ? options.size : QSize(1440, 900));
    window.show();
    views::GraphCanvas::setPatience(kLayoutLimitMs); // equal questions, equal pictures
    const bool welcome = (options.file.isEmpty() && options.lesson.isEmpty()) || options.view == "welcome";
    if (welcome && !options.view.isEmpty() && options.view != "welcome")
        return fail(tr("The view %1 needs a file: croton-studio FILE --screenshot …").arg(options.view));
    if (!welcome) {
        if (const QString problem = options.file.isEmpty() ? QString() : openFor(window, options); !problem.isEmpty()) return fail(problem);
        QString error;
        if (!window.follow(options, &error)) return fail(error);
        if (!options.other.isEmpty()) window.files().compare(options.file, options.other);
        if (!waitFor([&] { return window.isReady(); }, kLayoutLimitMs))
            return fail(tr("The layout did not come to rest within %1 seconds.").arg(kLayoutLimitMs / 1000));
        window.settle();
        if (options.tour > 0) {
            window.guide().show(options.tour - 1);
            if (!waitFor([&] { return window.guide().tour() != nullptr; }, kLayoutLimitMs))
                return fail(tr("There is nothing to give a tour of."));
            if (!waitFor([&] { return window.isReady(); }, kLayoutLimitMs))
                return fail(tr("The layout did not come to rest within %1 seconds.").arg(kLayoutLimitMs / 1000));
            window.settle();
        }
    }
    waitFor([] { return true; }, kLayoutLimitMs);
    QImageWriter writer(options.screenshot, "png");
    writer.setCompression(100);
    const QImage picture = options.thumbnail > 0 ? thumbnailOf(window, options.thumbnail) : window.grab().toImage();
    if (picture.isNull()) return fail(tr("%1 has no graph to make a thumbnail of.").arg(options.file));
    if (!writer.write(withFewColors(picture)))
        return fail(tr("%1 could not be written: %2.").arg(options.screenshot, writer.errorString()));
    return 0;
}

} // namespace app
