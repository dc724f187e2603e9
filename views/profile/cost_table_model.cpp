#include "views/profile/cost_table_model.h"

#include "views/common/formats.h"
#include "views/common/tips.h"

namespace views {
namespace {

using Column = CostTableModel::Column;

bool isNumber(Column column) { return column != Column::Where && column != Column::Code && column != Column::Name; }
QString timeIfKnown(double time) { return time < 0 ? QString() : formats::time(time); }
QVariant rawIfKnown(double time) { return time < 0 ? QVariant() : QVariant(time); }

} // namespace

CostTableModel::CostTableModel(CostTableKind kind, QObject *parent) : QAbstractTableModel(parent), m_kind(kind)
{
    m_columns = {Column::Share, Column::Cumulative, Column::Seconds, Column::PerCall, Column::Where};
    switch (kind) {
    case CostTableKind::Class: m_columns.insert(m_columns.end(), {Column::Code, Column::Calls, Column::Applies, Column::Name}); break;
    case CostTableKind::Op: m_columns.insert(m_columns.end(), {Column::Code, Column::Calls, Column::Applies, Column::Name}); break;
    case CostTableKind::Apply: m_columns.insert(m_columns.end(), {Column::Calls, Column::Id, Column::Name}); break;
    case CostTableKind::Line:
    case CostTableKind::File:
    case CostTableKind::Device: m_columns.insert(m_columns.end(), {Column::Calls, Column::Applies, Column::Name}); break;
    }
}

CostTable::CostTable(std::vector<CostRow> given) : rows(std::move(given))
{
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
        const CostRow &row = rows[static_cast<std::size_t>(i)];
        for (std::int64_t apply : row.members) rowOfApply.insert(apply, i);
        hasBlocking = hasBlocking || row.blocking >= 0;
        hasDevice = hasDevice || row.onDevice >= 0;
        hasCalls = hasCalls || row.withCalls > row.share * (1 + 1e-9);
    }
}

void CostTableModel::setTable(std::shared_ptr<const CostTable> table)
{
    showColumn(Column::WithCalls, table->hasCalls, Column::Cumulative);
    showColumn(Column::Blocking, table->hasBlocking, Column::Where);
    showColumn(Column::OnDevice, table->hasDevice, Column::Where);
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

// Beside the times that every table has; the other columns keep their widths.
void CostTableModel::showColumn(Column column, bool on, Column before)
{
    const int now = columnOf(column);
    if (on == (now >= 0)) return;
    const int at = on ? columnOf(before) : now;
    if (on) {
        beginInsertColumns({}, at, at);
        m_columns.insert(m_columns.begin() + at, column);
        endInsertColumns();
    } else {
        beginRemoveColumns({}, at, at);
        m_columns.erase(m_columns.begin() + at);
        endRemoveColumns();
    }
}

int CostTableModel::columnOf(Column column) const
{
    for (int i = 0; i < static_cast<int>(m_columns.size()); ++i)
        if (m_columns[static_cast<std::size_t>(i)] == column) return i;
    return -1;
}

int CostTableModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_table->rows.size()); }

int CostTableModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_columns.size()); }

QVariant CostTableModel::display(const CostRow &row, Column column) const
{
    switch (column) {
    case Column::Share: return formats::percent(row.share);
    case Column::WithCalls: return row.withCalls < 0 ? QString() : formats::percent(row.withCalls);
    case Column::Cumulative: return formats::percent(row.cumulative);
    case Column::Seconds: return row.secondsText.isEmpty() ? formats::seconds(row.seconds) : row.secondsText;
    case Column::PerCall: return row.doubtful ? QLatin1Char('~') + formats::time(row.perCall) : formats::time(row.perCall);
    case Column::Blocking: return timeIfKnown(row.blocking);
    case Column::OnDevice: return timeIfKnown(row.onDevice);
    case Column::Where: return row.where;
    case Column::Code: return row.code;
    case Column::Calls: return formats::count(row.calls);
    case Column::Applies: return formats::count(row.applies);
    case Column::Id: return row.id < 0 ? QString() : formats::count(row.id);
    case Column::Name: return row.name;
    }
    return {};
}

QVariant CostTableModel::sortValue(const CostRow &row, Column column) const
{
    switch (column) {
    case Column::Share:
    case Column::Seconds: return row.seconds;
    case Column::WithCalls: return row.withCalls;
    case Column::Cumulative: return -row.cumulative;
    case Column::PerCall: return row.perCall;
    case Column::Blocking: return row.blocking;
    case Column::OnDevice: return row.onDevice;
    case Column::Calls: return static_cast<qlonglong>(row.calls);
    case Column::Applies: return row.applies;
    case Column::Id: return row.id;
    default: return display(row, column);
    }
}

