#pragma once

#include "views/common/text_table.h"
#include "views/session/view_feed.h"

#include <QWidget>

namespace views {

class ElidedLabel;
class EmptyState;

/// What was copied between devices.
class TransfersView : public QWidget {
    Q_OBJECT
public:
    explicit TransfersView(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);

    QTableView *table() const { return m_table; }
    TextTableModel *model() const { return m_model; }
    QString sentence() const; ///< why there is nothing; empty when there is

private:
    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    TextTableModel *m_model;
    QTableView *m_table;
    ElidedLabel *m_sum;
    QWidget *m_list;
    EmptyState *m_empty;
};

/// A row's key is its place in the session's transfers.
TextTable transferTable(const SessionData &session);
/// Why a session holds no transfers.
QString whyNoTransfers(const SessionData *session);

} // namespace views
