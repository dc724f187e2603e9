// croton._core: the engine as Python sees it.
#include "engine/device/cpu/blas.h"
#include "engine/python/core/array.h"
#include "engine/python/core/build.h"
#include "engine/python/core/convert.h"
#include "engine/python/core/errors.h"
#include "engine/python/core/node.h"
#include "engine/python/core/op.h"
#include "engine/python/core/type.h"

PYBIND11_MODULE(_core, module)
{
    python::importNumpy();
    python::addTypes(module);
    python::addNodes(module);
    python::addOps(module);
    python::addErrors(module);
    python::addConversions(module);
    python::addElementwiseBuilders(module);
    python::addShapeBuilders(module);
    python::addProductBuilders(module);
    python::addIndexBuilders(module);
    python::addMoreBuilders(module);
    python::addGradient(module);
    python::addPrinting(module);
    python::addFunctions(module);
    python::addKernels(module);
    python::addPickling(module);
    module.def("blas_core", [] { return engine::blas().core; }, "The processor that the BLAS library tuned itself for.");
}
