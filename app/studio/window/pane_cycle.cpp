#include "app/studio/window/pane_cycle.h"

namespace app {
namespace {

bool takesKeys(const QWidget &widget) { return widget.isVisible() && widget.isEnabled() && widget.focusPolicy() & Qt::TabFocus; }

} // namespace

bool focusFirst(QWidget &pane, Qt::FocusReason reason)
{
    QWidget *first = pane.focusProxy() ? pane.focusProxy() : &pane;
    if (!takesKeys(*first)) {
        first = nullptr;
        QWidget *each = pane.nextInFocusChain();
        for (; each != &pane && !first; each = each->nextInFocusChain())
            if (pane.isAncestorOf(each) && takesKeys(*each)) first = each;
    }
    if (!first) return false;
    first->setFocus(reason);
    return true;
}

void focusNextPane(const std::vector<QWidget *> &panes, const QWidget *focused, bool forward)
{
    const int count = static_cast<int>(panes.size());
    int at = forward ? -1 : count;
    for (int i = 0; i < count; ++i)
        if (focused && (panes[static_cast<std::size_t>(i)] == focused || panes[static_cast<std::size_t>(i)]->isAncestorOf(focused))) at = i;
    for (int tries = 0; tries < count; ++tries) {
        at = (at + (forward ? 1 : count - 1) + count) % count;
        QWidget *pane = panes[static_cast<std::size_t>(at)];
        if (pane->isVisible() && focusFirst(*pane, Qt::TabFocusReason)) return;
    }
}

} // namespace app
