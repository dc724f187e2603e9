#include "engine/codegen/row_writer.h"

#include "engine/codegen/step_text.h"
#include "engine/scalar/registers.h"

#include <algorithm>
#include <functional>

namespace engine::rowkernel {

std::string numbered(const char *letter, std::size_t number) { return letter + std::to_string(number); }

std::string Writer::typeOf(std::uint32_t id) const { return cType(node(id).type); }

std::string Writer::valueTypeOf(std::uint32_t id) const { return valueType(node(id).type); }

std::optional<RowKernelText> Writer::write()
{
    if (!m_stages.build(m_program)) return std::nullopt;
    plan();
    line(0, "(void *const *operands, const Loop *math, long n)");
    line(0, "{");
    const std::size_t arrays = m_program.inputs.size() + m_program.outputs.size();
    line(1, "const long *const steps = operands[" + std::to_string(arrays) + "];");
    line(1, sizes());
    line(1, "char *const rows = operands[" + std::to_string(arrays + 1) + "];");
    for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
        if (node(id).isRow && node(id).isKept) {
            buffer(numbered("t", id), typeOf(id));
            m_bufferBytes += registerBytes(node(id).type);
        }
        if (node(id).isRow && node(id).isCall) buffersFor(id);
    }
    literals();
    passes();
    line(0, "}");
    RowKernelText result;
    result.text.key = std::hash<std::string>{}(m_out);
    result.text.body = std::move(m_out);
    result.text.math = std::move(m_math);
    result.buffers = m_buffers;
    result.elementBytes = m_bufferBytes;
    result.stages = m_stages.count();
    for (const Node &n : m_stages.nodes()) {
        result.combined += n.isNeeded && n.kind == Node::Kind::Combined;
        result.numberCalls += n.isNeeded && !n.isRow && (n.isCall || n.isWideLog);
    }
    return result;
}

void Writer::pass()
{
    operands();
    numbersAfter(0);
    for (int stage = 0; stage < m_stages.count(); ++stage) {
        if (const auto loop = std::ranges::find(m_loops, stage, &Loop::stage); loop != m_loops.end()) {
            for (std::uint32_t id : loop->combined) beginCombined(id);
            elements(*loop);
            for (std::uint32_t id : loop->combined) endCombined(id);
        }
        callsAfter(stage);
        numbersAfter(stage + 1);
    }
    for (std::size_t o = 0; o < m_program.outputs.size(); ++o)
        if (!m_program.outputs[o].isRow) result(o);
}

std::string Writer::textOf(std::uint32_t id) const
{
    const Node &n = node(id);
    if (n.kind == Node::Kind::Literal) return literalText(n.literal);
    return n.isRow ? numbered("v", id) : nameOfNumber(id);
}

std::string Writer::inputAt(std::uint32_t id, int, bool isRest)
{
    return isRest ? "IN(" + numbered("x", id) + ")" : numbered("x", id) + "[i]";
}

std::string Writer::expressionOf(std::uint32_t id) const
{
    const Node &n = node(id);
    if (n.kind == Node::Kind::Replaced)
        return numbered("(int)j == h", id) + " ? " + textOf(n.arguments[1]) + " : " + textOf(n.arguments[0]);
    std::vector<std::string> arguments;
    for (std::uint32_t argument : n.arguments) arguments.push_back("(" + textOf(argument) + ")");
    if (n.isWideLog) return "logWide(" + arguments[0] + ")";
    return *stepText(*n.program, *n.step, arguments, [](std::uint32_t) { return false; });
}

void Writer::buffer(const std::string &name, const std::string &type)
{
    // A little apart: rows that lie in the same places of their pages get in each other's way.
    line(1, type + " *const " + name + " = (" + type + " *)(rows + " + std::to_string(m_buffers++) + " * (" + bufferElements() +
                " * 8 + 320));");
}

std::string Writer::lookedUp(void (*function)())
{
    m_math.push_back(reinterpret_cast<RtLoop>(function));
    return "math[" + std::to_string(m_math.size() - 1) + "]";
}

std::string Writer::nameOf(const ScalarProgram::Step &step)
{
    const std::string name = step.form == ScalarProgram::Form::Op     ? rt_op_name(step.op)
                             : step.form == ScalarProgram::Form::Cast ? "cast"
                                                                      : "round to " + std::string(engine::nameOf(step.wrapTo));
    return " /* " + name + " */";
}

