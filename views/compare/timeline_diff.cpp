#include "views/compare/timeline_diff.h"

#include "profiler/session/model/function_title.h"
#include "views/common/background.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/palette.h"
#include "views/common/picture_panel.h"
#include "views/common/text.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_rows.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace views {
namespace {

/// The disc of A, the square of B.
class SideMark : public QWidget {
public:
    explicit SideMark(bool ofA) : m_ofA(ofA) { setFixedSize(Theme::current().px(18), Theme::current().px(18)); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Theme &theme = Theme::current();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QColor fill = theme.color(m_ofA ? Color::SideA : Color::SideB);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        if (m_ofA) painter.drawEllipse(rect());
        else painter.drawRoundedRect(rect(), theme.px(3), theme.px(3));
        painter.setFont(theme.font(FontRole::CellStrong));
        painter.setPen(Theme::textOn(fill));
        painter.drawText(rect(), Qt::AlignCenter, m_ofA ? QStringLiteral("A") : QStringLiteral("B"));
    }

private:
    bool m_ofA;
};

const profiler::FunctionInfo *functionNamed(const SessionData &session, const std::string &name)
{
    const auto found = std::find_if(session.functions.begin(), session.functions.end(),
                                    [&](const profiler::FunctionInfo &one) { return profiler::shortTitle(one) == name; });
    return found == session.functions.end() ? nullptr : &*found;
}

TextTable tableOf(const std::vector<profiler::RangePair> &pairs, const TimelineRows &words)
{
    TextTable table;
    table.columns = {{TimelineDiff::tr("Lane"), TimelineDiff::tr("Where it is drawn"), false, false, 104},
                     {TimelineDiff::tr("A"), TimelineDiff::tr("Time within the range in A"), true, false, 88},
                     {TimelineDiff::tr("B"), TimelineDiff::tr("Time within the range in B"), true, false, 88},
                     {TimelineDiff::tr("B − A"), {}, true, false, 96},
                     {TimelineDiff::tr("Count A"), TimelineDiff::tr("How many were recorded in the range in A"), true, false, 76},
                     {TimelineDiff::tr("Count B"), TimelineDiff::tr("How many were recorded in the range in B"), true, false, 76},
                     {TimelineDiff::tr("Name"), TimelineDiff::tr("Function, pass or op"), false, true, 200}};
    std::int64_t key = 0;
    for (const profiler::RangePair &pair : pairs) {
        QString name = words.labelText(pair.label);
        if (const QString function = views::text(pair.function); !function.isEmpty() && function != name)
            name += QStringLiteral(" · ") + function;
        const auto time = [](std::int64_t ns, std::int64_t count) {
            return numberCell(count > 0 ? formats::timeNs(ns) : QString(), static_cast<double>(ns));
        };
        const auto number = [](std::int64_t count) {
            return numberCell(count > 0 ? formats::count(count) : QString(), static_cast<double>(count));
        };
        table.rows.push_back({{{TimelineRows::kindTitle(pair.kind), 0},
                               time(pair.nsA, pair.countA),
                               time(pair.nsB, pair.countB),
                               numberCell(formats::signedTimeNs(pair.deltaNs()), static_cast<double>(pair.deltaNs())),
                               number(pair.countA),
                               number(pair.countB),
                               {name, 0}},
                              key++});
    }
    return table;
}

} // namespace

TimelineDiff::TimelineDiff(QWidget *parent) : QWidget(parent)
{
    auto *sides = new QSplitter(Qt::Vertical);
    sides->setChildrenCollapsible(false);
    sides->addWidget(buildSide(true));
    sides->addWidget(buildSide(false));
    m_panel = new PicturePanel(tr("Timelines of A and B"), sides);
    m_alignment = new LabeledCombo(tr("Aligned by"));
    m_alignment->setCompact(true);
    m_alignment->setAccessibleName(tr("What of A and B stands at the same place"));
    m_alignment->addItem(tr("first call"), true);
    m_alignment->addItem(tr("start"), false);
    m_panel->addLeft(m_alignment);
    auto *clear = linkButton(tr("Clear the range"));
    clear->hide();
    m_clear = clear;
    m_panel->addRight(clear);
    auto *nearer = iconButton(QStringLiteral("plus"), tr("Zoom in (+, wheel)"));
    auto *farther = iconButton(QStringLiteral("minus"), tr("Zoom out (−, wheel)"));
    auto *all = iconButton(QStringLiteral("fit"), tr("Show everything (Space)"));
    for (QWidget *button : {nearer, farther, all}) m_panel->addRight(button);
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_panel);
    connect(m_alignment, &QComboBox::activated, this, &TimelineDiff::alignNow);
    connect(clear, &QToolButton::clicked, this, [this] { chooseRange({}, true); });
    connect(nearer, &QToolButton::clicked, this, [this] { m_a.canvas->zoomBy(1.5); });
    connect(farther, &QToolButton::clicked, this, [this] { m_a.canvas->zoomBy(1 / 1.5); });
    connect(all, &QToolButton::clicked, this, [this] { m_a.canvas->fit(); });
    connect(m_panel, &PicturePanel::keyChosen, this, &TimelineDiff::choosePair);
    for (const bool ofA : {true, false}) {
        TimelineCanvas *canvas = side(ofA).canvas;
        connect(canvas, &TimelineCanvas::viewChanged, this, [this, ofA] { follow(ofA); });
        connect(canvas, &TimelineCanvas::rangeChosen, this, [this, ofA](const TimeRange &range) { chooseRange(range, ofA); });
        connect(canvas, &TimelineCanvas::zoneChosen, this,
                [this, ofA](std::size_t track, std::size_t zone) { chooseZone(track, zone, ofA); });
    }
}

