#include "profiler/stats/times/folding.h"

#include "profiler/stats/advice/repetition.h"
#include "profiler/stats/machine/condense.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace profiler {
namespace {

constexpr int kMostSeen = 60;   // members that an opened group shows
constexpr int kMostOnTop = 400; // things at the top before neighbours are gathered
constexpr int kMostDeep = 10;

// Numbers in it do not change what an op does: the loops of a program differ in them.
std::string withoutNumbers(const std::string &op)
{
    std::string text;
    bool inWord = false;
    for (std::size_t i = 0; i < op.size(); ++i) {
        const auto c = static_cast<unsigned char>(op[i]);
        if (!inWord && std::isdigit(c)) {
            text += '#';
            while (i + 1 < op.size() && (std::isalnum(static_cast<unsigned char>(op[i + 1])) || op[i + 1] == '.')) ++i;
            continue;
        }
        inWord = std::isalnum(c) || c == '_';
        text += op[i];
    }
    return text;
}

class Folder {
public:
    explicit Folder(const FoldQuestion &question) : m_question(question)
    {
        readGraph();
        readLines();
    }

    Folding run()
    {
        std::vector<int> all(m_ids.size());
        std::iota(all.begin(), all.end(), 0);
        switch (m_question.by) {
        case FoldBy::Repetition: foldRepeats(all, -1); break;
        case FoldBy::Line: foldLines(all, -1); break;
        case FoldBy::Scope: foldScopes(all, -1, 0); break;
        }
        return std::move(m_folding);
    }

private:
    // A group as it is found, of places in the order of work.
    struct Found {
        FoldKind kind = FoldKind::Run;
        int count = 1;
        bool chained = false;
        std::vector<int> nodes;
        std::vector<int> instances; // of the nodes; empty: no repetition
        std::string name;
    };

    void readGraph()
    {
        const GraphReplica &graph = *m_question.graph;
        m_ids = graph.toposort();
        std::unordered_map<std::uint32_t, int> place;
        place.reserve(m_ids.size());
        for (std::size_t i = 0; i < m_ids.size(); ++i) place.emplace(raw(m_ids[i]), static_cast<int>(i));
        std::unordered_map<std::uint32_t, std::uint32_t> kindOf; // by the text of the op
        std::unordered_map<std::string, std::uint32_t> kinds;
        m_all.firstInput.push_back(0);
        for (ApplyId id : m_ids) {
            const ReplicaApply &apply = *graph.apply(id);
            const auto [known, fresh] = kindOf.try_emplace(raw(apply.op), 0);
            if (fresh)
                known->second =
                    kinds.try_emplace(withoutNumbers(graph.text(apply.op)), static_cast<std::uint32_t>(kinds.size())).first->second;
            m_all.kinds.push_back(known->second);
            for (VariableId input : apply.inputs) {
                const ReplicaVariable *variable = graph.variable(input);
                RepeatGraph::Input from;
                const auto owner = variable && variable->kind == VariableKind::Result ? place.find(raw(variable->owner)) : place.end();
                if (owner != place.end()) from = {owner->second, static_cast<std::uint32_t>(variable->ownerPort)};
                else from.kind = variable ? 100 + static_cast<std::uint32_t>(variable->kind) : 0;
                m_all.inputs.push_back(from);
            }
            m_all.firstInput.push_back(m_all.inputs.size());
        }
    }

    // The line that most of an apply descends from.
    void readLines()
    {
        m_line.assign(m_ids.size(), -1);
        if (!m_question.links) return;
        std::unordered_map<std::uint32_t, const SourceLink *> best;
        for (const SourceLink &link : *m_question.links) {
            const SourceLink *&now = best[raw(link.apply)];
            if (!now || link.share > now->share || (link.share == now->share && link.source < now->source)) now = &link;
        }
        std::map<SourceLine, int> numbers;
        for (std::size_t i = 0; i < m_ids.size(); ++i)
            if (const auto found = best.find(raw(m_ids[i])); found != best.end()) {
                m_line[i] = numbers.try_emplace(found->second->source, static_cast<int>(numbers.size())).first->second;
                if (m_line[i] == static_cast<int>(m_lines.size())) m_lines.push_back(found->second->source);
            }
    }

    RepeatGraph partOf(const std::vector<int> &nodes)
    {
        RepeatGraph part;
        m_place.resize(m_ids.size(), -1);
        for (std::size_t i = 0; i < nodes.size(); ++i) m_place[nodes[i]] = static_cast<int>(i);
        part.firstInput.push_back(0);
        for (int node : nodes) {
            part.kinds.push_back(m_all.kinds[node]);
            for (std::size_t i = m_all.firstInput[node]; i < m_all.firstInput[node + 1]; ++i) {
                RepeatGraph::Input input = m_all.inputs[i];
                if (input.node >= 0 && m_place[input.node] < 0) input = {-1, 1000 + input.kind};
                else if (input.node >= 0) input.node = m_place[input.node];
                part.inputs.push_back(input);
            }
            part.firstInput.push_back(part.inputs.size());
        }
        for (int node : nodes) m_place[node] = -1;
        return part;
    }

