#include "views/common/choice_tabs.h"

#include "views/common/controls.h"

#include <QHBoxLayout>
#include <QStandardItemModel>

namespace views {

ChoiceTabs::ChoiceTabs(const QString &name, QWidget *parent) : QWidget(parent), m_switch(new SegmentedSwitch), m_box(new LabeledCombo)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    for (QWidget *each : {static_cast<QWidget *>(m_switch), static_cast<QWidget *>(m_box)}) {
        each->setAccessibleName(name);
        layout->addWidget(each);
    }
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_switch->setCompact(true);
    m_switch->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); // whole, or not at all
    m_box->setCompact(true);
    m_box->hide();
    connect(m_switch, &SegmentedSwitch::currentChanged, this, [this](const QString &id) {
        m_box->setCurrentIndex(m_box->findData(id));
        Q_EMIT currentChanged(id);
    });
    connect(m_box, &QComboBox::activated, this, [this] { setCurrent(m_box->currentData().toString()); });
}

void ChoiceTabs::addChoice(const QString &id, const QString &text)
{
    m_switch->addChoice(id, text);
    m_box->addItem(text, id);
}

void ChoiceTabs::setChoiceEnabled(const QString &id, bool enabled, const QString &reason)
{
    m_switch->setChoiceEnabled(id, enabled, reason);
    const int row = m_box->findData(id);
    if (row < 0) return;
    static_cast<QStandardItemModel *>(m_box->model())->item(row)->setEnabled(enabled);
    m_box->setItemData(row, enabled ? QString() : reason, Qt::ToolTipRole);
}

bool ChoiceTabs::hasChoice(const QString &id) const { return m_box->findData(id) >= 0; }
QString ChoiceTabs::current() const { return m_switch->current(); }
bool ChoiceTabs::isBox() const { return m_box->isVisibleTo(this); }
void ChoiceTabs::setCurrent(const QString &id) { m_switch->setCurrent(id); }

int ChoiceTabs::wholeWidth() const { return m_switch->sizeHint().width(); }
int ChoiceTabs::boxWidth() const { return m_box->sizeHint().width(); }

void ChoiceTabs::setBox(bool box)
{
    m_switch->setVisible(!box);
    m_box->setVisible(box);
}

} // namespace views
