#include "views/common/background.h"

#include <QThreadPool>

namespace views {
namespace {

/// What runs may still measure fonts, which end with the application.
void waitForAll() { QThreadPool::globalInstance()->waitForDone(); }

} // namespace

void runElsewhere(std::function<void()> work)
{
    if (!QCoreApplication::instance()) {
        work();
        return;
    }
    [[maybe_unused]] static const bool registered = [] {
        qAddPostRoutine(waitForAll);
        return true;
    }();
    QThreadPool::globalInstance()->start(std::move(work));
}

} // namespace views
