#include "views/session/sessions_near.h"

#include <QDir>
#include <QStandardPaths>

#include <algorithm>

namespace views {

QFileInfoList sessionsNear(const QString &path)
{
    QStringList folders{QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + QStringLiteral("/croton/sessions")};
    if (!path.isEmpty()) folders << QFileInfo(path).absolutePath();
    folders.removeDuplicates();
    QFileInfoList files;
    for (const QString &folder : folders) files += QDir(folder).entryInfoList({QStringLiteral("*.croton")}, QDir::Files);
    std::sort(files.begin(), files.end(), [](const QFileInfo &a, const QFileInfo &b) { return a.lastModified() > b.lastModified(); });
    return files;
}

} // namespace views
