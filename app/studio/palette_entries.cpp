#include "app/studio/palette_entries.h"

#include "app/studio/commands.h"
#include "app/studio/welcome_page.h"
#include "views/common/formats.h"
#include "views/common/node_title.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>

namespace app {

using namespace views;
using Kind = PaletteEntry::Kind;

namespace {

QString tr(const char *text) { return QCoreApplication::translate("Palette", text); }
QString text(const std::string &value) { return QString::fromStdString(value); }

void add(PaletteList &list, PaletteEntry entry)
{
    entry.folded = (entry.text + u'\n' + entry.detail).toLower();
    list.push_back(std::move(entry));
}

/// Applies and named variables of a graph.
struct NodeEntries {
    explicit NodeEntries(const GraphData &graph)
    {
        for (const profiler::ApplyRow &row : graph.applies) {
            if (!row.inOptimized && !row.inOriginal) continue;
            const bool optimized = row.inOptimized;
            PaletteEntry entry{Kind::Node, friendlyName(text(row.friendly)), text(row.op)};
            if (entry.text.isEmpty()) entry.text = entry.detail;
            entry.number = raw(row.apply);
            entry.side = optimized ? Side::Optimized : Side::Original;
            entry.detail = (optimized ? tr("apply %1").arg(row.optimizedIndex) : tr("as written")) +
                           (entry.detail == entry.text ? QString() : QStringLiteral(" · ") + entry.detail);
            add(list, std::move(entry));
        }
        for (const profiler::VariableRow &row : graph.variables) {
            if (row.name.empty() || row.owner != profiler::kNoApply) continue;
            PaletteEntry entry{Kind::Node, text(row.name), text(row.type)};
            entry.number = raw(row.variable);
            entry.nodeKind = NodeKind::Variable;
            entry.side = row.inOptimized ? Side::Optimized : Side::Original;
            add(list, std::move(entry));
        }
    }
    PaletteList list;
};

/// Rewrites that changed a graph, with the step where each did so first.
struct RewriteEntries {
    explicit RewriteEntries(const GraphData &graph)
    {
        std::map<std::string, std::pair<int, int>> found; // first step, count
        for (const profiler::StepInfo &step : graph.steps)
            if (step.index > 0 && !step.rewrite.empty()) ++found.try_emplace(step.rewrite, step.index, 0).first->second.second;
        for (const auto &[name, where] : found) {
            PaletteEntry entry{Kind::Rewrite, text(name), tr("step %1, in all %2").arg(where.first).arg(where.second)};
            entry.id = entry.text;
            entry.number = where.first;
            add(list, std::move(entry));
        }
    }
    PaletteList list;
};

struct SessionEntries {
    explicit SessionEntries(const SessionData &session)
    {
        for (const profiler::FunctionInfo &function : session.functions) {
            PaletteEntry entry{Kind::Function, text(function.name), formats::applies(function.appliesOptimized)};
            entry.number = raw(function.id);
            add(list, std::move(entry));
        }
        for (const std::string &file : session.sourceFiles()) {
            const QString name = QFileInfo(text(file)).fileName();
            int number = 0;
            for (const QString &line : text(session.sourceText(file)).split(u'\n')) {
                ++number;
                if (line.trimmed().isEmpty()) continue;
                PaletteEntry entry{Kind::Line, line.trimmed(), QStringLiteral("%1:%2").arg(name).arg(number)};
                entry.id = text(file);
                entry.number = number;
                add(list, std::move(entry));
            }
        }
    }
    PaletteList list;
};

PaletteList programEntries(const ViewTable &views)
{
    PaletteList list;
    for (const KeyRow &row : keyRows(views)) {
        const ViewEntry *view = views.find(row.id);
        if ((view && view->missing) || row.id == QLatin1String("palette") || row.id == QLatin1String("openRecent")) continue;
        PaletteEntry entry{view ? Kind::View : Kind::Command, row.title};
        entry.id = row.id;
        if (!row.keys.isEmpty()) entry.keys = row.keys.front().toString(QKeySequence::NativeText);
        add(list, std::move(entry));
    }
    for (const SampleCard &card : readSamples(samplesFolder())) {
        PaletteEntry entry{Kind::Sample, card.title, card.subtitle};
        entry.id = card.file;
        add(list, std::move(entry));
    }
    return list;
}

/// How well an entry answers, the less the better; -1: not at all.
int rank(const PaletteEntry &entry, const QStringList &words)
{
    int total = 0;
    const QStringView title = QStringView(entry.folded).left(entry.text.size());
    for (const QString &word : words) {
        const qsizetype at = entry.folded.indexOf(word);
        if (at < 0) return -1;
        const bool begins = at > 0 && at < title.size() && !entry.folded[at - 1].isLetterOrNumber();
        total += at == 0 ? (title.size() == word.size() ? 0 : 1) : begins ? 2 : at < title.size() ? 3 : 5;
    }
    return total;
}

} // namespace

QString PaletteEntry::kindName() const
{
    switch (kind) {
    case Kind::Command: return tr("command");
    case Kind::View: return tr("view");
    case Kind::Function: return tr("function");
    case Kind::Node: return tr("node");
    case Kind::Rewrite: return tr("rewrite");
    case Kind::Line: return tr("line");
    case Kind::Sample: return tr("sample");
    }
    return {};
}

void preparePalette(const SessionData &session)
{
    session.derived<SessionEntries>();
    for (const auto &[id, graph] : session.graphs) {
        if (graph->info.kind == profiler::GraphKind::Composite) continue; // there may be thousands, and nobody stands in one
        graph->derived<NodeEntries>();
        graph->derived<RewriteEntries>();
    }
}

PaletteEntries paletteEntries(const ViewTable &views, const SessionData *session, const GraphData *graph)
{
    PaletteEntries entries;
    entries.lists.push_back(std::make_shared<const PaletteList>(programEntries(views)));
    if (!session || !session->isPrepared) return entries;
    const auto whole = session->shared_from_this();
    entries.lists.emplace_back(whole, &session->derived<SessionEntries>().list);
    for (const auto &[id, each] : session->graphs) {
        if (each.get() != graph) continue;
        entries.lists.emplace_back(each, &each->derived<RewriteEntries>().list);
        entries.lists.emplace_back(each, &each->derived<NodeEntries>().list);
    }
    return entries;
}

std::vector<const PaletteEntry *> bestMatches(const PaletteEntries &entries, const QString &query, std::size_t most)
{
    const QStringList words = query.toLower().split(u' ', Qt::SkipEmptyParts);
    std::vector<std::pair<int, const PaletteEntry *>> found;
    for (const auto &list : entries.lists)
        for (const PaletteEntry &entry : *list)
            if (const int at = rank(entry, words); at >= 0) found.emplace_back(at, &entry);
    const auto better = [](const auto &a, const auto &b) { return a.first < b.first; };
    std::stable_sort(found.begin(), found.end(), better);
    if (found.size() > most) found.resize(most);
    std::vector<const PaletteEntry *> best;
    for (const auto &[at, entry] : found) best.push_back(entry);
    return best;
}

} // namespace app
