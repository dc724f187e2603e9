#pragma once

#include "app/studio/view_table.h"

#include <QKeySequence>
#include <QList>
#include <QString>

#include <span>

namespace app {

/// One command of the window that shows no view. Menus and the help sheet are made from the table.
struct Command {
    const char *menu; ///< English title of the menu it stands in
    const char *id;   ///< empty: a line between groups
    const char *text;
    const char *keys; ///< separated by blanks, in Qt's portable spelling

    bool isLine() const { return *id == '\0'; }
    QString menuText() const;
    QString title() const;
    QList<QKeySequence> sequences() const;
};

std::span<const Command> allCommands();

/// Something with keys: a command, or a view that they show.
struct KeyRow {
    QString id;
    QString title;
    QList<QKeySequence> keys;
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
