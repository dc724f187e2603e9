#include "engine/codegen/device_writer.h"

#include "engine/codegen/scalar_text.h"
#include "engine/scalar/registers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace engine {
namespace {

using Form = ScalarProgram::Form;

std::string stride(std::size_t operand, std::size_t axis) { return "s" + std::to_string(operand) + "_" + std::to_string(axis); }

std::string literalName(const ScalarProgram::Literal &literal)
{
    const RtKind kind = registerKind(literal.dtype);
    std::vector<std::byte> memory(literalBytes(kind, 1));
    return numberText(kind, fillLiteral(literal, memory.data(), 1));
}

std::string wrapText(DType to, const std::string &x)
{
    if (to == DType::Float16) return "th_fromHalf(th_toHalf(" + x + "))";
    return "(" + std::string(wrapType(to)) + ")" + x;
}

} // namespace

const char *deviceRegister(RtKind kind)
{
    switch (kind) {
    case RT_BOOL: return "unsigned char";
    case RT_INT: return "i64";
    case RT_UINT: return "u64";
    case RT_F32: return "float";
    default: return "double";
    }
}

std::string deviceMemory(DType dtype)
{
    if (dtype == DType::Float16) return "unsigned short";
    const char *const narrow = wrapType(dtype);
    return narrow ? narrow : deviceRegister(registerKind(dtype));
}

std::string bitsType(DType dtype)
{
    switch (sizeOf(dtype)) {
    case 1: return "unsigned char";
    case 2: return "unsigned short";
    case 4: return "unsigned int";
    default: return "u64";
    }
}

std::string numberText(RtKind kind, const void *place)
{
    const auto as = [&]<class T>(T value) {
        std::memcpy(&value, place, sizeof value);
        return value;
    };
    if (kind == RT_BOOL) return std::to_string(as(static_cast<unsigned char>(0)));
    if (kind == RT_UINT) return std::to_string(as(std::uint64_t())) + "u";
    if (kind == RT_INT) {
        const std::int64_t value = as(std::int64_t());
        return value == INT64_MIN ? "(-9223372036854775807 - 1)" : std::to_string(value);
    }
    const char *const single = kind == RT_F32 ? "f" : "";
    const double value = kind == RT_F32 ? static_cast<double>(as(0.0f)) : as(0.0);
    if (std::isnan(value)) return std::string("th_nan") + single + "()";
    if (std::isinf(value)) return std::string(value < 0 ? "-th_inf" : "th_inf") + single + "()";
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%a%s", value, single);
    return buffer;
}

void DeviceWriter::inputArrays()
{
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        if (m_access[i] != DeviceAccess::Number) array("x" + std::to_string(i), "const " + deviceMemory(m_inputs[i]));
}

void DeviceWriter::givenNumbers()
{
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        if (m_access[i] == DeviceAccess::Number) number("x" + std::to_string(i));
}

std::string DeviceWriter::inputText(std::size_t input, std::size_t rank, const std::string &at) const
{
    const std::string name = "x" + std::to_string(input);
    const DType dtype = m_inputs[input];
    std::string element = name + "[" + place(input, rank, at) + "]";
    if (m_isAhead && hasElements(input)) element = "a" + std::to_string(input) + "[k]";
    if (m_access[input] == DeviceAccess::Number) {
        if (dtype == DType::Float32) return "th_asFloat((int)" + name + ")";
        if (dtype == DType::Float64) return "th_asDouble(" + name + ")";
        element = "(" + deviceMemory(dtype) + ")" + name;
    }
    return dtype == DType::Float16 ? "th_fromHalf(" + element + ")" : element;
}

bool DeviceWriter::isStrided() const
{
    return std::any_of(m_access.begin(), m_access.end(), [](DeviceAccess access) { return engine::isStrided(access); });
}

bool DeviceWriter::isCheap() const
{
    constexpr std::size_t kFew = 6;
    return m_program.steps().size() <= kFew && std::all_of(m_program.steps().begin(), m_program.steps().end(), [](const Step &step) {
               return step.form == Form::Cast || step.form == Form::Wrap || !dearText(step.op, step.kind) || cheapText(step.op, step.kind);
           });
}

