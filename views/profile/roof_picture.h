#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/stats/machine/headroom_parts.h"
#endif

#include <QWidget>

#include <optional>
#include <vector>

namespace views {

/// A call now and at the roofs, and by apply where the difference lies: what has to be is filled, what could be saved is hatched. A third
/// bar says what was asked for would take, and where a run stood.
class RoofPicture : public QWidget {
    Q_OBJECT
public:
    /// `room` has to outlive it.
    explicit RoofPicture(const profiler::Headroom &room, QWidget *parent = nullptr);

    /// What a call would take as is chosen; none: nothing is.
    void setThen(std::optional<double> predictedNs, std::optional<double> verifiedNs);
    const std::vector<profiler::HeadroomShare> &shares() const { return m_shares; }
    QString nameOf(const profiler::HeadroomShare &share) const;
    int rowAt(const QPointF &place) const; ///< of the shares; −1: none
    QRectF rowRect(int share) const;
    QString asText() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void applyClicked(qint64 apply);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    int totals() const { return m_predicted || m_verified ? 3 : 2; }
    double nameWidth() const;
    double textWidth() const;
    double scale() const; ///< ns of the whole width of a bar
    QRectF barPlace(double top) const;
    QString tip(const profiler::HeadroomShare &share) const;
    void paintTotal(QPainter &painter, double top, const QString &name, double ns, bool filled) const;
    void paintShare(QPainter &painter, const profiler::HeadroomShare &share, double top, bool current) const;

    const profiler::Headroom &m_room;
    std::vector<profiler::HeadroomShare> m_shares;
    double m_largest = 0; ///< of the shares
    std::optional<double> m_predicted, m_verified;
    int m_current = -1;
};

} // namespace views
