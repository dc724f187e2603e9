#include "views/common/controls.h"

#include "views/common/icons.h"
#include "views/common/palette.h"
#include "views/common/tips.h"

#include <QKeyEvent>
#include <QLayout>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QStyle>
#include <QStyleOption>
#include <QToolTip>
#include <QVariant>

namespace views {
namespace {

constexpr int kLeastChoice = 30, kLeastCombo = 64; // at 100 %
constexpr int kIconGap = 6;

void paintBox(QPainter &painter, const QRectF &rect, const QColor &fill, const QColor &line)
{
    painter.setPen(QPen(line, 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

Color inkColor(const char *ink)
{
    struct Ink {
        const char *name;
        Color color;
    };
    static constexpr Ink kInks[] = {
        {"secondary", Color::TextSecondary}, {"muted", Color::TextMuted}, {"link", Color::TextLink}, {"ok", Color::Ok},
        {"better", Color::Better},           {"worse", Color::Worse},     {"warn", Color::Warn},     {"error", Color::Error}};
    for (const Ink &each : kInks)
        if (ink && qstrcmp(ink, each.name) == 0) return each.color;
    return Color::TextPrimary;
}

} // namespace

TextLabel::TextLabel(const QString &text, FontRole role, const char *ink, QWidget *parent) : QLabel(text, parent), m_role(role)
{
    setTextFormat(Qt::PlainText);
    setInk(ink);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &TextLabel::refresh);
}

void TextLabel::setInk(const char *ink)
{
    m_ink = inkColor(ink);
    refresh();
}

void TextLabel::refresh()
{
    // By palette: a style sheet with font or colour rules would take the role's font away when it polishes again.
    const Theme &theme = Theme::current();
    setFont(theme.font(m_role));
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, theme.color(m_ink));
    setPalette(colors);
}

ElidedLabel::ElidedLabel(const QString &text, FontRole role, const char *ink, Qt::TextElideMode mode, QWidget *parent)
    : TextLabel(text, role, ink, parent), m_mode(mode)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {fontMetrics().horizontalAdvance(QStringLiteral("…")) * 2, TextLabel::sizeHint().height()};
}

QSize ElidedLabel::sizeHint() const { return {fontMetrics().horizontalAdvance(text()) + 2, TextLabel::sizeHint().height()}; }

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.setFont(font());
    const QString shown = fontMetrics().elidedText(QString(text()).replace(u'\n', u' '), m_mode, contentsRect().width());
    painter.drawText(contentsRect(), static_cast<int>(alignment()), shown);
}

void ElidedLabel::resizeEvent(QResizeEvent *event)
{
    TextLabel::resizeEvent(event);
    const bool fits = fontMetrics().horizontalAdvance(text()) <= width() + 1;
    if (fits) setToolTip({});
    else setToolTip(tipText(text()));
}

Hairline::Hairline(Qt::Orientation orientation, QWidget *parent) : QFrame(parent)
{
    setProperty("line", true);
    if (orientation == Qt::Horizontal) setFixedHeight(1);
    else setFixedWidth(1);
}

