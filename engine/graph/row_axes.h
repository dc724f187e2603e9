// Which ops work on each row of their arrays by itself: what an op registers from its own file, for those who run several of them at once.
//   ROW_AXES(Softmax, [](const Softmax &, std::span<const Type>) { return RowAxes{1}; });
#pragma once

#include "engine/graph/op.h"
#include "engine/scalar/row_parts.h"

#include <functional>
#include <optional>
#include <span>

namespace engine {

/// The axes of its inputs that make a row which the op combines; none: it does the same to every element, or is a window that leaves
/// them in their order; nothing: it has to do with more than a row.
using RowAxesRule = std::function<std::optional<RowAxes>(const Op &op, std::span<const Type> inputs)>;

bool registerRowAxes(const std::type_info &op, RowAxesRule rule);
/// Nothing for an op that registered none, and for inputs that are no tensors.
std::optional<RowAxes> rowAxesOf(const Op &op, std::span<const Type> inputs);

/// The function is given the op as an OpClass.
#define ROW_AXES(OpClass, ...)                                                                                                             \
    [[maybe_unused]] static const bool k_rowAxes##OpClass =                                                                                \
        ::engine::registerRowAxes(typeid(OpClass), [](const Op &op, std::span<const Type> inputs) -> std::optional<RowAxes> {              \
            return (__VA_ARGS__)(static_cast<const OpClass &>(op), inputs);                                                                \
        })

} // namespace engine
