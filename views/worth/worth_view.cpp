#include "views/worth/worth_view.h"

#include "views/common/background.h"
#include "views/common/choice_tabs.h"
#include "views/common/controls.h"
#include "views/common/measure_strip.h"
#include "views/common/measuring.h"
#include "views/common/picture_panel.h"
#include "views/common/text.h"
#include "views/common/view_words.h"
#include "views/session/function_name.h"
#include "views/session/tried.h"
#include "views/worth/worth_canvas.h"
#include "views/worth/worth_graphs.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <utility>

namespace views {
namespace {

constexpr int kSettleMs = 50;
constexpr int kBarsShare = 46; // percent of the width
constexpr int kNarrow = 620;   // px at 100 %: below, the graphs stand under the bars

} // namespace

WorthView::WorthView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    m_canvas = new WorthCanvas;
    m_panel = new PicturePanel(tr("What each rewrite changes"), m_canvas);
    m_graphs = new WorthGraphs(hub);
    m_strip = new MeasureStrip(hub, {QStringLiteral("ablate"), QStringLiteral("replay")});
    m_by = new ChoiceTabs(tr("What is left out"));
    m_by->addChoice(QStringLiteral("rewrite"), tr("Rewrite"));
    m_by->addChoice(QStringLiteral("pass"), tr("Pass"));
    m_by->addChoice(QStringLiteral("tag"), tr("Tag"));
    m_by->setCurrent(QStringLiteral("rewrite"));
    m_measure = new LabeledCombo;
    m_measure->setCompact(true);
    m_measure->setAccessibleName(tr("What is measured"));
    for (const profiler::WorthMeasure measure : kWorthMeasures) m_measure->addItem(WorthRows::title(measure), static_cast<int>(measure));
    m_pairs = new QPushButton(tr("Pairs"));
    m_pairs->setProperty("compact", true);
    m_pairs->setToolTip(tr("Measures again, and leaves out the five that matter most two at a time, too"));
    const Theme &theme = Theme::current();
    m_bar = new QWidget;       // stays where there is nothing to see: another kind may have been measured
    m_bar->setMinimumWidth(1); // the choices follow the width, not the other way round
    setSurface(m_bar, "panel");
    auto *row = new QHBoxLayout(m_bar);
    row->setContentsMargins(theme.px(12), theme.px(4), theme.px(8), theme.px(4));
    row->setSpacing(theme.px(8));
    row->addWidget(m_by);
    row->addWidget(m_measure);
    row->addStretch();
    row->addWidget(m_pairs);
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    outer->addWidget(m_strip);
    outer->addWidget(m_bar);
    outer->addWidget(new Hairline);
    m_parts = new QSplitter(Qt::Horizontal);
    m_parts->setChildrenCollapsible(false);
    m_parts->addWidget(m_panel);
    m_parts->addWidget(m_graphs);
    m_parts->setStretchFactor(0, 45);
    m_parts->setStretchFactor(1, 55);
    outer->addWidget(m_parts, 1);
    setFocusProxy(m_canvas);
    connect(m_by, &ChoiceTabs::currentChanged, this, [this] {
        m_chosenName.clear();
        refresh();
    });
    connect(m_measure, &QComboBox::currentIndexChanged, this, &WorthView::refresh);
    connect(m_measure, &QComboBox::currentIndexChanged, this, &WorthView::fitBar);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &WorthView::fitBar);
    connect(m_pairs, &QPushButton::clicked, this, [this] { ask(true); });
    connect(m_panel, &PicturePanel::actionTriggered, this, [this] { ask(false); });
    connect(m_canvas, &WorthCanvas::chosenByPerson, this, [this](int line) {
        m_panel->selectKey(line);
        choose(line);
    });
    connect(m_panel, &PicturePanel::keyChosen, this, [this](qint64 line) {
        m_canvas->setChosen(static_cast<int>(line));
        choose(static_cast<int>(line));
    });
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettleMs);
    connect(&m_settle, &QTimer::timeout, this, &WorthView::noteSettled);
    connect(m_graphs, &WorthGraphs::settledChanged, this, &WorthView::noteSettled);
    connect(m_graphs, &WorthGraphs::compileWanted, this, &WorthView::compileWithout);
    connect(m_graphs, &WorthGraphs::stepsWanted, this, [this] { choose(m_canvas->chosen(), true); });
    connect(&Measuring::of(hub), &Measuring::changed, this, &WorthView::follow);
    refresh();
}