SegmentedSwitch::SegmentedSwitch(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setAccessibleName(tr("Choice"));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void SegmentedSwitch::addChoice(const QString &id, const QString &text, const QString &icon)
{
    m_choices.push_back({id, text, icon, true, {}});
    if (m_current.isEmpty()) m_current = id;
    updateGeometry();
}

void SegmentedSwitch::setCompact(bool compact)
{
    m_compact = compact;
    updateGeometry();
}

void SegmentedSwitch::setChoiceEnabled(const QString &id, bool enabled, const QString &reason)
{
    for (Choice &choice : m_choices) {
        if (choice.id == id) {
            choice.enabled = enabled;
            choice.reason = reason;
        }
    }
    update();
}

int SegmentedSwitch::widthOf(const Choice &choice) const
{
    const Theme &theme = Theme::current();
    const QFontMetrics metrics(theme.font(FontRole::BodyStrong));
    const int icon = choice.icon.isEmpty() ? 0 : theme.px(16) + kIconGap;
    return metrics.horizontalAdvance(choice.text) + icon + 2 * theme.px(m_compact ? 10 : 14);
}

QSize SegmentedSwitch::sizeHint() const
{
    const Theme &theme = Theme::current();
    int width = 2;
    for (const Choice &choice : m_choices) width += widthOf(choice);
    return {width, theme.size(m_compact ? Size::ControlCompact : Size::Control)};
}

QSize SegmentedSwitch::minimumSizeHint() const
{
    const QSize whole = sizeHint();
    return {std::min(whole.width(), static_cast<int>(m_choices.size()) * Theme::current().px(kLeastChoice)), whole.height()};
}

bool SegmentedSwitch::isCut() const
{
    return width() < sizeHint().width() &&
           std::any_of(m_choices.begin(), m_choices.end(), [](const Choice &each) { return each.icon.isEmpty(); });
}

QRect SegmentedSwitch::rectOf(int index) const
{
    const int whole = sizeHint().width() - 2, room = std::min(whole, width() - 2);
    int before = 0;
    for (int i = 0; i < index; ++i) before += widthOf(m_choices[static_cast<std::size_t>(i)]);
    const int after = before + widthOf(m_choices[static_cast<std::size_t>(index)]);
    const int left = before * room / std::max(whole, 1), right = after * room / std::max(whole, 1);
    return {1 + left, 1, right - left, height() - 2};
}

int SegmentedSwitch::at(const QPoint &position) const
{
    for (int i = 0; i < static_cast<int>(m_choices.size()); ++i)
        if (rectOf(i).contains(position)) return i;
    return -1;
}

void SegmentedSwitch::setCurrent(const QString &id)
{
    if (id == m_current) return;
    m_current = id;
    update();
    Q_EMIT currentChanged(id);
}

void SegmentedSwitch::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintBox(painter, rect(), theme.color(Color::Sunken), theme.color(Color::Border));
    for (int i = 0; i < static_cast<int>(m_choices.size()); ++i) {
        const Choice &choice = m_choices[static_cast<std::size_t>(i)];
        const QRectF cell(rectOf(i));
        const bool on = choice.id == m_current;
        if (on)
            paintBox(painter, cell.adjusted(-1, -1, 1, 1), theme.color(Color::Panel),
                     theme.color(theme.isDark() ? Color::BorderStrong : Color::Border));
        QColor ink = theme.color(on ? Color::TextPrimary : Color::TextSecondary);
        if (i == m_hovered) ink = theme.color(Color::TextPrimary);
        if (!choice.enabled) ink = theme.color(Color::TextDisabled);
        QFont font = theme.font(on ? FontRole::BodyStrong : FontRole::Body);
        if (m_compact) font.setPixelSize(theme.px(12));
        painter.setFont(font);
        const QFontMetricsF metrics(font);
        const double room = cell.width() - theme.px(6);
        // The icon gives way to the text, and where neither fits it is what is left.
        const bool fits = metrics.horizontalAdvance(choice.text) <= room;
        const bool iconFits = metrics.horizontalAdvance(choice.text) + theme.px(16) + kIconGap <= room;
        const double icon = choice.icon.isEmpty() || (fits && !iconFits) ? 0 : theme.px(16);
        const QString text = fits ? choice.text : icon > 0 ? QString() : metrics.elidedText(choice.text, Qt::ElideRight, room);
        const double textWidth = metrics.horizontalAdvance(text);
        double x = cell.center().x() - (textWidth + (icon > 0 ? icon + kIconGap : 0)) / 2;
        if (icon > 0) {
            paintIcon(painter, choice.icon, QRectF(x, cell.center().y() - icon / 2, icon, icon), ink);
            x += icon + kIconGap;
        }
        painter.setPen(ink);
        painter.drawText(QRectF(x, cell.top(), textWidth + 4, cell.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

void SegmentedSwitch::mousePressEvent(QMouseEvent *event)
{
    const int index = at(event->position().toPoint());
    if (index >= 0 && m_choices[static_cast<std::size_t>(index)].enabled) setCurrent(m_choices[static_cast<std::size_t>(index)].id);
}

void SegmentedSwitch::mouseMoveEvent(QMouseEvent *event)
{
    const int index = at(event->position().toPoint());
    if (index != m_hovered) {
        m_hovered = index;
        update();
    }
}

void SegmentedSwitch::leaveEvent(QEvent *)
{
    m_hovered = -1;
    update();
}

void SegmentedSwitch::keyPressEvent(QKeyEvent *event)
{
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    int now = 0;
    for (int i = 0; i < static_cast<int>(m_choices.size()); ++i)
        if (m_choices[static_cast<std::size_t>(i)].id == m_current) now = i;
    for (int next = now + step; next >= 0 && next < static_cast<int>(m_choices.size()); next += step) {
        if (m_choices[static_cast<std::size_t>(next)].enabled) {
            setCurrent(m_choices[static_cast<std::size_t>(next)].id);
            return;
        }
    }
}

bool SegmentedSwitch::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        const int index = at(help->pos());
        const bool cut = width() < sizeHint().width();
        QString reason = index < 0 ? QString() : m_choices[static_cast<std::size_t>(index)].reason;
        if (index >= 0 && reason.isEmpty() && cut) reason = m_choices[static_cast<std::size_t>(index)].text;
        if (!reason.isEmpty()) QToolTip::showText(help->globalPos(), reason, this);
        return true;
    }
    return QWidget::event(event);
}

LabeledCombo::LabeledCombo(const QString &label, QWidget *parent) : QComboBox(parent), m_label(label)
{
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    setAccessibleName(label);
    connect(this, &QComboBox::currentTextChanged, this, [this] { updateGeometry(); });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { updateGeometry(); });
}

void LabeledCombo::setCompact(bool compact)
{
    m_compact = compact;
    updateGeometry();
}

QSize LabeledCombo::sizeHint() const
{
    const Theme &theme = Theme::current();
    const QFontMetrics metrics(theme.font(FontRole::Body));
    const int label = m_label.isEmpty() ? 0 : metrics.horizontalAdvance(m_label) + theme.px(7);
    return {theme.px(10) + label + metrics.horizontalAdvance(currentText()) + theme.px(8 + 14 + 8),
            theme.size(m_compact ? Size::ControlCompact : Size::Control)};
}

QSize LabeledCombo::minimumSizeHint() const
{
    const QSize whole = sizeHint();
    return {std::min(whole.width(), Theme::current().px(kLeastCombo)), whole.height()};
}

void LabeledCombo::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool enabled = isEnabled();
    paintBox(painter, rect(), theme.color(underMouse() && enabled ? Color::Hover : Color::Raised),
             theme.color(enabled && !m_compact ? Color::BorderStrong : Color::Border));
    painter.setFont(theme.font(FontRole::Body));
    const QFontMetrics metrics(painter.font());
    int x = theme.px(10);
    if (!m_label.isEmpty() && width() >= sizeHint().width()) {
        painter.setPen(theme.color(enabled ? Color::TextSecondary : Color::TextDisabled));
        painter.drawText(QRect(x, 0, width(), height()), Qt::AlignVCenter, m_label);
        x += metrics.horizontalAdvance(m_label) + theme.px(7);
    }
    painter.setPen(theme.color(enabled ? Color::TextPrimary : Color::TextDisabled));
    const int room = width() - x - theme.px(8 + 14 + 6);
    painter.drawText(QRect(x, 0, std::max(0, room + 4), height()), Qt::AlignVCenter,
                     metrics.elidedText(currentText(), Qt::ElideRight, std::max(0, room + 4)));
    const double side = theme.px(14);
    paintIcon(painter, QStringLiteral("chevron-down"), QRectF(width() - side - theme.px(8), (height() - side) / 2.0, side, side),
              theme.color(enabled ? Color::TextPrimary : Color::TextDisabled));
}

