#pragma once

#include "views/graph/scene_layout.h"

namespace views {

/// The picture at the end of a pass: what continues `before` if that is still compact, else laid out compactly, if that can
/// be with everybody in the old order from left to right.
[[nodiscard]] Picture tidyLayout(const Scene &scene, const Theme &theme, const PictureMemory &before,
                                 const QHash<SceneKey, SceneKey> &heirs = {});

} // namespace views
