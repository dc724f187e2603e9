#pragma once

#include <QAbstractTableModel>
#include <QList>
#include <QString>
#include <QStyledItemDelegate>

#include <vector>

namespace views {

/// The numbers of a picture as rows, made once per picture.
struct TextTable {
    struct Column {
        QString title;
        QString tip;
        bool number = false; ///< right aligned, sorted by `value`
        bool mono = false;
        int width = 96; ///< at 100 %; the last column takes what is left
    };
    struct Cell {
        QString text;
        double value = 0;
    };
    struct Row {
        std::vector<Cell> cells;
        std::int64_t key = -1; ///< what it stands for in its picture
    };
    std::vector<Column> columns;
    std::vector<Row> rows;
};

/// A cell of a number; its text is what is shown.
inline TextTable::Cell numberCell(const QString &text, double value) { return {text, value}; }

class TextTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    static constexpr int kValueRole = Qt::UserRole + 1; ///< what a column is sorted by
    static constexpr int kKeyRole = Qt::UserRole + 2;

    void setTable(TextTable table);
    const TextTable &table() const { return m_table; }
    /// The first row of a key; -1: none.
    int rowOf(std::int64_t key) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    TextTable m_table;
};

/// Hairlines between rows, digits of one width, names elided in the middle.
class TextTableDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    /// The colour of a cell's text.
    virtual QColor inkOf(const QModelIndex &index) const;
};

/// Header and rows (all when none are named), a tab between cells: for the clipboard.
QString tableAsText(const QAbstractItemModel &model, const QList<int> &rows = {});

} // namespace views
