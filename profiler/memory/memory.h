#pragma once
// Memory of a plan: Theano's memory profile, the course of live bytes, and what holds them at the peak.

#include "profiler/session/model/model_run.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace profiler {

// One output of an apply.
struct MemoryRow {
    ApplyKey node;
    VariableId variable = kNoVariable;
    int position = 0;
    std::int64_t bytes = 0;
    char letter = 'c'; // c created, i inplace, v view: from the op's declaration
    std::string shape;
};

// All outputs of an apply together, as the reports list them.
struct ApplyMemory {
    ApplyKey node;
    std::int64_t bytes = 0;
    std::string sizes;   // "2508800" or "400, 3200"
    std::string shapes;  // "(784, 400)"
    std::string letters; // "v", or "c c" for two outputs
};

struct MemoryPeak {
    std::int64_t bytes = 0;
    int position = 0;                // in execution order
    std::vector<VariableId> holders; // roots alive then, largest first
};

struct MemoryReport {
    std::int64_t allBytes = 0;           // without gc, inplace and view: every output has its own memory
    std::int64_t noGcBytes = 0;          // created outputs, nothing freed
    std::int64_t viewBytes = 0;          // saved by views
    std::int64_t inplaceBytes = 0;       // saved by inplace
    MemoryPeak peak;                     // as it runs
    MemoryPeak peakNoInplace;            // as if destroy maps did not exist
    std::int64_t savedByGc = 0;          // noGcBytes - peak
    std::vector<std::int64_t> liveBytes; // by position, as it runs
    std::vector<MemoryRow> rows;         // by bytes, descending
};

[[nodiscard]] std::vector<ApplyMemory> applyMemory(const MemoryReport &report); // by bytes, descending

// What lies outside of the arena, as it runs: outputs, new values of shared variables, and what goes from stage to stage where a
// function has several.
struct OutsideMemory {
    std::int64_t peakBytes = 0;
    bool hasIntermediates = false; // something there is not needed until the end
};
[[nodiscard]] OutsideMemory outsideMemory(std::span<const BufferRow> buffers);

// The peak of each device by itself; that of the host is "cpu". What the host's allocator measures is the host's alone.
[[nodiscard]] std::map<std::string, std::int64_t> peaksByDevice(std::span<const BufferRow> buffers);

// Buffers of one plan. Inputs, shared variables and constants are never counted, as in Theano.
[[nodiscard]] MemoryReport memoryReport(std::span<const BufferRow> buffers);

} // namespace profiler
