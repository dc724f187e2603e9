// walk_session FILE: steps through every graph of a session forth and back and compares canonical dumps; checks that
// every original apply has one fate and every optimized one an origin. Exit 1 and a sentence when something differs.
#include "profiler/session/reader.h"

#include <cstdio>
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

void walk(SessionReader &reader, const GraphInfo &graph)
{
    const std::string name = "graph " + std::to_string(raw(graph.id)) + " (" + graph.label + ")";
    GraphReplica replica = reader.replica(graph.id);
    expect(replica.stepCount() == graph.stepCount, name + ": the number of steps differs from what the session says");
    std::vector<std::string> dumps{replica.canonicalDump()};
    for (int step = 1; step <= replica.stepCount(); ++step) {
        replica.goTo(step);
        dumps.push_back(replica.canonicalDump());
    }
    for (int step = replica.stepCount(); step-- > 0;) {
        replica.goTo(step);
        expect(replica.canonicalDump() == dumps[static_cast<std::size_t>(step)],
               name + ": going back to step " + std::to_string(step) + " gives another graph");
    }
    replica.goTo(replica.stepCount());
    expect(replica.canonicalDump() == dumps.back(), name + ": the second way forth gives another graph");

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
    if (argc != 2) {
        std::fprintf(stderr, "usage: walk_session FILE.croton\n");
        return 2;
    }
    try {
        const auto reader = SessionReader::open(argv[1]);
        const std::vector<GraphInfo> graphs = reader->graphs();
        for (const GraphInfo &graph : graphs) walk(*reader, graph);
        std::printf("%zu graphs walked forth and back\n", graphs.size());
        expect(!graphs.empty(), "there is no graph in the session");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "walk_session: %s\n", error.what());
        return 1;
    }
    return g_failures ? 1 : 0;
}
