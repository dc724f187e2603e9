#pragma once

#include "views/session/view_feed.h"

#include <QWidget>

#include <memory>

class QStackedWidget;

namespace views {

class ChoiceTabs;
class ChoicesPage;
class MemoryCanvas;
class PicturePanel;
struct MemoryRows;

/// Memory of one call and over time, with its table.
class MemoryView : public QWidget {
    Q_OBJECT
public:
    explicit MemoryView(SelectionHub &hub, QWidget *parent = nullptr);
    void obey(const Request &request);
    void feed(const ViewFeed &feed);

    MemoryCanvas *canvas() const { return m_canvas; }
    PicturePanel *panel() const { return m_panel; }
    ChoicesPage *choices() const { return m_choices; }
    /// "lifetimes", "arena", "time" or "could".
    void choose(const QString &picture);

private:
    void refresh();
    void refreshChoices();
    bool isChoices() const;
    void select(int lifetime);

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session; ///< keeps the rows
    const MemoryRows *m_rows = nullptr;
    const profiler::FunctionInfo *m_function = nullptr;
    bool m_canRun = false;
    MemoryCanvas *m_canvas;
    ChoicesPage *m_choices;
    QStackedWidget *m_pictures;
    PicturePanel *m_panel;
    ChoiceTabs *m_picture;
};

} // namespace views
