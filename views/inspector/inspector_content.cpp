#include "views/inspector/inspector_content.h"

#include "profiler/session/codec/inlined.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/node_title.h"
#include "views/common/source_place.h"
#include "views/common/text.h"
#include "views/inspector/inspector_facts.h"
#include "views/inspector/inspector_values.h"
#include "views/session/cost_texts.h"
#include "views/session/function_name.h"
#include "views/session/roof_texts.h"

#include <algorithm>
#include <cmath>

namespace views {
namespace {

using profiler::ReplicaApply;

bool contains(const auto &pairs, std::uint32_t input)
{
    return std::any_of(pairs.begin(), pairs.end(), [input](const auto &pair) { return pair.input == input; });
}

QString kindText(profiler::VariableKind kind)
{
    switch (kind) {
    case profiler::VariableKind::Input: return tr("input");
    case profiler::VariableKind::Shared: return tr("shared variable");
    case profiler::VariableKind::Constant: return tr("constant");
    case profiler::VariableKind::Result: break;
    }
    return tr("result");
}

QString friendlyTitle(const profiler::GraphReplica &replica, const ReplicaApply &apply)
{
    std::vector<QString> arguments;
    for (profiler::VariableId input : apply.inputs) {
        const std::string *value = profiler::inlinedConstant(replica, input);
        arguments.push_back(value ? text(*value) : QString());
    }
    return nodeTitle(friendlyName(text(replica.text(apply.friendly))), arguments);
}

// With its text.
InspectorContent::Line lineOf(const SessionData &session, const profiler::SourceLine &line, bool estimated = false)
{
    const std::string source = session.sourceText(line.file);
    std::size_t at = 0;
    for (int i = 1; i < line.line && at < source.size(); ++i) at = std::min(source.find('\n', at), source.size() - 1) + 1;
    return {{text(line.file), line.line}, text(source.substr(at, source.find('\n', at) - at)), estimated};
}

void addLines(InspectorContent &content, const SessionData &session, const Links &links, std::uint32_t apply)
{
    for (const profiler::SourceLink &link : links.linesOf(apply))
        content.source.lines.push_back(lineOf(session, link.source, link.estimated));
    constexpr std::size_t kMostCallers = 100;
    for (const profiler::SourceLine &line : links.callersOf(apply))
        if (content.source.callers.size() < kMostCallers) content.source.callers.push_back(lineOf(session, line));
}

NodeRef variableNode(const profiler::GraphReplica &replica, profiler::VariableId id, Side side)
{
    const profiler::ReplicaVariable *variable = replica.variable(id);
    if (variable && variable->owner != profiler::kNoApply) return {side, NodeKind::Apply, raw(variable->owner)};
    return {side, NodeKind::Variable, raw(id)};
}

InspectorContent::Input portOf(const GraphData &graph, const profiler::GraphReplica &replica, profiler::VariableId id, Side side)
{
    InspectorContent::Input port;
    port.name = text(replica.label(id));
    port.node = variableNode(replica, id, side);
    const profiler::VariableRow *row = graph.variable(raw(id));
    const profiler::ReplicaVariable *variable = replica.variable(id);
    if (variable && variable->owner != profiler::kNoApply) {
        const profiler::ApplyRow *owner = graph.apply(raw(variable->owner));
        if (side == Side::Optimized && owner && owner->optimizedIndex >= 0) port.note = tr("apply %1").arg(owner->optimizedIndex);
        if (owner && variable->name == profiler::kEmptyString) port.name = friendlyName(text(owner->friendly));
    }
    if (port.note.isEmpty() && row)
        port.note = row->kind == profiler::VariableKind::Constant
                        ? tr("constant %1").arg(row->shape.empty() ? QString() : text(row->shape)).trimmed()
                        : typeText(*row);
    return port;
}

// The applies that read a variable, and the outputs of the function that it is.
void addReaders(InspectorContent &content, const GraphData &graph, const profiler::GraphReplica &replica,
                const profiler::ReplicaVariable &variable, Side side)
{
    const auto add = [&content](const QString &name, const QString &note, const QString &flag, const NodeRef &node) {
        content.readers.push_back({QString::number(content.readers.size() + 1), name, note, flag, node});
    };
    for (const auto &[client, port] : variable.clients) {
        const profiler::ApplyRow *reader = graph.apply(raw(client));
        const ReplicaApply *apply = replica.apply(client);
        const bool isNumbered = reader && reader->optimizedIndex >= 0 && side == Side::Optimized;
        add(apply ? friendlyTitle(replica, *apply) : QString(), isNumbered ? tr("apply %1").arg(reader->optimizedIndex) : QString(),
            apply && contains(apply->destroys, port) ? tr("destroys it") : QString(), {side, NodeKind::Apply, raw(client)});
    }
    for (std::size_t i = 0; i < replica.outputs().size(); ++i)
        if (replica.outputs()[i] == variable.id) add(tr("output %1 of the function").arg(i), {}, {}, {});
}

void addChips(InspectorContent &content, const SessionData &session, const GraphData &graph, const profiler::GraphReplica &replica,
              const profiler::ApplyRow *row, const ReplicaApply &apply)
{
    const QString device = deviceText(std::string(replica.text(apply.device)), session.info.simulated);
    const bool onDevice = !device.isEmpty() && device != "cpu";
    QString where = onDevice ? device : QStringLiteral("CPU");
    if (row && !row->implementation.empty()) where += QStringLiteral(" · ") + text(row->implementation);
    content.chips.push_back({where, onDevice ? Color::Gpu : Color::Cpu, onDevice ? Color::SoftGpu : Color::SoftCpu});
    if (!apply.outputs.empty())
        if (const profiler::VariableRow *out = graph.variable(raw(apply.outputs.front())))
            content.chips.push_back({typeText(*out), Color::TextSecondary, Color::Sunken});
    for (const profiler::PortPair &pair : apply.destroys)
        content.chips.push_back({tr("destroys i%1").arg(pair.input), Color::DestroyEdge, Color::ErrorSoft});
    for (const profiler::PortPair &pair : apply.views)
        content.chips.push_back({tr("view of i%1").arg(pair.input), Color::ViewEdge, Color::InfoSoft});
}

QString shortened(const QString &title)
{
    constexpr int kLongest = 40;
    return title.size() <= kLongest ? title : title.left(kLongest / 2) + QChar(0x2026) + title.right(kLongest / 2 - 1);
}

// What runs in the same kernel, although the graph keeps a node for each.
void addKernelGroup(InspectorContent &content, const GraphData &graph, const profiler::GraphReplica &replica, profiler::ApplyId id)
{
    for (const profiler::ApplyGroup &group : replica.groups()) {
        if (std::find(group.applies.begin(), group.applies.end(), id) == group.applies.end()) continue;
        QStringList others;
        for (profiler::ApplyId other : group.applies) {
            const ReplicaApply *apply = other == id ? nullptr : replica.apply(other);
            const profiler::ApplyRow *row = graph.apply(raw(other));
            if (apply)
                others << (row && row->optimizedIndex >= 0 ? QStringLiteral("%1 ").arg(row->optimizedIndex) : QString()) +
                              shortened(friendlyTitle(replica, *apply));
        }
        const QString list = others.size() > 1
                                 ? tr("%1 and %2").arg(others.mid(0, others.size() - 1).join(QStringLiteral(", ")), others.last())
                                 : others.join(QString());
        content.paragraphs.push_back(
            {tr("Kernel"),
             group.runsAsOne
                 ? tr("Runs as one kernel with %1. Its time is its part of that, as some of the calls measured it or, where it cannot be told "
                      "apart, as the cost model estimates it.")
                       .arg(list)
                 : tr("May run as one kernel with %1. With these arrays that would gain nothing, and each runs alone.").arg(list),
             false});
    }
}

// How its times spread over the calls.
std::optional<TimesPicture> picturedTimes(const std::vector<const profiler::ApplyStats *> &stats)
{
    const profiler::ApplyTimes times = profiler::applyTimes(stats);
    if (times.buckets.empty()) return std::nullopt;
    const auto time = [](double ns) { return formats::timeNs(ns); };
    TimesPicture picture;
    for (const profiler::TimesBucket &bucket : times.buckets) {
        picture.bars.push_back(bucket.ofFullest);
        picture.tips.push_back(tr("%1 from %2 to %3")
                                   .arg(formats::counted(static_cast<std::int64_t>(bucket.calls), formats::Thing::Call),
                                        time(bucket.startNs), time(bucket.endNs)));
    }
    picture.median = times.placeOf(times.medianNs);
    picture.p95 = times.placeOf(times.p95Ns);
    picture.least = time(times.buckets.front().startNs);
    picture.most = time(times.buckets.back().endNs);
    picture.sentence = tr("Median %1, 95 % below %2, 99 % below %3; from %4 to %5.")
                           .arg(time(times.medianNs), time(times.p95Ns), time(times.p99Ns), time(times.minNs), time(times.maxNs));
    if (times.tiers.size() > 1)
        for (const profiler::TimesOfTier &tier : times.tiers) {
            const QString name = tier.tier == "library"    ? tr("library")
                                 : tier.tier == "compiled" ? tr("generated code")
                                                           : tr("interpreter");
            picture.tiers.push_back(tr("%1: %2, median %3, 95 % below %4")
                                        .arg(tier.steady ? name : tr("%1, warming up").arg(name),
                                             formats::counted(tier.calls, formats::Thing::Call), time(tier.medianNs), time(tier.p95Ns)));
        }
    return picture;
}

void addRoof(InspectorContent &content, const InspectorFacts::OfApply &facts)
{
    if (const profiler::RooflinePoint *point = facts.point) {
        content.paragraphs.push_back({tr("Under the roofs"),
                                      tr("%1 flop and %2 a call: %3, %4. %5 bounds it.")
                                          .arg(formats::count(std::llround(point->flops)), formats::bytes(point->bytes), rateText(*point),
                                               atMostText(*point), point->byBytes ? tr("Moving bytes") : tr("Arithmetic")),
                                      false});
    } else if (facts.unplaced) {
        QStringList known;
        if (facts.unplaced->what.flops > 0) known << tr("%1 flop a call").arg(formats::count(std::llround(facts.unplaced->what.flops)));
        if (facts.unplaced->what.bytes > 0) known << tr("%1 a call").arg(formats::bytes(facts.unplaced->what.bytes));
        known << tr("no place: it %1").arg(whyUnplaced(facts.unplaced->why));
        content.paragraphs.push_back({tr("Under the roofs"), known.join(QStringLiteral(" · ")), false});
    }
}

void addBuffers(InspectorContent &content, const GraphData &graph, const InspectorFacts::OfApply &facts)
{
    for (const profiler::Lifetime &life : facts.buffers) {
        const profiler::VariableRow *variable = graph.variable(raw(life.variable));
        const profiler::ApplyRow *maker = life.maker.apply == profiler::kNoApply ? nullptr : graph.apply(raw(life.maker.apply));
        BufferPicture picture;
        picture.name = variable && !variable->name.empty() ? text(variable->name)
                       : maker                             ? friendlyName(text(maker->friendly))
                                                           : tr("memory");
        picture.note = formats::bytes(life.bytes);
        const double positions = std::max(1, facts.positions);
        picture.from = std::clamp(life.from / positions, 0.0, 1.0);
        picture.to = std::clamp((life.to + 1) / positions, 0.0, 1.0);
        picture.atPeak = life.atPeak;
        QStringList parts{tr("lives from position %1 to %2 of %3").arg(life.from).arg(life.to).arg(facts.positions)};
        parts << (life.offset >= 0 ? tr("in the arena at %1").arg(life.offset) : tr("outside of the arena"));
        if (!life.overwritten.empty())
            parts << tr("written over %1").arg(formats::counted(static_cast<std::int64_t>(life.overwritten.size()), formats::Thing::Time));
        if (life.atPeak) parts << tr("%1 of the peak").arg(formats::percent(life.shareOfPeak));
        picture.tip = parts.join(QStringLiteral(" · "));
        content.buffers.push_back(std::move(picture));
    }
}

InspectorContent::Action actionFor(const std::string &setting, bool canRun)
{
    if (setting.empty()) return {};
    const std::string excluding = "optimizer_excluding=";
    const QString label = setting.rfind(excluding, 0) == 0 ? tr("Run without %1").arg(text(setting.substr(excluding.size())))
                                                           : tr("Run with %1").arg(text(setting));
    return {label, TryFlag{text(setting)}, whyNoRun(canRun)};
}

void addAdvice(InspectorContent &content, const InspectorFacts::OfApply &facts, bool canRun)
{
    for (const profiler::Advice *advice : facts.advice)
        content.tips.push_back(
            {text(advice->text), text(advice->evidence), text(profiler::gainText(*advice)), actionFor(advice->setting, canRun)});
}

// What was generated for it.
void addKernels(InspectorContent &content, const SessionData &session, const profiler::FunctionInfo &function, std::uint32_t id)
{
    const auto kernels = session.kernels.find(function.id);
    if (kernels == session.kernels.end()) return;
    QStringList lines;
    for (const profiler::Kernel &kernel : kernels->second) {
        if (raw(kernel.apply) != id) continue;
        const auto count = std::count(kernel.source.begin(), kernel.source.end(), '\n');
        const QString compiled = kernel.fromCache ? tr("from the cache") : tr("compiled in %1").arg(formats::timeNs(kernel.compileNs));
        lines << tr("%1: %2 of %3, %4")
                     .arg(text(kernel.symbol), formats::counted(count, formats::Thing::Line), text(kernel.language), compiled);
    }
    content.hasCode = !lines.isEmpty();
    if (content.hasCode) content.paragraphs.push_back({tr("Generated code"), lines.join(u'\n'), false});
}

InspectorContent inspectApply(const SessionData &session, const Links &links, const profiler::FunctionInfo &function, std::uint32_t id,
                              Side side, bool canRun)
{
    const GraphData &graph = links.graph();
    InspectorContent content;
    const profiler::ApplyRow *row = graph.apply(id);
    const auto &replica = side == Side::Original ? graph.replica : graph.final;
    const ReplicaApply *apply = replica ? replica->apply(profiler::ApplyId{id}) : nullptr;
    const int number = row ? row->optimizedIndex : -1;
    const QString name = functionName(function);
    content.subject = side == Side::Optimized && number >= 0 ? tr("apply %1 of %2").arg(number).arg(name)
                      : side == Side::Original               ? tr("%1 as written").arg(name)
                                                             : tr("during the rewriting of %1").arg(name);
    if (!apply) {
        content.title = row ? friendlyName(text(row->friendly)) : tr("node %1").arg(id);
        return content;
    }
    content.title = friendlyTitle(*replica, *apply);
    content.exactName = text(replica->text(apply->op));
    addChips(content, session, graph, *replica, row, *apply);
    const profiler::ApplyShare *cost = session.costs->find({graph.info.id, profiler::ApplyId{id}});
    if (cost && cost->row->calls > 0 && side == Side::Optimized) {
        const QString quality = qualityText(*cost->row);
        content.figures.push_back({formats::timeNs(cost->row->nsPerCall), tr("per call"), quality});
        content.figures.push_back({formats::percent(cost->share), tr("of thunks"), quality});
        content.figures.push_back({formats::count(cost->row->calls), tr("calls"), quality});
    }
    if (const ValueMarks::OfNode *values = session.derived<ValueMarks>().ofApply(graph.info.id, side, profiler::ApplyId{id}))
        content.values = valuesOf(*values);
    const InspectorFacts::OfApply *facts =
        side == Side::Optimized ? session.derived<InspectorFacts>().of({graph.info.id, profiler::ApplyId{id}}) : nullptr;
    if (facts) {
        content.times = picturedTimes(facts->stats);
        addAdvice(content, *facts, canRun);
        addRoof(content, *facts);
        addBuffers(content, graph, *facts);
    }
    const std::vector<Birth> births = links.birthsOf(id);
    for (const Birth &birth : births) content.births.add({birth.step, text(birth.phase), text(birth.rewrite), text(birth.reason)});
    content.births.note = tr("%1 out of %2").arg(births.size()).arg(formats::counted(graph.info.stepCount, formats::Thing::Step));
    if (side == Side::Original && row) {
        const std::set<std::uint32_t> became = links.descendantsOf(id);
        QString fate = tr("It is %1 in the optimized graph.").arg(QString::fromLatin1(profiler::fateName(row->fate)));
        if (!became.empty()) {
            QStringList names;
            for (std::uint32_t each : became)
                if (const profiler::ApplyRow *target = graph.apply(each))
                    names << QStringLiteral("%1 %2").arg(target->optimizedIndex).arg(friendlyName(text(target->friendly)));
            fate = tr("%1: it lives on in apply %2.").arg(QString::fromLatin1(profiler::fateName(row->fate)), names.join(", "));
        }
        fate[0] = fate[0].toUpper();
        content.paragraphs.push_back({tr("What became of it"), fate, false});
    }
    if (side == Side::Optimized) addKernelGroup(content, graph, *replica, profiler::ApplyId{id});
    addLines(content, session, links, id);
    for (std::size_t i = 0; i < apply->inputs.size(); ++i) {
        InspectorContent::Input port = portOf(graph, *replica, apply->inputs[i], side);
        port.slot = QStringLiteral("i%1").arg(i);
        if (contains(apply->destroys, static_cast<std::uint32_t>(i))) port.flag = tr("destroyed");
        content.inputs.push_back(port);
    }
    for (std::size_t i = 0; i < apply->outputs.size(); ++i) {
        const profiler::VariableRow *out = graph.variable(raw(apply->outputs[i]));
        const profiler::ReplicaVariable *variable = replica->variable(apply->outputs[i]);
        const QString own = variable ? text(replica->text(variable->name)) : QString();
        if (apply->outputs.size() > 1 || !own.isEmpty())
            content.outputs.push_back(
                {QStringLiteral("o%1").arg(i), own.isEmpty() ? tr("unnamed") : own, out ? typeText(*out) : QString(), QString(), {}});
        if (variable) addReaders(content, graph, *replica, *variable, side);
    }
    addKernels(content, session, function, id);
    content.noCodeReason = tr("No code was generated for this node: the interpreter or a library runs it");
    content.hasWhyNot = !whyNot(graph, id).empty();
    return content;
}

} // namespace

QString whyNoRun(bool canRun) { return canRun ? QString() : tr("There is no script to run, or it runs already"); }

QString typeText(const profiler::VariableRow &variable)
{
    const QString shape = text(variable.shape);
    if (variable.dtype.empty()) return text(variable.type);
    return shape.isEmpty() || shape == "()" ? text(variable.dtype) + (shape.isEmpty() ? "" : " scalar")
                                            : text(variable.dtype) + ' ' + shape;
}

std::vector<WhyNotRow> whyNot(const GraphData &graph, std::uint32_t apply)
{
    std::vector<WhyNotRow> rows;
    for (const profiler::Decline &decline : graph.declines)
        if (raw(decline.apply) == apply) rows.push_back({text(decline.rewrite), text(decline.reason), decline.step});
    std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.rewrite < b.rewrite; });
    return rows;
}

