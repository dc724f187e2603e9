#include "views/compare/compare_view.h"

#include "profiler/session/model/function_title.h"
#include "views/common/choice_tabs.h"
#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/panels.h"
#include "views/common/picture_panel.h"
#include "views/common/table_panel.h"
#include "views/common/text.h"
#include "views/common/view_words.h"
#include "views/compare/blocking_rows.h"
#include "views/compare/compare_head.h"
#include "views/compare/compare_job.h"
#include "views/compare/compare_side_card.h"
#include "views/compare/compared_table.h"
#include "views/compare/explanation_panel.h"
#include "views/compare/graph_diff.h"
#include "views/compare/timeline_diff.h"
#include "views/session/sessions_near.h"

#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace views {
namespace {

constexpr const char *kTables[] = {"applies", "functions", "only", "settings", "script", "classes", "devices"}; // as in CompareTable
const QString kGraph = QStringLiteral("graph"), kTimeline = QStringLiteral("timeline"), kBlocking = QStringLiteral("blocking");
constexpr int kPanel = 340, kRoomForPanel = 960, kLow = 380; // at 100 %

} // namespace

CompareView::CompareView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub), m_job(new CompareJob(this))
{
    setSurface(this, "window");
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    m_progress = new ProgressLine;
    m_notice = new NoticeStrip;
    outer->addWidget(m_progress);
    outer->addWidget(m_notice);
    m_head = new CompareHead;
    outer->addWidget(m_head);
    outer->addWidget(new Hairline);

    m_panel = new TablePanel;
    m_panel->setBarVisible(false);
    m_kinds = new ChoiceTabs(tr("What is compared"));
    for (const auto &[id, title] :
         {std::pair{"applies", tr("Applies")}, std::pair{"functions", tr("Functions")}, std::pair{"classes", tr("Classes")},
          std::pair{"devices", tr("Devices")}, std::pair{"blocking", tr("Blocking")}, std::pair{"only", tr("Only in one")},
          std::pair{"graph", tr("Graph")}, std::pair{"timeline", tr("Timeline")}, std::pair{"settings", tr("Settings")},
          std::pair{"script", tr("Script")}})
        m_kinds->addChoice(QString::fromLatin1(id), title);
    m_panel->addLeft(m_kinds);
    m_table = new ComparedTable;
    m_graphs = new GraphDiff;
    m_timelines = new TimelineDiff;
    for (QWidget *page : std::initializer_list<QWidget *>{m_table, m_graphs, m_timelines}) m_panel->addPage(page);
    m_explanation = new ExplanationPanel;
    m_explanation->setFixedWidth(theme.px(kPanel));
    auto *rest = new QHBoxLayout;
    rest->setContentsMargins(0, 0, 0, 0);
    rest->setSpacing(0);
    rest->addWidget(m_panel, 1);
    rest->addWidget(new Hairline(Qt::Vertical));
    rest->addWidget(m_explanation);
    outer->addLayout(rest, 1);
    m_notice->clear();

    connect(m_head->cardA(), &CompareSideCard::pathChosen, this, [this](const QString &path) { setPaths(path, pathB()); });
    connect(m_head->cardB(), &CompareSideCard::pathChosen, this, [this](const QString &path) { setPaths(pathA(), path); });
    for (CompareSideCard *card : {m_head->cardA(), m_head->cardB()}) {
        connect(card, &CompareSideCard::pinToggled, this,
                [this, card](bool on) { (card == m_head->cardA() ? m_sides.pinnedA : m_sides.pinnedB) = on; });
        connect(card, &CompareSideCard::named, this, [this](const QString &path, const QString &name) {
            m_names[path] = name;
            refreshCards();
            Q_EMIT named(path, name);
        });
    }
    connect(m_head, &CompareHead::swapRequested, this, &CompareView::swap);
    connect(m_kinds, &ChoiceTabs::currentChanged, this, &CompareView::chooseKind);
    connect(m_panel, &TablePanel::actionTriggered, this, &CompareView::emptyAction);
    connect(m_graphs, &GraphDiff::rowChosen, this,
            [this](qint64 key) { follow(m_rows ? m_rows->row(CompareTable::Applies, key) : nullptr); });
    connect(m_timelines, &TimelineDiff::rowChosen, this,
            [this](qint64 key) { follow(m_rows ? m_rows->row(CompareTable::Applies, key) : nullptr); });
    connect(m_timelines, &TimelineDiff::settled, this, [this] { setBusy(this, m_job->isRunning()); });
    connect(m_table, &TextTableView::keyChosen, this, &CompareView::rowChosen);
    connect(m_job, &CompareJob::compared, this, &CompareView::setRows);
    connect(m_job, &CompareJob::failed, this, [this](const QString &sentence) {
        m_progress->stop();
        setBusy(this, false);
        m_notice->show(NoticeStrip::Kind::Error, sentence);
    });
    chooseKind(QString::fromLatin1(kTables[0]));
    start();
}

