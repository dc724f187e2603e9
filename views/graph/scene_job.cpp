#include "views/graph/scene_job.h"

#include "views/common/background.h"

namespace views {
namespace {

constexpr std::size_t kMostMadeAtOnce = 150; // applies whose scene is made between two frames

SceneAnswer answerTo(SceneWish wish)
{
    if (!wish.scenes) wish.scenes = std::make_shared<GraphScenes>(wish.session, wish.graph);
    GraphScenes &scenes = *wish.scenes;
    scenes.setFold(wish.fold);
    SceneAnswer answer;
    if (scenes.hasGraph()) {
        if (wish.wantsOriginal) answer.original = scenes.original(wish.openOriginal);
        if (!wish.fresh && !wish.refresh && wish.fromStep != wish.step) answer.heirs = scenes.heirs(wish.fromStep, wish.step);
        answer.optimized = scenes.at(wish.marksLast && wish.step < 0 ? scenes.stepCount() : wish.step, wish.openOptimized, wish.ghosts);
        answer.applies = scenes.replicaAt(wish.step).applyCount();
        if (wish.also) answer.also = wish.also(scenes);
    }
    answer.wish = std::move(wish);
    return answer;
}

/// Wishes that replace one another: what the earlier one would have changed is still to be done.
SceneWish together(const SceneWish &earlier, SceneWish later)
{
    const bool sameGraph = earlier.graph == later.graph || !later.fresh;
    if (sameGraph) {
        later.fresh = later.fresh || earlier.fresh;
        later.wantsOriginal = later.wantsOriginal || earlier.wantsOriginal;
        later.refresh = later.refresh && earlier.refresh;
        later.fromStep = earlier.fromStep;
    }
    return later;
}

} // namespace

void SceneJob::ask(SceneWish wish)
{
    if (!m_busy) start(std::move(wish));
    else m_next = m_next ? together(*m_next, std::move(wish)) : std::move(wish);
}

void SceneJob::forget()
{
    m_next.reset();
    m_forgotten = m_busy;
}

void SceneJob::start(SceneWish wish)
{
    if (wish.graph->applies.size() <= kMostMadeAtOnce) {
        m_answered(answerTo(std::move(wish)));
        return;
    }
    m_busy = true;
    m_forgotten = false;
    inBackground(
        &m_owner, [wish = std::move(wish)]() mutable { return answerTo(std::move(wish)); },
        [this](SceneAnswer &&answer) { finish(std::move(answer)); });
}

void SceneJob::finish(SceneAnswer answer)
{
    m_busy = false;
    const bool wanted = !std::exchange(m_forgotten, false);
    std::optional<SceneWish> next = std::exchange(m_next, std::nullopt);
    if (next && next->scenes == nullptr && !next->fresh) next->scenes = answer.wish.scenes;
    if (wanted) m_answered(std::move(answer));
    if (next) ask(std::move(*next));
}

} // namespace views
