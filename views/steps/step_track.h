// The drawn part of the step bar: phase segments, ticks, scrubber.
#pragma once

#include "views/steps/step_bar_layout.h"

#include <QWidget>

#include <optional>

namespace views {

class StepTrack : public QWidget {
    Q_OBJECT
public:
    explicit StepTrack(QWidget *parent = nullptr);

    void setTicks(std::vector<StepTick> ticks);
    void setStep(int step); // 0 … count
    [[nodiscard]] int step() const { return m_step; }
    [[nodiscard]] int stepCount() const { return static_cast<int>(m_ticks.size()); }
    // Steps that touched the selected node: their ticks are in the accent.
    void setMarked(std::vector<int> steps);
    void setNamesShown(bool shown); // false in a low bar: letters only
    [[nodiscard]] const StepBarGeometry &geometryOfSteps() const { return m_geometry; }
    // First step of the pass or phase after or before the current one.
    [[nodiscard]] int neighbouringPhase(bool forward) const;
    /// Where a key leads, perhaps beyond the ends; nothing: it is none of its keys.
    [[nodiscard]] std::optional<int> stepAfter(int key) const;

    // Room before the first step: half a handle.
    [[nodiscard]] static double side() { return 8; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void stepRequested(int step);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    void layOut();
    void request(int step);
    [[nodiscard]] double top() const;
    void paintSegment(QPainter &painter, int index) const;
    void paintTicks(QPainter &painter, int index) const;
    void paintScrubber(QPainter &painter) const;

    std::vector<StepTick> m_ticks;
    std::vector<int> m_marked;
    StepBarGeometry m_geometry;
    int m_step = 0;
    bool m_names = true;
    bool m_dragging = false;
};

} // namespace views
