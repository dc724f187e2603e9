#include "app/studio/side_panels.h"

#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/common/palette.h"
#include "views/common/panels.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

namespace app {

using namespace views;

SourcePanel::SourcePanel(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub) {
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, theme.px(4), 0, 0);
    layout->setSpacing(0);
    m_view = new SourceView;
    m_caption = new TextLabel(QString(), FontRole::Caption, "muted");
    m_caption->setWordWrap(true);
    m_caption->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(8));
    m_caption->hide();
    m_empty = new EmptyState;
    layout->addWidget(m_view, 1);
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_caption);
    m_view->hide();
    m_empty->show(QStringLiteral("document"), tr("This session keeps no source text."));
    connect(m_view, &SourceView::lineClicked, this, [this](int line) { m_hub.selectSource({m_file, line}); });
    connect(&m_hub, &SelectionHub::selectionChanged, this, &SourcePanel::follow);
    connect(&m_hub, &SelectionHub::linkedChanged, this, &SourcePanel::follow);
}

void SourcePanel::setSession(std::shared_ptr<const SessionData> session) {
    m_session = std::move(session);
    m_files.clear();
    if (m_session) {
        if (!m_session->script.text.empty())
            m_files << QString::fromStdString(m_session->script.path);
        for (const auto &source : m_session->sources) {
            const QString file = QString::fromStdString(source.file);
            if (!m_files.contains(file) && !source.text.empty())
                m_files << file;
        }
    }
    const bool known = m_files.contains(m_file);
    m_view->setVisible(!m_files.isEmpty());
    m_empty->setVisible(m_files.isEmpty());
    if (m_files.isEmpty()) {
        m_file.clear();
        m_caption->hide();
        return;
    }
    if (!known)
        showFile(m_files.first());
    else if (m_view->toPlainText() != QString::fromStdString(m_session->sourceText(m_file.toStdString())))
        showFile(m_file);
}

void SourcePanel::showFile(const QString &file) {
    m_file = file;
    const bool python = !file.endsWith(".c") && !file.endsWith(".cpp");
    m_view->setSource(QString::fromStdString(m_session->sourceText(file.toStdString())),
                      python ? CodeHighlighter::Language::Python : CodeHighlighter::Language::C);
    Q_EMIT fileShown(file);
    follow();
}

void SourcePanel::setMarks(const QString &file, QHash<int, LineMark> marks) {
    if (file == m_file)
        m_view->setMarks(std::move(marks));
}

void SourcePanel::setCaption(const QString &caption) {
    m_caption->setText(caption);
    m_caption->setVisible(!caption.isEmpty() && !m_files.isEmpty());
}

void SourcePanel::follow() {
    const Selection &selection = m_hub.selection();
    const SourceRef current = selection.source;
    if (current.isValid() && current.file != m_file && m_files.contains(current.file)) {
        showFile(current.file);
        return;
    }
    QSet<int> lines;
    int first = 0;
    for (const SourceRef &line : m_hub.linked().lines) {
        if (line.file != m_file)
            continue;
        lines.insert(line.line);
        first = first == 0 ? line.line : std::min(first, line.line);
    }
    const bool here = current.isValid() && current.file == m_file;
    // A node marks its last line as the current one: the expression that needed all the others.
    int marked = here ? current.line : 0;
    if (!here && selection.node.isValid() && !lines.isEmpty())
        marked = *std::max_element(lines.begin(), lines.end());
    m_view->setMarkedLines(marked, lines);
    if (marked > 0 || first > 0)
        m_view->showLine(here ? current.line : first);
}

KeyPanel::KeyPanel(QWidget *parent) : QWidget(parent) {
    setSurface(this, "panel");
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Graph key"));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void KeyPanel::setTimes(double fastest, double slowest) {
    m_fastest = fastest;
    m_slowest = slowest;
    updateGeometry();
    update();
}

QSize KeyPanel::sizeHint() const { return {200, Theme::current().px(m_slowest > 0 ? 148 : 96)}; }

void KeyPanel::paintEvent(QPaintEvent *) {
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme.color(Color::Panel));
    const double left = theme.px(12);
    const double length = theme.px(46);
    double y = theme.px(16);
    auto row = [&](Color color, double thickness, const QList<qreal> &dash, int head, const QString &text) {
        QPen pen(theme.color(color), thickness);
        if (!dash.isEmpty())
            pen.setDashPattern(dash);
        painter.setPen(pen);
        const double end = left + length;
        painter.drawLine(QPointF(left, y), QPointF(end - 6, y));
        QPen solid(theme.color(color), thickness);
        painter.setPen(solid);
        painter.setBrush(head == 1 ? QBrush(theme.color(Color::Panel)) : QBrush(theme.color(color)));
        painter.drawPolygon(QPolygonF{QPointF(end - 7, y - 3), QPointF(end - 7, y + 3), QPointF(end - 1, y)});
        if (head == 2) {
            painter.setPen(QPen(theme.color(color), 1.75));
            painter.drawLine(QPointF(end - 10, y - 4), QPointF(end - 10, y + 4));
        }
        painter.setFont(theme.font(FontRole::Cell));
        painter.setPen(theme.color(Color::TextSecondary));
        painter.drawText(QRectF(end + theme.px(10), y - theme.px(10), width() - end, theme.px(20)), Qt::AlignVCenter, text);
        y += theme.px(20);
    };
    row(Color::DataEdge, 1.25, {}, 0, tr("value"));
    row(Color::ViewEdge, 1.25, {4, 2}, 1, tr("view of the input"));
    row(Color::DestroyEdge, 1.75, {}, 2, tr("destroys the input"));
    row(Color::Transfer, 1.25, {1.5, 2.5}, 0, tr("transfer"));
    if (!(m_slowest > 0))
        return;
    y += theme.px(2);
    painter.setFont(theme.font(FontRole::Cell));
    painter.setPen(theme.color(Color::TextSecondary));
    painter.drawText(QRectF(left, y - theme.px(10), width(), theme.px(18)), Qt::AlignVCenter, tr("Time per call"));
    y += theme.px(10);
    const double room = width() - 2 * left;
    for (int i = 0; i < 9; ++i)
        painter.fillRect(QRectF(left + room * i / 9, y, std::ceil(room / 9), theme.px(8)), theme.hot(i / 8.0));
    y += theme.px(10);
    painter.setFont(theme.font(FontRole::Caption));
    const QRectF ends(left, y, room, theme.px(16));
    drawTabular(painter, ends, Qt::AlignLeft, formats::time(m_fastest));
    drawTabular(painter, ends, Qt::AlignRight, formats::time(m_slowest));
}

