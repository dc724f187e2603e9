#include "views/graph/graph_painter.h"

#include "views/common/icons.h"
#include "views/common/palette.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/graph/colour_key.h"
#include "views/graph/graph_drawing.h"
#include "views/graph/pixels_taken.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace views {
namespace {

Color diffColor(DiffState state)
{
    switch (state) {
    case DiffState::Created: return Color::DiffCreated;
    case DiffState::Replaced: return Color::DiffReplaced;
    case DiffState::Fused: return Color::DiffFused;
    case DiffState::Dead: return Color::DiffDead;
    case DiffState::Moved: return Color::DiffMoved;
    case DiffState::Merged: return Color::TextSecondary;
    case DiffState::None: break;
    }
    return Color::DiffUnchanged;
}

Color diffSoftColor(DiffState state)
{
    switch (state) {
    case DiffState::Created: return Color::DiffSoftCreated;
    case DiffState::Replaced: return Color::DiffSoftReplaced;
    case DiffState::Fused: return Color::DiffSoftFused;
    case DiffState::Dead: return Color::DiffSoftDead;
    case DiffState::Moved: return Color::DiffSoftMoved;
    case DiffState::Merged: return Color::Sunken;
    case DiffState::None: break;
    }
    return Color::DiffSoftUnchanged;
}

QString diffSign(DiffState state)
{
    switch (state) {
    case DiffState::Created: return QStringLiteral("+");
    case DiffState::Replaced: return QStringLiteral("~");
    case DiffState::Fused: return QStringLiteral("F");
    case DiffState::Dead: return QStringLiteral("×");
    case DiffState::Moved: return QStringLiteral("›");
    case DiffState::Merged: return QStringLiteral("=");
    case DiffState::None: break;
    }
    return {};
}

} // namespace

Detail detailAt(double scale)
{
    if (scale >= 0.75) return Detail::Full;
    if (scale >= 0.4) return Detail::Title;
    return scale >= 0.2 ? Detail::Box : Detail::Dot;
}

GraphPainter::GraphPainter(QPainter &painter, const PaintState &state)
    : m_painter(painter), m_state(state), m_theme(*state.theme), m_titleFont(m_theme.font(FontRole::Node)),
      m_lightFont(m_theme.font(FontRole::NodeLight)), m_variableFont(m_theme.font(FontRole::Mono)),
      m_captionFont(m_theme.font(FontRole::Caption)), m_numberFont(m_theme.font(FontRole::NodeNumber))
{}

bool GraphPainter::goesOn() const
{
    if (!m_state.progress) return true;
    ++m_state.progress->done;
    return !m_state.progress->isCalledOff;
}

double GraphPainter::px(double at100) const { return at100 * m_theme.textScale(); }

double GraphPainter::line(double width) const { return std::max(width, 0.9 / m_state.scale); }

double GraphPainter::opacityOf(int node) const
{
    constexpr double kGhost = 0.5, kDimmed = 0.3;
    const SceneNode &it = m_state.scene->nodes[node];
    double opacity = m_state.opacity ? (*m_state.opacity)[node] : 1;
    if (it.ghost) opacity *= kGhost;
    if (!m_state.dimmedExcept.isEmpty() && !m_state.dimmedExcept.contains(it.key)) opacity *= m_state.isolated ? 0 : kDimmed;
    return opacity;
}

double GraphPainter::placeOf(const SceneNode &node) const
{
    switch (m_state.overlay) {
    case Overlay::Time: return isApply(node.kind) ? Theme::hotPosition(node.cost.shareOfSlowest) : -1;
    case Overlay::Memory: return isApply(node.kind) ? Theme::hotPosition(node.cost.shareOfLargest) : -1;
    case Overlay::Digits: return node.values.lostShare;
    case Overlay::Magnitude: return node.values.magnitudePlace;
    case Overlay::None:
    case Overlay::Device:
    case Overlay::Dtype:
    case Overlay::Phase: break;
    }
    return -1;
}

