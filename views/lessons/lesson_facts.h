#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/lessons/facts.h"
#include "views/session/session_data.h"
#endif

#include <memory>

namespace views {

/// What a lesson asks, answered by a snapshot; which stays as long as the answers are wanted.
std::unique_ptr<profiler::SessionFacts> factsOf(const std::shared_ptr<const SessionData> &session);

} // namespace views