QWidget *TimelineDiff::buildSide(bool ofA)
{
    const Theme &theme = Theme::current();
    Half &one = side(ofA);
    auto *box = new QWidget;
    setSurface(box, "panel");
    auto *rows = new QVBoxLayout(box);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(theme.px(12), theme.px(4), theme.px(12), theme.px(4));
    head->setSpacing(theme.px(8));
    one.sum = new ElidedLabel(QString(), FontRole::Cell, "secondary");
    one.canvas = new TimelineCanvas;
    one.canvas->setAccessibleName(ofA ? tr("Timeline of A") : tr("Timeline of B"));
    head->addWidget(new SideMark(ofA));
    head->addWidget(one.sum, 1);
    rows->addLayout(head);
    rows->addWidget(one.canvas, 1);
    return box;
}

void TimelineDiff::setRows(const std::shared_ptr<const CompareRows> &rows, const std::string &function)
{
    if (rows == m_rows && function == m_function) return;
    m_rows = rows;
    m_function = function;
    m_busy = true;
    using Made = std::pair<std::shared_ptr<const TimelineRows>, std::shared_ptr<const TimelineRows>>;
    inBackground(
        this,
        [rows] {
            const auto made = [](const std::shared_ptr<const SessionData> &session) {
                return std::shared_ptr<const TimelineRows>(session, &session->derived<TimelineRows>());
            };
            return Made(made(rows->sessionA), made(rows->sessionB));
        },
        [this, asked = ++m_asked](Made made) {
            if (asked != m_asked) return;
            m_busy = false;
            show(std::move(made.first), std::move(made.second));
            Q_EMIT settled();
        });
}

void TimelineDiff::show(std::shared_ptr<const TimelineRows> a, std::shared_ptr<const TimelineRows> b)
{
    m_a.rows = std::move(a);
    m_b.rows = std::move(b);
    const bool something = !m_a.rows->timeline.tracks.empty() || !m_b.rows->timeline.tracks.empty();
    m_panel->setEmpty(QStringLiteral("timeline"), something ? QString() : tr("Neither session holds events."));
    m_range = {};
    m_clear->hide();
    for (const bool ofA : {true, false}) {
        side(ofA).canvas->setRows(side(ofA).rows, true);
        side(ofA).canvas->setRange({});
    }
    m_panel->setCaption(QStringLiteral("A: %1 · B: %2").arg(m_a.rows->caption(), m_b.rows->caption()));
    alignNow();
}

void TimelineDiff::align(bool atFirstCall)
{
    m_alignment->setCurrentIndex(m_alignment->findData(atFirstCall));
    alignNow();
}

void TimelineDiff::alignNow()
{
    if (!m_a.rows || !m_b.rows) return;
    const bool atFirstCall = m_alignment->currentData().toBool();
    std::int64_t before = 0, behind = 1;
    for (const bool ofA : {true, false}) {
        Half &one = side(ofA);
        const SessionData &session = ofA ? *m_rows->sessionA : *m_rows->sessionB;
        const profiler::FunctionInfo *function = functionNamed(session, m_function);
        one.originNs = atFirstCall && function && function->run.calls > 0 ? function->run.firstCallNs : one.rows->timeline.startNs;
        before = std::max(before, one.originNs - one.rows->timeline.startNs);
        behind = std::max(behind, one.rows->timeline.endNs - one.originNs);
    }
    // One scale for both: the longer one decides.
    for (const bool ofA : {true, false}) {
        const std::int64_t origin = side(ofA).originNs;
        side(ofA).canvas->axis().setOrigin(origin);
        side(ofA).canvas->axis().setExtent(origin - before, origin + behind);
    }
    chooseRange({}, true);
    m_a.canvas->fit();
}

