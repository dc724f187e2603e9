#include "views/compare/compare_view.h"

#include "views/common/controls.h"
#include "views/common/panels.h"
#include "views/common/view_words.h"
#include "views/compare/compare_delegate.h"
#include "views/compare/compare_job.h"
#include "views/compare/compare_side_card.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace views {
namespace {

constexpr const char *kTables[] = {"applies", "functions", "only", "settings", "script"};

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
    auto *head = new QHBoxLayout;
    head->setContentsMargins(theme.px(12), theme.px(10), theme.px(12), theme.px(10));
    head->setSpacing(theme.px(12));
    m_cardA = new CompareSideCard(true);
    m_cardB = new CompareSideCard(false);
    auto *swapButton = iconButton(QStringLiteral("swap"), tr("Swap A and B"));
    auto *verdict = new QVBoxLayout;
    verdict->setSpacing(0);
    m_headline = new TextLabel(QString(), FontRole::Title);
    m_sentence = new ElidedLabel(QString(), FontRole::Cell, "secondary");
    verdict->addStretch(1);
    verdict->addWidget(m_headline);
    verdict->addWidget(m_sentence);
    verdict->addStretch(1);
    head->addWidget(m_cardA, 5);
    head->addWidget(swapButton);
    head->addWidget(m_cardB, 5);
    head->addLayout(verdict, 3);
    outer->addLayout(head);
    outer->addWidget(new Hairline);

    auto *below = new QWidget;
    setSurface(below, "panel");
    auto *column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_bar = new QWidget;
    auto *bar = new QHBoxLayout(m_bar);
    bar->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(6));
    bar->setSpacing(theme.px(10));
    m_kind = new SegmentedSwitch;
    m_kind->setCompact(true);
    const QString titles[] = {tr("Applies"), tr("Functions"), tr("Only in one"), tr("Settings"), tr("Script")};
    for (std::size_t i = 0; i < std::size(kTables); ++i) m_kind->addChoice(QString::fromLatin1(kTables[i]), titles[i]);
    m_kind->setAccessibleName(tr("What is compared"));
    m_count = new ElidedLabel(QString(), FontRole::Cell, "secondary");
    auto *copy = iconButton(QStringLiteral("copy"), tr("Copy the table as text"));
    bar->addWidget(m_kind);
    bar->addWidget(m_count, 1);
    bar->addWidget(copy);
    column->addWidget(m_bar);
    column->addWidget(new Hairline);
    m_model = new TextTableModel(this);
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(TextTableModel::kValueRole);
    m_table = makeTable(m_proxy, tr("Comparison"));
    m_delegate = new CompareDelegate(m_table);
    m_table->setItemDelegate(m_delegate);
    m_empty = new EmptyState;
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_empty);
    column->addWidget(m_stack, 1);
    column->addWidget(new Hairline);
    m_reading = new TextLabel(QString(), FontRole::Cell, "secondary");
    m_reading->setWordWrap(true);
    m_reading->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(8));
    m_reading->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_reading);
    outer->addWidget(below, 1);
    m_notice->clear();

    connect(m_cardA, &CompareSideCard::pathChosen, this, [this](const QString &path) { setPaths(path, m_pathB); });
    connect(m_cardB, &CompareSideCard::pathChosen, this, [this](const QString &path) { setPaths(m_pathA, path); });
    connect(swapButton, &QToolButton::clicked, this, &CompareView::swap);
    connect(copy, &QToolButton::clicked, this, &CompareView::copyAsText);
    connect(m_kind, &SegmentedSwitch::currentChanged, this, &CompareView::showTable);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &CompareView::rowChosen);
    connect(m_job, &CompareJob::compared, this, &CompareView::setRows);
    connect(m_job, &CompareJob::failed, this, [this](const QString &sentence) {
        m_progress->stop();
        setBusy(this, false);
        m_notice->show(NoticeStrip::Kind::Error, sentence);
    });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &CompareView::fitColumns);
    m_kind->setCurrent(QString::fromLatin1(kTables[0]));
    start();
}

void CompareView::feed(const ViewFeed &feed)
{
    m_session = feed.session;
    if (!feed.session || !feed.hasNew(FeedPart::Opened | FeedPart::Session)) return;
    if (feed.session->info.state == profiler::SessionState::Running) return; // when it has ended
    const QString path = QString::fromStdString(feed.session->info.path);
    if (path == m_open) return;
    const QString before = std::exchange(m_open, path);
    if (path == m_pathA || path == m_pathB) return;
    if (before.isEmpty() || m_pathA.isEmpty()) setPaths(path, m_pathB);
    else setPaths(before, path);
}

void CompareView::setPaths(const QString &a, const QString &b)
{
    if (a == m_pathA && b == m_pathB) return;
    m_pathA = a;
    m_pathB = b;
    start();
}

void CompareView::swap() { setPaths(m_pathB, m_pathA); }