// Numbers of the row that are known once so many loops have been done.
void Writer::numbersAfter(int loops)
{
    for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
        const Node &n = node(id);
        if (n.isRow || n.stage != loops || !n.isNeeded) continue;
        if (n.kind == Node::Kind::Picked || n.kind == Node::Kind::Largest || n.kind == Node::Kind::Step) number(id);
    }
}

// Primitives that go over the whole row.
void Writer::callsAfter(int stage)
{
    for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
        const Node &n = node(id);
        if (n.isCall && n.isRow && n.stage == stage + 1 && n.isNeeded) callOverRow(id);
    }
}

Writer::Loop Writer::planned(int stage) const
{
    const std::size_t count = m_stages.nodes().size();
    Loop loop{.stage = stage,
              .made = m_stages.madeIn(stage, m_program),
              .partOf = std::vector<int>(count, -1),
              .isCarried = std::vector<bool>(count, false)};
    for (std::uint32_t id = 0; id < count; ++id)
        if (node(id).kind == Node::Kind::Combined && node(id).stage == stage + 1 && node(id).isNeeded) loop.combined.push_back(id);
    for (std::uint32_t id : loop.made) {
        int part = 0;
        for (std::uint32_t argument : node(id).arguments) part = std::max(part, loop.partOf[argument]);
        loop.partOf[id] = part + node(id).isPower;
        loop.isCarried[id] = node(id).isPower;
        loop.parts = std::max(loop.parts, loop.partOf[id] + 1);
    }
    // Outputs are written in the last part: nothing is read any more then, it may be the same memory.
    const auto use = [&](std::uint32_t id, int part) {
        if (loop.partOf[id] >= 0 && part > loop.partOf[id]) loop.isCarried[id] = true;
    };
    for (std::uint32_t id : loop.made)
        for (std::uint32_t argument : node(id).arguments) {
            use(argument, loop.partOf[id]);
            if (!node(id).isPower) continue;
            if (loop.partOf[argument] >= 0) loop.isCarried[argument] = true;
            else if (std::find(loop.fetched.begin(), loop.fetched.end(), argument) == loop.fetched.end()) loop.fetched.push_back(argument);
        }
    for (const RowProgram::Output &output : m_program.outputs)
        if (output.isRow && m_stages.stageOf(output) == stage) use(m_stages.ofValue(output.value), loop.parts - 1);
    return loop;
}

void Writer::plan()
{
    for (int stage = 0; stage < m_stages.count(); ++stage) {
        Loop loop = planned(stage);
        const bool isWritten =
            std::ranges::any_of(m_program.outputs, [&](const RowProgram::Output &output) { return writes(loop, output); });
        if (!loop.made.empty() || !loop.combined.empty() || isWritten) m_loops.push_back(std::move(loop));
    }
}

void Writer::fetch(const std::string &from, DType dtype, bool isWritten)
{
    constexpr std::size_t kCacheLine = 64;
    const std::size_t bytes = static_cast<std::size_t>(m_lanes) * sizeOf(dtype);
    std::string text;
    for (std::size_t at = 0; at < bytes; at += kCacheLine)
        text += "__builtin_prefetch((const char *)" + from + " + " + std::to_string(at) + (isWritten ? ", 1); " : "); ");
    text.pop_back();
    line(3, text);
}

bool Writer::reads(const Loop &loop, std::uint32_t id) const
{
    const auto isArgument = [&](std::uint32_t reader) { return std::ranges::count(node(reader).arguments, id) > 0; };
    return std::ranges::any_of(loop.made, isArgument) || std::ranges::any_of(loop.combined, isArgument) ||
           std::ranges::any_of(m_program.outputs, [&](const RowProgram::Output &output) {
               return writes(loop, output) && m_stages.ofValue(output.value) == id;
           });
}

std::string Writer::startOf(const Node &n)
{
    switch (n.combine.reduce) {
    case RT_MAX: return "-__builtin_inf()";
    case RT_MIN: return "__builtin_inf()";
    case RT_PROD: return "1";
    default: return "0";
    }
}