void CompareView::obey(const Request &request)
{
    if (const auto *wanted = std::get_if<ShowCompared>(&request); wanted && m_kinds->hasChoice(wanted->kind)) chooseKind(wanted->kind);
}

void CompareView::feed(const ViewFeed &feed)
{
    m_session = feed.session;
    if (!feed.session || !feed.hasNew(FeedPart::Opened | FeedPart::Session)) return;
    if (feed.session->info.state == profiler::SessionState::Running) return; // when it has ended
    const QString path = QString::fromStdString(feed.session->info.path);
    if (path == m_open) return;
    m_open = path;
    keep(path);
    if (!m_rows && !m_job->isRunning()) startWithOne(); // it may have been kept before it came
}

void CompareView::keep(const QString &path)
{
    if (path.isEmpty()) return;
    if (m_sides.add(path)) start();
    else refreshCards();
}

void CompareView::setPaths(const QString &a, const QString &b)
{
    if (a == pathA() && b == pathB()) return;
    m_sides.a = a;
    m_sides.b = b;
    start();
}

void CompareView::swap()
{
    m_sides.swap();
    start();
}

void CompareView::setNames(const QHash<QString, QString> &names)
{
    m_names = names;
    refreshCards();
}

void CompareView::refreshCards() { m_head->setSides(m_sides, m_names); }

/// The newest other session of the same script, else the newest at all.
QString CompareView::partner() const
{
    const QString known = pathA().isEmpty() ? pathB() : pathA();
    if (known.isEmpty()) return {};
    const QString stem = QFileInfo(known).completeBaseName().section(u'-', 0, 0);
    QString newest;
    for (const QFileInfo &file : sessionsNear(known)) {
        if (file.absoluteFilePath() == known) continue;
        if (file.completeBaseName().section(u'-', 0, 0) == stem) return file.absoluteFilePath();
        if (newest.isEmpty()) newest = file.absoluteFilePath();
    }
    return newest;
}

void CompareView::emptyAction()
{
    if (const QString other = partner(); !other.isEmpty()) {
        if (pathA().isEmpty()) setPaths(other, pathB());
        else setPaths(pathA(), other);
        return;
    }
    QStringList files =
        QFileDialog::getOpenFileNames(this, tr("Two sessions to compare"), QFileInfo(pathA()).absolutePath(), tr("Sessions (*.croton)"));
    std::sort(files.begin(), files.end(),
              [](const QString &x, const QString &y) { return QFileInfo(x).lastModified() < QFileInfo(y).lastModified(); });
    if (files.size() == 1 && !pathA().isEmpty()) setPaths(pathA(), files[0]);
    else if (!files.isEmpty()) setPaths(files[0], files.value(1));
}

void CompareView::start()
{
    m_notice->clear();
    if (!m_rows || m_rows->a.path != pathA()) m_head->cardA()->setPath(pathA());
    if (!m_rows || m_rows->b.path != pathB()) m_head->cardB()->setPath(pathB());
    refreshCards();
    if (!pathA().isEmpty() && !pathB().isEmpty()) {
        m_progress->start(tr("Comparing"));
        setBusy(this, true);
        m_job->start(pathA(), pathB());
        if (!m_rows && m_panel->isEmpty()) m_panel->setEmpty(QStringLiteral("compare"), tr("Comparing"));
        return; // what was compared last stays until then
    }
    m_job->cancel();
    m_progress->stop();
    setBusy(this, false);
    m_rows = nullptr;
    startWithOne();
}

