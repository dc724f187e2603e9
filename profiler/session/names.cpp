#include "profiler/session/names.h"
#include "profiler/session/model.h"

#include <array>

namespace profiler {

namespace {

template <class Enum, std::size_t N>
const char *nameOf(const std::array<const char *, N> &names, Enum value)
{
    const auto index = static_cast<std::size_t>(value);
    return index < N ? names[index] : "unknown";
}

template <class Enum, std::size_t N>
Enum valueOf(const std::array<const char *, N> &names, std::string_view name, Enum otherwise)
{
    for (std::size_t i = 0; i < N; ++i)
        if (name == names[i]) return static_cast<Enum>(i);
    return otherwise;
}

constexpr std::array kFates{"kept", "replaced", "merged", "fused", "moved", "constant", "dead"};
constexpr std::array kVariables{"result", "input", "shared", "constant"};
constexpr std::array kGraphs{"function", "composite", "scan", "op_from_graph"};
constexpr std::array kEvents{"call", "apply", "kernel", "copy", "compile", "pass", "wait", "range"};
constexpr std::array kLanes{"host", "stream", "copy", "compiler"};
constexpr std::array kBuffers{"created", "view", "inplace", "input", "shared", "constant"};
constexpr std::array kSeverities{"info", "warning", "error"};
constexpr std::array kStates{"running", "finished", "cut off"};

} // namespace

const char *fateName(Fate fate) { return nameOf(kFates, fate); }
const char *variableKindName(VariableKind kind) { return nameOf(kVariables, kind); }
const char *graphKindName(GraphKind kind) { return nameOf(kGraphs, kind); }
const char *eventKindName(EventKind kind) { return nameOf(kEvents, kind); }
const char *laneKindName(LaneKind kind) { return nameOf(kLanes, kind); }
const char *bufferKindName(BufferKind kind) { return nameOf(kBuffers, kind); }
const char *severityName(Severity severity) { return nameOf(kSeverities, severity); }
const char *stateName(SessionState state) { return nameOf(kStates, state); }

Fate fateOf(std::string_view name) { return valueOf(kFates, name, Fate::Kept); }
VariableKind variableKindOf(std::string_view name) { return valueOf(kVariables, name, VariableKind::Result); }
GraphKind graphKindOf(std::string_view name) { return valueOf(kGraphs, name, GraphKind::Function); }
EventKind eventKindOf(std::string_view name) { return valueOf(kEvents, name, EventKind::Range); }
LaneKind laneKindOf(std::string_view name) { return valueOf(kLanes, name, LaneKind::Host); }
BufferKind bufferKindOf(std::string_view name) { return valueOf(kBuffers, name, BufferKind::Created); }
Severity severityOf(std::string_view name) { return valueOf(kSeverities, name, Severity::Info); }

} // namespace profiler
