#pragma once

#include <QFileInfo>

namespace views {

/// Sessions beside a session, and where runs of the studio are kept; newest first.
QFileInfoList sessionsNear(const QString &path);

} // namespace views
