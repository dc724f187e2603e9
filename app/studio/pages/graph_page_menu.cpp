// What is done with a picture of the graph or a node of it: menus, copies, files, the one that stands out.
#include "app/studio/pages/graph_page.h"

#include "app/studio/pages/picture_writer.h"
#include "views/common/context_menu.h"
#include "views/common/node_notes.h"
#include "views/graph/find_bar.h"
#include "views/graph/graph_pane.h"

#include <QFileDialog>
#include <QInputDialog>

namespace app {

using namespace views;

namespace {

constexpr int kSlowest = 10; // applies

}

NodeRef GraphPage::hottest() const
{
    SceneKey key = kNoSceneKey;
    double most = 0;
    for (const SceneNode &node : m_optimized->canvas()->scene().nodes)
        if (isApply(node.kind) && node.cost.shareOfSlowest > most) {
            most = node.cost.shareOfSlowest;
            key = node.key;
        }
    return key == kNoSceneKey ? NodeRef() : clicked(key, Side::Optimized);
}

void GraphPage::copyPicture(bool partOnly)
{
    const GraphCanvas *canvas = activePane()->canvas();
    m_writer->copy(canvas->drawing(partOnly ? canvas->part() : QSet<SceneKey>()));
}

void GraphPage::exportPicture(bool partOnly)
{
    if (!m_scenes) return;
    const QString path = QFileDialog::getSaveFileName(this, tr("Export the graph picture"), QStringLiteral("graph.svg"),
                                                      tr("Pictures (*.svg *.png *.pdf);;Graphviz (*.dot)"));
    if (path.isEmpty()) return;
    const GraphCanvas *canvas = activePane()->canvas();
    m_writer->write({canvas->drawing(partOnly ? canvas->part() : QSet<SceneKey>()), window()->windowTitle(), m_hub.colourScale(),
                     colourKeyOf(canvas->scene(), canvas->overlay())},
                    path);
}

void GraphPage::openMenu(GraphPane &pane, Side side, SceneKey key, const QPoint &at)
{
    GraphCanvas *canvas = pane.canvas();
    const SceneNode *node = canvas->scene().node(key);
    if (!m_scenes) return;
    if (!node) {
        openContextMenu(m_hub, canvas, at,
                        {{tr("Fit the graph"), [canvas] { canvas->fit(); }},
                         {tr("Lay out again"), [canvas] { canvas->layOutAgain(); }},
                         {tr("Find…"), [&pane] { pane.findBar()->open(); }},
                         {tr("Copy as picture"), [this] { copyPicture(false); }},
                         {tr("Export the graph picture…"), [this] { exportPicture(); }},
                         {tr("Export what is found or selected…"), [this] { exportPicture(true); }}});
        return;
    }
    m_hub.selectNode(clicked(key, side));
    std::vector<MenuItem> items{{tr("Trace to inputs"), [canvas, key] { canvas->showPath(key, GraphCanvas::Reach::Inputs); }},
                                {tr("Trace to outputs"), [canvas, key] { canvas->showPath(key, GraphCanvas::Reach::Outputs); }},
                                {tr("Neighbours"), [canvas, key] { canvas->showNeighbours(key, 1); }},
                                {tr("Neighbours, three steps"), [canvas, key] { canvas->showNeighbours(key, 3); }},
                                {tr("Neighbours, the slowest"), [canvas, key] { canvas->showSlowestAround(key, kSlowest); }},
                                {tr("Copy as picture"), [this] { copyPicture(true); }},
                                {tr("Center"), [canvas, key] { canvas->centerOn(key); }}};
    if (canvas->hasPath())
        items.push_back({canvas->isIsolated() ? tr("Show the rest again") : tr("Show nothing else"),
                         [canvas] { canvas->setIsolated(!canvas->isIsolated()); }});
    if (node->inner >= 0) items.push_back({tr("Go into its graph"), [canvas, key] { Q_EMIT canvas->innerOpened(key); }});
    if (node->expandable)
        items.push_back({node->open ? tr("Close") : tr("Open in place"), [canvas, key] { Q_EMIT canvas->groupToggled(key); }});
    if (node->holds)
        items.push_back({tr("Open down to its slowest apply"), [this, side, slowest = node->slowest] { openDownTo(side, slowest); }});
    if (const SceneKey group = canvas->openGroupAround(key); group != kNoSceneKey)
        items.push_back({tr("Close the group around it"), [canvas, group] { Q_EMIT canvas->groupToggled(group); }});
    items.push_back({});
    items.push_back({tr("Note…"), [this, node = clicked(key, side), title = node->title] { editNote(node, title); }});
    items.push_back({tr("Copy name"), [name = node->title] { copyText(name); }});
    if (node->exactName != node->title) items.push_back({tr("Copy exact name"), [name = node->exactName] { copyText(name); }});
    openContextMenu(m_hub, canvas, at, items);
}

void GraphPage::followNotes()
{
    if (!m_scenes) return;
    for (Side side : {Side::Original, Side::Optimized}) {
        const QHash<NodeRef, QString> noted = NodeNotes::of(m_hub).ofGraph(profiler::raw(m_graph), side);
        QHash<SceneKey, QString> notes;
        for (auto note = noted.cbegin(); note != noted.cend(); ++note) {
            const SceneKey key = seen(m_scenes->keyOf(note.key(), side), side);
            if (canvasOf(side)->scene().node(key)) notes.insert(key, *note);
        }
        canvasOf(side)->setNotes(notes);
    }
}

void GraphPage::editNote(const NodeRef &node, const QString &title)
{
    NodeNotes &notes = NodeNotes::of(m_hub);
    const std::uint32_t graph = profiler::raw(m_graph);
    bool ok = false;
    const QString text = QInputDialog::getMultiLineText(this, tr("Note on %1").arg(title), tr("Kept on this machine, for this session:"),
                                                        notes.note(graph, node), &ok);
    if (ok) notes.setNote(graph, node, text.trimmed());
}

} // namespace app
