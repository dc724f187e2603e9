// Texts as tool tips, which Qt takes for HTML where they look like it.
#pragma once

#include <QString>

namespace views {

/// The text as it is, whatever is in it, with its line breaks. Qt wraps it where it is long.
inline QString tipText(const QString &text)
{
    if (text.isEmpty()) return {};
    return QStringLiteral("<p style='margin:0;white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped());
}

} // namespace views
