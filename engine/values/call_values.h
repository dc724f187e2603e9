// The values of one call, apply by apply, beside a reference with far more digits: what each holds, how many of its digits are right,
// and where the first nan, infinity and denormal came from. Fused work is looked at step by step.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/graph/op/precise_form.h"
#include "engine/values/array_facts.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine {

/// How a reference was made.
enum class Reference : std::uint8_t {
    Precise, ///< with 113 bits or more
    Double,  ///< by the op's own implementation in float64: more than float32 has, no more than float64 has
    Same,    ///< the call's own values: nothing with more digits is known (random numbers, loops, ops of the host language)
    None,    ///< the array is too large, or holds no real numbers
};

struct Digits {
    Reference reference = Reference::None;
    double all = 0;             ///< digits that the dtype has
    double lost = 0, mean = 0;  ///< of the worst element, and on average
    double own = 0;             ///< of the worst element, had the inputs been right as they came: what this apply alone loses
    std::int64_t differing = 0; ///< of whole numbers and truths: elements that are others in the reference
    std::int64_t unsure = 0;    ///< elements where the reference itself may be off by more than the last digit
    std::int64_t worst = -1;    ///< element, in C order: where something was born, else the one that lost most; -1: none lost any
    double got = 0;             ///< what the worst element is,
    std::string wanted;         ///< and what it should be, with 20 digits
};

/// What began here: no input had it.
struct Born {
    bool nan = false, infinity = false, overflow = false, denormal = false;
    bool any() const { return nan || infinity || overflow || denormal; }
};

struct ValueRow {
    VarId variable = kNoVar;
    ApplyId apply = kNoApply; ///< none: an input, a constant, a shared variable
    std::uint32_t port = 0;
    int step = -1;    ///< of a fused apply: which function of its body, literals not counted; -1: the apply's result
    std::string name; ///< of the variable; of one without a name its op
    std::string op;   ///< for people: "log"; empty: none
    std::string type;
    DType dtype = DType::Float64;
    Dims shape;
    ArrayFacts facts;
    Digits digits;
    Born born;
    std::vector<double> inputsAtWorst; ///< of a step or an elementwise apply: what it read there
};

struct CallValues {
    std::vector<ValueRow> rows;     ///< inputs and constants, then the applies in the order in which they ran, steps before results
    std::vector<std::string> notes; ///< sentences on what could not be measured, each once
};

struct CallOptions {
    std::int64_t mostElements = 1 << 19; ///< an array of more has facts, and no reference
};

/// Runs the graph apply by apply; `values` are those of graph.inputs(). They are not changed.
CallValues valuesOfCall(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const Value> values,
                        const CallOptions &options = {});

} // namespace engine
