#include "engine/codegen/device_elementwise.h"

#include "engine/codegen/device_writer.h"
#include "engine/codegen/dialect.h"

#include <algorithm>

namespace engine {

std::string deviceProblem(const ScalarProgram &program)
{
    for (const ScalarProgram::Block &block : program.blocks())
        if (block.type == RT_COMPLEX) return "kernels of devices have no complex numbers";
    return {};
}

// Where an element lies is worked out for a row at a time.
bool takesRows(const DeviceArrays &arrays, Dialect dialect)
{
    return dialect == Dialect::OpenClStrips && arrays.rank > 1 && std::any_of(arrays.access.begin(), arrays.access.end(), isStrided);
}

bool fitsSquares(const Dims &shape, std::size_t turned) { return std::min(shape[turned], shape[shape.size() - 1]) >= kSquareSide; }

std::int64_t elementsOfSquares(const Dims &shape, std::size_t turned)
{
    std::int64_t count = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        count *= axis == turned || axis + 1 == shape.size() ? (shape[axis] + kSquareSide - 1) / kSquareSide * kSquareSide : shape[axis];
    return count;
}

int elementsPerItem(const ScalarProgram &program, std::int64_t elements, Dialect dialect)
{
    constexpr std::int64_t kMany = std::int64_t(1) << 20;
    constexpr std::size_t kMostSteps = 12; // beyond, arithmetic hides memory, and four times as much text is compiled for nothing
    return isOfCards(dialect) && elements >= kMany && program.steps().size() <= kMostSteps ? 4 : 1;
}

KernelSource deviceElementwise(const ScalarProgram &program, const DeviceArrays &arrays, Dialect dialect, std::string name)
{
    DeviceWriter writer(program, arrays.inputs, arrays.access, dialect);
    writer.inputArrays();
    for (std::size_t o = 0; o < arrays.outputs.size(); ++o) writer.array("y" + std::to_string(o), deviceMemory(arrays.outputs[o]));
    writer.givenNumbers();
    writer.sizes(0, arrays.rank);
    writer.strides(arrays.rank);
    if (arrays.turned) writer.number("side");
    if (arrays.perItem > 1) writer.number("size");
    writer.setSmall(arrays.isSmall);
    const auto locate = [&](const std::string &at) -> std::string {
        if (!arrays.turned) {
            writer.coordinates(0, arrays.rank, at);
            return at;
        }
        writer.coordinatesInSquares(arrays.rank, *arrays.turned, at);
        return "flat";
    };
    const auto element = [&](const std::string &at) {
        writer.element(arrays.rank, at);
        for (std::size_t o = 0; o < arrays.outputs.size(); ++o)
            writer.line("y" + std::to_string(o) + "[" + writer.place(arrays.inputs.size() + o, arrays.rank, at) +
                        "] = " + DeviceWriter::stored(arrays.outputs[o], writer.valueOf(o)) + ";");
    };
    if (takesRows(arrays, dialect)) {
        const std::string last = std::to_string(arrays.rank - 1);
        writer.coordinates(0, arrays.rank - 1, "i");
        writer.line("const i64 begin = i * n" + last + ";");
        writer.openBeside("for (i64 c" + last + " = 0; c" + last + " < n" + last + "; ++c" + last + ")");
        element("begin + c" + last);
        writer.close();
    } else if (arrays.perItem > 1) {
        writer.readAhead(arrays.perItem, arrays.rank, locate);
        const std::size_t before = writer.depth();
        writer.openUnrolled(DeviceWriter::overItem(arrays.perItem));
        element(locate("e[k]"));
        writer.closeTo(before);
    } else {
        const std::size_t before = writer.depth();
        element(locate("i"));
        writer.closeTo(before);
    }
    return writer.finish(std::move(name));
}

} // namespace engine
