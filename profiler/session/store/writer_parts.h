#pragma once
// What SessionWriter::Impl is made of. Its mutex guards all of these but KeptSoFar and Refresh.

#include "profiler/session/store/tables.h"
#include "profiler/session/store/writer.h"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace profiler {

/// Commands for the writing thread, and the flushes that wait for them.
class CommandQueue {
public:
    using Command = std::function<void(Tables &)>;
    struct Queued {
        Command command;
        std::size_t bytes;
    };
    struct Batch {
        std::vector<Queued> commands;
        std::size_t bytes = 0;
        bool isAll = false; ///< the queue is empty now
    };

    void push(Command command, std::size_t bytes);
    /// With what is being written.
    std::size_t bytes() const { return m_bytes; }
    /// Number of batches that are written.
    std::uint64_t batches() const { return m_batches; }
    /// The disk let a caller wait in vain, and nothing was written since.
    bool isStalled() const { return m_isStalled; }
    void setStalled(bool isStalled) { m_isStalled = isStalled; }

    /// Returns the number of a flush: it is done when everything that was pushed before it is written.
    std::uint64_t flush() { return ++m_flushWanted; }
    bool isFlushed(std::uint64_t flush) const { return m_flushDone >= flush; }
    bool hasFlush() const { return m_flushWanted != m_flushDone; }
    /// The next batch answers the flushes until now. Called before the last rows of theirs are pushed.
    void noteFlushes() { m_flushNoted = m_flushWanted; }
    Batch take(std::size_t mostBytes);
    void setWritten(std::size_t bytes);

private:
    std::deque<Queued> m_queue;
    std::size_t m_bytes = 0;
    std::uint64_t m_batches = 0;
    bool m_isStalled = false;
    std::uint64_t m_flushWanted = 0, m_flushNoted = 0, m_flushAnswered = 0, m_flushDone = 0;
    std::size_t m_ahead = 0; ///< commands before the flush that is being answered
};

/// What the session does without, and why.
class LeftOut {
public:
    void count(const std::string &what, std::int64_t count, const std::string &reason);
    bool hasNew() const { return m_hasNew; }
    /// All counts if one of them is new, else none.
    std::map<std::string, Drop> takeNew();
    /// A step of this graph was dropped: none may follow it.
    void cut(GraphId graph) { m_cut.insert(graph); }
    bool isCut(GraphId graph) const { return m_cut.count(graph) > 0; }

private:
    std::map<std::string, Drop> m_drops;
    bool m_hasNew = false;
    std::set<GraphId> m_cut;
};

/// The numbers of texts and of lines with their callers.
class Numbers {
public:
    struct Rows {
        std::vector<NumberedText> texts;
        std::vector<ChainFacts> chains;
    };
    StringId ofText(std::string_view text);
    ChainId ofChain(ChainId caller, const SourceRef &line, StringId function);
    bool hasNew() const { return !m_new.texts.empty() || !m_new.chains.empty(); }
    /// Those that are not written yet.
    Rows takeNew() { return std::exchange(m_new, {}); }

private:
    std::unordered_map<std::string, std::uint32_t> m_texts;
    std::map<std::tuple<ChainId, SourceRef, StringId>, ChainId> m_chains;
    Rows m_new;
};

/// Where the recorded program is.
class LastProgress {
public:
    void set(const Progress &progress);
    /// The last one, and whether it is new.
    std::pair<Progress, bool> take() { return {m_progress, std::exchange(m_isNew, false)}; }

private:
    Progress m_progress{.activity = "script"};
    bool m_isNew = false;
};

/// What finish() was called with.
struct WantedEnd {
    bool isWanted = false;
    int exitStatus = -1;
    std::optional<std::int64_t> ns; ///< of what is recorded; nothing: the end of all
    std::string reason = "the process ended early";
};

/// How many rows are kept of what has a limit.
struct KeptSoFar {
    std::atomic<bool> isFull{false}; ///< the size limit of the file is reached
    std::atomic<std::size_t> events{0};
    std::atomic<std::size_t> memoryEvents{0};
    std::atomic<std::size_t> collectives{0};
    std::atomic<std::size_t> messages{0};
    std::atomic<std::size_t> declines{0};
    std::atomic<std::size_t> stepBytes{0};

    /// How many of `wanted` fit below the limit; they are kept.
    std::size_t add(std::atomic<std::size_t> &used, std::size_t wanted, std::size_t limit) const;
};

/// Asks the recorder for its sums before a batch. If an answer takes long it is asked less often: a fifth of the thread's time at most.
class Refresh {
public:
    void set(std::function<void(SessionWriter &)> ask);
    void run(SessionWriter &writer, bool isLast);
    /// How long the last batch took to write.
    void setCost(std::int64_t ns) { m_costNs = ns; }

private:
    std::mutex m_mutex; // guards m_ask, and is held while it runs
    std::function<void(SessionWriter &)> m_ask;
    std::int64_t m_costNs = 0, m_lastNs = 0; // the thread's own
};

} // namespace profiler
