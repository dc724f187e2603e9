#include "views/roofline/roofline_view.h"

#include "views/common/picture_panel.h"
#include "views/roofline/roofline_canvas.h"
#include "views/session/function_name.h"

#include <QVBoxLayout>

namespace views {

RooflineView::RooflineView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    m_canvas = new RooflineCanvas;
    m_panel = new PicturePanel(tr("Roofline"), m_canvas);
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_panel);
    connect(m_canvas, &RooflineCanvas::chosenByPerson, this, [this](int point) {
        m_panel->selectKey(point);
        select(point);
    });
    connect(m_panel, &PicturePanel::keyChosen, this, [this](qint64 row) {
        m_canvas->setChosen(static_cast<int>(row));
        select(row);
    });
    connect(m_panel, &PicturePanel::actionTriggered, this, [this] { m_hub.request(Command::Run); });
    m_panel->setEmpty(QStringLiteral("roofline"), tr("No session is open."));
}

void RooflineView::feed(const ViewFeed &feed)
{
    if (feed.hasNewFunction() || feed.hasNew(FeedPart::Run)) {
        m_session = feed.session;
        const RooflineRows *rows = m_session ? &m_session->derived<RooflineRows>() : nullptr;
        const auto found = rows && feed.function ? rows->functions.find(feed.function->id) : decltype(rows->functions.begin()){};
        m_roofline = rows && feed.function && found != rows->functions.end() ? &found->second : nullptr;
        m_canvas->setRoofline(rows ? std::shared_ptr<const RooflineRows>(m_session, rows) : nullptr, m_roofline);
        m_panel->setTable(m_roofline ? RooflineRows::table(*m_roofline) : TextTable{});
        m_panel->setCaption(m_roofline ? RooflineRows::caption(*m_roofline) : QString());
        const QString name = feed.function ? functionName(*feed.function) : QString();
        const bool hasNone = m_roofline && m_roofline->points.empty() && m_roofline->unplaced.empty();
        m_panel->setEmpty(QStringLiteral("roofline"),
                          hasNone ? tr("%1 has no applies.").arg(name)
                          : m_roofline && m_roofline->roofs.empty()
                              ? tr("This session holds no measured roofs of what %1 ran on.").arg(name)
                          : m_roofline    ? QString()
                          : !m_session    ? tr("No session is open.")
                          : feed.function ? tr("%1 was not called, so there are no times.").arg(name)
                                          : tr("No function was called yet."),
                          !m_roofline && feed.canRun ? tr("Run") : QString());
    }
    if (!m_roofline) return;
    const NodeRef node = feed.selection.node;
    int found = -1;
    if (node.isValid() && node.kind == NodeKind::Apply && node.side == Side::Optimized)
        for (std::size_t i = 0; i < m_roofline->points.size() && found < 0; ++i)
            if (raw(m_roofline->points[i].apply.apply) == node.id) found = static_cast<int>(i);
    if (found == m_canvas->chosen()) return;
    m_canvas->setChosen(found);
    if (found >= 0) m_panel->selectKey(found);
}

void RooflineView::select(std::int64_t row)
{
    if (!m_roofline || row < 0) return;
    const auto index = static_cast<std::size_t>(row), placed = m_roofline->points.size();
    if (index >= placed + m_roofline->unplaced.size()) return;
    const profiler::RooflinePoint &point = index < placed ? m_roofline->points[index] : m_roofline->unplaced[index - placed].what;
    m_hub.selectApply(raw(point.apply.apply));
}

} // namespace views
