#include "app/studio/window/workspaces.h"

#include "app/studio/pages/welcome_page.h"
#include "app/studio/run/run_bar.h"
#include "app/studio/window/bottom_area.h"
#include "app/studio/window/dock_layout.h"
#include "app/studio/window/notices.h"
#include "app/studio/window/pane_cycle.h"
#include "profiler/lessons/view_ids.h"
#include "views/code/source_panel.h"
#include "views/common/focus_ring.h"
#include "views/common/palette.h"
#include "views/common/view_words.h"

#include <QApplication>
#include <QMainWindow>
#include <QMenuBar>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>

#include <utility>

namespace app {

using namespace views;
namespace view = profiler::view;

namespace {

constexpr double kPresenterScale = 1.5;

}

Workspaces::Workspaces(QMainWindow &window, StudioParts &parts, Notices &notices, RunBar &runBar)
    : m_window(window), m_parts(parts), m_notices(notices), m_runBar(runBar), m_runToolBar(new QToolBar), m_pages(new QStackedWidget),
      m_bottom(new BottomArea(m_pages, parts.views))
{
    std::vector<WorkspaceChoice> workspaces;
    for (const ViewEntry &entry : parts.views.entries())
        if (entry.place.area == Area::Page && entry.inShowIn)
            workspaces.push_back({entry.id, entry.titleText(), QString::fromLatin1(entry.icon),
                                  entry.missing ? QCoreApplication::translate("Views", entry.missing) : QString()});
    runBar.setWorkspaces(workspaces);
    m_runToolBar->setObjectName(QStringLiteral("runBar"));
    m_runToolBar->setWindowTitle(tr("Run bar"));
    m_runToolBar->setMovable(false);
    m_runToolBar->setFloatable(false);
    m_runToolBar->addWidget(&runBar);
    window.addToolBar(Qt::TopToolBarArea, m_runToolBar);
    connect(&runBar, &RunBar::workspaceChanged, this, &Workspaces::present);
    connect(&parts.hub, &SelectionHub::showInRequested, this, &Workspaces::present);
    connect(m_bottom, &BottomArea::panelChosen, this, [this](const QString &id) {
        if (id.isEmpty()) m_bottom->closePanel();
        else present(id);
    });
}

void Workspaces::begin()
{
    m_docks = new DockLayout(m_window, m_parts.host, m_parts.hub, m_parts.preferences);
    // The first session finds its page made.
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (const ViewEntry *entry = m_parts.views.find(view::graph); entry && !entry->missing)
                m_pages->addWidget(m_parts.host.widget(entry->id));
        },
        Qt::QueuedConnection);
}

QWidget *Workspaces::page() const { return m_pages->currentWidget(); }

void Workspaces::present(const QString &id)
{
    try {
        const ViewEntry &entry = m_parts.views.at(id);
        if (entry.feed && !m_parts.session() && !entry.worksAlone) { // there is nothing that it could show
            Q_EMIT changed();
            return;
        }
        const QString workspace = m_parts.views.workspaceFor(entry, m_workspace);
        const QString place = m_parts.views.isWorkspace(id) ? QString() : id;
        m_parts.hub.selectPlace(workspace, place);
        bring(place); // also when it is the place already: it may have been closed
    } catch (const ViewError &error) {
        m_notices.error(QString::fromUtf8(error.what()));
    }
}

void Workspaces::bring(const QString &place)
{
    m_place = place;
    const ViewEntry *entry = place.isEmpty() ? &m_parts.views.pageOf(m_workspace) : m_parts.views.find(place);
    if (!entry || entry->missing) return;
    QWidget *widget = m_parts.host.widget(entry->id);
    if (!place.isEmpty()) {
        const bool comes = m_docks->has(place) && !m_docks->isShown(place);
        m_docks->show(place);
        if (comes) makeRoomFor(place);
        if (entry->place.area == Area::Bottom) m_bottom->openPanel(place, widget);
    }
    if (m_window.focusWidget() != widget && !widget->isAncestorOf(m_window.focusWidget())) focusFirst(*widget, Qt::OtherFocusReason);
}

// The source panel is widened when it opens, so that its lines can be read. Beside a lesson, the lesson keeps its width.
void Workspaces::makeRoomFor(const QString &id)
{
    if (id != QLatin1String(view::source) || isShown(view::lessons)) return;
    if (auto *panel = qobject_cast<SourcePanel *>(m_parts.host.made(id))) panel->widen();
}

