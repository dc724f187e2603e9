#include "app/studio/window/tour_guide.h"

#include "app/studio/pages/graph_page.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/window/bottom_area.h"
#include "app/studio/window/commands.h"
#include "app/studio/window/notices.h"
#include "app/studio/window/tour.h"
#include "app/studio/window/workspaces.h"
#include "profiler/lessons/view_ids.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_pane.h"
#include "views/steps/step_bar.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QMenuBar>
#include <QTimer>
#include <QToolBar>

#include <utility>

namespace app {

using namespace views;
namespace view = profiler::view;

// Layouts and animations end without a signal.
constexpr int kLayoutMs = 100;

TourGuide::TourGuide(QMainWindow &window, StudioParts &parts, Notices &notices, Workspaces &workspaces, RunController &runs,
                     std::function<bool()> isReady)
    : m_window(window), m_parts(parts), m_notices(notices), m_workspaces(workspaces), m_runs(runs), m_isReady(std::move(isReady))
{
    // No timer runs while no function is shown: these signals report every other change that can start the tour.
    const auto lookSoon = [this] { lookIn(0); };
    connect(&parts.keeper, &SessionKeeper::changed, this, lookSoon);
    connect(&parts.keeper, &SessionKeeper::opened, this, lookSoon);
    connect(&parts.host, &ViewHost::busyChanged, this, lookSoon);
    connect(&runs, &RunController::changed, this, lookSoon);
    connect(&workspaces, &Workspaces::changed, this, lookSoon);
    connect(&notices, &Notices::failed, this, lookSoon);
}

void TourGuide::offer()
{
    m_isOffered = true;
    lookIn(0);
}

void TourGuide::lookIn(int ms)
{
    if ((!m_wanted && !m_isOffered) || std::exchange(m_looksSoon, true)) return;
    QTimer::singleShot(ms, this, &TourGuide::look);
}

bool TourGuide::isWorthIt() const
{
    return m_parts.session() && m_parts.keeper.function() && m_isReady() && m_workspaces.isIn(view::graph) &&
           !m_workspaces.isShown(QString::fromLatin1(view::lessons)) && m_runs.outcome().kind != RunOutcome::Kind::Failed;
}

void TourGuide::show(int stop)
{
    if (m_tour) {
        m_tour->go(stop);
        return;
    }
    if (!m_parts.keeper.function() && !m_parts.keeper.isReading() && !m_runs.isRunning())
        Q_EMIT sampleWanted(QStringLiteral("logistic_regression"));
    m_wanted = stop;
    look();
}

void TourGuide::look()
{
    m_looksSoon = false;
    if (m_wanted && (!m_notices.lastError().isEmpty() || (m_parts.keeper.function() && m_isReady()))) {
        const int stop = *std::exchange(m_wanted, std::nullopt);
        if (m_parts.keeper.function()) begin(stop);
    }
    if (m_isOffered && (m_parts.preferences.tourSeen() || isWorthIt())) {
        m_isOffered = false;
        if (!m_parts.preferences.tourSeen()) begin(0);
    }
    if (m_parts.keeper.function() && !m_isReady()) lookIn(kLayoutMs);
}

void TourGuide::begin(int stop)
{
    auto *page = qobject_cast<GraphPage *>(m_parts.host.widget(QStringLiteral("graph")));
    if (!page || m_tour) return;
    m_parts.preferences.setTourSeen();
    const std::vector<KeyRow> keys = keyRows(m_parts.views);
    const auto key = [&keys](const char *id) {
        for (const KeyRow &row : keys)
            if (row.id == QLatin1String(id) && !row.keys.isEmpty()) return row.keys.front().toString(QKeySequence::NativeText);
        return QString();
    };
    const auto graph = [this] { m_workspaces.present(QString::fromLatin1(view::graph)); };
    const auto dock = [this](const char *id) {
        return [this, id] { return std::vector<QWidget *>{m_window.findChild<QDockWidget *>(QLatin1String(id))}; };
    };
    m_tour = new Tour(
        &m_window,
        {{tr("Your script"),
          tr("As it was written. The bar beside a line is the time that stems from it. Click a line: what became of it lights up in the graphs."),
          [this, graph] {
              graph();
              m_workspaces.showDock(QStringLiteral("source"));
          },
          dock("source")},
         {tr("What the compiler made of it"),
          tr("The graph as written, and the one that runs: the hotter the colour of a node, the longer it takes. Click one to see where it comes from. The wheel "
             "zooms, dragging moves."),
          graph,
          [page] {
              return std::vector<QWidget *>{page->originalPane(), page->optimizedPane()};
          }},
         {tr("Every change on the way"),
          tr("Each mark is a rewrite that changed the graph. Drag the handle, or press %1 and %2: you see what it did and why.")
              .arg(key("previousStep"), key("nextStep")),
          graph, [page] { return std::vector<QWidget *>{page->stepBar()}; }},
         {tr("One node, explained"),
          tr("What you select is explained here: its time, the rewrites that made it, the lines it stems from. This is the one that takes "
             "longest."),
          [this, graph, page] {
              graph();
              if (!m_parts.hub.selection().node.isValid()) m_parts.hub.selectNode(page->hottest());
              m_workspaces.showDock(QStringLiteral("inspector"));
          },
          dock("inspector")},
         {tr("Where time and memory go"),
          tr("Tables, timeline, flame graph and memory open from this strip. All on one page, with advice on what to change: Profile (%1).")
              .arg(key("profile")),
          graph, [this] { return std::vector<QWidget *>{m_workspaces.area()->strip()}; }},
         {tr("Change something, and run it"),
          tr("Choose device, mode or precision and press Run (%1): the views follow while it runs. Compare (%2) shows what has changed.")
              .arg(key("run"), key("compare")),
          graph, [this] { return std::vector<QWidget *>{m_workspaces.runToolBar()}; }},
         {tr("From here on"),
          tr("%1 explains what you look at, %2 finds everything by name, and lessons (%3) teach it in small steps. This tour is in the menu "
             "Help.")
              .arg(key("help"), key("palette"), key("lessons")),
          {},
          [this] { return std::vector<QWidget *>{m_window.menuBar()}; }}});
    connect(m_tour, &Tour::left, this, [this, page] {
        std::exchange(m_tour, nullptr)->deleteLater();
        page->setFocus(Qt::OtherFocusReason);
    });
    m_tour->go(stop);
}

} // namespace app
