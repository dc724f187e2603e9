#include "app/cli/expr/expr_inputs.h"

#include "app/cli/shared/command.h"
#include "engine/compile/function/function.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"
#include "engine/text/notation.h"

#include <cstdlib>
#include <map>
#include <random>

namespace app {

namespace {

using engine::DType;
using engine::Tensor;

std::string trimmed(const std::string &text)
{
    const std::size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// "x = …; y = …" by name.
std::map<std::string, std::string> definitions(const std::string &text, const char *option)
{
    std::map<std::string, std::string> result;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(";\n", begin), text.size());
        const std::string part = trimmed(text.substr(begin, end - begin));
        begin = end + 1;
        if (part.empty()) continue;
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos) throw UsageError(std::string(option) + " wants NAME = …, not '" + part + "'");
        if (!result.emplace(trimmed(part.substr(0, equals)), trimmed(part.substr(equals + 1))).second)
            throw UsageError(std::string(option) + " gives " + trimmed(part.substr(0, equals)) + " twice");
    }
    return result;
}

// A value may be any expression without inputs: [[1, 2], [3, 4]], alloc(0.5, 3, 4).
Tensor evaluated(const std::string &name, const std::string &text, DType floatX)
{
    engine::ParsedExpression parsed;
    try {
        parsed = engine::parseExpression("value = " + text, floatX);
    } catch (const engine::NotationError &error) {
        throw CliError("the value of " + name + ": " + error.what() + " (column " + std::to_string(std::max(error.column - 8, 1)) +
                           " of '" + text + "')",
                       error.hint);
    }
    if (!parsed.inputs.empty())
        throw CliError("the value of " + name + " may not use " + parsed.inputs[0]->name(), "write numbers: [[1, 2], [3, 4]]");
    if (parsed.outputs[0]->kind() == engine::Variable::Kind::Constant) return parsed.outputs[0]->value().tensor();
    engine::FunctionSpec spec;
    spec.outputs = {parsed.outputs[0]};
    std::vector<engine::Value> values;
    engine::Function::compile(std::move(spec))->call({}, values);
    return values.at(0).tensor();
}

Tensor fitted(const engine::VarRef &input, const Tensor &value)
{
    const engine::Type type = input->type();
    const std::string &name = input->name();
    if (value.rank() != type.rank())
        throw CliError(name + " has " + std::to_string(type.rank()) + " dimensions, the value has " + std::to_string(value.rank()));
    for (int axis = 0; axis < type.rank(); ++axis) {
        const std::int64_t declared = type.shape()[static_cast<std::size_t>(axis)];
        const std::int64_t given = value.shape()[static_cast<std::size_t>(axis)];
        if (declared != engine::kUnknownDim && declared != given)
            throw CliError("axis " + std::to_string(axis) + " of " + name + " has size " + std::to_string(declared) + ", the value has " +
                           std::to_string(given));
    }
    // Whole numbers go into any dtype, fractions only into floats.
    if (engine::isContinuous(value.dtype()) && engine::isDiscrete(type.dtype()))
        throw CliError(name + " is " + std::string(engine::nameOf(type.dtype())) + ", the value has fractions");
    return value.converted(type.dtype());
}

engine::Dims shapeOf(const engine::VarRef &input, const std::string &text, std::int64_t otherwise)
{
    const engine::Type type = input->type();
    std::vector<std::int64_t> sizes;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of("x×,", begin), text.size());
        const std::string word = trimmed(text.substr(begin, end - begin));
        char *rest = nullptr;
        const long long size = std::strtoll(word.c_str(), &rest, 10);
        if (word.empty() || *rest != '\0' || size < 0 || size > 1'000'000'000)
            throw UsageError("--shapes wants sizes like 3x4, not '" + text + "'");
        sizes.push_back(size);
        begin = text.compare(end, 2, "×") == 0 ? end + 2 : end + 1;
    }
    if (!text.empty() && sizes.size() != static_cast<std::size_t>(type.rank()))
        throw CliError(input->name() + " has " + std::to_string(type.rank()) + " dimensions, --shapes gives " +
                       std::to_string(sizes.size()));
    engine::Dims shape;
    double elements = 1;
    for (std::size_t axis = 0; axis < type.shape().size(); ++axis) {
        const std::int64_t declared = type.shape()[axis];
        if (!sizes.empty() && declared != engine::kUnknownDim && declared != sizes[axis])
            throw CliError("axis " + std::to_string(axis) + " of " + input->name() + " has size " + std::to_string(declared) +
                           ", --shapes gives " + std::to_string(sizes[axis]));
        shape.push_back(!sizes.empty() ? sizes[axis] : declared != engine::kUnknownDim ? declared : otherwise);
        elements *= static_cast<double>(shape[axis]);
    }
    if (elements > 1e9) throw CliError(input->name() + " would have " + shape.text() + " elements", "choose sizes with --shapes");
    return shape;
}

// Floats between -1 and 1, whole numbers that can index the arrays at hand.
Tensor randomTensor(DType dtype, const engine::Dims &shape, std::int64_t limit, std::mt19937_64 &random)
{
    Tensor wide = Tensor::empty(engine::isComplex(dtype) ? DType::Complex128 : DType::Float64, shape);
    const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
    const std::int64_t count = wide.size() * (engine::isComplex(dtype) ? 2 : 1);
    auto *out = wide.as<double>();
    for (std::int64_t i = 0; i < count; ++i) {
        if (dtype == DType::Bool) out[i] = static_cast<double>(random() >> 63);
        else if (engine::isDiscrete(dtype))
            out[i] = static_cast<double>(random() % static_cast<std::uint64_t>(std::max<std::int64_t>(limit, 1)));
        else out[i] = 2 * unit() - 1;
    }
    return wide.converted(dtype);
}

} // namespace

std::vector<InputValue> inputValues(const std::vector<engine::VarRef> &inputs, const InputSource &source)
{
    auto values = definitions(source.values, "--values");
    auto shapes = definitions(source.shapes, "--shapes");
    std::mt19937_64 random(source.seed);
    std::vector<InputValue> result;
    for (const engine::VarRef &input : inputs) {
        if (!input->type().isTensor()) throw CliError(input->displayName() + " is no array: croton expr cannot make a value for it");
        const auto given = values.find(input->name());
        if (given != values.end()) {
            result.push_back({fitted(input, evaluated(input->name(), given->second, source.floatX)), false});
            values.erase(given);
            shapes.erase(input->name());
            continue;
        }
        const auto shape = shapes.find(input->name());
        const engine::Dims sizes = shapeOf(input, shape == shapes.end() ? std::string() : shape->second, source.size);
        if (shape != shapes.end()) shapes.erase(shape);
        const std::int64_t limit = std::min<std::int64_t>(source.size, 100);
        result.push_back({randomTensor(input->type().dtype(), sizes, limit, random), true});
    }
    for (const auto *left : {&values, &shapes})
        if (!left->empty())
            throw CliError("the expression has no input " + left->begin()->first, "its inputs are shown by croton expr without --values");
    return result;
}

} // namespace app
