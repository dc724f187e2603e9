#include "app/studio/dialogs/command_palette.h"

#include "views/common/controls.h"
#include "views/common/icons.h"
#include "views/common/palette.h"

#include <QAbstractListModel>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace app {

using namespace views;

namespace {

constexpr std::size_t kMostShown = 60;
constexpr int kRows = 11;
constexpr int kRowHeight = 28;
constexpr int kPaletteWidth = 640;

enum Role { kKindRole = Qt::UserRole + 1, kDetailRole, kKeysRole };

class PaletteDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override { return {200, Theme::current().px(kRowHeight)}; }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const Theme &theme = Theme::current();
        painter->save();
        const QRectF row(option.rect);
        if (option.state & QStyle::State_Selected) painter->fillRect(row, theme.color(Color::SelectionFill));
        else if (option.state & QStyle::State_MouseOver) painter->fillRect(row, theme.color(Color::Hover));
        painter->setFont(theme.font(FontRole::Caption));
        painter->setPen(theme.color(Color::TextMuted));
        const double kinds = theme.px(70);
        painter->drawText(QRectF(row.left() + theme.px(14), row.top(), kinds, row.height()), Qt::AlignVCenter,
                          index.data(kKindRole).toString());
        QRectF room = row.adjusted(theme.px(14) + kinds, 0, -theme.px(14), 0);
        const QString keys = index.data(kKeysRole).toString();
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, keys);
        if (!keys.isEmpty()) room.setRight(room.right() - QFontMetricsF(painter->font()).horizontalAdvance(keys) - theme.px(12));
        painter->setFont(theme.font(FontRole::Body));
        painter->setPen(theme.color(Color::TextPrimary));
        const QFontMetricsF metrics(painter->font());
        const QString detail = index.data(kDetailRole).toString();
        const double most = detail.isEmpty() ? room.width() : room.width() * 0.62;
        const QString text = metrics.elidedText(index.data().toString(), Qt::ElideMiddle, most);
        painter->drawText(room, Qt::AlignVCenter | Qt::TextSingleLine, text);
        room.setLeft(room.left() + metrics.horizontalAdvance(text) + theme.px(10));
        painter->setFont(theme.font(FontRole::Cell));
        painter->setPen(theme.color(Color::TextMuted));
        painter->drawText(room, Qt::AlignVCenter | Qt::TextSingleLine,
                          QFontMetricsF(painter->font()).elidedText(detail, Qt::ElideMiddle, room.width()));
        painter->restore();
    }
};

} // namespace

class PaletteModel : public QAbstractListModel {
public:
    using QAbstractListModel::QAbstractListModel;

    void setFound(std::vector<PaletteEntry> found)
    {
        beginResetModel();
        m_found = std::move(found);
        endResetModel();
    }
    const PaletteEntry &at(int row) const { return m_found[static_cast<std::size_t>(row)]; }
    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_found.size()); }
    QVariant data(const QModelIndex &index, int role) const override
    {
        if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
        const PaletteEntry &entry = at(index.row());
        switch (role) {
        case Qt::DisplayRole: return entry.text;
        case Qt::AccessibleTextRole: return QStringLiteral("%1, %2, %3").arg(entry.text, entry.kindName(), entry.detail);
        case kKindRole: return entry.kindName();
        case kDetailRole: return entry.detail;
        case kKeysRole: return entry.keys;
        default: return {};
        }
    }

private:
    std::vector<PaletteEntry> m_found;
};

CommandPalette::CommandPalette(QWidget *window) : QFrame(window), m_model(new PaletteModel(this))
{
    setObjectName(QStringLiteral("commandPalette"));
    setProperty("card", true);
    setSurface(this, "raised");
    const Theme &theme = Theme::current();
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(theme.px(1), theme.px(8), theme.px(1), theme.px(6));
    column->setSpacing(theme.px(6));
    m_edit = new QLineEdit;
    m_edit->setPlaceholderText(tr("Command, view, function, node, rewrite, line or sample"));
    m_edit->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_edit->setAccessibleName(tr("Go to anything"));
    auto *inset = new QVBoxLayout;
    inset->setContentsMargins(theme.px(10), 0, theme.px(10), 0);
    inset->addWidget(m_edit);
    column->addLayout(inset);
    m_list = new QListView;
    m_list->setModel(m_model);
    m_list->setItemDelegate(new PaletteDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(tr("What was found"));
    m_none = new TextLabel(tr("Nothing has all of these words."), FontRole::Body, "muted");
    m_none->setAlignment(Qt::AlignCenter);
    column->addWidget(m_list, 1);
    column->addWidget(m_none, 1);
    m_edit->installEventFilter(this);
    window->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::search);
    connect(m_list, &QListView::clicked, this, [this] { choose(); });
    hide();
}

void CommandPalette::open(PaletteEntries entries)
{
    m_model->setFound({});
    m_entries = std::move(entries);
    place();
    show();
    raise();
    m_edit->setFocus(Qt::PopupFocusReason);
    m_edit->selectAll();
    search();
}

void CommandPalette::place()
{
    const Theme &theme = Theme::current();
    const QWidget *window = parentWidget();
    const int width = std::min(theme.px(kPaletteWidth), window->width() - theme.px(32));
    const int height = std::min(theme.px(kRows * kRowHeight + 56), window->height() - theme.px(140));
    setGeometry((window->width() - width) / 2, theme.px(76), width, height);
}

void CommandPalette::search()
{
    m_model->setFound(bestMatches(m_entries, m_edit->text(), kMostShown));
    const bool any = m_model->rowCount() > 0;
    m_list->setVisible(any);
    m_none->setVisible(!any);
    if (any) m_list->setCurrentIndex(m_model->index(0));
}

void CommandPalette::choose()
{
    const QModelIndex index = m_list->currentIndex();
    if (!index.isValid()) return;
    const PaletteEntry entry = m_model->at(index.row());
    hide();
    Q_EMIT chosen(entry);
}

bool CommandPalette::eventFilter(QObject *object, QEvent *event)
{
    if (object == parentWidget() && event->type() == QEvent::Resize && isVisible()) place();
    if (object != m_edit) return false;
    if (event->type() == QEvent::FocusOut && static_cast<QFocusEvent *>(event)->reason() != Qt::ActiveWindowFocusReason) hide();
    if (event->type() != QEvent::KeyPress) return false;
    const int key = static_cast<QKeyEvent *>(event)->key();
    const int rows = m_model->rowCount();
    const auto move = [&](int by) {
        if (rows > 0) m_list->setCurrentIndex(m_model->index(std::clamp(m_list->currentIndex().row() + by, 0, rows - 1)));
    };
    switch (key) {
    case Qt::Key_Down: move(1); return true;
    case Qt::Key_Up: move(-1); return true;
    case Qt::Key_PageDown: move(kRows - 1); return true;
    case Qt::Key_PageUp: move(1 - kRows); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: choose(); return true;
    case Qt::Key_Escape:
        hide();
        parentWidget()->setFocus();
        return true;
    default: return false;
    }
}

} // namespace app
