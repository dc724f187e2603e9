#include "views/common/numbers.h"

#include <QRegularExpression>

namespace views::formats {
namespace {

QChar g_decimalSign(u'.');

}

QString number(double value, char form, int digits) { return QString::number(value, form, digits).replace(u'.', g_decimalSign); }

QString withOurSizes(QString words)
{
    static const QRegularExpression kSize(QStringLiteral("(\\d)\\.(\\d+ [kMGT]?B\\b)"));
    return words.replace(kSize, QStringLiteral("\\1") + g_decimalSign + QStringLiteral("\\2"));
}

void setDecimalSign(QChar sign) { g_decimalSign = sign; }

} // namespace views::formats
