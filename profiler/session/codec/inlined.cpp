#include "profiler/session/codec/inlined.h"

#include <algorithm>

namespace profiler {

bool isShortConstant(std::string_view value)
{
    constexpr std::size_t kLongest = 8;
    const auto letters = std::count_if(value.begin(), value.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    return !value.empty() && static_cast<std::size_t>(letters) <= kLongest && value.find_first_of(" \n") == std::string_view::npos;
}

const std::string *inlinedConstant(const GraphReplica &graph, VariableId id, const std::set<ApplyId> &drawn)
{
    for (const ReplicaVariable *variable = graph.variable(id); variable;) {
        if (variable->kind == VariableKind::Constant) {
            const std::string &value = graph.text(variable->value);
            return isShortConstant(value) ? &value : nullptr;
        }
        // A constant that is only given more dimensions is still that constant.
        const ReplicaApply *owner = variable->kind == VariableKind::Result ? graph.apply(variable->owner) : nullptr;
        if (!owner || owner->inputs.size() != 1 || owner->views.empty() || drawn.contains(owner->id)) return nullptr;
        variable = graph.variable(owner->inputs.front());
    }
    return nullptr;
}

bool isInlined(const GraphReplica &graph, const ReplicaApply &apply, const std::set<ApplyId> &drawn)
{
    if (drawn.contains(apply.id) || apply.outputs.size() != 1 || !inlinedConstant(graph, apply.outputs.front(), drawn)) return false;
    const auto &outputs = graph.outputs();
    return std::find(outputs.begin(), outputs.end(), apply.outputs.front()) == outputs.end();
}

} // namespace profiler
