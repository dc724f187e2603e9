#include "app/studio/window/tour.h"

#include "views/common/controls.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QGraphicsDropShadowEffect>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {

using namespace views;

namespace {

constexpr int kCardWidth = 340;    // of the card
constexpr int kTip = 10;           // length of what points
constexpr int kApart = 6;          // of the tip from what it points at
constexpr int kCorner = 8;         // radius
constexpr double kDarkness = 0.65; // of a dialog's: all can still be read
constexpr int kShadow = 24;        // blur

} // namespace

/// Darkens the window but for what is looked at. It takes no clicks.
class Tour::Veil : public QWidget {
public:
    explicit Veil(QWidget *window) : QWidget(window)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setAttribute(Qt::WA_NoSystemBackground);
        setFocusPolicy(Qt::NoFocus);
    }
    void setHole(const QRect &hole)
    {
        m_hole = hole;
        update();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Theme &theme = Theme::current();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        QPainterPath dark, bright;
        dark.addRect(rect());
        if (!m_hole.isEmpty()) bright.addRoundedRect(QRectF(m_hole).adjusted(1, 1, -1, -1), 4, 4);
        painter.setOpacity(kDarkness);
        painter.fillPath(dark.subtracted(bright), theme.color(Color::Scrim));
        painter.setOpacity(1);
        painter.setPen(QPen(theme.color(Color::SelectionRing), 2));
        painter.drawPath(bright);
    }

private:
    QRect m_hole;
};

TourCallout::TourCallout(QWidget *window) : QWidget(window)
{
    setObjectName(QStringLiteral("tourCallout"));
    m_count = new TextLabel(QString(), FontRole::Overline, "muted");
    m_title = new TextLabel(QString(), FontRole::Title);
    m_title->setWordWrap(true);
    m_text = new TextLabel(QString(), FontRole::Body, "secondary");
    m_text->setWordWrap(true);
    m_leave = linkButton(tr("Leave the tour"));
    m_leave->setObjectName(QStringLiteral("tourLeave"));
    m_leave->setStyleSheet(QStringLiteral("padding-left: 0")); // its words stand under those above
    m_leave->setToolTip(QKeySequence(Qt::Key_Escape).toString(QKeySequence::NativeText));
    m_back = new QPushButton(tr("Back"));
    m_back->setObjectName(QStringLiteral("tourBack"));
    m_next = new QPushButton;
    m_next->setObjectName(QStringLiteral("tourNext"));
    makePrimary(m_next);
    auto *column = new QVBoxLayout(this);
    column->addWidget(m_count);
    column->addWidget(m_title);
    column->addWidget(m_text);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_leave);
    buttons->addStretch(1);
    buttons->addWidget(m_back);
    buttons->addWidget(m_next);
    column->addSpacing(Theme::current().px(8));
    column->addLayout(buttons);
    for (QWidget *button : std::initializer_list<QWidget *>{m_leave, m_back, m_next}) button->installEventFilter(this);
    connect(m_leave, &QToolButton::clicked, this, &TourCallout::leaveRequested);
    connect(m_back, &QPushButton::clicked, this, &TourCallout::backRequested);
    connect(m_next, &QPushButton::clicked, this, &TourCallout::nextRequested);
    auto *shadow = new QGraphicsDropShadowEffect(this);
    shadow->setBlurRadius(kShadow);
    shadow->setOffset(0, 4);
    setGraphicsEffect(shadow);
    arrange();
}

void TourCallout::arrange()
{
    const Theme &theme = Theme::current();
    const int side = theme.px(16) + theme.px(kTip);
    layout()->setContentsMargins(side, side, side, side);
    layout()->setSpacing(theme.px(4));
    if (auto *shadow = qobject_cast<QGraphicsDropShadowEffect *>(graphicsEffect())) shadow->setColor(theme.color(Color::Scrim));
}

void TourCallout::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::StyleChange) arrange();
}

