#pragma once

namespace views {

// Of the window, px at 100 %: below, what stands side by side gets one place, or gives way to what matters more.
inline constexpr int kNarrowWindow = 1240;
inline constexpr int kLowWindow = 440;

} // namespace views