MenuButton::MenuButton(const QString &text, QWidget *parent) : QPushButton(text, parent) {}

QSize MenuButton::sizeHint() const
{
    QSize size = QPushButton::sizeHint();
    return {size.width() + Theme::current().px(18), size.height()};
}

void MenuButton::paintEvent(QPaintEvent *event)
{
    // The text keeps to the left: the style centres it, so the room of the chevron is taken by spaces of the margin.
    const Theme &theme = Theme::current();
    Q_UNUSED(event)
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool on = isEnabled();
    paintBox(painter, rect(), theme.color(underMouse() && on ? Color::Hover : Color::Raised), theme.color(Color::Border));
    painter.setFont(theme.font(FontRole::Body));
    const QColor ink = theme.color(on ? Color::TextPrimary : Color::TextDisabled);
    painter.setPen(ink);
    painter.drawText(rect().adjusted(theme.px(10), 0, 0, 0), Qt::AlignVCenter, text());
    const double side = theme.px(14);
    paintIcon(painter, QStringLiteral("chevron-down"), QRectF(width() - side - theme.px(8), (height() - side) / 2.0, side, side), ink);
}

Chip::Chip(const QString &text, Color ink, Color fill, QWidget *parent) : QWidget(parent), m_text(text), m_ink(ink), m_fill(fill)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(text);
}

