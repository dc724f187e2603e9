#include "views/graph/graph_drawing.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace views {
namespace {

std::vector<int> allOf(std::size_t count)
{
    std::vector<int> indices(count);
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
}

} // namespace

QRectF GraphDrawing::bounds() const
{
    if (only.isEmpty()) return picture->bounds;
    QRectF bounds;
    for (SceneKey key : only)
        if (const int at = scene->find(key); at >= 0) bounds |= picture->nodes[at].rect;
    for (std::size_t i = 0; i < scene->edges.size(); ++i)
        if (only.contains(scene->nodes[scene->edges[i].from].key) && only.contains(scene->nodes[scene->edges[i].to].key))
            bounds |= picture->edges[i].bounds;
    return bounds;
}

void GraphDrawing::paint(QPainter &painter, PaintProgress *progress) const
{
    PaintState state = look;
    state.theme = &theme;
    state.scene = scene.get();
    state.picture = picture.get();
    state.scale = 1;
    state.detail = Detail::Full;
    state.hovered = state.focused = kNoSceneKey;
    state.opacity = nullptr;
    state.progress = progress;
    if (!only.isEmpty()) {
        state.dimmedExcept = only;
        state.isolated = true;
    }
    if (progress) progress->total = static_cast<int>(scene->edges.size() + scene->nodes.size());
    GraphPainter graph(painter, state);
    painter.setRenderHint(QPainter::Antialiasing);
    graph.paintFrames();
    graph.paintEdges(allOf(scene->edges.size()));
    graph.paintCaptions();
    graph.paintNodes(allOf(scene->nodes.size()));
}

double GraphDrawing::sharpness(const QSizeF &size)
{
    constexpr double kMostPixels = 64e6;
    return std::min(2.0, std::sqrt(kMostPixels / std::max(1.0, size.width() * size.height())));
}

QImage GraphDrawing::image(PaintProgress *progress) const
{
    constexpr double kBorder = 24;
    const QRectF page = bounds().adjusted(-kBorder, -kBorder, kBorder, kBorder);
    const double scale = sharpness(page.size());
    QImage image((page.size() * scale).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
    if (image.isNull()) return image;
    image.fill(theme.color(Color::Canvas));
    QPainter painter(&image);
    painter.scale(scale, scale);
    painter.translate(-page.topLeft());
    paint(painter, progress);
    painter.end();
    return progress && progress->isCalledOff ? QImage() : image;
}

} // namespace views