void DeviceWriter::sizes(std::size_t first, std::size_t end)
{
    for (std::size_t axis = first + 1; axis < end && isStrided(); ++axis) number("n" + std::to_string(axis));
}

void DeviceWriter::strides(std::size_t rank)
{
    for (std::size_t k = 0; k < m_access.size(); ++k)
        for (std::size_t axis = 0; axis < rank && engine::isStrided(m_access[k]); ++axis) number(stride(k, axis));
}

void DeviceWriter::coordinates(std::size_t first, std::size_t end, const std::string &at)
{
    if (!isStrided() || first == end) return;
    std::string rest = whole(at);
    for (std::size_t axis = end; axis-- > first + 1;) {
        const std::string number = std::to_string(axis), size = whole("n" + number);
        line("const " + wholeType() + " c" + number + " = " + rest + " % " + size + ", r" + number + " = " + rest + " / " + size + ";");
        rest = "r" + number;
    }
    line("const " + wholeType() + " c" + std::to_string(first) + " = " + rest + ";");
}

// Squares lie side by side along the last axis, then along the turned one, then along what others there are.
void DeviceWriter::coordinatesInSquares(std::size_t rank, std::size_t turned, const std::string &at)
{
    const std::string type = "const " + wholeType() + " ", edge = std::to_string(kSquareSide), beyond = std::to_string(kSquareSide - 1);
    const std::size_t last = rank - 1;
    const auto name = [](const char *letter, std::size_t axis) { return letter + std::to_string(axis); };
    const std::string across = whole("n" + std::to_string(last)), down = whole("side"), all = whole(at);
    line(type + "within = " + all + " % " + std::to_string(kSquareItems) + ", square = " + all + " / " + std::to_string(kSquareItems) +
         ", across = (" + across + " + " + beyond + ") / " + edge + ", down = (" + down + " + " + beyond + ") / " + edge + ";");
    line(type + name("c", last) + " = square % across * " + edge + " + within % " + edge + ", row = square / across;");
    line(type + name("c", turned) + " = row % down * " + edge + " + within / " + edge + ", others = row / down;");
    std::string rest = "others";
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < last; ++axis)
        if (axis != turned) axes.push_back(axis);
    while (axes.size() > 1) {
        const std::string c = name("c", axes.back()), n = whole(name("n", axes.back())), next = name("r", axes.back());
        line(type + c + " = " + rest + " % " + n + ", " + next + " = " + rest + " / " + n + ";");
        rest = next;
        axes.pop_back();
    }
    if (!axes.empty()) line(type + name("c", axes.back()) + " = " + rest + ";");
    open("if (" + name("c", last) + " < " + across + " && " + name("c", turned) + " < " + down + ")");
    std::string number = "c0";
    for (std::size_t axis = 1; axis < rank; ++axis)
        number = (axis > 1 ? "(" + number + ")" : number) + " * " + name("n", axis) + " + " + name("c", axis);
    line("const i64 flat = " + number + ";");
}

std::string DeviceWriter::place(std::size_t operand, std::size_t rank, const std::string &at) const
{
    if (m_access[operand] == DeviceAccess::Flat) return at;
    if (m_access[operand] == DeviceAccess::Single || m_access[operand] == DeviceAccess::Number) return "0";
    std::string sum;
    const std::size_t inner = m_inner.value_or(rank - 1);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const bool isInner = axis == inner;
        if (isInner && m_access[operand] == DeviceAccess::Still) continue;
        const std::string step = isInner && m_access[operand] == DeviceAccess::Beside ? "" : " * " + stride(operand, axis);
        sum += (sum.empty() ? "c" : " + c") + std::to_string(axis) + step;
    }
    return sum.empty() ? "0" : sum;
}

std::vector<bool> DeviceWriter::usedBlocks() const
{
    std::vector<bool> isUsed(m_blocks.size(), false);
    for (const Step &step : m_program.steps())
        for (int i = 0; i < step.inputCount; ++i) isUsed[step.inputs[i]] = true;
    for (std::uint32_t block : m_program.outputs()) isUsed[block] = true;
    return isUsed;
}

