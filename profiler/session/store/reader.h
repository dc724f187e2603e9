#pragma once
// Reads a session, also while it is being written. Every method may throw SessionError (damaged file) and sees the session as it
// was at one moment. Tables that only grow are read from where one stood: the first `skip` rows are known.
// A reader belongs to one thread at a time; another thread opens its own.

#include "profiler/session/codec/body_rows.h"
#include "profiler/session/codec/chains.h"
#include "profiler/session/codec/rows_of_graphs.h"
#include "profiler/session/model/model.h"
#include "profiler/session/model/model_values.h"
#include "profiler/session/store/replica.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace profiler {

class Database;

// What the tables hold of some graphs, by graph; each table read once.
struct GraphRows {
    RowsOfGraphs<ApplyRow> applies;
    std::vector<ApplyInput> inputs; // of optimized graphs, by graph, apply, port
    RowsOfGraphs<VariableRow> variables;
    RowsOfGraphs<SourceLink> sources;
    RowsOfGraphs<ChainShare> chains;
    RowsOfGraphs<VariableChain> variableChains;
    RowsOfGraphs<OriginRow> origins;
    std::vector<PassInfo> passes;
    std::vector<PassRewrite> passRewrites;
    std::vector<RewriteCount> rewriteCounts;
    RowsOfGraphs<Decline> declines;
    std::vector<GroupMember> groupMembers;
    std::vector<Step> steps;        // with WithSteps::Yes
    std::vector<PackedBody> bodies; // with Bodies::Packed
};
enum class WithSteps : std::uint8_t { No, Yes };
// Of Composites there may be thousands, whose bodies few ask for: with rows like other graphs, or as what makes these.
enum class Bodies : std::uint8_t { AsRows, Packed };

// What a graph reads as it was built, by its first step: of its applies and, with kNoApply, what it returns.
void addOriginalInputs(const Step &first, std::vector<ApplyInput> &all);

class SessionReader {
public:
    // Read only; immutable when the session is finished. Throws SessionError when it is no session,
    // was written by a newer major version, or is damaged.
    [[nodiscard]] static std::unique_ptr<SessionReader> open(const std::string &path);
    ~SessionReader();

    // Changes whenever a writer committed something; cheap enough to ask ten times a second.
    [[nodiscard]] std::uint64_t dataVersion();

    [[nodiscard]] SessionInfo info();
    [[nodiscard]] ScriptInfo script();
    [[nodiscard]] std::vector<SourceFile> sources(); // by file
    [[nodiscard]] std::size_t sourceCount();
    [[nodiscard]] std::vector<Flag> flags();
    [[nodiscard]] std::vector<NameValue> machine();
    [[nodiscard]] std::vector<Roof> roofs();
    [[nodiscard]] std::vector<DeviceInfo> devices();
    [[nodiscard]] std::vector<Clock> clocks();

    [[nodiscard]] std::vector<FunctionInfo> functions(); // in the order of creation
    [[nodiscard]] std::vector<GraphInfo> graphs();       // all, nested ones too
    [[nodiscard]] GraphRows graphRows(std::span<const GraphInfo> graphs, WithSteps withSteps, Bodies bodies = Bodies::AsRows);
    [[nodiscard]] GraphRows graphRows(GraphId graph);
    [[nodiscard]] GraphRows graphRows(); // of all graphs

    // Those that were read with the rows last.
    [[nodiscard]] std::shared_ptr<const StringTable> texts() const { return m_strings; }
    [[nodiscard]] std::shared_ptr<const Chains> chains() const { return m_chains; } // never null
    [[nodiscard]] std::vector<StepInfo> steps(GraphId graph);                       // [0] is the import
    [[nodiscard]] GraphReplica replica(GraphId graph);                              // at step 0
    [[nodiscard]] GraphDocuments documents(GraphId graph);                          // of a function's own graph
    // Of rows that were read.
    [[nodiscard]] GraphReplica replica(GraphId graph, std::vector<Step> steps, std::vector<ApplyGroup> groups);
    // What the original graphs read: of their applies, and, with kNoApply, what they return. Not of bodies of Composites.
    [[nodiscard]] std::vector<ApplyInput> originalInputs(std::span<const GraphInfo> graphs);
    [[nodiscard]] std::vector<RewriteInfo> rewrites();

