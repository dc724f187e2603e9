#pragma once

#include <QWidget>

#include <vector>

namespace app {

/// Gives the keys to the first widget in a pane that takes them; false when there is none.
bool focusFirst(QWidget &pane, Qt::FocusReason reason);
/// Gives the keys to the pane behind, or before, the one that has them; the last is followed by the first.
void focusNextPane(const std::vector<QWidget *> &panes, const QWidget *focused, bool forward);

} // namespace app
