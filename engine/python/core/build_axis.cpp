// Along one axis: joined, split, repeated, added up.
#include "engine/python/core/build.h"

#include "engine/ops/reductions/cumulative.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/repeat.h"

namespace python {

void addAxisBuilders(py::module_ &module)
{
    build(module, "join", engine::join);
    build(module, "stack", engine::stack);
    build(module, "split", engine::split);
    build(module, "repeat", engine::repeat);
    build(module, "tile", engine::tile);
    build(module, "cumsum", engine::cumsum);
    build(module, "cumprod", engine::cumprod);
}

} // namespace python
