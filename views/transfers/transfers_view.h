#pragma once

#include "views/common/data_table.h"
#include "views/common/table_panel.h"
#include "views/session/view_feed.h"

namespace views {

/// What was copied between devices.
class TransfersView : public TablePanel {
    Q_OBJECT
public:
    explicit TransfersView(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);

    TextTableView *table() const { return m_table; }

private:
    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    TextTableView *m_table;
};

/// A row's key is its place in the session's transfers.
TextTable transferTable(const SessionData &session);
/// Why a session holds no transfers.
QString whyNoTransfers(const SessionData *session);

} // namespace views
