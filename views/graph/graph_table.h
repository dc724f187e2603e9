// The table behind a graph picture: the same nodes, the same selection.
#pragma once

#include "views/graph/scene.h"

#include <QSet>
#include <QTableView>

class QSortFilterProxyModel;

namespace views {

class NodeTableModel;

class GraphTable : public QTableView {
    Q_OBJECT
public:
    explicit GraphTable(QWidget *parent = nullptr);

    void setScene(const Scene &scene);
    void setSelected(const QSet<SceneKey> &keys);
    [[nodiscard]] NodeTableModel *nodes() const { return m_model; }
    // Selected rows, or all of them, tab separated with a header line.
    [[nodiscard]] QString asText() const;

Q_SIGNALS:
    void nodeClicked(views::SceneKey key, bool add);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void copy() const;

    NodeTableModel *m_model;
    QSortFilterProxyModel *m_sorted;
    bool m_setting = false;
};

} // namespace views
