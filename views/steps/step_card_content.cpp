#include "views/steps/step_card_content.h"

namespace views {

std::optional<StepCardContent> stepCardContent(const SessionData &session, GraphScenes &scenes, int step)
{
    const std::optional<GraphScenes::AroundStep> around = scenes.around(step);
    if (!around) return std::nullopt;
    StepCardContent content;
    content.step = scenes.graph().steps[static_cast<std::size_t>(around->step)];
    if (const profiler::RewriteInfo *rewrite = session.rewrite(content.step.rewrite)) content.rewrite = *rewrite;
    content.region = stepRegion(around->before, around->after, around->marks);
    return content;
}

} // namespace views
