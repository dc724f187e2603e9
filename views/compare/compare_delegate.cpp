#include "views/compare/compare_delegate.h"

#include "views/common/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace views {

namespace {

constexpr int kBarColumn = 2, kDeltaColumn = 3;

}

void CompareDelegate::setRows(std::shared_ptr<const CompareRows> rows, CompareTable table)
{
    m_rows = std::move(rows);
    m_table = table;
    m_deltas.clear();
    if (table == CompareTable::Classes)
        for (const profiler::ExplainedPart &part : m_rows->explanation.parts) m_deltas.push_back(part.deltaNs());
    if (table == CompareTable::Devices)
        for (const profiler::DevicePair &pair : m_rows->devices) m_deltas.push_back(pair.deltaNs());
}

void CompareDelegate::setDeltas(std::vector<double> deltas)
{
    m_rows = nullptr;
    m_deltas = std::move(deltas);
}

int CompareDelegate::barColumn() const
{
    const bool isJudged = m_rows && (m_table == CompareTable::Applies || m_table == CompareTable::Functions);
    return isJudged || !m_deltas.empty() ? kBarColumn : -1;
}

void CompareDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    TextTableDelegate::paint(painter, option, index);
    const std::int64_t key = index.data(TextTableModel::kKeyRole).toLongLong();
    const Theme &theme = Theme::current();
    if (!m_deltas.empty()) {
        if (index.column() != kBarColumn || key < 0 || key >= static_cast<std::int64_t>(m_deltas.size())) return;
        double largest = 0;
        for (const double delta : m_deltas) largest = std::max(largest, std::abs(delta));
        paintBar(painter, option, m_deltas[static_cast<std::size_t>(key)], largest, profiler::Change::Same);
        return;
    }
    if (!m_rows) return;
    if (m_table == CompareTable::Script && key >= 0 && key < static_cast<std::int64_t>(m_rows->script.size())) {
        const profiler::DiffLine &line = m_rows->script[static_cast<std::size_t>(key)];
        if (line.isSame()) return;
        // A bar of the side's colour, beside the sign.
        painter->fillRect(
            QRectF(option.rect.left(), option.rect.top(), index.column() == kBarColumn ? theme.px(3) : 0, option.rect.height() - 1),
            theme.color(line.a ? Color::SideA : Color::SideB));
        return;
    }
    if (index.column() != kBarColumn || (m_table != CompareTable::Applies && m_table != CompareTable::Functions)) return;
    const profiler::ComparedRow *row = m_rows->row(m_table, key);
    if (!row) return;
    double largest = m_rows->verdict.largestNs;
    if (m_table == CompareTable::Functions)
        for (const profiler::ComparedRow &one : m_rows->comparison.functions)
            if (one.isPaired()) largest = std::max(largest, std::abs(one.deltaNs));
    paintBar(painter, option, row->deltaNs, largest, profiler::changeOf(*row));
}

QColor CompareDelegate::inkOf(const QModelIndex &index) const
{
    const bool pairs = m_table == CompareTable::Applies || m_table == CompareTable::Functions;
    const profiler::ComparedRow *row = m_rows && pairs && index.column() == kDeltaColumn
                                           ? m_rows->row(m_table, index.data(TextTableModel::kKeyRole).toLongLong())
                                           : nullptr;
    const profiler::Change change = row ? profiler::changeOf(*row) : profiler::Change::Same;
    if (change == profiler::Change::Same) return TextTableDelegate::inkOf(index);
    return Theme::current().color(change == profiler::Change::Worse ? Color::Worse : Color::Better);
}

void CompareDelegate::paintBar(QPainter *painter, const QStyleOptionViewItem &option, double deltaNs, double largest,
                               profiler::Change change) const
{
    const Theme &theme = Theme::current();
    const QRectF cell = QRectF(option.rect).adjusted(theme.px(8), 0, -theme.px(8), -1);
    const double middle = std::floor(cell.center().x());
    const double width = largest > 0 ? std::abs(deltaNs) / largest * cell.width() / 2 : 0;
    const Color ink = change == profiler::Change::Worse ? Color::Worse : change == profiler::Change::Better ? Color::Better : Color::Same;
    const double height = theme.px(10);
    const QRectF bar(deltaNs > 0 ? middle + 1 : middle - width, cell.center().y() - height / 2, std::max(width, deltaNs == 0 ? 0.0 : 1.0),
                     height);
    if (change == profiler::Change::Same) { // may be chance: an outline
        painter->setPen(QPen(theme.color(ink), 1));
        painter->setBrush(Qt::NoBrush);
        if (bar.width() >= 2) painter->drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
        else painter->fillRect(bar, theme.color(ink));
    } else {
        painter->fillRect(bar, theme.color(ink));
    }
    painter->fillRect(QRectF(middle, option.rect.top(), 1, option.rect.height() - 1), theme.color(Color::BorderStrong));
}

} // namespace views
