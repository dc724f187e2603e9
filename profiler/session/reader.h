#pragma once
// Reads a session, also while it is being written. Every method may throw SessionError (damaged
// file) and holds its transaction under 50 ms for sessions within the size limits.
// A reader belongs to one thread at a time; another thread opens its own.

#include "profiler/session/model.h"
#include "profiler/session/replica.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace profiler {

class Database;
struct Body;

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
    [[nodiscard]] std::vector<SourceFile> sources();
    [[nodiscard]] std::vector<Flag> flags();
    [[nodiscard]] std::vector<NameValue> environment();
    [[nodiscard]] std::vector<NameValue> machine();
    [[nodiscard]] std::vector<Roof> roofs();
    [[nodiscard]] std::vector<DeviceInfo> devices();
    [[nodiscard]] std::vector<Clock> clocks();

    [[nodiscard]] std::vector<FunctionInfo> functions(); // in the order of creation
    [[nodiscard]] std::vector<GraphInfo> graphs();       // all, nested ones too
    [[nodiscard]] std::vector<ApplyRow> applies(GraphId graph);
    [[nodiscard]] std::vector<ApplyRow> applies();       // of all graphs
    [[nodiscard]] std::vector<ApplyInput> applyInputs(); // of all optimized graphs, by graph, apply, port
    // Of one graph, or of all.
    [[nodiscard]] std::vector<ApplyGroup> applyGroups(GraphId graph);
    [[nodiscard]] std::vector<ApplyGroup> applyGroups();
    [[nodiscard]] std::vector<VariableRow> variables(GraphId graph);
    [[nodiscard]] std::vector<VariableRow> variables(); // of all graphs

    [[nodiscard]] std::vector<StepInfo> steps(GraphId graph); // [0] is the import
    [[nodiscard]] std::vector<PassInfo> passes(GraphId graph);
    [[nodiscard]] std::vector<PassRewrite> passRewrites(GraphId graph);
    [[nodiscard]] std::vector<RewriteCount> rewriteCounts(GraphId graph);
    [[nodiscard]] GraphReplica replica(GraphId graph); // at step 0
    [[nodiscard]] std::vector<GraphReplica> bodies();  // of all Composites, which have no other step
    void extend(GraphReplica &replica);                // with the steps that were written since; it stays where it is
    // Steps behind `afterStep` with their edits.
    [[nodiscard]] std::vector<Step> stepsAfter(GraphId graph, int afterStep);
    [[nodiscard]] std::vector<LineageRow> lineage(GraphId graph);
    // Of one graph, or of all.
    [[nodiscard]] std::vector<OriginRow> origins(GraphId graph);
    [[nodiscard]] std::vector<OriginRow> origins();
    [[nodiscard]] std::vector<SourceLink> sourceLinks(GraphId graph);
    [[nodiscard]] std::vector<SourceLink> sourceLinks();
    [[nodiscard]] std::vector<RewriteInfo> rewrites();
    [[nodiscard]] std::vector<DeclineReason> declineReasons(GraphId graph);
    [[nodiscard]] std::vector<Decline> declines(GraphId graph);

    [[nodiscard]] std::vector<Kernel> kernels(FunctionId function);
    [[nodiscard]] std::vector<PlanInfo> plans(FunctionId function);
    [[nodiscard]] std::vector<PlanItem> planItems(FunctionId function);
    [[nodiscard]] std::vector<BufferRow> buffers(FunctionId function);

    [[nodiscard]] std::vector<ApplyStats> applyStats();
    [[nodiscard]] std::vector<Lane> lanes();
    // Those that overlap [fromNs, toNs), ordered by start, at most `limit`.
    [[nodiscard]] std::vector<Event> events(std::int64_t fromNs, std::int64_t toNs, std::size_t limit);
    [[nodiscard]] std::vector<Transfer> transfers();
    [[nodiscard]] std::vector<DeviceKernel> deviceKernels();
    // Single calls and applies in the steady state, as far as they were kept: what tests of a difference need.
    [[nodiscard]] std::vector<Event> steadySamples();
    [[nodiscard]] std::vector<MemoryEvent> memoryEvents();

    [[nodiscard]] std::vector<OutputText> outputs(std::size_t skip = 0); // the first `skip` are known
    [[nodiscard]] std::vector<Message> messages(std::size_t skip = 0);
    [[nodiscard]] std::vector<Check> checks();
    [[nodiscard]] std::vector<Drop> drops();
    [[nodiscard]] std::string whyDropped(const std::string &what); // empty when none of it was

private:
    explicit SessionReader(std::unique_ptr<Database> database, std::string path);
    std::shared_ptr<const StringTable> strings();
    // Of one graph, or of all where it is kNoGraph.
    std::vector<ApplyRow> appliesOf(GraphId graph);
    std::vector<VariableRow> variablesOf(GraphId graph);
    std::vector<SourceLink> linksOf(GraphId graph);
    std::vector<Body> bodiesOf(GraphId graph);
    std::vector<OriginRow> originsOf(GraphId graph);
    std::vector<ApplyGroup> groupsWhere(const std::string &condition);
    std::string whereCutOff(const SessionInfo &info, const std::string &reason);

    std::unique_ptr<Database> m_database;
    std::string m_path;
    std::string m_temporaryCopy; // of a live file in a folder that cannot be written
    std::shared_ptr<const StringTable> m_strings;
};

// One sentence for an error or a warning strip; empty when the session ended well.
[[nodiscard]] std::string sessionWarning(const SessionInfo &info);

} // namespace profiler
