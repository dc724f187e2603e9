#include "views/compare/compare_side_card.h"

#include "views/common/controls.h"

#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QStandardPaths>

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
    m_unit = new TextLabel(QString(), FontRole::Caption, "muted");
    m_unit->setAlignment(Qt::AlignRight);
    numbers->addWidget(m_figure);
    numbers->addWidget(m_unit);
    m_choose = new MenuButton(tr("Choose"));
    m_choose->setAccessibleName(isA ? tr("Choose the session A") : tr("Choose the session B"));
    m_menu = new QMenu(m_choose);
    m_choose->setMenu(m_menu);
    layout->addLayout(words, 1);
    layout->addLayout(numbers);
    layout->addWidget(m_choose);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(m_menu, &QMenu::aboutToShow, this, &CompareSideCard::fillMenu);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
    setPath({});
}

QString CompareSideCard::title() const { return m_title->text(); }

void CompareSideCard::setSide(const CompareSideText &side)
{
    m_path = side.path;
    m_title->setText(side.title);
    m_detail->setText(side.detail);
    m_figure->setText(side.figure);
    m_unit->setText(side.figure.isEmpty() ? QString() : tr("per call"));
}

void CompareSideCard::setPath(const QString &path)
{
    m_path = path;
    m_title->setText(path.isEmpty() ? tr("No session chosen") : QFileInfo(path).fileName());
    m_detail->setText(path.isEmpty() ? tr("Choose one to compare with") : QFileInfo(path).absolutePath());
    m_figure->setText({});
    m_unit->setText({});
}

void CompareSideCard::fillMenu()
{
    m_menu->clear();
    QFileInfoList files;
    QStringList folders{QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + QStringLiteral("/croton/sessions")};
    if (!m_path.isEmpty()) folders << QFileInfo(m_path).absolutePath();
    folders.removeDuplicates();
    for (const QString &folder : folders) files += QDir(folder).entryInfoList({QStringLiteral("*.croton")}, QDir::Files);
    std::sort(files.begin(), files.end(), [](const QFileInfo &a, const QFileInfo &b) { return a.lastModified() > b.lastModified(); });
    for (const QFileInfo &file : files.mid(0, kMostOffered)) {
        const QString when = QLocale().toString(file.lastModified(), QLocale::ShortFormat);
        m_menu->addAction(QStringLiteral("%1 · %2").arg(file.fileName(), when), this,
                          [this, path = file.absoluteFilePath()] { Q_EMIT pathChosen(path); });
    }
    if (!files.isEmpty()) m_menu->addSeparator();
    m_menu->addAction(tr("Another file …"), this, [this] {
        const QString path =
            QFileDialog::getOpenFileName(this, tr("Session to compare"), QFileInfo(m_path).absolutePath(), tr("Sessions (*.croton)"));
        if (!path.isEmpty()) Q_EMIT pathChosen(path);
    });
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
