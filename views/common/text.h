#pragma once

#include "profiler/session/codec/printable.h"

#include <QCoreApplication>
#include <QString>

#include <string>

namespace views {

/// What a function says that belongs to no class. Texts are looked up by themselves, whatever says them.
inline QString tr(const char *text) { return QCoreApplication::translate("croton", text); }

/// A text of a session as a person may see it: control characters are written out, for any program can have made the file.
inline QString text(const std::string &value) { return QString::fromStdString(profiler::printable(value)); }

} // namespace views
