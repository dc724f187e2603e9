#include "app/studio/window/studio_parts.h"

#include "app/studio/dialogs/palette_entries.h"

namespace app {

static SessionWatcher::Prepare prepareAll(const ViewTable &views)
{
    return [&views](const views::SessionData &session) {
        for (const ViewEntry &entry : views.entries())
            if (entry.prepare) entry.prepare(session);
        preparePalette(session);
    };
}

StudioParts::StudioParts(const ViewTable &table) : views(table), host(table, hub), keeper(hub, prepareAll(table))
{
    hub.setViewNames(table.showIn());
}

} // namespace app
