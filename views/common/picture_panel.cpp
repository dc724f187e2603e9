#include "views/common/picture_panel.h"

#include "views/common/choice_tabs.h"
#include "views/common/controls.h"

#include <QHBoxLayout>

namespace views {
namespace {

constexpr int kLeastCaption = 60; // at 100 %

} // namespace

PicturePanel::PicturePanel(const QString &name, QWidget *picture, QWidget *parent)
    : TablePanel(parent), m_picture(picture), m_table(new TextTableView(name))
{
    m_kind = new ChoiceTabs(tr("%1 as a picture or as a table").arg(name));
    m_kind->addChoice(QStringLiteral("picture"), tr("Picture"));
    m_kind->addChoice(QStringLiteral("table"), tr("Table"));
    addBeforeCopy(m_kind);
    picture->setAccessibleName(name);
    addPage(picture);
    addPage(m_table);
    setCopied(m_table);
    connect(m_kind, &ChoiceTabs::currentChanged, this, [this] { showPage(showsTable() ? m_table : m_picture); });
    connect(m_table, &TextTableView::keyChosen, this, &PicturePanel::keyChosen);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &PicturePanel::fitChoices);
    m_kind->setCurrent(QStringLiteral("picture"));
}

void PicturePanel::setEmpty(const QString &icon, const QString &sentence, const QString &action)
{
    TablePanel::setEmpty(icon, sentence, action);
    setBarVisible(!isEmpty());
}

void PicturePanel::showTable(bool table) { m_kind->setCurrent(table ? QStringLiteral("table") : QStringLiteral("picture")); }
bool PicturePanel::showsTable() const { return m_kind->current() == QLatin1String("table"); }

void PicturePanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitChoices();
}

// Those of the view become a box before picture and table do.
void PicturePanel::fitChoices()
{
    const Theme &theme = Theme::current();
    int room = width() - theme.px(12 + 12 + 4 * 10 + kLeastCaption) - right().minimumSize().width() - copyButton()->sizeHint().width();
    std::vector<ChoiceTabs *> all;
    for (int i = 0; i < left().count(); ++i) {
        QWidget *widget = left().itemAt(i)->widget();
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
