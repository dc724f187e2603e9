#include "views/graph/scene.h"

#include "views/common/text.h"

#include <QStringList>

#include <algorithm>
#include <limits>

namespace views {
namespace {

QString quoted(QString text)
{
    text.replace(u'\\', QStringLiteral("\\\\")).replace(u'"', QStringLiteral("\\\""));
    text.replace(u'\n', QStringLiteral("\\n"));
    return u'"' + text + u'"';
}

QString dotShape(SceneKind kind)
{
    switch (kind) {
    case SceneKind::Input:
    case SceneKind::Constant: return QStringLiteral("ellipse");
    case SceneKind::Shared: return QStringLiteral("cylinder");
    case SceneKind::Output: return QStringLiteral("box, peripheries=2");
    case SceneKind::Transfer: return QStringLiteral("hexagon");
    case SceneKind::Group: return QStringLiteral("folder");
    case SceneKind::Apply:
    case SceneKind::View:
    case SceneKind::Composite: break;
    }
    return QStringLiteral("box");
}

} // namespace

void Scene::rebuildIndex()
{
    index.clear();
    index.reserve(static_cast<int>(nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i) index.insert(nodes[i].key, static_cast<int>(i));
}

SceneKey foldKey(std::uint32_t graph, const profiler::FoldGroup &group)
{
    const auto role = static_cast<SceneRole>(static_cast<int>(SceneRole::Fold) + group.depth);
    return sceneKey(graph, role, raw(group.applies.front()));
}

std::vector<SceneKey> Scene::groupsAround(SceneKey key) const
{
    std::vector<SceneKey> around;
    if (!folding || key == kNoSceneKey || sceneGraph(key) != foldedGraph) return around;
    if (sceneRole(key) != SceneRole::Apply && !isFold(key)) return around;
    const int depth = isFold(key) ? static_cast<int>(sceneRole(key)) - static_cast<int>(SceneRole::Fold) : std::numeric_limits<int>::max();
    for (int group = folding->groupOf(profiler::ApplyId{sceneId(key)}); group >= 0; group = folding->groups[group].parent)
        if (folding->groups[group].depth < depth) around.push_back(foldKey(foldedGraph, folding->groups[group]));
    return around;
}

int Scene::seenAs(SceneKey key) const
{
    const int at = find(key);
    if (at >= 0) return at;
    for (SceneKey group : groupsAround(key))
        if (const int hidden = find(group); hidden >= 0) return hidden;
    return -1;
}

const SceneNode *Scene::node(SceneKey key) const
{
    const int at = find(key);
    return at < 0 ? nullptr : &nodes[at];
}

int Scene::count(SceneKind kind) const
{
    int total = 0;
    for (const SceneNode &node : nodes) total += node.kind == kind && !node.ghost;
    return total;
}

const SceneFrame *Scene::frameOf(int node) const
{
    for (const SceneFrame &frame : frames)
        if (std::find(frame.members.begin(), frame.members.end(), node) != frame.members.end()) return &frame;
    return nullptr;
}

QString frameSentence(const Scene &scene, int node)
{
    const SceneFrame *frame = scene.frameOf(node);
    if (!frame) return {};
    QStringList others;
    for (int member : frame->members)
        if (const SceneNode &other = scene.nodes[member]; member != node)
            others << (other.number >= 0 ? QStringLiteral("%1 %2").arg(other.number).arg(other.title) : other.title);
    const QString list = others.size() > 1 ? tr("%1 and %2").arg(others.mid(0, others.size() - 1).join(QStringLiteral(", ")), others.last())
                                           : others.join(QString());
    return frame->runsAsOne ? tr("Runs as one kernel with %1.").arg(list)
                            : tr("May run as one kernel with %1; with these sizes each runs alone.").arg(list);
}

int Scene::applyCount() const
{
    int total = inlinedApplies;
    for (const SceneNode &node : nodes) total += isApply(node.kind) && !node.ghost && node.parent < 0 ? std::max(1, node.holds) : 0;
    return total;
}

bool isApply(SceneKind kind) { return !isVariable(kind); }

bool isVariable(SceneKind kind)
{
    return kind == SceneKind::Input || kind == SceneKind::Constant || kind == SceneKind::Shared || kind == SceneKind::Output;
}

QString sceneKindName(SceneKind kind)
{
    switch (kind) {
    case SceneKind::Apply: return tr("apply");
    case SceneKind::View: return tr("view");
    case SceneKind::Input: return tr("input");
    case SceneKind::Constant: return tr("constant");
    case SceneKind::Shared: return tr("shared");
    case SceneKind::Output: return tr("output");
    case SceneKind::Transfer: return tr("transfer");
    case SceneKind::Composite: return tr("composite");
    case SceneKind::Group: return tr("group");
    }
    return {};
}

Scene partOf(const Scene &scene, const QSet<SceneKey> &keys)
{
    Scene part;
    std::vector<int> place(scene.nodes.size(), -1);
    for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
        if (!keys.contains(scene.nodes[i].key)) continue;
        place[i] = static_cast<int>(part.nodes.size());
        part.nodes.push_back(scene.nodes[i]);
        part.nodes.back().parent = -1;
    }
    for (const SceneEdge &edge : scene.edges) {
        if (place[edge.from] < 0 || place[edge.to] < 0) continue;
        part.edges.push_back(edge);
        part.edges.back().from = place[edge.from];
        part.edges.back().to = place[edge.to];
    }
    part.rebuildIndex();
    return part;
}

QString toDot(const Scene &scene)
{
    QStringList lines{QStringLiteral("digraph croton {"), QStringLiteral("    rankdir=TB;")};
    for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
        const SceneNode &node = scene.nodes[i];
        if (node.ghost) continue;
        QString label = node.number >= 0 ? QStringLiteral("%1  %2").arg(node.number).arg(node.title) : node.title;
        if (!node.subtitle.isEmpty()) label += u'\n' + node.subtitle;
        lines << QStringLiteral("    n%1 [label=%2, tooltip=%3, shape=%4];")
                     .arg(static_cast<int>(i))
                     .arg(quoted(label), quoted(node.exactName), dotShape(node.kind));
    }
    for (std::size_t i = 0; i < scene.frames.size(); ++i) {
        const SceneFrame &frame = scene.frames[i];
        QString members;
        for (int member : frame.members) members += QStringLiteral(" n%1;").arg(member);
        lines << QStringLiteral("    subgraph cluster_kernel%1 { label=%2; style=%3;%4 }")
                     .arg(static_cast<int>(i))
                     .arg(quoted(frame.caption), frame.runsAsOne ? QStringLiteral("rounded") : QStringLiteral("\"rounded,dashed\""),
                          members);
    }
    for (const SceneEdge &edge : scene.edges) {
        if (edge.ghost) continue;
        QString style;
        if (edge.kind == SceneEdgeKind::View) style = QStringLiteral(", style=dashed, arrowhead=empty, color=blue");
        else if (edge.kind == SceneEdgeKind::Destroy) style = QStringLiteral(", arrowhead=normaltee, color=red");
        else if (edge.kind == SceneEdgeKind::Transfer) style = QStringLiteral(", style=dotted");
        lines << QStringLiteral("    n%1 -> n%2 [label=%3%4];")
                     .arg(edge.from)
                     .arg(edge.to)
                     .arg(edge.slotCount > 1 ? quoted(QString::number(edge.slot)) : quoted({}), style);
    }
    lines << QStringLiteral("}") << QString();
    return lines.join(u'\n');
}

QHash<SceneKey, SceneKey> ancestorsOf(const QHash<SceneKey, SceneKey> &heirs)
{
    QHash<SceneKey, SceneKey> ancestors;
    for (auto it = heirs.cbegin(); it != heirs.cend(); ++it) {
        const auto known = ancestors.find(it.value());
        if (known == ancestors.end()) ancestors.insert(it.value(), it.key());
        else *known = std::min(*known, it.key());
    }
    return ancestors;
}

} // namespace views