// Shares of 1, seconds, counts.
QVariant CostTableModel::rawValue(const CostRow &row, Column column) const
{
    switch (column) {
    case Column::Share: return row.share;
    case Column::WithCalls: return rawIfKnown(row.withCalls);
    case Column::Cumulative: return row.cumulative;
    case Column::Blocking: return rawIfKnown(row.blocking);
    case Column::OnDevice: return rawIfKnown(row.onDevice);
    case Column::Id: return row.id < 0 ? QVariant() : QVariant(row.id);
    default: return sortValue(row, column);
    }
}

QVariant CostTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const CostRow &row = this->row(index.row());
    const Column column = columnAt(index.column());
    switch (role) {
    case Qt::DisplayRole: return display(row, column);
    case kSortRole: return sortValue(row, column);
    case kRawRole: return rawValue(row, column);
    case Qt::TextAlignmentRole: return static_cast<int>((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (column == Column::Name)
            return row.friendly.isEmpty() || row.friendly == row.name
                       ? tipText(row.name)
                       : QStringLiteral("%1<br>%2").arg(row.friendly.toHtmlEscaped(), row.name.toHtmlEscaped());
        return isNumber(column) ? tipText(row.quality) : QString();
    case kBarRole:
        if (column == Column::Share) return row.shareOfLargest;
        if (column == Column::PerCall) return row.perCallOfLargest;
        return {};
    case kBarColorRole: return static_cast<int>(column == Column::PerCall ? Color::BorderStrong : row.ink);
    case kHatchRole: return column == Column::Share && row.hatched;
    case kDoubtRole: return column == Column::PerCall && row.doubtful;
    case kPillRole: return column == Column::Where && !row.where.isEmpty() ? QVariant(row.where) : QVariant();
    case kInkRole: return static_cast<int>(row.ink);
    case kFillRole: return static_cast<int>(row.fill);
    case kMonoRole: return column == Column::Name;
    case kQuietRole: return column == Column::Cumulative;
    case kElideEndRole: return column == Column::Name && m_kind == CostTableKind::Line;
    default: return {};
    }
}

QVariant CostTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    struct Text {
        QString title;
        QString tip;
    };
    const auto text = [this](Column column) -> Text {
        switch (column) {
        case Column::Share: return {tr("% time"), tr("Share of the time spent in all thunks")};
        case Column::WithCalls: return {tr("With calls"), tr("Share of the time of all that was made by the line and by what it calls")};
        case Column::Cumulative: return {tr("Sum %"), tr("Share of this row and all rows above it, in the order of time")};
        case Column::Seconds: return {tr("Apply time"), tr("Total time of all calls, host clock unless the quality says otherwise")};
        case Column::PerCall:
            return {tr("Time per call"), m_table->hasBlocking ? tr("Async: by the host's clock, which goes on after each launch")
                                                              : tr("Total time divided by the number of calls")};
        case Column::Blocking:
            return {tr("Blocking"), tr("Per call with CUDA_LAUNCH_BLOCKING=1, in a run of its own: the host waits for each launch")};
        case Column::OnDevice: return {tr("On device"), tr("Per call by the device's clock")};
        case Column::Where: return {tr("Where"), tr("The device that does the work; copy: a transfer between devices")};
        case Column::Code: return {tr("Type"), tr("What runs it: C for generated or library code, Py for Python")};
        case Column::Calls:
            return {tr("#call"), m_kind == CostTableKind::Line || m_kind == CostTableKind::File
                                     ? tr("How often it ran: once for each call of its function, however many applies it made")
                                     : tr("How often it ran, all applies together")};
        case Column::Applies: return {tr("#apply"), tr("How many applies of the optimized graphs are in this row")};
        case Column::Id: return {tr("id"), tr("Position in the order of execution")};
        case Column::Name:
            switch (m_kind) {
            case CostTableKind::Class: return {tr("Class name"), tr("Class of the op")};
            case CostTableKind::Op: return {tr("Op name"), tr("Exact name of the op with its parameters")};
            case CostTableKind::Apply: return {tr("Apply name"), tr("Exact name of the op with its inputs")};
            case CostTableKind::Line:
                return {tr("Line"), tr("Of the script or of a module; an apply of several lines is split among them")};
            case CostTableKind::File: return {tr("Module"), tr("The file of the lines")};
            case CostTableKind::Device: return {tr("Device"), tr("Where the applies run")};
            }
        }
        return {};
    }(columnAt(section));
    if (role == Qt::DisplayRole) return text.title;
    if (role == kRawRole) { // with the unit of the raw values
        const Column column = columnAt(section);
        const bool isTime =
            column == Column::Seconds || column == Column::PerCall || column == Column::Blocking || column == Column::OnDevice;
        return isTime ? text.title + QStringLiteral(" (s)") : text.title;
    }
    if (role == Qt::ToolTipRole) return text.tip;
    const bool hasBar = columnAt(section) == Column::Share || columnAt(section) == Column::PerCall;
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((isNumber(columnAt(section)) && !hasBar ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace views
