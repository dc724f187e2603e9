// What colours the nodes of the page, and what its key says of that.
#include "app/studio/pages/graph_page.h"

#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/numbers.h"
#include "views/graph/colour_key.h"
#include "views/graph/graph_pane.h"
#include "views/session/value_marks.h"

namespace app {

using namespace views;

void GraphPage::setOverlay(Overlay overlay)
{
    m_choices.overlay->setCurrentIndex(m_choices.overlay->findData(static_cast<int>(overlay)));
    m_optimized->canvas()->setOverlay(overlay);
    // Values and dtypes are those of both graphs: side by side they say what the rewrites repaired, and what they cast.
    m_original->canvas()->setOverlay(isOfValues(overlay) || overlay == Overlay::Dtype ? overlay : Overlay::None);
    showColours();
}

// The key says what the colours stand for.
void GraphPage::showColours()
{
    ColourScale scale;
    const Overlay overlay = m_optimized->canvas()->overlay();
    const profiler::FunctionInfo *function = nullptr;
    if (m_session)
        for (const profiler::FunctionInfo &each : m_session->functions)
            if (each.graph == m_graph) function = &each;
    const profiler::FunctionCosts *costs = function ? m_session->costs->of(function->id) : nullptr;
    double slowest = 0, fastest = 0; // of what is drawn, where groups stand for many
    for (const SceneNode &node : m_optimized->canvas()->scene().nodes)
        if (node.cost.seconds > 0) {
            slowest = std::max(slowest, node.cost.seconds);
            fastest = fastest > 0 ? std::min(fastest, node.cost.seconds) : node.cost.seconds;
        }
    if (overlay == Overlay::Time && m_drawn.optimized.folded && slowest > 0)
        scale = {tr("Time per call, groups together"), formats::time(fastest), formats::time(slowest)};
    else if (overlay == Overlay::Time && costs && costs->slowestNs > 0)
        scale = {tr("Time per call"), formats::timeNs(costs->fastestNs), formats::timeNs(costs->slowestNs)};
    if (overlay == Overlay::Memory && m_scenes && m_scenes->largestBytes() > 0)
        scale = {tr("Memory of its own"), formats::bytes(0), formats::bytes(m_scenes->largestBytes())};
    if (overlay == Overlay::Digits) scale = {tr("Digits lost"), tr("none"), tr("all")};
    if (overlay == Overlay::Magnitude && m_session) {
        const auto [least, largest] = m_session->derived<ValueMarks>().magnitudes(m_graph);
        if (largest > 0) scale = {tr("Largest number"), formats::number(least, 'g', 3), formats::number(largest, 'g', 3)};
    }
    m_hub.setColourScale(scale);
    ColourKeys::of(m_hub).set(colourKeyOf(m_optimized->canvas()->scene(), overlay));
}

} // namespace app