// The last elements are missing of some items: those do their first one again, with what was read before it was written.
void DeviceWriter::readAhead(int perItem, std::size_t rank, const std::function<std::string(const std::string &at)> &locate)
{
    const std::string count = "[" + std::to_string(perItem) + "];";
    const std::vector<bool> isUsed = usedBlocks();
    std::vector<std::size_t> inputs;
    for (std::uint32_t b = 0; b < m_blocks.size(); ++b)
        if (isUsed[b] && m_blocks[b].kind == Block::Kind::Input && hasElements(m_blocks[b].index)) inputs.push_back(m_blocks[b].index);
    line("i64 e" + count);
    for (const std::size_t input : inputs) line(deviceMemory(m_inputs[input]) + " a" + std::to_string(input) + count);
    const std::size_t before = depth();
    openUnrolled(overItem(perItem));
    line("e[k] = i + k * n < size ? i + k * n : i;");
    const std::string at = locate("e[k]");
    for (const std::size_t input : inputs) {
        const std::string number = std::to_string(input);
        line("a" + number + "[k] = x" + number + "[" + place(input, rank, at) + "];");
    }
    closeTo(before);
    m_isAhead = true;
}

void DeviceWriter::element(std::size_t rank, const std::string &at)
{
    const std::vector<bool> isUsed = usedBlocks();
    for (std::uint32_t b = 0; b < m_blocks.size(); ++b) {
        const Block &block = m_blocks[b];
        if (!isUsed[b]) continue;
        if (block.kind == Block::Kind::Literal) value(b, literalName(m_program.literals()[block.index]));
        if (block.kind == Block::Kind::Input) value(b, inputText(block.index, rank, at));
    }
    for (const Step &one : m_program.steps()) step(one);
}

void DeviceWriter::value(std::uint32_t block, const std::string &text)
{
    line(std::string("const ") + deviceRegister(m_blocks[block].type) + " v" + std::to_string(block) + " = " + text + ";");
}

void DeviceWriter::step(const Step &step)
{
    std::vector<std::string> arguments;
    for (int i = 0; i < step.inputCount; ++i) arguments.push_back("v" + std::to_string(step.inputs[i]));
    if (step.form == Form::Cast) {
        const RtKind to = m_blocks[step.output].type;
        return value(step.output, castText(step.kind, to, step.loop != rt_table()->casts[step.kind][to], arguments[0]));
    }
    if (step.form == Form::Wrap) return value(step.output, wrapText(step.wrapTo, arguments[0]));
    // The host's primitives are the library of its kernels. Devices fuse products and sums whatever this processor does.
    const bool isHost = m_dialect == Dialect::C;
    const bool isOwn = m_dialect == Dialect::OpenClStrips && step.kind == RT_F32;
    const char *const written = isOwn ? writtenText(step.op) : nullptr;
    const char *const dear = isHost ? nullptr : written ? written : dearText(step.op, step.kind);
    const char *const text = dear ? dear : cheapText(step.op, step.kind);
    if (!text) return call(step);
    value(step.output, filled(text, arguments, step.kind, isHost ? builtinName : libraryName, "u64"));
}

std::string DeviceWriter::castText(RtKind from, RtKind to, bool isNarrowing, const std::string &x)
{
    const bool isReal = from == RT_F32 || from == RT_F64;
    if (to == RT_BOOL) return x + " != 0";
    if (isNarrowing) return (to == RT_F32 ? "th_nearOdd(" : "th_toInt32(") + x + ")";
    if (isReal && to == RT_INT) return "th_toInt(" + x + ")";
    if (isReal && to == RT_UINT) return "th_toUnsigned(" + x + ")";
    return "(" + std::string(deviceRegister(to)) + ")" + x;
}

// In C: the primitive, for one element.
void DeviceWriter::call(const Step &step)
{
    const std::string result = "v" + std::to_string(step.output);
    std::string arguments;
    for (int i = 0; i < step.inputCount; ++i) arguments += (i ? ", &v" : "&v") + std::to_string(step.inputs[i]);
    line(std::string(deviceRegister(m_blocks[step.output].type)) + " " + result + ";");
    line("{ const void *in[] = {" + arguments + "}; math[" + std::to_string(m_math.size()) + "](&" + result + ", in, 1); } /* " +
         rt_op_name(step.op) + " */");
    m_math.push_back(step.loop);
}

} // namespace engine
