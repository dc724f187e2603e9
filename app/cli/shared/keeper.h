#pragma once
// A process between launcher and worker, so that what the worker starts ends with the launcher.

#include "app/cli/shared/child.h"

#include <functional>
#include <optional>

namespace app {

// Keeps a worker and all that it starts in its session: they end with the process that made the keeper, be that killed. What
// opens a session of its own (setsid, start_new_session=True) was detached on purpose and lives on.
class Keeper {
public:
    // `becomeWorker` is called in the worker with the number of its parent, and does not return. SIGCHLD is blocked. Throws CliError.
    explicit Keeper(const std::function<void(pid_t)> &becomeWorker);
    ~Keeper();
    Keeper(const Keeper &) = delete;
    Keeper &operator=(const Keeper &) = delete;

    // What waitpid says of the worker, once it has ended.
    [[nodiscard]] std::optional<int> status();
    // The worker and all that it started are killed.
    void endAll() const;
    // A signal that we got, for the worker, unless it went to our whole group, a moment ago at least: then the worker has it. Else
    // what is left when the worker has ended is asked to end, too, and killed two seconds later.
    void handOn(int signal) const;

private:
    std::optional<Child> m_keeper;
    int m_told = -1;
};

} // namespace app
