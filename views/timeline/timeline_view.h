#pragma once

#include "views/session/view_feed.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/stats/times/timeline.h"
#endif

#include <QTimer>
#include <QWidget>

#include <memory>

namespace views {

class ElidedLabel;
class PicturePanel;
class TimelineCanvas;
struct TimelineRows;

/// The timeline with the table of what is in the chosen range, and the line that sums it up.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);

    TimelineCanvas *canvas() const { return m_canvas; }
    PicturePanel *panel() const { return m_panel; }
    QString sumText() const;

private:
    /// Of the chosen range, else of what is seen.
    void sumUp();
    void zoneChosen(std::size_t track, std::size_t zone);
    void labelChosen(std::int64_t label);
    void select(const profiler::ZoneLabel &label, std::int64_t call);

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session; ///< keeps the rows
    const TimelineRows *m_rows = nullptr;
    TimelineCanvas *m_canvas;
    PicturePanel *m_panel;
    QWidget *m_sumBar;
    ElidedLabel *m_sum;
    QWidget *m_clear;
    QTimer m_sumSoon; ///< while the camera moves
};

} // namespace views
