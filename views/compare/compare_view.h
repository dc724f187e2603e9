#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/compare/compare_rows.h"
#endif
#include "views/compare/kept_sides.h"
#include "views/session/view_feed.h"

#include <QWidget>

#include <memory>

namespace views {

class ChoiceTabs;
class ComparedTable;
class CompareHead;
class CompareJob;
class ExplanationPanel;
class GraphDiff;
class NoticeStrip;
class ProgressLine;
class TablePanel;
class TimelineDiff;

/// Two sessions: the open one is A until others are chosen. Every session that is opened or recorded meanwhile is kept as one
/// of the sides, so that a run after a change stands beside the one before it.
class CompareView : public QWidget {
    Q_OBJECT
public:
    explicit CompareView(SelectionHub &hub, QWidget *parent = nullptr);
    void obey(const Request &request);
    void feed(const ViewFeed &feed);

    void setPaths(const QString &a, const QString &b);
    /// A session that is whole: it becomes one of the sides.
    void keep(const QString &path);
    QString pathA() const { return m_sides.a; }
    QString pathB() const { return m_sides.b; }
    void swap();
    /// Names that a person gave, by path.
    void setNames(const QHash<QString, QString> &names);
    void choose(CompareTable table);
    CompareTable current() const;
    void showGraphs();
    GraphDiff *graphs() const { return m_graphs; }
    void showTimelines();
    /// One session with blocking off and on: the first of the two that holds both, or the only one.
    void showBlocking();
    TimelineDiff *timelines() const { return m_timelines; }

    std::shared_ptr<const CompareRows> rows() const { return m_rows; }
    ComparedTable *table() const { return m_table; }
    TablePanel *panel() const { return m_panel; }
    QString headline() const;
    QString sentence() const; ///< of the empty view or of a mistake

Q_SIGNALS:
    void named(const QString &path, const QString &name);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void start();
    void setRows(std::shared_ptr<const CompareRows> rows);
    void showTable();
    void present(QWidget *page, const QString &caption);
    void rowChosen(qint64 key);
    void follow(const profiler::ComparedRow *row);
    void select(profiler::FunctionId function, const profiler::ApplyKey &apply);
    std::shared_ptr<const SessionData> sessionOfBoth() const;
    void showBlockingTable();
    void startWithOne();
    void refreshKinds();
    void arrange();
    void chooseKind(const QString &kind);
    void refreshCards();
    void emptyAction();
    QString partner() const;

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    QString m_open; ///< path of the open session
    KeptSides m_sides;
    QHash<QString, QString> m_names;
    QString m_shown;      ///< "applies" … "graph", "timeline"
    QString m_shownOfTwo; ///< while one session alone is shown: what comes back with a second one
    std::shared_ptr<const CompareRows> m_rows;
    CompareJob *m_job;
    CompareHead *m_head;
    ExplanationPanel *m_explanation;
    GraphDiff *m_graphs;
    TimelineDiff *m_timelines;
    ChoiceTabs *m_kinds;
    NoticeStrip *m_notice;
    ProgressLine *m_progress;
    TablePanel *m_panel;
    ComparedTable *m_table;
};

} // namespace views
