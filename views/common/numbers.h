// Numbers as the language of the studio writes them.
#pragma once

#include <QString>

namespace views::formats {

/// "0.25", in French "0,25". `form` and `digits` as QString::number() takes them.
QString number(double value, char form, int digits);
/// The sizes in words of another program ("2 threads, 25.3 GB"), written so.
QString withOurSizes(QString words);

/// Of the language that the studio speaks; a point until it is set.
void setDecimalSign(QChar sign);

} // namespace views::formats
