// Keeps the values of some calls of each function: what they were given and what they gave. Off unless asked for.
// Values are copied before a call, since it may overwrite them; what that takes is in no time of a call.
#pragma once

#include "engine/compile/function/function.h"
#include "profiler/session/store/writer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace profiler {

struct CaptureOptions {
    bool isOn = false;
    int chosen = 0;                               ///< calls number 10, 100, 1000 … of each function, so many
    std::size_t limitBytes = 256u << 20;          ///< of all arrays together, each content once, before they are compressed
    std::size_t sampledElements = 64u << 10;      ///< of an array that is left out, for its statistics
    std::uint64_t slowestEveryNs = 1'000'000'000; ///< a slowest call is written when it is so old, and at the end
};

class CaptureRecord {
public:
    CaptureRecord(SessionWriter &writer, const CaptureOptions &options) : m_writer(writer), m_options(options) {}

    /// Of a function that is in no other: its original graph is written.
    void compileStarted(std::uint32_t id, const engine::FunctionSpec &spec, const engine::FunctionGraph &original);
    bool wants(const engine::Function &function);
    void given(const engine::Function &function, std::span<const engine::Value> inputs);
    void took(const engine::Function &function, std::uint64_t ns);
    void returned(const engine::Function &function, std::span<const engine::Value> outputs);
    void dropped(std::uint32_t id);
    void finish();

private:
    struct Bytes {
        std::vector<std::uint8_t> bytes;
        std::string key; // once it was asked for
    };
    struct Kept {
        CapturedValue row;
        std::shared_ptr<Bytes> data; // null: left out
    };
    struct Call {
        CapturedCall info;
        std::vector<Kept> values;
    };
    struct OneFunction {
        std::uint64_t calls = 0;
        bool isTaken = false; // the call at hand
        bool isSure = false;  // and it will be kept
        Call now;
        Call slowest;
        bool hasSlowest = false;
        bool isSlowestWritten = true; // or there is none
        bool isSlowestSure = false;   // it is kept for another reason, too
        std::optional<CapturedCall> written;
        bool isWrittenSure = false;
        std::uint64_t slowestSince = 0, lastSwap = 0;
        std::uint64_t copyNs = 0, callNs = 0, notLookedAt = 0;
    };
    struct SharedCopy {
        std::weak_ptr<engine::Container> container;
        std::uint64_t generation = 0;
        std::shared_ptr<Bytes> data;
    };

    struct Stored {
        std::size_t bytes = 0, calls = 0; // that name it
    };
    using CallName = std::pair<std::uint32_t, std::int64_t>;

    OneFunction *find(std::uint32_t id);
    bool isChosen(std::uint64_t call) const;
    // `type` says where an argument lies; of what has storage none is needed.
    Kept keep(const engine::Value &value, CapturedRole role, std::size_t position, const std::string &name, engine::Type type);
    Kept keepShared(const engine::VarRef &variable, CapturedRole role, std::size_t position);
    void describe(CapturedValue &row, const engine::Tensor &host) const;
    void write(Call call);
    void forget(const CallName &call);
    void writeSlowest(std::uint32_t id, OneFunction &one);

    SessionWriter &m_writer;
    const CaptureOptions m_options;
    std::mutex m_mutex;                               // guards the maps; entries stay where they are
    std::map<std::uint32_t, OneFunction> m_functions; // each used by one call at a time
    std::unordered_map<const engine::Container *, SharedCopy> m_shared;
    std::unordered_map<std::string, Stored> m_stored;     // by key
    std::map<CallName, std::vector<std::string>> m_named; // keys
    std::size_t m_storedBytes = 0;
};

} // namespace profiler
