#include "views/steps/steps_model.h"

#include "views/common/formats.h"

namespace views {

StepsModel::StepsModel(QObject *parent)
    : QAbstractItemModel(parent),
      m_rows(std::make_shared<const StepRows>(std::vector<profiler::StepInfo>(), std::vector<profiler::PassInfo>()))
{}

StepsModel::~StepsModel() = default;

void StepsModel::setRows(std::shared_ptr<const StepRows> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void StepsModel::setSteps(const std::vector<profiler::StepInfo> &steps, std::vector<profiler::PassInfo> passes)
{
    setRows(std::make_shared<const StepRows>(steps, std::move(passes)));
}

QModelIndex StepsModel::indexOfStep(int step) const
{
    if (step < 0 || step >= static_cast<int>(m_rows->rowOfStep.size()) || m_rows->rowOfStep[step] < 0) return {};
    const int row = m_rows->rowOfStep[step];
    return createIndex(m_rows->rows[row].place, 0, static_cast<quintptr>(row));
}

int StepsModel::stepCount() const { return m_rows->stepCount; }

std::int64_t StepsModel::totalNs() const
{
    std::int64_t total = 0;
    for (int row : m_rows->top) total += m_rows->rows[row].ns;
    return total;
}

QModelIndex StepsModel::index(int row, int column, const QModelIndex &parent) const
{
    const auto &siblings = parent.isValid() ? m_rows->rows[parent.internalId()].children : m_rows->top;
    if (row < 0 || row >= static_cast<int>(siblings.size()) || column < 0 || column >= ColumnCount || parent.column() > 0) return {};
    return createIndex(row, column, static_cast<quintptr>(siblings[row]));
}

QModelIndex StepsModel::parent(const QModelIndex &child) const
{
    if (!child.isValid()) return {};
    const int parent = m_rows->rows[child.internalId()].parent;
    return parent < 0 ? QModelIndex() : createIndex(m_rows->rows[parent].place, 0, static_cast<quintptr>(parent));
}

int StepsModel::rowCount(const QModelIndex &parent) const
{
    if (parent.column() > 0) return 0;
    return static_cast<int>(parent.isValid() ? m_rows->rows[parent.internalId()].children.size() : m_rows->top.size());
}

int StepsModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant StepsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid()) return {};
    const StepRow &row = m_rows->rows[index.internalId()];
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == NameColumn) return row.name;
        if (index.column() == TimeColumn) return formats::timeNs(row.ns);
        return row.changes > 0 ? formats::signedCount(row.nodes) : QString();
    case Qt::TextAlignmentRole:
        return index.column() == NameColumn ? int(Qt::AlignLeft | Qt::AlignVCenter) : int(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (row.kind == Kind::Group) return tr("%1 × %2").arg(formats::count(row.changes), row.name);
        if (row.kind == Kind::Step) return row.reason.isEmpty() ? row.name : row.name + u'\n' + row.reason;
        return tr("%1: changes %2").arg(row.name).arg(row.changes);
    case KindRole: return static_cast<int>(row.kind);
    case StepRole: return row.step;
    case PhaseRole: return row.phase;
    case SortRole:
        return index.column() == TimeColumn    ? QVariant(qlonglong(row.ns))
               : index.column() == NodesColumn ? QVariant(row.nodes)
                                               : QVariant(row.step);
    case ChangesRole: return row.changes;
    case ReasonRole: return row.reason;
    case StepCountRole: return m_rows->stepCount;
    default: return {};
    }
}

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return section == NameColumn ? int(Qt::AlignLeft | Qt::AlignVCenter) : int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return section == NameColumn   ? tr("Rewrites that changed the graph, by phase and pass")
               : section == TimeColumn ? tr("Time that the compiler spent")
                                       : tr("Applies more or less than before");
    if (role != Qt::DisplayRole) return {};
    return section == NameColumn ? tr("Rewrite") : section == TimeColumn ? tr("time") : tr("nodes");
}

} // namespace views