QColor GraphPainter::fillOf(const SceneNode &node) const
{
    auto color = [this](Color role) { return m_theme.color(role); };
    if (const double at = placeOf(node); at >= 0) return m_theme.hot(at);
    const bool isMeasured = m_state.overlay == Overlay::Time || m_state.overlay == Overlay::Memory || isOfValues(m_state.overlay);
    if (m_state.overlay == Overlay::Device && isApply(node.kind) && node.kind != SceneKind::Transfer)
        return color(node.onDevice ? Color::SoftGpu : Color::SoftCpu);
    if (m_state.overlay == Overlay::Dtype)
        if (const QString dtype = dtypeOf(node); !dtype.isEmpty()) return color(dtypeFill(dtype));
    if (node.diff != DiffState::None && !isMeasured) return color(diffSoftColor(node.diff));
    switch (node.kind) {
    case SceneKind::Input: return color(Color::SoftInput);
    case SceneKind::Constant: return color(Color::SoftConstant);
    case SceneKind::Shared: return color(Color::SoftShared);
    case SceneKind::Output: return color(Color::SoftOutput);
    case SceneKind::Transfer: return color(Color::SoftTransfer);
    case SceneKind::View: return color(node.onDevice ? Color::SoftGpu : Color::Window);
    case SceneKind::Apply:
    case SceneKind::Composite:
    case SceneKind::Group: break;
    }
    return color(node.onDevice ? Color::SoftGpu : Color::Panel);
}

// Far away there is no outline: what the outline says becomes the fill.
QColor GraphPainter::dotOf(const SceneNode &node) const
{
    const QColor fill = fillOf(node);
    if (isApply(node.kind) && m_state.overlay != Overlay::None && fill != m_theme.color(Color::Panel)) return fill;
    if (m_state.overlay == Overlay::Phase && !node.phase.isEmpty()) return m_theme.phase(node.phase).color;
    return lookOf(node).line;
}

std::uint32_t GraphPainter::dotLook(const SceneNode &node) const
{
    const std::uint32_t kind = static_cast<std::uint32_t>(node.kind) | static_cast<std::uint32_t>(node.diff) << 4;
    const std::uint32_t colour = m_state.overlay == Overlay::Phase   ? static_cast<std::uint32_t>(qHash(node.phase)) & 0xff
                                 : m_state.overlay == Overlay::Dtype ? static_cast<std::uint32_t>(dtypeFill(dtypeOf(node))) & 0xff
                                                                     : static_cast<std::uint32_t>(255 * (1 + placeOf(node)) / 2);
    return kind | (node.onDevice ? 1u : 0u) << 8 | colour << 9;
}

GraphPainter::Look GraphPainter::lookOf(const SceneNode &node) const
{
    auto color = [this](Color role) { return m_theme.color(role); };
    Look look;
    look.fill = fillOf(node);
    look.line = color(Color::BorderStrong);
    look.text = color(Color::TextPrimary);
    look.faint = color(Color::TextMuted);
    switch (node.kind) {
    case SceneKind::Input: look.line = color(Color::Input); break;
    case SceneKind::Constant: look.line = color(Color::Constant); break;
    case SceneKind::Shared: look.line = color(Color::Shared); break;
    case SceneKind::Output:
        look.line = color(Color::Output);
        look.lineWidth = 2;
        break;
    case SceneKind::Transfer:
        look.line = color(Color::Transfer);
        look.lineWidth = 1.5;
        break;
    case SceneKind::Apply:
    case SceneKind::View:
    case SceneKind::Composite:
    case SceneKind::Group:
        if (node.onDevice) look.line = color(Color::Gpu);
        break;
    }
    look.filledByOverlay = placeOf(node) >= 0;
    if (look.filledByOverlay) {
        look.text = Theme::textOn(look.fill);
        look.faint = look.text;
    } else if (node.key == m_state.hovered && isApply(node.kind) && m_state.overlay == Overlay::None && node.diff == DiffState::None) {
        look.fill = color(Color::Hover);
    }
    return look;
}

