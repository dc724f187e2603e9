#include "profiler/stats/machine/ranks.h"

#include "profiler/session/store/reader.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace profiler {

namespace {

constexpr double kClearly = 0.05; // what a rank needs more than the middle of the others, to be called slower

using Place = std::tuple<std::string, std::string, int>; // call, file, line

Place placeOf(const std::string &call, const SourceLine &source) { return {call, source.file, source.line}; }

// Of "0-3,6".
std::size_t memberCount(const std::string &members)
{
    std::size_t count = 0;
    for (std::size_t at = 0; at < members.size();) {
        const std::size_t end = std::min(members.find(',', at), members.size());
        const std::string part = members.substr(at, end - at);
        const std::size_t dash = part.find('-');
        const long first = std::atol(part.c_str()), last = dash == std::string::npos ? first : std::atol(part.c_str() + dash + 1);
        count += static_cast<std::size_t>(std::max(1L, last - first + 1));
        at = end + 1;
    }
    return count;
}

// For each input, what it waited in the calls of a line; a line without a call that all its members know is not there.
std::vector<std::map<Place, std::int64_t>> waitingOf(std::span<const RankInput> inputs)
{
    struct Seen {
        std::vector<std::pair<std::size_t, const Collective *>> by;
    };
    std::map<std::pair<std::string, std::int64_t>, Seen> calls;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (const Collective &one : inputs[i].collectives) calls[{one.members, one.number}].by.emplace_back(i, &one);
    std::vector<std::map<Place, std::int64_t>> waiting(inputs.size());
    for (const auto &[key, seen] : calls) {
        const auto isSame = [&](const auto &one) { return one.second->call == seen.by.front().second->call; };
        if (seen.by.size() != memberCount(key.first) || !std::ranges::all_of(seen.by, isSame)) continue;
        std::int64_t least = seen.by.front().second->durationNs;
        for (const auto &[input, one] : seen.by) least = std::min(least, one->durationNs);
        for (const auto &[input, one] : seen.by) waiting[input][placeOf(one->call, one->source)] += one->durationNs - least;
    }
    return waiting;
}

template <class Of>
std::int64_t middleOfOthers(const std::vector<RankRow> &ranks, std::size_t without, const Of &of)
{
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (i != without) values.push_back(of(ranks[i]));
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

std::string problemOf(const SessionInfo &info)
{
    switch (info.state) {
    case SessionState::Running: return "it is still running";
    case SessionState::CutOff: return info.cutOffReason.empty() ? "cut off" : info.cutOffReason;
    case SessionState::Finished: break;
    }
    if (info.exitStatus == 0) return {};
    return "ended with status " + std::to_string(info.exitStatus) + (info.cutOffReason.empty() ? "" : ": " + info.cutOffReason);
}

} // namespace

RankInput readRank(SessionReader &reader) { return {reader.info(), reader.functions(), reader.communication(), reader.collectives()}; }

Job jobOf(std::span<const RankInput> inputs)
{
    Job job;
    const std::vector<std::map<Place, std::int64_t>> waiting = waitingOf(inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const RankInput &input = inputs[i];
        RankRow row;
        row.rank = input.info.rank >= 0 ? input.info.rank : static_cast<int>(i);
        row.session = input.info.path;
        row.host = input.info.host;
        row.problem = problemOf(input.info);
        row.durationNs = input.info.durationNs;
        for (const FunctionInfo &function : input.functions) {
            row.callNs += function.run.totalNs;
            row.compileNs += function.compile.totalNs;
            if (function.run.calls > 0)
                job.functions.push_back(
                    {row.rank, function.id, function.name, function.location, function.run.calls, function.run.totalNs});
        }
        bool knows = true;
        std::int64_t waited = 0;
        for (const Communication &sum : input.communication) {
            row.communicationNs += sum.totalNs;
            row.callNs -= sum.insideNs;
            RankCommunication one{row.rank, sum, -1};
            if (sum.kind == kCollectiveCall) {
                const auto found = waiting[i].find(placeOf(sum.call, sum.source));
                if (found == waiting[i].end()) knows = false;
                else waited += one.waitingNs = std::min(found->second, sum.totalNs);
            }
            job.communication.push_back(std::move(one));
        }
        row.callNs = std::max<std::int64_t>(0, row.callNs);
        if (knows && !input.communication.empty()) row.waitingNs = waited;
        job.ranks.push_back(std::move(row));
    }
    std::ranges::stable_sort(job.ranks, {}, &RankRow::rank);
    std::ranges::stable_sort(job.functions, {}, &RankFunction::rank);
    std::ranges::stable_sort(job.communication, {}, [](const RankCommunication &row) {
        return std::tuple(std::string_view(row.sum.call), std::string_view(row.sum.source.file.str()), row.sum.source.line, row.rank);
    });
    return job;
}

JobVerdict judge(const Job &job)
{
    JobVerdict verdict;
    if (job.ranks.size() < 2) return verdict;
    verdict.knowsWaiting = std::ranges::all_of(job.ranks, [](const RankRow &row) { return row.waitingNs >= 0; });
    if (!verdict.knowsWaiting) return verdict;
    const auto slowest = static_cast<std::size_t>(std::ranges::max_element(job.ranks, {}, &RankRow::ownNs) - job.ranks.begin());
    const std::int64_t middle = middleOfOthers(job.ranks, slowest, [](const RankRow &row) { return row.ownNs(); });
    const std::int64_t excess = job.ranks[slowest].ownNs() - middle;
    if (static_cast<double>(excess) <= kClearly * static_cast<double>(middle)) return verdict;
    verdict.slowest = static_cast<int>(slowest);
    verdict.excessNs = excess;
    const auto excessOf = [&](const auto &of) { return of(job.ranks[slowest]) - middleOfOthers(job.ranks, slowest, of); };
    const std::array<std::pair<const char *, std::int64_t>, 4> parts{{
        {"functions", excessOf([](const RankRow &row) { return row.callNs; })},
        {"compiling", excessOf([](const RankRow &row) { return row.compileNs; })},
        {"moving", excessOf([](const RankRow &row) { return row.communicationNs - row.waitingNs; })},
        {"python", excessOf([](const RankRow &row) { return row.otherNs(); })},
    }};
    const auto &most = *std::ranges::max_element(parts, {}, [](const auto &part) { return part.second; });
    verdict.part = most.first;
    verdict.partNs = most.second;
    if (verdict.part != "functions") return verdict;
    std::int64_t largest = 0;
    for (const RankFunctionRow &row : functionTable(job)) {
        const auto of = [&](const RankRow &rank) {
            return std::max<std::int64_t>(0, row.ns[static_cast<std::size_t>(&rank - job.ranks.data())]);
        };
        const std::int64_t more = of(job.ranks[slowest]) - middleOfOthers(job.ranks, slowest, of);
        if (more <= largest) continue;
        largest = more;
        verdict.function = row.name;
    }
    if (largest > 0) verdict.partNs = largest;
    return verdict;
}

std::vector<CommunicationRow> communicationTable(const Job &job)
{
    std::vector<CommunicationRow> rows;
    std::map<Place, std::size_t> places;
    for (const RankCommunication &one : job.communication) {
        const auto [place, isNew] = places.try_emplace(placeOf(one.sum.call, one.sum.source), rows.size());
        if (isNew) rows.push_back({one.sum.call, one.sum.kind, one.sum.source, 0, 0, 0, -1, -1, 0});
        CommunicationRow &row = rows[place->second];
        row.count += one.sum.count;
        row.bytes += one.sum.bytes;
        row.totalNs += one.sum.totalNs;
        if (one.waitingNs < 0) continue;
        row.waitingNs = std::max<std::int64_t>(0, row.waitingNs) + one.waitingNs;
        if (row.mostWaiting < 0 || one.waitingNs > row.mostWaitingNs) {
            row.mostWaiting = one.rank;
            row.mostWaitingNs = one.waitingNs;
        }
    }
    std::ranges::stable_sort(rows, std::greater(), &CommunicationRow::totalNs);
    return rows;
}

std::vector<RankFunctionRow> functionTable(const Job &job)
{
    std::vector<RankFunctionRow> rows;
    std::map<std::tuple<std::string, std::string, int, int>, std::size_t> places;
    std::map<std::tuple<int, std::string, std::string, int>, int> seen; // the k-th of a name in a rank is the k-th in the others
    for (const RankFunction &one : job.functions) {
        const int number = seen[{one.rank, one.name, one.source.file, one.source.line}]++;
        const auto [place, isNew] = places.try_emplace({one.name, one.source.file, one.source.line, number}, rows.size());
        if (isNew) {
            std::string name = one.name;
            if (name.empty()) name = one.source.file + ":" + std::to_string(one.source.line);
            rows.push_back({name, 0, std::vector<std::int64_t>(job.ranks.size(), -1)});
        }
        const auto rank = std::ranges::find(job.ranks, one.rank, &RankRow::rank);
        if (rank == job.ranks.end()) continue;
        rows[place->second].calls += one.calls;
        rows[place->second].ns[static_cast<std::size_t>(rank - job.ranks.begin())] = one.callNs;
    }
    const auto total = [](const RankFunctionRow &row) { return std::accumulate(row.ns.begin(), row.ns.end(), std::int64_t{0}); };
    std::ranges::stable_sort(rows, std::greater(), total);
    return rows;
}

} // namespace profiler
