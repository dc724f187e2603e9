#pragma once
// The ids of the studio's views, as lessons, links, settings and --view name them.

#include <array>
#include <string_view>

namespace profiler::view {

// clang-format off
#define CROTON_VIEWS(_) \
    _(welcome) _(graph) _(steps) _(profile) _(compare) _(history) _(worth) _(operations) _(timeline) _(flame) _(memory) _(roofline) \
    _(transfers) _(ranks) _(code) _(output) _(functions) _(source) _(key) _(summary) _(inspector) _(help) _(lessons)
// clang-format on
#define CROTON_VIEW_ID(id) inline constexpr char id[] = #id;
#define CROTON_VIEW_NAME(id) std::string_view(id),
CROTON_VIEWS(CROTON_VIEW_ID)
inline constexpr std::array kIds{CROTON_VIEWS(CROTON_VIEW_NAME)};
#undef CROTON_VIEW_ID
#undef CROTON_VIEW_NAME
#undef CROTON_VIEWS

} // namespace profiler::view
