#include "views/common/panels.h"

#include "views/common/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QTimerEvent>
#include <QVBoxLayout>

#include <cmath>

namespace views {
namespace {

constexpr int kProgressDelayMs = 200;
constexpr int kProgressFrameMs = 33;

} // namespace

PanelHeader::PanelHeader(const QString &title, QWidget *parent) : QWidget(parent)
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    setFixedHeight(theme.size(Size::DockTitle));
    m_layout = new QHBoxLayout(this);
    m_layout->setContentsMargins(theme.px(12), 0, theme.px(6), 0);
    m_layout->setSpacing(theme.px(8));
    m_title = new ElidedLabel(title, FontRole::BodyStrong);
    m_title->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    m_subtitle = new ElidedLabel(QString(), FontRole::Cell, "muted");
    m_layout->addWidget(m_title);
    m_layout->addWidget(m_subtitle, 1);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { setFixedHeight(Theme::current().size(Size::DockTitle)); });
}

void PanelHeader::setTitle(const QString &title)
{
    m_title->setText(title);
    m_title->setVisible(!title.isEmpty());
    m_title->updateGeometry();
}
void PanelHeader::setSubtitle(const QString &subtitle) { m_subtitle->setText(subtitle); }
QString PanelHeader::title() const { return m_title->text(); }
QString PanelHeader::subtitle() const { return m_subtitle->text(); }
void PanelHeader::addWidget(QWidget *widget) { m_layout->addWidget(widget); }

EmptyState::EmptyState(QWidget *parent) : QWidget(parent)
{
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(theme.px(16), theme.px(8), theme.px(16), theme.px(8));
    outer->addStretch(2);
    m_icon = new QLabel;
    m_icon->setAlignment(Qt::AlignCenter);
    m_text = new TextLabel(QString(), FontRole::Body, "muted");
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    m_text->setMaximumWidth(theme.px(360));
    m_button = new QPushButton;
    m_button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto *line = new QHBoxLayout;
    line->addStretch();
    line->addWidget(m_text, 4);
    line->addStretch();
    outer->addWidget(m_icon);
    outer->addSpacing(theme.px(8));
    outer->addLayout(line);
    outer->addSpacing(theme.px(12));
    outer->addWidget(m_button, 0, Qt::AlignHCenter);
    outer->addStretch(3);
    connect(m_button, &QPushButton::clicked, this, &EmptyState::actionTriggered);
}

void EmptyState::show(const QString &icon, const QString &sentence, const QString &action)
{
    m_iconName = icon;
    m_text->setText(sentence);
    m_button->setText(action);
    m_button->setVisible(!action.isEmpty());
    refreshIcon();
    QWidget::show();
}

QString EmptyState::sentence() const { return m_text->text(); }

void EmptyState::refreshIcon()
{
    if (!m_iconName.isEmpty())
        m_icon->setPixmap(iconPixmap(m_iconName, Theme::current().px(24), Theme::current().color(Color::TextMuted), devicePixelRatioF()));
}

void EmptyState::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const Theme &theme = Theme::current();
    const int width = std::min(m_text->maximumWidth(), contentsRect().width() - theme.px(32));
    int needs = m_text->heightForWidth(std::max(width, 1)) + theme.px(16 + 24 + 8);
    if (!m_button->isHidden()) needs += theme.px(12) + m_button->sizeHint().height();
    m_icon->setVisible(height() >= needs); // the words come first
}

void EmptyState::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) refreshIcon();
    QWidget::changeEvent(event);
}

