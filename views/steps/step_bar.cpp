#include "views/steps/step_bar.h"

#include "views/common/background.h"
#include "views/common/context_menu.h"
#include "views/common/controls.h"
#include "views/common/data_table.h"
#include "views/common/icons.h"
#include "views/common/measure_strip.h"
#include "views/common/measuring.h"
#include "views/common/text.h"
#include "views/session/tried.h"
#include "views/steps/along_strip.h"
#include "views/steps/step_track.h"

#include <QDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace views {

StepBar::StepBar(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    const Theme &theme = Theme::current();
    setSurface(this, "panel");
    m_first = iconButton(QStringLiteral("first"), tr("As written (Home)"));
    m_previous = iconButton(QStringLiteral("previous"), tr("Previous change (←)"));
    m_next = iconButton(QStringLiteral("next"), tr("Next change (→)"));
    m_last = iconButton(QStringLiteral("last"), tr("Optimized (End)"));
    m_play = iconButton(QStringLiteral("run"), tr("Play the changes one after the other (Ctrl+P)"));
    m_play->setCheckable(true);
    m_speed = new LabeledCombo;
    m_speed->setCompact(true);
    m_speed->setAccessibleName(tr("Changes a second"));
    m_speed->setToolTip(tr("How many changes a second are played"));
    for (int speed : {1, 2, 5, 10, 30}) m_speed->addItem(tr("%1/s").arg(speed), speed);
    m_speed->setCurrentIndex(1);
    m_beat.setSingleShot(true);
    m_number = new TextLabel({}, FontRole::BodyStrong);
    m_total = new TextLabel({}, FontRole::Body, "muted");
    m_detail = new TextLabel({}, FontRole::Caption, "muted");
    m_track = new StepTrack;

    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    m_measuring = new MeasureStrip(hub, {QStringLiteral("along")});
    outer->addWidget(m_measuring);
    m_along = new AlongStrip(*m_track, this);
    m_along->hide();
    outer->addWidget(m_along);
    auto *row = new QHBoxLayout;
    outer->addLayout(row, 1);
    row->setContentsMargins(theme.px(16), theme.px(4), theme.px(8), theme.px(4));
    row->setSpacing(theme.px(4));
    for (QToolButton *button : {m_first, m_previous, m_next, m_last}) {
        button->setFixedSize(theme.size(Size::Control), theme.size(Size::Control));
        row->addWidget(button);
    }
    m_play->setFixedSize(theme.size(Size::Control), theme.size(Size::Control));
    row->addWidget(m_play);
    row->addWidget(m_speed);
    row->addSpacing(theme.px(12));
    m_texts = new QWidget;
    auto *column = new QVBoxLayout(m_texts);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *first = new QHBoxLayout;
    first->setSpacing(theme.px(4));
    first->addWidget(m_number);
    first->addWidget(m_total);
    first->addStretch();
    column->addStretch();
    column->addLayout(first);
    column->addWidget(m_detail);
    column->addStretch();
    row->addWidget(m_texts);
    row->addWidget(m_track, 1);
    m_alongTable = iconButton(QStringLiteral("table"), tr("The lines as a table"));
    m_alongTable->setFixedSize(theme.size(Size::Control), theme.size(Size::Control));
    m_alongButton = iconButton(QStringLiteral("timeline"), {});
    m_alongButton->setFixedSize(theme.size(Size::Control), theme.size(Size::Control));
    row->addWidget(m_alongTable);
    row->addWidget(m_alongButton);
    connect(m_along, &AlongStrip::stepRequested, this, [this](int step) {
        play(false);
        goTo(step);
    });
    connect(m_alongTable, &QToolButton::clicked, this, &StepBar::showAlongTable);
    connect(m_alongButton, &QToolButton::clicked, this, [this] {
        if (!m_along->table()) {
            Measuring::of(m_hub).ask({QStringLiteral("along"), QStringLiteral("--function"), m_function});
            return;
        }
        m_showsAlong = !m_showsAlong;
        refreshAlong();
    });
    connect(&Measuring::of(hub), &Measuring::changed, this, &StepBar::refreshAlong);

    connect(m_first, &QToolButton::clicked, this, [this] { goTo(0); });
    connect(m_previous, &QToolButton::clicked, this, [this] { move(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { move(1); });
    connect(m_last, &QToolButton::clicked, this, [this] { goTo(m_track->stepCount()); });
    connect(m_track, &StepTrack::stepRequested, this, [this](int step) {
        play(false);
        goTo(step);
    });
    connect(m_play, &QToolButton::toggled, this, [this](bool on) {
        m_play->setIcon(themedIcon(on ? QStringLiteral("pause") : QStringLiteral("run")));
        m_beat.stop();
        if (!on) return;
        if (m_track->step() == m_track->stepCount()) goTo(0); // from the beginning
        m_beat.start(0);
    });
    connect(&m_beat, &QTimer::timeout, this, [this] {
        if (m_track->step() == m_track->stepCount()) {
            play(false);
            return;
        }
        m_sinceBeat.start();
        move(1);
    });
    connect(&hub, &SelectionHub::selectionChanged, this, [this](const Selection &, SelectionParts changed) {
        if (changed.testFlag(SelectionPart::Step) || changed.testFlag(SelectionPart::Function) || changed.testFlag(SelectionPart::Graph))
            follow();
    });
    connect(&hub, &SelectionHub::linkedChanged, this, [this](const Linked &linked) { m_track->setMarked(linked.steps); });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &StepBar::fitTexts);
    setSteps({});
    refreshAlong();
}

QSize StepBar::sizeHint() const
{
    const Theme &theme = Theme::current();
    const int bar = m_low ? theme.px(56) : theme.size(Size::StepBar);
    const auto of = [](const QWidget *strip) { return strip->isHidden() ? 0 : strip->sizeHint().height(); };
    return {640, bar + of(m_along) + of(m_measuring)};
}

void StepBar::setSteps(const std::vector<profiler::StepInfo> &steps)
{
    m_hasGraph = !steps.empty();
    std::vector<StepTick> ticks;
    ticks.reserve(steps.size());
    for (std::size_t i = 1; i < steps.size(); ++i) {
        const bool same = i > 1 && steps[i].phase == steps[i - 1].phase;
        const QString phase = same ? ticks.back().phase : Theme::phaseName(text(steps[i].phase));
        ticks.push_back({phase, steps[i].editCount > 0});
    }
    m_track->setTicks(std::move(ticks));
    fitTexts();
    follow();
}

// As wide as the longest number needs: the track stands still while one steps.
void StepBar::fitTexts()
{
    const Theme &theme = Theme::current();
    const QString count = QString::number(m_track->stepCount());
    const double needed = QFontMetricsF(theme.font(FontRole::BodyStrong)).horizontalAdvance(tr("Step %1").arg(count)) + theme.px(4) +
                          QFontMetricsF(theme.font(FontRole::Body)).horizontalAdvance(tr("of %1").arg(count)) + theme.px(8);
    m_texts->setFixedWidth(std::max(theme.px(124), static_cast<int>(std::ceil(needed))));
}

void StepBar::feed(const ViewFeed &feed)
{
    if (!feed.hasNewFunction() && !feed.hasNew(FeedPart::Run)) return;
    const quint64 asked = ++m_asked;
    if (!feed.session || feed.session->isPrepared) return followAlong(feed);
    // What was tried is not read yet, and the first picture does not wait for it.
    inBackground(
        this, [session = feed.session] { return &session->derived<Tried>(); },
        [this, feed, asked](const Tried *) {
            if (asked == m_asked) followAlong(feed);
        });
}

void StepBar::followAlong(const ViewFeed &feed)
{
    std::shared_ptr<const profiler::AlongTable> table;
    m_whyNot = tr("There is no function whose steps could be run");
    m_function.clear();
    if (feed.session && feed.function && feed.selection.graph < 0) {
        m_function = QString::number(raw(feed.function->id));
        if (const auto *found = feed.session->derived<Tried>().alongOf(feed.function->id)) table = {feed.session, found};
        const bool can = feed.session->derived<Tried>().canRunAgain(feed.function->id, &m_whyNot);
        if (can || (feed.session->derived<Tried>().captured.empty() && feed.canRun)) m_whyNot.clear();
        else m_whyNot = tr("%1: record with croton profile --capture, and the graph can be run after its steps").arg(m_whyNot);
    }
    if (table.get() != m_along->table()) m_along->setTable(std::move(table));
    refreshAlong();
}

void StepBar::refreshAlong()
{
    const bool has = m_along->table() != nullptr;
    m_along->setVisible(has && m_showsAlong);
    m_alongTable->setVisible(has && m_showsAlong);
    m_alongButton->setEnabled(has || (m_whyNot.isEmpty() && !m_measuring->isRunning()));
    m_alongButton->setCheckable(has);
    m_alongButton->setChecked(has && m_showsAlong);
    const QString tip = has                  ? tr("Time, memory and error along the steps")
                        : m_whyNot.isEmpty() ? tr("Measure time, memory and error along the steps (croton along)")
                                             : m_whyNot;
    m_alongButton->setToolTip(tip);
    m_alongButton->setAccessibleName(tip);
    updateGeometry();
}

void StepBar::showAlongTable()
{
    auto *dialog = new QDialog(window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Time, memory and error along the steps"));
    auto *table = new TextTableView(dialog->windowTitle(), dialog);
    table->setTable(m_along->textTable());
    auto *copy = new QPushButton(tr("Copy as text"));
    auto *layout = new QVBoxLayout(dialog);
    layout->addWidget(table, 1);
    layout->addWidget(copy, 0, Qt::AlignRight);
    connect(copy, &QPushButton::clicked, dialog, [table] { copyText(table->wholeAsText()); });
    connect(table, &QTableView::activated, dialog,
            [this](const QModelIndex &index) { goTo(index.data(TextTableModel::kKeyRole).toInt()); });
    dialog->resize(Theme::current().px(860), Theme::current().px(420));
    dialog->show();
}

void StepBar::setLow(bool low)
{
    m_low = low;
    m_along->setLow(low);
    m_track->setNamesShown(!low);
    updateGeometry();
}

void StepBar::move(int changes) { goTo(m_track->step() + changes); }

// In a small window the track needs the room: its ends are a key away.
void StepBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool roomy = width() >= Theme::current().px(620);
    for (QWidget *part : optionalParts()) part->setVisible(part == m_texts ? width() >= minimumSizeHint().width() + widthOf(*part) : roomy);
}

std::vector<QWidget *> StepBar::optionalParts() const { return {m_first, m_last, m_speed, m_texts}; }

int StepBar::widthOf(const QWidget &part) const
{
    return std::max(part.minimumWidth(), part.minimumSizeHint().width()) + Theme::current().px(4);
}

QSize StepBar::minimumSizeHint() const
{
    QSize least = QWidget::minimumSizeHint();
    for (const QWidget *part : optionalParts())
        if (!part->isHidden()) least.rwidth() -= widthOf(*part);
    return least;
}

void StepBar::play(bool on) { m_play->setChecked(on); }

bool StepBar::isPlaying() const { return m_play->isChecked(); }

void StepBar::stepShown()
{
    if (!isPlaying() || m_beat.isActive()) return;
    if (m_track->step() == m_track->stepCount()) {
        play(false);
        return;
    }
    const qint64 interval = 1000 / m_speed->currentData().toInt();
    m_beat.start(static_cast<int>(std::max<qint64>(0, interval - m_sinceBeat.elapsed())));
}

void StepBar::takeKey(int key)
{
    const std::optional<int> step = m_track->stepAfter(key);
    if (!step) return;
    play(false);
    goTo(*step);
}

void StepBar::movePhase(bool forward) { goTo(m_track->neighbouringPhase(forward)); }

void StepBar::goTo(int step)
{
    const int count = m_track->stepCount();
    step = std::clamp(step, 0, count);
    m_hub.selectStep(step == count ? Selection::kLastStep : step);
}

void StepBar::follow()
{
    const int step = m_hub.selection().step;
    m_track->setStep(step < 0 ? m_track->stepCount() : step);
    m_along->setStep(m_track->step());
    refresh();
}

void StepBar::refresh()
{
    const int step = m_track->step(), count = m_track->stepCount();
    m_number->setText(m_hasGraph ? tr("Step %1").arg(step) : QString());
    m_total->setText(m_hasGraph ? tr("of %1").arg(count) : QString());
    QString detail;
    if (count == 0) detail = m_hasGraph ? tr("no rewrite changed it") : QString();
    else if (step == 0) detail = tr("as written");
    else if (step == count) detail = tr("optimized");
    else {
        const StepSegment &segment = m_track->geometryOfSteps().segments[m_track->geometryOfSteps().segmentOf(step)];
        detail = tr("%1 %2 of %3").arg(phaseTitle(segment.phase)).arg(step - segment.firstStep + 1).arg(segment.count);
    }
    m_detail->setText(detail);
    m_first->setEnabled(step > 0);
    m_previous->setEnabled(step > 0);
    m_next->setEnabled(step < count);
    m_last->setEnabled(step < count);
    m_play->setEnabled(count > 0);
}

} // namespace views