    void foldRepeats(const std::vector<int> &nodes, int parent)
    {
        const RepeatGraph part = partOf(nodes);
        std::vector<Found> found;
        for (const Repeat &repeat : findRepeats(part)) {
            Found one{repeat.chained ? FoldKind::Chain : FoldKind::Copies, repeat.count, repeat.chained, {}, repeat.instanceOf, {}};
            for (int node : repeat.nodes) one.nodes.push_back(nodes[node]);
            found.push_back(std::move(one));
        }
        addAll(nodes, part, std::move(found), parent);
    }

    void foldLines(const std::vector<int> &nodes, int parent)
    {
        std::map<int, Found> byLine;
        for (int node : nodes)
            if (m_line[node] >= 0) byLine[m_line[node]].nodes.push_back(node);
        std::vector<Found> found;
        for (auto &[line, one] : byLine) {
            one.kind = FoldKind::Line;
            found.push_back(std::move(one));
        }
        addAll(nodes, partOf(nodes), std::move(found), parent);
    }

    void foldScopes(const std::vector<int> &nodes, int parent, std::size_t level)
    {
        std::map<std::string, Found> byScope;
        for (int node : nodes) {
            const std::vector<std::string> *scopes = scopesOf(node);
            if (scopes && scopes->size() > level) byScope[(*scopes)[level]].nodes.push_back(node);
        }
        std::vector<Found> found;
        for (auto &[name, one] : byScope) {
            one.kind = FoldKind::Scope;
            one.name = name.substr(name.find(' ') + 1); // the line number made it unique
            found.push_back(std::move(one));
        }
        m_level = level + 1;
        addAll(nodes, partOf(nodes), std::move(found), parent);
    }

    [[nodiscard]] const std::vector<std::string> *scopesOf(int node) const
    {
        if (m_line[node] < 0 || !m_question.scopes) return nullptr;
        const SourceLine &line = m_lines[m_line[node]];
        if (line.file != m_question.script || line.line < 1 || line.line > static_cast<int>(m_question.scopes->size())) return nullptr;
        return &(*m_question.scopes)[line.line - 1];
    }

    // Groups of `nodes` become groups of the folding: those that need one another in turn become one, what is left over and is
    // much is gathered.
    void addAll(const std::vector<int> &nodes, const RepeatGraph &part, std::vector<Found> found, int parent)
    {
        std::erase_if(found, [](const Found &one) { return one.nodes.size() < 2; });
        m_place.resize(m_ids.size(), -1);
        for (std::size_t i = 0; i < nodes.size(); ++i) m_place[nodes[i]] = static_cast<int>(i);
        // Things: groups first, then every other node.
        const int groups = static_cast<int>(found.size());
        std::vector<int> thing(nodes.size(), -1);
        for (int g = 0; g < groups; ++g)
            for (int node : found[g].nodes) thing[m_place[node]] = g;
        int things = groups;
        std::vector<int> single; // node of each thing that is one
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (thing[i] < 0) {
                thing[i] = things++;
                single.push_back(nodes[i]);
            }
        for (int node : nodes) m_place[node] = -1;
        std::vector<std::pair<int, int>> edges;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            for (std::size_t k = part.firstInput[i]; k < part.firstInput[i + 1]; ++k)
                if (const int from = part.inputs[k].node; from >= 0 && thing[from] != thing[i]) edges.emplace_back(thing[from], thing[i]);
        const Condensed condensed = condense(things, edges);

        std::vector<std::vector<int>> parts(condensed.count); // things of each
        for (int t = 0; t < things; ++t) parts[condensed.of[t]].push_back(t);
        std::vector<int> lonely;
        const int alone = static_cast<int>(
            std::count_if(parts.begin(), parts.end(), [&](const auto &of) { return of.size() == 1 && of.front() >= groups; }));
        const bool gathers = condensed.count > (parent < 0 ? kMostOnTop : 4 * kMostSeen) && alone > kMostSeen;
        const auto flush = [&] {
            if (lonely.size() > 1) addRun(std::exchange(lonely, {}), parent);
            lonely.clear();
        };
        for (int at : condensed.order) { // a stretch of a topological order is a group that closes no cycle
            const std::vector<int> &of = parts[at];
            if (of.size() == 1 && of.front() >= groups) {
                lonely.push_back(single[of.front() - groups]);
                if (!gathers) lonely.clear();
                else if (static_cast<int>(lonely.size()) >= std::max(kMostSeen, alone / kMostSeen)) flush();
                continue;
            }
            flush();
            if (of.size() == 1) add(found[of.front()], parent);
            else addMixed(of, found, single, parent);
        }
        flush();
    }

