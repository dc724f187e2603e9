#include "views/code/source_panel.h"

#include "views/common/context_menu.h"
#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/flow_layout.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/common/panels.h"
#include "views/common/text.h"
#include "views/common/view_words.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTextBlock>
#include <QTimer>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

namespace views {
namespace {

constexpr int kColumns = 80;
constexpr int kSoonMs = 600;

QString costText(const profiler::LineCost &cost)
{
    if (cost.withCallsNs <= cost.ns)
        return tr("%1 in all, %2 of the time in thunks").arg(formats::timeNs(cost.ns), formats::percent(cost.share));
    const QString all = tr("%1 with what the line calls, %2 of the time in thunks")
                            .arg(formats::timeNs(cost.withCallsNs), formats::percent(cost.withCallsShare));
    const QString own = cost.ns > 0 ? tr("%1 from the line itself, %2").arg(formats::timeNs(cost.ns), formats::percent(cost.share))
                                    : tr("None from the line itself");
    return all + QLatin1Char('\n') + own;
}

} // namespace

SourcePanel::SourcePanel(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
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
    m_foot = new QWidget;
    auto *foot = new FlowLayout(m_foot, theme.px(8));
    foot->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(2));
    m_ofLine = new TextLabel(QString(), FontRole::Caption, "secondary");
    m_ofLine->setObjectName(QStringLiteral("ofLine"));
    m_stepsOfLine = linkButton({});
    m_stepsOfLine->setObjectName(QStringLiteral("stepsOfLine"));
    foot->addWidget(m_ofLine);
    foot->addWidget(m_stepsOfLine);
    m_foot->hide();
    connect(m_stepsOfLine, &QToolButton::clicked, this, [this] { m_hub.request(Command::StepsOfSelection); });
    m_findLine = new QWidget;
    auto *line = new QHBoxLayout(m_findLine);
    line->setContentsMargins(theme.px(12), theme.px(4), theme.px(6), theme.px(4));
    line->setSpacing(theme.px(4));
    m_findText = new QLineEdit;
    m_findText->setPlaceholderText(tr("Find in the source"));
    m_findText->setAccessibleName(m_findText->placeholderText());
    auto *previous = iconButton(QStringLiteral("chevron-up"), tr("Previous place"));
    auto *next = iconButton(QStringLiteral("chevron-down"), tr("Next place"));
    auto *done = iconButton(QStringLiteral("cross"), tr("Close the search"));
    line->addWidget(m_findText, 1);
    line->addWidget(previous);
    line->addWidget(next);
    line->addWidget(done);
    m_findLine->hide();
    layout->addWidget(m_findLine);
    connect(m_findText, &QLineEdit::returnPressed, this, [this] { find(false); });
    connect(previous, &QToolButton::clicked, this, [this] { find(true); });
    connect(next, &QToolButton::clicked, this, [this] { find(false); });
    connect(done, &QToolButton::clicked, this, &SourcePanel::closeFind);
    m_findText->installEventFilter(this);
    connect(m_view, &SourceView::findRequested, this, [this] {
        m_findLine->show();
        m_findText->setFocus();
        m_findText->selectAll();
    });
    m_edit = new QAction(themedIcon(QStringLiteral("code")), tr("Edit the script"), this);
    m_edit->setCheckable(true);
    connect(m_edit, &QAction::triggered, this, [this](bool on) {
        if (on) Q_EMIT editRequested();
        else stopEditing();
        refreshEditing();
    });
    m_wide = new QAction(themedIcon(QStringLiteral("swap")), tr("As wide as 80 columns, and back"), this);
    m_wide->setCheckable(true);
    connect(m_wide, &QAction::triggered, this, [this](bool on) {
        if (on) widen();
        else Q_EMIT widthAsked(0);
    });
    addAction(m_edit);
    addAction(m_wide);
    m_soon = new QTimer(this);
    m_soon->setSingleShot(true);
    m_soon->setInterval(kSoonMs);
    connect(m_soon, &QTimer::timeout, this, &SourcePanel::edited);
    connect(m_view, &QPlainTextEdit::textChanged, this, [this] {
        if (!isEditing()) return;
        m_soon->start();
        refreshMarks();
    });
    connect(m_view->document(), &QTextDocument::modificationChanged, this, &SourcePanel::refreshEditing);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_view, &QWidget::customContextMenuRequested, this, &SourcePanel::openMenu);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_foot);
    layout->addWidget(m_caption);
    m_view->hide();
    m_empty->show(QStringLiteral("document"), tr("This session keeps no source text."));
    connect(m_view, &SourceView::lineClicked, this, [this](int line) { m_hub.selectSource({m_file, line}); });
    connect(&m_hub, &SelectionHub::selectionChanged, this, &SourcePanel::follow);
    connect(&m_hub, &SelectionHub::linkedChanged, this, &SourcePanel::follow);
    refreshEditing();
}

