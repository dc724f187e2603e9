// Who hears how far a question of a captured call is, and may end it before it is done.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace profiler {

/// In the place of an error, of what nobody waited for.
inline const std::string kNotTried = "not tried: the time was up";
/// Of a row that has no numbers.
inline std::string whyNoNumbers(const std::string &error)
{
    return (error == kNotTried ? error : "cannot be run: " + error.substr(0, error.find('\n'))) + "\n";
}

struct Watch {
    /// "compiling without fusion", the third of twelve; `all` 0: nobody knows of how many.
    std::function<void(const std::string &doing, std::size_t done, std::size_t all)> tell;
    std::function<bool()> isEnded; ///< what there is by now is enough

    void say(const std::string &doing, std::size_t done = 0, std::size_t all = 0) const
    {
        if (tell) tell(doing, done, all);
    }
    bool ended() const { return isEnded && isEnded(); }
    /// The same, and it ends after so many seconds.
    Watch within(double seconds) const
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        return {tell, [other = isEnded, end] { return (other && other()) || std::chrono::steady_clock::now() > end; }};
    }
};

} // namespace profiler
