#include "profiler/memory/min_peak.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace profiler {

namespace {

constexpr std::size_t kMaxNodes = 64; // a state is a set of applies in one word

// Memory that is allocated by one apply and given back when its last reader has run.
struct Block {
    std::int64_t bytes = 0;
    std::uint64_t users = 0; // applies that read it or a view of it
    bool kept = false;       // never given back
};

struct Node {
    std::uint64_t needs = 0; // applies that must run before
    std::vector<std::size_t> made;
};

struct Search {
    std::vector<Node> nodes;
    std::vector<Block> blocks;
    std::unordered_map<std::uint64_t, std::int64_t> seen; // set of applies that ran → lowest peak so far
    std::int64_t best = 0;
    bool found = false;
    std::size_t left = 0; // states that may still be looked at

    void visit(std::uint64_t done, std::uint64_t live, std::int64_t bytes, std::int64_t peak);
};

void Search::visit(std::uint64_t done, std::uint64_t live, std::int64_t bytes, std::int64_t peak)
{
    if (found && peak >= best) return;
    const std::uint64_t all = nodes.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << nodes.size()) - 1;
    if (done == all) {
        best = peak;
        found = true;
        return;
    }
    if (left == 0) return;
    --left;
    const auto [entry, isNew] = seen.try_emplace(done, peak);
    if (!isNew && entry->second <= peak) return;
    entry->second = peak;
    struct Choice {
        std::size_t node;
        std::int64_t top;
        std::int64_t after;
    };
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (((done >> i) & 1) != 0 || (nodes[i].needs & ~done) != 0) continue;
        std::int64_t top = bytes;
        for (const std::size_t block : nodes[i].made) top += blocks[block].bytes;
        std::int64_t after = top;
        const std::uint64_t then = done | (std::uint64_t{1} << i);
        for (const Block &block : blocks)
            if (!block.kept && ((block.users >> i) & 1) != 0 && (block.users & ~then) == 0) after -= block.bytes;
        choices.push_back({i, top, after});
    }
    // What frees most first: a good order early lets most of the others be cut off.
    std::stable_sort(choices.begin(), choices.end(), [](const Choice &a, const Choice &b) { return a.after < b.after; });
    for (const Choice &choice : choices) visit(done | (std::uint64_t{1} << choice.node), live, choice.after, std::max(peak, choice.top));
}

} // namespace

MinimumPeak minimumPeak(std::span<const BufferRow> buffers, std::span<const ApplyInput> inputs, std::size_t maxStates)
{
    std::map<ApplyKey, std::size_t> nodeOf;
    std::unordered_map<std::uint32_t, const BufferRow *> byVariable;
    for (const BufferRow &row : buffers) {
        byVariable.emplace(raw(row.variable), &row);
        if (row.apply != kNoApply) nodeOf.try_emplace({row.graph, row.apply}, nodeOf.size());
    }
    if (nodeOf.size() > kMaxNodes) return {0, false};
    Search search;
    search.nodes.resize(nodeOf.size());
    search.left = maxStates;
    std::unordered_map<std::uint32_t, std::size_t> blockOf; // by root variable
    for (const BufferRow &row : buffers)
        if (row.apply != kNoApply && row.kind == BufferKind::Created) {
            blockOf[raw(row.variable)] = search.blocks.size();
            search.nodes[nodeOf.at({row.graph, row.apply})].made.push_back(search.blocks.size());
            search.blocks.push_back({row.bytes, 0, true});
        }
    const auto rootOf = [&](VariableId variable) {
        for (std::size_t steps = 0; steps <= byVariable.size(); ++steps) {
            const auto found = byVariable.find(raw(variable));
            if (found == byVariable.end() || found->second->of == kNoVariable) break;
            variable = found->second->of;
        }
        return variable;
    };
    std::set<std::uint32_t> read;
    for (const ApplyInput &input : inputs) {
        const auto reader = nodeOf.find({input.graph, input.apply});
        const auto made = byVariable.find(raw(input.variable));
        if (reader == nodeOf.end() || made == byVariable.end()) continue;
        read.insert(raw(input.variable));
        if (made->second->apply != kNoApply)
            if (const auto maker = nodeOf.find({made->second->graph, made->second->apply});
                maker != nodeOf.end() && maker->second != reader->second)
                search.nodes[reader->second].needs |= std::uint64_t{1} << maker->second;
        if (const auto block = blockOf.find(raw(rootOf(input.variable))); block != blockOf.end())
            search.blocks[block->second].users |= std::uint64_t{1} << reader->second;
    }
    for (Block &block : search.blocks) block.kept = block.users == 0;
    for (const BufferRow &row : buffers) // an output that nobody reads keeps the memory that it looks into
        if (row.apply != kNoApply && !read.contains(raw(row.variable)))
            if (const auto block = blockOf.find(raw(rootOf(row.variable))); block != blockOf.end())
                search.blocks[block->second].kept = true;
    search.visit(0, 0, 0, 0);
    return {search.best, search.left > 0};
}

} // namespace profiler
