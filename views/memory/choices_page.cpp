#include "views/memory/choices_page.h"

#include "views/common/background.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/measure_strip.h"
#include "views/common/measuring.h"
#include "views/common/panels.h"
#include "views/memory/choices_canvas.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace views {

ChoicesPage::ChoicesPage(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    const Theme &theme = Theme::current();
    m_strip = new MeasureStrip(hub, {QStringLiteral("memory")});
    m_progress = new ProgressLine;
    m_canvas = new ChoicesCanvas;
    m_sentence = new ElidedLabel({}, FontRole::Cell, "secondary");
    m_verify = new QPushButton(tr("Verify by a run"));
    m_verify->setProperty("compact", true);
    m_copy = new QPushButton(tr("Copy the flag"));
    m_copy->setProperty("compact", true);
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    outer->addWidget(m_strip);
    outer->addWidget(m_progress);
    outer->addWidget(m_canvas, 1);
    m_empty = new EmptyState;
    outer->addWidget(m_empty, 1);
    outer->addWidget(new Hairline);
    auto *bar = new QWidget;
    setSurface(bar, "panel");
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(theme.px(12), theme.px(4), theme.px(8), theme.px(4));
    row->setSpacing(theme.px(8));
    row->addWidget(m_sentence, 1);
    row->addWidget(m_copy);
    row->addWidget(m_verify);
    outer->addWidget(bar);
    setFocusProxy(m_canvas);
    connect(m_canvas, &ChoicesCanvas::budgetMoved, this, &ChoicesPage::planFor);
    connect(m_canvas, &ChoicesCanvas::repeatChosen, this, [this](qint64 apply) { m_hub.selectApply(apply); });
    connect(m_copy, &QPushButton::clicked, this, [this] {
        if (m_plan) QApplication::clipboard()->setText(QString::fromStdString(m_plan->flags));
    });
    connect(m_verify, &QPushButton::clicked, this, [this] {
        QStringList words{"memory", "--verify", "--function", QString::number(raw(m_function))};
        if (m_plan) words << "--budget" << QString::number(m_planBudget);
        Measuring::of(m_hub).ask(words);
    });
    connect(&Measuring::of(hub), &Measuring::changed, this, &ChoicesPage::refresh);
    refresh();
}

void ChoicesPage::setFunction(std::shared_ptr<const SessionData> session, const profiler::FunctionInfo *function)
{
    const profiler::FunctionId id = function ? function->id : profiler::kNoFunction;
    if (session == m_session && id == m_function) return;
    if (id != m_function || !session || !m_session || session->info.path != m_session->info.path) {
        m_plan.reset();
        m_planBudget = -1;
        m_rows.reset();
        m_canvas->setRows(nullptr);
    }
    m_session = std::move(session);
    m_function = id;
    ++m_asked;
    m_reads = m_session && function;
    m_plans = false;
    refresh();
    if (!m_reads) return;
    m_progress->start(tr("Working out what the memory could be"));
    inBackground(
        this, [session = m_session, id] { return std::make_shared<const ChoicesRows>(session, id); },
        [this, asked = m_asked](std::shared_ptr<const ChoicesRows> rows) {
            if (asked != m_asked) return;
            m_reads = false;
            m_progress->stop();
            m_rows = std::move(rows);
            const bool none = m_rows->choices.all.empty();
            m_canvas->setRows(none ? nullptr : m_rows);
            if (m_plan) m_canvas->setPlan(m_plan, m_planBudget);
            if (m_next && !none) m_canvas->setBudget(*std::exchange(m_next, std::nullopt));
            refresh();
            Q_EMIT changed();
        });
}

void ChoicesPage::setCanRun(bool can)
{
    m_canRun = can;
    refresh();
}

void ChoicesPage::wantBudget(qint64 bytes)
{
    if (m_rows) m_canvas->setBudget(bytes);
    else m_next = bytes;
}

void ChoicesPage::planFor(qint64 budget)
{
    if (!m_rows || m_plans) {
        m_next = budget;
        return refresh();
    }
    m_plans = true;
    refresh();
    inBackground(
        this, [rows = m_rows, budget] { return rows->within(budget); },
        [this, budget, asked = m_asked](profiler::MemoryAlternative plan) {
            if (asked != m_asked) return;
            m_plans = false;
            const bool isAsItIs = !plan.isReordered && plan.repeats.empty() && plan.bytes <= budget;
            m_plan = isAsItIs ? std::nullopt : std::optional(std::move(plan));
            m_planBudget = budget;
            m_canvas->setPlan(m_plan, budget);
            refresh();
            Q_EMIT changed();
            if (m_next) planFor(*std::exchange(m_next, std::nullopt));
        });
}

QString ChoicesPage::sentence() const { return m_sentence->text(); }

QString ChoicesPage::whyNone() const
{
    if (m_function == profiler::kNoFunction) return tr("No call was planned, so nothing is known of what its memory could be.");
    if (!m_rows || !m_rows->choices.all.empty()) return {};
    return tr("What the memory could be is not known: %1.").arg(QString::fromStdString(m_rows->choices.whyNone));
}

TextTable ChoicesPage::table() const
{
    return m_rows && !m_rows->choices.all.empty() ? m_rows->table(m_plan ? &*m_plan : nullptr) : TextTable{};
}

void ChoicesPage::refresh()
{
    Q_EMIT busyChanged(isBusy());
    const bool has = m_rows && !m_rows->choices.all.empty();
    QString said;
    if (m_reads && !has) said = tr("Working out what the memory could be");
    else if (has && m_plans && !m_plan) said = tr("Looking for a plan within %1").arg(formats::bytes(m_canvas->budget()));
    else if (has && m_plan) said = m_rows->sentence(*m_plan, m_planBudget);
    else if (has) said = tr("Drag the line to the memory that there is: which values would be computed again, and what that costs.");
    m_sentence->setText(said);
    const QString none = whyNone();
    m_empty->setVisible(!none.isEmpty());
    m_canvas->setVisible(none.isEmpty());
    if (!none.isEmpty()) m_empty->show(QStringLiteral("memory"), none);
    const bool fits = has && m_plan && m_plan->bytes <= m_planBudget;
    m_copy->setEnabled(fits);
    m_copy->setToolTip(fits ? QString::fromStdString(m_plan->flags) : tr("Drag the budget line to where another plan is needed"));
    m_verify->setText(m_plan ? tr("Verify this by a run") : tr("Verify the lines by runs"));
    const bool measures = Measuring::of(m_hub).now().isRunning;
    m_verify->setEnabled(has && m_canRun && !measures && (!m_plan || fits));
    m_verify->setToolTip(measures          ? tr("Something is being measured")
                         : !m_canRun       ? tr("There is no script to run, or it runs already")
                         : m_plan && !fits ? tr("No plan that was found takes so little")
                         : m_plan          ? tr("Runs the script with %1").arg(QString::fromStdString(m_plan->flags))
                                           : tr("Runs the script once for each line that a flag makes so"));
}

} // namespace views
