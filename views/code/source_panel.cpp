#include "views/code/source_panel.h"

#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/panels.h"
#include "views/common/view_words.h"
#include "views/session/cost_texts.h"

#include <QFileInfo>
#include <QVBoxLayout>

namespace views {

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
    layout->addWidget(m_view, 1);
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_caption);
    m_view->hide();
    m_empty->show(QStringLiteral("document"), tr("This session keeps no source text."));
    connect(m_view, &SourceView::lineClicked, this, [this](int line) { m_hub.selectSource({m_file, line}); });
    connect(&m_hub, &SelectionHub::selectionChanged, this, &SourcePanel::follow);
    connect(&m_hub, &SelectionHub::linkedChanged, this, &SourcePanel::follow);
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
    m_view->setVisible(!m_files.isEmpty());
    m_empty->setVisible(m_files.isEmpty());
    if (m_files.isEmpty()) {
        m_file.clear();
        m_caption->hide();
        return;
    }
    if (!known) showFile(m_files.first());
    else if (m_view->toPlainText() != QString::fromStdString(m_session->sourceText(m_file.toStdString()))) showFile(m_file);
}

void SourcePanel::showFile(const QString &file)
{
    m_file = file;
    const bool python = !file.endsWith(".c") && !file.endsWith(".cpp");
    m_view->setSource(QString::fromStdString(m_session->sourceText(file.toStdString())),
                      python ? CodeHighlighter::Language::Python : CodeHighlighter::Language::C);
    setSubtitle(this, QFileInfo(file).fileName());
    refreshMarks();
    follow();
}

void SourcePanel::refreshMarks()
{
    QHash<int, LineMark> marks;
    const profiler::FunctionCosts *costs = m_session ? m_session->costs->of(m_function) : nullptr;
    if (costs) {
        for (const auto &[line, cost] : costs->lines) {
            if (line.file != m_file.toStdString()) continue;
            LineMark mark{cost.ofLongest, cost.estimated,
                          tr("%1 in all, %2 of the time in thunks").arg(formats::time(seconds(cost.ns)), formats::percent(cost.share))};
            if (cost.estimated)
                mark.tip += QStringLiteral("\n") +
                            tr("A part is estimated: fused kernels are split by what their steps cost on this machine, as measured");
            marks.insert(line.line, mark);
        }
    }
    m_caption->setText(marks.isEmpty() ? QString() : tr("Bars: time that descends from the line"));
    m_caption->setVisible(!marks.isEmpty() && !m_files.isEmpty());
    m_view->setMarks(std::move(marks));
}

void SourcePanel::follow()
{
    const Selection &selection = m_hub.selection();
    const SourceRef current = selection.source;
    if (current.isValid() && current.file != m_file && m_files.contains(current.file)) {
        showFile(current.file);
        return;
    }
    QSet<int> lines;
    int first = 0;
    for (const SourceRef &line : m_hub.linked().lines) {
        if (line.file != m_file) continue;
        lines.insert(line.line);
        first = first == 0 ? line.line : std::min(first, line.line);
    }
    const bool here = current.isValid() && current.file == m_file;
    // A node marks its last line as the current one: the expression that needed all the others.
    int marked = here ? current.line : 0;
    if (!here && selection.node.isValid() && !lines.isEmpty()) marked = *std::max_element(lines.begin(), lines.end());
    m_view->setMarkedLines(marked, lines);
    if (marked > 0 || first > 0) m_view->showLine(here ? current.line : first);
}

} // namespace views
