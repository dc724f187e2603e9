#include "views/steps/steps_model.h"

#include "views/common/formats.h"
#include "views/common/theme.h"

#include <QLocale>

#include <algorithm>

namespace views {

StepsModel::StepsModel(QObject *parent) : QAbstractItemModel(parent) {}

StepsModel::~StepsModel() = default;

int StepsModel::add(Row row, int parent)
{
    row.parent = parent;
    auto &siblings = parent < 0 ? m_top : m_rows[parent].children;
    row.place = static_cast<int>(siblings.size());
    siblings.push_back(static_cast<int>(m_rows.size()));
    m_rows.push_back(std::move(row));
    return static_cast<int>(m_rows.size()) - 1;
}

void StepsModel::setSteps(std::vector<profiler::StepInfo> steps, std::vector<profiler::PassInfo> passes)
{
    beginResetModel();
    m_rows.clear();
    m_top.clear();
    m_rowOfStep.assign(steps.size(), -1);
    const Theme &theme = Theme::current();
    auto canonical = [&](const std::string &phase) { return theme.phase(QString::fromStdString(phase)).name; };
    // A session that was cut off in a pass has steps without it: they get a pass of their own.
    std::vector<char> covered(steps.size(), 0);
    for (const profiler::PassInfo &pass : passes)
        for (int i = 0; i < pass.stepCount; ++i)
            if (const int step = pass.firstStep + i; step >= 0 && step < static_cast<int>(steps.size())) covered[step] = 1;
    for (std::size_t i = 1; i < steps.size(); ++i)
        if (!covered[i]) {
            profiler::PassInfo pass;
            pass.phase = steps[i].phase;
            pass.firstStep = static_cast<int>(i);
            while (i < steps.size() && !covered[i] && steps[i].phase == pass.phase) {
                pass.ns += steps[i].ns;
                ++pass.stepCount;
                ++i;
            }
            --i;
            passes.push_back(pass);
        }
    std::stable_sort(passes.begin(), passes.end(), [](const auto &a, const auto &b) { return a.firstStep < b.firstStep; });
    auto passesInRun = [&](std::size_t first) {
        std::size_t last = first;
        while (last < passes.size() && canonical(passes[last].phase) == canonical(passes[first].phase)) ++last;
        return last;
    };
    for (std::size_t first = 0; first < passes.size();) {
        const std::size_t last = passesInRun(first);
        Row phase;
        phase.phase = phase.name = canonical(passes[first].phase);
        const int phaseRow = add(phase, -1);
        for (std::size_t p = first; p < last; ++p) {
            const profiler::PassInfo &pass = passes[p];
            int holder = phaseRow;
            if (last - first > 1) { // a phase of one pass shows its rewrites directly
                Row row;
                row.kind = Kind::Pass;
                row.phase = m_rows[phaseRow].phase;
                row.name = pass.name.empty() ? tr("unnamed pass") : QString::fromStdString(pass.name);
                if (pass.iteration > 0) row.name += tr(", round %1").arg(pass.iteration + 1);
                row.pass = pass.index;
                row.ns = pass.ns;
                holder = add(row, phaseRow);
            }
            m_rows[phaseRow].ns += pass.ns;
            for (int i = 0; i < pass.stepCount; ++i) {
                const int number = pass.firstStep + i;
                if (number < 1 || number >= static_cast<int>(steps.size())) continue;
                const profiler::StepInfo &step = steps[number];
                Row row;
                row.kind = Kind::Step;
                row.phase = m_rows[phaseRow].phase;
                row.name = QString::fromStdString(step.rewrite);
                row.reason = QString::fromStdString(step.reason);
                row.step = number;
                row.ns = step.ns;
                row.nodes = step.nodesAfter - step.nodesBefore;
                row.changes = 1;
                m_rowOfStep[number] = add(row, holder);
                for (int up = holder; up >= 0; up = m_rows[up].parent) {
                    ++m_rows[up].changes;
                    m_rows[up].nodes += row.nodes;
                    if (m_rows[up].step < 0) m_rows[up].step = number;
                }
            }
        }
        first = last;
    }
    endResetModel();
}

QModelIndex StepsModel::indexOfStep(int step) const
{
    if (step < 0 || step >= static_cast<int>(m_rowOfStep.size()) || m_rowOfStep[step] < 0) return {};
    const int row = m_rowOfStep[step];
    return createIndex(m_rows[row].place, 0, static_cast<quintptr>(row));
}

int StepsModel::stepCount() const
{
    return static_cast<int>(std::count_if(m_rowOfStep.begin(), m_rowOfStep.end(), [](int row) { return row >= 0; }));
}

std::int64_t StepsModel::totalNs() const
{
    std::int64_t total = 0;
    for (int row : m_top) total += m_rows[row].ns;
    return total;
}

QModelIndex StepsModel::index(int row, int column, const QModelIndex &parent) const
{
    const auto &siblings = parent.isValid() ? m_rows[parent.internalId()].children : m_top;
    if (row < 0 || row >= static_cast<int>(siblings.size()) || column < 0 || column >= ColumnCount || parent.column() > 0) return {};
    return createIndex(row, column, static_cast<quintptr>(siblings[row]));
}

QModelIndex StepsModel::parent(const QModelIndex &child) const
{
    if (!child.isValid()) return {};
    const int parent = m_rows[child.internalId()].parent;
    return parent < 0 ? QModelIndex() : createIndex(m_rows[parent].place, 0, static_cast<quintptr>(parent));
}

int StepsModel::rowCount(const QModelIndex &parent) const
{
    if (parent.column() > 0) return 0;
    return static_cast<int>(parent.isValid() ? m_rows[parent.internalId()].children.size() : m_top.size());
}

int StepsModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant StepsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid()) return {};
    const Row &row = m_rows[index.internalId()];
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == NameColumn) return row.name;
        if (index.column() == TimeColumn)
            return row.kind == Kind::Step ? QLocale::c().toString(row.ns * 1e-3, 'f', row.ns < 10'000 ? 1 : 0) : formats::timeNs(row.ns);
        return row.changes > 0 ? formats::signedCount(row.nodes) : QString();
    case Qt::TextAlignmentRole:
        return index.column() == NameColumn ? int(Qt::AlignLeft | Qt::AlignVCenter) : int(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ToolTipRole:
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
               : section == TimeColumn ? tr("Time that the compiler spent; microseconds for a rewrite")
                                       : tr("Applies more or less than before");
    if (role != Qt::DisplayRole) return {};
    return section == NameColumn ? tr("Rewrite") : section == TimeColumn ? tr("µs") : tr("nodes");
}

} // namespace views
