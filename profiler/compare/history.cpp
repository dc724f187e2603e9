#include "profiler/compare/history.h"

#include "profiler/compare/fingerprint.h"
#include "profiler/compare/pairing.h"
#include "profiler/compare/text_diff.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/machine/headroom.h"
#include "profiler/stats/times/ground.h"
#include "profiler/stats/times/profile_parts.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace profiler {
namespace {

// A session as it is compared with the one before.
struct Read {
    ProfileData data;
    ScriptInfo script;
};

std::optional<Read> readSession(const std::string &path, std::string &problem)
try {
    const auto reader = SessionReader::open(path);
    return Read{loadProfile(*reader), reader->script()};
} catch (const SessionError &error) {
    problem = error.what();
    return std::nullopt;
}

std::vector<GraphChange> settingChanges(const Read &before, const Read &now)
{
    std::vector<GraphChange> changes;
    const auto compare = [&](const auto &a, const auto &b) {
        std::map<std::string, std::pair<std::string, std::string>> values;
        for (const auto &one : a) values[one.name].first = one.value;
        for (const auto &one : b) values[one.name].second = one.value;
        for (const auto &[name, value] : values)
            if (value.first != value.second)
                changes.push_back({.kind = ChangeKind::Setting, .op = name, .now = value.second, .before = value.first});
    };
    compare(before.data.flags, now.data.flags);
    compare(before.data.machine.facts, now.data.machine.facts);
    if (before.script.text != now.script.text) {
        int added = 0, removed = 0;
        std::string lines;
        for (const DiffLine &line : diffLines(before.script.text, now.script.text)) {
            if (line.isSame()) continue;
            ++(line.b > 0 ? added : removed);
            if (line.b > 0 && added <= 3) lines += (added > 1 ? ", " : " (") + std::to_string(line.b);
        }
        if (!lines.empty()) lines += added > 3 ? " …)" : ")";
        std::string text;
        if (added > 0) text = counted(added, "new line") + lines;
        if (removed > 0) text += (added > 0 ? ", " : "") + counted(removed, "line") + " gone";
        changes.push_back({.kind = ChangeKind::Script, .now = text});
    }
    return changes;
}

// `data`: the function's own part.
HistoryPoint pointOf(const ProfileData &data, const FunctionInfo &function, std::size_t session)
{
    HistoryPoint point;
    point.session = session;
    point.function = function.id;
    point.calls = function.run.calls;
    if (function.run.calls > 0) point.nsPerCall = makeHeadroom(data, function.id).nowNs;
    const PlanInfo plan = mainPlan(data, function.id);
    if (plan.function == function.id) point.peakBytes = plan.measuredPeakBytes >= 0 ? plan.measuredPeakBytes : plan.peakBytes;
    point.applies = function.appliesOptimized;
    point.compileNs = function.compile.totalNs;
    point.written = fingerprintOf(data.applies, function.graph, GraphStage::Original);
    point.optimized = fingerprintOf(data.applies, function.graph, GraphStage::Optimized);
    return point;
}

std::string nameOf(const FunctionInfo &function)
{
    if (!function.name.empty()) return function.name;
    return std::filesystem::path(function.location.file.str()).filename().string() + ":" + std::to_string(function.location.line);
}

// Of all functions together, as written; 0 where there is none.
std::uint64_t writtenGraphs(const std::string &path)
try {
    const auto reader = SessionReader::open(path);
    const GraphRows rows = reader->graphRows();
    std::string all;
    for (const FunctionInfo &function : reader->functions())
        all += std::to_string(fingerprintOf(rows.applies, function.graph, GraphStage::Original)) + ' ';
    return all.empty() ? 0 : fingerprintOf(all);
} catch (const SessionError &) {
    return 0;
}

// Which of several belong together.
class Sets {
public:
    explicit Sets(std::size_t count) : m_parents(count) { std::iota(m_parents.begin(), m_parents.end(), std::size_t(0)); }
    std::size_t of(std::size_t one)
    {
        while (m_parents[one] != one) one = m_parents[one] = m_parents[m_parents[one]];
        return one;
    }
    void join(std::size_t a, std::size_t b) { m_parents[of(a)] = of(b); }

private:
    std::vector<std::size_t> m_parents;
};

} // namespace

SessionGlance glanceAt(const std::string &path)
{
    SessionGlance glance;
    glance.path = path;
    try {
        const auto reader = SessionReader::open(path);
        const SessionInfo info = reader->info();
        const ScriptInfo script = reader->script();
        if (!script.path.empty()) glance.script = (std::filesystem::path(info.directory) / script.path).lexically_normal().string();
        if (!script.text.empty()) glance.scriptText = fingerprintOf(script.text);
        if (const auto functions = reader->functions(); !functions.empty()) glance.signature = signatureOf(functions);
        glance.createdUnixMs = info.createdUnixMs;
    } catch (const SessionError &error) {
        glance.problem = error.what();
    }
    return glance;
}

