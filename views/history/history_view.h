#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/history/history_rows.h"
#endif
#include "views/session/view_feed.h"

#include <QWidget>

#include <memory>

namespace views {

class HistoryCanvas;
class HistoryJob;
class PicturePanel;
class ProgressLine;

/// The sessions of the open one's script.
class HistoryView : public QWidget {
    Q_OBJECT
public:
    explicit HistoryView(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);

    HistoryCanvas *canvas() const { return m_canvas; }
    PicturePanel *panel() const { return m_panel; }
    std::shared_ptr<const HistoryRows> rows() const { return m_rows; }

private:
    void setRows(std::shared_ptr<const HistoryRows> rows);
    void compare();

    SelectionHub &m_hub;
    QString m_open;
    std::shared_ptr<const HistoryRows> m_rows;
    HistoryJob *m_job;
    HistoryCanvas *m_canvas;
    PicturePanel *m_panel;
    ProgressLine *m_progress;
};

} // namespace views