void TourCallout::setStop(const TourStop &stop, int number, int count)
{
    m_count->setText(tr("Tour, %1 of %2").arg(number + 1).arg(count));
    m_title->setText(stop.title);
    m_text->setText(stop.text);
    m_back->setVisible(number > 0);
    m_leave->setVisible(number + 1 < count);
    m_next->setText(number + 1 < count ? tr("Next") : tr("Done"));
    setAccessibleName(stop.title);
    setAccessibleDescription(stop.text);
}

void TourCallout::placeBeside(const QRect &about)
{
    const Theme &theme = Theme::current();
    const QSize window = parentWidget()->size();
    const int width = std::min(theme.px(kCardWidth) + 2 * theme.px(kTip), window.width());
    const QSize size(width,
                     std::min(layout()->hasHeightForWidth() ? layout()->heightForWidth(width) : sizeHint().height(), window.height()));
    const int apart = theme.px(kApart);
    struct Side {
        Qt::Edge tip; ///< the edge of the card that faces what it is about
        int spare;    ///< room that is left
    };
    const Side sides[] = {{Qt::LeftEdge, window.width() - about.right() - size.width() - apart},
                          {Qt::RightEdge, about.left() - size.width() - apart},
                          {Qt::BottomEdge, about.top() - size.height() - apart},
                          {Qt::TopEdge, window.height() - about.bottom() - size.height() - apart}};
    const Side *best = std::max_element(std::begin(sides), std::end(sides), [](const Side &a, const Side &b) { return a.spare < b.spare; });
    QPoint corner((window.width() - size.width()) / 2, (window.height() - size.height()) / 2);
    m_tipAt = -1;
    if (!about.isEmpty() && best->spare >= 0) {
        m_tipEdge = best->tip;
        const bool sideways = m_tipEdge == Qt::LeftEdge || m_tipEdge == Qt::RightEdge;
        corner = about.center() - QPoint(size.width() / 2, size.height() / 2);
        if (m_tipEdge == Qt::LeftEdge) corner.setX(about.right() + apart);
        if (m_tipEdge == Qt::RightEdge) corner.setX(about.left() - apart - size.width());
        if (m_tipEdge == Qt::BottomEdge) corner.setY(about.top() - apart - size.height());
        if (m_tipEdge == Qt::TopEdge) corner.setY(about.bottom() + apart);
        corner.setX(std::clamp(corner.x(), 0, window.width() - size.width()));
        corner.setY(std::clamp(corner.y(), 0, window.height() - size.height()));
        const int wanted = sideways ? about.center().y() - corner.y() : about.center().x() - corner.x();
        const int least = theme.px(kTip) * 2 + kCorner;
        m_tipAt = std::clamp(wanted, least, std::max(least, (sideways ? size.height() : size.width()) - least));
    } else if (!about.isEmpty()) { // it fills the window: the card lies on it
        corner = {about.center().x() - size.width() / 2, about.bottom() - size.height()};
        corner.setX(std::clamp(corner.x(), 0, window.width() - size.width()));
        corner.setY(std::clamp(corner.y(), 0, window.height() - size.height()));
    }
    setGeometry(QRect(corner, size));
    update();
}

