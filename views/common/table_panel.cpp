#include "views/common/table_panel.h"

#include "views/common/context_menu.h"
#include "views/common/controls.h"
#include "views/common/data_table.h"
#include "views/common/palette.h"
#include "views/common/panels.h"

#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace views {

TablePanel::TablePanel(QWidget *parent) : QWidget(parent)
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    m_bar = new QWidget;
    m_bar->setMinimumWidth(1); // the choices follow the width, not the other way round
    m_row = new QHBoxLayout(m_bar);
    m_row->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(6));
    m_row->setSpacing(theme.px(10));
    m_left = new QHBoxLayout;
    m_left->setSpacing(theme.px(10));
    m_right = new QHBoxLayout;
    m_right->setSpacing(theme.px(8));
    m_caption = new ElidedLabel(QString(), FontRole::Cell, "secondary");
    m_copy = iconButton(QStringLiteral("copy"), tr("Copy the table as text"));
    m_row->addLayout(m_left);
    m_row->addWidget(m_caption, 1);
    m_row->addLayout(m_right);
    m_row->addWidget(m_copy);
    outer->addWidget(m_bar);
    outer->addWidget(new Hairline);
    m_empty = new EmptyState;
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_empty);
    outer->addWidget(m_stack, 1);
    connect(m_copy, &QToolButton::clicked, this, &TablePanel::copyAsText);
    connect(m_empty, &EmptyState::actionTriggered, this, &TablePanel::actionTriggered);
}

void TablePanel::addLeft(QWidget *widget) { m_left->addWidget(widget); }
void TablePanel::addRight(QWidget *widget) { m_right->addWidget(widget); }
void TablePanel::addBeforeCopy(QWidget *widget) { m_row->insertWidget(m_row->indexOf(m_copy), widget); }
void TablePanel::addLast(QWidget *widget) { m_row->addWidget(widget); }

void TablePanel::addPage(QWidget *page)
{
    m_stack->addWidget(page);
    if (!m_page) showPage(page);
}

void TablePanel::showPage(QWidget *page)
{
    m_page = page;
    if (auto *table = qobject_cast<DataTable *>(page)) m_copied = table;
    if (!m_isEmpty) m_stack->setCurrentWidget(page);
}

void TablePanel::setCaption(const QString &text) { m_caption->setText(text); }
QString TablePanel::caption() const { return m_caption->text(); }

void TablePanel::setEmpty(const QString &icon, const QString &sentence, const QString &action)
{
    m_isEmpty = !sentence.isEmpty();
    if (m_isEmpty) m_empty->show(icon, sentence, action);
    m_stack->setCurrentWidget(m_isEmpty ? m_empty : m_page);
}

QString TablePanel::sentence() const { return m_isEmpty ? m_empty->sentence() : QString(); }

void TablePanel::setBarVisible(bool visible) { m_bar->setVisible(visible); }

void TablePanel::copyAsText()
{
    if (m_copied) copyText(m_copied->wholeAsText());
}

} // namespace views
