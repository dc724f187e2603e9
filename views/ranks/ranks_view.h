#pragma once

#include "views/common/data_table.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/model/model_job.h"
#endif
#include "views/session/view_feed.h"

#include <QWidget>

class QPushButton;

namespace views {

class EmptyState;
class RanksBars;
class TextLabel;

/// The ranks of a job side by side.
class RanksView : public QWidget {
    Q_OBJECT
public:
    explicit RanksView(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);

    QString sentence() const; ///< which rank the others wait for, or why there is nothing to see
    RanksBars *bars() const { return m_bars; }
    TextTableView *table() const { return m_table; }
    TextTableView *calls() const { return m_callTable; }
    QPushButton *openButton() const { return m_open; }

private:
    void choose(int place);

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    TextTableView *m_table;
    TextTableView *m_callTable;
    RanksBars *m_bars;
    TextLabel *m_sentence;
    QPushButton *m_open;
    QWidget *m_page;
    EmptyState *m_empty;
};

/// A row's key is its place in the job's ranks.
TextTable rankTable(const profiler::Job &job);
/// Calls of MPI, all ranks together.
TextTable callTable(const profiler::Job &job);
QString rankSentence(const profiler::Job &job);

} // namespace views
