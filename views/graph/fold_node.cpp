#include "views/graph/fold_node.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/node_title.h"
#include "views/common/text.h"

namespace views {
namespace {

using profiler::FoldGroup;
using profiler::FoldKind;

QString shortened(const QString &text, qsizetype most) { return text.size() <= most ? text : text.left(most - 1) + u'…'; }

// "Gemm, tanh, +3"
QString someOps(const FoldGroup &group)
{
    constexpr std::size_t kNamed = 2;
    constexpr qsizetype kLongest = 18;
    QStringList names;
    for (std::size_t i = 0; i < group.ops.size() && i < kNamed; ++i) names << shortened(friendlyName(text(group.ops[i])), kLongest);
    if (group.ops.size() > kNamed) names << QStringLiteral("…");
    return names.join(QStringLiteral(", "));
}

QString numbers(const FoldGroup &group)
{
    const QString first = formats::count(group.first + 1), last = formats::count(group.first + group.count);
    return group.count > 1 ? tr("parts %1 – %2").arg(first, last) : tr("part %1").arg(first);
}

QString lines(const FoldGroup &group)
{
    if (group.lines.empty()) return tr("no line");
    QStringList named;
    for (const profiler::SourceLine &line : group.lines) named << QString::number(line.line);
    if (group.lineCount == 1) return tr("line %1").arg(named.front());
    if (group.lineCount > static_cast<int>(group.lines.size())) return tr("lines %1 and others").arg(named.join(QStringLiteral(", ")));
    return tr("lines %1").arg(named.join(QStringLiteral(", ")));
}

QString titleOf(const FoldGroup &group)
{
    switch (group.kind) {
    case FoldKind::Part: return numbers(group);
    case FoldKind::Line: return lines(group);
    case FoldKind::Scope: return text(group.name);
    case FoldKind::Chain:
    case FoldKind::Copies:
    case FoldKind::Mixed:
    case FoldKind::Run: break;
    }
    return someOps(group);
}

} // namespace

SceneNode foldNode(std::uint32_t graph, const profiler::Folding &folding, int index)
{
    const FoldGroup &group = folding.groups[static_cast<std::size_t>(index)];
    SceneNode node;
    node.key = foldKey(graph, group);
    node.kind = SceneKind::Group;
    node.title = titleOf(group);
    node.expandable = true;
    node.holds = static_cast<int>(group.applies.size());
    const bool repeats = group.kind == FoldKind::Chain || group.kind == FoldKind::Copies || group.kind == FoldKind::Mixed;
    if (repeats) node.pill = QStringLiteral("× %1").arg(formats::count(group.count));
    QStringList ops;
    for (const std::string &op : group.ops) ops << friendlyName(text(op));
    node.exactName = tr("%1 of %2").arg(formats::counted(node.holds, formats::Thing::Apply), ops.join(QStringLiteral(", ")));
    node.type = lines(group);
    return node;
}

} // namespace views
