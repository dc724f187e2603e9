#include "views/compare/compare_side_card.h"

#include "views/common/controls.h"
#include "views/session/sessions_near.h"

#include <QDateTime>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPainter>

#include <algorithm>

namespace views {
namespace {

constexpr int kMostOffered = 12;

} // namespace

CompareSideCard::CompareSideCard(bool isA, QWidget *parent) : QFrame(parent), m_isA(isA)
{
    const Theme &theme = Theme::current();
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme.px(44), theme.px(8), theme.px(12), theme.px(8));
    layout->setSpacing(theme.px(10));
    auto *words = new QVBoxLayout;
    words->setSpacing(0);
    m_title = new ElidedLabel(QString(), FontRole::BodyStrong, nullptr, Qt::ElideMiddle);
    m_detail = new ElidedLabel(QString(), FontRole::Cell, "muted");
    words->addWidget(m_title);
    words->addWidget(m_detail);
    auto *numbers = new QVBoxLayout;
    numbers->setSpacing(0);
    m_figure = new TextLabel(QString(), FontRole::Figure);
    m_figure->setAlignment(Qt::AlignRight);
    m_unit = new TextLabel(tr("per call"), FontRole::Caption, "muted");
    m_unit->setAlignment(Qt::AlignRight);
    numbers->addWidget(m_figure);
    numbers->addWidget(m_unit);
    m_choose = new MenuButton(tr("Choose"));
    m_choose->setAccessibleName(isA ? tr("Choose the session A") : tr("Choose the session B"));
    m_menu = new QMenu(m_choose);
    m_choose->setMenu(m_menu);
    m_pin = iconButton(QStringLiteral("pin"), isA ? tr("Keep A: the next run becomes B") : tr("Keep B: the next run becomes A"));
    m_pin->setCheckable(true);
    connect(m_pin, &QToolButton::toggled, this, &CompareSideCard::pinToggled);
    layout->addLayout(words, 1);
    layout->addLayout(numbers);
    layout->addWidget(m_pin);
    layout->addWidget(m_choose);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(m_menu, &QMenu::aboutToShow, this, &CompareSideCard::fillMenu);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
    setPath({});
}

// In a narrow place the name and the choice come first; the verdict has the figures.
void CompareSideCard::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    showWhatFits();
}

void CompareSideCard::showWhatFits()
{
    const bool roomy = width() >= Theme::current().px(280);
    m_figure->setVisible(roomy);
    m_unit->setVisible(roomy && !m_side.figure.isEmpty());
    m_pin->setVisible(roomy);
}

// As high with the figures as without them: they come and go as it is laid out.
QSize CompareSideCard::sizeHint() const
{
    const QMargins margins = layout()->contentsMargins();
    const int figures = m_figure->sizeHint().height() + m_unit->sizeHint().height() + margins.top() + margins.bottom();
    return QFrame::sizeHint().expandedTo({0, figures});
}

QString CompareSideCard::title() const { return m_title->text(); }

void CompareSideCard::setSide(const CompareSideText &side)
{
    m_path = side.path;
    m_side = side;
    refresh();
}

void CompareSideCard::setPath(const QString &path)
{
    m_path = path;
    m_side = {};
    m_side.title = path.isEmpty() ? tr("No session chosen") : QFileInfo(path).fileName();
    m_side.detail = path.isEmpty() ? tr("Choose one to compare with") : QFileInfo(path).absolutePath();
    refresh();
}

void CompareSideCard::setName(const QString &name)
{
    m_name = name;
    refresh();
}

void CompareSideCard::setPinned(bool pinned)
{
    const QSignalBlocker blocker(m_pin);
    m_pin->setChecked(pinned);
}

void CompareSideCard::setOffered(const QStringList &paths) { m_offered = paths; }

void CompareSideCard::refresh()
{
    const QString title = m_name.isEmpty() ? m_side.title : m_name;
    m_title->setText(m_side.apart.isEmpty() ? title : QStringLiteral("%1 · %2").arg(title, m_side.apart));
    m_detail->setText(m_side.detail);
    m_figure->setText(m_side.figure);
    showWhatFits();
    updateGeometry(); // what is hidden does not say that it has another size
    m_pin->setEnabled(!m_path.isEmpty());
}

void CompareSideCard::askName()
{
    bool ok = false;
    const QString name = QInputDialog::getText(this, tr("Name this session"), tr("Name (empty: what the session says itself):"),
                                               QLineEdit::Normal, m_name.isEmpty() ? m_side.title : m_name, &ok);
    if (ok) Q_EMIT named(m_path, name.trimmed() == m_side.title ? QString() : name.trimmed());
}

void CompareSideCard::fillMenu()
{
    m_menu->clear();
    const auto add = [this](const QFileInfo &file) {
        const QString when = QLocale().toString(file.lastModified(), QLocale::ShortFormat);
        QAction *action = m_menu->addAction(QStringLiteral("%1 · %2").arg(file.fileName(), when), this,
                                            [this, path = file.absoluteFilePath()] { Q_EMIT pathChosen(path); });
        action->setCheckable(true);
        action->setChecked(file.absoluteFilePath() == m_path);
    };
    if (!m_offered.isEmpty()) m_menu->addSection(tr("Of this window"));
    for (const QString &path : m_offered.mid(0, kMostOffered))
        if (QFileInfo::exists(path)) add(QFileInfo(path));
    QFileInfoList files = sessionsNear(m_path);
    files.removeIf([this](const QFileInfo &file) { return m_offered.contains(file.absoluteFilePath()); });
    if (!files.isEmpty()) m_menu->addSection(tr("Others"));
    for (const QFileInfo &file : files.mid(0, kMostOffered)) add(file);
    if (!files.isEmpty()) m_menu->addSeparator();
    m_menu->addAction(tr("Another file …"), this, [this] {
        const QString path =
            QFileDialog::getOpenFileName(this, tr("Session to compare"), QFileInfo(m_path).absolutePath(), tr("Sessions (*.croton)"));
        if (!path.isEmpty()) Q_EMIT pathChosen(path);
    });
    m_menu->addAction(tr("Name this session…"), this, &CompareSideCard::askName)->setEnabled(!m_path.isEmpty());
}

void CompareSideCard::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ink = theme.color(m_isA ? Color::SideA : Color::SideB);
    painter.setPen(QPen(ink, 1));
    painter.setBrush(theme.color(Color::Panel));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
    const double size = theme.px(22);
    const QRectF letter(theme.px(12), (height() - size) / 2, size, size);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    if (m_isA) painter.drawEllipse(letter);
    else painter.drawRoundedRect(letter, 3, 3);
    painter.setPen(Theme::textOn(ink));
    painter.setFont(theme.font(FontRole::CellStrong));
    painter.drawText(letter, Qt::AlignCenter, m_isA ? tr("A") : tr("B"));
}

} // namespace views
