#include "views/steps/steps_view.h"

#include "views/common/context_menu.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/common/palette.h"
#include "views/common/panels.h"
#include "views/steps/steps_model.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace views {
namespace {

// A long name goes on in the next line, after an underscore where there is one: names are told apart by their ends.
QStringList inLines(const QString &name, int most)
{
    QStringList lines;
    qsizetype at = 0;
    while (name.size() - at > most) {
        qsizetype end = name.lastIndexOf(u'_', at + most - 1) + 1;
        if (end <= at) end = at + most;
        lines << name.mid(at, end - at);
        at = end;
    }
    return lines << name.mid(at);
}

class StepsDelegate : public QStyledItemDelegate {
public:
    explicit StepsDelegate(QTreeView *tree) : QStyledItemDelegate(tree), m_tree(*tree) {}

    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &index) const override
    {
        const Theme &theme = Theme::current();
        int lines = 1;
        if (isNamed(index)) {
            const QString text = index.siblingAtColumn(StepsModel::NameColumn).data().toString();
            int depth = 1;
            for (QModelIndex up = index.parent(); up.isValid(); up = up.parent()) ++depth;
            const int room = m_tree.header()->sectionSize(StepsModel::NameColumn) - depth * m_tree.indentation() - lead(index);
            lines = static_cast<int>(inLines(text, lettersIn(room)).size());
        }
        return {100, theme.size(Size::Row) + (lines - 1) * theme.px(kLine)};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const Theme &theme = Theme::current();
        QStyleOptionViewItem plain(option);
        initStyleOption(&plain, index);
        plain.text.clear();
        const QWidget *widget = option.widget;
        widget->style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, widget);
        const auto kind = static_cast<StepsModel::Kind>(index.data(StepsModel::KindRole).toInt());
        const bool quiet = index.data(StepsModel::ChangesRole).toInt() == 0;
        const QString text = index.data().toString();
        QRectF rect = QRectF(option.rect).adjusted(0, 0, -theme.px(4), 0);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (index.column() == StepsModel::NameColumn) {
            paintName(*painter, rect, kind, index, text, quiet);
        } else {
            rect.setHeight(theme.size(Size::Row)); // beside the first line of the name
            Color ink = Color::TextMuted;
            if (index.column() == StepsModel::NodesColumn && text.startsWith(QChar(0x2212)))
                ink = Color::DiffCreated; // fewer nodes: what one wants
            painter->setFont(theme.font(FontRole::Cell));
            painter->setPen(theme.color(quiet ? Color::TextDisabled : ink));
            drawTabular(*painter, rect, Qt::AlignRight | Qt::AlignVCenter, text);
        }
        painter->restore();
    }

private:
    static constexpr int kLine = 16;

    static StepsModel::Kind kindOf(const QModelIndex &index)
    {
        return static_cast<StepsModel::Kind>(index.data(StepsModel::KindRole).toInt());
    }
    static bool isNamed(const QModelIndex &index)
    {
        return kindOf(index) == StepsModel::Kind::Step || kindOf(index) == StepsModel::Kind::Group;
    }
    static int lettersIn(double room)
    {
        const double letter = QFontMetricsF(Theme::current().font(FontRole::Mono)).horizontalAdvance(u'm');
        return std::max(8, static_cast<int>(room / letter));
    }
    // Before the name: a little, for a step's number stands in the indentation; the count of a group.
    static int lead(const QModelIndex &index)
    {
        const Theme &theme = Theme::current();
        if (kindOf(index) != StepsModel::Kind::Group) return theme.px(8) + theme.px(4);
        return static_cast<int>(tabularWidth(theme.font(FontRole::CellStrong), countOf(index))) + theme.px(10);
    }
    static QString countOf(const QModelIndex &index) { return formats::count(index.data(StepsModel::ChangesRole).toInt()) + u'×'; }

    void paintName(QPainter &painter, QRectF rect, StepsModel::Kind kind, const QModelIndex &index, const QString &text, bool quiet) const
    {
        const Theme &theme = Theme::current();
        const double row = theme.size(Size::Row);
        const double left = rect.left();
        if (kind == StepsModel::Kind::Phase) {
            const double size = theme.px(16);
            paintPhaseBadge(painter, QRectF(rect.left() + 2, rect.center().y() - size / 2, size, size),
                            theme.phase(index.data(StepsModel::PhaseRole).toString()));
            rect.setLeft(rect.left() + size + theme.px(8));
            painter.setFont(theme.font(FontRole::Body));
        } else if (kind == StepsModel::Kind::Step) {
            painter.setFont(theme.font(FontRole::Cell));
            painter.setPen(theme.color(Color::TextMuted));
            drawTabular(painter, QRectF(0, rect.top(), left + theme.px(2), row), Qt::AlignRight | Qt::AlignVCenter,
                        QString::number(index.data(StepsModel::StepRole).toInt()));
        } else if (kind == StepsModel::Kind::Group) {
            painter.setFont(theme.font(FontRole::CellStrong));
            painter.setPen(theme.color(Color::TextSecondary));
            drawTabular(painter, QRectF(left, rect.top(), lead(index) - theme.px(6), row), Qt::AlignLeft | Qt::AlignVCenter,
                        countOf(index));
        } else {
            rect.setLeft(rect.left() + theme.px(2));
            painter.setFont(theme.font(FontRole::Cell));
        }
        painter.setPen(theme.color(quiet ? Color::TextDisabled : Color::TextPrimary));
        if (isNamed(index)) {
            painter.setFont(theme.font(FontRole::Mono));
            QRectF line(left + lead(index) - theme.px(4), rect.top(), rect.width(), row);
            for (const QString &part : inLines(text, lettersIn(rect.width() - lead(index) + theme.px(4)))) {
                painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, part);
                line.translate(0, theme.px(kLine));
            }
            return;
        }
        const QFontMetricsF metrics(painter.font());
        const QString changes = QString::number(index.data(StepsModel::ChangesRole).toInt());
        const double forChanges = tabularWidth(theme.font(FontRole::Cell), changes) + theme.px(6);
        const QString shown = metrics.elidedText(text, Qt::ElideRight, rect.width() - forChanges);
        painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shown);
        rect.setLeft(rect.left() + metrics.horizontalAdvance(shown) + theme.px(6));
        painter.setFont(theme.font(FontRole::Cell));
        painter.setPen(theme.color(Color::TextMuted));
        painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, changes);
    }

    const QTreeView &m_tree;
};

} // namespace

