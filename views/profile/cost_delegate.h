#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>

namespace views {

/// Header of a cost table: 11/600, aligned as its cells, an arrow after the sorted column.
class CostHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit CostHeader(QWidget *parent = nullptr);

protected:
    void paintSection(QPainter *painter, const QRect &rect, int section) const override;
};

/// Draws the cells of a cost table: tabular numbers, bars, pills, mono names elided in the middle, hairlines.
class CostDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    /// Width that a column wants at 100 %, by what it draws; 0: takes the rest.
    static int columnWidth(const QModelIndex &index);
};

} // namespace views
