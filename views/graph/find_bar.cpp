#include "views/graph/find_bar.h"

#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/graph/graph_canvas.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>

namespace views {

FindBar::FindBar(GraphCanvas &canvas, QWidget *parent) : QWidget(parent), m_canvas(canvas)
{
    setObjectName(QStringLiteral("findBar"));
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(theme.px(12), theme.px(4), theme.px(6), theme.px(4));
    row->setSpacing(theme.px(6));
    m_text = new QLineEdit;
    m_text->setPlaceholderText(tr("Name, op, type or shape"));
    m_text->setClearButtonEnabled(true);
    m_text->setMaximumWidth(theme.px(320));
    m_text->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_text->setAccessibleName(tr("Find in the graph"));
    m_count = new TextLabel({}, FontRole::Cell, "secondary");
    m_count->setObjectName(QStringLiteral("findCount"));
    m_previous = iconButton(QStringLiteral("chevron-up"), tr("Previous (Shift+Enter)"));
    m_next = iconButton(QStringLiteral("chevron-down"), tr("Next (Enter)"));
    auto *close = iconButton(QStringLiteral("cross"), tr("Close (Esc)"));
    row->addWidget(m_text, 1);
    row->addWidget(m_previous);
    row->addWidget(m_next);
    row->addWidget(m_count);
    row->addStretch(1);
    row->addWidget(close);
    m_text->installEventFilter(this);
    connect(m_text, &QLineEdit::textChanged, this, &FindBar::search);
    connect(m_previous, &QToolButton::clicked, this, [this] { next(true); });
    connect(m_next, &QToolButton::clicked, this, [this] { next(false); });
    connect(close, &QToolButton::clicked, this, &FindBar::close);
    connect(&m_canvas, &GraphCanvas::sceneChanged, this, &FindBar::refresh);
    hide();
}

void FindBar::open()
{
    show();
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
    search();
}

void FindBar::close()
{
    hide();
    m_canvas.setSearch({});
    m_canvas.setFocus(Qt::OtherFocusReason);
}

void FindBar::setText(const QString &text) { m_text->setText(text); }

void FindBar::next(bool backwards)
{
    m_canvas.showNextMatch(backwards);
    refresh();
}

QString FindBar::countText() const { return m_count->text(); }

void FindBar::search()
{
    m_canvas.setSearch(m_text->text().trimmed());
    if (m_canvas.matchCount() > 0) m_canvas.showNextMatch();
    refresh();
}

void FindBar::refresh()
{
    const int count = m_canvas.matchCount();
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
    if (m_text->text().trimmed().isEmpty()) m_count->setText({});
    else if (count == 0) m_count->setText(tr("No node"));
    else m_count->setText(tr("%1 of %2").arg(formats::count(m_canvas.match() + 1), formats::count(count)));
}

bool FindBar::eventFilter(QObject *object, QEvent *event)
{
    if (object == m_text && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter || key->key() == Qt::Key_Down || key->key() == Qt::Key_Up) {
            next(key->key() == Qt::Key_Up || key->modifiers().testFlag(Qt::ShiftModifier));
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            close();
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

} // namespace views
