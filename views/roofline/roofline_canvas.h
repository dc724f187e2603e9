#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/roofline/roofline_rows.h"
#endif

#include <QFontMetricsF>
#include <QWidget>

#include <memory>

namespace views {

/// Log axes, the roofs of each device, points. Circles are library calls, squares generated code, diamonds the interpreter; what lies on a
/// device has a dot within.
class RooflineCanvas : public QWidget {
    Q_OBJECT
public:
    explicit RooflineCanvas(QWidget *parent = nullptr);
    void setRoofline(std::shared_ptr<const RooflineRows> rows, const profiler::Roofline *roofline);
    void setChosen(int point);
    int chosen() const { return m_chosen; }

    /// What the axis below and the signs of the points mean.
    QString legend(const QFontMetricsF &metrics, double room) const;
    QPointF placeOf(int point) const;
    int pointAt(const QPointF &place) const; ///< -1: none
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosenByPerson(int point);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    QRectF area() const;
    double xOf(double intensity) const;
    double yOf(double rate) const;
    double radiusOf(const profiler::RooflinePoint &point) const;
    void paintAxes(QPainter &painter) const;
    /// Says where it wrote.
    std::vector<QRectF> paintRoofs(QPainter &painter) const;
    QRectF paintSlope(QPainter &painter, double flops, double bandwidth, const QString &name, Qt::PenStyle style, const QColor &ink) const;
    void paintPoints(QPainter &painter, std::vector<QRectF> taken) const;

    std::shared_ptr<const RooflineRows> m_rows;
    const profiler::Roofline *m_roofline = nullptr;
    int m_chosen = -1;
};

} // namespace views
