#pragma once

#include "views/session/view_feed.h"

#include <QKeySequence>
#include <QList>
#include <QString>
#include <QStringList>

#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

class QWidget;

namespace app {

/// Page: the middle of the window. Left, Right: docks. Bottom: below the page, opened from the strip.
enum class Area : std::uint8_t { Page, Left, Right, Bottom };

/// Where a view stands. A workspace is an arrangement with a name: a page and what stands around it.
struct Place {
    Area area = Area::Bottom;
    /// Workspaces in which it is open at first, separated by blanks; "graph?": only where there is room.
    const char *opensIn = "graph";
    const char *alsoIn = "";   ///< workspaces where a person may open it
    int width = 0;             ///< of a dock, at 100 %
    int narrowWidth = 0;       ///< in a narrow window
    bool opensForNode = false; ///< opened, where it stands as "name?", when a node is selected
    bool standsAlone = false;  ///< the other docks of its side give way to it, and come back when it goes
};

/// One view of the studio: everything the window knows about it.
struct ViewEntry {
    QString id;        ///< for --view, links and settings; never shown
    const char *title; ///< English; shown through tr()
    const char *icon;
    const char *keys; ///< in Qt's portable spelling, separated by blanks
    Place place;
    QWidget *(*make)(views::SelectionHub &) = nullptr;
    void (*feed)(QWidget &, const views::ViewFeed &) = nullptr;
    /// Makes in the reading thread what would be slow to make when it is shown (SessionData::derived).
    void (*prepare)(const views::SessionData &) = nullptr;
    bool inShowIn = true;          ///< offered by "Show in ▸": it shows the selection
    const char *missing = nullptr; ///< why there is no such view yet: it has a place, and is disabled
    bool worksAlone = false;       ///< has something to show while no session is open
    /// What it does for the window, by itself; of the menus only what `commands` lists.
    void (*obey)(QWidget &, const views::Request &) = nullptr;
    std::vector<views::Command> commands = {};

    QString titleText() const;
    QList<QKeySequence> sequences() const;
    bool opensIn(const QString &workspace, bool narrow = false) const;
    bool standsIn(const QString &workspace) const;
    /// Whether a person may open it there; it does not open by itself.
    bool alsoIn(const QString &workspace) const;
    /// Whether it opens in the workspace only where there is room.
    bool givesWay(const QString &workspace) const;
    QString home() const; ///< the first workspace it opens in
};

/// A view class with a constructor from the hub (or none) and `feed(const ViewFeed &)` (or none) as the two functions of its row.
template <class View>
QWidget *makeView([[maybe_unused]] views::SelectionHub &hub)
{
    if constexpr (std::is_constructible_v<View, views::SelectionHub &>) return new View(hub);
    else return new View;
}
template <class View>
void feedView(QWidget &widget, const views::ViewFeed &feed)
{
    static_cast<View &>(widget).feed(feed);
}
template <class View>
void obeyView(QWidget &widget, const views::Request &request)
{
    static_cast<View &>(widget).obey(request);
}
template <class Rows>
void prepareRows(const views::SessionData &session)
{
    session.derived<Rows>();
}

/// A mistake in the table or a name that is not in it; what() is one sentence that lists what there is.
class ViewError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// All views by id. Menus, keys, --view, pictures, "Show in ▸" and tests are made from it.
class ViewTable {
public:
    /// Throws ViewError for two rows with one id, a row without a widget, or a workspace that no page opens.
    explicit ViewTable(std::vector<ViewEntry> entries);

    const std::vector<ViewEntry> &entries() const { return m_entries; }
    QStringList ids() const; ///< of those that can be shown
    const ViewEntry *find(const QString &id) const;
    /// Throws ViewError with the sentence for an unknown id, or for one that is missing.
    const ViewEntry &at(const QString &id) const;
    /// The page of a workspace.
    const ViewEntry &pageOf(const QString &workspace) const;
    bool isWorkspace(const QString &id) const;
    /// Where a view is shown for somebody who stands in `current`: there, or at its home.
    QString workspaceFor(const ViewEntry &entry, const QString &current) const;
    /// What "Show in ▸" offers.
    std::vector<views::ViewName> showIn() const;

private:
    std::vector<ViewEntry> m_entries;
};

/// The views of Croton Studio (studio_views.cpp).
const ViewTable &studioViews();

} // namespace app
