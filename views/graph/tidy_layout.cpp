#include "views/graph/tidy_layout.h"

namespace views {
namespace {

double areaOf(const Picture &picture) { return picture.bounds.width() * picture.bounds.height(); }

bool isAsTidyAs(const Picture &picture, const Picture &fresh)
{
    constexpr double kStill = 1.15;
    for (const PictureEdge &edge : picture.edges)
        if (edge.upward) return false;
    return areaOf(picture) <= kStill * areaOf(fresh) && meanEdgeLength(picture) <= kStill * meanEdgeLength(fresh);
}

} // namespace

Picture tidyLayout(const Scene &scene, const Theme &theme, const PictureMemory &before, const QHash<SceneKey, SceneKey> &heirs)
{
    Picture continued = layoutScene(scene, theme, before, heirs);
    Picture fresh = layoutScene(scene, theme);
    if (isAsTidyAs(continued, fresh)) return continued;
    // Ghosts are given places, too: where they were, something else is now.
    PictureMemory order;
    for (const SceneNode &node : scene.nodes) {
        if (node.ghost) continue;
        if (const auto known = continued.memory.nodes.constFind(node.key); known != continued.memory.nodes.constEnd())
            order.nodes.insert(node.key, *known);
    }
    PictureOptions options;
    options.follow = true;
    options.keepLayers = false;
    Picture ordered = layoutScene(scene, theme, order, {}, options);
    return isAsTidyAs(ordered, fresh) ? ordered : fresh;
}

} // namespace views
