#pragma once

#include <QString>

#include <functional>
#include <vector>

class QMenu;
class QPoint;
class QWidget;

namespace views {

class SelectionHub;

/// "Show in ▸": every view that can show the selection, filled when it opens.
QMenu *showInMenu(SelectionHub &hub, QWidget *parent);

/// A line of a context menu; without a text: a line between groups.
struct MenuItem {
    QString text;
    std::function<void()> act;
    bool enabled = true;
    QString reason; ///< why not
};

/// Opens the menu of what is selected, at a place on the screen: what the view itself can do with it, then what every view
/// offers. It deletes itself.
QMenu *openContextMenu(SelectionHub &hub, QWidget *over, const QPoint &at, const std::vector<MenuItem> &own);

/// Puts a text on the clipboard.
void copyText(const QString &text);

} // namespace views