StepsFilter::StepsFilter(QObject *parent) : QSortFilterProxyModel(parent)
{
    setRecursiveFilteringEnabled(true);
    setSortRole(StepsModel::SortRole);
}

void StepsFilter::setOnlyChanges(bool on)
{
    m_onlyChanges = on;
    invalidateFilter();
}

void StepsFilter::setSearch(const QString &text)
{
    m_search = text.trimmed();
    invalidateFilter();
}

void StepsFilter::setSteps(std::optional<std::set<int>> steps)
{
    m_steps = std::move(steps);
    invalidateFilter();
}

bool StepsFilter::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    const bool step = index.data(StepsModel::KindRole).toInt() == static_cast<int>(StepsModel::Kind::Step);
    if (!step) // stays when a row below it does; on its own only as a pass that changed nothing
        return !m_onlyChanges && m_search.isEmpty() && !m_steps;
    if (m_steps && !m_steps->contains(index.data(StepsModel::StepRole).toInt())) return false;
    return m_search.isEmpty() || index.data().toString().contains(m_search, Qt::CaseInsensitive) ||
           index.data(StepsModel::ReasonRole).toString().contains(m_search, Qt::CaseInsensitive) ||
           index.data(StepsModel::PhaseRole).toString().startsWith(m_search, Qt::CaseInsensitive) ||
           index.data(StepsModel::StepRole).toString() == m_search;
}

