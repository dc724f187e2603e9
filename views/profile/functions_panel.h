#pragma once

#include "views/profile/functions_view.h"
#include "views/session/view_feed.h"

namespace views {

class WholeRunBar;

/// The list of functions, and what of the script was in none of them, with the margins of a dock. Its action leads to the steps.
class FunctionsPanel : public QWidget {
    Q_OBJECT
public:
    explicit FunctionsPanel(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);
    FunctionsView *list() const { return m_list; }

private:
    FunctionsView *m_list;
    WholeRunBar *m_whole;
};

std::vector<FunctionRow> functionRows(const SessionData &session);

} // namespace views
