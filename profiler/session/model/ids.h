#pragma once
// Ids of a session. Graph ids and function ids are unique in a session; apply and variable ids are
// unique in their graph and never reused, so (graph, apply) names a node for ever.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace profiler {

enum class FunctionId : std::uint32_t {};
enum class GraphId : std::uint32_t {};
enum class ApplyId : std::uint32_t {};
enum class VariableId : std::uint32_t {};
enum class StringId : std::uint32_t {}; // 0 is the empty string
enum class ChainId : std::uint32_t {};  // a line of source with the calls that led to it

inline constexpr FunctionId kNoFunction{0xffffffffu};
inline constexpr GraphId kNoGraph{0xffffffffu};
inline constexpr ApplyId kNoApply{0xffffffffu};
inline constexpr VariableId kNoVariable{0xffffffffu};
inline constexpr StringId kEmptyString{0};
inline constexpr ChainId kNoChain{0xffffffffu};

// What names a thing of the session.
template <class Type>
concept Id = std::is_same_v<Type, FunctionId> || std::is_same_v<Type, GraphId> || std::is_same_v<Type, ApplyId> ||
    std::is_same_v<Type, VariableId> || std::is_same_v<Type, StringId> || std::is_same_v<Type, ChainId>;

template <class OneId>
[[nodiscard]] constexpr std::uint32_t raw(OneId id)
{
    return static_cast<std::uint32_t>(id);
}

// A node anywhere in a session; nested graphs (scan bodies, Composite bodies) have ids of their own.
struct ApplyKey {
    GraphId graph = kNoGraph;
    ApplyId apply = kNoApply;
    auto operator<=>(const ApplyKey &) const = default;
};

struct ApplyKeyHash {
    std::size_t operator()(const ApplyKey &key) const
    {
        return std::hash<std::uint64_t>{}((std::uint64_t{raw(key.graph)} << 32) | raw(key.apply));
    }
};

} // namespace profiler
