#include "views/worth/worth_graphs.h"

#include "profiler/compare/compare.h"
#include "profiler/session/store/reader.h"
#include "views/common/background.h"
#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/panels.h"
#include "views/graph/graph_pane.h"
#include "views/graph/graph_scenes.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace views {
namespace {

SceneKey keyOf(const GraphData &graph, profiler::ApplyId apply) { return sceneKey(raw(graph.info.id), SceneRole::Apply, raw(apply)); }

std::shared_ptr<const GraphData> graphOfFunction(const SessionData &session, profiler::FunctionId function)
{
    return session.graphOf(raw(function));
}

struct TwoScenes {
    Scene left, right;
    SceneKey seenLeft = kNoSceneKey, seenRight = kNoSceneKey; ///< to be in view
};

void markAll(Scene &scene, const GraphData &graph, const std::set<profiler::ApplyId> &applies, DiffState state, SceneKey &seen)
{
    for (profiler::ApplyId apply : applies) {
        const int at = scene.seenAs(keyOf(graph, apply));
        if (at < 0) continue;
        SceneNode &node = scene.nodes[static_cast<std::size_t>(at)];
        if (node.diff == DiffState::None) node.diff = state;
        if (seen == kNoSceneKey) seen = node.key;
    }
}

TwoScenes aroundStep(const std::shared_ptr<const SessionData> &session, const std::shared_ptr<const GraphData> &graph, int step)
{
    GraphScenes scenes(session, graph);
    TwoScenes made;
    std::set<profiler::ApplyId> gone, come;
    if (const auto around = scenes.around(step)) {
        gone = around->marks.gone;
        come = around->marks.come;
        if (gone.empty() && come.empty() && around->marks.info) { // only connections changed
            gone.insert(around->marks.info->matched.begin(), around->marks.info->matched.end());
            come.insert(around->marks.info->produced.begin(), around->marks.info->produced.end());
        }
    }
    made.left = scenes.at(step - 1, {}, false);
    made.right = scenes.at(step, {}, false);
    for (SceneNode &node : made.left.nodes) node.diff = DiffState::None; // what an earlier step did
    markAll(made.left, *graph, gone, DiffState::Replaced, made.seenLeft);
    markAll(made.right, *graph, come, DiffState::Created, made.seenRight);
    return made;
}

TwoScenes withAndWithout(const std::shared_ptr<const SessionData> &session, const std::shared_ptr<const GraphData> &graph,
                         const WithoutIt &without)
{
    TwoScenes made;
    const auto other = graphOfFunction(*without.session, without.function);
    if (!other) return made;
    made.left = GraphScenes(session, graph).at(Selection::kLastStep);
    made.right = GraphScenes(without.session, other).at(Selection::kLastStep);
    std::set<profiler::ApplyId> here, there;
    for (const profiler::ApplyRow &row : graph->applies)
        if (row.inOptimized) here.insert(row.apply);
    for (const profiler::ApplyRow &row : other->applies)
        if (row.inOptimized) there.insert(row.apply);
    for (const auto &[a, b] : without.pairs) here.erase(a), there.erase(b);
    for (Scene *scene : {&made.left, &made.right})
        for (SceneNode &node : scene->nodes) node.diff = DiffState::None;
    markAll(made.left, *graph, here, DiffState::Created, made.seenLeft); // what it makes
    markAll(made.right, *other, there, DiffState::Dead, made.seenRight); // what it takes away
    return made;
}

} // namespace

std::shared_ptr<const WithoutIt> readWithout(const SessionData &with, profiler::FunctionId function, const QString &path)
{
    auto made = std::make_shared<WithoutIt>();
    try {
        made->session = readSession(*profiler::SessionReader::open(path.toStdString()), nullptr);
    } catch (const profiler::SessionError &error) {
        made->problem = QString::fromStdString(error.what());
        return made;
    }
    const auto has = std::ranges::find_if(
        made->session->functions, [&](const profiler::FunctionInfo &each) { return made->session->graphOf(raw(each.id)) != nullptr; });
    if (has == made->session->functions.end()) {
        made->problem = WorthGraphs::tr("The function could not be compiled without it.");
        return made;
    }
    made->function = has->id;
    // The other functions of the session have nothing to do with it: they would be paired, too, where names are shared.
    profiler::ProfileData one = with.profile;
    std::erase_if(one.functions, [function](const profiler::FunctionInfo &each) { return each.id != function; });
    for (profiler::FunctionInfo &each : one.functions) each.name = has->name;
    for (const profiler::ComparedRow &row : profiler::compareSessions(one, {}, made->session->profile, {}).applies)
        if (row.a.present && row.b.present) made->pairs.emplace_back(row.applyA.apply, row.applyB.apply);
    return made;
}

