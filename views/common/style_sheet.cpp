#include "views/common/palette.h"

#include <QFile>
#include <QRegularExpression>

#include <cmath>

namespace views {
namespace {

constexpr const char *kColorNames[] = {
#define CROTON_NAME(name, group, key) #name,
    CROTON_THEME_COLORS(CROTON_NAME)
#undef CROTON_NAME
};

QString cssColor(const QColor &color)
{
    if (color.alpha() == 255) return color.name(QColor::HexRgb);
    return QStringLiteral("rgba(%1,%2,%3,%4)").arg(color.red()).arg(color.green()).arg(color.blue()).arg(color.alpha());
}

} // namespace

QString styleSheetOf(const Theme &theme)
{
    QFile file(QStringLiteral(":/croton/themes/studio.qss"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("the style sheet themes/studio.qss is missing from this program");
    const QString source = QString::fromUtf8(file.readAll());
    static const QRegularExpression token(QStringLiteral("@([A-Za-z]+)|\\{\\{([0-9]+)\\}\\}|/\\*.*?\\*/"),
                                          QRegularExpression::DotMatchesEverythingOption);
    QHash<QString, QString> colors;
    for (std::size_t i = 0; i < std::size(kColorNames); ++i)
        colors.insert(QString::fromLatin1(kColorNames[i]), cssColor(theme.color(static_cast<Color>(i))));
    QString result;
    qsizetype from = 0;
    for (auto it = token.globalMatch(source); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        result += QStringView(source).mid(from, match.capturedStart() - from);
        from = match.capturedEnd();
        if (match.capturedLength(1) > 0) {
            const QString name = match.captured(1);
            if (!colors.contains(name)) qFatal("themes/studio.qss names the unknown colour %s", qPrintable(name));
            result += colors.value(name);
        } else if (match.capturedLength(2) > 0) {
            result += QString::number(theme.px(match.captured(2).toInt()));
        }
    }
    result += QStringView(source).mid(from);
    return result;
}

} // namespace views
