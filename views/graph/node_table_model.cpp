#include "views/graph/node_table_model.h"

#include "views/common/formats.h"
#include "views/common/theme.h"

#include <QStringList>

#include <limits>

namespace views {

void NodeTableModel::setScene(const Scene &scene)
{
    beginResetModel();
    m_nodes.clear();
    m_rows.clear();
    std::vector<QStringList> inputs(scene.nodes.size());
    for (const SceneEdge &edge : scene.edges)
        if (!edge.ghost) inputs[edge.to] << scene.nodes[edge.from].title;
    m_inputs.clear();
    for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
        if (scene.nodes[i].ghost) continue;
        m_rows.insert(scene.nodes[i].key, static_cast<int>(m_nodes.size()));
        m_nodes.push_back(scene.nodes[i]);
        m_inputs.push_back(inputs[i].join(QStringLiteral(", ")));
    }
    endResetModel();
}

int NodeTableModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_nodes.size()); }

int NodeTableModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant NodeTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= static_cast<int>(m_nodes.size())) return {};
    const SceneNode &node = m_nodes[index.row()];
    const int column = index.column();
    const bool number = column == NumberColumn || column == TimeColumn || column == ShareColumn;
    if (role == KeyRole) return static_cast<quint64>(node.key);
    if (role == Qt::TextAlignmentRole) return number ? int(Qt::AlignRight | Qt::AlignVCenter) : int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role == Qt::FontRole && (column == NameColumn || column == TypeColumn)) return Theme::current().font(FontRole::Mono);
    if (role == Qt::ToolTipRole && !number) return index.data();
    if (role == SortRole && number) // what was not measured sorts behind everything that was
        return column == NumberColumn ? node.number < 0 ? std::numeric_limits<int>::max() : node.number
               : column == TimeColumn ? QVariant(node.cost.seconds)
                                      : QVariant(node.cost.shareOfTotal);
    if (role != Qt::DisplayRole && role != SortRole) return {};
    switch (column) {
    case NumberColumn: return node.number >= 0 ? QString::number(node.number) : QString();
    case NodeColumn: return node.title;
    case NameColumn: return node.exactName;
    case KindColumn: return sceneKindName(node.kind);
    case TypeColumn: return node.type;
    case TimeColumn: return node.cost.seconds >= 0 ? formats::time(node.cost.seconds) : QString();
    case ShareColumn: return node.cost.shareOfTotal >= 0 ? formats::percent(node.cost.shareOfTotal) : QString();
    case PhaseColumn: return node.phase;
    case InputsColumn: return m_inputs[index.row()];
    default: return {};
    }
}

QVariant NodeTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    struct Head {
        QString title, tip;
    };
    const Head heads[ColumnCount] = {
        {tr("#"), tr("Position in execution order")},
        {tr("Node"), tr("As it is written in the picture")},
        {tr("Exact name"), tr("The op with all its parameters")},
        {tr("Kind"), tr("What kind of node it is")},
        {tr("Type"), tr("Of the variable, or of the first output")},
        {tr("Time"), tr("Host clock, mean of a call in the steady state")},
        {tr("Share"), tr("Of the time of all applies")},
        {tr("Made in"), tr("The phase of the compiler that made it; empty: as written")},
        {tr("Inputs"), tr("In the order of the arguments, without those shown in the node's title")},
    };
    if (role == Qt::DisplayRole) return heads[section].title;
    if (role == Qt::ToolTipRole) return heads[section].tip;
    if (role == Qt::TextAlignmentRole && (section == NumberColumn || section == TimeColumn || section == ShareColumn))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

} // namespace views
