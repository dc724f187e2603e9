// Random numbers: MRG streams, and draws from NumPy's generators.
#include "engine/python/core/build.h"

#include "engine/ops/elements/random.h"
#include "engine/python/core/array.h"
#include "engine/python/core/op.h"
#include "engine/tensor/errors.h"

#include <unordered_map>

namespace python {
namespace {

using engine::RandomFunction;
using engine::Value;

std::optional<engine::DType> dtypeOrAuto(const std::string &name)
{
    return name == "auto" ? std::nullopt : std::optional(dtypeFromText(name));
}

/// How Python's side draws.
struct Drawing {
    PyObject
        *draw; ///< (distribution, added axes, in place?, dtype, rank, generator, sizes, arguments…): the generator after it, the sample
    PyObject *fit;    ///< (distribution, added axes, dtype, rank, sizes, what was drawn): the sample
    PyObject *method; ///< (distribution): NumPy's own method, or None
    PyTypeObject *generator;
    std::unordered_map<std::string, PyObject *> methods;

    /// Null: none.
    PyObject *methodOf(const std::string &distribution);
};

PyObject *Drawing::methodOf(const std::string &distribution)
{
    const auto [at, isNew] = methods.try_emplace(distribution, nullptr);
    if (!isNew) return at->second;
    py::object found = py::handle(method)(distribution);
    if (!found.is_none()) at->second = found.release().ptr();
    return at->second;
}

py::object argumentOf(const Value &value)
{
    if (!value.isTensor() || value.tensor().rank() > 0) return toPython(value, true);
    const engine::Tensor &number = value.tensor();
    if (isFloat(number.dtype())) return py::float_(number.at(0));
    if (isSignedInteger(number.dtype())) return py::int_(number.intAt(0));
    return toPython(value, true);
}

/// The sample, if the numbers are those of a method of the generator that is drawn from in place; few numbers take less time than
/// what Python does around them.
std::optional<engine::Tensor> drawnByMethod(Drawing &drawing, const RandomFunction &op, std::span<const Value> inputs, engine::Type type)
{
    const engine::Tensor &sizes = inputs[1].tensor();
    if (!op.inplace() || op.addedAxes() || sizes.size() == 0 || sizes.size() != type.rank()) return std::nullopt;
    PyObject *method = drawing.methodOf(op.distribution());
    const py::object generator = toPython(inputs[0], true);
    if (!method || Py_TYPE(generator.ptr()) != drawing.generator) return std::nullopt;
    std::vector<py::object> held{generator};
    for (const Value &argument : inputs.subspan(2)) held.push_back(argumentOf(argument));
    py::tuple shape(static_cast<std::size_t>(sizes.size()));
    for (std::int64_t i = 0; i < sizes.size(); ++i) shape[static_cast<std::size_t>(i)] = py::int_(sizes.intAt(i));
    held.push_back(shape);
    std::vector<PyObject *> arguments;
    for (const py::object &one : held) arguments.push_back(one.ptr());
    py::object made = py::reinterpret_steal<py::object>(PyObject_Vectorcall(method, arguments.data(), arguments.size(), nullptr));
    if (!made) throw py::error_already_set();
    const auto window = windowOf(made.ptr());
    const auto isRight = [&] {
        for (std::int64_t i = 0; i < sizes.size(); ++i)
            if (window->shape[i] != sizes.intAt(i)) return false;
        return true;
    };
    if (!window || window->dtype != op.dtype() || window->rank != type.rank() || !isRight())
        made = py::handle(drawing.fit)(op.distribution(), op.addedAxes(), std::string(nameOf(op.dtype())), type.rank(), shape, made);
    return toValue(type, made.ptr()).tensor();
}

void setDraw(py::object draw, py::object fit, py::object method, py::type generator)
{
    static auto *drawing = new Drawing{
        draw.release().ptr(), fit.release().ptr(), method.release().ptr(), reinterpret_cast<PyTypeObject *>(generator.release().ptr()), {}};
    engine::setRandomDraw([](const RandomFunction &op, std::span<const Value> inputs, std::span<Value> outputs) {
        Gil lock;
        try {
            const engine::Type type = engine::Type::broadcastable(op.dtype(), op.pattern());
            if (auto sample = drawnByMethod(*drawing, op, inputs, type)) {
                outputs[0] = inputs[0];
                outputs[1] = std::move(*sample);
                return;
            }
            py::list arguments;
            for (const Value &input : inputs) arguments.append(toPython(input, true));
            const py::tuple made = py::handle(drawing->draw)(op.distribution(), op.addedAxes(), op.inplace(),
                                                             std::string(nameOf(op.dtype())), type.rank(), *arguments);
            outputs[0] = toValue(engine::Type::plain(engine::TypeKind::RandomState), py::object(made[0]).ptr());
            outputs[1] = toValue(type, py::object(made[1]).ptr());
        } catch (py::error_already_set &error) {
            const std::string text = py::cast<std::string>(py::str(error.value()));
            throwKept(error, text);
        }
    });
}

} // namespace

void addRandomBuilders(py::module_ &module)
{
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
        py::call_guard<BuildScope>());
    module.def(
        "choice_from_uniform",
        [](const Operand &p, const Operand &uniform, const Operand &n, const std::string &dtype, bool replace) {
            return engine::choiceFromUniform(p.variable, uniform.variable, n.variable, dtypeOrAuto(dtype), replace);
        },
        py::call_guard<BuildScope>());
    module.def("random_function_op",
               [](const std::string &distribution, const std::string &dtype, std::vector<bool> pattern, bool inplace, int addedAxes) {
                   return engine::makeOp<RandomFunction>(distribution, dtypeFromText(dtype), std::move(pattern), inplace, addedAxes);
               });
    module.def("set_random_draw", setDraw);
}

} // namespace python