NoticeStrip::NoticeStrip(QWidget *parent) : QFrame(parent)
{
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(theme.px(12), theme.px(4), theme.px(6), theme.px(4));
    outer->setSpacing(theme.px(4));
    auto *line = new QHBoxLayout;
    line->setSpacing(theme.px(8));
    m_icon = new QLabel;
    m_text = new TextLabel(QString(), FontRole::Cell);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_detailsButton = linkButton(tr("Details"));
    m_detailsButton->setCheckable(false);
    m_actionButton = linkButton({});
    m_actionButton->setObjectName(QStringLiteral("noticeAction"));
    m_close = iconButton(QStringLiteral("cross"), tr("Hide this notice"));
    line->addWidget(m_icon);
    line->addWidget(m_text, 1);
    line->addWidget(m_detailsButton);
    line->addWidget(m_actionButton);
    line->addWidget(m_close);
    outer->addLayout(line);
    m_details = new TextLabel(QString(), FontRole::Mono);
    m_details->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_details->setWordWrap(true);
    m_details->hide();
    outer->addWidget(m_details);
    connect(m_detailsButton, &QToolButton::clicked, this, [this] { m_details->setVisible(!m_details->isVisible()); });
    connect(m_actionButton, &QToolButton::clicked, this, &NoticeStrip::actionTriggered);
    connect(m_close, &QToolButton::clicked, this, [this] {
        clear();
        Q_EMIT dismissed();
    });
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    hide();
}

void NoticeStrip::show(Kind kind, const QString &sentence, const QString &details, const QString &action)
{
    m_kind = kind;
    const Theme &theme = Theme::current();
    const bool error = kind == Kind::Error;
    const bool warning = kind == Kind::Warning;
    const char *icon = error ? "error" : warning ? "warning" : "info";
    m_icon->setPixmap(iconPixmap(QString::fromLatin1(icon), theme.px(16),
                                 theme.color(error     ? Color::Error
                                             : warning ? Color::Warn
                                                       : Color::Info),
                                 devicePixelRatioF()));
    m_text->setText(sentence);
    m_details->setText(details);
    m_details->hide();
    m_detailsButton->setVisible(!details.isEmpty());
    m_actionButton->setText(action);
    m_actionButton->setVisible(!action.isEmpty());
    QFrame::show();
    update();
}

void NoticeStrip::clear()
{
    m_text->clear();
    hide();
}

QString NoticeStrip::sentence() const { return m_text->text(); }

void NoticeStrip::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    const Color fill = m_kind == Kind::Error ? Color::ErrorSoft : m_kind == Kind::Warning ? Color::WarnSoft : Color::InfoSoft;
    const Color bar = m_kind == Kind::Error ? Color::Error : m_kind == Kind::Warning ? Color::Warn : Color::Info;
    painter.fillRect(rect(), theme.color(fill));
    painter.fillRect(QRect(0, 0, 3, height()), theme.color(bar));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.color(Color::Border));
}

ProgressLine::ProgressLine(QWidget *parent) : QWidget(parent)
{
    setFixedHeight(2);
    setAttribute(Qt::WA_TransparentForMouseEvents);
}

void ProgressLine::start(const QString &text)
{
    m_text = text;
    if (m_running) return;
    m_running = true;
    m_visiblePart = false;
    m_phase = 0;
    m_delay = startTimer(kProgressDelayMs);
}

void ProgressLine::stop()
{
    for (int *timer : {&m_delay, &m_timer}) {
        if (*timer) killTimer(*timer);
        *timer = 0;
    }
    m_running = false;
    m_visiblePart = false;
    update();
}

void ProgressLine::timerEvent(QTimerEvent *event)
{
    if (event->timerId() == m_delay) {
        killTimer(m_delay);
        m_delay = 0;
        m_visiblePart = true;
        if (!Theme::current().reducedMotion()) m_timer = startTimer(kProgressFrameMs);
        Q_EMIT textShown(m_text);
    } else if (event->timerId() == m_timer) {
        m_phase += 0.012;
    }
    update();
}

void ProgressLine::paintEvent(QPaintEvent *)
{
    if (!m_visiblePart) return;
    QPainter painter(this);
    const QColor color = Theme::current().color(Color::Accent);
    const double part = width() * 0.3;
    const double x = std::fmod(m_phase, 1.0) * (width() + part) - part;
    painter.fillRect(QRectF(x, 0, part, 2), color);
}

} // namespace views
