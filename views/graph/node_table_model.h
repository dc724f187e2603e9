// The nodes of a scene as rows: what the picture shows, for reading, sorting, copying and screen readers.
#pragma once

#include "views/graph/scene.h"

#include <QAbstractTableModel>

namespace views {

class NodeTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        NumberColumn,
        NodeColumn,
        NameColumn,
        KindColumn,
        TypeColumn,
        TimeColumn,
        ShareColumn,
        PhaseColumn,
        InputsColumn,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole + 1, KeyRole }; // KeyRole: quint64 of the SceneKey

    using QAbstractTableModel::QAbstractTableModel;

    void setScene(const Scene &scene); // everything at once
    [[nodiscard]] int rowOf(SceneKey key) const { return m_rows.value(key, -1); }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<SceneNode> m_nodes;
    std::vector<QString> m_inputs; // by row
    QHash<SceneKey, int> m_rows;
};

} // namespace views
