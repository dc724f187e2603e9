// How an apply is called inside its box: "1 + ·" instead of add, where the notation is common knowledge.
#pragma once

#include <QString>

#include <vector>

namespace views {

// `arguments`: the text of a constant, or empty for anything else. Without constants the friendly name stays.
[[nodiscard]] QString nodeTitle(const QString &friendly, const std::vector<QString> &arguments);

/// A friendly name of the session without the letters of mathematics: x and y are the user's own names. "−x" is neg.
QString friendlyName(const QString &recorded);

/// A name without spaces so that it may wrap: with zero width ones after what parts it. For labels that nobody copies from.
QString breakable(QString name);

} // namespace views