QPainterPath GraphPainter::outline(SceneKind kind, const QRectF &rect) const
{
    QPainterPath path;
    if (kind == SceneKind::Input || kind == SceneKind::Constant || kind == SceneKind::Shared) {
        const double radius = std::min(rect.height() / 2, px(12));
        path.addRoundedRect(rect, radius, radius);
    } else if (kind == SceneKind::Transfer) {
        const double cut = std::min(px(9), rect.width() / 4);
        const double middle = rect.center().y();
        path.moveTo(rect.left() + cut, rect.top());
        path.lineTo(rect.right() - cut, rect.top());
        path.lineTo(rect.right(), middle);
        path.lineTo(rect.right() - cut, rect.bottom());
        path.lineTo(rect.left() + cut, rect.bottom());
        path.lineTo(rect.left(), middle);
        path.closeSubpath();
    } else {
        path.addRoundedRect(rect, px(4), px(4));
    }
    return path;
}

void GraphPainter::paintFrames()
{
    for (std::size_t i = 0; i < m_state.scene->nodes.size(); ++i) {
        const SceneNode &node = m_state.scene->nodes[i];
        if (!node.open) continue;
        const QRectF &rect = m_state.picture->nodes[i].rect;
        if (!isSeen(rect)) continue;
        QColor fill = m_theme.color(Color::Sunken);
        fill.setAlphaF(0.5f);
        QPen pen(m_theme.color(Color::BorderStrong), line(1));
        pen.setDashPattern({4, 4});
        m_painter.setOpacity(opacityOf(static_cast<int>(i)));
        m_painter.setPen(pen);
        m_painter.setBrush(fill);
        m_painter.drawRoundedRect(rect, px(8), px(8));
        if (m_state.detail < Detail::Title) continue;
        m_painter.setFont(m_titleFont);
        m_painter.setPen(m_theme.color(Color::TextPrimary));
        const QRectF head(rect.left() + px(12), rect.top() + px(4), rect.width() - px(40), px(20));
        const QFontMetricsF metrics(m_titleFont);
        m_painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(node.title, Qt::ElideMiddle, head.width()));
        const double size = px(16);
        paintIcon(m_painter, QStringLiteral("minus"), QRectF(rect.right() - size - px(6), rect.top() + px(6), size, size),
                  m_theme.color(Color::TextSecondary));
    }
    m_painter.setOpacity(1);
    if (m_state.detail == Detail::Dot) return;
    const std::vector<SceneFrame> &frames = m_state.scene->frames;
    for (std::size_t i = 0; i < frames.size(); ++i) paintKernelFrame(frames[i], m_state.picture->frames[i]);
}

QPointF GraphPainter::shiftOf(const SceneFrame &frame, const FrameShape &shape) const
{
    return m_state.picture->nodes[frame.members.front()].rect.center() - shape.anchor;
}

double GraphPainter::opacityOf(const SceneFrame &frame) const
{
    double opacity = 1;
    for (int member : frame.members) opacity = std::min(opacity, opacityOf(member));
    return opacity;
}

void GraphPainter::paintKernelFrame(const SceneFrame &frame, const FrameShape &shape)
{
    const QPointF shift = shiftOf(frame, shape);
    if (!isSeen(shape.bounds.translated(shift))) return;
    m_painter.setOpacity(opacityOf(frame));
    if (isFold(frame.fold)) {
        QColor ground = m_theme.color(Color::Sunken);
        ground.setAlphaF(0.5f);
        QPen border(m_theme.color(Color::BorderStrong), line(1));
        border.setDashPattern({4, 4});
        m_painter.setPen(shape.whole ? border : QPen(Qt::NoPen));
        m_painter.setBrush(ground);
        m_painter.drawPath(shift.isNull() ? shape.outline : shape.outline.translated(shift));
        m_painter.setOpacity(1);
        return;
    }
    QPen pen(m_theme.color(frame.runsAsOne ? Color::Cpu : Color::BorderStrong), line(1.25));
    QColor fill = m_theme.color(Color::SoftCpu);
    fill.setAlphaF(0.5f);
    if (!frame.runsAsOne) pen.setDashPattern({4, 4});
    m_painter.setPen(pen);
    m_painter.setBrush(frame.runsAsOne ? QBrush(fill) : QBrush(Qt::NoBrush));
    m_painter.drawPath(shift.isNull() ? shape.outline : shape.outline.translated(shift));
    m_painter.setOpacity(1);
}

