#include "engine/ops/index_launch.h"

#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {

WalkedAxes::WalkedAxes(const Dims &sizes, std::span<const Dims> strides, std::span<const DType> dtypes) : steps(strides.size())
{
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] == 1) continue;
        bool isOne = !shape.empty();
        for (std::size_t k = 0; k < strides.size(); ++k)
            isOne = isOne && steps[k][shape.size() - 1] == strides[k][axis] / static_cast<std::int64_t>(sizeOf(dtypes[k])) * sizes[axis];
        if (!isOne) shape.push_back(1);
        shape[shape.size() - 1] *= sizes[axis];
        for (std::size_t k = 0; k < strides.size(); ++k) {
            steps[k].resize(shape.size());
            steps[k][shape.size() - 1] = strides[k][axis] / static_cast<std::int64_t>(sizeOf(dtypes[k]));
        }
    }
}

WalkText::WalkText(const std::string &letter, const std::string &number, std::span<const std::string> sums, const WalkedAxes &axes)
{
    const auto parameter = [&](const std::string &name, std::int64_t value) {
        parameters.push_back({name, ""});
        values.push_back(value);
        return name;
    };
    for (const std::string &sum : sums) text += "        i64 " + sum + " = 0;\n";
    const std::string rest = letter + "q";
    if (!axes.shape.empty()) text += "        i64 " + rest + " = " + number + ";\n";
    for (std::size_t axis = axes.shape.size(); axis-- > 0;) {
        const std::string at = std::to_string(axis);
        std::string c = rest;
        text += "        { ";
        if (axis > 0) {
            const std::string size = parameter(letter + "n" + at, axes.shape[axis]);
            text += "const i64 c = " + rest + " % " + size + "; " + rest + " /= " + size + "; ";
            c = "c";
        }
        for (std::size_t k = 0; k < sums.size(); ++k)
            text += sums[k] + " += " + c + " * " + parameter(letter + std::to_string(k) + "_" + at, axes.steps[k][axis]) + "; ";
        text += "}\n";
    }
}

Dims restWithin(const IndexLayout &index, const Dims &strides)
{
    Dims result;
    for (std::size_t a = 0; a < index.restShape.size(); ++a) result.push_back(strides[a < index.place ? a : a + index.arrayShape.size()]);
    return result;
}

std::int64_t stepOfArrays(const IndexLayout &index, const Dims &strides, DType dtype)
{
    if (index.arrayShape.empty()) return 0;
    return strides[index.place + index.arrayShape.size() - 1] / static_cast<std::int64_t>(sizeOf(dtype));
}

Dims stridesOfPart(Finding symbol, const SlotOperand &y, const Dims &part)
{
    Dims strides(part.size(), 0);
    for (int axis = 0; axis < y.shape.rank(); ++axis) {
        const auto from = static_cast<std::size_t>(axis), to = static_cast<std::size_t>(part.rank() - y.shape.rank() + axis);
        if (y.shape[from] == part[to]) strides[to] = y.strides[from];
        else if (y.shape[from] != 1)
            throw ShapeMismatch(std::string("[") + nameOf(symbol) + "] cannot broadcast a value of shape " + y.shape.text() +
                                " to the part of shape " + part.text());
    }
    return strides;
}

std::unique_ptr<Thunk> copyUnlessInPlace(const ThunkSpec &spec, const std::string &name)
{
    const SlotOperand &x = spec.inputs[0], &out = spec.outputs[0];
    const bool isInPlace = x.root != kNoSlot && x.root == out.root && x.strides == out.strides;
    return isInPlace || x.shape.product() == 0 ? nullptr : copyThunk({x}, {out}, name);
}

void checkFits(const SlotOperand &y, const Dims &part, const std::string &name)
{
    const std::size_t pad = part.size() - y.shape.size();
    for (std::size_t axis = 0; axis < y.shape.size(); ++axis)
        if (y.shape[axis] != 1 && y.shape[axis] != part[axis + pad])
            throw ShapeMismatch("[" + name + "] cannot broadcast a value of shape " + y.shape.text() + " to the part of shape " +
                                part.text());
}

std::string storeText(bool isSet, DType to, const std::string &at, DType given, const std::string &from)
{
    const auto read = [](DType dtype, const std::string &x) { return dtype == DType::Float16 ? "th_fromHalf(" + x + ")" : x; };
    const std::string sum = isSet ? read(given, from) : read(to, at) + " + " + read(given, from);
    const std::string stored = to == DType::Bool      ? "(" + sum + ") != 0"
                               : to == DType::Float16 ? "th_toHalf((float)(" + sum + "))"
                                                      : "(" + deviceMemory(to) + ")(" + sum + ")";
    return at + " = " + stored + ";";
}

bool readsThere(std::span<const AdvancedEntry> entries, std::span<const SlotOperand> indices)
{
    std::size_t next = 0;
    for (const AdvancedEntry &entry : entries) {
        if (entry.isArray && indices[next].device != DeviceId::Host) return true;
        next += static_cast<std::size_t>(entry.inputCount());
    }
    return false;
}

std::span<const AdvancedEntry> oneArray()
{
    static const AdvancedEntry one[] = {{true, {}}};
    return one;
}

} // namespace engine
