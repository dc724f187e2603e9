#pragma once
// The chains of calls that a session knows: lines of source, each as it was reached.

#include "profiler/session/model/model_graph.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace profiler {

class StringTable;

class Chains {
public:
    // The next ones by number, which have none left out: what does not fit is not taken.
    void add(const ChainFacts &next, const StringTable &texts);
    [[nodiscard]] std::size_t size() const { return m_calls.size(); }
    // False for kNoChain, and for what a damaged file names.
    [[nodiscard]] bool has(ChainId chain) const { return raw(chain) < m_calls.size(); }
    // Of those that it has. kNoChain: nothing called it.
    [[nodiscard]] ChainId callerOf(ChainId chain) const { return m_calls[raw(chain)].caller; }
    [[nodiscard]] const SharedText &functionOf(ChainId chain) const { return m_calls[raw(chain)].function; }
    [[nodiscard]] const SourceLine &lineOf(ChainId chain) const { return m_lines[m_calls[raw(chain)].line]; }
    // Which of the distinct lines it is.
    [[nodiscard]] std::uint32_t numberOf(ChainId chain) const { return m_calls[raw(chain)].line; }
    [[nodiscard]] const std::vector<SourceLine> &lines() const { return m_lines; }
    // Files in which a chain begins: those of the script itself.
    [[nodiscard]] bool beginsIn(const SharedText &file) const { return m_filesThatBegin.contains(file); }

private:
    struct Call {
        ChainId caller = kNoChain;
        std::uint32_t line = 0; // of m_lines
        SharedText function;
    };
    std::vector<Call> m_calls; // by number; callers come first
    std::vector<SourceLine> m_lines;
    std::unordered_map<std::uint64_t, std::uint32_t> m_known; // lines, by file and line
    std::unordered_set<SharedText> m_filesThatBegin;
};

// The distinct lines of one chain after the other.
class ChainWalk {
public:
    explicit ChainWalk(const Chains &chains) : m_chains(chains) {}
    // Calls take(number of a line) once for each, the innermost first, also where a function calls itself.
    template <class Take>
    void each(ChainId chain, Take take)
    {
        constexpr std::size_t kFew = 64;
        if (m_seen.bucket_count() > kFew) m_seen = {}; // to empty it would take as long as the longest chain
        else m_seen.clear();
        for (; m_chains.has(chain); chain = m_chains.callerOf(chain))
            if (m_seen.insert(m_chains.numberOf(chain)).second) take(m_chains.numberOf(chain));
    }

private:
    const Chains &m_chains;
    std::unordered_set<std::uint32_t> m_seen;
};

// Of rows of one graph: those of an apply.
[[nodiscard]] std::span<const ChainShare> chainsOf(const std::vector<ChainShare> &ofGraph, ApplyId apply);

} // namespace profiler
