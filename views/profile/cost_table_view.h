#pragma once

#include "views/common/data_table.h"
#include "views/profile/cost_table_model.h"

#include <QSet>

class QMenu;

namespace views {

/// One kind of table of costs, with columns to choose. The name comes last; where there is no room other columns give way to it.
class CostTableView : public DataTable {
    Q_OBJECT
public:
    explicit CostTableView(CostTableKind kind, QWidget *parent = nullptr);

    CostTableModel *rows() const { return m_rows; }
    /// New rows; filter, sorting and selection stay.
    void setTable(std::shared_ptr<const CostTable> table);
    /// The name of this kind of table in settings and files.
    QString id() const;
    static QString idOf(CostTableKind kind);
    /// The room that columns have.
    void setRoom(int width);
    /// Adds an entry for each column but the name, to show or hide it. The choice is kept.
    void addColumns(QMenu &menu);
    /// Asks where to, and writes the rows as shown, with all columns that are not hidden by choice; an error as one sentence.
    QString saveAsCsv();

protected:
    void fit() override;

private:
    void giveWay();
    void keepHidden();

    CostTableModel *m_rows;
    QSet<CostTableModel::Column> m_hidden, m_wanted; ///< by choice
    int m_room = -1;                                 ///< -1: it was not shown yet
};

} // namespace views
