#include "views/graph/graph_export.h"

#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/graph/key_panel.h"

#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>

namespace views {
namespace {

constexpr double kBorder = 24;

/// Takes nothing more once it is called off, so that whoever writes to it ends soon.
class StoppableFile : public QSaveFile {
public:
    StoppableFile(const QString &path, const PaintProgress &progress) : QSaveFile(path), m_progress(progress) {}

protected:
    qint64 writeData(const char *data, qint64 size) override { return m_progress.isCalledOff ? -1 : QSaveFile::writeData(data, size); }

private:
    const PaintProgress &m_progress;
};

/// Where graph and key stand.
struct Places {
    QRectF graph; // in scene coordinates, with its border
    QRectF key;
    QSizeF size;

    explicit Places(const GraphSheet &sheet) : graph(sheet.drawing.bounds().adjusted(-kBorder, -kBorder, kBorder, kBorder))
    {
        const QSizeF forKey = keySize(sheet.drawing.theme, sheet.scale, sheet.kinds);
        key = QRectF(QPointF(kBorder / 2, graph.height()), forKey);
        size = QSizeF(std::max(graph.width(), forKey.width() + kBorder), graph.height() + forKey.height());
    }
};

void paint(QPainter &painter, const GraphSheet &sheet, const Places &places, PaintProgress &progress)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(QRectF(QPointF(), places.size), sheet.drawing.theme.color(Color::Canvas));
    paintKey(painter, places.key, sheet.drawing.theme, sheet.scale, sheet.kinds);
    painter.translate(-places.graph.topLeft());
    sheet.drawing.paint(painter, &progress);
    progress.isWriting = true;
}

QString notWritten(const QString &path) { return tr("%1 could not be written completely. Is the disk full?").arg(path); }

} // namespace

GraphFormat formatOfPath(const QString &path)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == QStringLiteral("png")) return GraphFormat::Png;
    if (ending == QStringLiteral("pdf")) return GraphFormat::Pdf;
    if (ending == QStringLiteral("dot") || ending == QStringLiteral("gv")) return GraphFormat::Dot;
    return GraphFormat::Svg;
}

ExportEnd exportGraph(const GraphSheet &sheet, GraphFormat format, const QString &path, PaintProgress &progress)
{
    StoppableFile file(path, progress);
    if (!file.open(QIODevice::WriteOnly))
        return {false, tr("%1 cannot be written: %2. Choose another folder.").arg(path, file.errorString())};
    const GraphDrawing &drawing = sheet.drawing;
    const Places places(sheet);
    bool good = true;
    switch (format) {
    case GraphFormat::Dot:
        good = file.write(toDot(drawing.only.isEmpty() ? *drawing.scene : partOf(*drawing.scene, drawing.only)).toUtf8()) >= 0;
        break;
    case GraphFormat::Svg: {
        QSvgGenerator svg;
        svg.setOutputDevice(&file);
        svg.setTitle(sheet.title);
        svg.setSize(places.size.toSize());
        svg.setViewBox(QRectF(QPointF(), places.size));
        svg.setResolution(96);
        QPainter painter(&svg);
        good = painter.isActive();
        paint(painter, sheet, places, progress);
        break;
    }
    case GraphFormat::Pdf: {
        QPdfWriter pdf(&file);
        pdf.setTitle(sheet.title);
        pdf.setResolution(72); // one unit is one px of the picture
        pdf.setPageSize(QPageSize(places.size, QPageSize::Point));
        pdf.setPageMargins({});
        QPainter painter(&pdf);
        good = painter.isActive();
        paint(painter, sheet, places, progress);
        break;
    }
    case GraphFormat::Png: {
        const double sharp = GraphDrawing::sharpness(places.size);
        QImage image((places.size * sharp).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
        if (image.isNull()) return {false, tr("The picture is too large for a PNG. Export SVG or PDF instead.")};
        QPainter painter(&image);
        painter.scale(sharp, sharp);
        paint(painter, sheet, places, progress);
        painter.end();
        good = !progress.isCalledOff && image.save(&file, "PNG");
        break;
    }
    }
    if (progress.isCalledOff) return {}; // what was written goes with the file that is not committed
    if (!good || !file.commit()) return {false, notWritten(path)};
    return {true, {}};
}

} // namespace views
