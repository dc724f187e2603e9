#pragma once

#include "views/profile/cost_table_model.h"
#include "views/session/view_feed.h"

#include <QSet>
#include <QWidget>

class QLineEdit;
class QMenu;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace views {

class ChoiceTabs;
class ElidedLabel;
class EmptyState;

/// Class, Ops and Apply tables, and the same by line, module and device, over one place, with filter, columns to choose, and copy. Rows and
/// nodes share the hub's selection.
class OperationsView : public QWidget {
    Q_OBJECT
public:
    explicit OperationsView(SelectionHub &hub, QWidget *parent = nullptr);

    void feed(const ViewFeed &feed);
    /// Replaces a table's rows; a running filter and the sorting stay.
    void setRows(CostTableKind kind, std::vector<CostRow> rows);
    void setTable(CostTableKind kind, std::shared_ptr<const CostTable> table);
    /// Shows why there is nothing instead of the table; an empty sentence shows the table.
    void setEmpty(const QString &sentence, const QString &action = {});
    void setKind(CostTableKind kind);
    /// Shows the lines of the script first, until another kind is chosen; a session that knows of none opens on ops.
    void openOnLines();
    CostTableKind kind() const;
    QTableView *table(CostTableKind kind) const;
    CostTableModel *model(CostTableKind kind) const;
    void setFilter(const QString &text);

public Q_SLOTS:
    void copyAsText();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Page {
        CostTableModel *model = nullptr;
        QSortFilterProxyModel *proxy = nullptr;
        QTableView *table = nullptr;
        QSet<CostTableModel::Column> hidden, wanted; ///< by choice
    };
    Page &page(CostTableKind kind) { return m_pages[static_cast<std::size_t>(kind)]; }
    void makePage(CostTableKind kind);
    void fitColumns(Page &page);
    void giveWay(Page &page);
    void fitKinds();
    void followSelection();
    void rowChosen(CostTableKind kind);
    void refreshCount();
    void showNode();
    void openMenu(CostTableKind kind, const QPoint &at);
    void fillMenu(QMenu &menu);
    void keepHidden();

    SelectionHub &m_hub;
    Page m_pages[6];
    ChoiceTabs *m_kinds;
    ElidedLabel *m_count;
    QLineEdit *m_filter;
    QToolButton *m_copy;
    QStackedWidget *m_stack;
    EmptyState *m_empty;
    bool m_following = false;
    bool m_hasPlace = false;
    bool m_opensOnLines = false;
};

} // namespace views
