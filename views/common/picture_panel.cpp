#include "views/common/picture_panel.h"

#include "views/common/choice_tabs.h"
#include "views/common/controls.h"
#include "views/common/panels.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace views {
namespace {

constexpr int kLeastCaption = 60; // at 100 %

} // namespace

PicturePanel::PicturePanel(const QString &name, QWidget *picture, QWidget *parent) : QWidget(parent), m_picture(picture)
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    m_bar = new QWidget;
    m_bar->setMinimumWidth(1); // the choices follow the width, not the other way round
    auto *bar = new QHBoxLayout(m_bar);
    bar->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(6));
    bar->setSpacing(theme.px(10));
    m_left = new QHBoxLayout;
    m_left->setSpacing(theme.px(10));
    m_right = new QHBoxLayout;
    m_right->setSpacing(theme.px(8));
    m_caption = new ElidedLabel(QString(), FontRole::Cell, "secondary");
    m_kind = new ChoiceTabs(tr("%1 as a picture or as a table").arg(name));
    m_kind->addChoice(QStringLiteral("picture"), tr("Picture"));
    m_kind->addChoice(QStringLiteral("table"), tr("Table"));
    auto *copy = iconButton(QStringLiteral("copy"), tr("Copy the table as text"));
    bar->addLayout(m_left);
    bar->addWidget(m_caption, 1);
    bar->addLayout(m_right);
    bar->addWidget(m_kind);
    bar->addWidget(copy);
    m_copy = copy;
    outer->addWidget(m_bar);
    outer->addWidget(new Hairline);

    m_model = new TextTableModel(this);
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(TextTableModel::kValueRole);
    m_table = makeTable(m_proxy, name);
    picture->setAccessibleName(name);
    m_empty = new EmptyState;
    m_stack = new QStackedWidget;
    for (QWidget *page : {picture, static_cast<QWidget *>(m_table), static_cast<QWidget *>(m_empty)}) m_stack->addWidget(page);
    outer->addWidget(m_stack, 1);

    connect(m_kind, &ChoiceTabs::currentChanged, this, &PicturePanel::refresh);
    connect(copy, &QToolButton::clicked, this, &PicturePanel::copyAsText);
    connect(m_empty, &EmptyState::actionTriggered, this, &PicturePanel::actionTriggered);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QModelIndexList rows = m_table->selectionModel()->selectedRows();
        if (!m_following && !rows.isEmpty()) Q_EMIT keyChosen(rows.first().data(TextTableModel::kKeyRole).toLongLong());
    });
    auto *copyKey = new QShortcut(QKeySequence::Copy, m_table);
    copyKey->setContext(Qt::WidgetShortcut);
    connect(copyKey, &QShortcut::activated, this, &PicturePanel::copyAsText);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        fitColumns();
        fitChoices();
    });
    m_kind->setCurrent(QStringLiteral("picture"));
    fitColumns();
}

void PicturePanel::addLeft(QWidget *widget) { m_left->addWidget(widget); }
void PicturePanel::addRight(QWidget *widget) { m_right->addWidget(widget); }
void PicturePanel::setCaption(const QString &text) { m_caption->setText(text); }
QString PicturePanel::caption() const { return m_caption->text(); }

void PicturePanel::setTable(TextTable table)
{
    const bool sameColumns = m_model->columnCount() == static_cast<int>(table.columns.size());
    m_following = true;
    m_model->setTable(std::move(table));
    m_following = false;
    if (!sameColumns) fitColumns();
}

void PicturePanel::setEmpty(const QString &icon, const QString &sentence, const QString &action)
{
    m_isEmpty = !sentence.isEmpty();
    if (m_isEmpty) m_empty->show(icon, sentence, action);
    refresh();
}

bool PicturePanel::isEmpty() const { return m_isEmpty; }
QString PicturePanel::sentence() const { return m_isEmpty ? m_empty->sentence() : QString(); }

void PicturePanel::showTable(bool table) { m_kind->setCurrent(table ? QStringLiteral("table") : QStringLiteral("picture")); }
bool PicturePanel::showsTable() const { return m_kind->current() == QLatin1String("table"); }

void PicturePanel::selectKey(std::int64_t key)
{
    m_following = true;
    const int row = key < 0 ? -1 : m_model->rowOf(key);
    const QModelIndex index = row < 0 ? QModelIndex() : m_proxy->mapFromSource(m_model->index(row, 0));
    if (index.isValid()) {
        m_table->selectRow(index.row());
        m_table->scrollTo(index);
    } else {
        m_table->clearSelection();
    }
    m_following = false;
}

void PicturePanel::copyAsText()
{
    QList<int> rows;
    if (qobject_cast<QShortcut *>(sender()))
        for (const QModelIndex &index : m_table->selectionModel()->selectedRows()) rows << index.row();
    QApplication::clipboard()->setText(tableAsText(*m_proxy, rows));
}

void PicturePanel::refresh()
{
    m_bar->setVisible(!m_isEmpty);
    m_stack->setCurrentWidget(m_isEmpty ? static_cast<QWidget *>(m_empty) : showsTable() ? static_cast<QWidget *>(m_table) : m_picture);
}

void PicturePanel::fitColumns() { fitTable(*m_table, m_model->table()); }

void PicturePanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitChoices();
}

// Those of the view become a box before picture and table do.
void PicturePanel::fitChoices()
{
    const Theme &theme = Theme::current();
    int room = width() - theme.px(12 + 12 + 4 * 10 + kLeastCaption) - m_right->minimumSize().width() - m_copy->sizeHint().width();
    std::vector<ChoiceTabs *> all;
    for (int i = 0; i < m_left->count(); ++i) {
        QWidget *widget = m_left->itemAt(i)->widget();
        if (auto *tabs = qobject_cast<ChoiceTabs *>(widget)) all.push_back(tabs);
        else room -= widget->sizeHint().width() + theme.px(10);
    }
    all.push_back(m_kind);
    int wanted = 0;
    for (const ChoiceTabs *tabs : all) wanted += tabs->wholeWidth();
    for (ChoiceTabs *tabs : all) {
        tabs->setBox(wanted > room);
        if (tabs->isBox()) wanted -= tabs->wholeWidth() - tabs->boxWidth();
    }
    m_kind->setMinimumWidth(m_kind->isBox() ? m_kind->boxWidth() : 0); // a search beside it gives way
}

} // namespace views
