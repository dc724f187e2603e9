#pragma once

#include <QString>
#include <QUrl>

namespace views {

/// Where a file of Croton's sources ("engine/rewrite/fold.cpp") is on this machine, if it is: above the program. Else empty.
QString sourceOnThisMachine(const QString &file);
/// A link to it, or none.
QUrl linkToSource(const QString &file);
/// Opens it in what opens such files here.
void openSource(const QUrl &link);

} // namespace views
