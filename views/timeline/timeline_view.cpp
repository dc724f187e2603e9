#include "views/timeline/timeline_view.h"

#include "views/common/controls.h"
#include "views/common/picture_panel.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_rows.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace views {

namespace {

constexpr int kSumSoonMs = 80;

}

TimelineView::TimelineView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    const Theme &theme = Theme::current();
    m_canvas = new TimelineCanvas;
    m_panel = new PicturePanel(tr("Timeline"), m_canvas);
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    outer->addWidget(m_panel, 1);
    m_sumBar = new QWidget;
    setSurface(m_sumBar, "panel");
    auto *bar = new QHBoxLayout(m_sumBar);
    bar->setContentsMargins(theme.px(12), theme.px(2), theme.px(12), theme.px(2));
    m_sum = new ElidedLabel(QString(), FontRole::Cell, "secondary");
    auto *clear = linkButton(tr("Clear the range"));
    m_clear = clear;
    bar->addWidget(m_sum, 1);
    bar->addWidget(clear);
    outer->addWidget(new Hairline);
    outer->addWidget(m_sumBar);
    auto *nearer = iconButton(QStringLiteral("plus"), tr("Zoom in (+, wheel)"));
    auto *farther = iconButton(QStringLiteral("minus"), tr("Zoom out (−, wheel)"));
    auto *all = iconButton(QStringLiteral("fit"), tr("Show everything (Space)"));
    for (QWidget *button : {nearer, farther, all}) m_panel->addRight(button);
    connect(nearer, &QToolButton::clicked, m_canvas, [this] { m_canvas->zoomBy(1.5); });
    connect(farther, &QToolButton::clicked, m_canvas, [this] { m_canvas->zoomBy(1 / 1.5); });
    connect(all, &QToolButton::clicked, m_canvas, &TimelineCanvas::fit);
    connect(m_panel, &PicturePanel::actionTriggered, this, [this] { m_hub.request(Command::Run); });
    connect(m_panel, &PicturePanel::keyChosen, this, &TimelineView::labelChosen);
    connect(m_canvas, &TimelineCanvas::zoneChosen, this, &TimelineView::zoneChosen);
    connect(m_canvas, &TimelineCanvas::rangeChosen, this, [this](const TimeRange &range) { m_hub.selectRange(range); });
    connect(clear, &QToolButton::clicked, this, [this] { m_hub.selectRange({}); });
    m_sumSoon.setSingleShot(true);
    m_sumSoon.setInterval(kSumSoonMs);
    connect(&m_sumSoon, &QTimer::timeout, this, &TimelineView::sumUp);
    connect(m_canvas, &TimelineCanvas::viewChanged, this, [this] {
        if (m_rows && !m_canvas->range().isValid()) m_sumSoon.start();
    });
    m_panel->setEmpty(QStringLiteral("timeline"), tr("No session is open."));
}

QString TimelineView::sumText() const { return m_sum->text(); }

void TimelineView::feed(const ViewFeed &feed)
{
    if (feed.hasNew(FeedPart::Opened | FeedPart::Session)) {
        m_session = feed.session;
        m_rows = m_session ? &m_session->derived<TimelineRows>() : nullptr;
        const bool again = !feed.hasNew(FeedPart::Opened);
        m_canvas->setRows(m_rows ? std::shared_ptr<const TimelineRows>(m_session, m_rows) : nullptr, again);
        if (m_rows) m_panel->setCaption(m_rows->caption());
    }
    if (feed.hasNew(FeedPart::Opened | FeedPart::Session | FeedPart::Run)) {
        const bool something = m_rows && !m_rows->timeline.tracks.empty();
        m_panel->setEmpty(QStringLiteral("timeline"),
                          something      ? QString()
                          : feed.session ? tr("Nothing was called or compiled yet, so there are no events.")
                                         : tr("No session is open."),
                          feed.canRun ? tr("Run") : QString());
        m_sumBar->setVisible(something);
    }
    const profiler::GraphId graph = feed.graph ? feed.graph->info.id : profiler::kNoGraph;
    m_canvas->setSelection(feed.selection, graph);
    if (feed.hasNew(FeedPart::Opened | FeedPart::Session) || feed.selected & SelectionPart::Range) {
        m_canvas->setRange(feed.selection.range);
        m_clear->setVisible(feed.selection.range.isValid());
        sumUp();
    }
}

void TimelineView::sumUp()
{
    m_sumSoon.stop();
    if (!m_rows) return;
    const TimeRange range = m_canvas->range();
    const TimelineAxis &axis = m_canvas->axis();
    const bool isPart = !range.isValid() && !axis.seesAll();
    const auto sumOf = [this](std::int64_t from, std::int64_t to) { return profiler::sumRange(m_rows->timeline, from, to); };
    const profiler::RangeSum sum = range.isValid() ? sumOf(range.startNs, range.endNs)
                                   : isPart        ? sumOf(axis.from(), axis.to())
                                                   : m_rows->whole;
    const QString text = m_rows->sumText(sum);
    m_sum->setText(isPart ? tr("In view, %1").arg(text) : text);
    m_panel->setTable(m_rows->table(sum));
}

void TimelineView::zoneChosen(std::size_t track, std::size_t zone)
{
    const profiler::Zone &chosen = m_rows->timeline.tracks[track].zones.zones()[zone];
    m_panel->selectKey(chosen.label);
    select(m_rows->timeline.labels[chosen.label], chosen.call);
}

void TimelineView::labelChosen(std::int64_t label)
{
    if (!m_rows || label < 0 || static_cast<std::size_t>(label) >= m_rows->timeline.labels.size()) return;
    select(m_rows->timeline.labels[static_cast<std::size_t>(label)], -1);
}

void TimelineView::select(const profiler::ZoneLabel &label, std::int64_t call)
{
    if (label.function == profiler::kNoFunction) return;
    Selection next = m_hub.selection().inFunction(raw(label.function));
    if (label.apply != profiler::kNoApply) next = next.atOptimized(NodeKind::Apply, raw(label.apply));
    next.call = call;
    m_hub.select(next);
}

} // namespace views