void TourCallout::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int tip = theme.px(kTip);
    const QRectF card = QRectF(rect()).adjusted(tip + 0.5, tip + 0.5, -tip - 0.5, -tip - 0.5);
    QPainterPath path;
    path.addRoundedRect(card, kCorner, kCorner);
    if (m_tipAt >= 0) {
        QPolygonF arrow;
        switch (m_tipEdge) {
        case Qt::LeftEdge:
            arrow = {{card.left() + 1, m_tipAt - tip + 0.0}, {0.5, m_tipAt + 0.0}, {card.left() + 1, m_tipAt + tip + 0.0}};
            break;
        case Qt::RightEdge:
            arrow = {{card.right() - 1, m_tipAt - tip + 0.0}, {width() - 0.5, m_tipAt + 0.0}, {card.right() - 1, m_tipAt + tip + 0.0}};
            break;
        case Qt::TopEdge:
            arrow = {{m_tipAt - tip + 0.0, card.top() + 1}, {m_tipAt + 0.0, 0.5}, {m_tipAt + tip + 0.0, card.top() + 1}};
            break;
        case Qt::BottomEdge:
            arrow = {{m_tipAt - tip + 0.0, card.bottom() - 1}, {m_tipAt + 0.0, height() - 0.5}, {m_tipAt + tip + 0.0, card.bottom() - 1}};
            break;
        }
        QPainterPath point;
        point.addPolygon(arrow);
        point.closeSubpath();
        path = path.united(point);
    }
    painter.fillPath(path, theme.color(Color::Raised));
    painter.setPen(QPen(theme.color(Color::BorderStrong), 1));
    painter.drawPath(path);
}

// A button would give arrows on to its neighbour, and Return to nobody.
bool TourCallout::eventFilter(QObject *object, QEvent *event)
{
    if (event->type() != QEvent::KeyPress) return false;
    const int key = static_cast<QKeyEvent *>(event)->key();
    if (key != Qt::Key_Return && key != Qt::Key_Enter) return turns(key);
    qobject_cast<QAbstractButton *>(object)->click();
    return true;
}

void TourCallout::keyPressEvent(QKeyEvent *event)
{
    if (!turns(event->key())) QWidget::keyPressEvent(event);
}

bool TourCallout::turns(int key)
{
    if (key == Qt::Key_Escape) Q_EMIT leaveRequested();
    else if (key == Qt::Key_Right || key == Qt::Key_PageDown) Q_EMIT nextRequested();
    else if (key == Qt::Key_Left || key == Qt::Key_PageUp) Q_EMIT backRequested();
    else return false;
    return true;
}

Tour::Tour(QWidget *window, std::vector<TourStop> stops)
    : QObject(window), m_window(window), m_stops(std::move(stops)), m_veil(new Veil(window)), m_callout(new TourCallout(window))
{
    connect(m_callout, &TourCallout::nextRequested, this, [this] {
        if (m_at + 1 < count()) go(m_at + 1);
        else Q_EMIT left();
    });
    connect(m_callout, &TourCallout::backRequested, this, [this] { go(std::max(0, m_at - 1)); });
    connect(m_callout, &TourCallout::leaveRequested, this, &Tour::left);
    qApp->installEventFilter(this);
}

Tour::~Tour()
{
    delete m_veil;
    delete m_callout;
}

void Tour::go(int stop)
{
    m_at = std::clamp(stop, 0, count() - 1);
    const TourStop &now = m_stops[static_cast<std::size_t>(m_at)];
    if (now.prepare) now.prepare();
    m_callout->setStop(now, m_at, count());
    m_veil->show();
    m_callout->show();
    place();
    m_callout->nextButton()->setFocus(Qt::OtherFocusReason);
}

QRect Tour::about() const
{
    QRect about;
    for (const QWidget *widget : m_stops[static_cast<std::size_t>(m_at)].widgets())
        if (widget && widget->isVisible()) about |= QRect(widget->mapTo(m_window, QPoint()), widget->size());
    return about & m_window->rect();
}

void Tour::place()
{
    if (m_at < 0) return;
    m_veil->setGeometry(m_window->rect());
    m_veil->raise();
    m_callout->raise();
    const QRect hole = about();
    m_veil->setHole(hole);
    m_callout->placeBeside(hole);
}

// Docks move, pages change under it: the card goes along.
bool Tour::eventFilter(QObject *object, QEvent *event)
{
    switch (event->type()) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
        if (auto *widget = qobject_cast<QWidget *>(object);
            widget && widget != m_veil && widget->window() == m_window && !m_callout->isAncestorOf(widget) && widget != m_callout)
            QTimer::singleShot(0, this, &Tour::place);
        break;
    default: break;
    }
    return false;
}

} // namespace app