void CompareView::start()
{
    m_notice->clear();
    m_cardA->setPath(m_pathA);
    m_cardB->setPath(m_pathB);
    if (!m_pathA.isEmpty() && !m_pathB.isEmpty()) {
        m_progress->start(tr("Comparing"));
        setBusy(this, true);
        m_job->start(m_pathA, m_pathB);
        return; // what was compared last stays until then
    }
    m_job->cancel();
    m_progress->stop();
    setBusy(this, false);
    m_rows = nullptr;
    m_headline->setText({});
    m_sentence->setText({});
    m_reading->setText({});
    m_reading->setVisible(false);
    m_bar->setVisible(false);
    m_empty->show(QStringLiteral("compare"),
                  m_pathA.isEmpty() && m_pathB.isEmpty()
                      ? tr("Comparing needs two sessions: open one, and choose another.")
                      : tr("Choose a second session: another run, another device, or the same script before a change."));
    m_stack->setCurrentWidget(m_empty);
}

void CompareView::setRows(std::shared_ptr<const CompareRows> rows)
{
    m_progress->stop();
    setBusy(this, false);
    m_rows = std::move(rows);
    m_cardA->setSide(m_rows->a);
    m_cardB->setSide(m_rows->b);
    m_headline->setText(m_rows->headline());
    m_sentence->setText(m_rows->sentence());
    m_headline->setInk(m_rows->verdict.change == profiler::Change::Worse    ? "worse"
                       : m_rows->verdict.change == profiler::Change::Better ? "better"
                                                                            : nullptr);
    m_reading->setText(m_rows->reading());
    m_reading->setVisible(true);
    m_bar->setVisible(true);
    setNote(this,
            tr("%1 pairs, %2 only in A, %3 only in B").arg(m_rows->verdict.paired).arg(m_rows->verdict.onlyA).arg(m_rows->verdict.onlyB));
    showTable();
}

void CompareView::choose(CompareTable table) { m_kind->setCurrent(QString::fromLatin1(kTables[static_cast<int>(table)])); }

CompareTable CompareView::current() const
{
    for (std::size_t i = 0; i < std::size(kTables); ++i)
        if (m_kind->current() == QLatin1String(kTables[i])) return static_cast<CompareTable>(i);
    return CompareTable::Applies;
}

QString CompareView::headline() const { return m_headline->text(); }
QString CompareView::sentence() const
{
    return m_notice->isVisibleTo(this) ? m_notice->sentence() : m_stack->currentWidget() == m_empty ? m_empty->sentence() : QString();
}

void CompareView::showTable()
{
    if (!m_rows) return;
    const CompareTable table = current();
    m_delegate->setRows(m_rows, table);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->setSortingEnabled(table != CompareTable::Script); // its lines keep their order
    m_model->setTable(m_rows->table(table));
    fitColumns();
    const int count = m_rows->count(table);
    QString said, nothing;
    switch (table) {
    case CompareTable::Applies:
        said = tr("%1 pairs, what changed most per call first").arg(count);
        nothing = tr("No apply of A has a partner in B.");
        break;
    case CompareTable::Functions:
        said = tr("%1 functions in both").arg(count);
        nothing = tr("No function of A is in B.");
        break;
    case CompareTable::OnlyInOne:
        said = tr("%1 without a partner").arg(count);
        nothing = tr("Nothing: every function and apply of one has a partner in the other.");
        break;
    case CompareTable::Settings:
        said = tr("%1 settings differ").arg(count);
        nothing = tr("Flags and machine are the same.");
        break;
    case CompareTable::Script:
        said = tr("%1 lines differ").arg(count);
        nothing = m_rows->script.empty() ? tr("Neither session holds its script.") : tr("The scripts are the same.");
        break;
    }
    m_count->setText(said);
    if (count == 0) {
        m_empty->show(QStringLiteral("check"), nothing);
        m_stack->setCurrentWidget(m_empty);
    } else {
        m_stack->setCurrentWidget(m_table);
    }
}

void CompareView::rowChosen()
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    const profiler::ComparedRow *row =
        !m_rows || rows.isEmpty() ? nullptr : m_rows->row(current(), rows.first().data(TextTableModel::kKeyRole).toLongLong());
    if (!row || !m_session) return;
    // The node of the session that is open, whichever side it is.
    const bool isA = m_open == m_pathA;
    const profiler::ApplyKey key = isA ? row->applyA : row->applyB;
    if (!(isA ? row->a : row->b).present || (!isA && m_open != m_pathB)) return;
    for (const profiler::FunctionInfo &function : m_session->functions) {
        if (function.name != row->function) continue;
        Selection next = m_hub.selection();
        next.function = raw(function.id);
        next.graph = next.parentApply = -1;
        next.step = Selection::kLastStep;
        next.source = {};
        next.node = key.apply == profiler::kNoApply ? NodeRef{} : NodeRef{Side::Optimized, NodeKind::Apply, raw(key.apply)};
        m_hub.select(next);
        return;
    }
}

void CompareView::copyAsText() { QApplication::clipboard()->setText(tableAsText(*m_proxy)); }

void CompareView::fitColumns() { fitTable(*m_table, m_model->table()); }

} // namespace views
