#include "engine/codegen/device_elementwise.h"

#include "engine/codegen/dialect.h"
#include "engine/codegen/scalar_text.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace engine {
namespace {

using Block = ScalarProgram::Block;
using Step = ScalarProgram::Step;
using Form = ScalarProgram::Form;

const char *registerName(RtKind kind)
{
    switch (kind) {
    case RT_BOOL: return "unsigned char";
    case RT_INT: return "i64";
    case RT_UINT: return "u64";
    case RT_F32: return "float";
    default: return "double";
    }
}

std::string memoryName(DType dtype)
{
    if (dtype == DType::Float16) return "unsigned short";
    const char *const narrow = wrapType(dtype);
    return narrow ? narrow : registerName(registerKind(dtype));
}

// Suffixes of literals differ between the dialects: a number takes the type that it needs.
std::string literalName(const ScalarProgram::Literal &literal)
{
    const RtKind kind = registerKind(literal.dtype);
    return withStorageType(literal.dtype, [&]<class T>() -> std::string {
        if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
            return {};
        } else {
            const T value = convertElement<T>(literal.value);
            char buffer[64];
            if constexpr (std::is_integral_v<T>) {
                if (kind == RT_UINT) std::snprintf(buffer, sizeof buffer, "%lluu", static_cast<unsigned long long>(value));
                else if (static_cast<std::int64_t>(value) == INT64_MIN) return "(-9223372036854775807 - 1)";
                else std::snprintf(buffer, sizeof buffer, "%lld", static_cast<long long>(value));
            } else {
                const double wide = convertElement<double>(value);
                const char *const single = kind == RT_F32 ? "f" : "";
                if (std::isnan(wide)) return std::string("th_nan") + single + "()";
                if (std::isinf(wide)) return std::string(wide < 0 ? "-th_inf" : "th_inf") + single + "()";
                std::snprintf(buffer, sizeof buffer, "%a%s", wide, single);
            }
            return buffer;
        }
    });
}

class DeviceWriter {
public:
    DeviceWriter(const ScalarProgram &program, const DeviceArrays &arrays, Dialect dialect)
        : m_program(program), m_blocks(program.blocks()), m_arrays(arrays), m_dialect(dialect)
    {}

    KernelSource write(std::string name)
    {
        const std::size_t inputs = m_arrays.inputs.size();
        for (std::size_t i = 0; i < inputs; ++i)
            m_parameters.push_back({"x" + std::to_string(i), "const " + memoryName(m_arrays.inputs[i])});
        for (std::size_t o = 0; o < m_arrays.outputs.size(); ++o)
            m_parameters.push_back({"y" + std::to_string(o), memoryName(m_arrays.outputs[o])});
        writePlaces();
        std::vector<bool> isUsed(m_blocks.size(), false);
        for (const Step &step : m_program.steps())
            for (int i = 0; i < step.inputCount; ++i) isUsed[step.inputs[i]] = true;
        for (std::uint32_t b = 0; b < m_blocks.size(); ++b) {
            const Block &block = m_blocks[b];
            if (!isUsed[b]) continue;
            if (block.kind == Block::Kind::Literal) value(b, literalName(m_program.literals()[block.index]));
            if (block.kind == Block::Kind::Input) {
                const std::string element = "x" + std::to_string(block.index) + "[" + place(block.index) + "]";
                value(b, m_arrays.inputs[block.index] == DType::Float16 ? "th_fromHalf(" + element + ")" : element);
            }
        }
        for (const Step &step : m_program.steps()) writeStep(step);
        for (std::size_t o = 0; o < m_arrays.outputs.size(); ++o) {
            const std::string result = "v" + std::to_string(m_program.outputs()[o]);
            line("y" + std::to_string(o) + "[" + place(inputs + o) +
                 "] = " + (m_arrays.outputs[o] == DType::Float16 ? "th_toHalf(" + result + ")" : result) + ";");
        }
        return {std::move(name), kernelUnit(m_dialect, m_parameters, m_body), std::move(m_math)};
    }

private:
    void line(const std::string &text) { m_body += "        " + text + "\n"; }
    void value(std::uint32_t block, const std::string &text)
    {
        line(std::string("const ") + registerName(m_blocks[block].type) + " v" + std::to_string(block) + " = " + text + ";");
    }

