#pragma once

#include "views/common/theme.h"

#include "views/common/text_table.h"

#include <QAbstractTableModel>
#include <QHash>

#include <cstdint>
#include <memory>
#include <vector>

namespace views {

enum class CostTableKind { Class, Op, Apply, Line, File, Device };

/// One row of a table of costs: numbers as profiler/stats gives them, nothing is computed here.
struct CostRow {
    QString name; ///< class, op or apply name, exact
    QString friendly;
    double share = 0;      ///< of the time in thunks
    double cumulative = 0; ///< running sum in the default order
    double seconds = 0;
    QString secondsText;         ///< in the unit of the table's largest
    double withCalls = -1;       ///< of a line, of the time in thunks: with what it calls; negative: not of a line
    double perCall = 0;          ///< seconds
    double blocking = -1;        ///< seconds per call where each launch waits; negative: not known, or no other than perCall
    double onDevice = -1;        ///< seconds per call by the device's clock; negative: nothing of it ran there
    double shareOfLargest = 0;   ///< bar of the share, 0 … 1
    double perCallOfLargest = 0; ///< bar of the time per call, 0 … 1
    QString where;               ///< "CPU", "GPU", "copy"
    Color ink = Color::Cpu;
    Color fill = Color::SoftCpu;
    bool hatched = false; ///< transfers
    QString code;         ///< "C", "Py"
    std::int64_t calls = 0;
    int applies = 0;
    int id = -1;     ///< position in the order of execution
    QString quality; ///< count, spread, clock: the tool tip of the numbers
    bool doubtful = false;
    bool isOfLine = false;             ///< a line or a file is known
    QString function;                  ///< name, when the table spans several
    std::vector<std::int64_t> members; ///< apply ids of the selected function, the slowest first
};

/// A table that never changes, with the way from an apply to its row.
struct CostTable {
    CostTable() = default;
    explicit CostTable(std::vector<CostRow> rows);

    std::vector<CostRow> rows; ///< in the default order: the most time first
    QHash<std::int64_t, int> rowOfApply;
    bool hasBlocking = false; ///< some row knows it
    bool hasDevice = false;
    bool hasCalls = false; ///< some line calls others
};

/// Roles beside display: what sorts, what a bar delegate draws.
enum CostRole {
    kSortRole = Qt::UserRole + 1,
    kBarRole,      ///< double 0 … 1; invalid: no bar
    kBarColorRole, ///< int of Color
    kHatchRole,    ///< bool
    kPillRole,     ///< QString; ink and fill roles give its colours
    kInkRole,
    kFillRole,
    kMonoRole,
    kDoubtRole,
    kQuietRole,    ///< bool: less than the numbers beside it
    kElideEndRole, ///< bool: what has no room is left out at the end, not in the middle
    kRawRole,      ///< a number without its unit: for files
};

/// Class, Op or Apply table with Theano's columns, or the same time by line, file or device. WithCalls, Blocking and OnDevice are among the
/// columns only where the table has them.
class CostTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Column { Share, WithCalls, Cumulative, Seconds, PerCall, Blocking, OnDevice, Where, Code, Calls, Applies, Id, Name };
    Q_ENUM(Column)

    explicit CostTableModel(CostTableKind kind, QObject *parent = nullptr);

    void setTable(std::shared_ptr<const CostTable> table);
    void setRows(std::vector<CostRow> rows) { setTable(std::make_shared<const CostTable>(std::move(rows))); }
    const CostRow &row(int index) const { return m_table->rows[static_cast<std::size_t>(index)]; }
    CostTableKind kind() const { return m_kind; }
    Column columnAt(int column) const { return m_columns[static_cast<std::size_t>(column)]; }
    int columnOf(Column column) const;
    /// Row that holds the apply, or -1.
    int rowOfApply(std::int64_t apply) const { return m_table->rowOfApply.value(apply, -1); }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void showColumn(Column column, bool on, Column before);
    QVariant display(const CostRow &row, Column column) const;
    QVariant sortValue(const CostRow &row, Column column) const;
    QVariant rawValue(const CostRow &row, Column column) const;

    CostTableKind m_kind;
    std::vector<Column> m_columns;
    std::shared_ptr<const CostTable> m_table = std::make_shared<const CostTable>();
};

} // namespace views
