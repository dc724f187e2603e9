#pragma once

#include "views/graph/scene.h"

#include <QWidget>

class QLineEdit;
class QListView;
class QToolButton;

namespace views {

class FoundModel;
class GraphCanvas;
class TextLabel;

/// Finds nodes of a canvas while one types (NodeQuery says what can be asked): how many there are, which one is shown, the next
/// and the previous, all of them as a list, and nothing but them. Closing it gives every node its colour back.
class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(GraphCanvas &canvas, QWidget *parent = nullptr);

    void open();
    void close();
    void next(bool backwards = false);

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void search();
    void refresh();
    void takeFound();
    void offerFields();
    SceneKey matchAt(int match) const;
    void select(int match);

    GraphCanvas &m_canvas;
    QLineEdit *m_text;
    TextLabel *m_count;
    QToolButton *m_previous;
    QToolButton *m_next;
    QToolButton *m_listed;
    QToolButton *m_isolated;
    QListView *m_list;
    FoundModel *m_found;
    SceneKey m_chosen = kNoSceneKey; ///< the match that Enter selected last
    bool m_isNew = false;            ///< nothing of what was typed last was shown yet
};

} // namespace views