InspectorContent inspect(const ViewFeed &feed)
{
    if (!feed.session || !feed.function || !feed.links)
        return {.emptySentence = tr("Nothing is selected. Click a node, a line of the script or a row of a table.")};
    if (feed.selection.node.isValid()) return inspectNode(*feed.session, *feed.links, *feed.function, feed.selection.node, feed.canRun);
    const int step = feed.selection.step;
    if (feed.showsSteps() || step != Selection::kLastStep)
        return inspectStep(*feed.session, *feed.links, *feed.function, step < 0 ? feed.graph->info.stepCount : step, feed.canRun);
    return inspectFunction(*feed.session, *feed.function);
}

InspectorContent inspectNode(const SessionData &session, const Links &links, const profiler::FunctionInfo &function, const NodeRef &node,
                             bool canRun)
{
    const GraphData &graph = links.graph();
    if (node.kind == NodeKind::Apply) return inspectApply(session, links, function, static_cast<std::uint32_t>(node.id), node.side, canRun);
    const profiler::VariableRow *row = graph.variable(node.id);
    if (row && row->owner != profiler::kNoApply) return inspectApply(session, links, function, raw(row->owner), node.side, canRun);
    InspectorContent content;
    content.subject = row ? tr("%1 of %2").arg(kindText(row->kind), functionName(function)) : functionName(function);
    if (!row) {
        content.title = tr("variable %1").arg(node.id);
        return content;
    }
    content.title = !row->name.empty() ? text(row->name) : !row->value.empty() ? text(row->value) : kindText(row->kind);
    content.exactName = text(row->type);
    const bool constant = row->kind == profiler::VariableKind::Constant;
    const bool shared = row->kind == profiler::VariableKind::Shared;
    content.chips.push_back({kindText(row->kind),
                             shared     ? Color::Shared
                             : constant ? Color::Constant
                                        : Color::Input,
                             shared     ? Color::SoftShared
                             : constant ? Color::SoftConstant
                                        : Color::SoftInput});
    content.chips.push_back({typeText(*row), Color::TextSecondary, Color::Sunken});
    if (row->bytes >= 0) content.chips.push_back({formats::bytes(row->bytes), Color::Memory, Color::SoftMemory});
    if (!row->value.empty() && text(row->value) != content.title) content.paragraphs.push_back({tr("Value"), text(row->value), true});
    if (const ValueMarks::OfNode *values = session.derived<ValueMarks>().ofVariable(graph.info.id, node.side, row->variable))
        content.values = valuesOf(*values);
    if (graph.replica) {
        const profiler::GraphReplica &replica = node.side == Side::Original ? *graph.replica : *graph.final;
        if (const profiler::ReplicaVariable *variable = replica.variable(row->variable)) {
            addReaders(content, graph, replica, *variable, node.side);
            for (const profiler::SourceRef &source : variable->sources)
                content.source.lines.push_back(lineOf(session, {replica.text(source.file), static_cast<int>(source.line)}));
        }
    }
    for (const profiler::SourceLine &line : links.callersOf(row->variable)) content.source.callers.push_back(lineOf(session, line));
    content.noCodeReason = tr("A variable has no code of its own");
    return content;
}

