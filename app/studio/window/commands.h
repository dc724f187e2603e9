#pragma once

#include "app/studio/window/view_table.h"

#include <QKeySequence>
#include <QList>
#include <QString>

#include <optional>
#include <span>

namespace app {

/// A command in a menu that shows no view. Menus and the help sheet are made from the table.
struct MenuRow {
    const char *menu; ///< English title
    views::Command command = {};
    const char *id = ""; ///< the name of its action; empty: a line between groups
    const char *text = "";
    const char *keys = ""; ///< separated by blanks, in Qt's portable spelling

    bool isLine() const { return *id == '\0'; }
    QString menuText() const;
    QString title() const;
    QList<QKeySequence> sequences() const;
};

std::span<const MenuRow> menuRows();

/// Something with keys: a command, or a view that they show.
struct KeyRow {
    QString id;
    QString title;
    QList<QKeySequence> keys;
    std::optional<views::Command> command; ///< none: it shows a view
};
/// All commands and views, for the help sheet and for the test that no key means two things.
std::vector<KeyRow> keyRows(const ViewTable &views);

/// A key that a picture answers to while it has the keys; it stands in no menu.
struct PictureKey {
    const char *where; ///< English: "In the graph"
    const char *keys;  ///< separated by blanks, in Qt's portable spelling
    const char *text;

    QString whereText() const;
    QString title() const;
    QString keysText() const;
    QList<QKeySequence> sequences() const;
};

std::span<const PictureKey> pictureKeys();

/// The title of the menu where the views stand.
inline constexpr const char *kViewMenu = "View";

} // namespace app