void CompareView::startWithOne()
{
    if (const auto session = sessionOfBoth()) {
        const BlockingRows &both = session->derived<BlockingRows>();
        m_head->setVerdict(both.headline(), both.sentence());
        m_panel->setBarVisible(true);
        refreshKinds();
        if (m_shownOfTwo.isEmpty()) {
            const QString ofTwo = m_shown;
            chooseKind(kBlocking);
            m_shownOfTwo = ofTwo;
        }
        arrange();
        showTable();
        return;
    }
    if (const QString kind = std::exchange(m_shownOfTwo, {}); !kind.isEmpty()) chooseKind(kind);
    m_head->setVerdict({}, {});
    m_panel->setBarVisible(false);
    arrange();
    const QString other = partner();
    m_panel->setEmpty(QStringLiteral("compare"),
                      pathA().isEmpty() && pathB().isEmpty()
                          ? tr("Comparing needs two sessions: open one, and choose another.")
                          : tr("Choose a second session: another run, another device, or the same script before a change."),
                      other.isEmpty() ? tr("Choose sessions…") : tr("Compare with %1").arg(QFileInfo(other).fileName()));
}

void CompareView::setRows(std::shared_ptr<const CompareRows> rows)
{
    m_progress->stop();
    setBusy(this, false);
    m_rows = std::move(rows);
    m_head->cardA()->setSide(m_rows->a);
    m_head->cardB()->setSide(m_rows->b);
    const profiler::Change change = m_rows->verdict.change;
    m_head->setVerdict(m_rows->headline(), m_rows->sentence(),
                       change == profiler::Change::Worse    ? "worse"
                       : change == profiler::Change::Better ? "better"
                                                            : nullptr);
    refreshCards();
    m_explanation->setRows(*m_rows);
    m_panel->setBarVisible(true);
    refreshKinds();
    if (const QString kind = std::exchange(m_shownOfTwo, {}); !kind.isEmpty()) chooseKind(kind);
    arrange();
    setNote(this, tr("%1, %2 only in A, %3 only in B")
                      .arg(formats::counted(m_rows->verdict.paired, formats::Thing::Pair), formats::count(m_rows->verdict.onlyA),
                           formats::count(m_rows->verdict.onlyB)));
    showTable();
}

void CompareView::choose(CompareTable table) { chooseKind(QString::fromLatin1(kTables[static_cast<int>(table)])); }
void CompareView::showGraphs() { chooseKind(kGraph); }
void CompareView::showTimelines() { chooseKind(kTimeline); }
void CompareView::showBlocking() { chooseKind(kBlocking); }

void CompareView::chooseKind(const QString &kind)
{
    if (!m_shownOfTwo.isEmpty() && kind != kBlocking) m_shownOfTwo = kind; // for that it takes two
    else if (m_shown != kind) {
        m_shown = kind;
        m_kinds->setCurrent(kind);
        arrange();
        showTable();
    }
}

void CompareView::refreshKinds()
{
    for (const char *kind : kTables) m_kinds->setChoiceEnabled(QLatin1String(kind), m_rows != nullptr, tr("Choose a second session"));
    for (const QString &kind : {kGraph, kTimeline}) m_kinds->setChoiceEnabled(kind, m_rows != nullptr, tr("Choose a second session"));
    m_kinds->setChoiceEnabled(kBlocking, sessionOfBoth() != nullptr,
                              tr("No session here was recorded with blocking off and on: croton profile --both on a device of CUDA"));
}

std::shared_ptr<const SessionData> CompareView::sessionOfBoth() const
{
    const auto only = m_rows || !m_session || (m_open != pathA() && m_open != pathB()) ? nullptr : m_session;
    for (const auto &session : {m_rows ? m_rows->sessionA : only, m_rows ? m_rows->sessionB : nullptr})
        if (session && !session->derived<BlockingRows>().pairs.empty()) return session;
    return nullptr;
}

CompareTable CompareView::current() const
{
    for (std::size_t i = 0; i < std::size(kTables); ++i)
        if (m_shown == QLatin1String(kTables[i])) return static_cast<CompareTable>(i);
    return CompareTable::Applies;
}

void CompareView::arrange()
{
    const Theme &theme = Theme::current();
    const bool wide = width() >= theme.px(kRoomForPanel);
    // A picture needs what height there is; it names its sides itself.
    m_head->setVisible(!(m_rows && height() < theme.px(kLow) && (m_shown == kGraph || m_shown == kTimeline)));
    m_head->setWide(wide);
    m_explanation->setVisible(m_rows && wide && width() >= theme.px(kRoomForPanel));
    m_kinds->fitInto(width() - theme.px(160) - (m_explanation->isVisibleTo(this) ? m_explanation->width() : 0));
    if (m_rows) m_table->giveWay();
}

void CompareView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

QString CompareView::headline() const { return m_head->headline(); }
QString CompareView::sentence() const { return m_notice->isVisibleTo(this) ? m_notice->sentence() : m_panel->sentence(); }

