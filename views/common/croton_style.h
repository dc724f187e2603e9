#pragma once

#include <QProxyStyle>

namespace views {

/// Fusion with flat check boxes, thin arrows and a focus ring: what a style sheet cannot draw without image files.
class CrotonStyle : public QProxyStyle {
    Q_OBJECT
public:
    CrotonStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter, const QWidget *widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget, QStyleHintReturn *data) const override;
};

} // namespace views
