#include "views/ranks/ranks_view.h"

#include "profiler/stats/machine/ranks.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/panels.h"
#include "views/common/text.h"
#include "views/ranks/ranks_bars.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <filesystem>

namespace views {
namespace {

TextTable::Cell timeCell(std::int64_t ns)
{
    return numberCell(ns < 0 ? QStringLiteral("–") : formats::timeNs(ns), static_cast<double>(ns));
}

} // namespace

TextTable rankTable(const profiler::Job &job)
{
    TextTable table;
    const auto tr = [](const char *source) { return RanksView::tr(source); };
    table.columns = {{tr("Rank"), {}, true, false, 60},
                     {tr("All"), tr("From the start of its recording to its end"), true, false, 92},
                     {tr("For itself"), tr("Without what it waited for other ranks"), true, false, 92},
                     {tr("Functions"), tr("In calls of functions, without MPI's calls in them"), true, false, 92},
                     {tr("Compiling"), {}, true, false, 92},
                     {tr("MPI"), tr("In calls of MPI"), true, false, 92},
                     {tr("Waiting"), tr("Part of it in which another rank had not come yet"), true, false, 92},
                     {tr("Host"), {}, false, false, 120},
                     {tr("Session"), tr("Where its own recording is"), false, true, 200}};
    std::int64_t key = 0;
    for (const profiler::RankRow &row : job.ranks)
        table.rows.push_back({{numberCell(QString::number(row.rank), row.rank),
                               timeCell(row.durationNs),
                               timeCell(row.waitingNs < 0 ? -1 : row.ownNs()),
                               timeCell(row.callNs),
                               timeCell(row.compileNs),
                               timeCell(row.communicationNs),
                               timeCell(row.waitingNs),
                               {text(row.host), 0},
                               {!row.problem.empty()  ? text(row.problem)
                                : row.session.empty() ? RanksView::tr("this one")
                                                      : text(row.session),
                                0}},
                              key++});
    return table;
}

TextTable callTable(const profiler::Job &job)
{
    TextTable table;
    const auto tr = [](const char *source) { return RanksView::tr(source); };
    table.columns = {{tr("Call"), {}, false, true, 110},
                     {tr("Count"), tr("In all ranks together"), true, false, 72},
                     {tr("Bytes"), tr("Of arrays that were handed over"), true, false, 84},
                     {tr("Time"), tr("In all ranks together"), true, false, 92},
                     {tr("Waiting"), tr("Part of it in which another rank had not come yet"), true, false, 92},
                     {tr("Waits most"), {}, false, false, 92},
                     {tr("Line"), {}, false, true, 200}};
    for (const profiler::CommunicationRow &row : profiler::communicationTable(job)) {
        const QString most = row.mostWaitingNs > 0 ? RanksView::tr("rank %1").arg(row.mostWaiting) : QString();
        table.rows.push_back({{{text(row.call), 0},
                               numberCell(formats::count(row.count), static_cast<double>(row.count)),
                               numberCell(formats::bytes(row.bytes), static_cast<double>(row.bytes)),
                               timeCell(row.totalNs),
                               timeCell(row.waitingNs),
                               {most, 0},
                               {row.source.file.empty() ? QString() : text(row.source.file) + u':' + QString::number(row.source.line), 0}},
                              -1});
    }
    return table;
}

QString rankSentence(const profiler::Job &job)
{
    const profiler::JobVerdict verdict = profiler::judge(job);
    if (job.communication.empty()) return RanksView::tr("No call of MPI was seen, so nothing is known of waiting.");
    if (job.ranks.size() > 1 && !verdict.knowsWaiting)
        return RanksView::tr("Some collective calls are not known of all their ranks, so it is not known which rank the others wait for.");
    if (verdict.slowest < 0) return RanksView::tr("No rank needs clearly more time for itself than the others.");
    const profiler::RankRow &slowest = job.ranks[static_cast<std::size_t>(verdict.slowest)];
    QString where = RanksView::tr("in Python outside of functions");
    if (verdict.part == "functions")
        where = verdict.function.empty() ? RanksView::tr("in functions") : RanksView::tr("in %1").arg(text(verdict.function));
    else if (verdict.part == "compiling") where = RanksView::tr("compiling");
    else if (verdict.part == "moving") where = RanksView::tr("moving data in MPI");
    return RanksView::tr("The others wait for rank %1: it needs %2 for itself, %3 more than the middle of the others, most of it %4.")
        .arg(slowest.rank)
        .arg(formats::timeNs(slowest.ownNs()), formats::timeNs(verdict.excessNs), where);
}

RanksView::RanksView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    m_page = new QWidget;
    auto *column = new QVBoxLayout(m_page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(6));
    m_sentence = new TextLabel;
    m_sentence->setWordWrap(true);
    m_open = new QPushButton(tr("Open this rank"));
    m_open->setToolTip(tr("Open the session of the rank that is chosen"));
    bar->addWidget(m_sentence, 1);
    bar->addWidget(m_open);
    column->addLayout(bar);
    column->addWidget(new Hairline);
    m_bars = new RanksBars;
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *holder = new QWidget;
    auto *held = new QVBoxLayout(holder);
    held->setContentsMargins(0, 0, 0, 0);
    held->addWidget(m_bars);
    held->addStretch(1);
    setSurface(holder, "panel");
    scroll->setWidget(holder);
    m_table = new TextTableView(tr("Ranks"));
    m_callTable = new TextTableView(tr("Calls of MPI"));
    auto *tables = new QSplitter(Qt::Vertical);
    tables->addWidget(m_table);
    tables->addWidget(m_callTable);
    auto *split = new QSplitter(Qt::Horizontal);
    split->addWidget(scroll);
    split->addWidget(tables);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    column->addWidget(split, 1);
    m_empty = new EmptyState;
    outer->addWidget(m_page);
    outer->addWidget(m_empty);
    connect(m_bars, &RanksBars::chosenByHand, this, &RanksView::choose);
    connect(m_table, &TextTableView::keyChosen, this, [this](qint64 place) { choose(static_cast<int>(place)); });
    connect(m_open, &QPushButton::clicked, this, [this] {
        const int place = m_bars->chosen();
        if (!m_session || place < 0) return;
        const std::string &session = m_session->profile.job.ranks[static_cast<std::size_t>(place)].session;
        const std::filesystem::path folder = std::filesystem::path(m_session->info.path).parent_path();
        m_hub.request(OpenFile{text((folder / session).string())});
    });
}

