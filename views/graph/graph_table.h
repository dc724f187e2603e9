// The table behind a graph picture: the same nodes, the same selection.
#pragma once

#include "views/common/data_table.h"
#include "views/graph/scene.h"

#include <QSet>

namespace views {

class NodeTableModel;

class GraphTable : public DataTable {
    Q_OBJECT
public:
    explicit GraphTable(QWidget *parent = nullptr);

    void setScene(const Scene &scene);
    void setSelected(const QSet<SceneKey> &keys);
    [[nodiscard]] NodeTableModel *nodes() const { return m_model; }

Q_SIGNALS:
    void nodeClicked(views::SceneKey key, bool add);

protected:
    void fit() override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    NodeTableModel *m_model;
};

} // namespace views