    // Of one function, or of all.
    [[nodiscard]] std::vector<Kernel> kernels(FunctionId function = kNoFunction);
    [[nodiscard]] std::size_t kernelCount();
    [[nodiscard]] std::vector<PlanInfo> plans(FunctionId function = kNoFunction);
    [[nodiscard]] std::vector<PlanItem> planItems(FunctionId function = kNoFunction);
    [[nodiscard]] std::vector<BufferRow> buffers(FunctionId function = kNoFunction);

    [[nodiscard]] std::vector<ApplyStats> applyStats();
    [[nodiscard]] std::vector<Lane> lanes();
    [[nodiscard]] std::vector<Event> events(std::size_t skip = 0);
    [[nodiscard]] std::vector<Transfer> transfers();
    [[nodiscard]] std::vector<DeviceWork> deviceWork();
    [[nodiscard]] std::vector<DeviceKernel> deviceKernels();
    [[nodiscard]] std::vector<HostUse> hostUses();
    [[nodiscard]] std::vector<Communication> communication(); // most time first
    [[nodiscard]] std::vector<Collective> collectives();
    [[nodiscard]] Job job();
    // Single calls and applies in the steady state, as far as they were kept: what tests of a difference need.
    [[nodiscard]] std::vector<Event> steadySamples(std::span<const FunctionInfo> functions);
    [[nodiscard]] std::vector<MemoryEvent> memoryEvents(std::size_t skip = 0);

    [[nodiscard]] std::vector<CapturedFunction> capturedFunctions();
    [[nodiscard]] std::vector<CapturedCall> capturedCalls();   // by function and call
    [[nodiscard]] std::vector<CapturedValue> capturedValues(); // by function, call, role and position
    [[nodiscard]] std::vector<AblationRow> ablations();        // by function, call, what was left out, and position
    [[nodiscard]] std::vector<TrialRow> trials();              // how these tables came about
    [[nodiscard]] std::vector<AlongRow> alongSteps();          // by function, call and step
    // The bytes of an array, checked against its key. Throws SessionError when it is not there or damaged.
    [[nodiscard]] std::vector<std::uint8_t> capturedArray(const std::string &key);

    [[nodiscard]] std::vector<OutputText> outputs(std::size_t skip = 0);
    [[nodiscard]] std::vector<Message> messages(std::size_t skip = 0);
    [[nodiscard]] std::vector<Check> checks(std::size_t skip = 0);
    // By function, call and side, each in its order.
    [[nodiscard]] std::vector<ValueRow> values();
    [[nodiscard]] std::vector<ValueNote> valueNotes();
    [[nodiscard]] std::vector<Drop> drops();
    [[nodiscard]] std::string whyDropped(const std::string &what); // empty when none of it was

private:
    explicit SessionReader(std::unique_ptr<Database> database, std::string path);
    // All rows that the tail ("WHERE … ORDER BY …") chooses, and those of a table that only grows.
    template <class Described, class... Args>
    std::vector<Described> rows(const std::string &tail, const Args &...args);
    template <class Described, class Take, class... Args>
    void eachRow(const std::string &tail, Take take, const Args &...args);
    template <class Described>
    std::vector<Described> rowsAfter(std::size_t skip);
    std::size_t count(const char *table);
    std::shared_ptr<const StringTable> strings();
    void readChains();
    std::string whereCutOff(const SessionInfo &info, const std::string &reason);

    std::unique_ptr<Database> m_database;
    std::string m_path;
    std::string m_temporaryCopy; // of a live file in a folder that cannot be written
    std::shared_ptr<const StringTable> m_strings;
    std::shared_ptr<const Chains> m_chains = std::make_shared<const Chains>();
};

// What steps made of the applies of their regions, by step and apply.
[[nodiscard]] std::vector<LineageRow> lineageOf(std::span<const Step> steps);

// The groups of one graph: those that its rewriting made, and what its plans ran as one.
[[nodiscard]] std::vector<ApplyGroup> groupsOf(std::span<const GroupMember> members, std::span<const PlanItem> items);

[[nodiscard]] inline GraphId graphOf(const Step &step) { return step.info.graph; }
template <class Row>
[[nodiscard]] GraphId graphOf(const Row &row)
{
    return row.graph;
}

// Rows of several graphs, by graph.
template <class Row>
[[nodiscard]] std::unordered_map<GraphId, std::vector<Row>> byGraph(std::vector<Row> rows)
{
    std::unordered_map<GraphId, std::vector<Row>> of;
    for (Row &row : rows) of[graphOf(row)].push_back(std::move(row));
    return of;
}

// One sentence for an error or a warning strip; empty when the session ended well.
[[nodiscard]] std::string sessionWarning(const SessionInfo &info);

} // namespace profiler
