#include "profiler/export/ranks_report.h"

#include "engine/liveness/sizes.h"
#include "profiler/export/format.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace profiler {

namespace {

std::string time(std::int64_t ns) { return ns < 0 ? "unknown" : format("%.3f s", seconds(ns)); }

std::string placeText(const SourceLine &source)
{
    return source.file.empty() ? "from no line" : source.file + ":" + std::to_string(source.line);
}

std::string partText(const JobVerdict &verdict)
{
    static const std::map<std::string, std::string> kTexts{{"functions", "in functions"},
                                                           {"compiling", "compiling"},
                                                           {"moving", "moving data in MPI"},
                                                           {"python", "in Python outside of functions"}};
    if (!verdict.function.empty()) return "in " + verdict.function;
    return kTexts.at(verdict.part);
}

} // namespace

std::string verdictSentence(const Job &job)
{
    if (job.ranks.size() < 2) return "There is one rank, so none waits for another.";
    const JobVerdict verdict = judge(job);
    if (job.communication.empty())
        return "No call of MPI was seen, so nothing is known of waiting (calls of mpi4py are, in a script under croton profile).";
    if (!verdict.knowsWaiting)
        return "Some collective calls are not known of all their ranks, so it is not known which rank the others wait for.";
    if (verdict.slowest < 0) return "No rank needs clearly more time for itself than the others.";
    const RankRow &slowest = job.ranks[static_cast<std::size_t>(verdict.slowest)];
    return format("The others wait for rank %d: it needs %s for itself, %s more than the middle of the others, most of it %s (%s more).",
                  slowest.rank, time(slowest.ownNs()).c_str(), time(verdict.excessNs).c_str(), partText(verdict).c_str(),
                  time(verdict.partNs).c_str());
}

std::string ranksReport(const Job &job)
{
    std::string out = counted(static_cast<std::int64_t>(job.ranks.size()), "rank") + " of one job\n\n";
    out += format("  %4s  %12s  %12s  %12s  %12s  %12s  %12s  %s\n", "rank", "all", "for itself", "in functions", "compiling", "in MPI",
                  "of it waiting", "host");
    for (const RankRow &row : job.ranks)
        out += format("  %4d  %12s  %12s  %12s  %12s  %12s  %12s   %s\n", row.rank, time(row.durationNs).c_str(),
                      row.waitingNs < 0 ? "unknown" : time(row.ownNs()).c_str(), time(row.callNs).c_str(), time(row.compileNs).c_str(),
                      time(row.communicationNs).c_str(), time(row.waitingNs).c_str(), row.host.c_str());
    for (const RankRow &row : job.ranks)
        if (!row.problem.empty()) out += format("  Rank %d: %s.\n", row.rank, row.problem.c_str());
    out += "\n" + verdictSentence(job) + "\n";
    const std::vector<CommunicationRow> calls = communicationTable(job);
    if (!calls.empty()) out += "\nCalls of MPI, all ranks together\n";
    for (const CommunicationRow &row : calls) {
        out += format("  %12s  %8lld calls  %10s  %-14s %s", time(row.totalNs).c_str(), static_cast<long long>(row.count),
                      liveness::sizeText(row.bytes).c_str(), row.call.c_str(), placeText(row.source).c_str());
        if (row.waitingNs >= 0)
            out += format(": %s of it waiting%s", time(row.waitingNs).c_str(),
                          row.mostWaitingNs > 0 ? format(", most in rank %d (%s)", row.mostWaiting, time(row.mostWaitingNs).c_str()).c_str()
                                                : "");
        out += "\n";
    }
    const std::vector<RankFunctionRow> functions = functionTable(job);
    if (!functions.empty()) {
        out += "\nFunctions, rank by rank\n";
        for (const RankFunctionRow &row : functions) {
            out += "  " + elided(row.name, 32) + ":";
            for (std::size_t i = 0; i < row.ns.size(); ++i)
                out += (i ? ", " : " ") + (row.ns[i] < 0 ? std::string("none") : time(row.ns[i]));
            out += "\n";
        }
    }
    return out;
}

nlohmann::json ranksJson(const Job &job)
{
    nlohmann::json ranks = nlohmann::json::array(), calls = nlohmann::json::array(), functions = nlohmann::json::array();
    const auto orNull = [](std::int64_t value) { return value < 0 ? nlohmann::json() : nlohmann::json(value); };
    for (const RankRow &row : job.ranks)
        ranks.push_back({{"rank", row.rank},
                         {"session", row.session},
                         {"host", row.host},
                         {"problem", row.problem},
                         {"duration_ns", row.durationNs},
                         {"own_ns", row.waitingNs < 0 ? nlohmann::json() : nlohmann::json(row.ownNs())},
                         {"call_ns", row.callNs},
                         {"compile_ns", row.compileNs},
                         {"communication_ns", row.communicationNs},
                         {"waiting_ns", orNull(row.waitingNs)}});
    for (const RankCommunication &row : job.communication)
        calls.push_back({{"rank", row.rank},
                         {"call", row.sum.call},
                         {"kind", row.sum.kind},
                         {"file", row.sum.source.file},
                         {"line", row.sum.source.line},
                         {"count", row.sum.count},
                         {"bytes", row.sum.bytes},
                         {"total_ns", row.sum.totalNs},
                         {"waiting_ns", orNull(row.waitingNs)}});
    for (const RankFunctionRow &row : functionTable(job)) {
        nlohmann::json ns = nlohmann::json::array();
        for (const std::int64_t one : row.ns) ns.push_back(orNull(one));
        functions.push_back({{"name", row.name}, {"calls", row.calls}, {"ns", ns}});
    }
    const JobVerdict verdict = judge(job);
    return {{"ranks", ranks},
            {"communication", calls},
            {"functions", functions},
            {"slowest", verdict.slowest < 0 ? nlohmann::json() : nlohmann::json(job.ranks[static_cast<std::size_t>(verdict.slowest)].rank)},
            {"verdict", verdictSentence(job)}};
}

} // namespace profiler
