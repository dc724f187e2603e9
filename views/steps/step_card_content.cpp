#include "views/steps/step_card_content.h"

#include "profiler/stats/times/result_sizes.h"

namespace views {

namespace {

struct SizesOfGraph {
    explicit SizesOfGraph(const GraphData &graph)
    {
        if (graph.final) sizes.emplace(*graph.final, graph.variables);
    }
    std::optional<profiler::ResultSizes> sizes;
};

} // namespace

std::optional<StepCardContent> stepCardContent(const SessionData &session, GraphScenes &scenes, int step)
{
    const std::optional<GraphScenes::AroundStep> around = scenes.around(step);
    if (!around) return std::nullopt;
    StepCardContent content;
    content.step = scenes.graph().steps[static_cast<std::size_t>(around->step)];
    if (const profiler::RewriteInfo *rewrite = session.rewrite(content.step.rewrite)) content.rewrite = *rewrite;
    content.region = stepRegion(around->before, around->after, around->marks);
    if (const auto &sizes = scenes.graph().derived<SizesOfGraph>().sizes)
        content.bytesMore = sizes->bytesMore(around->marks.gone, around->marks.come);
    return content;
}

} // namespace views