void CompareView::showTable()
{
    if (m_shown == kBlocking) {
        showBlockingTable();
        return;
    }
    if (!m_rows) return;
    if (m_shown == kGraph) {
        m_graphs->setRows(m_rows, m_rows->explanation.function);
        present(m_graphs, tr("× only in A, + only in B, ▲ slower and ▼ faster in B"));
        return;
    }
    if (m_shown == kTimeline) {
        m_timelines->setRows(m_rows, m_rows->explanation.function);
        setBusy(this, m_job->isRunning() || !m_timelines->isSettled());
        present(m_timelines, tr("one scale for both; drag with Shift: a range of both"));
        m_panel->setCopied(m_timelines->panel()->table());
        return;
    }
    const CompareTable table = current();
    m_table->showRows(m_rows, table);
    const int count = m_rows->count(table);
    QString said, nothing;
    switch (table) {
    case CompareTable::Applies:
        said = tr("%1, what changed most per call first").arg(formats::counted(count, formats::Thing::Pair));
        nothing = tr("No apply of A has a partner in B.");
        break;
    case CompareTable::Classes:
        said =
            tr("%1 of ops of %2, per call").arg(formats::counted(count, formats::Thing::Class), views::text(m_rows->explanation.function));
        nothing = tr("No function of A is in B.");
        break;
    case CompareTable::Devices:
        said = tr("a call of %1, by where it runs").arg(views::text(m_rows->explanation.function));
        nothing = tr("No function of A is in B, or it was never called.");
        break;
    case CompareTable::Functions:
        said = tr("%1 in both").arg(formats::counted(count, formats::Thing::Function));
        nothing = tr("No function of A is in B.");
        break;
    case CompareTable::OnlyInOne:
        said = tr("%1 without a partner").arg(count);
        nothing = tr("Nothing: every function and apply of one has a partner in the other.");
        break;
    case CompareTable::Settings:
        said = (count == 1 ? tr("1 setting differs") : tr("%1 settings differ").arg(count));
        nothing = tr("Flags and machine are the same.");
        break;
    case CompareTable::Script:
        said = (count == 1 ? tr("1 line differs") : tr("%1 lines differ").arg(count));
        nothing = m_rows->script.empty() ? tr("Neither session holds its script.") : tr("The scripts are the same.");
        break;
    }
    present(m_table, said);
    if (count == 0) m_panel->setEmpty(QStringLiteral("check"), nothing);
}

void CompareView::present(QWidget *page, const QString &caption)
{
    m_panel->setCaption(caption);
    m_panel->showPage(page);
    m_panel->setEmpty({}, {});
}

void CompareView::showBlockingTable()
{
    const auto session = sessionOfBoth();
    if (!session) {
        if (!m_rows) return; // it says already what is missing
        m_panel->setCaption({});
        m_panel->setEmpty(
            QStringLiteral("compare"),
            tr("No session here was recorded with blocking off and on: croton profile --both on a device of CUDA records both."));
        return;
    }
    const BlockingRows &both = session->derived<BlockingRows>();
    m_table->showBlocking(both);
    present(m_table, both.caption);
}

void CompareView::rowChosen(qint64 key)
{
    if (m_shown != kBlocking) {
        if (m_rows) follow(m_rows->row(current(), key));
        return;
    }
    const auto session = sessionOfBoth();
    if (!session || !m_session || QString::fromStdString(session->info.path) != m_open) return;
    const profiler::BlockingPair &pair = session->derived<BlockingRows>().pairs.at(static_cast<std::size_t>(key));
    select(pair.function, pair.apply);
}

void CompareView::follow(const profiler::ComparedRow *row)
{
    if (!row || !m_session) return;
    // The node of the session that is open, whichever side it is.
    const bool isA = m_open == pathA();
    const profiler::ApplyKey key = isA ? row->applyA : row->applyB;
    if (!(isA ? row->a : row->b).present || (!isA && m_open != pathB())) return;
    for (const profiler::FunctionInfo &function : m_session->functions) {
        if (profiler::shortTitle(function) != row->function) continue;
        select(function.id, key);
        return;
    }
}

void CompareView::select(profiler::FunctionId function, const profiler::ApplyKey &apply)
{
    m_hub.selectApply(apply.apply == profiler::kNoApply ? -1 : std::int64_t{raw(apply.apply)}, raw(function));
}

} // namespace views
