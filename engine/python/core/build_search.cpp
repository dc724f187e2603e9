// The largest, the order, the places of values.
#include "engine/python/core/build.h"

#include "engine/ops/index/index_advanced.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/sort.h"
#include "engine/ops/reductions/topk.h"

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
