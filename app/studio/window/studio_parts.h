#pragma once

#include "app/studio/dialogs/preferences.h"
#include "app/studio/run/session_keeper.h"
#include "app/studio/window/view_host.h"

namespace app {

/// What the controllers of one window share.
struct StudioParts {
    explicit StudioParts(const ViewTable &table);

    const ViewTable &views;
    Preferences preferences;
    views::SelectionHub hub;
    ViewHost host;
    SessionKeeper keeper;

    const views::SessionData *session() const { return keeper.session(); }
};

} // namespace app
