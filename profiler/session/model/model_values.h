#pragma once
// Where the digits went: the values of calls that `croton values` looked at, and how many of their digits are right.

#include "profiler/session/model/column.h"
#include "profiler/session/model/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace profiler {

enum class ValueSide : std::uint8_t { Original, Optimized };
enum class ValueReference : std::uint8_t { Precise, Double, Same, None };

// What an array holds. Of the numbers only the finite ones count.
struct ArrayFacts {
    std::int64_t elements = 0, zeros = 0, nans = 0, infinities = 0, denormals = 0;
    double least = 0, largest = 0, mean = 0, deviation = 0, magnitude = 0;
    std::vector<std::string> histogram;
    std::vector<std::string> first;

    [[nodiscard]] bool hasFinite() const { return elements > nans + infinities; }
};

// How many digits of an array are right, by a reference.
struct Accuracy {
    ValueReference reference = ValueReference::None;
    double digits = 0;
    double lost = 0;
    double lostMean = 0;
    double own = 0;
    std::int64_t differing = 0;
    std::int64_t unsure = 0;
    std::int64_t worst = -1;
    std::string got;
    std::string wanted;
    std::vector<std::string> read;
    std::vector<std::string> born;

    [[nodiscard]] bool isMeasured() const { return reference != ValueReference::None; }
    /// Are its digits counted against values other than its own?
    [[nodiscard]] bool countsDigits() const { return isMeasured() && digits > 0 && reference != ValueReference::Same; }
};

// One array of a call: an input, what an apply gave, or what a step of a fused apply made on the way. Lists are texts of numbers.
struct ValueRow {
    static constexpr SessionTable kTable{
        .name = "call_values", .about = "Where the digits went: what `croton values` found in calls, each as written and as compiled."};
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    ValueSide side = ValueSide::Original;
    int position = 0;
    GraphId graph = kNoGraph;
    VariableId variable = kNoVariable; // kNoVariable for steps
    ApplyId apply = kNoApply;          // kNoApply for inputs and constants
    int port = 0;
    int step = -1;
    std::string name;
    std::string op;
    std::string type;
    std::string shape;
    ArrayFacts facts;
    Accuracy accuracy;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("call", primary(row.call), "number of the call, from 0");
        visit("side", primary(row.side));
        visit("position", primary(row.position), "in the order in which they were made, inputs and constants first");
        visit("graph", orNull(row.graph));
        visit("variable", orNull(row.variable), "NULL = a step of a fused apply");
        visit("apply", orNull(row.apply), "NULL = an input or a constant");
        visit("port", row.port);
        visit("step", orNull(row.step), "which apply of the body of a fused apply, NULL = a result");
        visit("name", inLine(row.name), "of the variable; of one without a name its op");
        visit("op", inLine(row.op), "for people: exp; empty = none");
        visit("type", row.type);
        visit("shape", row.shape);
        visit("elements", row.facts.elements);
        visit("zeros", row.facts.zeros);
        visit("nans", row.facts.nans);
        visit("infinities", row.facts.infinities);
        visit("denormals", row.facts.denormals);
        visit("least", row.facts.least, "of the finite ones, as the next four");
        visit("largest", row.facts.largest);
        visit("mean", row.facts.mean);
        visit("deviation", row.facts.deviation);
        visit("magnitude", row.facts.magnitude, "the largest without its sign");
        visit("histogram", row.facts.histogram, "JSON array of counts: equal parts from least to largest");
        visit("first", row.facts.first, "JSON array of the first elements, as texts");
        visit("reference", row.accuracy.reference, "precise (113 bits and more), double, same (its own values), none");
        visit("digits", row.accuracy.digits, "decimal digits that the dtype has, 0 = it is counted with");
        visit("lost", row.accuracy.lost, "digits that are wrong in the worst element");
        visit("lost_mean", row.accuracy.lostMean, "on average");
        visit("own", row.accuracy.own, "in the worst element, had the inputs been right");
        visit("differing", row.accuracy.differing, "of whole numbers and truths: elements that are others in the reference");
        visit("unsure", row.accuracy.unsure, "elements that the reference cannot tell to the last digit");
        visit("worst", orNull(row.accuracy.worst),
              "element, in C order: where something was born, else which lost most; NULL = none lost any");
        visit("got", row.accuracy.got, "what the worst element is");
        visit("wanted", row.accuracy.wanted, "what it should be");
        visit("read", row.accuracy.read, "JSON array of what was read for it, as texts; empty where more than one element was");
        visit("born", row.accuracy.born, "JSON array: nan, inf, overflow, denormal, what no input had");
    }
};

struct ValueNote {
    static constexpr SessionTable kTable{.name = "value_notes", .about = "What could not be measured there, in sentences."};
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    ValueSide side = ValueSide::Original;
    std::string text;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("call", primary(row.call));
        visit("side", primary(row.side));
        const auto text = inLine(row.text);
        visit("text", primary(text));
    }
};

} // namespace profiler
