#include "app/studio/window/status_line.h"

#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/common/text.h"
#include "views/session/function_name.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>

namespace app {

using namespace views;

namespace {

QString stateSentence(const SessionData &session)
{
    if (!session.isRecorded()) return tr("Not run yet");
    switch (session.info.state) {
    case profiler::SessionState::Running: return tr("Running");
    case profiler::SessionState::CutOff: return tr("Cut off");
    case profiler::SessionState::Finished: break;
    }
    const profiler::ProfileSummary &all = session.costs->of(profiler::kNoFunction)->summary;
    return all.calls == 0
               ? tr("Session complete")
               : tr("Run finished: %1 in %2").arg(formats::counted(all.calls, formats::Thing::Call), formats::timeNs(all.callNs));
}

QString machineText(const SessionData &session)
{
    for (const char *name : {"cpu", "cpu.model", "cpu model", "processor"})
        if (const std::string value = session.machineValue(name); !value.empty()) return text(value);
    return {};
}

QString freshSentence(const StatusFacts &facts, const QString &state)
{
    switch (facts.fresh) {
    case FreshRun::None: return state;
    case FreshRun::Going: return tr("As it was recorded; it is running here in the background");
    case FreshRun::Shown: return tr("Run on this machine just now. %1").arg(state);
    case FreshRun::Offered: return tr("As it was recorded; it has run here meanwhile");
    case FreshRun::Failed: return tr("As it was recorded; not run here: %1").arg(facts.freshProblem);
    }
    return state;
}

} // namespace

StatusTexts statusTexts(const ViewFeed &feed, const StatusFacts &facts)
{
    StatusTexts texts;
    texts.sentence = tr("Ready");
    const bool shown = feed.session && !facts.welcome;
    if (facts.reading && !feed.session) {
        texts.icon = QStringLiteral("info");
        texts.ink = Color::Info;
        texts.sentence = tr("Reading %1").arg(facts.readingName);
    } else if (shown && facts.running) {
        texts.icon = QStringLiteral("run");
        texts.ink = Color::Accent;
        texts.sentence = tr("Running for %1").arg(formats::elapsed(facts.elapsedSeconds));
    } else if (!facts.building.isEmpty()) {
        texts.icon = QStringLiteral("info");
        texts.ink = Color::Info;
        texts.sentence = facts.building;
    } else if (shown) {
        const bool cutOff = feed.session->info.state == profiler::SessionState::CutOff;
        const bool failed = facts.outcome.kind == RunOutcome::Kind::Failed;
        const bool warns = cutOff || facts.outcome.kind == RunOutcome::Kind::Warning;
        texts.icon = failed ? QStringLiteral("error") : warns ? QStringLiteral("warning") : QStringLiteral("check");
        texts.ink = failed ? Color::Error : warns ? Color::Warn : Color::Ok;
        if (!feed.session->isRecorded()) texts.icon = failed ? texts.icon : QString();
        texts.sentence = facts.outcome.brief.isEmpty() ? freshSentence(facts, stateSentence(*feed.session)) : facts.outcome.brief;
    }
    if (!shown) {
        texts.note = tr("Croton %1").arg(QCoreApplication::applicationVersion());
        return texts;
    }
    texts.machine = machineText(*feed.session);
    if (const std::string &simulated = feed.session->info.simulated; !simulated.empty()) // wherever one looks
        texts.machine = tr("%1; %2 is a simulation").arg(texts.machine, text(simulated));
    texts.note = facts.note;
    if (const profiler::FunctionInfo *function = feed.function) {
        const profiler::FunctionCosts *costs = feed.costs();
        if (costs && costs->summary.calls > 0)
            texts.outside = tr("Outside thunks %1").arg(formats::percent(costs->summary.overheadPercent / 100));
        const int step = feed.selection.step;
        texts.nodes = feed.graph && step >= 0 && step < feed.graph->info.stepCount
                          ? tr("Step %1 of %2").arg(step).arg(feed.graph->info.stepCount)
                          : tr("Applies %1 → %2").arg(function->appliesOriginal).arg(function->appliesOptimized);
    }
    return texts;
}

QString sharesText(const ViewFeed &feed)
{
    const profiler::FunctionCosts *costs = feed.costs();
    if (!costs || costs->classes.totalNs <= 0) return {};
    const profiler::LargestShares shares = profiler::largestShares(costs->classes);
    QStringList parts;
    for (const auto &[name, percent] : shares.rows)
        parts << QStringLiteral("%1 <b>%2</b>").arg(text(name).section('.', -1).toHtmlEscaped(), formats::percent(percent / 100));
    if (shares.others) parts << QStringLiteral("%1 %2").arg(tr("other"), formats::percent(shares.otherPercent / 100));
    return parts.join(QStringLiteral("&nbsp;&nbsp; "));
}

QString titleText(const ViewFeed &feed, const QString &file)
{
    const QString program = tr("Croton Studio");
    if (!feed.session) return program;
    return feed.function ? QStringLiteral("%1 · %2 — %3").arg(file, functionName(*feed.function), program)
                         : QStringLiteral("%1 — %2").arg(file, program);
}

StatusLine::StatusLine(QWidget *parent) : QStatusBar(parent)
{
    const Theme &theme = Theme::current();
    setSizeGripEnabled(false);
    const auto label = [] { return new TextLabel(QString(), FontRole::Cell, "secondary"); };
    m_icon = new QLabel;
    m_sentence = new ElidedLabel(QString(), FontRole::Cell, "secondary");
    m_machineIcon = new QLabel;
    m_machine = label();
    m_outside = label();
    m_nodes = label();
    m_note = label();
    auto *left = new QWidget;
    auto *layout = new QHBoxLayout(left);
    layout->setContentsMargins(theme.px(10), 0, 0, 0);
    layout->setSpacing(theme.px(6));
    layout->addWidget(m_icon);
    m_sentence->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    layout->addWidget(m_sentence);
    layout->addSpacing(theme.px(12));
    layout->addWidget(m_machineIcon);
    layout->addWidget(m_machine);
    layout->addStretch(1);
    addWidget(left, 1);
    auto *right = new QWidget;
    auto *rightLayout = new QHBoxLayout(right);
    rightLayout->setContentsMargins(0, 0, theme.px(10), 0);
    rightLayout->setSpacing(theme.px(14));
    for (TextLabel *each : {m_outside, m_nodes, m_note}) rightLayout->addWidget(each);
    addPermanentWidget(right);
    setFixedHeight(theme.size(Size::StatusBar));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        setFixedHeight(Theme::current().size(Size::StatusBar));
        fit();
    });
}

