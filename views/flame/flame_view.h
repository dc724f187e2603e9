#pragma once

#include "views/session/view_feed.h"

#include <QWidget>

#include <memory>

class QLineEdit;
class QScrollArea;

namespace views {

class FlameCanvas;
class PicturePanel;
class TextLabel;
struct FlameRows;

/// The flame graph with its table and a search.
class FlameView : public QWidget {
    Q_OBJECT
public:
    explicit FlameView(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);

    FlameCanvas *canvas() const { return m_canvas; }
    PicturePanel *panel() const { return m_panel; }
    void search(const QString &words);
    QString found() const;

private:
    void select(std::size_t node);
    void reveal(std::size_t node);
    void followSelection(const ViewFeed &feed);
    void findWords();

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session; ///< keeps the rows
    const FlameRows *m_rows = nullptr;
    FlameCanvas *m_canvas;
    QScrollArea *m_scroll;
    PicturePanel *m_panel;
    QLineEdit *m_search;
    TextLabel *m_found;
};

} // namespace views
