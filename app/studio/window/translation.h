#pragma once

#include <QString>

class QCoreApplication;

namespace app {

/// Makes the studio speak a language ("fr"; "system": that of the desktop, where there is a translation). English needs none.
void speak(QCoreApplication &application, const QString &language);

} // namespace app
