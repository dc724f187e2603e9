// Observes the engine and writes a session. One recorder per process; it lives until finish().
// The child of a fork is not observed: what it does belongs to no session.
#pragma once

#include "engine/compile/request/observer.h"
#include "profiler/record/collection_record.h"
#include "profiler/record/communication_record.h"
#include "profiler/record/function_record.h"
#include "profiler/session/store/writer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace profiler {

class Recorder final : public engine::CompileObserver, public engine::RunObserver {
public:
    /// Sets itself as the engine's observer. Throws SessionError when the file cannot be made.
    Recorder(const std::string &path, const SessionStart &start, WriterOptions options = {}, RecordOptions record = {});
    ~Recorder() override;

    SessionWriter &writer();
    /// A number that no graph of the session has, for one that is written beside those of the engine.
    GraphId newGraph();
    /// Functions compiled and calls made so far.
    struct Counts {
        std::uint64_t functions = 0;
        std::uint64_t calls = 0;
    };
    Counts counts() const;
    /// The last state of all counters, then the end of the file. The engine is not observed any more.
    void finish(int exitStatus, const std::string &reason = {});

    /// The last state of all counters is handed over now; flush the writer to have it on disk.
    void refresh();
    /// A call of MPI; any thread.
    void communicated(const CommunicationCall &call);
    /// Python's garbage collector ran; any thread.
    void collected(int generation, std::int64_t startNs, std::int64_t endNs);
    /// The text that profile='message' gave a function.
    void setMessage(std::uint32_t function, const std::string &message);

    bool wantsApplyTimes() const override;
    void compileStarted(std::uint32_t id, const engine::FunctionSpec &spec, const engine::FunctionGraph &graph) override;
    void passFinished(std::uint32_t id, const engine::FunctionGraph &graph, const engine::PassReport &report) override;
    void compileFinished(engine::Function &function) override;
    void exchangeOrder(std::uint32_t id, const std::function<void()> &exchange) override;
    void rescheduled(engine::Function &function) override;
    void compileFailed(std::uint32_t id, const std::string &message) override;
    bool wantsValues(const engine::Function &function) override;
    void callGiven(engine::Function &function, std::span<const engine::Value> inputs) override;
    void callReturned(engine::Function &function, std::span<const engine::Value> outputs) override;
    void callFinished(engine::Function &function, std::uint64_t startTicks, std::uint64_t spentTicks) override;
    void callFailed(engine::Function &function, const std::string &message) override;
    void checked(engine::Function &function, const engine::CheckReport &report) override;
    void functionDropped(engine::Function &function) override;

private:
    bool isForeign() const; // in the child of a fork: others may have held the locks meanwhile
    struct State;
    std::unique_ptr<State> m_state;
};

/// Processor, cores, memory, compiler, BLAS and its core: what a reader needs to judge the numbers.
std::vector<NameValue> describeMachine();

} // namespace profiler
