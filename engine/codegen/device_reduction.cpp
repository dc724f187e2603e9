#include "engine/codegen/device_reduction.h"

#include "engine/codegen/device_writer.h"
#include "engine/codegen/scalar_text.h"
#include "engine/scalar/registers.h"

namespace engine {

KernelSource deviceReduction(const ScalarProgram &program, const DeviceReduction &reduction, Dialect dialect, std::string name)
{
    DeviceWriter writer(program, reduction.inputs, reduction.access, dialect);
    const std::size_t kept = reduction.resultAxes, rank = kept + reduction.elementAxes;
    const RtKind kind = registerKind(reduction.accumulator);
    writer.inputArrays();
    writer.array("y0", deviceMemory(reduction.result));
    writer.sizes(0, kept);
    writer.sizes(kept, rank);
    writer.strides(rank);
    writer.number("m");
    writer.number("parts");

    writer.line(reduction.isAcross ? "const i64 o = i % (n / parts), p = i / (n / parts);" : "const i64 o = i / parts, p = i % parts;");
    writer.coordinates(0, kept, "o");
    writer.line(std::string(deviceRegister(kind)) + " a = " + numberText(kind, reduction.identity) + ";");
    writer.open("for (i64 j = p; j < m; j += parts)");
    writer.coordinates(kept, rank, "j");
    writer.element(rank, "j");
    const auto converted = [](RtKind from, DType to, const std::string &x) {
        const RtKind target = registerKind(to);
        return from == target ? x : DeviceWriter::castText(from, target, castLoop(from, to) != rt_table()->casts[from][target], x);
    };
    writer.line(std::string("const ") + deviceRegister(kind) +
                " e = " + converted(writer.kindOf(0), reduction.accumulator, writer.valueOf(0)) + ";");
    writer.line("a = " + combinedText(reduction.reduce, kind, "a", "e", "u64") + ";");
    writer.close();
    writer.line("y0[i] = " + DeviceWriter::stored(reduction.result, converted(kind, reduction.result, "a")) + ";");
    return writer.finish(std::move(name));
}

} // namespace engine
