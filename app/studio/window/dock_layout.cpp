#include "app/studio/window/dock_layout.h"

#include "app/studio/dialogs/preferences.h"
#include "views/common/controls.h"
#include "views/common/panels.h"
#include "views/common/view_words.h"
#include "views/common/window_sizes.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <utility>

namespace app {

using namespace views;

namespace {

constexpr int kTightWindow = 760; // below: docks on one side only, the left until another is asked for
constexpr int kLayoutVersion = 3;
constexpr int kAskedAgain = 6, kAskAgainMs = 25;

Qt::DockWidgetArea sideOf(const ViewEntry &entry)
{
    return entry.place.area == Area::Right ? Qt::RightDockWidgetArea : Qt::LeftDockWidgetArea;
}

} // namespace

DockLayout::DockLayout(QMainWindow &window, ViewHost &host, const SelectionHub &hub, Preferences &preferences)
    : QObject(&window), m_window(window), m_host(host), m_hub(hub), m_preferences(preferences)
{
    for (const ViewEntry &entry : m_host.table().entries())
        if ((entry.place.area == Area::Left || entry.place.area == Area::Right) && !entry.missing) m_docks.insert(entry.id, make(entry));
    connect(&m_host, &ViewHost::subtitleChanged, this, [this](const QString &id, const QString &text) {
        if (PanelHeader *header = m_headers.value(id)) header->setSubtitle(text);
    });
    m_refitSoon.setSingleShot(true);
    m_refitSoon.setInterval(0); // when the views have heard of it, too
    connect(&m_refitSoon, &QTimer::timeout, this, &DockLayout::refit);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, &m_refitSoon, qOverload<>(&QTimer::start));
    m_window.installEventFilter(this);
}

bool DockLayout::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == &m_window && event->type() == QEvent::Resize) m_refitSoon.start();
    return QObject::eventFilter(watched, event);
}

QDockWidget *DockLayout::make(const ViewEntry &entry)
{
    auto *dock = new QDockWidget(entry.titleText());
    dock->setObjectName(entry.id);
    QWidget *view = m_host.widget(entry.id);
    dock->setWidget(view);
    dock->setAllowedAreas(Qt::LeftDockWidgetArea | Qt::RightDockWidgetArea);
    m_window.addDockWidget(sideOf(entry), dock);
    if (view->findChild<PanelHeader *>(QString(), Qt::FindDirectChildrenOnly)) dock->setTitleBarWidget(new QWidget); // it brings its own
    else addHeader(dock, view);
    return dock;
}

void DockLayout::addHeader(QDockWidget *dock, QWidget *view)
{
    auto *box = new QWidget;
    auto *layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto *header = new PanelHeader(dock->windowTitle());
    header->setSubtitle(view->property(kSubtitleProperty).toString());
    for (QAction *action : view->actions()) {
        QToolButton *button = iconButton(QString(), action->text());
        const auto follow = [button, action] {
            button->setIcon(action->icon());
            button->setToolTip(action->toolTip());
            button->setEnabled(action->isEnabled());
            button->setCheckable(action->isCheckable());
            button->setChecked(action->isChecked());
        };
        follow();
        connect(action, &QAction::changed, button, follow);
        connect(button, &QToolButton::clicked, action, &QAction::trigger);
        header->addWidget(button);
    }
    m_headers.insert(dock->objectName(), header);
    layout->addWidget(header);
    layout->addWidget(new Hairline);
    dock->setTitleBarWidget(box);
}

QString DockLayout::keptAs(const QString &workspace) const { return m_room.tight ? workspace + QStringLiteral(" tight") : workspace; }

/// Of the window, at 100 %: what docks ask for grows with the letters.
QSize DockLayout::room() const { return m_window.size() * 100 / Theme::current().px(100); }

bool DockLayout::isTight() const { return m_window.width() < Theme::current().px(kTightWindow); }

bool DockLayout::isLow() const { return m_window.height() < Theme::current().px(kLowWindow); }

bool DockLayout::isNarrow() const { return m_window.width() < Theme::current().px(kNarrowWindow); }

void DockLayout::arrange(const QString &workspace)
{
    QList<const ViewEntry *> shown;
    for (const ViewEntry &entry : m_host.table().entries()) {
        QDockWidget *dock = m_docks.value(entry.id);
        if (!dock) continue;
        m_window.addDockWidget(sideOf(entry), dock);
        const bool opens = entry.opensIn(workspace, isNarrow()) ||
                           (entry.place.opensForNode && entry.givesWay(workspace) && m_hub.selection().node.isValid());
        dock->setVisible(opens && (entry.place.area == Area::Left || !isTight()));
        if (!dock->isHidden()) shown << &entry;
    }
    giveSizes(shown);
}

