#include "views/profile/functions_view.h"

#include "views/common/context_menu.h"
#include "views/common/icons.h"
#include "views/common/palette.h"
#include "views/common/selection_hub.h"
#include "views/common/theme.h"
#include "views/common/tips.h"

#include <QPainter>
#include <QStyledItemDelegate>

namespace views {
namespace {

constexpr int kRowHeight = 28;
constexpr int kMostRowsShown = 6;

class FunctionDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const Theme &theme = Theme::current();
        painter->save();
        const QRectF row(option.rect);
        if (option.state & QStyle::State_Selected) painter->fillRect(row, theme.color(Color::SelectionFill));
        else if (option.state & QStyle::State_MouseOver) painter->fillRect(row, theme.color(Color::Hover));
        const double icon = theme.px(16);
        const int depth = index.data(FunctionsModel::kDepthRole).toInt();
        double x = row.left() + theme.px(12) + depth * theme.px(16);
        paintIcon(*painter, depth > 0 ? QStringLiteral("graph") : QStringLiteral("function"),
                  QRectF(x, row.center().y() - icon / 2, icon, icon), theme.color(Color::TextSecondary));
        x += icon + theme.px(9);
        painter->setFont(theme.font(FontRole::Cell));
        painter->setPen(theme.color(Color::TextSecondary));
        const QString figure = index.data(FunctionsModel::kFigureRole).toString();
        const QString whole = index.data(Qt::DisplayRole).toString();
        double figureWidth = tabularWidth(painter->font(), figure);
        // Where both find no room the name is what one looks for.
        const double nameWidth = QFontMetricsF(theme.font(FontRole::MonoStrong)).horizontalAdvance(whole);
        if (nameWidth > row.right() - theme.px(20) - figureWidth - x) figureWidth = 0;
        else drawTabular(*painter, row.adjusted(0, 0, -theme.px(12), 0), Qt::AlignRight, figure);
        const double room = row.right() - theme.px(12) - figureWidth - theme.px(8) - x;
        painter->setFont(theme.font(FontRole::MonoStrong));
        painter->setPen(theme.color(Color::TextPrimary));
        const QString name = QFontMetricsF(painter->font()).elidedText(whole, Qt::ElideMiddle, room);
        painter->drawText(QRectF(x, row.top(), room, row.height()), Qt::AlignVCenter, name);
        x += QFontMetricsF(painter->font()).horizontalAdvance(name) + theme.px(7);
        const double detailRoom = row.right() - theme.px(12) - figureWidth - theme.px(8) - x;
        painter->setFont(theme.font(FontRole::Cell));
        painter->setPen(theme.color(Color::TextMuted));
        const QString detail = index.data(FunctionsModel::kDetailRole).toString();
        if (QFontMetricsF(painter->font()).horizontalAdvance(detail) <= detailRoom)
            painter->drawText(QRectF(x, row.top(), detailRoom, row.height()), Qt::AlignVCenter, detail);
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override { return {100, Theme::current().px(kRowHeight)}; }
};

} // namespace

void FunctionsModel::setRows(std::vector<FunctionRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int FunctionsModel::rowOf(std::int64_t id, std::int64_t graph) const
{
    for (int i = 0; i < static_cast<int>(m_rows.size()); ++i)
        if (row(i).id == id && row(i).graph == graph) return i;
    return -1;
}

int FunctionsModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

QVariant FunctionsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const FunctionRow &row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return row.name;
    case Qt::ToolTipRole: return tipText(row.tip);
    case kIdRole: return static_cast<qlonglong>(row.id);
    case kDetailRole: return row.detail;
    case kFigureRole: return row.figure;
    case kDepthRole: return row.depth;
    default: return {};
    }
}

FunctionsView::FunctionsView(SelectionHub &hub, QWidget *parent) : QListView(parent), m_hub(hub), m_model(new FunctionsModel(this))
{
    setModel(m_model);
    setItemDelegate(new FunctionDelegate(this));
    setMouseTracking(true);
    setUniformItemSizes(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Functions"));
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &index) {
        if (m_following || !index.isValid()) return;
        const FunctionRow &row = m_model->row(index.row());
        Selection next;
        next.function = row.id;
        next.graph = row.graph;
        next.parentApply = row.parentApply;
        next.place = m_hub.selection().place;
        m_hub.select(next);
    });
    connect(&m_hub, &SelectionHub::selectionChanged, this, &FunctionsView::follow);
    setContextMenuPolicy(Qt::CustomContextMenu);
    connect(this, &QWidget::customContextMenuRequested, this, [this](const QPoint &at) {
        const QModelIndex index = indexAt(at);
        if (!index.isValid()) return;
        setCurrentIndex(index);
        openContextMenu(m_hub, this, viewport()->mapToGlobal(at),
                        {{tr("Show the steps of the rewriting"), [this] { m_hub.showIn(QStringLiteral("steps")); }},
                         {tr("Show its times"), [this] { m_hub.showIn(QStringLiteral("profile")); }},
                         {tr("Copy name"), [name = index.data().toString()] { copyText(name); }}});
    });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        scheduleDelayedItemsLayout();
        updateGeometry();
    });
}

void FunctionsView::setRows(std::vector<FunctionRow> rows)
{
    m_following = true;
    m_model->setRows(std::move(rows));
    m_following = false;
    follow();
    setFixedHeight(sizeHint().height());
}

QSize FunctionsView::sizeHint() const
{
    const int rows = std::clamp(m_model->rowCount(), 1, kMostRowsShown);
    return {200, rows * Theme::current().px(kRowHeight)};
}

void FunctionsView::follow()
{
    m_following = true;
    int row = m_model->rowOf(m_hub.selection().function, m_hub.selection().graph);
    if (row < 0) row = m_model->rowOf(m_hub.selection().function); // inside a Composite
    if (row >= 0) setCurrentIndex(m_model->index(row));
    else clearSelection();
    m_following = false;
}

} // namespace views
