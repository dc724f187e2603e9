#include "views/compare/kept_sides.h"

#include <utility>

namespace views {

bool KeptSides::add(const QString &path)
{
    m_seen.removeAll(path);
    m_seen.prepend(path);
    if (path == a || path == b || (pinnedA && pinnedB)) return false;
    if (a.isEmpty()) {
        a = path;
    } else if (b.isEmpty() || pinnedA) {
        b = path;
    } else if (pinnedB) {
        a = path;
    } else {
        a = std::exchange(b, path);
    }
    return true;
}

void KeptSides::swap()
{
    std::swap(a, b);
    std::swap(pinnedA, pinnedB);
}

} // namespace views
