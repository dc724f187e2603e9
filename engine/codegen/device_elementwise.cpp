#include "engine/codegen/device_elementwise.h"

#include "engine/codegen/device_writer.h"

namespace engine {

std::string deviceProblem(const ScalarProgram &program)
{
    for (const ScalarProgram::Block &block : program.blocks())
        if (block.type == RT_COMPLEX) return "kernels of devices have no complex numbers";
    return {};
}

KernelSource deviceElementwise(const ScalarProgram &program, const DeviceArrays &arrays, Dialect dialect, std::string name)
{
    DeviceWriter writer(program, arrays.inputs, arrays.access, dialect);
    writer.inputArrays();
    for (std::size_t o = 0; o < arrays.outputs.size(); ++o) writer.array("y" + std::to_string(o), deviceMemory(arrays.outputs[o]));
    writer.sizes(0, arrays.rank);
    writer.strides(arrays.rank);
    if (arrays.rank) writer.coordinates(0, arrays.rank, "i");
    writer.element(arrays.rank, "i");
    for (std::size_t o = 0; o < arrays.outputs.size(); ++o)
        writer.line("y" + std::to_string(o) + "[" + writer.place(arrays.inputs.size() + o, arrays.rank, "i") +
                    "] = " + DeviceWriter::stored(arrays.outputs[o], writer.valueOf(o)) + ";");
    return writer.finish(std::move(name));
}

} // namespace engine