    void addRun(std::vector<int> nodes, int parent)
    {
        std::sort(nodes.begin(), nodes.end());
        Found run;
        run.nodes = std::move(nodes);
        add(run, parent);
    }

    void addMixed(const std::vector<int> &things, std::vector<Found> &found, const std::vector<int> &single, int parent)
    {
        const int groups = static_cast<int>(found.size());
        Found all;
        const Found *largest = nullptr;
        int repeats = 0;
        for (int t : things) {
            if (t >= groups) {
                all.nodes.push_back(single[t - groups]);
                continue;
            }
            all.nodes.insert(all.nodes.end(), found[t].nodes.begin(), found[t].nodes.end());
            ++repeats;
            if (!largest || found[t].nodes.size() > largest->nodes.size()) largest = &found[t];
        }
        std::sort(all.nodes.begin(), all.nodes.end());
        if (!largest || all.nodes.size() < 2) return;
        all.kind = largest->kind;
        all.count = largest->count;
        all.chained = largest->chained;
        all.name = largest->name;
        if (!largest->instances.empty() && repeats == 1) spread(all, *largest);
        if (repeats == 1 || largest->instances.empty()) {
            add(all, parent);
            return;
        }
        all.kind = FoldKind::Mixed;
        const int group = describe(all, parent, 0);
        for (int t : things)
            if (t < groups) add(found[t], group);
    }

    // What stands between the instances of a part belongs to the one that reads it, or that it reads.
    void spread(Found &all, const Found &known)
    {
        m_instance.resize(m_ids.size(), -1);
        for (std::size_t i = 0; i < known.nodes.size(); ++i) m_instance[known.nodes[i]] = known.instances[i];
        for (int node : all.nodes) {
            if (m_instance[node] >= 0) continue;
            for (std::size_t i = m_all.firstInput[node]; i < m_all.firstInput[node + 1]; ++i)
                if (const int from = m_all.inputs[i].node; from >= 0) m_instance[node] = std::max(m_instance[node], m_instance[from]);
        }
        for (auto node = all.nodes.rbegin(); node != all.nodes.rend(); ++node)
            for (std::size_t i = m_all.firstInput[*node]; i < m_all.firstInput[*node + 1]; ++i)
                if (const int from = m_all.inputs[i].node; from >= 0 && m_instance[from] < 0) m_instance[from] = m_instance[*node];
        all.instances.clear();
        for (int node : all.nodes) all.instances.push_back(std::max(0, m_instance[node]));
        m_instance.assign(m_ids.size(), -1);
    }

    void add(const Found &found, int parent)
    {
        const int group = describe(found, parent, 0);
        if (m_folding.groups[group].depth >= kMostDeep) return;
        const std::size_t level = m_level;
        if (!found.instances.empty()) {
            addInstances(found, group, 0, found.count);
        } else if (static_cast<int>(found.nodes.size()) > kMostSeen) {
            if (found.kind == FoldKind::Scope && deeper(found.nodes)) foldScopes(found.nodes, group, level);
            else if (found.kind == FoldKind::Run && found.nodes.size() <= 4 * kMostSeen) return;
            else if (found.kind == FoldKind::Run) splitRun(found.nodes, group);
            else foldRepeats(found.nodes, group);
        } else if (found.kind == FoldKind::Scope && deeper(found.nodes)) {
            foldScopes(found.nodes, group, level);
        }
        m_level = level;
    }

    [[nodiscard]] bool deeper(const std::vector<int> &nodes) const
    {
        return std::any_of(nodes.begin(), nodes.end(), [&](int node) {
            const auto *scopes = scopesOf(node);
            return scopes && scopes->size() > m_level;
        });
    }

    void splitRun(const std::vector<int> &nodes, int parent)
    {
        const std::size_t each = std::max<std::size_t>(kMostSeen, (nodes.size() + kMostSeen - 1) / kMostSeen);
        for (std::size_t begin = 0; begin < nodes.size(); begin += each)
            addRun({nodes.begin() + static_cast<std::ptrdiff_t>(begin),
                    nodes.begin() + static_cast<std::ptrdiff_t>(std::min(begin + each, nodes.size()))},
                   parent);
    }

