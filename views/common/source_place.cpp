#include "views/common/source_place.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>

namespace views {

QString sourceOnThisMachine(const QString &file)
{
    QDir folder(QCoreApplication::applicationDirPath());
    for (int up = 0; up < 4; ++up) {
        const QString path = folder.filePath(file);
        if (QFileInfo::exists(path)) return QDir::cleanPath(path);
        if (!folder.cdUp()) break;
    }
    return {};
}

QUrl linkToSource(const QString &file)
{
    const QString path = sourceOnThisMachine(file);
    return path.isEmpty() ? QUrl() : QUrl::fromLocalFile(path);
}

void openSource(const QUrl &link)
{
    if (link.isLocalFile()) QDesktopServices::openUrl(link);
}

} // namespace views