StepsView::StepsView(SelectionHub &hub, QWidget *parent)
    : QWidget(parent), m_hub(hub), m_model(new StepsModel(this)), m_filter(new StepsFilter(this))
{
    const Theme &theme = Theme::current();
    setSurface(this, "panel");
    m_filter->setSourceModel(m_model);
    m_header = new PanelHeader(tr("Steps"));
    const QString searched = tr("Rewrite, phase, reason or number");
    m_search = searchBox(searched, searched);
    m_onlyChanges = new QCheckBox(tr("Only changes"));
    m_onlyChanges->setChecked(true);
    m_onlyChanges->setToolTip(tr("Hide the passes that changed nothing"));
    m_tree = new QTreeView;
    m_tree->setModel(m_filter);
    m_tree->setItemDelegate(new StepsDelegate(m_tree));
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_tree->setIndentation(theme.px(12));
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setAccessibleName(tr("Rewrites"));
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(StepsModel::NameColumn, QHeaderView::Stretch);
    for (int column : {StepsModel::TimeColumn, StepsModel::NodesColumn}) {
        m_tree->header()->setSectionResizeMode(column, QHeaderView::Fixed);
        m_tree->header()->resizeSection(column, theme.px(column == StepsModel::TimeColumn ? 62 : 50));
    }
    // Names have other lines then.
    connect(
        m_tree->header(), &QHeaderView::sectionResized, m_tree, [this] { m_tree->doItemsLayout(); }, Qt::QueuedConnection);
    m_tree->header()->setSectionsMovable(false);
    m_tree->installEventFilter(this);
    m_empty = new EmptyState;
    m_empty->hide();
    m_ofSelection = new QPushButton(themedIcon(QStringLiteral("eye")), {});
    m_ofSelection->setObjectName(QStringLiteral("stepsOfSelection"));
    m_ofSelection->setCheckable(true);
    m_ofSelection->setEnabled(false);
    m_ofSelection->setMinimumWidth(theme.px(40));

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(new Hairline);
    auto *tools = new QVBoxLayout;
    tools->setContentsMargins(theme.px(12), theme.px(8), theme.px(12), theme.px(4));
    tools->setSpacing(theme.px(6));
    tools->addWidget(m_search);
    tools->addWidget(m_onlyChanges);
    column->addLayout(tools);
    column->addWidget(m_tree, 1);
    column->addWidget(m_empty, 1);
    column->addWidget(new Hairline);
    auto *foot = new QHBoxLayout;
    foot->setContentsMargins(theme.px(12), theme.px(8), theme.px(12), theme.px(8));
    foot->addWidget(m_ofSelection);
    foot->addStretch();
    m_keys = new TextLabel(tr("← → ↑ ↓ J K"), FontRole::Caption, "muted");
    m_keys->setMinimumWidth(1);
    foot->addWidget(m_keys);
    column->addLayout(foot);

    connect(m_search, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_filter->setSearch(text);
        filterChanged();
    });
    connect(m_onlyChanges, &QCheckBox::toggled, this, [this](bool on) {
        m_filter->setOnlyChanges(on);
        filterChanged();
    });
    connect(m_ofSelection, &QPushButton::toggled, this, &StepsView::followLinked);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &index) {
        if (m_following || !isStop(index)) return;
        const int step = index.data(StepsModel::StepRole).toInt();
        m_hub.selectStep(step == m_model->stepCount() ? Selection::kLastStep : step);
    });
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_tree, &QTreeView::customContextMenuRequested, this, [this](const QPoint &at) {
        const QModelIndex index = m_tree->indexAt(at).siblingAtColumn(0);
        if (!index.isValid()) return;
        m_tree->setCurrentIndex(index);
        std::vector<MenuItem> items{{tr("Copy name"), [name = index.data().toString()] { copyText(name); }}};
        if (isStop(index))
            items.push_back(
                {tr("Only %1").arg(index.data().toString()), [this, name = index.data().toString()] { m_search->setText(name); }});
        openContextMenu(m_hub, m_tree, m_tree->viewport()->mapToGlobal(at), items);
    });
    connect(&hub, &SelectionHub::selectionChanged, this, [this](const Selection &, SelectionParts changed) {
        if (changed.testFlag(SelectionPart::Step)) follow();
    });
    connect(&hub, &SelectionHub::linkedChanged, this, &StepsView::followLinked);
    setSteps({}, {});
    followLinked();
}

void StepsView::obey(const Request &request)
{
    if (request != Request(Command::StepsOfSelection)) return;
    if (m_ofSelection->isEnabled()) m_ofSelection->setChecked(true);
    else Q_EMIT m_hub.noticed(tr("No rewrite touched what is selected. Select a line of the source or a node."), true);
}

// What is selected is a line or a node, and the list shows its steps alone if that was asked for.
void StepsView::followLinked()
{
    const std::vector<int> &steps = m_hub.linked().steps;
    const Selection &selection = m_hub.selection();
    const QString title = selection.source.isValid() ? tr("All steps of line %1").arg(selection.source.line) : tr("All steps of this node");
    m_ofSelection->setAccessibleName(title);
    m_ofSelection->setToolTip(title);
    m_ofSelection->setEnabled(!steps.empty() || m_ofSelection->isChecked());
    nameButton();
    auto wanted = m_ofSelection->isChecked() ? std::optional(std::set<int>(steps.begin(), steps.end())) : std::nullopt;
    if (wanted == m_filter->steps()) return;
    m_filter->setSteps(std::move(wanted));
    filterChanged();
}

void StepsView::feed(const ViewFeed &feed)
{
    if (!feed.hasNew(FeedPart::Graph)) return;
    if (feed.graph) setRows({feed.graph, &feed.graph->derived<StepRows>()});
    else setSteps({}, {});
}

void StepsView::prepare(const SessionData &session)
{
    for (const auto &[id, graph] : session.graphs) graph->derived<StepRows>();
}

void StepsView::setSteps(const std::vector<profiler::StepInfo> &steps, std::vector<profiler::PassInfo> passes)
{
    setRows(std::make_shared<const StepRows>(steps, std::move(passes)));
}

