#pragma once

#include "views/common/text.h"

#include <QString>

#include <string>
#include <string_view>
#include <unordered_map>

namespace views {

/// Texts of a session as the views show them, each made once: thousands of rows share few. The texts must live as long.
class SharedWords {
public:
    QString of(const std::string &text)
    {
        if (text.empty()) return {};
        QString &known = m_known[text];
        if (known.isNull()) known = views::text(text);
        return known;
    }

private:
    std::unordered_map<std::string_view, QString> m_known;
};

} // namespace views
