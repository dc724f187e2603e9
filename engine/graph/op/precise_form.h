// How an op computes with numbers of more digits than its dtype has: what an op registers from its own file, for those who measure digits.
//   PRECISE_FORM(Softmax, [](PreciseCall &call) { … });   its work, written once more for Precise
//   PRECISE_MOVES(Reshape, 0, 1);                         it only moves elements: of one operand, the first
// An op with neither is asked in float64, or its own values are taken: `engine/values` says which.
#pragma once

#include "engine/graph/op/op_card.h"
#include "engine/scalar/precise.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace engine {

struct PreciseArray {
    Dims shape;
    std::vector<Precise> values; ///< in C order
    static PreciseArray sized(const Dims &shape) { return {shape, std::vector<Precise>(static_cast<std::size_t>(shape.product()))}; }
    /// Nothing for what has no real numbers (complex ones).
    static std::optional<PreciseArray> of(const Tensor &tensor);
};
using PreciseRef = std::shared_ptr<const PreciseArray>;

/// One apply.
struct PreciseCall {
    const Op &op;
    std::span<const Type> inputTypes, outputTypes;
    std::span<const PreciseRef> inputs; ///< null for what is no array of numbers
    std::span<const Value> values;      ///< of the inputs, as the call had them: sizes, places
    std::span<const Value> results;     ///< of the outputs, as the call had them
    std::vector<PreciseRef> outputs;    ///< to be filled in; null: this one has no precise form

    /// NotPrecise where an input has no precise form.
    void needAll() const;
    const PreciseArray &input(std::size_t i) const { return *inputs[i]; }
    void set(std::size_t output, PreciseArray array) { outputs[output] = std::make_shared<const PreciseArray>(std::move(array)); }
};

/// Gives up with a sentence for people: "erfinv has no form of more than 53 bits".
class NotPrecise : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

#define PRECISE_FORM(OpClass, ...) ENGINE_CARD_PART(OpClass, precise, ::engine::PreciseForm{__VA_ARGS__, 0, 0})
/// `count` operands from `first` on hold what is moved; ~0: all from there on.
#define PRECISE_MOVES(OpClass, first, count) ENGINE_CARD_PART(OpClass, precise, ::engine::PreciseForm{{}, first, count})

} // namespace engine
