// Which ops work on each row of their arrays by itself: what an op registers from its own file, for those who run several of them at once.
//   ROW_AXES(Softmax, [](const Softmax &, std::span<const Type>) { return 1; });
#pragma once

#include "engine/graph/op.h"

#include <functional>
#include <optional>
#include <span>

namespace engine {

/// So many of the last axes of its inputs make a row that the op combines; 0: it does the same to every element, or is a window that leaves
/// them in their order; nothing: it has to do with more than a row.
using RowAxes = std::function<std::optional<int>(const Op &op, std::span<const Type> inputs)>;

bool registerRowAxes(const std::type_info &op, RowAxes axes);
/// Nothing for an op that registered none, and for inputs that are no tensors.
std::optional<int> rowAxesOf(const Op &op, std::span<const Type> inputs);

/// The function is given the op as an OpClass.
#define ROW_AXES(OpClass, ...)                                                                                                             \
    [[maybe_unused]] static const bool k_rowAxes##OpClass =                                                                                \
        ::engine::registerRowAxes(typeid(OpClass), [](const Op &op, std::span<const Type> inputs) -> std::optional<int> {                  \
            return (__VA_ARGS__)(static_cast<const OpClass &>(op), inputs);                                                                \
        })

} // namespace engine
