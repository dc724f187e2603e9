#pragma once

#include "views/common/theme.h"

#include <QPalette>

class QApplication;
class QPainter;
class QRectF;

namespace views {

/// Makes the theme current and puts it on the application: fusion base, palette, style sheet, fonts.
void applyTheme(QApplication &application, Theme theme);

/// The QPalette and style sheet of a theme; applyTheme() uses both.
QPalette paletteOf(const Theme &theme);
QString styleSheetOf(const Theme &theme);

/// Fills a rectangle with a phase's colour and pattern (white lines at 22 %).
void fillPattern(QPainter &painter, const QRectF &rect, const QColor &color, Pattern pattern, double radius = 0.0);
/// The 45° hatch 3/2 of transfers and of doubtful numbers.
void fillHatched(QPainter &painter, const QRectF &rect, const QColor &color);
/// The phase's letter in its square of radius 3.
void paintPhaseBadge(QPainter &painter, const QRectF &square, const PhaseStyle &phase);

/// Draws text with every digit in a cell of equal width (Qt 6.4 cannot switch on `tnum`), aligned as asked.
void drawTabular(QPainter &painter, const QRectF &rect, Qt::Alignment alignment, const QString &text);
/// Width of the text as drawTabular draws it.
double tabularWidth(const QFont &font, const QString &text);

} // namespace views
