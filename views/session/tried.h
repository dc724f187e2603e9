#pragma once

#include "profiler/session/model/model_verified.h"
#include "profiler/stats/machine/worth.h"
#include "views/session/session_data.h"

#include <QString>

#include <vector>

namespace views {

/// What was tried afterwards with the calls of a session, and stands in it: read once for a snapshot. Empty while the session grows, for
/// nothing can be tried then.
struct Tried {
    explicit Tried(const SessionData &session);

    std::vector<profiler::CapturedFunction> captured;
    std::vector<profiler::WorthTable> worth;
    std::vector<profiler::AlongTable> along;
    std::vector<profiler::VerifiedRow> verified;

    /// Whether calls of the function can be run again; `why` says why not.
    bool canRunAgain(profiler::FunctionId function, QString *why = nullptr) const;
    /// Of the last call that was tried; null: none was.
    const profiler::WorthTable *worthOf(profiler::FunctionId function, const std::string &by) const;
    const profiler::AlongTable *alongOf(profiler::FunctionId function) const;
    const profiler::VerifiedRow *verifiedOf(profiler::FunctionId function, const std::string &flags) const;
};

} // namespace views
