#include "views/common/node_title.h"

#include <QHash>
#include <QStringList>

#include <algorithm>

namespace views {
namespace {

// Notation only: which sign stands for which word.
const QHash<QString, QString> &signs()
{
    static const QHash<QString, QString> table{
        {QStringLiteral("add"), QStringLiteral("+")},      {QStringLiteral("sub"), QStringLiteral("−")},
        {QStringLiteral("mul"), QStringLiteral("×")},      {QStringLiteral("true_div"), QStringLiteral("/")},
        {QStringLiteral("int_div"), QStringLiteral("//")}, {QStringLiteral("pow"), QStringLiteral("^")},
        {QStringLiteral("gt"), QStringLiteral(">")},       {QStringLiteral("lt"), QStringLiteral("<")},
        {QStringLiteral("ge"), QStringLiteral("≥")},       {QStringLiteral("le"), QStringLiteral("≤")},
        {QStringLiteral("eq"), QStringLiteral("=")},       {QStringLiteral("neq"), QStringLiteral("≠")},
    };
    return table;
}

} // namespace

bool isShortConstant(const QString &value)
{
    constexpr int kLongest = 8;
    return !value.isEmpty() && value.size() <= kLongest && !value.contains(u' ') && !value.contains(u'\n');
}

QString nodeTitle(const QString &friendly, const std::vector<QString> &arguments)
{
    const bool anyConstant = std::any_of(arguments.begin(), arguments.end(), [](const QString &text) { return !text.isEmpty(); });
    if (!anyConstant) return friendly;
    QStringList parts;
    for (const QString &argument : arguments) parts << (argument.isEmpty() ? QStringLiteral("·") : argument);
    const auto sign = signs().constFind(friendly);
    if (sign != signs().constEnd() && parts.size() >= 2) return parts.join(QStringLiteral(" %1 ").arg(*sign));
    constexpr qsizetype kMost = 2; // with more, the list tells less than the name alone
    if (parts.size() > kMost) return friendly;
    return QStringLiteral("%1(%2)").arg(friendly, parts.join(QStringLiteral(", ")));
}

} // namespace views
