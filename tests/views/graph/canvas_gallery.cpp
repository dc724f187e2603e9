// Pictures of the canvas for people to look at: canvas_gallery FOLDER. Not a test; run it offscreen.
#include "tests/views/graph/demo_scenes.h"
#include "views/common/palette.h"
#include "views/graph/graph_canvas.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>

#include <cstdio>

namespace {

using namespace views;

void waitFor(GraphCanvas &canvas)
{
    QElapsedTimer timer;
    timer.start();
    while (!canvas.isSettled() && timer.elapsed() < 5000) QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    canvas.settle();
}

void take(const QDir &folder, const QString &name, Scene scene, QSize size, Overlay overlay, double scale = 0,
          const QStringList &select = {}, const QStringList &link = {}, bool graphviz = true)
{
    GraphCanvas canvas;
    canvas.setUseGraphviz(graphviz);
    canvas.resize(size);
    canvas.show();
    canvas.setScene(std::move(scene), GraphCanvas::Change::Fresh);
    canvas.setOverlay(overlay);
    QSet<SceneKey> selected, linked;
    for (const SceneNode &node : canvas.scene().nodes) {
        if (select.contains(node.title)) selected.insert(node.key);
        if (link.contains(node.title)) linked.insert(node.key);
    }
    canvas.setSelected(selected);
    canvas.setLinked(linked);
    waitFor(canvas);
    if (scale > 0) canvas.setScale(scale, QRectF(canvas.rect()).center());
    QElapsedTimer timer;
    timer.start();
    const QPixmap picture = canvas.grab();
    std::printf("%s: %d nodes, drawn in %lld ms\n", qPrintable(name), static_cast<int>(canvas.scene().nodes.size()),
                static_cast<long long>(timer.elapsed()));
    picture.save(folder.filePath(name + QStringLiteral(".png")));
}

} // namespace

int main(int argc, char **argv)
{
    QApplication app(argc, argv);
    QDir folder(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("gallery"));
    folder.mkpath(QStringLiteral("."));
    for (ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        applyTheme(app, Theme::load(kind));
        const QString tail = kind == ThemeKind::Light ? QStringLiteral("-light") : QStringLiteral("-dark");
        take(folder, QStringLiteral("original") + tail, demo::logisticRegression(false), {520, 760}, Overlay::None, 0, {},
             {QStringLiteral("exp"), QStringLiteral("1 + ·"), QStringLiteral("mul")});
        take(folder, QStringLiteral("optimized") + tail, demo::logisticRegression(true), {520, 760}, Overlay::Time, 0,
             {QStringLiteral("y·softplus(u) − (−1)·(1−y)·softplus(−u)")});
        take(folder, QStringLiteral("own") + tail, demo::logisticRegression(true), {520, 760}, Overlay::Time, 0, {}, {}, false);
        take(folder, QStringLiteral("kinds") + tail, demo::everyKind(), {760, 620}, Overlay::None, 0, {QStringLiteral("exp")});
        take(folder, QStringLiteral("phases") + tail, demo::everyKind(), {760, 620}, Overlay::Phase);
        take(folder, QStringLiteral("medium") + tail, demo::layered(120, 3), {1000, 700}, Overlay::Time);
        take(folder, QStringLiteral("medium-half") + tail, demo::layered(120, 3), {1000, 700}, Overlay::Time, 0.5);
        take(folder, QStringLiteral("medium-quarter") + tail, demo::layered(400, 3), {1000, 700}, Overlay::Time, 0.25);
        take(folder, QStringLiteral("big") + tail, demo::layered(5000, 3), {1000, 700}, Overlay::Time, 0.08);
    }
    return 0;
}
