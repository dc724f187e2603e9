// A captured call as the engine takes it: its function compiled again from the original graph, called, compared.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/graph/op/precise_form.h"
#include "engine/text/graph_document.h"
#include "profiler/replay/captured.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace profiler {

struct LoadedCall {
    CallView view;
    engine::GraphDocument graph;
    std::vector<engine::VarRef> explicitInputs, shared; ///< together the document's inputs, in their order
    std::vector<engine::Value> inputs, sharedValues;    ///< of these; stand-ins where they were left out
    /// As recorded: what is returned, then updates; none: left out.
    std::vector<std::optional<engine::Value>> outputs;
    std::size_t returned = 0;              ///< so many of the document's outputs are returned, the others are updates
    std::vector<std::string> outputNames;  ///< of all of them
    std::vector<std::string> placeholders; ///< a sentence for each value that random numbers replace
};

/// Throws SessionError where there is no such call, it is damaged, or its function is one that only its script can make. Sets floatX as it
/// was.
LoadedCall loadCall(SessionReader &reader, const std::string &function, std::optional<std::int64_t> call = std::nullopt);

/// What differs from how a function was compiled when it was recorded.
struct ModeChanges {
    std::optional<std::string> mode, device;
    std::vector<std::string> including, excluding; ///< tags and names of rewrites, in addition
};
/// Throws SessionError, UserError. `function.device` counts where this machine has it; else the host's processor, and `note` says so.
engine::Mode modeOf(const CapturedFunction &function, const ModeChanges &changes, std::string *note = nullptr);

/// The function of the call in this mode. It has the shared variables of `call`, so that one of them is called at a time.
std::shared_ptr<engine::Function> compileCaptured(const LoadedCall &call, const engine::Mode &mode, bool profile = false);

/// The inputs of a graph that was built of the call's variables.
std::vector<engine::Value> valuesFor(const engine::FunctionGraph &graph, const LoadedCall &call);

/// Sets the shared variables as they were before the call.
void setShared(const LoadedCall &call);
/// Calls it as it was called, and returns what it returns and then what its updates became, arrays of the host all of them.
std::vector<engine::Value> callCaptured(const LoadedCall &call, engine::Function &function);
/// Those alone that a call changes.
void setUpdated(const LoadedCall &call);
/// A call that is timed: nanoseconds of it alone. Shared variables that no call changes hold what they held.
std::int64_t timeCaptured(const LoadedCall &call, engine::Function &function);

/// How far values lie from what they should be.
struct ValueDifference {
    bool isSameType = true; ///< dtype and shape
    bool isSame = false;    ///< bit for bit, NaN and NaN being the same
    double absolute = 0;    ///< largest, of numbers that are finite on both sides
    double relative = 0;
    double ulp = 0;              ///< in units of the last place of the number as it should be, in the coarser dtype of both
    std::int64_t notFinite = 0;  ///< elements that are nan or infinite where they should be finite, or infinite with the wrong sign
    std::int64_t finiteOnly = 0; ///< elements that are finite where what should be right is not
};
ValueDifference differenceBetween(const engine::Value &value, const engine::Value &wanted);
/// Where the reference is sure to the last digit, what it cannot tell counts as right.
ValueDifference differenceBetween(const engine::Value &value, const engine::PreciseArray &wanted);
/// "bit for bit the same", "at most 3 ulp off", "4 of 100 elements are not finite".
std::string textOf(const ValueDifference &difference);

} // namespace profiler
