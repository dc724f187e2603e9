#pragma once

#include <QObject>
#include <QVariant>

namespace views {

inline constexpr const char *kSubtitleProperty = "subtitle";
inline constexpr const char *kNoteProperty = "note";
inline constexpr const char *kBusyProperty = "busy";

/// What stands beside the title of a view, where it has a header ("train.py").
inline void setSubtitle(QObject *view, const QString &text) { view->setProperty(kSubtitleProperty, text); }
/// What the status bar says of a view while it is the page in the middle ("75%").
inline void setNote(QObject *view, const QString &text) { view->setProperty(kNoteProperty, text); }

/// Something is being read or computed for the view: a picture of it would be of the one before.
inline void setBusy(QObject *view, bool busy) { view->setProperty(kBusyProperty, busy); }

inline constexpr const char *kStaysProperty = "stays";
/// A panel that goes along from workspace to workspace until it is closed: a lesson that is being read.
inline void setStays(QObject *view, bool stays) { view->setProperty(kStaysProperty, stays); }

} // namespace views
