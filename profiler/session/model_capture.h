#pragma once
// Captured calls: what functions can be run again from, without their script. Arrays only; nothing of them is code.

#include "profiler/session/column.h"

#include <cstdint>
#include <string>
#include <vector>

namespace profiler {

// How to compile a function again.
struct CapturedFunction {
    static constexpr const char *kTable = "captured_functions";
    FunctionId function = kNoFunction;
    std::string document; // key of the array that holds its original graph as a graph document, without values of shared variables
    std::string problem;  // one sentence: why it cannot be compiled from the document; empty when it can
    int outputs = 0;      // the first ones of the document's are returned, the others are updates
    std::string mode;     // Mode::name
    std::string level;    // None, Merge, FastCompile, FastRun
    std::string linker;
    std::string device;
    bool allowGc = true;
    std::vector<std::string> including;
    std::vector<std::string> excluding;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("document", row.document);
        visit("problem", row.problem);
        visit("outputs", row.outputs);
        visit("mode", row.mode);
        visit("level", row.level);
        visit("linker", row.linker);
        visit("device", row.device);
        visit("allow_gc", row.allowGc);
        visit("including", row.including);
        visit("excluding", row.excluding);
    }
};

enum class CaptureReason : std::uint8_t { First, Slowest, Chosen };

struct CapturedCall {
    static constexpr const char *kTable = "captured_calls";
    FunctionId function = kNoFunction;
    std::int64_t call = 0; // its number, from 0
    CaptureReason reason = CaptureReason::First;
    std::int64_t ns = 0; // that it took when it was recorded

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("call", row.call);
        visit("reason", row.reason);
        visit("ns", row.ns);
    }
};

// Inputs and shared variables as they were before the call, outputs and updates as they came out.
enum class CapturedRole : std::uint8_t { Input, Shared, Output, Update };

struct CapturedValue {
    static constexpr const char *kTable = "captured_values";
    FunctionId function = kNoFunction;
    std::int64_t call = 0;
    CapturedRole role = CapturedRole::Input;
    int position = 0; // of its role, in the order of the graph
    std::string name;
    std::string dtype;  // empty: no array
    std::string shape;  // "400,784"; empty: a scalar
    std::string array;  // key in captured_arrays; empty: it was left out
    std::string reason; // one sentence: why it was left out
    // Of what was left out: what a stand-in is made of, measured on `counted` elements that are spread evenly.
    std::int64_t counted = 0;
    std::int64_t seed = 0;
    double min = 0, max = 0, mean = 0, deviation = 0;

    static void describe(auto &row, auto &&visit)
    {
        visit("function", row.function);
        visit("call", row.call);
        visit("role", row.role);
        visit("position", row.position);
        visit("name", inLine(row.name));
        visit("dtype", row.dtype);
        visit("shape", row.shape);
        visit("array_key", row.array);
        visit("reason", row.reason);
        visit("counted", row.counted);
        visit("seed", row.seed);
        visit("least", row.min);
        visit("most", row.max);
        visit("mean", row.mean);
        visit("deviation", row.deviation);
    }
};

// A part of an array's bytes: elements in C order, little-endian, packed as array_codec.h says.
struct ArrayPart {
    static constexpr const char *kTable = "captured_arrays";
    std::string array; // key: hash of all its bytes and their number
    int part = 0;
    std::int64_t bytes = 0; // unpacked
    std::vector<std::uint8_t> data;

    static void describe(auto &row, auto &&visit)
    {
        visit("array_key", row.array);
        visit("part", row.part);
        visit("bytes", row.bytes);
        visit("data", row.data);
    }
};

[[nodiscard]] const char *reasonName(CaptureReason reason);
[[nodiscard]] const char *roleName(CapturedRole role);

} // namespace profiler
