#pragma once
// The words that the tables use for enums; an unknown word (a newer writer) reads as the plainest value.

#include "profiler/session/model/model.h"
#include "profiler/session/model/model_values.h"

#include <array>
#include <string_view>

namespace profiler {

template <class Enum>
struct Names; // kAll, kOtherwise

template <>
struct Names<Fate> {
    static constexpr std::array kAll{"kept", "replaced", "merged", "fused", "moved", "constant", "dead"};
    static constexpr Fate kOtherwise = Fate::Kept;
};
template <>
struct Names<OpRole> {
    static constexpr std::array kAll{"unknown", "other",  "elementwise", "product",  "sparse", "reduction", "cumulative",
                                     "loop",    "choice", "nested",      "transfer", "view",   "shape",     "creation",
                                     "index",   "write",  "join",        "sort",     "random", "softmax",   "convolution",
                                     "pooling", "linalg", "fourier",     "gradient", "check",  "script"};
    static constexpr OpRole kOtherwise = OpRole::Other;
};
template <>
struct Names<VariableKind> {
    static constexpr std::array kAll{"result", "input", "shared", "constant"};
    static constexpr VariableKind kOtherwise = VariableKind::Result;
};
template <>
struct Names<GraphKind> {
    static constexpr std::array kAll{"function", "composite", "scan", "op_from_graph"};
    static constexpr GraphKind kOtherwise = GraphKind::Function;
};
template <>
struct Names<EventKind> {
    static constexpr std::array kAll{"call", "apply", "kernel", "copy", "compile", "pass", "wait", "range"};
    static constexpr EventKind kOtherwise = EventKind::Range;
};
template <>
struct Names<LaneKind> {
    static constexpr std::array kAll{"host", "stream", "copy", "compiler"};
    static constexpr LaneKind kOtherwise = LaneKind::Host;
};
template <>
struct Names<BufferKind> {
    static constexpr std::array kAll{"created", "view", "inplace", "input", "shared", "constant"};
    static constexpr BufferKind kOtherwise = BufferKind::Created;
};
template <>
struct Names<CaptureReason> {
    static constexpr std::array kAll{"first", "slowest", "chosen"};
    static constexpr CaptureReason kOtherwise = CaptureReason::Chosen;
};
template <>
struct Names<CapturedRole> {
    static constexpr std::array kAll{"input", "shared", "output", "update"};
    static constexpr CapturedRole kOtherwise = CapturedRole::Output;
};
template <>
struct Names<AblationKind> {
    static constexpr std::array kAll{"nothing", "single", "pair", "all"};
    static constexpr AblationKind kOtherwise = AblationKind::Single;
};
template <>
struct Names<ValueSide> {
    static constexpr std::array kAll{"original", "optimized"};
    static constexpr ValueSide kOtherwise = ValueSide::Original;
};
template <>
struct Names<ValueReference> {
    static constexpr std::array kAll{"precise", "double", "same", "none"};
    static constexpr ValueReference kOtherwise = ValueReference::None;
};
template <>
struct Names<Severity> {
    static constexpr std::array kAll{"info", "warning", "error"};
    static constexpr Severity kOtherwise = Severity::Info;
};
template <>
struct Names<SessionState> {
    static constexpr std::array kAll{"running", "finished", "cut off"};
    static constexpr SessionState kOtherwise = SessionState::CutOff;
};

template <class Enum>
concept Named = requires
{
    Names<Enum>::kAll;
};

template <Named Enum>
[[nodiscard]] const char *nameOf(Enum value)
{
    const auto index = static_cast<std::size_t>(value);
    return index < Names<Enum>::kAll.size() ? Names<Enum>::kAll[index] : "unknown";
}

template <Named Enum>
[[nodiscard]] Enum valueOf(std::string_view name)
{
    for (std::size_t i = 0; i < Names<Enum>::kAll.size(); ++i)
        if (name == Names<Enum>::kAll[i]) return static_cast<Enum>(i);
    return Names<Enum>::kOtherwise;
}

} // namespace profiler