void GraphPainter::paintCaptions()
{
    if (m_state.detail < Detail::Title) return;
    const std::vector<SceneFrame> &frames = m_state.scene->frames;
    for (std::size_t i = 0; i < frames.size(); ++i) paintCaption(frames[i], m_state.picture->frames[i]);
    m_painter.setOpacity(1);
}

void GraphPainter::paintCaption(const SceneFrame &frame, const FrameShape &shape)
{
    const QPointF shift = shiftOf(frame, shape);
    if (!isSeen(shape.bounds.translated(shift).adjusted(0, -px(20), 0, 0))) return;
    const QFontMetricsF metrics(m_captionFont);
    m_painter.setOpacity(opacityOf(frame));
    m_painter.setFont(m_captionFont);
    if (isFold(frame.fold)) {
        const QRectF box = shape.closeAt.translated(shift);
        m_painter.setPen(QPen(m_theme.color(Color::BorderStrong), line(1)));
        m_painter.setBrush(m_theme.color(Color::Panel));
        m_painter.drawRoundedRect(box.adjusted(0, 0, 0, -px(1)), px(4), px(4));
        const double size = px(14);
        paintIcon(m_painter, QStringLiteral("minus"), QRectF(box.left() + px(4), box.center().y() - size / 2 - px(0.5), size, size),
                  m_theme.color(Color::TextSecondary));
        m_painter.setPen(m_theme.color(Color::TextSecondary));
        m_painter.drawText(box.adjusted(px(21), 0, 0, -px(1)), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, frame.caption);
        return;
    }
    for (const QPointF &at : shape.captionsAt) {
        const QRectF box(at.x() + shift.x() + px(4), at.y() + shift.y() - metrics.height() - px(1),
                         metrics.horizontalAdvance(frame.caption) + px(8), metrics.height());
        m_painter.fillRect(box, m_theme.color(Color::Canvas));
        m_painter.setPen(m_theme.color(frame.runsAsOne ? Color::Cpu : Color::TextMuted));
        m_painter.drawText(box, Qt::AlignCenter, frame.caption);
    }
}

void GraphPainter::paintNodes(const std::vector<int> &nodes)
{
    if (m_state.detail == Detail::Dot) {
        paintDots(nodes);
        return;
    }
    for (int index : nodes) paintRing(index);
    for (int index : nodes) {
        if (!m_state.scene->nodes[index].open) paintNode(index);
        if (!goesOn()) return;
    }
    m_painter.setOpacity(1);
}

void GraphPainter::paintDots(const std::vector<int> &nodes)
{
    constexpr double kDot = 3; // px on the screen
    const double size = kDot / m_state.scale;
    QHash<QRgb, QVector<QRectF>> byColor;
    QVector<QRectF> marked;
    PixelsTaken taken;
    for (int index : nodes) {
        const SceneNode &node = m_state.scene->nodes[index];
        const QRectF &rect = m_state.picture->nodes[index].rect;
        const QRectF dot(rect.center().x() - std::max(size, rect.width() * 0.6) / 2, rect.center().y() - size / 2,
                         std::max(size, rect.width() * 0.6), size);
        const bool selected = m_state.selected.contains(node.key), linked = !selected && m_state.linked.contains(node.key);
        if (selected) marked.push_back(dot.adjusted(-size, -size, size, size));
        const double opacity = opacityOf(index);
        const std::uint32_t marks = (selected ? 1u : linked ? 2u : 0u) | static_cast<std::uint32_t>(opacity * 31) << 2;
        if (!taken.take(dot.topLeft() * m_state.scale, dotLook(node) << 7 | marks)) continue;
        QColor color = selected ? m_theme.color(Color::SelectionRing) : linked ? m_theme.color(Color::SelectionLinkedRing) : dotOf(node);
        color.setAlphaF(static_cast<float>(opacity));
        byColor[color.rgba()].push_back(dot);
    }
    m_painter.setPen(Qt::NoPen);
    for (auto it = byColor.constBegin(); it != byColor.constEnd(); ++it) {
        m_painter.setBrush(QColor::fromRgba(it.key()));
        m_painter.drawRects(it.value());
    }
    m_painter.setBrush(m_theme.color(Color::SelectionRing));
    m_painter.drawRects(marked);
}

