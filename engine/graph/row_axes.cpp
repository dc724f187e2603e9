#include "engine/graph/row_axes.h"

#include "engine/tensor/errors.h"

#include <algorithm>
#include <typeindex>
#include <unordered_map>

namespace engine {
namespace {

std::unordered_map<std::type_index, RowAxesRule> &all()
{
    static auto *map = new std::unordered_map<std::type_index, RowAxesRule>;
    return *map;
}

} // namespace

bool registerRowAxes(const std::type_info &op, RowAxesRule rule)
{
    const bool isNew = all().emplace(std::type_index(op), std::move(rule)).second;
    ENGINE_ASSERT(isNew, "an op says twice which rows it works on");
    return isNew;
}

std::optional<RowAxes> rowAxesOf(const Op &op, std::span<const Type> inputs)
{
    const auto found = all().find(std::type_index(op.dynamicType()));
    if (found == all().end() || inputs.empty()) return std::nullopt;
    if (!std::all_of(inputs.begin(), inputs.end(), [](const Type &type) { return type.isTensor(); })) return std::nullopt;
    return found->second(op, inputs);
}

} // namespace engine
