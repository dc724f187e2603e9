// croton._core: the engine as Python sees it.
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/blas_core.h"
#include "engine/python/core/array.h"
#include "engine/python/core/build.h"
#include "engine/python/core/convert.h"
#include "engine/python/core/device.h"
#include "engine/python/core/dlpack.h"
#include "engine/python/core/errors.h"
#include "engine/python/core/foreign.h"
#include "engine/python/core/interrupts.h"
#include "engine/python/core/node.h"
#include "engine/python/core/op.h"
#include "engine/python/core/rewrites.h"
#include "engine/python/core/type.h"
#include "engine/python/core/watch.h"

#include <stdexcept>

PYBIND11_MODULE(_core, module)
{
    if (const char *problem = engine::processorSettingsProblem(); *problem) throw std::runtime_error(problem);
    python::importNumpy();
    python::addDevices(module);
    python::addDevicePrograms(module);
    python::addDlpack(module);
    python::addTypes(module);
    python::addNodes(module);
    python::addOps(module);
    python::addErrors(module);
    python::addInterrupts();
    python::addValueClasses(module);
    python::addConversions(module);
    python::addElementwiseBuilders(module);
    python::addShapeBuilders(module);
    python::addProductBuilders(module);
    python::addIndexBuilders(module);
    python::addRandomBuilders(module);
    python::addNotation(module);
    python::addGradient(module);
    python::addPrinting(module);
    python::addFunctions(module);
    python::addKernels(module);
    python::addOnnx(module);
    python::addPickling(module);
    python::addRewrites(module);
    python::addWatching(module);
    module.def(
        "blas_core", [] { return engine::blas().core; }, "The kernels that products use, by the processor they were written for.");
    module.def(
        "cpu_level", [] { return std::string(rt_cpu_level()->name); }, "The level of instructions that loops and kernels use.");
}