void Writer::lanesOf(const Loop &loop, bool isRest)
{
    for (std::uint32_t id : loop.made)
        if (loop.isCarried[id]) line(3, valueTypeOf(id) + " l" + std::to_string(id) + "[" + m_width + "] ALIGNED;");
    for (std::uint32_t id : loop.fetched) line(3, valueTypeOf(id) + " l" + std::to_string(id) + "[" + m_width + "] ALIGNED;");
    for (std::uint32_t id : loop.made)
        if (node(id).kind == Node::Kind::Replaced)
            line(3, numbered("const int h", id) + numbered(" = (int)(k", node(id).arguments.back()) + " - at);");
    for (int part = 0; part < loop.parts; ++part) {
        for (std::uint32_t id : loop.made)
            if (node(id).isPower && loop.partOf[id] == part)
                line(3, "POWERS(l" + std::to_string(id) + ", l" + std::to_string(node(id).arguments[0]) + ", " +
                            (isRest ? "WHOLE(left)" : m_width) + ");");
        const std::string body = bodyOf(loop, part, isRest);
        if (body.empty()) continue;
        line(3, isRest          ? "REST(j, left,"
                : m_lanes == 16 ? "IVDEP UNROLL1 for (int j = 0; j < 16; ++j) {"
                                : "IVDEP for (int j = 0; j < " + m_width + "; ++j) {");
        line(4, std::string("const long i = ") + placeOfLane() + ";");
        m_out += body;
        line(3, isRest ? ")" : "}");
    }
}

std::string Writer::bodyOf(const Loop &loop, int part, bool isRest)
{
    std::string body;
    std::vector<bool> isLoaded(m_stages.nodes().size(), false);
    const auto add = [&](const std::string &text) { body += std::string(16, ' ') + text + "\n"; };
    const auto load = [&](std::uint32_t id) {
        const Node &n = node(id);
        if (!n.isRow || isLoaded[id] || (loop.partOf[id] == part && !n.isPower)) return;
        isLoaded[id] = true;
        const std::string number = std::to_string(id), declared = "const " + valueTypeOf(id) + " v" + number + " = ";
        if (loop.partOf[id] >= 0) add(declared + "l" + number + "[j];");
        else if (n.kind == Node::Kind::Input) add(declared + inputAt(id, loop.stage, isRest) + ";");
        else add(declared + keptRow(id) + "[i];");
    };
    const auto keep = [&](std::uint32_t id) {
        if (node(id).isKept && node(id).stage == loop.stage) add(keptRow(id) + "[i] = " + textOf(id) + ";");
    };
    for (std::uint32_t id : part == 0 ? loop.fetched : std::vector<std::uint32_t>()) {
        load(id);
        add("l" + std::to_string(id) + "[j] = v" + std::to_string(id) + ";");
    }
    for (std::uint32_t id : loop.made) {
        const Node &n = node(id);
        if (loop.partOf[id] != part) continue;
        if (n.isPower) { // made between the parts
            if (!n.isKept || n.stage != loop.stage) continue;
            load(id);
            keep(id);
            continue;
        }
        for (std::uint32_t argument : n.arguments) load(argument);
        add("const " + valueTypeOf(id) + " v" + std::to_string(id) + " = " + expressionOf(id) + ";");
        if (loop.isCarried[id]) add("l" + std::to_string(id) + "[j] = v" + std::to_string(id) + ";");
        keep(id);
    }
    for (std::uint32_t id : loop.combined) {
        const Node &n = node(id);
        const std::uint32_t element = n.arguments[0];
        if (std::max(loop.partOf[element], 0) != part) continue;
        load(element);
        const std::string number = std::to_string(id), lane = "lane" + number + "[j]", e = "e" + number;
        const bool isOdd = marksOddOnes(n);
        add(std::string("const ") + cType(n.combine.accumulator) + " " + e + " = " +
            (isRest && isOdd ? "live ? " + textOf(element) + " : none" + number : textOf(element)) + ";");
        const std::string value = combinedOf(n, lane, e);
        add(lane + " = " + (isRest && !isOdd ? "live ? (" + value + ") : " + lane : value) + ";");
        if (isOdd) add("odd" + number + "[j] |= " + e + " != " + e + ";");
    }
    if (part + 1 < loop.parts) return body;
    for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
        const RowProgram::Output &output = m_program.outputs[o];
        if (!writes(loop, output)) continue;
        const std::uint32_t id = m_stages.ofValue(output.value);
        load(id);
        add((isRest ? "OUT(y" + std::to_string(o) + ")" : "y" + std::to_string(o) + "[i]") + " = " + textOf(id) + ";");
    }
    return body;
}

} // namespace engine::rowkernel
