#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/session/session_data.h"
#endif
#include "views/common/selection_hub.h"

namespace app {

/// What is selected in one recording of a script, in another one: as far as that has it.
views::Selection carried(const views::Selection &selection, const views::SessionData &from, const views::SessionData &to);
/// Whether functions, graphs and steps of both have the same numbers, so that what was selected before is still meant by them.
bool haveOneShape(const views::SessionData &a, const views::SessionData &b);

} // namespace app
