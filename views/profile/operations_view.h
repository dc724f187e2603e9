#pragma once

#include "views/common/table_panel.h"
#include "views/profile/cost_table_view.h"
#include "views/session/view_feed.h"

#include <array>

class QLineEdit;
class QMenu;

namespace views {

class ChoiceTabs;

/// Class, Ops and Apply tables, and the same by line, module and device, over one place, with filter, columns to choose, and copy. Rows and
/// nodes share the hub's selection.
class OperationsView : public TablePanel {
    Q_OBJECT
public:
    explicit OperationsView(SelectionHub &hub, QWidget *parent = nullptr);

    void feed(const ViewFeed &feed);
    /// Replaces a table's rows; a running filter and the sorting stay.
    void setRows(CostTableKind kind, std::vector<CostRow> rows);
    void setTable(CostTableKind kind, std::shared_ptr<const CostTable> table);
    /// Shows why there is nothing instead of the table; an empty sentence shows the table.
    void setEmpty(const QString &sentence, const QString &action = {})
    {
        TablePanel::setEmpty(QStringLiteral("operations"), sentence, action);
    }
    void setKind(CostTableKind kind);
    /// Shows the lines of the script first, until another kind is chosen; a session that knows of none opens on ops.
    void openOnLines();
    CostTableKind kind() const;
    CostTableView *table(CostTableKind kind) const { return m_tables[static_cast<std::size_t>(kind)]; }
    CostTableModel *model(CostTableKind kind) const { return table(kind)->rows(); }
    void setFilter(const QString &text);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void connectTable(CostTableView *table);
    void fitKinds();
    void followSelection();
    void rowChosen(const CostRow &row);
    void refreshCount();
    void showNode();
    void openMenu(CostTableView *table, const QPoint &at);
    void fillMenu(QMenu &menu);

    SelectionHub &m_hub;
    std::array<CostTableView *, 6> m_tables; ///< by kind
    ChoiceTabs *m_kinds;
    QLineEdit *m_filter;
    bool m_opensOnLines = false;
};

} // namespace views