void GraphPainter::paintRing(int index)
{
    const SceneNode &node = m_state.scene->nodes[index];
    const bool selected = m_state.selected.contains(node.key), linked = m_state.linked.contains(node.key);
    const bool focused = m_state.focused == node.key && !selected;
    if (!selected && !linked && !focused) return;
    m_painter.setOpacity(opacityOf(index));
    const double distance = px(4);
    const QRectF ring = m_state.picture->nodes[index].rect.adjusted(-distance, -distance, distance, distance);
    const double radius =
        node.kind == SceneKind::Input || node.kind == SceneKind::Shared || node.kind == SceneKind::Constant ? ring.height() / 2 : px(8);
    QPen pen(m_theme.color(selected ? Color::SelectionRing : focused ? Color::AccentFocus : Color::SelectionLinkedRing), line(2));
    const double dash = pen.widthF();
    if (focused) pen.setDashPattern({2 / dash, 2 / dash});
    else if (!selected) pen.setDashPattern({5 / dash, 3 / dash});
    m_painter.setPen(pen);
    m_painter.setBrush(selected ? QBrush(m_theme.color(Color::SelectionFill)) : QBrush(Qt::NoBrush));
    m_painter.drawRoundedRect(ring, radius, radius);
}

void GraphPainter::paintNode(int index)
{
    const SceneNode &node = m_state.scene->nodes[index];
    const PictureNode &box = m_state.picture->nodes[index];
    const double opacity = opacityOf(index);
    if (opacity <= 0) return;
    m_painter.setOpacity(opacity);
    const Look look = lookOf(node);
    paintShape(node, box.rect, look);
    if (m_state.detail == Detail::Box) return;
    if (m_state.overlay == Overlay::Phase) paintPhaseBar(node, box.rect);
    paintText(node, box, look);
    paintBadges(node, box.rect);
    if (const auto mark = m_state.marks.constFind(node.key); mark != m_state.marks.cend()) paintMark(*mark, box.rect);
    if (m_state.notes.contains(node.key)) paintNote(box.rect);
}

// At the bottom left, where nothing else stands.
void GraphPainter::paintNote(const QRectF &rect)
{
    const double size = px(14), inset = px(2);
    const QRectF square(rect.left() - size / 2, rect.bottom() - size / 2, size, size);
    m_painter.setPen(QPen(m_theme.color(Color::Canvas), line(1)));
    m_painter.setBrush(m_theme.color(Color::Accent));
    m_painter.drawRoundedRect(square, px(3), px(3));
    paintIcon(m_painter, QStringLiteral("document"), square.adjusted(inset, inset, -inset, -inset), m_theme.color(Color::TextOnAccent));
}

// A frame and a disc at the top left, where no badge stands; the sign says the same as the colour.
void GraphPainter::paintMark(NodeMark mark, const QRectF &rect)
{
    const auto [color, icon] = mark == NodeMark::Chosen   ? std::pair(Color::Accent, "check")
                               : mark == NodeMark::Right  ? std::pair(Color::Ok, "check")
                               : mark == NodeMark::Missed ? std::pair(Color::Warn, "plus")
                                                          : std::pair(Color::Error, "cross");
    const double distance = px(3), size = px(18), inset = px(3);
    QPen pen(m_theme.color(color), line(2));
    if (mark == NodeMark::Missed) pen.setDashPattern({3, 2});
    m_painter.setPen(pen);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRoundedRect(rect.adjusted(-distance, -distance, distance, distance), px(6), px(6));
    const QRectF disc(rect.left() - size / 2, rect.top() - size / 2, size, size);
    m_painter.setPen(QPen(m_theme.color(Color::Canvas), line(1)));
    m_painter.setBrush(m_theme.color(color));
    m_painter.drawEllipse(disc);
    paintIcon(m_painter, QLatin1String(icon), disc.adjusted(inset, inset, -inset, -inset), m_theme.color(Color::Panel));
}

