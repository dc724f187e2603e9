#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/compare/compare_rows.h"
#endif
#include "views/session/view_feed.h"

#include <QWidget>

#include <memory>

class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace views {

class CompareDelegate;
class CompareJob;
class CompareSideCard;
class EmptyState;
class NoticeStrip;
class ProgressLine;
class SegmentedSwitch;
class TextLabel;
class ElidedLabel;

/// Two sessions: the open one is A until others are chosen. Another session that is opened meanwhile becomes B, so that a run
/// after a change stands beside the one before it.
class CompareView : public QWidget {
    Q_OBJECT
public:
    explicit CompareView(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);

    void setPaths(const QString &a, const QString &b);
    QString pathA() const { return m_pathA; }
    QString pathB() const { return m_pathB; }
    void swap();
    void choose(CompareTable table);
    CompareTable current() const;

    std::shared_ptr<const CompareRows> rows() const { return m_rows; }
    QTableView *table() const { return m_table; }
    QString headline() const;
    QString sentence() const; ///< of the empty view or of a mistake

public Q_SLOTS:
    void copyAsText();

private:
    void start();
    void setRows(std::shared_ptr<const CompareRows> rows);
    void showTable();
    void rowChosen();
    void fitColumns();

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    QString m_open; ///< path of the open session
    QString m_pathA, m_pathB;
    std::shared_ptr<const CompareRows> m_rows;
    CompareJob *m_job;
    CompareSideCard *m_cardA;
    CompareSideCard *m_cardB;
    TextLabel *m_headline;
    ElidedLabel *m_sentence;
    TextLabel *m_reading;
    SegmentedSwitch *m_kind;
    ElidedLabel *m_count;
    QWidget *m_bar;
    NoticeStrip *m_notice;
    ProgressLine *m_progress;
    QStackedWidget *m_stack;
    EmptyState *m_empty;
    TextTableModel *m_model;
    QSortFilterProxyModel *m_proxy;
    CompareDelegate *m_delegate;
    QTableView *m_table;
};

} // namespace views
