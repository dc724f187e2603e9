#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>

#include <span>

namespace app {

/// One command of the window with its keys. The menus and the help sheet are made from the same table.
struct Shortcut {
    const char *id;
    const char *text;
    const char *keys; ///< separated by blanks, in Qt's portable spelling

    QString title() const;
    QList<QKeySequence> sequences() const;
};

std::span<const Shortcut> allShortcuts();
/// Aborts on an unknown id: a programming error.
const Shortcut &shortcutOf(const char *id);

} // namespace app
