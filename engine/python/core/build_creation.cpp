// Arrays that are made of a rule: ranges, identities, diagonals.
#include "engine/python/core/build.h"

#include "engine/ops/shapes/creation.h"

namespace python {

void addCreationBuilders(py::module_ &module)
{
    using engine::VarRef;
    build<BuildScope, VarRef, const VarRef &, const VarRef &, const VarRef &, std::optional<engine::DType>>(module, "arange",
                                                                                                            engine::arange);
    build(module, "eye", engine::eye);
    build(module, "tri", engine::tri);
    build(module, "tril", engine::tril);
    build(module, "triu", engine::triu);
    build(module, "diag", engine::diag);
    build(module, "diagonal", engine::diagonal);
    build(module, "trace", engine::trace);
}

} // namespace python
