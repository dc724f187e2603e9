#pragma once

#include <QString>
#include <QUrl>

namespace views {

/// Where a file of Croton's sources ("engine/rewrite/fold.cpp") is on this machine, if it is: above the program. Else empty.
QString sourceOnThisMachine(const QString &file);
/// A link to a line of it, or none.
QUrl linkToSource(const QString &file, int line);
/// What the window is asked for (SelectionHub::commandRequested) to have it opened in the person's editor.
QString commandToOpen(const QUrl &link);

} // namespace views