void SourcePanel::obey(const Request &request)
{
    if (request == Request(Command::Save) && isDirty()) Q_EMIT saveRequested();
}

void SourcePanel::setScript(const QString &path)
{
    if (path == m_script) return;
    if (isEditing()) stopEditing();
    m_script = path;
    refreshEditing();
}

void SourcePanel::edit(const QString &text, bool saved)
{
    if (m_files.isEmpty() || m_script.isEmpty()) return;
    if (m_file != m_files.first()) showFile(m_files.first());
    m_view->setEditing(true);
    if (text != m_view->toPlainText()) {
        QTextCursor cursor(m_view->document());
        cursor.select(QTextCursor::Document);
        cursor.insertText(text);
    }
    m_view->document()->setModified(!saved);
    m_view->setFocus();
    refreshEditing();
}

void SourcePanel::leaveEditing()
{
    m_soon->stop();
    if (isDirty()) Q_EMIT edited(); // who listens keeps it
    m_view->setEditing(false);
}

void SourcePanel::stopEditing()
{
    if (!isEditing()) return;
    leaveEditing();
    if (m_session && m_files.contains(m_file)) showFile(m_file);
    refreshEditing();
}

void SourcePanel::widen()
{
    m_wide->setChecked(true);
    Q_EMIT widthAsked(m_view->widthOfColumns(kColumns));
}

void SourcePanel::markSaved() { m_view->document()->setModified(false); }

void SourcePanel::refreshEditing()
{
    m_edit->setEnabled(!m_script.isEmpty());
    m_edit->setToolTip(m_script.isEmpty() ? tr("The script of this session is not on this machine, so it cannot be edited")
                                          : tr("Edit the script (Ctrl+S saves, Ctrl+R saves and runs)"));
    m_edit->setChecked(isEditing());
    const QString name = views::text(QFileInfo(m_file).fileName().toStdString());
    setSubtitle(this, isDirty() ? tr("%1, not saved").arg(name) : isEditing() ? tr("%1, editing").arg(name) : name);
}

void SourcePanel::find(bool backwards)
{
    if (!m_view->findText(m_findText->text(), backwards))
        QToolTip::showText(m_findText->mapToGlobal(QPoint()), tr("It is not in this text"), m_findText);
}

void SourcePanel::closeFind()
{
    m_findLine->hide();
    m_view->setFocus();
}

bool SourcePanel::eventFilter(QObject *object, QEvent *event)
{
    const auto *key = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent *>(event) : nullptr;
    if (object != m_findText || !key || key->key() != Qt::Key_Escape) return QWidget::eventFilter(object, event);
    closeFind();
    return true;
}

void SourcePanel::openMenu(const QPoint &at)
{
    QMenu *menu = m_view->createStandardContextMenu();
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addSeparator();
    menu->addAction(m_edit);
    const int line = m_view->lineAt(at);
    if (line > 0) {
        menu->addAction(tr("Show what line %1 became").arg(line), this, [this, line] { m_hub.selectSource({m_file, line}); });
        menu->addAction(tr("Steps of line %1").arg(line), this, [this, line] {
            m_hub.selectSource({m_file, line});
            m_hub.request(Command::StepsOfSelection);
        });
    }
    menu->addAction(tr("Open in the editor of your choice"), this, [this, line] {
        if (line > 0) m_hub.selectSource({m_file, line});
        m_hub.request(Command::OpenEditor);
    });
    menu->addMenu(showInMenu(m_hub, menu));
    menu->popup(m_view->viewport()->mapToGlobal(at));
}

void SourcePanel::feed(const ViewFeed &feed)
{
    m_function = feed.function ? feed.function->id : profiler::kNoFunction;
    if (feed.hasNew(FeedPart::Session)) setSession(feed.session);
    if (feed.hasNewFunction()) refreshMarks();
}

void SourcePanel::setSession(std::shared_ptr<const SessionData> session)
{
    m_session = std::move(session);
    m_files.clear();
    if (m_session)
        for (const std::string &file : m_session->sourceFiles()) m_files << QString::fromStdString(file);
    const bool known = m_files.contains(m_file);
    if (isEditing() && known) { // what is typed stays, and the bars come back where it is what was run
        m_recorded = views::text(m_session->sourceText(m_file.toStdString()));
        refreshMarks();
        return;
    }
    m_view->setVisible(!m_files.isEmpty());
    m_empty->setVisible(m_files.isEmpty());
    if (m_files.isEmpty()) {
        m_file.clear();
        m_caption->hide();
        return;
    }
    if (!known) showFile(m_files.first());
    else if (m_view->toPlainText() != views::text(m_session->sourceText(m_file.toStdString()))) showFile(m_file);
}

