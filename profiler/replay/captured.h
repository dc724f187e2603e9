#pragma once
// Captured calls of a session: which there are, and their arrays. Knows no engine.

#include "profiler/session/store/reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace profiler {

struct CapturedArray {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::vector<std::uint8_t> bytes; // in C order, little-endian
};

// A captured call with what is known of its values.
struct CallView {
    CapturedFunction function;
    std::string functionName; // as people say it: its name, else "function 3"
    CapturedCall call;
    std::vector<CapturedValue> values;
};

// By function and call.
[[nodiscard]] std::vector<CallView> capturedCalls(SessionReader &reader);

// `function`: a name, or an id; empty: the one that took most time of those that have a captured call. `call`: its number; else a chosen
// one, else the slowest, else the first: what is nearest to the steady state. Throws SessionError that names what there is.
[[nodiscard]] CallView chooseCall(SessionReader &reader, const std::string &function, std::optional<std::int64_t> call = std::nullopt);

// Throws SessionError where it was left out, is damaged, or does not fit its dtype and shape.
[[nodiscard]] CapturedArray readArray(SessionReader &reader, const CapturedValue &value);

// "400,784" as sizes. Throws SessionError.
[[nodiscard]] std::vector<std::int64_t> sizesOf(const CapturedValue &value);

} // namespace profiler
