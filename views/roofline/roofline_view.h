#pragma once

#include "views/session/view_feed.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/stats/machine/roofline.h"
#endif

#include <QWidget>

#include <memory>

namespace views {

class PicturePanel;
class RooflineCanvas;

/// The roofline of the function with its table.
class RooflineView : public QWidget {
    Q_OBJECT
public:
    explicit RooflineView(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);

    RooflineCanvas *canvas() const { return m_canvas; }
    PicturePanel *panel() const { return m_panel; }

private:
    void select(std::int64_t row);

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session; ///< keeps the roofline
    const profiler::Roofline *m_roofline = nullptr;
    RooflineCanvas *m_canvas;
    PicturePanel *m_panel;
};

} // namespace views
