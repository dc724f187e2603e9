#include "engine/codegen/elementwise_writer.h"

#include <functional>

namespace engine::kerneltext {

std::string Writer::valueText(std::uint32_t block) const
{
    const Block &b = m_blocks[block];
    switch (b.kind) {
    case Block::Kind::Literal: return literalText(m_program.literals()[b.index]);
    case Block::Kind::Input: return (m_arrays.single[b.index] ? "x" : "a") + std::to_string(b.index);
    case Block::Kind::Temporary: break;
    }
    return "v" + std::to_string(block);
}

std::string Writer::arrayText(std::uint32_t block)
{
    const Block &b = m_blocks[block];
    if (m_spread[block]) return "s" + std::to_string(block);
    if (b.kind == Block::Kind::Input && !m_stored[block]) return "x" + std::to_string(b.index);
    return "t" + std::to_string(block);
}

// The cheap steps of a segment; behind the last one what becomes of the elements: `finish` says what of an element e.
// `masked`: inside EACH, where an element may be beyond the end.
std::string Writer::bodyText(std::uint32_t segment, bool last, const std::string &finish, int depth, bool masked)
{
    std::string body;
    std::vector<bool> loaded(m_blocks.size(), false);
    m_hasBytes = false;
    const auto add = [&](const std::string &text) { body += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n"; };
    const auto load = [&](std::uint32_t block) {
        const bool fromInput = isInput(block) && (!m_stored[block] || segment == 0);
        if (loaded[block] || isSingle(block) || !(fromInput || m_stored[block])) return;
        loaded[block] = true;
        m_hasBytes |= m_blocks[block].type == RT_BOOL && !fromInput;
        const std::string array = fromInput ? "x" + std::to_string(m_blocks[block].index) : arrayText(block), value = valueText(block);
        add(std::string("const ") + valueType(m_blocks[block].type) + " " + value + " = " +
            (fromInput && masked ? "IN(" + array + ")" : array + "[i]") + ";");
        if (fromInput) m_hasBytes |= sizeOf(m_arrays.inputs[m_blocks[block].index]) < 4;
        if (fromInput && m_stored[block]) add("t" + std::to_string(block) + "[i] = " + value + ";");
    };
    for (std::uint32_t block = 0; block < m_blocks.size() && segment == 0; ++block)
        if (isInput(block) && m_stored[block]) load(block);
    for (std::size_t s = 0; s < m_steps.size(); ++s) {
        if (!m_cheap[s] || m_segment[s] != segment) continue;
        const Step &step = m_steps[s];
        for (int i = 0; i < step.inputCount; ++i) load(step.inputs[i]);
        m_hasBytes |= m_blocks[step.output].type == RT_BOOL && m_stored[step.output];
        const std::string name = "v" + std::to_string(step.output);
        loaded[step.output] = true;
        add(std::string("const ") + valueType(m_blocks[step.output].type) + " " + name + " = " + *cheapText(step) + ";");
        if (m_stored[step.output]) add("t" + std::to_string(step.output) + "[i] = " + name + ";");
    }
    if (!last) return body;
    const auto outputs = m_program.outputs();
    for (std::uint32_t output : outputs) load(output);
    if (m_sink) {
        add(std::string("const ") + accumulatorType() + " e = v" + std::to_string(outputs[0]) + ";");
        add(finish);
    } else {
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            m_hasBytes |= sizeOf(m_arrays.outputs[o]) < 4 && !m_narrowed[o];
            add((m_narrowed[o] ? "n" + std::to_string(o) + "[i]" : "OUT(y" + std::to_string(o) + ")") + " = v" +
                std::to_string(outputs[o]) + ";");
        }
    }
    return body;
}

void Writer::writeLoop(std::uint32_t segment, bool last)
{
    if (last && m_sink && m_sink->lanes) return writeLaneLoop(segment);
    const std::string body = bodyText(segment, last, "if (live) " + into("acc[i]"), 3, true);
    if (body.empty()) return;
    if (m_ofEight) line(2, "EIGHT(i,");
    else line(2, std::string("EACH") + (m_hasBytes ? "64" : "16") + "(i, m,");
    m_out += body;
    line(2, ")");
}

void Writer::writeInputs(int depth, bool fromRow)
{
    for (const Block &block : m_blocks) {
        if (block.kind != Block::Kind::Input) continue;
        const std::string index = std::to_string(block.index), type = memoryType(m_arrays.inputs[block.index]), name = "x" + index;
        const std::string from = fromRow ? "((const char *)operands[" + index + "] + r * steps[" + std::to_string(block.index + 1) + "])"
                                         : "operands[" + index + "]";
        const std::string pointer = fromRow ? "(const " + type + " *)" + from : from;
        if (m_arrays.single[block.index])
            line(depth, std::string("const ") + cType(block.type) + " " + name + " = *(const " + type + " *)" + from + ";");
        else line(depth, "const " + type + " *" + name + " = " + pointer + ";");
    }
}

void Writer::writeArrays()
{
    const std::string block = std::to_string(m_ofEight ? 8 : kKernelBlock);
    for (std::uint32_t b = 0; b < m_blocks.size(); ++b) {
        if (m_stored[b] && !bankOf(b))
            line(1, std::string(cType(m_blocks[b].type)) + " t" + std::to_string(b) + "[" + block + "] ALIGNED;");
        if (!m_spread[b]) continue;
        line(1, std::string(cType(m_blocks[b].type)) + " s" + std::to_string(b) + "[" + block + "] ALIGNED;");
        const std::string count = m_ofEight ? block : "(n < " + block + " ? WHOLE(n) : " + block + ")";
        line(1, "for (long i = 0; i < " + count + "; ++i) s" + std::to_string(b) + "[i] = " + valueText(b) + ";");
    }
    for (std::size_t i = 0; i < m_banks.size(); ++i)
        line(1, std::string(cType(m_blocks[m_banks[i].blocks[0]].type)) + " b" + std::to_string(i) + "[" +
                    std::to_string(m_banks[i].blocks.size() * (m_ofEight ? 8 : kKernelBlock)) + "] ALIGNED;");
    for (std::size_t o = 0; o < m_narrowed.size(); ++o)
        if (m_narrowed[o]) line(1, "int n" + std::to_string(o) + "[" + block + "] ALIGNED;");
}

// Block by block where primitives are called, else all at once.
void Writer::writeBlocks(int depth, const std::string &advanceToo)
{
    const bool blocked = isBlocked() && !m_ofEight;
    std::size_t calls = 0;
    const auto banks = [&] {
        for (std::size_t i = 0; i < m_banks.size(); ++i)
            for (std::size_t k = 0; k < m_banks[i].blocks.size(); ++k) {
                const std::uint32_t block = m_banks[i].blocks[k];
                line(depth + 1, std::string(cType(m_blocks[block].type)) + " *const t" + std::to_string(block) + " = b" +
                                    std::to_string(i) + " + " + std::to_string(k) + " * w;");
            }
    };
    if (m_ofEight) {
        line(depth, "{");
        line(depth + 1, "const long m = 8, w = 8;");
        banks();
    } else if (blocked) {
        line(depth, "for (long start = 0; start < n; start += " + std::to_string(kKernelBlock) + ") {");
        line(depth + 1, "const long m = n - start < " + std::to_string(kKernelBlock) + " ? n - start : " + std::to_string(kKernelBlock) +
                            ", w = WHOLE(m);");
        banks();
    } else {
        line(depth, "{");
        line(depth + 1, "const long m = n;");
    }
    for (std::uint32_t segment = 0; segment <= m_lastSegment; ++segment) {
        writeLoop(segment, segment == m_lastSegment);
        for (std::size_t s = 0; s < m_steps.size(); ++s) {
            const Step &step = m_steps[s];
            if (m_cheap[s] || m_segment[s] != segment) continue;
            const Bank *bank = bankOf(step.output);
            if (bank && !bank->makers.empty() && bank->makers[0] != s) continue; // done by the first one's call
            const std::size_t together = bank ? std::max<std::size_t>(bank->makers.size(), 1) : 1;
            std::string arguments;
            for (int i = 0; i < step.inputCount; ++i) arguments += (i ? ", " : "") + arrayText(step.inputs[i]);
            const char *name = step.form == Form::Op ? rt_op_name(step.op) : step.form == Form::Cast ? "cast" : "round";
            line(depth + 1, "{ const void *in[] = {" + arguments + "}; math[" + std::to_string(calls) + "](t" +
                                std::to_string(step.output) + ", in, " + (together > 1 ? std::to_string(together) + " * " : "") +
                                (m_full[step.output] ? "w" : "m") + "); } /* " + name + " */");
            if (calls++ == m_math.size()) m_math.push_back(step.loop);
        }
    }
    for (std::size_t o = 0; o < m_narrowed.size(); ++o)
        if (m_narrowed[o])
            line(depth + 1,
                 (m_ofEight ? "EIGHT(i, OUT(y" : "EACH64(i, m, OUT(y") + std::to_string(o) + ") = n" + std::to_string(o) + "[i];)");
    if (blocked) {
        std::string advance;
        for (const Block &block : m_blocks)
            if (block.kind == Block::Kind::Input && !m_arrays.single[block.index]) advance += "x" + std::to_string(block.index) + " += m; ";
        line(depth + 1, advance + advanceToo);
    }
    line(depth, "}");
}

std::optional<KernelText> Writer::write()
{
    if (!plan()) return std::nullopt;
    const bool isExtreme = m_sink && m_sink->lanes && (m_sink->reduce == RT_MAX || m_sink->reduce == RT_MIN);
    if (isExtreme && isBlocked()) return std::nullopt;
    line(0, "(void *const *operands, const Loop *math, long n)");
    line(0, "{");
    std::size_t inputs = 0;
    for (const Block &block : m_blocks) inputs += block.kind == Block::Kind::Input;
    const auto operand = [&](std::size_t behind) { return "operands[" + std::to_string(inputs + behind) + "]"; };
    if (isExtreme) {
        line(1, std::string(accumulatorType()) + " *acc = " + operand(0) + ";");
        line(1, "long *done = " + operand(1) + ";");
        writePieces();
        line(0, "}");
    } else if (m_sink && m_sink->lanes == 0) {
        line(1, std::string(accumulatorType()) + " *acc = " + operand(0) + ";");
        line(1, "const long *steps = " + operand(1) + ";");
        if (!isBlocked()) {
            writeStrips();
        } else {
            line(1, "for (long r = 0; r < steps[0]; ++r) {");
            line(1, std::string(accumulatorType()) + " *const first = acc;");
            writeInputs(1, true);
            writeArrays();
            writeBlocks(1, "acc += m;");
            line(1, "acc = first;");
            line(1, "}");
        }
        line(0, "}");
    } else {
        writeInputs(1, false);
        if (m_sink) {
            const std::string lanes = std::to_string(m_sink->lanes);
            line(1, std::string(accumulatorType()) + " *const lanes = " + operand(0) + ", lane[" + lanes + "] ALIGNED;");
            line(1, "for (int j = 0; j < " + lanes + "; ++j) lane[j] = lanes[j];");
        }
        std::string advance;
        for (std::size_t o = 0; o < m_program.outputs().size() && !m_sink; ++o) {
            line(1, std::string(memoryType(m_arrays.outputs[o])) + " *y" + std::to_string(o) + " = " + operand(o) + ";");
            advance += "y" + std::to_string(o) + " += m; ";
        }
        if (!m_sink && (m_written || isBlocked())) {
            m_ofEight = true;
            line(1, "if (n == 8) {");
            writeArrays();
            writeBlocks(1, "");
            line(1, "return;");
            line(1, "}");
            m_ofEight = false;
        }
        writeArrays();
        writeBlocks(1, advance);
        if (m_sink) line(1, "for (int j = 0; j < " + std::to_string(m_sink->lanes) + "; ++j) lanes[j] = lane[j];");
        line(0, "}");
    }
    KernelText text;
    text.key = std::hash<std::string>{}(m_out);
    text.body = std::move(m_out);
    text.math = std::move(m_math);
    return text;
}

} // namespace engine::kerneltext

namespace engine {

using kerneltext::Writer;

bool isKernelMemory(DType dtype) { return isNativeRegister(dtype) || wrapType(dtype); }

std::optional<KernelText> elementwiseKernel(const ScalarProgram &program, const KernelArrays &arrays)
{
    return Writer(program, arrays).write();
}

bool elementsBecome(RtKind element, RtKind accumulator)
{
    if (element == accumulator) return element != RT_COMPLEX;
    if (accumulator == RT_F64) return element != RT_COMPLEX;
    const bool isWhole = accumulator == RT_INT || accumulator == RT_UINT;
    return isWhole && (element == RT_BOOL || element == RT_INT || element == RT_UINT);
}

std::optional<KernelText> reductionKernel(const ScalarProgram &program, const KernelArrays &arrays, const ReductionSink &sink)
{
    return Writer(program, arrays, &sink).write();
}

} // namespace engine
