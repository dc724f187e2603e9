#include "views/graph/find_bar.h"

#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/graph/found_model.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/node_query.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QTimer>
#include <QVBoxLayout>

#include <utility>

namespace views {
namespace {

constexpr int kSilentMs = 200; // for so long a search needs no word

}

FindBar::FindBar(GraphCanvas &canvas, QWidget *parent) : QWidget(parent), m_canvas(canvas)
{
    setObjectName(QStringLiteral("findBar"));
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    auto *row = new QHBoxLayout;
    outer->addLayout(row);
    row->setContentsMargins(theme.px(12), theme.px(4), theme.px(6), theme.px(4));
    row->setSpacing(theme.px(6));
    m_text = searchBox(tr("Words, type:float32, time>1ms, /expression/ …"), tr("Find in the graph"));
    m_text->setMaximumWidth(theme.px(360));
    m_count = new TextLabel({}, FontRole::Cell, "secondary");
    m_count->setObjectName(QStringLiteral("findCount"));
    m_previous = iconButton(QStringLiteral("chevron-up"), tr("Previous (Shift+F3)"));
    m_next = iconButton(QStringLiteral("chevron-down"), tr("Next (F3)"));
    auto *fields = iconButton(QStringLiteral("filter"), tr("What can be asked for"));
    m_listed = iconButton(QStringLiteral("table"), tr("All that was found, as a list"));
    m_listed->setCheckable(true);
    m_listed->setObjectName(QStringLiteral("findListed"));
    m_isolated = iconButton(QStringLiteral("eye"), tr("Show nothing else"));
    m_isolated->setCheckable(true);
    auto *close = iconButton(QStringLiteral("cross"), tr("Close (Esc)"));
    row->addWidget(m_text, 1);
    row->addWidget(fields);
    row->addWidget(m_previous);
    row->addWidget(m_next);
    row->addWidget(m_listed);
    row->addWidget(m_isolated);
    row->addWidget(m_count);
    row->addStretch(1);
    row->addWidget(close);
    m_list = new QListView;
    m_found = new FoundModel(m_canvas, m_list);
    m_list->setModel(m_found);
    m_list->setObjectName(QStringLiteral("findList"));
    m_list->setAccessibleName(tr("What was found"));
    m_list->setUniformItemSizes(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setMaximumHeight(theme.px(180));
    m_list->hide();
    outer->addWidget(m_list);
    connect(fields, &QToolButton::clicked, this, &FindBar::offerFields);
    connect(m_listed, &QToolButton::toggled, this, [this](bool on) {
        m_list->setVisible(on);
        takeFound();
    });
    connect(m_isolated, &QToolButton::toggled, &m_canvas, &GraphCanvas::setIsolated);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &now) {
        if (!now.isValid() || now.row() == m_canvas.match()) return;
        m_canvas.showMatch(now.row());
        refresh();
    });
    connect(m_list, &QListView::activated, this, [this](const QModelIndex &index) { select(index.row()); });
    m_text->installEventFilter(this);
    connect(m_text, &QLineEdit::textChanged, this, &FindBar::search);
    connect(m_previous, &QToolButton::clicked, this, [this] { next(true); });
    connect(m_next, &QToolButton::clicked, this, [this] { next(false); });
    connect(close, &QToolButton::clicked, this, &FindBar::close);
    connect(&m_canvas, &GraphCanvas::matchesChanged, this, &FindBar::takeFound);
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
    m_isolated->setChecked(false);
    m_canvas.setSearch({});
    m_canvas.setFocus(Qt::OtherFocusReason);
}

void FindBar::next(bool backwards)
{
    m_canvas.showNextMatch(backwards);
    refresh();
}

SceneKey FindBar::matchAt(int match) const
{
    return match >= 0 && match < m_canvas.matchCount() ? m_canvas.matches()[static_cast<std::size_t>(match)] : kNoSceneKey;
}

void FindBar::select(int match)
{
    m_chosen = matchAt(match);
    if (m_chosen != kNoSceneKey) Q_EMIT m_canvas.nodeClicked(m_chosen, false);
}

void FindBar::search()
{
    m_isNew = true;
    m_chosen = kNoSceneKey;
    m_canvas.setSearch(m_text->text().trimmed());
    QTimer::singleShot(kSilentMs, this, [this] {
        if (m_canvas.isSearching()) m_count->setText(tr("Searching…"));
    });
}

void FindBar::takeFound()
{
    if (isHidden()) return;
    if (std::exchange(m_isNew, false) && m_canvas.matchCount() > m_canvas.hiddenMatchCount()) m_canvas.showNextMatch();
    if (m_listed->isChecked()) m_found->renew();
    refresh();
}

void FindBar::offerFields()
{
    QMenu menu;
    for (const NodeQuery::Field &field : NodeQuery::fields())
        menu.addAction(field.example + u'\t' + field.meaning, this, [this, example = field.example] {
            const QString before = m_text->text().trimmed();
            m_text->setText(before.isEmpty() ? example : before + u' ' + example);
            m_text->setFocus();
        });
    menu.exec(mapToGlobal(QPoint(m_text->geometry().right(), height())));
}

void FindBar::refresh()
{
    const int count = m_canvas.matchCount();
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
    if (m_listed->isChecked() && m_canvas.match() < m_found->rowCount()) m_list->setCurrentIndex(m_found->index(m_canvas.match()));
    if (m_text->text().trimmed().isEmpty()) m_count->setText({});
    else if (const QString error = NodeQuery(m_text->text()).error(); !error.isEmpty()) m_count->setText(error);
    else if (count == 0) m_count->setText(tr("No node"));
    else if (const int hidden = m_canvas.hiddenMatchCount(); hidden == count && m_canvas.match() < 0)
        m_count->setText(tr("%1 in closed groups").arg(formats::count(hidden)));
    else m_count->setText(tr("%1 of %2").arg(formats::count(m_canvas.match() + 1), formats::count(count)));
}

bool FindBar::eventFilter(QObject *object, QEvent *event)
{
    if (object == m_text && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            // First what is shown, then one after the other.
            if (m_canvas.match() < 0 || matchAt(m_canvas.match()) == m_chosen) next(key->modifiers().testFlag(Qt::ShiftModifier));
            select(m_canvas.match());
            return true;
        }
        if (key->key() == Qt::Key_Down || key->key() == Qt::Key_Up) {
            next(key->key() == Qt::Key_Up);
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
