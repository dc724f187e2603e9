#pragma once

#include "views/profile/functions_view.h"
#include "views/session/view_feed.h"

namespace views {

/// The list of functions with the margins of a dock. Its action leads to the steps.
class FunctionsPanel : public QWidget {
    Q_OBJECT
public:
    explicit FunctionsPanel(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);
    FunctionsView *list() const { return m_list; }

private:
    FunctionsView *m_list;
};

std::vector<FunctionRow> functionRows(const SessionData &session);

} // namespace views
