#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/timeline/timeline_rows.h"
#endif
#include "views/common/selection_hub.h"
#include "views/timeline/timeline_axis.h"

#include "views/common/scroll_picture.h"

#include <memory>
#include <optional>

namespace views {

/// Draws the tracks, whatever their number of zones: what is under 2 px is joined. Wheel zooms at the pointer, drag pans,
/// Shift and drag chooses a range, a click a zone.
class TimelineCanvas : public ScrollPicture {
    Q_OBJECT
public:
    explicit TimelineCanvas(QWidget *parent = nullptr);

    /// `again`: more of the same session; the camera stays.
    void setRows(std::shared_ptr<const TimelineRows> rows, bool again);
    void setSelection(const Selection &selection, profiler::GraphId graph);
    void setRange(const TimeRange &range);
    TimeRange range() const { return m_range; }

    TimelineAxis &axis() { return m_axis; }
    void fit();
    void zoomBy(double factor);
    /// Shows the chosen zone, with what is around it.
    void reveal(const TimelineRows::Place &place);

    struct Hit {
        std::size_t track = 0;
        profiler::ZoneCluster cluster;
    };
    /// What is at a place of the viewport.
    std::optional<Hit> hitAt(const QPointF &place) const;
    /// Where a track's blocks are, in the viewport.
    QRectF trackRect(std::size_t track) const;
    std::optional<TimelineRows::Place> current() const { return m_current; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void zoneChosen(qulonglong track, qulonglong zone);
    void rangeChosen(const views::TimeRange &range);
    void viewChanged();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void layOut() override;
    QString tipAt(const QPointF &place) const override;
    void pointerLeft() override { m_hovered.reset(); }
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    double labelWidth() const;
    double axisHeight() const;
    double laneHeight() const;
    double xOf(double ns) const { return labelWidth() + m_axis.xOf(ns); }
    void changed();
    void step(int by);
    void choose(const TimelineRows::Place &place);
    bool isSelected(const profiler::ZoneLabel &label) const;

    void paintAxis(QPainter &painter) const;
    void paintLabels(QPainter &painter, std::size_t track) const;
    void paintTrack(QPainter &painter, std::size_t track) const;
    void paintZone(QPainter &painter, const profiler::Track &track, const profiler::Zone &zone, const QRectF &block) const;
    void paintDensity(QPainter &painter, const profiler::Track &track, const profiler::ZoneCluster &cluster, const QRectF &block) const;
    void paintRange(QPainter &painter) const;
    void paintArrows(QPainter &painter) const;

    std::shared_ptr<const TimelineRows> m_rows;
    TimelineAxis m_axis;
    Selection m_selection;
    profiler::GraphId m_graph = profiler::kNoGraph; ///< whose nodes the selection names
    TimeRange m_range;
    std::optional<TimelineRows::Place> m_current;
    std::optional<Hit> m_hovered;
    enum class Drag : std::uint8_t { None, Pan, Range } m_drag = Drag::None;
    QPointF m_pressed;
    QPointF m_last;
    bool m_moved = false;
};

} // namespace views
