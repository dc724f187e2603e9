#pragma once

#include "profiler/session/model/model.h"
#include "profiler/session/store/replica.h"
#include "profiler/stats/advice/digits.h"
#include "profiler/stats/machine/costs.h"
#include "profiler/stats/times/profile_data.h"
#include "profiler/stats/times/trace.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

namespace profiler {
class SessionReader;
}

namespace views {

/// What views make of something that never changes, once for all who ask: `Made` has a constructor from it. The first who
/// asks pays, which is the reading thread for a view whose row of the table says `prepare`. Who asks for something else meanwhile
/// does not wait.
template <class Whole>
class Derived {
public:
    template <class Made>
    const Made &of(const Whole &whole) const
    {
        Entry &entry = entryOf(typeid(Made));
        const std::lock_guard lock(entry.mutex);
        if (!entry.made) entry.made = std::make_shared<const Made>(whole);
        return *static_cast<const Made *>(entry.made.get());
    }

private:
    struct Entry {
        std::mutex mutex; // guards made
        std::shared_ptr<const void> made;
    };
    Entry &entryOf(std::type_index type) const
    {
        const std::lock_guard lock(m_mutex);
        return m_entries[type];
    }
    mutable std::mutex m_mutex; // guards m_entries
    mutable std::map<std::type_index, Entry> m_entries;
};

/// Rows that others hold, too: a graph has those of the profile.
template <class Row>
class SharedRows {
public:
    SharedRows() = default;
    SharedRows(std::shared_ptr<const std::vector<Row>> rows) : m_rows(std::move(rows)) {}
    SharedRows(std::vector<Row> rows) : m_rows(std::make_shared<const std::vector<Row>>(std::move(rows))) {}

    const std::vector<Row> &all() const { return *m_rows; }
    operator const std::vector<Row> &() const { return *m_rows; }
    auto begin() const { return m_rows->begin(); }
    auto end() const { return m_rows->end(); }
    std::size_t size() const { return m_rows->size(); }
    bool empty() const { return m_rows->empty(); }
    const Row &operator[](std::size_t at) const { return (*m_rows)[at]; }
    const Row &at(std::size_t at) const { return m_rows->at(at); }
    const Row &front() const { return m_rows->front(); }
    const Row &back() const { return m_rows->back(); }

private:
    std::shared_ptr<const std::vector<Row>> m_rows = std::make_shared<const std::vector<Row>>();
};

/// One graph with all that the views ask of it, by id. Immutable once made.
struct GraphData {
    profiler::GraphInfo info;
    SharedRows<profiler::ApplyRow> applies; ///< those of a body in the order of execution, others by id
    SharedRows<profiler::VariableRow> variables;
    SharedRows<profiler::StepInfo> steps; ///< [0] is the import
    std::vector<profiler::PassInfo> passes;
    std::vector<profiler::PassRewrite> passRewrites;
    std::vector<profiler::LineageRow> lineage;
    SharedRows<profiler::OriginRow> origins;
    SharedRows<profiler::SourceLink> sourceLinks;
    SharedRows<profiler::ChainShare> chainShares; ///< by apply
    SharedRows<profiler::VariableChain> variableChains;
    std::shared_ptr<const profiler::Chains> chains = std::make_shared<const profiler::Chains>();
    SharedRows<profiler::Decline> declines;
    std::shared_ptr<const profiler::GraphReplica> replica; ///< as written; copy it to move it
    std::shared_ptr<const profiler::GraphReplica> final;   ///< after the last step; knows every node there ever was

    const profiler::ApplyRow *apply(std::int64_t id) const;
    const profiler::VariableRow *variable(std::int64_t id) const;

    template <class Made>
    const Made &derived() const
    {
        return m_derived.of<Made>(*this);
    }

private:
    Derived<GraphData> m_derived;
};

class Links;
class BodyGraph;

/// A snapshot of a session. Made in the reading thread, shared with the views, never changed.
struct SessionData : std::enable_shared_from_this<SessionData> {
    std::uint64_t version = 0;
    profiler::SessionInfo info;
    std::string warning; ///< one sentence for a strip, e.g. where it was cut off
    profiler::ScriptInfo script;
    std::vector<profiler::SourceFile> sources;
    std::vector<profiler::Flag> flags;
    std::vector<profiler::NameValue> machine;
    std::vector<profiler::DeviceInfo> devices;
    std::vector<profiler::FunctionInfo> functions;
    /// But for bodies of Composites: there may be thousands, and few are ever looked at.
    std::map<profiler::GraphId, std::shared_ptr<const GraphData>> graphs;
    std::map<profiler::GraphId, std::shared_ptr<const Links>> links;      ///< of each of them
    std::map<profiler::GraphId, std::shared_ptr<const BodyGraph>> bodies; ///< those bodies
    profiler::ProfileData profile;                                        ///< what profiler/stats computes from
    std::shared_ptr<const profiler::Costs> costs;
    std::shared_ptr<const profiler::Trace> trace; ///< single events, in time
    std::vector<profiler::RewriteInfo> rewrites;
    std::vector<profiler::Message> messages;
    /// What the script printed; never null.
    std::shared_ptr<const std::vector<profiler::OutputText>> outputs = std::make_shared<const std::vector<profiler::OutputText>>();
    std::vector<profiler::Drop> drops;
    std::vector<profiler::ValuesOfSide> values; ///< of calls that `croton values` looked at
    std::map<profiler::FunctionId, std::vector<profiler::Kernel>> kernels;
    std::size_t kernelCount = 0; ///< of all functions
    /// Whether what views make of it in the reading thread is made: until then asking for it would take its time.
    mutable std::atomic<bool> isPrepared = true;

    /// Whether it was ever run: else it is only the script.
    bool isRecorded() const { return !info.path.empty(); }
    const profiler::FunctionInfo *function(std::int64_t id) const;
    /// Any graph, also a body; null when it is not there yet.
    std::shared_ptr<const GraphData> graph(profiler::GraphId id) const;
    std::shared_ptr<const Links> linksOf(profiler::GraphId id) const;
    /// The graph of a function, or a nested one; null when it is not there yet.
    std::shared_ptr<const GraphData> graphOf(std::int64_t function, std::int64_t nested = -1) const;
    /// The function that took most time: what a person wants to see first; null when there is none.
    const profiler::FunctionInfo *busiestFunction() const;
    /// Files whose text is kept, the script first.
    std::vector<std::string> sourceFiles() const;
    std::string sourceText(const std::string &file) const;
    std::string machineValue(const std::string &name) const;
    const profiler::RewriteInfo *rewrite(const std::string &name) const;

    template <class Made>
    const Made &derived() const
    {
        return m_derived.of<Made>(*this);
    }

private:
    Derived<SessionData> m_derived;
};

/// Reads everything; graphs that did not change are taken from `last`. Throws SessionError.
std::shared_ptr<const SessionData> readSession(profiler::SessionReader &reader, const SessionData *last);

} // namespace views
