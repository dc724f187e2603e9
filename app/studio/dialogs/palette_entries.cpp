#include "app/studio/dialogs/palette_entries.h"

#include "app/studio/pages/welcome_page.h"
#include "app/studio/window/commands.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/node_title.h"
#include "views/common/text.h"
#include "views/session/function_name.h"

#include <QFileInfo>

#include <algorithm>
#include <map>

namespace app {

using namespace views;
using EntryKind = PaletteEntry::Kind;

namespace {

void add(PaletteList &list, PaletteEntry entry)
{
    entry.folded = (entry.text + u'\n' + entry.detail).toLower();
    list.push_back(std::move(entry));
}

/// Rewrites that changed a graph, with the step where each did so first.
struct RewriteEntries {
    explicit RewriteEntries(const GraphData &graph)
    {
        std::map<std::string, std::pair<int, int>> found; // first step, count
        for (const profiler::StepInfo &step : graph.steps)
            if (step.index > 0 && !step.rewrite.empty()) ++found.try_emplace(step.rewrite, step.index, 0).first->second.second;
        for (const auto &[name, where] : found) {
            PaletteEntry entry{EntryKind::Rewrite, text(name), tr("step %1, in all %2").arg(where.first).arg(where.second)};
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
            PaletteEntry entry{EntryKind::Function, functionName(function),
                               formats::counted(function.appliesOptimized, formats::Thing::Apply)};
            entry.number = raw(function.id);
            add(list, std::move(entry));
        }
        for (const std::string &file : session.sourceFiles()) {
            const QString name = QFileInfo(text(file)).fileName();
            int number = 0;
            for (const QString &line : text(session.sourceText(file)).split(u'\n')) {
                ++number;
                if (line.trimmed().isEmpty()) continue;
                PaletteEntry entry{EntryKind::Line, line.trimmed(), QStringLiteral("%1:%2").arg(name).arg(number)};
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
        if ((view && view->missing) || row.command == Command::Palette || row.command == Command::OpenRecent) continue;
        PaletteEntry entry{view ? EntryKind::View : EntryKind::Command, row.title};
        entry.id = row.id;
        entry.command = row.command.value_or(entry.command);
        if (!row.keys.isEmpty()) entry.keys = row.keys.front().toString(QKeySequence::NativeText);
        add(list, std::move(entry));
    }
    for (const SampleCard &card : readSamples(samplesFolder())) {
        PaletteEntry entry{EntryKind::Sample, card.title, card.subtitle};
        entry.id = card.file;
        add(list, std::move(entry));
    }
    return list;
}

/// How well a text answers to a word, the less the better; -1: not at all.
int rank(const QString &folded, qsizetype titleSize, const QString &word)
{
    const qsizetype at = folded.indexOf(word);
    if (at < 0) return -1;
    const bool begins = at > 0 && at < titleSize && !folded[at - 1].isLetterOrNumber();
    return at == 0 ? (titleSize == word.size() ? 0 : 1) : begins ? 2 : at < titleSize ? 3 : 5;
}

int rank(const PaletteEntry &entry, const QStringList &words)
{
    int total = 0;
    for (const QString &word : words) {
        const int one = rank(entry.folded, entry.text.size(), word);
        if (one < 0) return -1;
        total += one;
    }
    return total;
}

/// The best of many, and of equals the first.
template <class Found>
class Best {
public:
    explicit Best(std::size_t most) : m_most(most) {}
    void offer(int rank, Found found)
    {
        std::vector<Found> &equals = m_byRank[rank];
        if (equals.size() < m_most) equals.push_back(found);
    }
    template <class Take>
    void each(Take take) const
    {
        std::size_t taken = 0;
        for (const auto &[rank, equals] : m_byRank)
            for (const Found &found : equals)
                if (taken++ < m_most) take(found);
    }

private:
    std::size_t m_most;
    std::map<int, std::vector<Found>> m_byRank;
};

} // namespace

/// Applies and named variables of a graph. There may be hundreds of thousands, with few different texts.
class NodeEntries {
public:
    explicit NodeEntries(const GraphData &graph)
    {
        std::map<std::pair<std::string, std::string>, std::uint32_t> known;
        const auto textsOf = [&](const std::string &title, const std::string &detail, bool isApply) {
            const auto [at, isNew] = known.try_emplace({title, detail}, static_cast<std::uint32_t>(m_texts.size()));
            if (isNew) {
                Texts texts{isApply ? friendlyName(text(title)) : text(title), text(detail), {}};
                if (texts.title.isEmpty()) texts.title = texts.detail;
                texts.folded = (texts.title + u'\n' + texts.detail).toLower();
                m_texts.push_back(std::move(texts));
            }
            return at->second;
        };
        for (const profiler::ApplyRow &row : graph.applies)
            if (row.inOptimized || row.inOriginal)
                m_nodes.push_back({textsOf(row.friendly, row.op, true), raw(row.apply), row.inOptimized ? row.optimizedIndex : -1,
                                   row.inOptimized, true});
        for (const profiler::VariableRow &row : graph.variables)
            if (!row.name.empty() && row.owner == profiler::kNoApply)
                m_nodes.push_back({textsOf(row.name, row.type, false), raw(row.variable), -1, row.inOptimized, false});
        m_nodes.shrink_to_fit();
    }

