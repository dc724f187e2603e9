#pragma once

#include "views/common/text_table.h"

#include <QTableView>

#include <utility>

class QSortFilterProxyModel;

namespace views {

/// A table of a model's rows in the style of the house: sorted, filtered, selected and copied in the same way on every page.
class DataTable : public QTableView {
    Q_OBJECT
public:
    /// `sortRole`: what a column is sorted by.
    DataTable(QAbstractItemModel *rows, int sortRole, const QString &name, QWidget *parent = nullptr);

    /// Only rows with this text in a column; -1: in any.
    void setFilter(const QString &text);
    void setFilterColumn(int column);
    /// The row of the model that is selected; -1: none.
    int chosenRow() const;
    /// The row of the model at a row of the table.
    int modelRow(const QModelIndex &shown) const;
    /// Selects a row of the model without rowChosen; -1: none.
    void markRow(int row);
    /// Changes rows or selection without rowChosen.
    template <class Change>
    void withoutSignal(Change change)
    {
        const bool before = std::exchange(m_isSilent, true);
        change();
        m_isSilent = before;
    }
    bool isSilent() const { return m_isSilent; }
    /// Header and rows as they are shown, a tab between cells: the selected ones, all if none is.
    QString asText() const;
    QString wholeAsText() const;
    /// Sorts by a column of the model; -1: the order of the model.
    void sortBy(int column, Qt::SortOrder order);

Q_SIGNALS:
    /// A person selected a row of the model.
    void rowChosen(int row);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    /// Sizes of the theme.
    virtual void fit();
    QSortFilterProxyModel &sorted() const { return *m_sorted; }

private:
    QSortFilterProxyModel *m_sorted;
    bool m_isSilent = false;
};

/// A DataTable with the rows of a TextTable.
class TextTableView : public DataTable {
    Q_OBJECT
public:
    explicit TextTableView(const QString &name, QWidget *parent = nullptr);
    void setTable(TextTable table);
    TextTableModel *rows() const { return m_rows; }
    /// Selects the row of a key without keyChosen; below 0: none.
    void markKey(std::int64_t key);

Q_SIGNALS:
    /// A person selected the row of a key.
    void keyChosen(qint64 key);

protected:
    void fit() override;

private:
    TextTableModel *m_rows;
};

} // namespace views
