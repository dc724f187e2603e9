#pragma once

#include "views/session/view_feed.h"

#include <QWidget>

namespace views {

/// What lines, marks and colours of the graph mean.
class KeyPanel : public QWidget {
    Q_OBJECT
public:
    explicit KeyPanel(QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);
    /// Both ends of the hot scale, seconds a call; nothing when there are no times.
    void setTimes(double fastest, double slowest);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    double m_fastest = -1;
    double m_slowest = -1;
};

} // namespace views