void StepsView::setRows(std::shared_ptr<const StepRows> rows)
{
    m_following = true; // a reset moves the current row: that is no choice of the person
    m_model->setRows(std::move(rows));
    m_following = false;
    refreshTitle();
    filterChanged();
    follow();
    // The phase of the step that is shown is open: a rewrite to look at is one click away.
    for (QModelIndex at = m_filter->mapFromSource(m_model->indexOfStep(m_model->stepCount())).parent(); at.isValid(); at = at.parent())
        if (at.data(StepsModel::KindRole).toInt() != static_cast<int>(StepsModel::Kind::Group)) m_tree->expand(at);
}

// In a narrow place the keys give way, and the button is its picture.
void StepsView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    nameButton();
    m_tree->setColumnHidden(StepsModel::TimeColumn, width() < Theme::current().px(210)); // names come first
}

void StepsView::nameButton()
{
    const Theme &theme = Theme::current();
    // A thin space: the style sets icon and text closer than the grid.
    m_ofSelection->setText(QChar(0x2009) + m_ofSelection->accessibleName());
    const int forButton = m_ofSelection->sizeHint().width() + theme.px(24);
    m_keys->setVisible(width() >= forButton + m_keys->sizeHint().width() + theme.px(12));
    if (width() < forButton) m_ofSelection->setText({});
}

void StepsView::search(const QString &text) { m_search->setText(text); }

void StepsView::refreshTitle()
{
    const int count = m_model->stepCount();
    m_header->setSubtitle(
        count == 0 ? QString()
                   : (count == 1 ? tr("1 change in %1") : tr("%2 changes in %1").replace(QStringLiteral("%2"), QString::number(count)))
                         .arg(formats::timeNs(m_model->totalNs())));
}

void StepsView::filterChanged()
{
    const bool nothing = m_filter->rowCount() == 0;
    m_tree->setVisible(!nothing);
    m_empty->setVisible(nothing);
    if (nothing)
        m_empty->show(QStringLiteral("rewrites"), m_model->rowCount() == 0     ? tr("No rewrite is recorded for this graph.")
                                                  : m_search->text().isEmpty() ? tr("No rewrite touched what is selected.")
                                                                               : tr("No rewrite matches. Clear the search to see all."));
    if (!m_search->text().isEmpty() || m_ofSelection->isChecked()) m_tree->expandAll();
    follow();
}

void StepsView::follow()
{
    const int step = m_hub.selection().step;
    QModelIndex at = m_filter->mapFromSource(m_model->indexOfStep(step < 0 ? m_model->stepCount() : step));
    m_following = true;
    // A group stays closed while one steps through it.
    const QModelIndex group = at.parent();
    const bool grouped = group.isValid() && group.data(StepsModel::KindRole).toInt() == static_cast<int>(StepsModel::Kind::Group);
    if (grouped && !m_tree->isExpanded(group)) at = group;
    if (at.isValid() && step >= 0) {
        m_tree->setCurrentIndex(at);
        m_tree->scrollTo(at);
    } else {
        m_tree->setCurrentIndex({});
    }
    m_following = false;
}

// A row that stands for a step: a closed group for its first one.
bool StepsView::isStop(const QModelIndex &index) const
{
    if (!index.isValid()) return false;
    const auto kind = static_cast<StepsModel::Kind>(index.data(StepsModel::KindRole).toInt());
    return kind == StepsModel::Kind::Step ||
           (kind == StepsModel::Kind::Group && !m_tree->isExpanded(index.siblingAtColumn(StepsModel::NameColumn)));
}

void StepsView::moveInList(int rows)
{
    QModelIndex at = m_tree->currentIndex();
    for (int left = std::abs(rows); left > 0;) {
        at = rows > 0 ? m_tree->indexBelow(at) : m_tree->indexAbove(at);
        if (!at.isValid()) return;
        if (isStop(at)) --left;
    }
    m_tree->setCurrentIndex(at.siblingAtColumn(0));
}

bool StepsView::eventFilter(QObject *object, QEvent *event)
{
    if (object == m_tree && event->type() == QEvent::KeyPress) {
        auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_J || key->key() == Qt::Key_K) {
            moveInList(key->key() == Qt::Key_J ? 1 : -1);
            return true;
        }
        // On phases and passes these open and close; the optimized graph has no row.
        const bool isOnStep = !m_tree->currentIndex().isValid() || isStop(m_tree->currentIndex());
        if ((key->key() == Qt::Key_Left || key->key() == Qt::Key_Right) && key->modifiers() == Qt::NoModifier && isOnStep) {
            const int now = m_hub.selection().step < 0 ? m_model->stepCount() : m_hub.selection().step;
            const int step = std::clamp(now + (key->key() == Qt::Key_Right ? 1 : -1), 0, m_model->stepCount());
            m_hub.selectStep(step == m_model->stepCount() ? Selection::kLastStep : step);
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

} // namespace views
