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

QString friendlyName(const QString &recorded)
{
    static const QHash<QString, QString> words{
        {QStringLiteral("−x"), QStringLiteral("neg")},          {QStringLiteral("xʸ"), QStringLiteral("pow")},
        {QStringLiteral("|x|"), QStringLiteral("abs")},         {QStringLiteral("1/x"), QStringLiteral("inv")},
        {QStringLiteral("x²"), QStringLiteral("sqr")},          {QStringLiteral("2ˣ"), QStringLiteral("exp2")},
        {QStringLiteral("eˣ−1"), QStringLiteral("expm1")},      {QStringLiteral("log(1+x)"), QStringLiteral("log1p")},
        {QStringLiteral("x·log x"), QStringLiteral("xlogx")},   {QStringLiteral("x·log y"), QStringLiteral("xlogy0")},
        {QStringLiteral("⌈x⌉"), QStringLiteral("ceil")},        {QStringLiteral("⌊x⌋"), QStringLiteral("floor")},
        {QStringLiteral("P(a,x)"), QStringLiteral("gammainc")}, {QStringLiteral("Q(a,x)"), QStringLiteral("gammaincc")},
        {QStringLiteral("Γ(a,x)"), QStringLiteral("gammau")},   {QStringLiteral("γ(a,x)"), QStringLiteral("gammal")},
        {QStringLiteral("x̄"), QStringLiteral("conj")},
    };
    return words.value(recorded, recorded);
}

QString nodeTitle(const QString &friendly, const std::vector<QString> &arguments)
{
    const bool anyConstant = std::any_of(arguments.begin(), arguments.end(), [](const QString &text) { return !text.isEmpty(); });
    if (!anyConstant) return friendly;
    QStringList parts;
    for (const QString &argument : arguments) parts << (argument.isEmpty() ? QStringLiteral("·") : argument);
    const auto known = signs().constFind(friendly);
    const bool isSign = std::none_of(friendly.begin(), friendly.end(), [](QChar c) { return c.isLetterOrNumber(); });
    const QString sign = known != signs().constEnd() ? *known : isSign ? friendly : QString();
    if (!sign.isEmpty() && parts.size() >= 2) return parts.join(QStringLiteral(" %1 ").arg(sign));
    constexpr qsizetype kMost = 2; // with more, the list tells less than the name alone
    if (parts.size() > kMost) return friendly;
    return QStringLiteral("%1(%2)").arg(friendly, parts.join(QStringLiteral(", ")));
}

QString breakable(QString name)
{
    static const QString after = QStringLiteral(",{}[]()._=:");
    for (qsizetype i = name.size() - 1; i >= 0; --i)
        if (after.contains(name[i])) name.insert(i + 1, QChar(0x200B));
    return name;
}

} // namespace views
