// The tour of the window: what it shows, and when it begins.
#include "app/studio/bottom_area.h"
#include "app/studio/commands.h"
#include "app/studio/dock_layout.h"
#include "app/studio/graph_page.h"
#include "app/studio/main_window.h"
#include "app/studio/tour.h"
#include "views/graph/graph_pane.h"
#include "views/steps/step_bar.h"

#include <QDockWidget>
#include <QMenuBar>
#include <QTimer>
#include <QToolBar>

#include <utility>

namespace app {

using namespace views;

namespace {

constexpr int kAskMs = 100;

} // namespace

bool MainWindow::isWorthTour() const
{
    const QString lessons = QStringLiteral("lessons");
    return session() && m_keeper.function() && isReady() && m_workspace == QLatin1String("graph") && !m_docks->isShown(lessons) &&
           outcome().kind != RunOutcome::Kind::Failed;
}

void MainWindow::showTour(int stop)
{
    if (m_tour) {
        m_tour->go(stop);
        return;
    }
    if (!m_keeper.function() && !m_keeper.isReading() && !m_processes.isRunning()) leads(QStringLiteral("sample logistic_regression"));
    auto *ask = new QTimer(this);
    connect(ask, &QTimer::timeout, this, [this, ask, stop] {
        if (m_lastError.isEmpty() && (!m_keeper.function() || !isReady())) return;
        ask->deleteLater();
        if (m_keeper.function()) beginTour(stop);
    });
    ask->start(kAskMs);
}

void MainWindow::offerTour()
{
    if (m_preferences.tourSeen()) return;
    auto *ask = new QTimer(this);
    connect(ask, &QTimer::timeout, this, [this, ask] {
        if (!isWorthTour() && !m_preferences.tourSeen()) return;
        ask->deleteLater();
        if (!m_preferences.tourSeen()) beginTour(0);
    });
    ask->start(kAskMs);
}

void MainWindow::beginTour(int stop)
{
    auto *page = qobject_cast<GraphPage *>(m_host.widget(QStringLiteral("graph")));
    if (!page || m_tour) return;
    m_preferences.setTourSeen();
    const std::vector<KeyRow> keys = keyRows(m_views);
    const auto key = [&keys](const char *id) {
        for (const KeyRow &row : keys)
            if (row.id == QLatin1String(id) && !row.keys.isEmpty()) return row.keys.front().toString(QKeySequence::NativeText);
        return QString();
    };
    const auto graph = [this] { present(QStringLiteral("graph")); };
    const auto dock = [this](const char *id) {
        return [this, id] { return std::vector<QWidget *>{findChild<QDockWidget *>(QLatin1String(id))}; };
    };
    m_tour = new Tour(
        this,
        {{tr("Your script"),
          tr("As it was written. The bar beside a line is the time that stems from it. Click a line: what became of it lights up in the graphs."),
          [this, graph] {
              graph();
              m_docks->show(QStringLiteral("source"));
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
              if (!m_hub.selection().node.isValid()) m_hub.selectNode(page->hottest());
              m_docks->show(QStringLiteral("inspector"));
          },
          dock("inspector")},
         {tr("Where time and memory go"),
          tr("Tables, timeline, flame graph and memory open from this strip. All on one page, with advice on what to change: Profile (%1).")
              .arg(key("profile")),
          graph, [this] { return std::vector<QWidget *>{m_bottom->strip()}; }},
         {tr("Change something, and run it"),
          tr("Choose device, mode or precision and press Run (%1): the views follow while it runs. Compare (%2) shows what has changed.")
              .arg(key("run"), key("compare")),
          graph, [this] { return std::vector<QWidget *>{m_runToolBar}; }},
         {tr("From here on"),
          tr("%1 explains what you look at, %2 finds everything by name, and lessons (%3) teach it in small steps. This tour is in the menu "
             "Help.")
              .arg(key("help"), key("palette"), key("lessons")),
          {},
          [this] { return std::vector<QWidget *>{menuBar()}; }}});
    connect(m_tour, &Tour::left, this, [this, page] {
        std::exchange(m_tour, nullptr)->deleteLater();
        page->setFocus(Qt::OtherFocusReason);
    });
    m_tour->go(stop);
}

} // namespace app