InspectorContent inspectStep(const SessionData &session, const Links &links, const profiler::FunctionInfo &function, int step, bool canRun)
{
    const GraphData &graph = links.graph();
    InspectorContent content;
    content.heading = tr("Rewrite");
    if (step <= 0 || step >= static_cast<int>(graph.steps.size())) {
        content.title = tr("As written");
        content.subject = functionName(function);
        content.paragraphs.push_back({tr("What this is"), tr("The graph as the script wrote it, before the first rewrite."), false});
        content.noCodeReason = tr("Code belongs to the optimized graph");
        return content;
    }
    const profiler::StepInfo &info = graph.steps[static_cast<std::size_t>(step)];
    const profiler::RewriteInfo *rewrite = session.rewrite(info.rewrite);
    content.subject = tr("step %1 of %2").arg(step).arg(graph.info.stepCount);
    content.title = text(info.rewrite);
    content.monoTitle = true;
    content.phase = text(info.phase);
    content.chips.push_back({text(info.phase), Color::TextSecondary, Color::Sunken});
    content.chips.push_back({formats::timeNs(info.ns), Color::TextSecondary, Color::Sunken});
    const int more = info.nodesAfter - info.nodesBefore;
    content.chips.push_back(
        {std::abs(more) == 1 ? tr("%1 node").arg(formats::signedCount(more)) : tr("%1 nodes").arg(formats::signedCount(more)),
         Color::TextSecondary, Color::Sunken});
    if (rewrite && !rewrite->why.empty()) content.paragraphs.push_back({tr("Why"), text(rewrite->why), false});
    if (!info.reason.empty() && (!rewrite || rewrite->why != info.reason))
        content.paragraphs.push_back({tr("What it did here"), text(info.reason), false});
    if (rewrite && !rewrite->exampleBefore.empty())
        content.paragraphs.push_back(
            {tr("Example"), QStringLiteral("%1\n→ %2").arg(text(rewrite->exampleBefore), text(rewrite->exampleAfter)), true});
    if (rewrite && !rewrite->hurts.empty()) content.paragraphs.push_back({tr("When it can hurt"), text(rewrite->hurts), false});
    if (rewrite && !rewrite->code.file.empty())
        content.paragraphs.push_back({tr("Its code"), QStringLiteral("%1:%2").arg(text(rewrite->code.file)).arg(rewrite->code.line), true,
                                      linkToSource(text(rewrite->code.file), rewrite->code.line)});
    std::set<profiler::SourceLine> lines;
    for (const auto &list : {info.matched, info.produced})
        for (profiler::ApplyId apply : list)
            for (const profiler::SourceLink &link : links.linesOf(raw(apply))) lines.insert(link.source);
    for (const profiler::SourceLine &line : lines) content.source.lines.push_back(lineOf(session, line));
    content.source.title = tr("Comes from your lines");
    content.action = actionFor("optimizer_excluding=" + info.rewrite, canRun);
    content.action.text = tr("Switch off and run");
    content.noCodeReason = tr("Code belongs to a node: select one");
    return content;
}