QString RanksView::sentence() const { return m_page->isVisibleTo(this) ? m_sentence->text() : m_empty->sentence(); }

void RanksView::choose(int place)
{
    m_bars->choose(place);
    m_table->markKey(place);
    const std::vector<profiler::RankRow> &ranks = m_session->profile.job.ranks;
    m_open->setEnabled(place >= 0 && static_cast<std::size_t>(place) < ranks.size() &&
                       !ranks[static_cast<std::size_t>(place)].session.empty());
}

void RanksView::feed(const ViewFeed &feed)
{
    if (!feed.hasNew(FeedPart::Opened | FeedPart::Session)) return;
    m_session = feed.session;
    const bool any = m_session && !m_session->profile.job.ranks.empty();
    m_page->setVisible(any);
    m_empty->setVisible(!any);
    if (!any) {
        m_empty->show(
            QStringLiteral("compare"),
            !m_session ? tr("No session is open.")
            : m_session->info.rank >= 0
                ? tr("This is rank %1 of a job; the session of its lowest rank holds them all. "
                     "`croton ranks -o job.croton` and the sessions of all ranks make one.")
                      .arg(m_session->info.rank)
                : tr("This session is of one process. “croton profile --launch 'mpirun -n 4' FILE.py” records several as one job."));
        return;
    }
    const profiler::Job &job = m_session->profile.job;
    m_sentence->setText(rankSentence(job));
    m_bars->setJob(job, profiler::judge(job).slowest);
    m_table->setTable(rankTable(job));
    m_callTable->setTable(callTable(job));
    choose(std::max(0, m_bars->chosen()));
}

} // namespace views