void GraphPainter::paintShape(const SceneNode &node, const QRectF &rect, const Look &look)
{
    QPen pen(look.line, line(look.lineWidth));
    pen.setJoinStyle(Qt::RoundJoin);
    m_painter.setBrush(look.fill);
    if (node.kind == SceneKind::Group && m_state.detail >= Detail::Title) {
        // A second card behind says that there is more inside.
        const double up = px(4);
        m_painter.setPen(pen);
        m_painter.drawPath(outline(node.kind, rect.adjusted(up, -up, -up, -up)));
    }
    if (node.diff != DiffState::None && isApply(node.kind)) {
        m_painter.setPen(Qt::NoPen);
        m_painter.drawPath(outline(node.kind, rect));
        paintDiffBorder(node, rect);
        return;
    }
    m_painter.setPen(pen);
    const double inset = (look.lineWidth - 1) / 2;
    m_painter.drawPath(outline(node.kind, rect.adjusted(inset, inset, -inset, -inset)));
    if (node.kind == SceneKind::Output && m_state.detail >= Detail::Title) {
        const double y = rect.bottom() - px(4);
        m_painter.setPen(QPen(look.line, line(1)));
        m_painter.drawLine(QPointF(rect.left() + px(6), y), QPointF(rect.right() - px(6), y));
    }
    if (node.kind == SceneKind::Shared && m_state.detail == Detail::Full) {
        const double size = px(14);
        paintIcon(m_painter, QStringLiteral("shared"), QRectF(rect.left() + px(9), rect.center().y() - size / 2, size, size), look.line);
    }
}

void GraphPainter::paintDiffBorder(const SceneNode &node, const QRectF &rect)
{
    const QColor color = m_theme.color(diffColor(node.diff));
    m_painter.setBrush(Qt::NoBrush);
    QPen pen(color, line(2));
    pen.setJoinStyle(Qt::RoundJoin);
    switch (node.diff) {
    case DiffState::Created: break;
    case DiffState::Replaced: {
        pen.setWidthF(line(1));
        m_painter.setPen(pen);
        m_painter.drawPath(outline(node.kind, rect.adjusted(3, 3, -3, -3)));
        break;
    }
    case DiffState::Fused: pen.setDashPattern({4, 1.5, 0.8, 1.5}); break;
    case DiffState::Dead: pen.setDashPattern({4 / pen.widthF(), 3 / pen.widthF()}); break;
    case DiffState::Moved:
        pen.setWidthF(line(1));
        m_painter.fillRect(QRectF(rect.left(), rect.top() + 1, px(4), rect.height() - 2), color);
        break;
    case DiffState::Merged: pen.setDashPattern({0.8, 1.2}); break;
    case DiffState::None: return;
    }
    m_painter.setPen(pen);
    m_painter.drawPath(outline(node.kind, rect));
}

void GraphPainter::paintPhaseBar(const SceneNode &node, const QRectF &rect)
{
    if (node.phase.isEmpty() || !isApply(node.kind)) return;
    const PhaseStyle phase = m_theme.phase(node.phase);
    const double width = px(4);
    m_painter.save();
    m_painter.setClipPath(outline(node.kind, rect), Qt::IntersectClip);
    fillPattern(m_painter, QRectF(rect.left(), rect.top(), width, rect.height()), phase.color, phase.pattern);
    m_painter.restore();
}