    // Where element i lies along each axis: c0, c1 …
    void writePlaces()
    {
        if (std::count(m_arrays.access.begin(), m_arrays.access.end(), DeviceAccess::Strided) == 0) return;
        for (std::size_t axis = 1; axis < m_arrays.rank; ++axis) m_parameters.push_back({"n" + std::to_string(axis), ""});
        for (std::size_t k = 0; k < m_arrays.access.size(); ++k)
            for (std::size_t axis = 0; axis < m_arrays.rank && m_arrays.access[k] == DeviceAccess::Strided; ++axis)
                m_parameters.push_back({stride(k, axis), ""});
        std::string rest = "i";
        for (std::size_t axis = m_arrays.rank; axis-- > 1;) {
            const std::string number = std::to_string(axis);
            line("const i64 c" + number + " = " + rest + " % n" + number + ", r" + number + " = " + rest + " / n" + number + ";");
            rest = "r" + number;
        }
        line("const i64 c0 = " + rest + ";");
    }
    static std::string stride(std::size_t operand, std::size_t axis) { return "s" + std::to_string(operand) + "_" + std::to_string(axis); }
    std::string place(std::size_t operand) const
    {
        switch (m_arrays.access[operand]) {
        case DeviceAccess::Flat: return "i";
        case DeviceAccess::Single: return "0";
        case DeviceAccess::Strided: break;
        }
        std::string sum;
        for (std::size_t axis = 0; axis < m_arrays.rank; ++axis)
            sum += (axis ? " + c" : "c") + std::to_string(axis) + " * " + stride(operand, axis);
        return sum;
    }

    void writeStep(const Step &step)
    {
        std::vector<std::string> arguments;
        for (int i = 0; i < step.inputCount; ++i) arguments.push_back("v" + std::to_string(step.inputs[i]));
        if (step.form == Form::Cast) return value(step.output, castText(step, arguments[0]));
        if (step.form == Form::Wrap) return value(step.output, wrapText(step.wrapTo, arguments[0]));
        // The host's primitives are the library of its kernels. Devices fuse products and sums whatever this processor does.
        const bool isHost = m_dialect == Dialect::C;
        const char *const dear = isHost ? nullptr : dearText(step.op, step.kind);
        const char *const text = dear ? dear : cheapText(step.op, step.kind);
        if (!text) return writeCall(step);
        value(step.output, filled(text, arguments, step.kind, isHost ? builtinName : libraryName, "u64"));
    }

    std::string castText(const Step &step, const std::string &x) const
    {
        const RtKind to = m_blocks[step.output].type;
        const bool isReal = step.kind == RT_F32 || step.kind == RT_F64;
        if (to == RT_BOOL) return x + " != 0";
        if (step.loop != rt_table()->casts[step.kind][to]) return (to == RT_F32 ? "th_nearOdd(" : "th_toInt32(") + x + ")";
        if (isReal && to == RT_INT) return "th_toInt(" + x + ")";
        if (isReal && to == RT_UINT) return "th_toUnsigned(" + x + ")";
        return "(" + std::string(registerName(to)) + ")" + x;
    }

    static std::string wrapText(DType to, const std::string &x)
    {
        if (to == DType::Float16) return "th_fromHalf(th_toHalf(" + x + "))";
        return "(" + std::string(wrapType(to)) + ")" + x;
    }

    // In C: the primitive, for one element.
    void writeCall(const Step &step)
    {
        const std::string result = "v" + std::to_string(step.output);
        std::string arguments;
        for (int i = 0; i < step.inputCount; ++i) arguments += (i ? ", &v" : "&v") + std::to_string(step.inputs[i]);
        line(std::string(registerName(m_blocks[step.output].type)) + " " + result + ";");
        line("{ const void *in[] = {" + arguments + "}; math[" + std::to_string(m_math.size()) + "](&" + result + ", in, 1); } /* " +
             rt_op_name(step.op) + " */");
        m_math.push_back(step.loop);
    }

    const ScalarProgram &m_program;
    std::span<const Block> m_blocks;
    const DeviceArrays &m_arrays;
    Dialect m_dialect;
    std::vector<KernelParameter> m_parameters;
    std::string m_body;
    std::vector<RtLoop> m_math;
};

} // namespace

std::string deviceElementwiseProblem(const ScalarProgram &program)
{
    for (const Block &block : program.blocks())
        if (block.type == RT_COMPLEX) return "kernels of devices have no complex numbers";
    return {};
}

KernelSource deviceElementwise(const ScalarProgram &program, const DeviceArrays &arrays, Dialect dialect, std::string name)
{
    return DeviceWriter(program, arrays, dialect).write(std::move(name));
}

} // namespace engine
