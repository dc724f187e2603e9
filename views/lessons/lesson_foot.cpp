#include "views/lessons/lesson_foot.h"

#include "views/common/controls.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace views {

LessonFoot::LessonFoot(QWidget *parent) : QWidget(parent)
{
    const Theme &theme = Theme::current();
    auto *rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(new Hairline);
    auto *buttons = new QHBoxLayout;
    buttons->setContentsMargins(theme.px(12), theme.px(8), theme.px(12), theme.px(8));
    m_back = new QPushButton(tr("Back"));
    m_back->setObjectName(QStringLiteral("lessonBack"));
    m_next = new QPushButton(tr("Next"));
    m_next->setObjectName(QStringLiteral("lessonNext"));
    m_note = new ElidedLabel({}, FontRole::Caption, "muted");
    m_note->setAlignment(Qt::AlignCenter);
    buttons->addWidget(m_back);
    buttons->addWidget(m_note, 1);
    buttons->addWidget(m_next);
    rows->addLayout(buttons);
    connect(m_back, &QPushButton::clicked, this, &LessonFoot::backRequested);
    connect(m_next, &QPushButton::clicked, this, &LessonFoot::nextRequested);
}

void LessonFoot::setPage(int page, int pages, const QString &note)
{
    m_back->setText(page > 0 ? tr("Back") : tr("All lessons"));
    m_next->setText(page + 1 < pages ? tr("Next") : tr("Finish"));
    makePrimary(m_next);
    m_note->setText(note);
}

} // namespace views
