#include "views/common/numbers.h"

namespace views::formats {
namespace {

QChar g_decimalSign(u'.');

}

QString number(double value, char form, int digits) { return QString::number(value, form, digits).replace(u'.', g_decimalSign); }

void setDecimalSign(QChar sign) { g_decimalSign = sign; }

} // namespace views::formats
