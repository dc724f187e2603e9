#include "views/graph/graph_export.h"

#include "views/common/theme.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/key_panel.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr double kBorder = 24;

QString tr(const char *text) { return QCoreApplication::translate("views::GraphExport", text); }

/// The graph, and the key below it.
struct Page {
    QRectF graph; // in scene coordinates, with its border
    QRectF key;   // on the page
    QSizeF size;
    ColourKey kinds;

    Page(const GraphCanvas &canvas, const QSet<SceneKey> &only, const ColourScale &scale)
        : graph(canvas.boundsOf(only).adjusted(-kBorder, -kBorder, kBorder, kBorder)), kinds(colourKeyOf(canvas.scene(), canvas.overlay()))
    {
        const QSizeF forKey = keySize(scale, kinds);
        key = QRectF(QPointF(kBorder / 2, graph.height()), forKey);
        size = QSizeF(std::max(graph.width(), forKey.width() + kBorder), graph.height() + forKey.height());
    }
    void paint(QPainter &painter, const GraphCanvas &canvas, const QSet<SceneKey> &only, const ColourScale &scale) const
    {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.fillRect(QRectF(QPointF(), size), Theme::current().color(Color::Canvas));
        paintKey(painter, key, scale, kinds);
        painter.translate(-graph.topLeft());
        canvas.paintAll(painter, 1, only);
    }
};

} // namespace

GraphFormat formatOfPath(const QString &path)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == QStringLiteral("png")) return GraphFormat::Png;
    if (ending == QStringLiteral("pdf")) return GraphFormat::Pdf;
    if (ending == QStringLiteral("dot") || ending == QStringLiteral("gv")) return GraphFormat::Dot;
    return GraphFormat::Svg;
}

QString exportGraph(const GraphCanvas &canvas, GraphFormat format, const QString &path, const QString &title, const QSet<SceneKey> &only,
                    const ColourScale &scale)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return tr("%1 cannot be written: %2. Choose another folder.").arg(path, file.errorString());
    const Page page(canvas, only, scale);
    bool good = true;
    switch (format) {
    case GraphFormat::Dot: good = file.write(toDot(only.isEmpty() ? canvas.scene() : partOf(canvas.scene(), only)).toUtf8()) >= 0; break;
    case GraphFormat::Svg: {
        QSvgGenerator svg;
        svg.setOutputDevice(&file);
        svg.setTitle(title);
        svg.setSize(page.size.toSize());
        svg.setViewBox(QRectF(QPointF(), page.size));
        svg.setResolution(96);
        QPainter painter(&svg);
        good = painter.isActive();
        page.paint(painter, canvas, only, scale);
        break;
    }
    case GraphFormat::Pdf: {
        QPdfWriter pdf(&file);
        pdf.setTitle(title);
        pdf.setResolution(72); // one unit is one px of the picture
        pdf.setPageSize(QPageSize(page.size, QPageSize::Point));
        pdf.setPageMargins({});
        QPainter painter(&pdf);
        good = painter.isActive();
        page.paint(painter, canvas, only, scale);
        break;
    }
    case GraphFormat::Png: {
        // Twice the size for sharp print, less where the image would not fit in memory.
        constexpr double kMostPixels = 64e6;
        const double sharp = std::min(2.0, std::sqrt(kMostPixels / std::max(1.0, page.size.width() * page.size.height())));
        QImage image((page.size * sharp).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
        if (image.isNull()) return tr("The picture is too large for a PNG. Export SVG or PDF instead.");
        QPainter painter(&image);
        painter.scale(sharp, sharp);
        page.paint(painter, canvas, only, scale);
        painter.end();
        good = image.save(&file, "PNG");
        break;
    }
    }
    if (!good || !file.commit()) return tr("%1 could not be written completely. Is the disk full?").arg(path);
    return {};
}

} // namespace views
