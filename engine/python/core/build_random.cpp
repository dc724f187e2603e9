// Random numbers: MRG streams, and draws from NumPy's generators.
#include "engine/python/core/build.h"

#include "engine/ops/random.h"
#include "engine/python/core/array.h"
#include "engine/python/core/op.h"
#include "engine/tensor/errors.h"

namespace python {
namespace {

using engine::RandomFunction;
using engine::Value;

std::optional<engine::DType> dtypeOrAuto(const std::string &name)
{
    return name == "auto" ? std::nullopt : std::optional(dtypeFromText(name));
}

/// `draw(distribution, added axes, in place?, type of the sample, generator, sizes, arguments…)` gives the generator after it and the
/// sample.
void setDraw(py::object draw)
{
    static PyObject *function = nullptr;
    function = draw.release().ptr();
    engine::setRandomDraw([](const RandomFunction &op, std::span<const Value> inputs, std::span<Value> outputs) {
        Gil lock;
        try {
            py::list arguments;
            for (const Value &input : inputs) arguments.append(toPython(input, true));
            const engine::Type type = engine::Type::broadcastable(op.dtype(), op.pattern());
            const py::tuple made = py::handle(function)(op.distribution(), op.addedAxes(), op.inplace(), std::string(nameOf(op.dtype())),
                                                        type.rank(), *arguments);
            outputs[0] = toValue(engine::Type::plain(engine::TypeKind::RandomState), py::object(made[0]).ptr());
            outputs[1] = toValue(type, py::object(made[1]).ptr());
        } catch (py::error_already_set &error) {
            const std::string text = py::cast<std::string>(py::str(error.value()));
            pendingError().keep(error);
            throw engine::UserError(text);
        }
    });
}

} // namespace

void addRandomBuilders(py::module_ &module)
{
    build(module, "mrg_uniform", engine::mrgUniform);
    module.def("mrg_uniform_op", [](const std::string &dtype, std::vector<bool> pattern, bool inplace) {
        return engine::makeOp<engine::MrgUniform>(dtypeFromText(dtype), std::move(pattern), inplace);
    });
    module.def("mrg_substreams",
               [](const std::vector<std::int64_t> &state, std::int64_t count) { return arrayOf(engine::mrgSubstreams(state, count)); });
    module.def("mrg_next_stream", [](const std::vector<std::int64_t> &state) { return engine::mrgNextStream(state); });
    module.def(
        "multinomial_from_uniform",
        [](const Operand &p, const Operand &uniform, const Operand &n, const std::string &dtype) {
            return engine::multinomialFromUniform(p.variable, uniform.variable, n.variable, dtypeOrAuto(dtype));
        },
        py::call_guard<TraceScope>());
    module.def(
        "choice_from_uniform",
        [](const Operand &p, const Operand &uniform, const Operand &n, const std::string &dtype, bool replace) {
            return engine::choiceFromUniform(p.variable, uniform.variable, n.variable, dtypeOrAuto(dtype), replace);
        },
        py::call_guard<TraceScope>());
    build(module, "random_function", engine::randomFunction);
    module.def("random_function_op",
               [](const std::string &distribution, const std::string &dtype, std::vector<bool> pattern, bool inplace, int addedAxes) {
                   return engine::makeOp<RandomFunction>(distribution, dtypeFromText(dtype), std::move(pattern), inplace, addedAxes);
               });
    module.def("set_random_draw", setDraw);
}

} // namespace python