CodePanel::CodePanel(QWidget *parent) : QWidget(parent) {
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_head = new QWidget;
    auto *head = new QHBoxLayout(m_head);
    head->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(6));
    head->setSpacing(theme.px(10));
    m_choice = new LabeledCombo(tr("Kernel"));
    m_choice->setCompact(true);
    m_note = new TextLabel(QString(), FontRole::Cell, "muted");
    head->addWidget(m_choice);
    head->addWidget(m_note, 1);
    m_view = new SourceView;
    m_empty = new EmptyState;
    layout->addWidget(m_head);
    layout->addWidget(new Hairline);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_empty, 1);
    connect(m_choice, &QComboBox::activated, this, &CodePanel::showKernel);
    setKernels(nullptr, -1, tr("Select a node to see its code."));
}

void CodePanel::setKernels(const std::vector<profiler::Kernel> *kernels, std::int64_t apply, const QString &why) {
    m_kernels.clear();
    if (kernels)
        for (const profiler::Kernel &kernel : *kernels)
            if (apply < 0 || raw(kernel.apply) == static_cast<std::uint32_t>(apply))
                m_kernels.push_back(kernel);
    const bool any = !m_kernels.empty();
    m_head->setVisible(any);
    m_view->setVisible(any);
    m_empty->setVisible(!any);
    if (!any) {
        m_empty->show(QStringLiteral("code"), why);
        return;
    }
    m_choice->clear();
    for (const profiler::Kernel &kernel : m_kernels)
        m_choice->addItem(QString::fromStdString(kernel.symbol));
    showKernel(0);
}

void CodePanel::showKernel(int index) {
    if (index < 0 || index >= static_cast<int>(m_kernels.size()))
        return;
    const profiler::Kernel &kernel = m_kernels[static_cast<std::size_t>(index)];
    const QString compiled = kernel.fromCache ? tr("from the cache") : tr("compiled in %1").arg(formats::timeNs(kernel.compileNs));
    m_note->setText(QStringLiteral("%1 · %2 · %3").arg(QString::fromStdString(kernel.language), compiled,
                                                       QString::fromStdString(kernel.flags)));
    m_view->setSource(QString::fromStdString(kernel.source), CodeHighlighter::Language::C);
}

BottomStrip::BottomStrip(QWidget *parent) : QWidget(parent) {
    setSurface(this, "window");
    const Theme &theme = Theme::current();
    setFixedHeight(theme.px(32));
    m_layout = new QHBoxLayout(this);
    m_layout->setContentsMargins(theme.px(8), 0, theme.px(6), 0);
    m_layout->setSpacing(theme.px(4));
    m_layout->addStretch(1);
    m_shares = new TextLabel(QString(), FontRole::Caption, "secondary");
    m_shares->setTextFormat(Qt::RichText);
    m_layout->addWidget(m_shares);
    m_chevron = iconButton(QStringLiteral("chevron-up"), tr("Open or close the panel below"));
    m_layout->addWidget(m_chevron);
    connect(m_chevron, &QToolButton::clicked, this, [this] {
        toggle(m_open.isEmpty() ? (m_last.isEmpty() && !m_buttons.empty() ? m_buttons.front().first : m_last) : m_open);
    });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        setFixedHeight(Theme::current().px(32));
    });
}

QSize BottomStrip::sizeHint() const { return {400, Theme::current().px(32)}; }

void BottomStrip::addPanel(const QString &id, const QString &title, const QString &icon) {
    auto *button = new QToolButton;
    button->setText(QChar(0x2009) + title);
    button->setAccessibleName(title);
    button->setIcon(themedIcon(icon));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setCheckable(true);
    button->setProperty("tab", true);
    m_layout->insertWidget(static_cast<int>(m_buttons.size()), button);
    m_buttons.emplace_back(id, button);
    connect(button, &QToolButton::clicked, this, [this, id] { toggle(id); });
}

void BottomStrip::toggle(const QString &id) {
    setOpen(id == m_open ? QString() : id);
    Q_EMIT openChanged(m_open);
}

void BottomStrip::setOpen(const QString &id) {
    if (!id.isEmpty())
        m_last = id;
    m_open = id;
    for (const auto &[name, button] : m_buttons)
        button->setChecked(name == id);
    m_chevron->setIcon(themedIcon(id.isEmpty() ? QStringLiteral("chevron-up") : QStringLiteral("chevron-down")));
}

void BottomStrip::setShares(const QString &text) { m_shares->setText(text); }

} // namespace app
