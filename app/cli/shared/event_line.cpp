#include "app/cli/shared/event_line.h"

#include "profiler/export/json_text.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace app {

EventLine::EventLine(const Arguments &arguments) : m_descriptor(static_cast<int>(arguments.number("--events-fd", -1)))
{
    if (m_descriptor >= 0 && fcntl(m_descriptor, F_GETFD) < 0)
        throw UsageError("--events-fd wants an open descriptor, not " + std::to_string(m_descriptor));
    if (m_descriptor < 0) return;
    fcntl(m_descriptor, F_SETFD, FD_CLOEXEC); // what we start has nothing to tell there
    std::signal(SIGPIPE, SIG_IGN);            // who asked may be gone
}

void EventLine::progress(const std::string &text, double done, double total) const
{
    if (m_descriptor < 0) return;
    nlohmann::json event{{"event", "progress"}, {"text", text}};
    if (total > 0) event["done"] = done, event["total"] = total;
    const std::string line = profiler::jsonText(event, -1);
    [[maybe_unused]] const ssize_t written = write(m_descriptor, line.data(), line.size());
}

Option EventLine::option() { return {"--events-fd", "N", "one JSON line per event to descriptor N"}; }

} // namespace app
