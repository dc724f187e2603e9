#include "engine/text/pretty_constant.h"

#include "engine/graph/syntax/notation_call.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace engine {
namespace {

constexpr std::int64_t kMostWritten = 64;

std::string elementText(const Tensor &tensor, std::int64_t index)
{
    if (tensor.dtype() == DType::Bool) return tensor.intAt(index) ? "True" : "False";
    if (tensor.dtype() == DType::UInt64 && tensor.intAt(index) < 0) return {}; // beyond the notation's integers
    if (isInteger(tensor.dtype())) return std::to_string(tensor.intAt(index));
    const double value = tensor.at(index);
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    char buffer[40];
    const auto written = tensor.dtype() == DType::Float64 ? std::to_chars(buffer, buffer + sizeof buffer, value)
                                                          : std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value));
    std::string text(buffer, written.ptr);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

bool nested(const Tensor &tensor, int axis, std::int64_t &index, std::string &out)
{
    if (axis == tensor.rank()) {
        const std::string text = elementText(tensor, index++);
        out += text;
        return !text.empty();
    }
    out += '[';
    for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i) {
        if (i) out += ", ";
        if (!nested(tensor, axis + 1, index, out)) return false;
    }
    out += ']';
    return true;
}

// The dtype that the text gets when it stands alone.
DType readsAs(const Tensor &tensor, DType floatX)
{
    if (tensor.dtype() == DType::Bool) return DType::Bool;
    NotationValue value;
    if (tensor.rank()) return isDiscrete(tensor.dtype()) ? DType::Int64 : DType::Float64;
    if (isInteger(tensor.dtype())) value = NotationValue::ofInteger(tensor.intAt(0));
    else value = NotationValue::ofReal(std::strtod(elementText(tensor, 0).c_str(), nullptr));
    return notationConstant(value, {}, floatX)->type().dtype();
}

} // namespace

std::string literalText(const Value &value, DType floatX)
{
    if (!value.isTensor()) return {};
    const Tensor &tensor = value.tensor();
    if (isComplex(tensor.dtype()) || tensor.size() > kMostWritten || tensor.size() == 0) return {};
    std::string text;
    std::int64_t index = 0;
    if (!nested(tensor, 0, index, text)) return {};
    const bool negative = text[0] == '-'; // -1 ** 2 would bind wrongly
    if (readsAs(tensor, floatX) != tensor.dtype()) return std::string(nameOf(tensor.dtype())) + "(" + text + ")";
    return negative ? "(" + text + ")" : text;
}

std::string typeWord(Type type)
{
    std::string text = std::string(nameOf(type.dtype())) + "[";
    for (int axis = 0; axis < type.rank(); ++axis) {
        const std::int64_t size = type.shape()[axis];
        if (axis) text += ", ";
        text += size == kUnknownDim ? "?" : std::to_string(size);
    }
    return text + "]";
}

bool isNotationName(const std::string &text)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (text.empty() || !letter(text[0]) || dtypeFromName(text)) return false;
    for (const char *word : {"floatX", "True", "False", "None", "inf", "nan", "and", "or", "not"})
        if (text == word) return false;
    return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

} // namespace engine
