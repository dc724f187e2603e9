#pragma once
// Writes a session from a background thread. Any thread may call any method, with any lock held; none waits for the disk
// unless maxQueuedBytes are waiting. Where the disk takes nothing at all for seconds, what comes then is dropped and
// counted. A process that is killed loses at most the last 200 ms.
// The child of a fork records nothing: every method may be called there and does nothing.
// When the disk fails, the run goes on: onError is called once with one sentence, and the rest is dropped.

#include "profiler/session/model/model.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

struct WriterOptions {
    std::int64_t commitEveryMs = 100;
    std::size_t maxEvents = 100'000; // calls, applies, kernels, copies
    std::size_t maxMemoryEvents = 50'000;
    std::size_t maxCollectives = 50'000;
    std::size_t maxOutputBytes = 4u << 20; // stdout and stderr together
    std::size_t maxMessages = 10'000;
    std::size_t maxDeclines = 1'000'000;   // of all graphs
    std::size_t maxStepBytes = 256u << 20; // edits of all graphs
    std::size_t maxSourceBytes = 8u << 20; // of one file
    std::size_t maxFileBytes = 2048u << 20;
    std::size_t maxQueuedBytes = 64u << 20;            // handed over and not written yet
    std::int64_t patienceMs = 5'000;                   // for a disk that takes nothing, before callers go on without it
    bool forceStaging = false;                         // write under $TMPDIR whatever the file system is
    std::function<void(const SessionError &)> onError; // called once, from the writing thread
};

struct SessionStart {
    std::string crotonVersion;
    std::string label;
    std::string command;
    ScriptInfo script;
};

class SessionWriter {
public:
    // Throws SessionError when the file cannot be made: the caller says so and runs on without.
    // On a network file system the session is written under $TMPDIR and moved to `path` at the end.
    [[nodiscard]] static std::unique_ptr<SessionWriter> create(const std::string &path, const SessionStart &start,
                                                               WriterOptions options = {});
    // Closes as finish(-1, "the process ended early") when finish was not called.
    ~SessionWriter();

    [[nodiscard]] const std::string &path() const; // where it is being written
    [[nodiscard]] std::int64_t nowNs() const;      // since the start of the session
    [[nodiscard]] std::int64_t toSessionNs(std::int64_t steadyClockNs) const;

    // The same text always gives the same id.
    [[nodiscard]] StringId intern(std::string_view text);
    // The same line with the same caller always gives the same chain. kNoChain: nothing called it.
    [[nodiscard]] ChainId chainOf(ChainId caller, const SourceRef &line, StringId function);

    // The writing thread does it when what was handed over before is in the file. It may call the methods of this writer:
    // what it hands over follows at once. It must not wait for a lock, as onRefresh says.
    void later(std::function<void(SessionWriter &)> work, std::size_t bytes);

    void setMeta(const std::string &key, const std::string &value);
    void setFlags(std::vector<Flag> flags);
    void setMachine(std::vector<NameValue> machine);
    void setEnvironment(); // takes what the white list names
    void setRoofs(std::vector<Roof> roofs);
    void setDevices(std::vector<DeviceInfo> devices);
    void setClocks(std::vector<Clock> clocks);
    void addSource(SourceFile source);
    void addRewrites(std::vector<RewriteInfo> rewrites);

    // Functions and graphs are replaced when written again with the same id.
    void setFunction(FunctionInfo function);
    void setGraph(GraphInfo graph);
    void addSteps(std::vector<StepFacts> steps);
    void addPasses(std::vector<PassInfo> passes, std::vector<PassRewrite> rewrites);
    void setRewriteCounts(std::vector<RewriteCount> rows);
    // Replaces what is known about these nodes.
    void setApplies(std::vector<ApplyFacts> rows);
    // All of a graph at once: they take the place of what was known.
    void setApplyCosts(std::vector<CostFacts> rows);
    void setApplyGroups(GraphId graph, std::vector<ApplyGroup> groups);
    void setVariables(std::vector<VariableFacts> rows);
    void setVariableSizes(std::vector<VariableSize> rows);
    void addBodies(std::vector<BodyFacts> bodies);
    void setLineShares(std::vector<LineShare> rows);
    void setChainShares(std::vector<ChainShare> rows);
    void setVariableChains(std::vector<VariableChain> rows);
    void setDocuments(GraphDocuments documents);
    void setDeclineReasons(std::vector<DeclineReason> reasons);
    void addDeclines(std::vector<Decline> samples);
    // False: no more of them fit.
    bool addLastDeclines(std::vector<LastDeclines> rows);
    void addKernels(std::vector<Kernel> kernels);
    void setPlan(PlanInfo plan, std::vector<PlanItem> items, std::vector<BufferRow> buffers);

    // How often a plan was used and how much it was seen to need, when that is known better.
    void setPlanUse(const PlanInfo &plan);

    // Aggregates: the caller keeps the totals, the table shows the last ones handed over.
    void setCalls(FunctionId function, const FunctionCalls &calls);
    void setApplyStats(std::vector<ApplyStats> stats);
    void setTransfers(std::vector<Transfer> transfers);
    void setDeviceWork(std::vector<DeviceWork> work);
    void addHostUses(std::vector<HostUse> uses);
    void setDeviceKernels(std::vector<DeviceKernel> kernels);
    void setCommunication(std::vector<Communication> rows);
    // Called by the writing thread before each commit, so that aggregates are at most 200 ms old. It may
    // call setCalls, setApplyStats, setTransfers, setProgress, addEvents. Pass {} before what it reads
    // dies; on return it does not run any more. It must not wait for a lock: whoever holds it may wait for room in the
    // queue, which only this thread makes.
    void onRefresh(std::function<void(SessionWriter &)> refresh);

    void setCapturedFunction(CapturedFunction function);
    // False: an array of this content is there or on its way already.
    // It counts as nothing in the queue: what is captured has a limit of its own.
    bool addCapturedArray(const std::string &key, std::shared_ptr<const std::vector<std::uint8_t>> bytes, std::size_t elementBytes);
    void addCapturedCall(CapturedCall call, std::vector<CapturedValue> values);
    // Its rows go; arrays that no row names any more go at the end.
    void removeCapturedCall(FunctionId function, std::int64_t call);

    void addLanes(std::vector<Lane> lanes);
    void addEvents(std::vector<Event> events);
    void addCollectives(std::vector<Collective> collectives);
    void addMemoryEvents(std::vector<MemoryEvent> events);
    void addOutput(int stream, std::string_view text);
    void addMessage(Message message);
    void addCheck(Check check);
    void countDrop(const std::string &what, std::int64_t count, const std::string &reason);
    void setProgress(const Progress &progress);

    // Waits until everything handed over so far is on disk.
    void flush();
    // Writes the rest, checkpoints, leaves one file that any reader opens. Idempotent. What took place after `endNs` was not the script's.
    void finish(int exitStatus, const std::string &endReason = {}, std::optional<std::int64_t> endNs = {});

private:
    struct Impl;
    explicit SessionWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace profiler
