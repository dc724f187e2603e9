#include "views/lessons/lesson_facts.h"

namespace views {

std::unique_ptr<profiler::SessionFacts> factsOf(const std::shared_ptr<const SessionData> &session)
{
    std::string printed;
    for (const profiler::OutputText &output : *session->outputs)
        if (output.stream == 1) printed += output.text;
    return std::make_unique<profiler::SessionFacts>(session->profile, *session->costs, std::move(printed), [session](profiler::GraphId id) {
        const auto graph = session->graph(id);
        if (!graph || !graph->replica) throw profiler::FactError("the graph was not recorded");
        return *graph->replica;
    });
}

} // namespace views
