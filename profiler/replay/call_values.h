#pragma once
// The values of a captured call, as written and as compiled, beside a reference with more digits.

#include "profiler/replay/replay.h"
#include "profiler/session/model/model_values.h"

#include <vector>

namespace profiler {

struct CapturedValues {
    std::vector<ValueRow> rows; ///< tied to the nodes of the session's graph where it was compiled here as it was there
    std::vector<ValueNote> notes;
};

/// Compiles its function and looks at every value. Throws SessionError, UserError.
CapturedValues valuesOfCaptured(SessionReader &reader, const LoadedCall &call, const engine::Mode &mode);

} // namespace profiler
