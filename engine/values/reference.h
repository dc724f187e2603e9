// One apply with more digits: by its precise form, by moving elements, in float64, or as the call had it.
#pragma once

#include "engine/values/call_values.h"

namespace engine {

/// What work with more digits may take in all; what comes when it is spent is done in float64.
struct ReferenceBudget {
    double flops = 1e9;                  ///< a minute of one core
    std::int64_t mostElements = 1 << 21; ///< of an array
    /// Throws NotPrecise.
    void spend(const Op &op, std::span<const Type> inputTypes, std::span<const Type> outputTypes, std::span<const Value> values,
               std::span<const Value> results);
};

struct ReferenceResult {
    std::vector<PreciseRef> outputs; ///< null: none
    Reference reference = Reference::Precise;
    std::string note; ///< why it is not Precise; empty: there is nothing to say
};

/// `inputs` are the references of the inputs, `values` and `results` what the call had.
ReferenceResult referenceOf(const Op &op, std::span<const Type> inputTypes, std::span<const Type> outputTypes,
                            std::span<const PreciseRef> inputs, std::span<const Value> values, std::span<const Value> results,
                            ReferenceBudget &budget);

} // namespace engine
