#include "engine/codegen/device_elementwise.h"

#include "engine/codegen/device_writer.h"

#include <algorithm>

namespace engine {

std::string deviceProblem(const ScalarProgram &program)
{
    for (const ScalarProgram::Block &block : program.blocks())
        if (block.type == RT_COMPLEX) return "kernels of devices have no complex numbers";
    return {};
}

// Where an element lies is worked out for a row at a time.
bool takesRows(const DeviceArrays &arrays, KernelTarget target)
{
    return target.takesStrips() && arrays.rank > 1 && std::any_of(arrays.access.begin(), arrays.access.end(), isStrided);
}

bool fitsSquares(const Dims &shape, std::size_t turned) { return std::min(shape[turned], shape[shape.size() - 1]) >= kSquareSide; }

std::int64_t elementsOfSquares(const Dims &shape, std::size_t turned)
{
    std::int64_t count = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        count *= axis == turned || axis + 1 == shape.size() ? (shape[axis] + kSquareSide - 1) / kSquareSide * kSquareSide : shape[axis];
    return count;
}

int elementsPerItem(const ScalarProgram &program, std::int64_t elements, KernelTarget target)
{
    constexpr std::int64_t kMany = std::int64_t(1) << 20;
    constexpr std::size_t kMostSteps = 12; // beyond, arithmetic hides memory, and four times as much text is compiled for nothing
    return target.hasManyItems() && elements >= kMany && program.steps().size() <= kMostSteps ? 4 : 1;
}

ir::Kernel deviceElementwise(const ScalarProgram &program, const DeviceArrays &arrays, KernelTarget target, std::string name)
{
    ir::Builder k(std::move(name));
    DeviceWriter writer(k, program, arrays.inputs, arrays.access, arrays.isSmall);
    writer.inputArrays();
    std::vector<ir::Array> outputs;
    for (std::size_t o = 0; o < arrays.outputs.size(); ++o) outputs.push_back(k.writes("y" + std::to_string(o), arrays.outputs[o]));
    writer.givenNumbers();
    writer.sizes(0, arrays.rank);
    writer.strides(arrays.rank);
    const ir::Value side = arrays.turned ? k.number("side", 0) : 0, size = arrays.perItem > 1 ? k.number("size", 0) : 0;
    const auto locate = [&](const ir::Value &at, const DeviceWriter::Located &located) {
        if (arrays.turned) return writer.inSquares(arrays.rank, *arrays.turned, side, at, located);
        writer.coordinates(0, arrays.rank, at);
        located(at);
    };
    const auto element = [&](const ir::Value &at, const ir::Value &ahead) {
        writer.element(arrays.rank, at, ahead);
        for (std::size_t o = 0; o < arrays.outputs.size(); ++o)
            outputs[o][writer.place(arrays.inputs.size() + o, arrays.rank, at)] = writer.valueOf(o);
    };
    if (takesRows(arrays, target)) {
        const std::size_t last = arrays.rank - 1;
        writer.coordinates(0, last, k.item());
        const ir::Value begin = k.let("begin", k.item() * writer.size(last));
        k.loop(
            "c" + std::to_string(last), {0, writer.size(last)},
            [&](const ir::Value &place) {
                writer.setPlace(last, place);
                element(begin + place, 0);
            },
            ir::LoopKind::Beside);
    } else if (arrays.perItem > 1) {
        const ir::Array numbers = writer.readAhead(arrays.perItem, arrays.rank, size, locate);
        k.loop(
            "k", {0, arrays.perItem},
            [&](const ir::Value &ahead) { locate(numbers[ahead], [&](const ir::Value &at) { element(at, ahead); }); },
            ir::LoopKind::Unrolled);
    } else {
        locate(k.item(), [&](const ir::Value &at) { element(at, 0); });
    }
    return k.finish();
}

} // namespace engine
