// Scenes made by hand and by chance, for tests and for pictures to look at.
#pragma once

#include "views/graph/scene.h"

namespace views::demo {

Scene logisticRegression(bool optimized); // like the example everybody knows
Scene everyKind();                        // each node kind, edge kind and mark once
Scene layered(int count, unsigned seed);  // random, with times

} // namespace views::demo
