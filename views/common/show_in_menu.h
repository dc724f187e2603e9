#pragma once

class QMenu;
class QWidget;

namespace views {

class SelectionHub;

/// The menu "Show in ▸": the same for every view, made from the views that the window has.
QMenu *showInMenu(SelectionHub &hub, QWidget *parent);

} // namespace views
