#pragma once
// Where the digits went: the values of calls that `croton values` looked at, and how many of their digits are right.

#include "profiler/session/column.h"
#include "profiler/session/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace profiler {

enum class ValueSide : std::uint8_t { Original, Optimized };
enum class ValueReference : std::uint8_t { Precise, Double, Same, None };

// One array of a call: an input, what an apply gave, or what a step of a fused apply made on the way. Lists are texts of numbers.
struct ValueRow {
    static constexpr const char *kTable = "call_values";
    FunctionId function = kNoFunction;
    std::int64_t call = 0; // number of the call, from 0
    ValueSide side = ValueSide::Original;
    int position = 0; // in the order in which they were made, inputs and constants first
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable; // kNoVariable for steps
    ApplyId apply = kNoApply;          // kNoApply for inputs and constants
    int port = 0;
    int step = -1;    // which apply of the body of a fused apply; -1 = a result
    std::string name; // of the variable; of one without a name its op
    std::string op;   // for people; empty: none
    std::string type;
    std::string shape;
    std::int64_t elements = 0, zeros = 0, nans = 0, infinities = 0, denormals = 0;
    double least = 0, largest = 0, mean = 0, deviation = 0, magnitude = 0; // of the finite ones
    std::vector<std::string> histogram;                                    // equal parts from least to largest
    std::vector<std::string> first;                                        // the first elements
    ValueReference reference = ValueReference::None;
    double digits = 0;          // decimal digits that the dtype has; 0 = it is counted with
    double lost = 0;            // of the worst element
    double lostMean = 0;        // on average
    double own = 0;             // of the worst element, had the inputs been right
    std::int64_t differing = 0; // of whole numbers and truths: elements that are others in the reference
    std::int64_t unsure = 0;    // elements that the reference cannot tell to the last digit
    std::int64_t worst = -1;    // element, in C order: where something was born, else which lost most; -1 = none lost any
    std::string got;            // what the worst element is
    std::string wanted;         // what it should be
    std::vector<std::string> read;
    std::vector<std::string> born; // nan, inf, overflow, denormal: what no input had

    [[nodiscard]] bool isMeasured() const { return reference != ValueReference::None; }

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("call", row.call);
        visit("side", row.side);
        visit("position", row.position);
        visit("graph", row.graph);
        visit("variable", row.variable);
        visit("apply", row.apply);
        visit("port", row.port);
        visit("step", orNull(row.step));
        visit("name", inLine(row.name));
        visit("op", inLine(row.op));
        visit("type", row.type);
        visit("shape", row.shape);
        visit("elements", row.elements);
        visit("zeros", row.zeros);
        visit("nans", row.nans);
        visit("infinities", row.infinities);
        visit("denormals", row.denormals);
        visit("least", row.least);
        visit("largest", row.largest);
        visit("mean", row.mean);
        visit("deviation", row.deviation);
        visit("magnitude", row.magnitude);
        visit("histogram", row.histogram);
        visit("first", row.first);
        visit("reference", row.reference);
        visit("digits", row.digits);
        visit("lost", row.lost);
        visit("lost_mean", row.lostMean);
        visit("own", row.own);
        visit("differing", row.differing);
        visit("unsure", row.unsure);
        visit("worst", orNull(row.worst));
        visit("got", row.got);
        visit("wanted", row.wanted);
        visit("read", row.read);
        visit("born", row.born);
    }
};

// A sentence on what could not be measured in a call.
struct ValueNote {
    static constexpr const char *kTable = "value_notes";
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    ValueSide side = ValueSide::Original;
    std::string text;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("call", row.call);
        visit("side", row.side);
        visit("text", inLine(row.text));
    }
};

} // namespace profiler