void GraphPainter::paintText(const SceneNode &node, const PictureNode &box, const Look &look)
{
    constexpr double kSmallestPx = 6; // on the screen: below it text is noise
    const bool mono = isVariable(node.kind);
    const QFont &font = mono ? m_variableFont : node.kind == SceneKind::View ? m_lightFont : m_titleFont;
    if (font.pixelSize() * m_state.scale < kSmallestPx) return;
    m_painter.setFont(font);
    m_painter.setPen(look.text);
    const QRectF &rect = box.rect;
    const bool full = m_state.detail == Detail::Full;
    const bool two = full && !box.subtitle.isEmpty();
    QRectF title = rect;
    if (node.kind == SceneKind::Shared && full) title.setLeft(rect.left() + px(10));
    if (node.kind == SceneKind::Output) title.translate(0, -px(1));
    if (two) title = QRectF(rect.left(), rect.top() + px(3), rect.width(), px(16));
    m_painter.drawText(title, Qt::AlignCenter | Qt::TextSingleLine, box.title);
    if (!full) return;
    if (two) {
        m_painter.setFont(m_captionFont);
        m_painter.setPen(look.faint);
        m_painter.drawText(QRectF(rect.left(), rect.top() + px(18), rect.width(), px(15)), Qt::AlignCenter | Qt::TextSingleLine,
                           box.subtitle);
    }
    if (node.number >= 0) {
        m_painter.setFont(m_numberFont);
        m_painter.setPen(look.faint);
        m_painter.drawText(QRectF(rect.left() + px(m_state.overlay == Overlay::Phase ? 8 : 6), title.top(), rect.width(), title.height()),
                           Qt::AlignLeft | Qt::AlignVCenter, QString::number(node.number));
    }
}

void GraphPainter::paintBadges(const SceneNode &node, const QRectF &rect)
{
    const double size = px(16);
    if (node.diff != DiffState::None) {
        const QRectF disc(rect.right() - size / 2, rect.top() - size / 2, size, size);
        m_painter.setPen(QPen(m_theme.color(Color::Canvas), line(1)));
        m_painter.setBrush(m_theme.color(diffColor(node.diff)));
        m_painter.drawEllipse(disc);
        QFont font = m_theme.font(FontRole::NodeNumber);
        font.setWeight(QFont::Bold);
        font.setPixelSize(static_cast<int>(px(11)));
        m_painter.setFont(font);
        m_painter.setPen(m_theme.color(Color::Panel));
        m_painter.drawText(disc, Qt::AlignCenter, diffSign(node.diff));
    } else if (!node.values.born.isEmpty() && m_state.detail >= Detail::Title) {
        paintBorn(node, rect);
    } else if (const QString said = node.pill.isEmpty() && m_state.overlay == Overlay::Dtype ? dtypeOf(node) : node.pill;
               !said.isEmpty() && m_state.detail == Detail::Full) {
        m_painter.setFont(m_numberFont);
        const double width = QFontMetricsF(m_numberFont).horizontalAdvance(said) + px(10);
        const QRectF pill(rect.right() - width + px(8), rect.top() - px(12), width, px(14)); // above the title
        m_painter.setPen(QPen(m_theme.color(Color::BorderStrong), line(1)));
        m_painter.setBrush(m_theme.color(Color::Panel));
        m_painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
        m_painter.setPen(m_theme.color(Color::TextSecondary));
        m_painter.drawText(pill, Qt::AlignCenter, said);
    }
    if (!node.warning.isEmpty()) {
        const double edge = px(14);
        paintIcon(m_painter, QStringLiteral("warning"), QRectF(rect.right() - edge * 0.7, rect.bottom() - edge * 0.6, edge, edge),
                  m_theme.color(Color::Warn));
    }
}

// "nan born here": an alarm that is read, not only seen.
void GraphPainter::paintBorn(const SceneNode &node, const QRectF &rect)
{
    const QString words = isApply(node.kind) ? tr("%1 born here").arg(node.values.born) : tr("%1 came in").arg(node.values.born);
    m_painter.setFont(m_numberFont);
    const double width = QFontMetricsF(m_numberFont).horizontalAdvance(words) + px(12);
    const QRectF pill(rect.right() - width + px(10), rect.top() - px(12), width, px(15));
    m_painter.setPen(QPen(m_theme.color(Color::Canvas), line(1)));
    m_painter.setBrush(m_theme.color(Color::Error));
    m_painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    m_painter.setPen(m_theme.color(Color::Panel));
    m_painter.drawText(pill, Qt::AlignCenter, words);
}

} // namespace views