void TimelineDiff::follow(bool ofA)
{
    if (m_following || !m_a.rows || !m_b.rows) return;
    m_following = true;
    const Half &led = side(ofA), &other = side(!ofA);
    const std::int64_t shift = other.originNs - led.originNs;
    other.canvas->axis().show(led.canvas->axis().from() + shift, led.canvas->axis().to() + shift);
    other.canvas->viewport()->update();
    m_following = false;
}

void TimelineDiff::chooseRange(const TimeRange &range, bool ofA)
{
    if (!m_a.rows || !m_b.rows) return;
    m_range = {};
    if (range.isValid()) {
        m_range.startNs = range.startNs - side(ofA).originNs;
        m_range.endNs = range.endNs - side(ofA).originNs;
    }
    m_clear->setVisible(range.isValid());
    for (const bool each : {true, false}) {
        TimeRange shifted;
        if (range.isValid()) {
            shifted.startNs = m_range.startNs + side(each).originNs;
            shifted.endNs = m_range.endNs + side(each).originNs;
        }
        side(each).canvas->setRange(shifted);
    }
    sumUp();
}

void TimelineDiff::sumUp()
{
    const bool all = !m_clear->isVisibleTo(this);
    const auto sumOf = [&](const Half &one) {
        return all ? one.rows->whole : profiler::sumRange(one.rows->timeline, m_range.startNs + one.originNs, m_range.endNs + one.originNs);
    };
    const profiler::RangeSum a = sumOf(m_a), b = sumOf(m_b);
    m_a.sum->setText(m_a.rows->sumText(a));
    m_b.sum->setText(m_b.rows->sumText(b));
    m_pairs =
        profiler::pairRanges({m_a.rows->timeline, a, m_rows->sessionA->functions}, {m_b.rows->timeline, b, m_rows->sessionB->functions});
    m_panel->setTable(tableOf(m_pairs, *m_a.rows));
}

QString TimelineDiff::sumText(bool ofA) const { return side(ofA).sum->text(); }

void TimelineDiff::chooseZone(std::size_t track, std::size_t zone, bool ofA)
{
    const profiler::Timeline &timeline = side(ofA).rows->timeline;
    const profiler::ZoneLabel &label = timeline.labels[timeline.tracks[track].zones.zones()[zone].label];
    for (std::size_t i = 0; i < m_pairs.size(); ++i)
        if (m_pairs[i].kind == timeline.tracks[track].kind && m_pairs[i].name == label.name && m_pairs[i].label.gap == label.gap)
            m_panel->selectKey(static_cast<std::int64_t>(i));
    const std::vector<profiler::ComparedRow> &applies = m_rows->comparison.applies;
    for (std::size_t i = 0; i < applies.size() && label.apply != profiler::kNoApply; ++i) {
        const profiler::ComparedRow &row = applies[i];
        if (!(ofA ? row.a : row.b).present || (ofA ? row.applyA : row.applyB) != profiler::ApplyKey{label.graph, label.apply}) continue;
        for (const bool each : {true, false}) {
            const profiler::ApplyKey &apply = each ? row.applyA : row.applyB;
            Selection chosen;
            if ((each ? row.a : row.b).present) chosen.node = {Side::Optimized, NodeKind::Apply, raw(apply.apply)};
            side(each).canvas->setSelection(chosen, apply.graph);
        }
        Q_EMIT rowChosen(static_cast<qint64>(i));
        return;
    }
}

void TimelineDiff::choosePair(qint64 row)
{
    if (row < 0 || row >= static_cast<qint64>(m_pairs.size())) return;
    const profiler::RangePair &pair = m_pairs[static_cast<std::size_t>(row)];
    const std::vector<profiler::ComparedRow> &applies = m_rows->comparison.applies;
    for (std::size_t i = 0; i < applies.size() && pair.label.apply != profiler::kNoApply; ++i)
        if (pair.countA > 0 ? applies[i].applyA == profiler::ApplyKey{pair.label.graph, pair.label.apply}
                            : applies[i].applyB == profiler::ApplyKey{pair.label.graph, pair.label.apply}) {
            Q_EMIT rowChosen(static_cast<qint64>(i));
            return;
        }
}

} // namespace views
