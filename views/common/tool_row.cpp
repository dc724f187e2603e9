#include "views/common/tool_row.h"

#include "views/common/controls.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>

#include <algorithm>

namespace views {

ToolRow::ToolRow(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::current().px(8));
    m_more = iconButton(QStringLiteral("more"), tr("More of this view"));
    m_more->setObjectName(QStringLiteral("moreTools"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    m_more->hide();
    layout->addWidget(m_more);
    connect(m_more->menu(), &QMenu::aboutToShow, this, &ToolRow::fillMenu);
}

void ToolRow::insert(int at, QWidget *tool, int importance)
{
    auto *place = new QWidget;
    auto *inside = new QHBoxLayout(place);
    inside->setContentsMargins(0, 0, 0, 0);
    static_cast<QHBoxLayout *>(layout())->insertWidget(at, place);
    inside->addWidget(tool);
    if (!tool->testAttribute(Qt::WA_WState_ExplicitShowHide)) tool->show();
    tool->installEventFilter(this);
    place->installEventFilter(this);
    m_tools.insert(m_tools.begin() + at, {tool, place, importance});
    Q_EMIT wanted();
}

bool ToolRow::eventFilter(QObject *object, QEvent *event)
{
    const auto tool =
        std::find_if(m_tools.begin(), m_tools.end(), [object](const Tool &each) { return each.widget == object || each.place == object; });
    if (tool == m_tools.end()) return QWidget::eventFilter(object, event);
    const bool isTool = object == tool->widget;
    if (isTool && event->type() == QEvent::ParentChange && tool->widget->parent() != tool->place) { // it went into another row
        tool->widget->removeEventFilter(this);
        tool->place->deleteLater();
        m_tools.erase(tool);
        Q_EMIT wanted();
    } else if (isTool ? event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent
                      : event->type() == QEvent::LayoutRequest) {
        Q_EMIT wanted();
    }
    return QWidget::eventFilter(object, event);
}

void ToolRow::fit(int room)
{
    const auto widthOf = [this](const QWidget *widget) { return widget->sizeHint().width() + layout()->spacing(); };
    std::erase_if(m_tools, [](const Tool &tool) { return !tool.widget || !tool.place; });
    std::vector<Tool> leaving; // copies: what is shown or hidden may send a tool into another row
    int needed = -layout()->spacing();
    for (const Tool &tool : std::vector<Tool>(m_tools)) {
        if (!tool.widget || !tool.place) continue;
        tool.place->setVisible(!tool.widget->isHidden());
        if (!tool.widget || tool.widget->isHidden()) continue;
        needed += widthOf(tool.widget);
        leaving.insert(leaving.begin(), tool);
    }
    std::stable_sort(leaving.begin(), leaving.end(), [](const Tool &a, const Tool &b) { return a.importance < b.importance; });
    const bool whole = needed <= room;
    if (!whole) needed += widthOf(m_more);
    m_more->setVisible(!whole);
    for (const Tool &tool : leaving) {
        if (needed <= room) break;
        if (!tool.widget || !tool.place) continue;
        needed -= widthOf(tool.widget);
        tool.place->hide();
    }
}

void ToolRow::fillMenu()
{
    QMenu *menu = m_more->menu();
    menu->clear();
    for (const Tool &tool : m_tools) {
        if (!tool.widget || !tool.place || tool.widget->isHidden() || !tool.place->isHidden()) continue;
        if (auto *combo = qobject_cast<QComboBox *>(tool.widget.data())) {
            QMenu *choices = menu->addMenu(combo->accessibleName());
            choices->setToolTipsVisible(true);
            for (int i = 0; i < combo->count(); ++i) {
                QAction *choice = choices->addAction(combo->itemText(i));
                choice->setCheckable(true);
                choice->setChecked(i == combo->currentIndex());
                choice->setEnabled(combo->model()->flags(combo->model()->index(i, 0)) & Qt::ItemIsEnabled);
                choice->setToolTip(combo->itemData(i, Qt::ToolTipRole).toString());
                connect(choice, &QAction::triggered, combo, [combo, i] {
                    combo->setCurrentIndex(i);
                    Q_EMIT combo->activated(i);
                });
            }
        } else if (auto *button = qobject_cast<QAbstractButton *>(tool.widget.data())) {
            QAction *action = menu->addAction(button->text().isEmpty() ? button->accessibleName() : button->text());
            action->setCheckable(button->isCheckable());
            action->setChecked(button->isChecked());
            action->setEnabled(button->isEnabled());
            connect(action, &QAction::triggered, button, &QAbstractButton::click);
        }
    }
}

} // namespace views