void WorthView::obey(const Request &request)
{
    const auto *wanted = std::get_if<ShowPicture>(&request); // "pass", "pass:fusion", a rewrite
    if (!wanted) return;
    QString name = wanted->name;
    if (QStringList{"rewrite", "pass", "tag"}.contains(name)) {
        m_by->setCurrent(name);
        name = wanted->value;
    }
    for (std::size_t i = 0; m_rows && i < m_rows->lines.size(); ++i)
        if (m_rows->lines[i].name == name) {
            m_canvas->setChosen(static_cast<int>(i));
            choose(static_cast<int>(i));
        }
}

void WorthView::feed(const ViewFeed &feed)
{
    const bool other = feed.hasNew(FeedPart::Opened) || !feed.function || !m_function || feed.function->id != m_function->id;
    m_canRun = feed.canRun;
    if (!feed.hasNewFunction() && !feed.hasNew(FeedPart::Run)) return;
    if (other) {
        m_chosenName.clear();
        m_without.clear();
    }
    m_session = feed.session;
    const auto isMeasured = [&](const QString &by) {
        return m_session && feed.function && m_session->derived<Tried>().worthOf(feed.function->id, by.toStdString());
    };
    if (other && !isMeasured(m_by->current()))
        for (const char *by : {"rewrite", "pass", "tag"})
            if (isMeasured(QLatin1String(by))) {
                const QSignalBlocker blocker(m_by);
                m_by->setCurrent(QLatin1String(by));
                break;
            }
    m_function = feed.function;
    m_graph = m_session && m_function ? m_session->graphOf(raw(m_function->id)) : nullptr;
    setSubtitle(this, m_function ? functionName(*m_function) : QString());
    refresh();
}

QString WorthView::functionWord() const { return m_function ? QString::number(raw(m_function->id)) : QString(); }

void WorthView::ask(bool pairs)
{
    if (!m_function) return m_hub.request(Command::Run);
    QStringList words{"ablate", "--function", functionWord(), "--by", m_by->current()};
    if (pairs) words << "--pairs";
    Measuring::of(m_hub).ask(words);
}

void WorthView::refresh()
{
    const profiler::WorthTable *table =
        m_session && m_function ? m_session->derived<Tried>().worthOf(m_function->id, m_by->current().toStdString()) : nullptr;
    const auto measure = static_cast<profiler::WorthMeasure>(m_measure->currentData().toInt());
    m_rows = table ? std::make_shared<const WorthRows>(*m_session, *table, measure) : nullptr;
    m_canvas->setRows(m_rows, m_session);
    m_graphs->setVisible(m_rows != nullptr);
    m_bar->setVisible(m_function != nullptr);
    m_measure->setVisible(m_rows != nullptr);
    m_pairs->setVisible(m_rows && !table->hasPairs());
    if (!m_rows) {
        QString why;
        const bool canRunAgain = m_function && m_session->derived<Tried>().canRunAgain(m_function->id, &why);
        const bool runs = m_session && m_session->info.state == profiler::SessionState::Running;
        const bool captured = m_session && !m_session->derived<Tried>().captured.empty();
        QString sentence, action;
        if (!m_session) sentence = tr("No session is open.");
        else if (!m_function) sentence = tr("No function was compiled yet.");
        else if (runs) sentence = tr("What each rewrite changes can be measured when the run has ended.");
        else if (canRunAgain || (!captured && m_canRun)) {
            sentence =
                tr("How much does each %1 change? The function is compiled again without each one that fired, and all variants run in "
                   "turn on a captured call. This has not been measured yet.")
                    .arg(m_by->current() == QLatin1String("pass")  ? tr("pass")
                         : m_by->current() == QLatin1String("tag") ? tr("tag")
                                                                   : tr("rewrite"));
            if (!canRunAgain) sentence += u' ' + tr("First the script is run, to keep the values of some calls.");
            action = tr("Measure it");
        } else {
            sentence = tr("%1: so nothing can be left out and run again. Record with croton profile --capture.").arg(why);
        }
        m_panel->setEmpty(QStringLiteral("worth"), sentence, action);
        m_panel->setCaption({});
        return;
    }
    m_panel->setEmpty({}, {});
    m_panel->setTable(m_rows->textTable());
    m_panel->setCaption(m_rows->caption());
    int line = -1;
    for (std::size_t i = 0; i < m_rows->lines.size() && !m_chosenName.isEmpty(); ++i)
        if (m_rows->lines[i].name == m_chosenName) line = static_cast<int>(i);
    m_canvas->setChosen(line);
    m_panel->selectKey(line);
    choose(line);
}

