// The largest, the order, the places of values.
#include "engine/python/core/build.h"

#include "engine/ops/argmax.h"
#include "engine/ops/index_advanced.h"
#include "engine/ops/sort.h"
#include "engine/ops/topk.h"

namespace python {

void addSearchBuilders(py::module_ &module)
{
    build(module, "argmax", engine::argmax);
    build(module, "argmin", engine::argmin);
    build(module, "max_and_argmax", engine::maxAndArgmax);
    build(module, "sort", engine::sort);
    build(module, "argsort", engine::argsort);
    build(module, "searchsorted", engine::searchsorted);
    build(module, "unique", engine::unique);
    build(module, "topk", engine::topK);
    build(module, "nonzero", engine::nonzero);
}

} // namespace python