WorthGraphs::WorthGraphs(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    auto *bar = new QWidget;
    setSurface(bar, "panel");
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(theme.px(12), theme.px(4), theme.px(8), theme.px(4));
    row->setSpacing(theme.px(4));
    m_title = new ElidedLabel({}, FontRole::Cell, "secondary", Qt::ElideMiddle);
    m_previous = iconButton(QStringLiteral("previous"), tr("Its step before"));
    m_next = iconButton(QStringLiteral("next"), tr("Its next step"));
    m_compile = new QPushButton(tr("Compile without it"));
    m_compile->setProperty("compact", true);
    row->addWidget(m_title, 1);
    row->addWidget(m_previous);
    row->addWidget(m_next);
    row->addSpacing(theme.px(4));
    row->addWidget(m_compile);
    outer->addWidget(bar);
    outer->addWidget(new Hairline);
    auto *both = new QHBoxLayout;
    both->setSpacing(0);
    m_left = new GraphPane({});
    m_right = new GraphPane({});
    both->addWidget(m_left, 1);
    both->addWidget(new Hairline(Qt::Vertical));
    both->addWidget(m_right, 1);
    outer->addLayout(both, 1);
    for (GraphPane *pane : {m_left, m_right}) {
        connect(pane->canvas(), &GraphCanvas::sceneChanged, this, &WorthGraphs::settledChanged);
        connect(pane->canvas(), &GraphCanvas::nodeClicked, this, [this, pane](SceneKey key) { choose(key, pane == m_left); });
    }
    connect(m_previous, &QToolButton::clicked, this, [this] { goTo(m_at - 1); });
    connect(m_next, &QToolButton::clicked, this, [this] { goTo(m_at + 1); });
    connect(m_compile, &QPushButton::clicked, this, [this] {
        if (m_without) Q_EMIT stepsWanted();
        else Q_EMIT compileWanted();
    });
    showNothing({});
}

QString WorthGraphs::sentence() const { return m_title->text(); }

void WorthGraphs::showNothing(const QString &sentence)
{
    ++m_asked;
    m_busy = false;
    m_graph.reset();
    m_without.reset();
    m_steps.clear();
    m_title->setText({});
    for (QWidget *each : {static_cast<QWidget *>(m_previous), static_cast<QWidget *>(m_next), static_cast<QWidget *>(m_compile)})
        each->hide();
    for (GraphPane *pane : {m_left, m_right}) {
        pane->canvas()->clear();
        pane->setBusy(false);
        pane->setTitles({}, {});
    }
    m_left->showEmpty(QStringLiteral("graph"), sentence);
    m_left->header()->hide();
    m_right->setVisible(false);
}

void WorthGraphs::showSteps(std::shared_ptr<const SessionData> session, std::shared_ptr<const GraphData> graph, const QString &name,
                            std::vector<int> steps)
{
    m_session = std::move(session);
    m_graph = std::move(graph);
    m_name = name;
    m_without.reset();
    m_steps = std::move(steps);
    m_right->setVisible(true);
    m_left->header()->show();
    m_compile->setText(tr("Compile without it"));
    m_compile->show();
    goTo(0);
}

void WorthGraphs::showBoth(std::shared_ptr<const SessionData> session, std::shared_ptr<const GraphData> graph, const QString &name,
                           std::shared_ptr<const WithoutIt> without)
{
    if (!without->problem.isEmpty()) return showNothing(without->problem);
    m_session = std::move(session);
    m_graph = std::move(graph);
    m_name = name;
    m_without = std::move(without);
    m_steps.clear();
    m_right->setVisible(true);
    m_left->header()->show();
    m_compile->setText(tr("Its steps"));
    m_compile->setToolTip(tr("The steps of the function that it made"));
    m_compile->setEnabled(true);
    m_compile->show();
    m_previous->hide();
    m_next->hide();
    build();
}

