#include "profiler/stats/times/tables.h"

#include "profiler/stats/times/ground.h"
#include "profiler/stats/times/scope.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace profiler {

namespace {

struct Totals {
    std::int64_t calls = 0;
    std::int64_t ns = 0;
    std::int64_t minNs = 0;
    std::int64_t maxNs = 0;
    double sumSquares = 0;
    std::int64_t deviceNs = 0;
    std::int64_t blockingNs = 0;
    bool hasDevice = true;
    bool hasBlocking = true;
    Histogram histogram;

    template <class Other>
    void addTimes(const Other &other, std::int64_t otherNs)
    {
        if (other.calls > 0) {
            minNs = calls == 0 ? other.minNs : std::min(minNs, other.minNs);
            maxNs = std::max(maxNs, other.maxNs);
        }
        calls += other.calls;
        ns += otherNs;
        sumSquares += other.sumSquares;
        histogram.merge(other.histogram);
    }
    void add(const ApplyStats &stats)
    {
        addTimes(stats, stats.totalNs);
        hasDevice = hasDevice && stats.deviceNs.has_value();
        hasBlocking = hasBlocking && stats.blockingNs.has_value();
        deviceNs += stats.deviceNs.value_or(0);
        blockingNs += stats.blockingNs.value_or(0);
    }
    void add(const Totals &other)
    {
        addTimes(other, other.ns);
        hasDevice = hasDevice && other.hasDevice;
        hasBlocking = hasBlocking && other.hasBlocking;
        deviceNs += other.deviceNs;
        blockingNs += other.blockingNs;
    }
};

using TotalsByApply = std::unordered_map<ApplyKey, Totals, ApplyKeyHash>;

TotalsByApply totalsOf(const ProfileData &data, const TableScope &scope)
{
    TotalsByApply totals;
    for (const ApplyStats &stats : data.stats)
        if (!scope.steadyOnly || stats.steady) totals[{stats.graph, stats.apply}].add(stats);
    return totals;
}

// One of the applies that count, with its times.
struct Entry {
    const ApplyRow *apply;
    const FunctionInfo *function;
    Totals totals;
};

std::vector<Entry> entriesOf(const ProfileData &data, const TableScope &scope)
{
    const TotalsByApply totals = totalsOf(data, scope);
    const auto functions = calledFunctionsByGraph(data, scope);
    std::set<std::uint32_t> choosing; // graphs in which some applies may never run
    for (const ApplyRow &apply : data.applies)
        if (roleOf(apply) == OpRole::Choice) choosing.insert(raw(apply.graph));
    std::vector<Entry> entries;
    for (const ApplyRow &apply : data.applies) {
        const auto function = functions.find(raw(apply.graph));
        if (!apply.inOptimized || function == functions.end()) continue;
        Entry entry{&apply, function->second, {}};
        if (const auto found = totals.find({apply.graph, apply.apply}); found != totals.end()) {
            entry.totals = found->second;
        } else {
            // It costs nothing of its own (a view that the plan resolves), yet it is in the graph; or its branch was never taken.
            if (!choosing.count(raw(apply.graph))) entry.totals.calls = function->second->run.calls;
            entry.totals.hasDevice = entry.totals.hasBlocking = false;
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::string keyOf(const Entry &entry, TableKind kind)
{
    switch (kind) {
    case TableKind::Class: return entry.apply->opClass;
    case TableKind::Op: return entry.apply->op;
    case TableKind::Device: return entry.apply->device.empty() ? "cpu" : entry.apply->device;
    case TableKind::Apply: break;
    }
    return std::to_string(raw(entry.apply->graph)) + "." + std::to_string(raw(entry.apply->apply));
}

struct Group {
    TableRow row;
    Totals totals;
    std::set<std::string> ops;
    bool anyC = false;
    bool anyPython = false;
};

void finishRow(Group &group, std::int64_t totalNs)
{
    TableRow &row = group.row;
    const Totals &totals = group.totals;
    row.ns = totals.ns;
    row.calls = totals.calls;
    row.percent = totalNs > 0 ? 100.0 * static_cast<double>(totals.ns) / static_cast<double>(totalNs) : 0;
    row.ops = static_cast<int>(group.ops.size());
    row.type = group.anyC && group.anyPython ? "C Py" : group.anyPython ? "Py" : "C";
    row.minNs = totals.minNs;
    row.maxNs = totals.maxNs;
    if (totals.calls > 0) {
        const auto count = static_cast<double>(totals.calls);
        row.nsPerCall = static_cast<double>(totals.ns) / count;
        const double variance = totals.sumSquares / count - row.nsPerCall * row.nsPerCall;
        row.deviationNs = totals.histogram.count() > 0 ? std::sqrt(std::max(0.0, variance)) : 0;
    }
    // The middle of a bucket may lie outside of what was measured.
    const auto quantile = [&](double share) {
        return totals.histogram.count() == 0 ? 0.0
                                             : std::clamp(totals.histogram.quantileNs(share), static_cast<double>(totals.minNs),
                                                          static_cast<double>(std::max(totals.minNs, totals.maxNs)));
    };
    row.medianNs = quantile(0.5);
    row.p95Ns = quantile(0.95);
    row.p99Ns = quantile(0.99);
    if (totals.hasDevice) row.deviceNs = totals.deviceNs;
    if (totals.hasBlocking) row.blockingNs = totals.blockingNs;
}

void sortAndSum(Table &table)
{
    std::stable_sort(table.rows.begin(), table.rows.end(), [](const TableRow &a, const TableRow &b) {
        if (a.ns != b.ns) return a.ns > b.ns;
        if (a.withCallsPercent != b.withCallsPercent) return a.withCallsPercent > b.withCallsPercent;
        if (a.function != b.function) return a.function < b.function;
        return a.position != b.position ? a.position < b.position : a.name < b.name;
    });
    std::int64_t sum = 0;
    for (TableRow &row : table.rows) {
        sum += row.ns;
        row.cumulativeNs = sum;
        row.cumulativePercent = table.totalNs > 0 ? 100.0 * static_cast<double>(sum) / static_cast<double>(table.totalNs) : 0;
    }
}

// How often what a line made ran: in each graph as often as the apply of it that ran most. A line of ten applies ran once a call, not ten
// times.
class LineCalls {
public:
    void add(const ApplyKey &apply, std::int64_t calls)
    {
        std::int64_t &most = m_most[apply.graph];
        most = std::max(most, calls);
    }
    [[nodiscard]] std::int64_t sum() const
    {
        std::int64_t all = 0;
        for (const auto &[graph, most] : m_most) all += most;
        return all;
    }

private:
    std::map<GraphId, std::int64_t> m_most;
};

} // namespace

Table tableOfLines(const std::vector<LineRow> &lines, const Table &applies, bool byFile)
{
    std::map<std::string, TableRow> rows;
    std::map<std::string, std::set<ApplyKey>> nodes;
    std::map<std::string, LineCalls> calls;
    std::map<ApplyKey, std::int64_t> callsOf;
    for (const TableRow &row : applies.rows)
        for (const ApplyKey &node : row.nodes) callsOf[node] = row.calls;
    for (const LineRow &line : lines) {
        if (byFile && line.isPassed()) continue;
        const std::string name =
            line.source.file.empty() || byFile ? line.source.file.str() : line.source.file + ":" + std::to_string(line.source.line);
        TableRow &row = rows[name];
        row.name = name;
        row.ns += line.ns;
        row.percent += line.percent;
        row.estimated = row.estimated || line.estimated;
        if (!byFile) row.withCallsPercent = line.withCallsPercent;
        for (const ApplyKey &node : line.nodes)
            if (nodes[name].insert(node).second) {
                row.nodes.push_back(node);
                calls[name].add(node, callsOf[node]);
            }
    }
    Table table;
    table.totalNs = applies.totalNs;
    table.applies = applies.applies;
    for (auto &[name, row] : rows) {
        row.applies = static_cast<int>(row.nodes.size());
        row.calls = calls[name].sum();
        row.nsPerCall = row.calls > 0 ? static_cast<double>(row.ns) / static_cast<double>(row.calls) : 0;
        table.rows.push_back(std::move(row));
    }
    sortAndSum(table);
    return table;
}

Table makeTable(const ProfileData &data, TableKind kind, const TableScope &scope)
{
    std::map<std::string, Group> groups;
    Table table;
    for (const Entry &entry : entriesOf(data, scope)) {
        Group &group = groups[keyOf(entry, kind)];
        TableRow &row = group.row;
        if (kind == TableKind::Apply) {
            row.name = entry.apply->label.empty() ? entry.apply->op : entry.apply->label;
            row.position = entry.apply->optimizedIndex;
            row.function = entry.function->id;
            row.flops = entry.apply->flops;
        } else {
            row.name = keyOf(entry, kind);
        }
        if (++row.applies == 1) row.role = roleOf(*entry.apply);
        row.nodes.push_back({entry.apply->graph, entry.apply->apply});
        group.ops.insert(entry.apply->op);
        (entry.apply->implementation == "Py" ? group.anyPython : group.anyC) = true;
        group.totals.add(entry.totals);
        table.totalNs += entry.totals.ns;
        ++table.applies;
    }
    for (auto &entry : groups) {
        finishRow(entry.second, table.totalNs);
        table.rows.push_back(std::move(entry.second.row));
    }
    sortAndSum(table);
    return table;
}

SpentTimes spentTimes(const Table &classes)
{
    SpentTimes spent;
    for (const TableRow &row : classes.rows) {
        const std::string name = lowered(row.name.substr(row.name.rfind('.') + 1));
        const std::int64_t ns = row.deviceNs.value_or(row.ns); // the host only gives the work, and waits for all before a copy
        if (row.role == OpRole::Transfer) spent.transferNs += ns;
        else if (name.rfind("gpu", 0) == 0 || (row.role == OpRole::Loop && row.deviceNs.value_or(0) > 0)) spent.gpuNs += ns;
        else spent.cpuNs += ns;
        spent.anyGpu = spent.anyGpu || name.rfind("gpu", 0) == 0 || row.role == OpRole::Transfer;
    }
    if (const std::int64_t all = spent.cpuNs + spent.gpuNs + spent.transferNs; all > 0) {
        const double scale = 100.0 / static_cast<double>(all);
        spent.cpuPercent = scale * static_cast<double>(spent.cpuNs);
        spent.gpuPercent = scale * static_cast<double>(spent.gpuNs);
        spent.transferPercent = scale * static_cast<double>(spent.transferNs);
    }
    return spent;
}

namespace {

// Time of lines with what they call.
class TimeBeneath {
public:
    explicit TimeBeneath(const ProfileData &data) : m_data(data), m_walk(*data.chains.all) {}

    // False: it has no chains.
    bool add(const ApplyKey &key, double ns)
    {
        const auto ofGraph = m_data.chains.ofApplies.of(key.graph);
        const std::span<const ChainShare> chains = chainsOf(*ofGraph, key.apply);
        double shares = 0;
        for (const ChainShare &one : chains) shares += std::max(0.0, one.share);
        if (shares <= 0) return false;
        for (const ChainShare &one : chains)
            for (const std::uint32_t line : linesOf(one.chain)) {
                if (m_shares.try_emplace(line, 0).second) m_touched.push_back(line);
                m_shares[line] += std::max(0.0, one.share) / shares;
            }
        constexpr double kWhole = 1 - 1e-6;
        for (const std::uint32_t number : m_touched) {
            OfLine &line = m_ofLine[number];
            line.ns += ns * m_shares[number];
            line.estimated = line.estimated || m_shares[number] < kWhole;
        }
        m_touched.clear();
        m_shares.clear();
        return true;
    }
    template <class Take>
    void each(Take take) const
    {
        for (const auto &[number, line] : m_ofLine) take(m_data.chains.all->lines()[number], line.ns, line.estimated);
    }

private:
    // Each chain is walked once: a graph has many applies of few.
    const std::vector<std::uint32_t> &linesOf(ChainId chain)
    {
        const auto known = m_known.find(chain);
        if (known != m_known.end()) return known->second;
        std::vector<std::uint32_t> &lines = m_known[chain];
        m_walk.each(chain, [&](std::uint32_t line) { lines.push_back(line); });
        return lines;
    }

    struct OfLine {
        double ns = 0;
        bool estimated = false;
    };
    const ProfileData &m_data;
    ChainWalk m_walk;
    std::unordered_map<std::uint32_t, OfLine> m_ofLine; // by their numbers in m_data.chains.all
    std::unordered_map<ChainId, std::vector<std::uint32_t>> m_known;
    std::unordered_map<std::uint32_t, double> m_shares; // of the apply that is being added
    std::vector<std::uint32_t> m_touched;
};

} // namespace

std::vector<LineRow> lineTable(const ProfileData &data, const TableScope &scope)
{
    TimeBeneath beneath(data);
    std::unordered_map<ApplyKey, std::vector<const SourceLink *>, ApplyKeyHash> links;
    for (const SourceLink &link : data.sources) links[{link.graph, link.apply}].push_back(&link);
    std::map<SourceLine, LineRow> lines;
    std::map<SourceLine, double> times, timesBeneath;
    std::map<SourceLine, LineCalls> calls;
    double total = 0;
    for (const Entry &entry : entriesOf(data, scope)) {
        const ApplyKey key{entry.apply->graph, entry.apply->apply};
        const auto ns = static_cast<double>(entry.totals.ns);
        total += ns;
        double shares = 0;
        const auto found = links.find(key);
        if (found != links.end())
            for (const SourceLink *link : found->second) shares += std::max(0.0, link->share);
        const bool hasChains = beneath.add(key, ns);
        const auto add = [&](const SourceLine &source, double share, bool estimated) {
            LineRow &line = lines[source];
            line.source = source;
            calls[source].add(key, entry.totals.calls);
            line.estimated = line.estimated || estimated;
            line.nodes.push_back(key);
            line.nodeNs.push_back(std::llround(ns * share));
            times[source] += ns * share;
            if (hasChains) return;
            timesBeneath[source] += ns * share;
            line.withCallsEstimated = line.withCallsEstimated || estimated;
        };
        if (shares <= 0) {
            add({}, 1, false);
            continue;
        }
        for (const SourceLink *link : found->second) add(link->source, std::max(0.0, link->share) / shares, link->estimated);
    }
    beneath.each([&](const SourceLine &source, double ns, bool estimated) {
        LineRow &line = lines[source];
        line.source = source;
        line.withCallsEstimated = line.withCallsEstimated || estimated;
        timesBeneath[source] += ns;
    });
    std::vector<LineRow> rows;
    for (auto &[source, line] : lines) {
        const double own = times[source], all = std::max(own, timesBeneath[source]);
        line.ns = std::llround(own);
        line.calls = calls[source].sum();
        line.percent = total > 0 ? 100 * own / total : 0;
        line.withCallsNs = std::llround(all);
        line.withCallsPercent = total > 0 ? 100 * all / total : 0;
        line.isOfScript = data.chains.all->beginsIn(source.file);
        rows.push_back(std::move(line));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const LineRow &a, const LineRow &b) {
        if (a.isPassed() != b.isPassed()) return b.isPassed();
        return a.ns != b.ns ? a.ns > b.ns : a.withCallsNs > b.withCallsNs;
    });
    return rows;
}

} // namespace profiler