    // Single instances where they are few, else stretches of them.
    void addInstances(const Found &found, int parent, int first, int count)
    {
        if (count < 2) return;
        int each = 1;
        for (int nice : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000}) {
            each = nice;
            if ((count + each - 1) / each <= kMostSeen) break;
        }
        std::vector<Found> parts((count + each - 1) / each);
        for (std::size_t i = 0; i < found.nodes.size(); ++i) {
            Found &part = parts[(found.instances[i] - first) / each];
            part.nodes.push_back(found.nodes[i]);
            part.instances.push_back(found.instances[i]);
        }
        for (std::size_t i = 0; i < parts.size(); ++i) {
            Found &part = parts[i];
            if (part.nodes.size() < 2) continue;
            part.kind = FoldKind::Part;
            part.chained = found.chained;
            const int begin = first + static_cast<int>(i) * each;
            part.count = std::min(each, first + count - begin);
            const int group = describe(part, parent, begin);
            if (part.count > 1) addInstances(part, group, begin, part.count);
        }
    }

    int describe(const Found &found, int parent, int first)
    {
        FoldGroup group;
        group.kind = found.kind;
        group.parent = parent;
        group.depth = parent < 0 ? 0 : m_folding.groups[parent].depth + 1;
        group.count = found.count;
        group.chained = found.chained;
        group.first = found.kind == FoldKind::Run ? found.nodes.front() : first;
        group.name = found.name;
        std::map<std::uint32_t, int> ops;
        std::map<int, int> lines;
        const int number = static_cast<int>(m_folding.groups.size());
        for (int node : found.nodes) {
            group.applies.push_back(m_ids[node]);
            m_folding.innermost[raw(m_ids[node])] = number;
            ++ops[m_all.kinds[node]];
            if (m_line[node] >= 0) ++lines[m_line[node]];
        }
        std::vector<std::pair<int, int>> byCount;
        std::map<std::uint32_t, int> seen;
        for (int node : found.nodes)
            if (seen.emplace(m_all.kinds[node], node).second) byCount.emplace_back(-ops.at(m_all.kinds[node]), node);
        std::stable_sort(byCount.begin(), byCount.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
        constexpr std::size_t kMostOps = 12;
        for (const auto &[count, node] : byCount) {
            if (group.ops.size() == kMostOps) break;
            const ReplicaApply &apply = *m_question.graph->apply(m_ids[node]);
            const std::string &friendly = m_question.graph->text(apply.friendly);
            group.ops.push_back(friendly.empty() ? m_question.graph->text(apply.op) : friendly);
        }
        std::vector<std::pair<int, int>> most;
        for (const auto &[line, count] : lines) most.emplace_back(-count, line);
        std::sort(most.begin(), most.end());
        group.lineCount = static_cast<int>(most.size());
        for (std::size_t i = 0; i < most.size() && i < FoldGroup::kMostLines; ++i) group.lines.push_back(m_lines[most[i].second]);
        m_folding.groups.push_back(std::move(group));
        return number;
    }

    const FoldQuestion &m_question;
    std::vector<ApplyId> m_ids; // in the order of work
    RepeatGraph m_all;
    std::vector<int> m_line; // of each, into m_lines; -1: none is known
    std::vector<SourceLine> m_lines;
    std::vector<int> m_place, m_instance; // scratch
    std::size_t m_level = 0;              // of scopes
    Folding m_folding;
};

} // namespace

int Folding::groupOf(ApplyId apply) const
{
    const auto found = innermost.find(raw(apply));
    return found == innermost.end() ? -1 : found->second;
}

Folding foldGraph(const FoldQuestion &question) { return Folder(question).run(); }

std::vector<std::vector<std::string>> scopesOfText(const std::string &text)
{
    struct Scope {
        std::size_t indent;
        std::string name;
    };
    std::vector<std::vector<std::string>> scopes;
    std::vector<Scope> open;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        const std::size_t indent = line.find_first_not_of(" \t");
        const bool blank = indent == std::string::npos || line[indent] == '#';
        if (!blank)
            while (!open.empty() && open.back().indent >= indent) open.pop_back();
        std::vector<std::string> &here = scopes.emplace_back();
        for (const Scope &scope : open) here.push_back(scope.name);
        if (blank) continue;
        for (const char *word : {"def ", "for ", "while ", "class "})
            if (line.compare(indent, std::string(word).size(), word) == 0) {
                std::string head = line.substr(indent, line.find_last_not_of(" \t\r:") + 1 - indent);
                if (word[0] == 'd' || word[0] == 'c') head = head.substr(0, head.find('('));
                open.push_back({indent, std::to_string(scopes.size()) + ' ' + head});
                here.push_back(open.back().name); // its head is a line of it
            }
    }
    return scopes;
}

} // namespace profiler