QList<const ViewEntry *> DockLayout::opened() const
{
    QList<const ViewEntry *> opened;
    for (const ViewEntry &entry : m_host.table().entries())
        if (const QDockWidget *dock = m_docks.value(entry.id); dock && !dock->isHidden()) opened << &entry;
    return opened;
}

// What was open where there was more room: one side in a tight window, what belongs to the workspace in a low one, and sizes as in an
// arrangement of ours. Says which docks gave way.
QStringList DockLayout::fit(const QString &workspace)
{
    const QList<const ViewEntry *> opened = this->opened();
    const auto isAt = [this](Qt::DockWidgetArea side) {
        return [this, side](const ViewEntry *entry) { return m_window.dockWidgetArea(m_docks.value(entry->id)) == side; };
    };
    QList<const ViewEntry *> stay = opened;
    if (isTight() && std::any_of(opened.begin(), opened.end(), isAt(Qt::LeftDockWidgetArea))) stay.removeIf(isAt(Qt::RightDockWidgetArea));
    const auto belongs = [&workspace](const ViewEntry *entry) { return entry->opensIn(workspace, true); };
    if (isLow() && std::any_of(stay.begin(), stay.end(), belongs)) stay.removeIf(std::not_fn(belongs));
    QStringList gaveWay;
    for (const ViewEntry *entry : opened) {
        if (stay.contains(entry)) continue;
        gaveWay << entry->id;
        m_docks.value(entry->id)->hide();
    }
    giveSizes(stay);
    return gaveWay;
}

void DockLayout::giveSizes(const QList<const ViewEntry *> &opened)
{
    const Theme &theme = Theme::current();
    QList<QDockWidget *> left, right;
    QList<int> heights;
    QHash<bool, int> width;
    for (const ViewEntry *entry : opened) {
        QDockWidget *dock = m_docks.value(entry->id);
        const bool isLeft = m_window.dockWidgetArea(dock) == Qt::LeftDockWidgetArea;
        (isLeft ? left : right) << dock;
        if (isLeft) heights << (dock->widget()->sizePolicy().verticalPolicy() & QSizePolicy::GrowFlag ? 1000 : 10);
        // With large letters docks ask for more than a small window has.
        const int asked =
            std::min(theme.px(isNarrow() ? entry->place.narrowWidth : entry->place.width), m_window.width() * (isTight() ? 8 : 6) / 20);
        if (!width.contains(isLeft)) width.insert(isLeft, asked);
    }
    giveWidths(width.value(true), width.value(false));
    if (left.size() > 1) m_window.resizeDocks(left, heights, Qt::Vertical);
}

QDockWidget *DockLayout::firstShown(Qt::DockWidgetArea side) const
{
    for (QDockWidget *dock : m_docks)
        if (!dock->isHidden() && m_window.dockWidgetArea(dock) == side) return dock;
    return nullptr;
}

// Until the middle was laid out it asks for what it needed before it was told how much room there is: then they are given again.
void DockLayout::giveWidths(int left, int right)
{
    resizeSides(left, right);
    m_asked = {left, right, kAskedAgain};
    m_refitSoon.start();
}

void DockLayout::askAgain()
{
    if (m_asked.times <= 0) return;
    resizeSides(m_asked.left, m_asked.right);
    const QDockWidget *left = firstShown(Qt::LeftDockWidgetArea), *right = firstShown(Qt::RightDockWidgetArea);
    const bool isGiven = (!left || left->width() >= m_asked.left) && (!right || right->width() >= m_asked.right);
    m_asked.times = isGiven ? 0 : m_asked.times - 1;
    if (!isGiven) QTimer::singleShot(kAskAgainMs, this, &DockLayout::askAgain);
}

void DockLayout::resizeSides(int left, int right)
{
    for (const auto &[side, width] : {std::pair(Qt::LeftDockWidgetArea, left), std::pair(Qt::RightDockWidgetArea, right)})
        if (QDockWidget *dock = firstShown(side); dock && width > 0) m_window.resizeDocks({dock}, {width}, Qt::Horizontal);
}

