#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/compare/compare_rows.h"
#endif

namespace views {

/// Bars around a line of zero, better left and worse right; lines of a script that are only on one side.
class CompareDelegate : public TextTableDelegate {
public:
    using TextTableDelegate::TextTableDelegate;
    void setRows(std::shared_ptr<const CompareRows> rows, CompareTable table);
    /// Bars alone: nobody judged whether these may be chance. A row's key is the place of its difference, in ns.
    void setDeltas(std::vector<double> deltas);
    /// -1: this table has none.
    int barColumn() const;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    QColor inkOf(const QModelIndex &index) const override;

private:
    void paintBar(QPainter *painter, const QStyleOptionViewItem &option, double deltaNs, double largest, profiler::Change change) const;
    std::shared_ptr<const CompareRows> m_rows;
    CompareTable m_table = CompareTable::Applies;
    std::vector<double> m_deltas;
};

} // namespace views