void SourcePanel::showFile(const QString &file)
{
    if (isEditing() && file != m_file) leaveEditing();
    m_file = file;
    m_recorded = views::text(m_session->sourceText(file.toStdString()));
    const bool python = !file.endsWith(".c") && !file.endsWith(".cpp");
    m_view->setSource(m_recorded, python ? CodeHighlighter::Language::Python : CodeHighlighter::Language::C);
    m_view->document()->setModified(false);
    refreshEditing();
    refreshMarks();
    follow();
}

void SourcePanel::refreshMarks()
{
    QHash<int, LineMark> marks;
    const profiler::FunctionCosts *costs = m_session ? m_session->costs->of(m_function) : nullptr;
    const bool changed = isEditing() && m_view->toPlainText() != m_recorded;
    bool passed = false; // some line calls others
    if (costs && !changed) {
        for (const auto &[line, cost] : costs->lines) {
            if (line.file != m_file.toStdString()) continue;
            LineMark mark{cost.ofLongest, cost.withCallsOfLongest, cost.estimated || cost.withCallsEstimated, costText(cost)};
            if (mark.estimated)
                mark.tip += QStringLiteral("\n") +
                            tr("A part is estimated: fused kernels are split by what their steps cost on this machine, as measured");
            passed = passed || cost.withCallsNs > cost.ns;
            marks.insert(line.line, mark);
        }
    }
    m_caption->setText(changed           ? tr("Changed since the run: the bars come back with the next one")
                       : marks.isEmpty() ? QString()
                       : passed          ? tr("Bars: time that descends from the line; in a frame, that of what it calls")
                                         : tr("Bars: time that descends from the line"));
    showCaption();
    m_view->setMarks(std::move(marks));
}

void SourcePanel::showFoot()
{
    const SourceRef line = m_hub.selection().source;
    const Linked &linked = m_hub.linked();
    const bool roomy = height() >= Theme::current().px(160);
    m_foot->setVisible(roomy && line.isValid() && line.file == m_file && m_files.contains(m_file));
    if (m_foot->isHidden()) return;
    const auto applies = std::count_if(linked.nodes.begin(), linked.nodes.end(),
                                       [](const NodeRef &node) { return node.side == Side::Original && node.kind == NodeKind::Apply; });
    m_ofLine->setText(applies == 0 ? tr("Line %1: nothing of this function").arg(line.line)
                                   : tr("Line %1: %2").arg(line.line).arg(formats::counted(applies, formats::Thing::Apply)));
    m_stepsOfLine->setVisible(!linked.steps.empty());
    m_stepsOfLine->setText(formats::counted(static_cast<std::int64_t>(linked.steps.size()), formats::Thing::Step));
    m_stepsOfLine->setToolTip(tr("Show the steps that touched what the line made, or what became of that"));
}

// In a low place the lines come first.
void SourcePanel::showCaption()
{
    const bool roomy = height() >= Theme::current().px(160);
    m_caption->setVisible(roomy && !m_caption->text().isEmpty() && !m_files.isEmpty());
}

void SourcePanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    showCaption();
    showFoot();
}

void SourcePanel::follow()
{
    const Selection &selection = m_hub.selection();
    const SourceRef current = selection.source;
    if (current.isValid() && current.file != m_file && m_files.contains(current.file)) {
        showFile(current.file);
        return;
    }
    showFoot();
    QSet<int> lines;
    int first = 0;
    for (const SourceRef &line : m_hub.linked().lines) {
        if (line.file != m_file) continue;
        lines.insert(line.line);
        first = first == 0 ? line.line : std::min(first, line.line);
    }
    const QSet<int> nearest = lines;
    for (const SourceRef &line : m_hub.linked().callers)
        if (line.file == m_file) lines.insert(line.line);
    const bool here = current.isValid() && current.file == m_file;
    // A node marks its last line as the current one: the expression that needed all the others.
    int marked = here ? current.line : 0;
    if (!here && selection.node.isValid() && !nearest.isEmpty()) marked = *std::max_element(nearest.begin(), nearest.end());
    m_view->setMarkedLines(marked, lines);
    if (marked > 0 || first > 0) m_view->showLine(here ? current.line : first);
}

} // namespace views