// The window or the letters changed. Where that is another kind of room, as if it had been entered anew; else docks grow with the letters.
void DockLayout::refit()
{
    if (m_workspace.isEmpty() || !m_beforeAway.isEmpty()) return;
    askAgain();
    const int letters = Theme::current().px(100);
    const Room now = roomNow(), before = std::exchange(m_room, now);
    const int lettersBefore = std::exchange(m_letters, letters);
    if (now == before && letters == lettersBefore) return;
    for (QDockWidget *dock : std::as_const(m_docks)) {
        if (m_beforeAlone.isEmpty() || dock->isHidden() || !m_host.table().at(dock->objectName()).place.standsAlone) continue;
        standAlone(dock);
        return;
    }
    const auto widthAt = [this](Qt::DockWidgetArea side) {
        const QDockWidget *dock = firstShown(side);
        return dock ? dock->width() : 0;
    };
    const int left = widthAt(Qt::LeftDockWidgetArea), right = widthAt(Qt::RightDockWidgetArea);
    if (now.tight != before.tight) {
        restore(m_workspace);
    } else if ((now.narrow && !before.narrow) || (now.low && !before.low)) {
        if (!m_scarce) m_scarce = GaveWay{{}, left, right};
        m_scarce->docks << fit(m_workspace);
    } else if (now != before && m_scarce && !now.narrow && !now.low) {
        const GaveWay back = *std::exchange(m_scarce, std::nullopt);
        for (const QString &id : back.docks) m_docks.value(id)->show();
        giveWidths(back.left, back.right);
    } else if (now != before) {
        giveSizes(opened());
    } else {
        giveWidths(left * letters / lettersBefore, right * letters / lettersBefore);
    }
}

void DockLayout::enter(const QString &workspace)
{
    keep();
    m_workspace = workspace;
    m_room = roomNow();
    m_letters = Theme::current().px(100);
    m_beforeAlone.clear();
    m_gaveWay.clear();
    m_widthBefore = 0;
    if (workspace.isEmpty()) {
        for (QDockWidget *dock : std::as_const(m_docks)) dock->hide();
        return;
    }
    restore(workspace);
}

void DockLayout::restore(const QString &workspace)
{
    m_scarce.reset();
    const QString own = keptAs(workspace), kept = m_preferences.dockState(own).isEmpty() ? workspace : own;
    const QByteArray state = m_preferences.dockState(kept);
    if (state.isEmpty() || !m_window.restoreState(state, kLayoutVersion)) arrange(workspace);
    else if (const QSize then = m_preferences.dockRoom(kept);
             !then.isValid() || room().width() < then.width() || room().height() < then.height())
        fit(workspace);
}

void DockLayout::setWidth(const QString &id, int width)
{
    QDockWidget *dock = m_docks.value(id);
    if (!dock) return;
    if (width > 0) makeRoom(dock, width);
    else giveRoomBack();
    m_window.resizeDocks({dock}, {width > 0 ? width : standardWidth(id)}, Qt::Horizontal);
}

int DockLayout::standardWidth(const QString &id) const
{
    const ViewEntry &entry = m_host.table().at(id);
    return Theme::current().px(isNarrow() ? entry.place.narrowWidth : entry.place.width);
}

int DockLayout::roomForSides() const
{
    const int splitters = 2 * m_window.style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent);
    return std::max(1, m_window.width() - m_window.centralWidget()->minimumSizeHint().width() - splitters);
}

void DockLayout::makeRoom(QDockWidget *dock, int width)
{
    QList<QDockWidget *> others;
    int least = 0;
    for (QDockWidget *other : std::as_const(m_docks)) {
        if (!other->isVisible() || m_window.dockWidgetArea(other) == m_window.dockWidgetArea(dock)) continue;
        others << other;
        least = std::max(least, other->minimumSizeHint().width());
    }
    const int left = roomForSides() - width;
    if (others.isEmpty() || left >= others.first()->width()) return;
    if (m_widthBefore == 0) m_widthBefore = others.first()->width();
    m_sideThatGaveWay = m_window.dockWidgetArea(others.first());
    if (left >= least) {
        m_window.resizeDocks({others.first()}, {left}, Qt::Horizontal);
        return;
    }
    for (QDockWidget *other : std::as_const(others)) {
        m_gaveWay << other->objectName();
        other->hide();
    }
}

void DockLayout::giveRoomBack()
{
    QDockWidget *back = nullptr;
    for (const QString &id : std::exchange(m_gaveWay, {})) {
        back = m_docks.value(id);
        back->show();
    }
    const int width = std::exchange(m_widthBefore, 0);
    if (!back && width > 0)
        for (QDockWidget *other : std::as_const(m_docks))
            if (other->isVisible() && m_window.dockWidgetArea(other) == m_sideThatGaveWay) back = other;
    if (back && width > 0) m_window.resizeDocks({back}, {width}, Qt::Horizontal);
}

