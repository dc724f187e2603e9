#pragma once
// Captured calls: what functions can be run again from, without their script. Arrays only; nothing of them is code.

#include "profiler/session/model/column.h"

#include <cstdint>
#include <string>
#include <vector>

namespace profiler {

struct CapturedFunction {
    static constexpr SessionTable kTable{
        .name = "captured_functions",
        .about = "Functions of which calls were captured (croton profile --capture): what it takes to compile them again."};
    FunctionId function = kNoFunction;
    std::string document;
    std::string problem;
    int outputs = 0;
    std::string mode; // Mode::name
    std::string level;
    std::string linker;
    std::string device;
    bool allowGc = true;
    std::vector<std::string> including;
    std::vector<std::string> excluding;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("document", row.document,
              "captured_arrays.array_key of its original graph: a graph document, without values of shared variables");
        visit("problem", row.problem, "why it cannot be compiled from the document, empty = it can");
        visit("outputs", row.outputs, "so many of the document's outputs are returned; the others are updates");
        visit("mode", row.mode);
        visit("level", row.level, "None, Merge, FastCompile, FastRun");
        visit("linker", row.linker);
        visit("device", row.device);
        visit("allow_gc", row.allowGc);
        visit("including", row.including, "JSON array of tags and names of rewrites");
        visit("excluding", row.excluding);
    }
};

enum class CaptureReason : std::uint8_t { First, Slowest, Chosen };

struct CapturedCall {
    static constexpr SessionTable kTable{.name = "captured_calls", .about = "Calls whose values were kept."};
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    CaptureReason reason = CaptureReason::First;
    std::int64_t ns = 0; // that it took when it was recorded

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("call", primary(row.call), "number of the call, from 0");
        visit("reason", row.reason, "first, slowest (behind the first, of one tier), chosen");
        visit("ns", row.ns, "that it took");
    }
};

// Inputs and shared variables as they were before the call, outputs and updates as they came out.
enum class CapturedRole : std::uint8_t { Input, Shared, Output, Update };

struct CapturedValue {
    static constexpr SessionTable kTable{
        .name = "captured_values",
        .about = "Values of captured calls: inputs and shared variables before them, outputs and updates after them."};
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    CapturedRole role = CapturedRole::Input;
    int position = 0;
    std::string name;
    std::string dtype;
    std::string shape; // "400,784"; empty: a scalar
    std::string array; // key in captured_arrays; empty: it was left out
    std::string reason;
    // Of what was left out: what a stand-in is made of, measured on `counted` elements that are spread evenly.
    std::int64_t counted = 0;
    std::int64_t seed = 0;
    double min = 0, max = 0, mean = 0, deviation = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", primary(row.function));
        visit("call", primary(row.call));
        visit("role", primary(row.role));
        visit("position", primary(row.position), "in the order of the graph, of its role");
        visit("name", inLine(row.name));
        visit("dtype", row.dtype, "empty = no array");
        visit("shape", row.shape, "400,784");
        visit("array_key", row.array, "empty = left out");
        visit("reason", row.reason, "why it was left out");
        visit("counted", row.counted, "elements that the statistics of what was left out are from, spread evenly");
        visit("seed", row.seed, "of a stand-in with these statistics");
        visit("least", row.min);
        visit("most", row.max);
        visit("mean", row.mean);
        visit("deviation", row.deviation);
    }
};

struct ArrayPart {
    static constexpr SessionTable kTable{
        .name = "captured_arrays",
        .about = "Arrays by their content: elements in C order, little-endian, in parts of 4 MiB, packed as array_codec.h says.",
        .hasLargeRows = true};
    std::string array;
    int part = 0;
    std::int64_t bytes = 0;
    std::vector<std::uint8_t> data;

    static void describe(auto &row, auto &&visit)
    {
        visit("array_key", primary(row.array), "128 bits of hash of all bytes, and their number");
        visit("part", primary(row.part));
        visit("bytes", row.bytes, "unpacked");
        visit("data", row.data);
    }
};

[[nodiscard]] const char *reasonName(CaptureReason reason);
[[nodiscard]] const char *roleName(CapturedRole role);

} // namespace profiler