std::vector<std::vector<std::size_t>> groupByScript(const std::vector<SessionGlance> &glances)
{
    Sets sets(glances.size());
    std::map<std::string, std::size_t> files;
    std::map<std::uint64_t, std::size_t> texts;
    std::map<std::uint64_t, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < glances.size(); ++i) {
        const SessionGlance &glance = glances[i];
        if (!glance.script.empty()) sets.join(i, files.emplace(glance.script, i).first->second);
        if (glance.scriptText) sets.join(i, texts.emplace(glance.scriptText, i).first->second);
        if (glance.signature) alike[glance.signature].push_back(i);
    }
    // Graphs are read only where names and numbers agree and nothing else did.
    for (const auto &[signature, members] : alike) {
        std::map<std::size_t, std::uint64_t> known; // by set
        for (const std::size_t one : members)
            if (!known.contains(sets.of(one))) known.emplace(sets.of(one), 0);
        if (known.size() < 2) continue;
        std::map<std::uint64_t, std::size_t> first;
        std::set<std::size_t> seen;
        for (const std::size_t one : members) {
            if (!seen.insert(sets.of(one)).second) continue;
            if (const std::uint64_t graphs = writtenGraphs(glances[one].path)) sets.join(one, first.emplace(graphs, one).first->second);
        }
    }
    std::map<std::size_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < glances.size(); ++i)
        if (glances[i].problem.empty()) groups[sets.of(i)].push_back(i);
    std::vector<std::vector<std::size_t>> result;
    const auto older = [&](std::size_t a, std::size_t b) {
        return std::tie(glances[a].createdUnixMs, glances[a].path) < std::tie(glances[b].createdUnixMs, glances[b].path);
    };
    for (auto &[set, members] : groups) {
        std::ranges::sort(members, older);
        result.push_back(std::move(members));
    }
    std::ranges::sort(result, [&](const auto &a, const auto &b) { return older(b.back(), a.back()); });
    return result;
}

History makeHistory(const std::vector<std::string> &pathsByTime, const GoOn &goOn)
{
    History history;
    std::map<std::string, std::size_t> functions; // by name and number among those of that name
    std::optional<Read> before;
    for (std::size_t i = 0; i < pathsByTime.size(); ++i) {
        if (goOn && !goOn(i)) break;
        std::string problem;
        std::optional<Read> now = readSession(pathsByTime[i], problem);
        if (!now) {
            history.leftOut.push_back({pathsByTime[i], problem});
            continue;
        }
        const ProfileData &data = now->data;
        const std::size_t session = history.sessions.size();
        history.sessions.push_back({pathsByTime[i], data.info.label, data.info.createdUnixMs, data.info.state == SessionState::CutOff, {}});
        history.script = (std::filesystem::path(data.info.directory) / now->script.path).lexically_normal().string();
        if (before) history.sessions.back().changes = settingChanges(*before, *now);
        std::map<int, int> pairs; // of a function of this session: that of the one before
        if (before)
            for (const FunctionPair &pair : pairFunctions(before->data, data))
                if (pair.a >= 0 && pair.b >= 0) pairs[pair.b] = pair.a;
        std::map<std::string, int> count;
        const ProfileParts parts(data);
        std::optional<ProfileParts> partsBefore;
        if (before) partsBefore.emplace(before->data);
        for (std::size_t k = 0; k < data.functions.size(); ++k) {
            const FunctionInfo &function = data.functions[k];
            const std::string name = nameOf(function);
            const int number = ++count[name];
            const std::string key = number > 1 ? name + " #" + std::to_string(number) : name;
            const auto [found, isNew] = functions.emplace(key, history.functions.size());
            if (isNew) history.functions.push_back({key, {}});
            FunctionHistory &of = history.functions[found->second];
            const ProfileData own = parts.of(function.id);
            HistoryPoint point = pointOf(own, function, session);
            if (const auto pair = pairs.find(static_cast<int>(k)); pair != pairs.end() && !of.points.empty()) {
                const HistoryPoint &last = of.points.back();
                point.writtenAnew = last.written != point.written;
                const FunctionInfo &then = before->data.functions[static_cast<std::size_t>(pair->second)];
                if (last.optimized != point.optimized)
                    point.changes = graphChanges(partsBefore->of(then.id), then.graph, own, function.graph);
            }
            of.points.push_back(std::move(point));
        }
        before = std::move(now);
    }
    return history;
}

} // namespace profiler
