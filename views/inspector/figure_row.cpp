#include "views/inspector/figure_row.h"

#include "views/common/controls.h"

#include <algorithm>

namespace views {

FigureRow::FigureRow(QWidget *parent) : QWidget(parent), m_cellsLayout(new QBoxLayout(QBoxLayout::LeftToRight, this))
{
    m_cellsLayout->setContentsMargins(0, 0, 0, 0);
    m_cellsLayout->setSpacing(0);
}

void FigureRow::add(const QString &value, const QString &label, const QString &quality)
{
    if (!m_cells.empty()) {
        m_lines.push_back(new Hairline(Qt::Vertical));
        m_cellsLayout->addWidget(m_lines.back());
    }
    auto *cell = new QBoxLayout(QBoxLayout::TopToBottom);
    auto *number = new ElidedLabel(value, FontRole::Title);
    if (!quality.isEmpty()) number->setToolTip(quality);
    cell->addWidget(number);
    cell->addWidget(new ElidedLabel(label, FontRole::Caption, "muted"));
    m_cellsLayout->addLayout(cell, 1);
    m_cells.push_back(cell);
    m_widest = std::max(m_widest, QFontMetrics(Theme::current().font(FontRole::Title)).horizontalAdvance(value));
    arrange();
}

void FigureRow::arrange()
{
    const Theme &theme = Theme::current();
    const bool beside = static_cast<int>(m_cells.size()) * (m_widest + theme.px(18)) <= width();
    m_cellsLayout->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    for (QWidget *line : m_lines) line->setVisible(beside);
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        m_cells[i]->setDirection(beside ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
        m_cells[i]->setContentsMargins(theme.px(12), beside || i == 0 ? theme.px(8) : 0, theme.px(beside ? 4 : 12), theme.px(8));
        m_cells[i]->setSpacing(beside ? 0 : theme.px(8));
    }
}

void FigureRow::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace views
