#include "views/common/source_place.h"

#include <QCoreApplication>
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

QUrl linkToSource(const QString &file, int line)
{
    const QString path = sourceOnThisMachine(file);
    if (path.isEmpty()) return {};
    QUrl link = QUrl::fromLocalFile(path);
    link.setFragment(QString::number(line));
    return link;
}

} // namespace views