void DockLayout::putAway(bool away)
{
    if (away == !m_beforeAway.isEmpty()) return;
    if (!away) {
        m_window.restoreState(std::exchange(m_beforeAway, {}), kLayoutVersion);
        return;
    }
    m_beforeAway = m_window.saveState(kLayoutVersion);
    for (QDockWidget *dock : std::as_const(m_docks)) dock->hide();
}

void DockLayout::keep()
{
    if (m_workspace.isEmpty() || !m_beforeAway.isEmpty()) return;
    m_preferences.setDockState(keptAs(m_workspace), m_beforeAlone.isEmpty() ? m_window.saveState(kLayoutVersion) : m_beforeAlone, room());
}

void DockLayout::reset()
{
    m_preferences.clearDockStates();
    m_beforeAlone.clear();
    m_scarce.reset();
    if (!m_workspace.isEmpty()) arrange(m_workspace);
}

void DockLayout::show(const QString &id, bool on)
{
    if (QDockWidget *dock = m_docks.value(id)) {
        if (m_host.table().at(id).place.standsAlone && on != dock->isVisible()) {
            showAlone(dock, on);
            return;
        }
        if (on && isTight())
            for (QDockWidget *other : std::as_const(m_docks))
                if (m_window.dockWidgetArea(other) != m_window.dockWidgetArea(dock)) other->hide();
        if (on && isLow() && !dock->isVisible())
            for (QDockWidget *other : std::as_const(m_docks))
                if (other != dock && m_window.dockWidgetArea(other) == m_window.dockWidgetArea(dock)) other->hide();
        const bool comes = on && !dock->isVisible();
        dock->setVisible(on);
        if (on) dock->raise();
        if (!comes) return;
        // What is asked for beside others gets room to be read; the first at the right would be as narrow as it can.
        if (m_window.dockWidgetArea(dock) == Qt::RightDockWidgetArea && shown(Qt::RightDockWidgetArea).size() == 1)
            setWidth(id, roomAtRight(id));
        m_window.resizeDocks({dock}, {m_window.height() / 2}, Qt::Vertical);
        for (QDockWidget *other : std::as_const(m_docks)) // what stands alone at its side keeps its width beside what was asked for
            if (other != dock && other->isVisible() && m_window.dockWidgetArea(other) == m_window.dockWidgetArea(dock) &&
                m_host.table().at(other->objectName()).place.standsAlone)
                giveWidths(standardWidth(other->objectName()), 0);
    }
}

// What the middle can do without, at most what the table says: those at the left keep theirs.
int DockLayout::roomAtRight(const QString &id) const
{
    const int standard = standardWidth(id);
    if (isTight()) return std::min(standard, m_window.width() * 2 / 5); // one side is open at a time
    const std::vector<QWidget *> left = shown(Qt::LeftDockWidgetArea);
    return std::clamp(roomForSides() - (left.empty() ? 0 : left.front()->width()), 1, standard);
}

// The arrangement that is kept is the one without it.
void DockLayout::showAlone(QDockWidget *dock, bool on)
{
    if (!on) {
        dock->hide();
        if (!m_beforeAlone.isEmpty()) m_window.restoreState(std::exchange(m_beforeAlone, {}), kLayoutVersion);
        return;
    }
    if (m_beforeAlone.isEmpty()) m_beforeAlone = m_window.saveState(kLayoutVersion);
    standAlone(dock);
}

void DockLayout::standAlone(QDockWidget *dock)
{
    for (QDockWidget *other : std::as_const(m_docks))
        if (other != dock && (isTight() || m_window.dockWidgetArea(other) == m_window.dockWidgetArea(dock))) other->hide();
    dock->show();
    setWidth(dock->objectName(), 0);
}

bool DockLayout::isShown(const QString &id) const
{
    const QDockWidget *dock = m_docks.value(id);
    return dock && dock->isVisible();
}

std::vector<QWidget *> DockLayout::shown(Qt::DockWidgetArea side) const
{
    std::vector<QWidget *> shown;
    for (const QDockWidget *dock : m_docks)
        if (dock->isVisible() && m_window.dockWidgetArea(const_cast<QDockWidget *>(dock)) == side) shown.push_back(dock->widget());
    std::sort(shown.begin(), shown.end(),
              [](const QWidget *a, const QWidget *b) { return a->mapToGlobal(QPoint()).y() < b->mapToGlobal(QPoint()).y(); });
    return shown;
}

void DockLayout::openForNode(const QString &workspace)
{
    if (isTight()) return;
    for (const ViewEntry &entry : m_host.table().entries())
        if (entry.place.opensForNode && (entry.givesWay(workspace) || entry.alsoIn(workspace))) show(entry.id);
}

} // namespace app