void WorthView::choose(int line, bool onlySteps)
{
    if (!m_rows || line < 0 || line >= static_cast<int>(m_rows->lines.size())) {
        m_chosenName.clear();
        m_graphs->showNothing(tr("Choose a rewrite: what it changed in the graph is shown here."));
        return;
    }
    const WorthLine &chosen = m_rows->lines[static_cast<std::size_t>(line)];
    m_chosenName = chosen.name;
    if (chosen.row < 0) {
        m_graphs->showNothing(tr("This is what leaving out one at a time costs, added up. What lies between it and all of them left out at "
                                 "once no single one explains."));
        return;
    }
    const profiler::AblationRow &row = m_rows->table.rows[static_cast<std::size_t>(chosen.row)];
    std::vector<int> steps = WorthRows::stepsOf(*m_session, m_rows->table, row);
    QString why;
    const bool can = m_session->derived<Tried>().canRunAgain(m_function->id, &why) && row.error.empty();
    const auto known = m_without.find(chosen.name);
    if (known != m_without.end() && !onlySteps) m_graphs->showBoth(m_session, m_graph, chosen.name, known->second);
    else if (m_graph && !steps.empty()) m_graphs->showSteps(m_session, m_graph, chosen.name, std::move(steps));
    else
        m_graphs->showNothing(row.kind == profiler::AblationKind::All ? tr("Without all of them the graph is nearly as it was written.")
                                                                      : tr("The steps of this graph do not name it."));
    m_graphs->offerCompile(can, why.isEmpty() ? tr("It cannot be compiled without it") : why);
}

void WorthView::compileWithout()
{
    if (m_chosenName.isEmpty() || !m_rows) return;
    if (m_without.contains(m_chosenName)) return choose(m_canvas->chosen());
    const WorthLine &line = m_rows->lines[static_cast<std::size_t>(m_canvas->chosen())];
    QStringList names;
    for (const std::string &name : m_rows->table.rows[static_cast<std::size_t>(line.row)].leftOut) names << views::text(name);
    Measuring::of(m_hub).ask({"replay", "--function", functionWord(), "--exclude", names.join(u','), "-o", "%out"});
}

// A camera that moves says nothing when it stands.
void WorthView::noteSettled()
{
    const bool settled = m_graphs->isSettled();
    setBusy(this, !settled);
    if (!settled) m_settle.start();
}

// The session that was made of it holds the graph without it.
void WorthView::follow()
{
    const Measuring::State &now = Measuring::of(m_hub).now();
    if (now.isRunning || now.out.isEmpty() || now.what() != QLatin1String("replay") || !m_rows || m_canvas->chosen() < 0) return;
    const QString name = m_chosenName;
    setBusy(this, true);
    inBackground(
        this, [session = m_session, function = m_function->id, path = now.out] { return readWithout(*session, function, path); },
        [this, name, session = m_session](std::shared_ptr<const WithoutIt> without) {
            setBusy(this, false);
            if (session != m_session) return;
            m_without[name] = std::move(without);
            if (name == m_chosenName) choose(m_canvas->chosen());
        });
}

void WorthView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (!std::exchange(m_isPlaced, true)) m_parts->setSizes({width() * kBarsShare / 100, width() * (100 - kBarsShare) / 100});
    m_parts->setOrientation(width() < Theme::current().px(kNarrow) ? Qt::Vertical : Qt::Horizontal);
    fitBar();
}

void WorthView::fitBar() { m_by->fitInto(width() - m_measure->sizeHint().width() - m_pairs->sizeHint().width() - Theme::current().px(48)); }

} // namespace views
