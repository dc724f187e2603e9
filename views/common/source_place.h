#pragma once

#include <QString>
#include <QUrl>

namespace views {

/// Where a file of Croton's sources ("engine/rewrite/machine/fold.cpp") is on this machine, if it is: above the program. Else empty.
QString sourceOnThisMachine(const QString &file);
/// A link to a line of it, or none.
QUrl linkToSource(const QString &file, int line);

} // namespace views
