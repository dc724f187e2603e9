#pragma once

#include "views/help/help_pages.h"
#include "views/session/view_feed.h"

#include <QWidget>

class QLineEdit;
class QListWidget;
class QTextBrowser;
class QToolButton;

namespace views {

class EmptyState;

/// The documentation, at the place that explains what is looked at.
class HelpView : public QWidget {
    Q_OBJECT
public:
    explicit HelpView(SelectionHub &hub, QWidget *parent = nullptr);
    void obey(const Request &request);
    void feed(const ViewFeed &feed);
    void setPages(const HelpPages &pages);
    void showPlace(const HelpPlace &place);
    HelpPlace place() const { return m_places.isEmpty() ? HelpPlace{} : m_places.last(); }

protected:
    void showEvent(QShowEvent *event) override;

private:
    void showContext();
    void showFound();
    void render();

    SelectionHub &m_hub;
    HelpPages m_pages;
    bool m_isRead = false; ///< the pages, when they are first shown
    ViewFeed m_feed;
    QList<HelpPlace> m_places; ///< the way here; the last one is shown
    HelpPlace m_context;       ///< what was last looked at when help was asked for
    QToolButton *m_back;
    QLineEdit *m_search;
    QListWidget *m_found;
    QTextBrowser *m_text;
    EmptyState *m_none;
};

} // namespace views
