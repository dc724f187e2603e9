#include "views/flame/flame_view.h"

#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/common/picture_panel.h"
#include "views/flame/flame_canvas.h"

#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>

namespace views {

using profiler::FlameKind;
using profiler::FlameNode;

FlameView::FlameView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    const Theme &theme = Theme::current();
    m_canvas = new FlameCanvas;
    m_scroll = new QScrollArea; // a library calls itself through many lines
    m_scroll->setWidget(m_canvas);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_panel = new PicturePanel(tr("Flame graph"), m_scroll);
    m_canvas->setAccessibleName(m_scroll->accessibleName());
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_panel);
    m_found = new TextLabel(QString(), FontRole::Cell, "secondary");
    m_search = searchBox(tr("Search"), tr("Search ops, lines and functions"));
    m_search->setMinimumWidth(theme.px(70));
    m_search->setMaximumWidth(theme.px(160));
    auto *all = iconButton(QStringLiteral("fit"), tr("Show everything (Space)"));
    for (QWidget *widget : {static_cast<QWidget *>(m_found), static_cast<QWidget *>(m_search), static_cast<QWidget *>(all)})
        m_panel->addRight(widget);
    connect(m_search, &QLineEdit::textChanged, this, &FlameView::findWords);
    connect(all, &QToolButton::clicked, m_canvas, [this] { m_canvas->zoomTo(0); });
    connect(m_canvas, &FlameCanvas::chosenByPerson, this, [this](qulonglong node) {
        m_panel->selectKey(static_cast<std::int64_t>(node));
        reveal(node);
        select(node);
    });
    connect(m_canvas, &FlameCanvas::zoomChanged, this, [this](qulonglong node) { m_panel->setCaption(m_rows->caption(node)); });
    connect(m_panel, &PicturePanel::keyChosen, this, [this](qint64 node) {
        m_canvas->setChosen(static_cast<std::size_t>(node));
        reveal(static_cast<std::size_t>(node));
        select(static_cast<std::size_t>(node));
    });
    connect(m_panel, &PicturePanel::actionTriggered, this, [this] { m_hub.request(Command::Run); });
    m_panel->setEmpty(QStringLiteral("flame"), tr("No session is open."));
}

void FlameView::feed(const ViewFeed &feed)
{
    if (feed.hasNew(FeedPart::Opened | FeedPart::Session)) {
        m_session = feed.session;
        m_rows = m_session ? &m_session->derived<FlameRows>() : nullptr;
        m_canvas->setRows(m_rows ? std::shared_ptr<const FlameRows>(m_session, m_rows) : nullptr);
        m_panel->setTable(m_rows ? m_rows->table() : TextTable{});
        m_panel->setCaption(m_rows ? m_rows->caption(0) : QString());
        findWords();
    }
    if (feed.hasNew(FeedPart::Opened | FeedPart::Session | FeedPart::Run)) {
        const bool something = m_rows && !m_rows->flame.nodes.empty();
        m_panel->setEmpty(QStringLiteral("flame"),
                          something      ? QString()
                          : feed.session ? tr("No function was called yet, so there are no times.")
                                         : tr("No session is open."),
                          feed.canRun ? tr("Run") : QString());
    }
    if (m_rows && !m_rows->flame.nodes.empty()) followSelection(feed);
}

void FlameView::followSelection(const ViewFeed &feed)
{
    const profiler::Flame &flame = m_rows->flame;
    if (feed.hasNewFunction()) m_canvas->zoomTo(feed.function ? flame.findFunction(feed.function->id) : 0);
    const NodeRef node = feed.selection.node;
    const SourceRef line = feed.selection.source;
    std::size_t found = 0;
    if (node.isValid() && node.kind == NodeKind::Apply && node.side == Side::Optimized && feed.graph)
        found = flame.findApply({feed.graph->info.id, profiler::ApplyId{static_cast<std::uint32_t>(node.id)}});
    else if (line.isValid() && feed.function) found = flame.findLine(feed.function->id, {line.file.toStdString(), line.line});
    // What was chosen here may stand for the same: an apply in one of its lines, or what runs it.
    const std::size_t now = m_canvas->chosen();
    if (found != 0 && now < flame.nodes.size() && flame.nodes[now].kind >= FlameKind::Apply &&
        flame.nodes[now].apply == flame.nodes[found].apply)
        return;
    if (found == 0 && now < flame.nodes.size() && flame.nodes[now].kind <= FlameKind::Function) return;
    m_canvas->setChosen(found == 0 ? FlameCanvas::kNone : found);
    reveal(found);
    m_panel->selectKey(found == 0 ? -1 : static_cast<std::int64_t>(found));
}

void FlameView::reveal(std::size_t node)
{
    const QRectF place = m_canvas->rectOf(node);
    const int half = static_cast<int>(place.height());
    if (node != 0 && !place.isEmpty()) m_scroll->ensureVisible(0, static_cast<int>(place.center().y()), 0, half);
}

void FlameView::select(std::size_t index)
{
    if (!m_rows || index >= m_rows->flame.nodes.size()) return;
    const FlameNode &node = m_rows->flame.nodes[index];
    if (node.kind == FlameKind::All) return;
    if (node.kind >= FlameKind::Apply) return m_hub.selectApply(raw(node.apply.apply), raw(node.function));
    Selection next = m_hub.selection().inFunction(raw(node.function));
    if (node.kind == FlameKind::Line && node.source.line > 0) {
        next.node = {};
        next.source = {QString::fromStdString(node.source.file), node.source.line};
    }
    m_hub.select(next);
}

void FlameView::search(const QString &words) { m_search->setText(words); }
QString FlameView::found() const { return m_found->text(); }

void FlameView::findWords()
{
    if (!m_rows) return;
    const std::string words = m_search->text().trimmed().toStdString();
    profiler::FlameHits hits = profiler::findInFlame(m_rows->flame, words, m_rows->lineTexts);
    m_found->setText(words.empty() ? QString()
                     : hits.count == 0
                         ? tr("not found")
                         : QStringLiteral("%1, %2").arg(formats::counted(static_cast<std::int64_t>(hits.count), formats::Thing::Frame),
                                                        formats::percent(hits.share)));
    m_canvas->setHits(std::move(hits));
}

} // namespace views
