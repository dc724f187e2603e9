// What the window hands to a view, made without a window.
#pragma once

#include "views/common/selection_hub.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/session/session_data.h"
#include "views/session/view_feed.h"
#endif

#include <memory>
#include <utility>

namespace views {

inline ViewFeed feedOf(std::shared_ptr<const SessionData> session, const SelectionHub &hub, FeedParts changed, SelectionParts selected = {})
{
    ViewFeed feed;
    feed.session = std::move(session);
    feed.selection = hub.selection();
    feed.function = feed.session ? feed.session->function(feed.selection.function) : nullptr;
    feed.graph = feed.session ? feed.session->graphOf(feed.selection.function) : nullptr;
    feed.changed = changed;
    feed.selected = selected;
    return feed;
}

} // namespace views
