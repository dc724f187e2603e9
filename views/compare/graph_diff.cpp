#include "views/compare/graph_diff.h"

#include "profiler/session/model/function_title.h"
#include "views/common/background.h"
#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/text.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_pane.h"
#include "views/graph/graph_scenes.h"

#include <QHBoxLayout>

namespace views {
namespace {

SceneKey keyOf(const profiler::ApplyKey &apply) { return sceneKey(raw(apply.graph), SceneRole::Apply, raw(apply.apply)); }

} // namespace

Scene comparedScene(const CompareRows &rows, const std::string &function, bool ofA)
{
    const std::shared_ptr<const SessionData> &session = ofA ? rows.sessionA : rows.sessionB;
    std::shared_ptr<const GraphData> graph;
    for (const profiler::FunctionInfo &each : session->functions)
        if (profiler::shortTitle(each) == function && !graph) graph = session->graphOf(raw(each.id));
    if (!graph) return {};
    Scene scene = GraphScenes(session, graph).at(Selection::kLastStep);
    for (const profiler::ComparedRow &row : rows.comparison.applies) {
        if (row.function != function || !(ofA ? row.a : row.b).present) continue;
        const int index = scene.find(keyOf(ofA ? row.applyA : row.applyB));
        if (index < 0) continue;
        SceneNode &node = scene.nodes[static_cast<std::size_t>(index)];
        if (!(ofA ? row.b : row.a).present) {
            node.diff = ofA ? DiffState::Dead : DiffState::Created;
            continue;
        }
        const profiler::Change change = profiler::changeOf(row);
        if (change == profiler::Change::Same) continue;
        node.pill = (change == profiler::Change::Worse ? QStringLiteral("▲ +") : QStringLiteral("▼ ")) + formats::timeNs(row.deltaNs);
    }
    return scene;
}

GraphDiff::GraphDiff(QWidget *parent) : QWidget(parent)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_a = new GraphPane(tr("A"));
    m_b = new GraphPane(tr("B"));
    layout->addWidget(m_a, 1);
    layout->addWidget(new Hairline(Qt::Vertical));
    layout->addWidget(m_b, 1);
    for (GraphPane *pane : {m_a, m_b}) {
        pane->canvas()->setAccessibleName(pane == m_a ? tr("Optimized graph of A") : tr("Optimized graph of B"));
        connect(pane->canvas(), &GraphCanvas::nodeClicked, this, [this, pane](SceneKey key) { choose(key, pane == m_a); });
    }
}

void GraphDiff::setRows(const std::shared_ptr<const CompareRows> &rows, const std::string &function)
{
    if (rows == m_rows && function == m_function) return;
    m_rows = rows;
    m_function = function;
    m_busy = true;
    inBackground(
        this, [rows, function] { return std::pair(comparedScene(*rows, function, true), comparedScene(*rows, function, false)); },
        [this, asked = ++m_asked](std::pair<Scene, Scene> scenes) {
            if (asked != m_asked) return;
            m_busy = false;
            const auto show = [](GraphPane *pane, Scene scene, const QString &letter, const QString &title) {
                if (scene.nodes.empty()) {
                    pane->setTitles(letter, {});
                    pane->canvas()->clear();
                    pane->showEmpty(QStringLiteral("graph"), tr("This side has no such function."));
                    return;
                }
                const int applies = scene.applyCount();
                pane->setTitles(letter, QStringLiteral("%1 · %2").arg(title, formats::counted(applies, formats::Thing::Apply)));
                pane->showCanvas();
                pane->canvas()->setScene(std::move(scene), GraphCanvas::Change::Fresh);
            };
            const QString name = views::text(m_function);
            show(m_a, std::move(scenes.first), tr("A"), name);
            show(m_b, std::move(scenes.second), tr("B"), name);
        });
}

bool GraphDiff::isSettled() const { return !m_busy && m_a->canvas()->isSettled() && m_b->canvas()->isSettled(); }

void GraphDiff::choose(SceneKey key, bool ofA)
{
    if (!m_rows) return;
    m_a->canvas()->setSelected({});
    m_b->canvas()->setSelected({});
    const std::vector<profiler::ComparedRow> &rows = m_rows->comparison.applies;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!(ofA ? rows[i].a : rows[i].b).present || keyOf(ofA ? rows[i].applyA : rows[i].applyB) != key) continue;
        if (rows[i].a.present) m_a->canvas()->setSelected({keyOf(rows[i].applyA)});
        if (rows[i].b.present) m_b->canvas()->setSelected({keyOf(rows[i].applyB)});
        for (const auto &[canvas, side, apply] :
             {std::tuple(m_a->canvas(), rows[i].a.present, rows[i].applyA), std::tuple(m_b->canvas(), rows[i].b.present, rows[i].applyB)})
            if (side && (canvas == m_a->canvas()) != ofA) canvas->reveal(keyOf(apply));
        Q_EMIT rowChosen(static_cast<qint64>(i));
        return;
    }
}

} // namespace views
