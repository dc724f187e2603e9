#pragma once

#include "app/studio/run/worker.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/session/session_data.h"
#endif
#include "views/common/selection_hub.h"

#include <optional>

namespace app {

/// How a run ended as far as anybody knows: from the process that ran it and from the session that it left. The strip on
/// top, the status bar and the pictures say the same of it.
struct RunOutcome {
    enum class Kind { Good, Warning, Failed };
    Kind kind = Kind::Good;
    QString brief;    ///< for the status bar; empty: what it says of a good run
    QString sentence; ///< for the strip; empty: nothing to tell
    QString details;  ///< what was printed last
    views::SourceRef line;

    friend bool operator==(const RunOutcome &, const RunOutcome &) = default;
};

/// `end` is that of the process which wrote this session, if it ran here. The session may be null: nothing was recorded.
RunOutcome outcomeOf(const views::SessionData *session, const std::optional<RunEnd> &end);

} // namespace app
