// Elementwise work with more digits than its dtypes have, whole and step by step.
#pragma once

#include "engine/graph/op/precise_form.h"

namespace engine {

/// One element of a scalar function, of a Composite the first output. Throws NotPrecise.
Precise preciseElement(const ScalarOp &function, std::span<const Precise> arguments, DType result);

/// What shapes broadcast to. They are of one rank.
Dims broadcastOf(std::span<const Dims> shapes);
/// The places in an array of `from` that the elements of an array of `to` are read from.
std::vector<std::uint32_t> placesIn(const Dims &from, const Dims &to);

/// A function on arrays of one rank.
PreciseArray preciseElements(const ScalarOp &function, std::span<const PreciseRef> inputs, DType result);
/// The values of all steps of a Composite body, literals included.
std::vector<PreciseRef> preciseSteps(const ScalarBody &body, std::span<const PreciseRef> inputs);
/// Sum, product, largest … over axes.
PreciseArray preciseReduction(const Op &reduce, const PreciseArray &input);

} // namespace engine