    std::size_t count() const { return m_nodes.size(); }
    PaletteEntry entry(std::size_t at) const
    {
        const Node &node = m_nodes[at];
        const Texts &texts = m_texts[node.texts];
        PaletteEntry entry{EntryKind::Node, texts.title, texts.detail};
        entry.number = node.id;
        entry.side = node.optimized ? Side::Optimized : Side::Original;
        entry.nodeKind = node.isApply ? NodeKind::Apply : NodeKind::Variable;
        if (node.isApply) entry.detail = place(node) + (texts.detail == texts.title ? QString() : QStringLiteral(" · ") + texts.detail);
        return entry;
    }
    /// Hands over the rank of each node that answers to all words, and its number.
    template <class Take>
    void match(const QStringList &words, Take take) const
    {
        const auto count = static_cast<std::size_t>(words.size());
        std::vector<int> ranks; // of each text by each word
        for (const Texts &texts : m_texts)
            for (const QString &word : words) ranks.push_back(rank(texts.folded, texts.title.size(), word));
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            int total = 0;
            for (std::size_t k = 0; k < count && total >= 0; ++k) {
                const int one = ranks[m_nodes[i].texts * count + k];
                if (one >= 0) total += one;
                else total = m_nodes[i].isApply && placeHas(m_nodes[i], words[static_cast<qsizetype>(k)]) ? total + 5 : -1;
            }
            if (total >= 0) take(total, i);
        }
    }

private:
    struct Texts {
        QString title, detail, folded;
    };
    struct Node {
        std::uint32_t texts = 0;
        std::uint32_t id = 0;
        int index = -1; // in the order of execution
        bool optimized = false, isApply = true;
    };
    static QString place(const Node &node) { return node.optimized ? tr("apply %1").arg(node.index) : tr("as written"); }
    bool placeHas(const Node &node, const QString &word) const
    {
        if (!node.optimized) return m_asWritten.contains(word);
        const bool names = std::any_of(word.begin(), word.end(), [](QChar c) { return c.isDigit(); });
        return names ? place(node).toLower().contains(word) : m_apply.contains(word);
    }

    std::vector<Texts> m_texts;
    std::vector<Node> m_nodes;
    QString m_asWritten = tr("as written").toLower(), m_apply = tr("apply %1").arg(QString()).toLower();
};

QString PaletteEntry::kindName() const
{
    switch (kind) {
    case EntryKind::Command: return tr("command");
    case EntryKind::View: return tr("view");
    case EntryKind::Function: return tr("function");
    case EntryKind::Node: return tr("node");
    case EntryKind::Rewrite: return tr("rewrite");
    case EntryKind::Line: return tr("line");
    case EntryKind::Sample: return tr("sample");
    }
    return {};
}

void preparePalette(const SessionData &session)
{
    session.derived<SessionEntries>();
    for (const auto &[id, graph] : session.graphs) {
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
        entries.nodes = std::shared_ptr<const NodeEntries>(each, &each->derived<NodeEntries>());
    }
    return entries;
}

std::vector<PaletteEntry> bestMatches(const PaletteEntries &entries, const QString &query, std::size_t most)
{
    const QStringList words = query.toLower().split(u' ', Qt::SkipEmptyParts);
    struct Found {
        const PaletteEntry *entry = nullptr; // null: a node
        std::size_t node = 0;
    };
    Best<Found> best(most);
    for (const auto &list : entries.lists)
        for (const PaletteEntry &entry : *list)
            if (const int at = rank(entry, words); at >= 0) best.offer(at, {&entry});
    if (entries.nodes) entries.nodes->match(words, [&](int at, std::size_t node) { best.offer(at, {nullptr, node}); });
    std::vector<PaletteEntry> matches;
    best.each([&](const Found &found) { matches.push_back(found.entry ? *found.entry : entries.nodes->entry(found.node)); });
    return matches;
}

} // namespace app