void Workspaces::showStaying()
{
    for (const ViewEntry &entry : m_parts.views.entries())
        if (const QWidget *view = m_parts.host.made(entry.id);
            view && view->property(kStaysProperty).toBool() && entry.standsIn(m_workspace))
            m_docks->show(entry.id);
}

void Workspaces::leave(const QString &place)
{
    if (m_bottom->isOpen(place)) m_bottom->closePanel();
}

void Workspaces::follow(SelectionParts selected)
{
    const Selection &selection = m_parts.hub.selection();
    if (selected & SelectionPart::Workspace) enter(selection.workspace);
    if (selected & SelectionPart::Place && m_parts.hub.isTravelling()) {
        leave(m_place);
        bring(selection.place);
    }
    if (selected & SelectionPart::Node && selection.node.isValid()) m_docks->openForNode(m_workspace);
}

void Workspaces::toggle(const QString &id)
{
    if (m_parts.views.isWorkspace(id) || !isShown(id)) {
        present(id);
        return;
    }
    if (m_docks->has(id)) m_docks->show(id, false);
    else m_bottom->closePanel();
    if (m_place == id) m_place.clear();
    Q_EMIT changed();
}

void Workspaces::showDock(const QString &id) { m_docks->show(id); }

void Workspaces::setDockWidth(const QString &id, int width) { m_docks->setWidth(id, width); }

bool Workspaces::isShown(const QString &view) const
{
    return m_parts.views.isWorkspace(view) ? m_workspace == view : m_docks->isShown(view) || m_bottom->isOpen(view);
}

std::vector<QWidget *> Workspaces::panes() const
{
    std::vector<QWidget *> all{&m_runBar};
    const std::vector<QWidget *> left = m_docks->shown(Qt::LeftDockWidgetArea), right = m_docks->shown(Qt::RightDockWidgetArea);
    all.insert(all.end(), left.begin(), left.end());
    if (QWidget *shown = page()) {
        const auto *parts = dynamic_cast<const HasPanes *>(shown);
        const std::vector<QWidget *> middle = parts ? parts->panes() : std::vector<QWidget *>{shown};
        all.insert(all.end(), middle.begin(), middle.end());
    }
    all.insert(all.end(), right.begin(), right.end());
    if (QWidget *panel = m_bottom->panel()) all.push_back(panel);
    return all;
}

void Workspaces::enter(const QString &workspace)
{
    if (workspace == m_workspace) return;
    if (!m_parts.views.isWorkspace(workspace)) {
        m_notices.error(tr("There is no view “%1”; the views are %2.").arg(workspace, m_parts.views.ids().join(", ")));
        return;
    }
    const ViewEntry &entry = m_parts.views.pageOf(workspace);
    QWidget *page = m_parts.host.widget(entry.id);
    m_workspace = workspace;
    m_pages->addWidget(page);
    if (auto *welcome = qobject_cast<WelcomePage *>(page)) welcome->setRecent(m_parts.preferences.recentFiles());
    if (entry.feed) m_runToolBar->show();
    m_pages->setCurrentWidget(page);
    m_bottom->enter(workspace);
    m_docks->enter(entry.feed ? workspace : QString());
    showStaying();
    m_runToolBar->setVisible(entry.feed);
    page->setFocus();
    Q_EMIT changed();
}

void Workspaces::resetLayout()
{
    m_docks->reset();
    m_bottom->closePanel();
}

void Workspaces::keepDocks() { m_docks->keep(); }

void Workspaces::setPresenting(bool on)
{
    if (on == std::exchange(m_presents, on)) return;
    Theme theme = m_parts.preferences.effectiveTheme();
    if (on) {
        const bool reduced = theme.reducedMotion();
        theme = Theme::load(theme.kind(), std::min(2.0, theme.textScale() * kPresenterScale));
        theme.setReducedMotion(reduced);
    }
    m_docks->putAway(on);
    m_runToolBar->setVisible(!on && showsSessions());
    m_window.menuBar()->setFixedHeight(on ? 0 : theme.size(Size::MenuBar)); // hidden, it would take its keys along
    m_window.statusBar()->setVisible(!on);
    applyTheme(*qApp, theme);
    showStaying();
    m_window.setWindowState(m_window.windowState().setFlag(Qt::WindowFullScreen, on));
    Q_EMIT changed();
}

} // namespace app