void StatusLine::setTexts(const StatusTexts &texts)
{
    const Theme &theme = Theme::current();
    m_icon->setPixmap(texts.icon.isEmpty() ? QPixmap() : iconPixmap(texts.icon, theme.px(14), theme.color(texts.ink), devicePixelRatioF()));
    m_icon->setVisible(!texts.icon.isEmpty());
    m_sentence->setText(texts.sentence);
    m_machineIcon->setPixmap(iconPixmap(QStringLiteral("cpu"), theme.px(14), theme.color(Color::TextSecondary), devicePixelRatioF()));
    m_machine->setText(texts.machine);
    m_outside->setText(texts.outside);
    m_nodes->setText(texts.nodes);
    m_note->setText(texts.note);
    fit();
}

void StatusLine::showProgress(const QString &text)
{
    m_sentence->setText(text);
    fit();
}

// What finds no room is left out, the least asked for first; the sentence is elided last.
void StatusLine::fit()
{
    const Theme &theme = Theme::current();
    int needed = m_sentence->sizeHint().width() + theme.px(80);
    const auto widthOf = [&theme](const QWidget *widget) { return widget->sizeHint().width() + theme.px(14); };
    for (const TextLabel *each : {m_machine, m_outside, m_nodes, m_note})
        if (!each->text().isEmpty()) needed += widthOf(each);
    for (TextLabel *each : {m_machine, m_outside, m_nodes, m_note}) {
        const bool fits = needed <= width();
        each->setVisible(fits && !each->text().isEmpty());
        if (!fits && !each->text().isEmpty()) needed -= widthOf(each);
    }
    m_machineIcon->setVisible(m_machine->isVisibleTo(this));
    m_sentence->updateGeometry();
}

void StatusLine::resizeEvent(QResizeEvent *event)
{
    QStatusBar::resizeEvent(event);
    fit();
}

} // namespace app