void WorthGraphs::offerCompile(bool can, const QString &why)
{
    if (m_without) return;
    m_compile->setEnabled(can);
    m_compile->setToolTip(can ? tr("Compiles the captured call without it, and shows both graphs") : why);
}

void WorthGraphs::goTo(std::size_t at)
{
    if (at >= m_steps.size()) return;
    m_at = at;
    m_previous->setVisible(m_steps.size() > 1);
    m_next->setVisible(m_steps.size() > 1);
    m_previous->setEnabled(at > 0);
    m_next->setEnabled(at + 1 < m_steps.size());
    m_hub.selectStep(m_steps[at]);
    build();
}

void WorthGraphs::build()
{
    if (!m_graph) return;
    m_busy = true;
    Q_EMIT settledChanged();
    m_left->setBusy(true);
    m_right->setBusy(true);
    m_title->setText(m_without             ? tr("%1: with it and without it").arg(m_name)
                     : m_steps.size() == 1 ? tr("%1: its one step").arg(m_name)
                                           : tr("%1: step %2 of the %3 that it made").arg(m_name).arg(m_at + 1).arg(m_steps.size()));
    inBackground(
        this,
        [session = m_session, graph = m_graph, without = m_without, step = step()] {
            return without ? withAndWithout(session, graph, *without) : aroundStep(session, graph, step);
        },
        [this, asked = ++m_asked, step = step()](TwoScenes scenes) {
            if (asked != m_asked) return;
            m_busy = false;
            const auto show = [](GraphPane *pane, Scene scene, const QString &title, SceneKey seen) {
                pane->setBusy(false);
                pane->setTitles(title, formats::counted(scene.applyCount(), formats::Thing::Apply));
                pane->canvas()->setAccessibleName(title);
                if (scene.nodes.empty()) {
                    pane->canvas()->clear();
                    pane->showEmpty(QStringLiteral("graph"), tr("This graph is not recorded."));
                    return;
                }
                pane->showCanvas();
                pane->canvas()->setScene(std::move(scene), GraphCanvas::Change::Fresh);
                if (seen != kNoSceneKey) pane->canvas()->reveal(seen);
            };
            show(m_left, std::move(scenes.left), m_without ? tr("With it") : tr("Before step %1").arg(step), scenes.seenLeft);
            show(m_right, std::move(scenes.right), m_without ? tr("Without it") : tr("After step %1").arg(step), scenes.seenRight);
            Q_EMIT settledChanged();
        });
}

bool WorthGraphs::isSettled() const
{
    return !m_busy && m_left->canvas()->isSettled() && (m_right->isHidden() || m_right->canvas()->isSettled());
}

void WorthGraphs::settle()
{
    m_left->canvas()->settle();
    m_right->canvas()->settle();
}

// With it, a node of the optimized graph is one of the session; its partner is marked.
void WorthGraphs::choose(SceneKey key, bool left)
{
    m_left->canvas()->setSelected({});
    m_right->canvas()->setSelected({});
    (left ? m_left : m_right)->canvas()->setSelected({key});
    if (sceneRole(key) != SceneRole::Apply || !m_graph) return;
    const profiler::ApplyId apply{sceneId(key)};
    if (!m_without) {
        (left ? m_right : m_left)->canvas()->setSelected({key}); // survivors have one name
        m_hub.selectNode({Side::Optimized, NodeKind::Apply, raw(apply)});
        return;
    }
    const auto other = graphOfFunction(*m_without->session, m_without->function);
    for (const auto &[a, b] : m_without->pairs) {
        if ((left ? a : b) != apply) continue;
        GraphCanvas *canvas = (left ? m_right : m_left)->canvas();
        const SceneKey partner = left ? keyOf(*other, b) : keyOf(*m_graph, a);
        canvas->setSelected({partner});
        canvas->reveal(partner);
    }
    if (left) m_hub.selectApply(raw(apply));
}

} // namespace views
