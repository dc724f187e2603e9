// walk_session FILE [MOST]: steps through every graph of a session forth and back and compares canonical dumps; checks that
// every original apply has one fate and every optimized one an origin. Exit 1 and a sentence when something differs.
// Of a graph with more than MOST steps only as many are compared, evenly spread; all are walked.
#include "profiler/session/store/reader.h"
#include "tests/profiler/session/dump.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace profiler;

namespace {

int g_failures = 0;

void expect(bool condition, const std::string &what)
{
    if (condition) return;
    ++g_failures;
    std::fprintf(stderr, "walk_session: %s\n", what.c_str());
}

void walk(SessionReader &reader, const GraphInfo &graph, int mostCompared)
{
    const std::string name = "graph " + std::to_string(raw(graph.id)) + " (" + graph.label + ")";
    GraphReplica replica = reader.replica(graph.id);
    expect(replica.stepCount() == graph.stepCount, name + ": the number of steps differs from what the session says");
    const int last = replica.stepCount();
    const int stride = std::max(1, last / mostCompared);
    const auto compared = [&](int step) { return step % stride == 0 || step == last; };
    std::map<int, std::string> dumps;
    for (int step = 0; step <= last; ++step) {
        replica.goTo(step);
        if (compared(step)) dumps[step] = canonicalDump(replica);
    }
    for (int step = last; step-- > 0;) {
        replica.goTo(step);
        if (compared(step))
            expect(canonicalDump(replica) == dumps[step], name + ": going back to step " + std::to_string(step) + " gives another graph");
    }
    replica.goTo(last);
    expect(canonicalDump(replica) == dumps[last], name + ": the second way forth gives another graph");

    if (graph.kind == GraphKind::Composite) return;
    std::set<std::uint32_t> withOrigin;
    for (const OriginRow &origin : reader.graphRows(graph.id).origins) withOrigin.insert(raw(origin.apply));
    std::set<std::uint32_t> live;
    for (ApplyId id : replica.applies()) live.insert(raw(id));
    std::size_t optimized = 0;
    for (const ApplyRow &row : reader.graphRows(graph.id).applies) {
        const std::string node = name + ", apply " + std::to_string(raw(row.apply)) + " " + row.op;
        if (row.inOptimized) {
            ++optimized;
            expect(live.count(raw(row.apply)) == 1, node + " is not in the replayed optimized graph");
            expect(withOrigin.count(raw(row.apply)) == 1, node + " has no origin");
        }
        if (row.inOriginal && row.fate == Fate::Kept) expect(row.inOptimized, node + " is kept but gone");
        if (row.inOriginal && row.inOptimized) expect(row.fate == Fate::Kept, node + " is there but not kept");
    }
    expect(optimized == live.size(),
           name + ": the optimized graph has " + std::to_string(live.size()) + " applies, the table " + std::to_string(optimized));
}

} // namespace

int main(int argc, char **argv)
{
    const int mostCompared = argc == 3 ? std::atoi(argv[2]) : std::numeric_limits<int>::max();
    if (argc < 2 || argc > 3 || mostCompared < 1) {
        std::fprintf(stderr, "usage: walk_session FILE.croton [MOST]\n");
        return 2;
    }
    try {
        const auto reader = SessionReader::open(argv[1]);
        const std::vector<GraphInfo> graphs = reader->graphs();
        for (const GraphInfo &graph : graphs) walk(*reader, graph, mostCompared);
        std::printf("%zu graphs walked forth and back\n", graphs.size());
        expect(!graphs.empty(), "there is no graph in the session");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "walk_session: %s\n", error.what());
        return 1;
    }
    return g_failures ? 1 : 0;
}
