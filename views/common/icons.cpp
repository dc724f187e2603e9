#include "views/common/icons.h"

#include "views/common/theme.h"

#include <QCache>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

#include <cmath>
#include <optional>

static void initIconResource() { Q_INIT_RESOURCE(croton); }

namespace views {
namespace {

QByteArray source(const QString &name)
{
    thread_local QHash<QString, QByteArray> sources; // pictures of graphs are painted in any
    auto found = sources.constFind(name);
    if (found != sources.constEnd()) return *found;
    initIconResource();
    QFile file(QStringLiteral(":/croton/icons/%1.svg").arg(name));
    QByteArray text;
    if (file.open(QIODevice::ReadOnly)) text = file.readAll();
    sources.insert(name, text);
    return text;
}

/// Lines are 1.25 px up to 16 px and 1.5 px above, whatever the drawn size of the 24 grid.
double strokeOnGrid(double px)
{
    const double stroke = px <= 17 ? 1.25 : 1.5;
    return stroke * 24.0 / std::max(px, 1.0);
}

class ThemedEngine : public QIconEngine {
public:
    ThemedEngine(QString name, std::optional<QColor> color) : m_name(std::move(name)), m_color(color) {}

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        const Theme &theme = Theme::current();
        QColor color = m_color.value_or(theme.color(Color::TextSecondary));
        if (mode == QIcon::Disabled) color = theme.color(Color::TextDisabled);
        const int side = std::min(rect.width(), rect.height());
        const QRectF square(rect.x() + (rect.width() - side) / 2.0, rect.y() + (rect.height() - side) / 2.0, side, side);
        paintIcon(*painter, m_name, square, color);
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        if (size.isEmpty()) return {}; // of a button that has no room
        // Qt asks in device pixels, so the stroke of the logical size is kept by the ratio in paintIcon.
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    QIconEngine *clone() const override { return new ThemedEngine(m_name, m_color); }

private:
    QString m_name;
    std::optional<QColor> m_color;
};

} // namespace

void paintIcon(QPainter &painter, const QString &name, const QRectF &rect, const QColor &color)
{
    QByteArray svg = source(name);
    if (svg.isEmpty()) return;
    svg.replace("currentColor", color.name(QColor::HexRgb).toLatin1());
    svg.replace("stroke-width=\"1.5\"", "stroke-width=\"" + QByteArray::number(strokeOnGrid(rect.width()), 'f', 3) + "\"");
    QSvgRenderer renderer(svg);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setOpacity(painter.opacity() * color.alphaF());
    renderer.render(&painter, rect);
    painter.restore();
}

QIcon themedIcon(const QString &name) { return QIcon(new ThemedEngine(name, std::nullopt)); }

QIcon coloredIcon(const QString &name, const QColor &color) { return QIcon(new ThemedEngine(name, color)); }

QPixmap iconPixmap(const QString &name, int px, const QColor &color, double devicePixelRatio)
{
    QPixmap pixmap(QSize(px, px) * devicePixelRatio);
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintIcon(painter, name, QRectF(0, 0, px, px), color);
    return pixmap;
}

QIcon applicationIcon()
{
    initIconResource();
    return QIcon(QStringLiteral(":/croton/icons/croton.svg"));
}

} // namespace views
