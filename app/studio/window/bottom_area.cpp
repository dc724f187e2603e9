#include "app/studio/window/bottom_area.h"

#include "views/common/controls.h"
#include "views/common/icons.h"

#include <QHBoxLayout>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace app {

using namespace views;

namespace {

constexpr int kLeastPageHeight = 200;
constexpr int kLow = 340;                 // at 100 %: where page and panel would both be too low to be read, the panel has all of it
constexpr double kShareOfPictures = 0.42; // of the window: a picture over time needs its lanes

} // namespace

BottomStrip::BottomStrip(QWidget *parent) : QWidget(parent)
{
    setSurface(this, "window");
    const Theme &theme = Theme::current();
    setFixedHeight(theme.px(32));
    m_layout = new QHBoxLayout(this);
    m_layout->setContentsMargins(theme.px(8), 0, theme.px(6), 0);
    m_layout->setSpacing(theme.px(4));
    m_layout->setSizeConstraint(QLayout::SetNoConstraint); // it gives way, the docks do not
    m_layout->addStretch(1);
    m_shares = new TextLabel(QString(), FontRole::Caption, "secondary");
    m_shares->setTextFormat(Qt::RichText);
    m_layout->addWidget(m_shares);
    m_chevron = iconButton(QStringLiteral("chevron-up"), tr("Open or close the panel below"));
    m_layout->addWidget(m_chevron);
    connect(m_chevron, &QToolButton::clicked, this, [this] { toggle(m_open.isEmpty() ? m_last : m_open); });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { setFixedHeight(Theme::current().px(32)); });
}

QSize BottomStrip::sizeHint() const { return {400, Theme::current().px(32)}; }
QSize BottomStrip::minimumSizeHint() const { return {Theme::current().px(200), Theme::current().px(32)}; }

void BottomStrip::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fit();
}

void BottomStrip::fit()
{
    const auto widthOf = [this](Qt::ToolButtonStyle style) {
        int width = 0;
        for (const auto &[name, button] : m_buttons) {
            button->setToolButtonStyle(style);
            if (!button->isHidden()) width += button->sizeHint().width() + m_layout->spacing();
        }
        return width;
    };
    const int room = width() - m_chevron->sizeHint().width() - Theme::current().px(24);
    int tabs = widthOf(Qt::ToolButtonTextBesideIcon);
    if (tabs > room) tabs = widthOf(Qt::ToolButtonIconOnly); // their tool tips name them
    m_shares->setVisible(tabs + m_shares->sizeHint().width() <= room);
}

void BottomStrip::addPanel(const QString &id, const QString &title, const QString &icon)
{
    auto *button = new QToolButton;
    button->setText(QChar(0x2009) + title);
    button->setAccessibleName(title);
    button->setIcon(themedIcon(icon));
    button->setToolTip(title);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setCheckable(true);
    button->setProperty("tab", true);
    m_layout->insertWidget(static_cast<int>(m_buttons.size()), button);
    m_buttons.emplace_back(id, button);
    connect(button, &QToolButton::clicked, this, [this, id] { toggle(id); });
}

void BottomStrip::setOffered(const QStringList &ids)
{
    for (const auto &[id, button] : m_buttons) button->setVisible(ids.contains(id));
    if (!ids.contains(m_last)) m_last = ids.value(0);
    fit();
}

void BottomStrip::toggle(const QString &id)
{
    setOpen(id == m_open ? QString() : id);
    Q_EMIT openChanged(m_open);
}

void BottomStrip::setOpen(const QString &id)
{
    if (!id.isEmpty()) m_last = id;
    m_open = id;
    for (const auto &[name, button] : m_buttons) button->setChecked(name == id);
    m_chevron->setIcon(themedIcon(id.isEmpty() ? QStringLiteral("chevron-up") : QStringLiteral("chevron-down")));
}

void BottomStrip::setShares(const QString &text)
{
    m_shares->setText(text);
    fit();
}

BottomArea::BottomArea(QWidget *page, const ViewTable &views, QWidget *parent)
    : QSplitter(Qt::Vertical, parent), m_views(views), m_strip(new BottomStrip), m_line(new Hairline), m_panels(new QStackedWidget)
{
    setChildrenCollapsible(false);
    auto *upper = new QWidget;
    auto *layout = new QVBoxLayout(upper);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_page = page;
    layout->addWidget(page, 1);
    layout->addWidget(m_line);
    layout->addWidget(m_strip);
    addWidget(upper);
    addWidget(m_panels);
    setStretchFactor(0, 1);
    setStretchFactor(1, 0);
    m_panels->hide();
    for (const ViewEntry &view : m_views.entries())
        if (view.place.area == Area::Bottom) m_strip->addPanel(view.id, view.titleText(), QString::fromLatin1(view.icon));
    connect(m_strip, &BottomStrip::openChanged, this, &BottomArea::panelChosen);
}

void BottomArea::enter(const QString &workspace)
{
    m_offered.clear();
    for (const ViewEntry &view : m_views.entries())
        if (view.place.area == Area::Bottom && view.standsIn(workspace)) m_offered << view.id;
    m_strip->setOffered(m_offered);
    m_strip->setVisible(!m_offered.isEmpty());
    m_line->setVisible(!m_offered.isEmpty());
    m_panels->setVisible(m_offered.contains(m_strip->open()));
    share();
}

void BottomArea::share()
{
    const bool isOpen = m_panels->isVisibleTo(this);
    const bool giveAll = isOpen && height() < Theme::current().px(kLow);
    m_page->setVisible(!giveAll);
    if (giveAll) setSizes({m_strip->height() + 1, height() - m_strip->height() - 1});
}

void BottomArea::resizeEvent(QResizeEvent *event)
{
    QSplitter::resizeEvent(event);
    share();
}

void BottomArea::openPanel(const QString &id, QWidget *panel)
{
    m_panels->addWidget(panel);
    m_panels->setCurrentWidget(panel);
    m_strip->setOpen(id);
    m_panels->show();
    const int height = std::max(Theme::current().size(Size::BottomDock), static_cast<int>(this->height() * kShareOfPictures));
    setSizes({std::max(kLeastPageHeight, this->height() - height), height});
    share();
}

void BottomArea::closePanel()
{
    m_strip->setOpen({});
    m_panels->hide();
    share();
}

QWidget *BottomArea::panel() const { return m_panels->isVisible() ? m_panels->currentWidget() : nullptr; }

bool BottomArea::isOpen(const QString &id) const { return m_strip->open() == id && m_offered.contains(id); }

} // namespace app