QSize Chip::sizeHint() const
{
    const Theme &theme = Theme::current();
    QFont font = theme.font(FontRole::Caption);
    font.setWeight(QFont::Medium);
    return {QFontMetrics(font).horizontalAdvance(m_text) + theme.px(14), theme.px(19)};
}

void Chip::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(m_fill));
    painter.drawRoundedRect(rect(), height() / 2.0, height() / 2.0);
    QFont font = theme.font(FontRole::Caption);
    font.setWeight(QFont::Medium);
    painter.setFont(font);
    painter.setPen(theme.color(m_ink));
    painter.drawText(rect(), Qt::AlignCenter, m_text);
}

PhaseBadge::PhaseBadge(const QString &phase, QWidget *parent) : QWidget(parent), m_phase(phase)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(phase);
    setToolTip(phase);
}

QSize PhaseBadge::sizeHint() const
{
    const Theme &theme = Theme::current();
    return {theme.px(18), theme.px(19)};
}

void PhaseBadge::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    const double side = theme.px(16);
    paintPhaseBadge(painter, QRectF(0, (height() - side) / 2, side, side), theme.phase(m_phase));
}

QToolButton *iconButton(const QString &icon, const QString &tip, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setIcon(themedIcon(icon));
    const int side = Theme::current().px(16);
    button->setIconSize({side, side});
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

QLineEdit *searchBox(const QString &placeholder, const QString &name)
{
    auto *box = new QLineEdit;
    box->setPlaceholderText(placeholder);
    box->setClearButtonEnabled(true);
    box->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    box->setAccessibleName(name);
    return box;
}

QToolButton *linkButton(const QString &text, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setText(text);
    button->setProperty("link", true);
    button->setCursor(Qt::PointingHandCursor);
    button->setFont(Theme::current().font(FontRole::Cell));
    return button;
}

void makePrimary(QPushButton *button, bool primary)
{
    button->setProperty("primary", primary);
    button->style()->unpolish(button);
    button->style()->polish(button);
}

void setSurface(QWidget *widget, const char *surface)
{
    widget->setProperty("surface", QString::fromLatin1(surface));
    widget->setAttribute(Qt::WA_StyledBackground);
}

void clearLayout(QLayout *layout)
{
    while (QLayoutItem *item = layout->takeAt(0)) {
        if (QWidget *widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        } else if (QLayout *inner = item->layout()) {
            clearLayout(inner);
        }
        delete item;
    }
}

} // namespace views