InspectorContent inspectFunction(const SessionData &session, const profiler::FunctionInfo &function)
{
    InspectorContent content;
    content.subject = tr("function");
    content.title = functionName(function);
    content.exactName = QString();
    content.chips.push_back({text(function.mode), Color::TextSecondary, Color::Sunken});
    if (!function.device.empty())
        content.chips.push_back({deviceText(function.device, session.info.simulated), Color::Cpu, Color::SoftCpu});
    if (!function.linker.empty()) content.chips.push_back({text(function.linker), Color::TextSecondary, Color::Sunken});
    if (function.run.calls > 0) {
        content.figures.push_back({formats::timeNs(function.run.totalNs / function.run.calls), tr("per call"),
                                   tr("mean of %1, host clock").arg(formats::counted(function.run.calls, formats::Thing::Call))});
        content.figures.push_back({formats::timeNs(function.run.totalNs), tr("in all"), {}});
        content.figures.push_back({formats::count(function.run.calls), tr("calls"), {}});
    }
    content.paragraphs.push_back({tr("Compiling"),
                                  tr("%1 in all: %2 rewriting (%3), %4 linking. %5 became %6.")
                                      .arg(formats::timeNs(function.compile.totalNs), formats::timeNs(function.compile.optimizerNs))
                                      .arg(formats::counted(function.stepCount, formats::Thing::Step))
                                      .arg(formats::timeNs(function.compile.linkerNs))
                                      .arg(formats::counted(function.appliesOriginal, formats::Thing::Apply))
                                      .arg(function.appliesOptimized),
                                  false});
    if (function.location.line > 0) {
        const QStringList lines = text(session.sourceText(function.location.file)).split('\n');
        content.source.lines.push_back(
            {{text(function.location.file), function.location.line}, lines.value(function.location.line - 1), false});
        content.source.title = tr("Compiled at");
    }
    int index = 0;
    for (const profiler::FunctionInput &input : function.inputs)
        content.inputs.push_back({QStringLiteral("i%1").arg(index++),
                                  input.name.empty() ? tr("unnamed") : text(input.name),
                                  text(input.type),
                                  QString(),
                                  {Side::Optimized, NodeKind::Variable, raw(input.variable)}});
    content.noCodeReason = tr("Code belongs to a node: select one");
    return content;
}

} // namespace views
