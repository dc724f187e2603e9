#pragma once

#include <QCoreApplication>
#include <QString>

#include <string>

namespace views {

/// What a function says that belongs to no class. Texts are looked up by themselves, whatever says them.
inline QString tr(const char *text) { return QCoreApplication::translate("croton", text); }

inline QString text(const std::string &value) { return QString::fromStdString(value); }

} // namespace views
