#include "views/graph/graph_export.h"

#include "views/common/theme.h"
#include "views/graph/graph_canvas.h"

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

void paint(QPainter &painter, const GraphCanvas &canvas, const QRectF &page, const QSet<SceneKey> &only)
{
    painter.fillRect(QRectF(QPointF(), page.size()), Theme::current().color(Color::Canvas));
    painter.translate(-page.topLeft());
    canvas.paintAll(painter, 1, only);
}

} // namespace

GraphFormat formatOfPath(const QString &path)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == QStringLiteral("png")) return GraphFormat::Png;
    if (ending == QStringLiteral("pdf")) return GraphFormat::Pdf;
    if (ending == QStringLiteral("dot") || ending == QStringLiteral("gv")) return GraphFormat::Dot;
    return GraphFormat::Svg;
}

QString exportGraph(const GraphCanvas &canvas, GraphFormat format, const QString &path, const QString &title, const QSet<SceneKey> &only)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return tr("%1 cannot be written: %2. Choose another folder.").arg(path, file.errorString());
    const QRectF page = canvas.boundsOf(only).adjusted(-kBorder, -kBorder, kBorder, kBorder);
    bool good = true;
    switch (format) {
    case GraphFormat::Dot: good = file.write(toDot(only.isEmpty() ? canvas.scene() : partOf(canvas.scene(), only)).toUtf8()) >= 0; break;
    case GraphFormat::Svg: {
        QSvgGenerator svg;
        svg.setOutputDevice(&file);
        svg.setTitle(title);
        svg.setSize(page.size().toSize());
        svg.setViewBox(QRectF(QPointF(), page.size()));
        svg.setResolution(96);
        QPainter painter(&svg);
        good = painter.isActive();
        paint(painter, canvas, page, only);
        break;
    }
    case GraphFormat::Pdf: {
        QPdfWriter pdf(&file);
        pdf.setTitle(title);
        pdf.setResolution(72); // one unit is one px of the picture
        pdf.setPageSize(QPageSize(page.size(), QPageSize::Point));
        pdf.setPageMargins({});
        QPainter painter(&pdf);
        good = painter.isActive();
        paint(painter, canvas, page, only);
        break;
    }
    case GraphFormat::Png: {
        const QImage image = canvas.image(only);
        if (image.isNull()) return tr("The picture is too large for a PNG. Export SVG or PDF instead.");
        good = image.save(&file, "PNG");
        break;
    }
    }
    if (!good || !file.commit()) return tr("%1 could not be written completely. Is the disk full?").arg(path);
    return {};
}

} // namespace views
