#include "engine/codegen/kernel.h"
#include "engine/codegen/scalar_text.h"
#include "engine/runtime/registers.h"
#include "engine/runtime/scalar_program.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace engine {
namespace {

using Block = ScalarProgram::Block;
using Step = ScalarProgram::Step;
using Form = ScalarProgram::Form;

constexpr long kKernelBlock = 512;          // elements between two calls of vector functions
constexpr std::size_t kMostTemporaries = 24; // arrays of a block that still fit into the first cache
constexpr int kMostWritten = 8;              // functions written out in one kernel: they are long, and compiling takes its time

// Writes the kernel: cheap steps become loops, the others calls of primitives on blocks between the loops.
class Writer {
public:
    Writer(const ScalarProgram &program, const KernelArrays &arrays, const ReductionSink *sink = nullptr)
        : m_program(program), m_blocks(program.blocks()), m_steps(program.steps()), m_arrays(arrays), m_sink(sink)
    {
    }

    std::optional<KernelText> write();

private:
    struct Bank { // arrays side by side, so that a primitive takes them in one call
        std::vector<std::uint32_t> blocks;
        std::vector<std::size_t> makers; // the steps that one call does; empty: made one by one
    };

    static bool isWritten(const Step &step) { return step.form == Form::Op && step.kind == RT_F32 && writtenText(step.op); }
    std::optional<std::string> cheapText(const Step &step) const;
    const char *divisionByLiteral(const Step &step) const;
    bool isShortInteger(std::uint32_t block) const;
    bool plan();
    void planFullArrays();
    void planBanks();
    const Bank *bankOf(std::uint32_t block) const;
    std::string valueText(std::uint32_t block) const;
    std::string arrayText(std::uint32_t block);
    std::string bodyText(std::uint32_t segment, bool last, const std::string &finish, int depth, bool masked = false);
    void writeLoop(std::uint32_t segment, bool last);
    void writeLaneLoop(std::uint32_t segment);
    void writeInputs(int depth, bool fromRow);
    void writeArrays();
    void writeBlocks(int depth, const std::string &advanceToo);
    void writeStrips();
    void writePieces();
    bool isBlocked() const
    {
        return std::find(m_stored.begin(), m_stored.end(), true) != m_stored.end() ||
               std::find(m_narrowed.begin(), m_narrowed.end(), true) != m_narrowed.end();
    }
    std::string combined(const std::string &target, const std::string &element) const;
    std::string into(const std::string &target) const { return m_sink ? target + " = " + combined(target, "e") + ";" : std::string(); }
    const char *accumulatorType() const { return cType(m_sink->accumulator); }
    void line(int depth, const std::string &text) { m_out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n"; }
    bool isInput(std::uint32_t block) const { return m_blocks[block].kind == Block::Kind::Input; }
    bool isSingle(std::uint32_t block) const
    {
        return m_blocks[block].kind == Block::Kind::Literal || (isInput(block) && m_arrays.single[m_blocks[block].index]);
    }
    bool isConverted(std::uint32_t block) const { return isInput(block) && !isNativeRegister(m_arrays.inputs[m_blocks[block].index]); }
    bool convertsAny() const
    {
        const auto narrow = [](DType dtype) { return !isNativeRegister(dtype); };
        return std::any_of(m_arrays.inputs.begin(), m_arrays.inputs.end(), narrow) || std::any_of(m_arrays.outputs.begin(), m_arrays.outputs.end(), narrow);
    }

    const ScalarProgram &m_program;
    std::span<const Block> m_blocks;
    std::span<const Step> m_steps;
    const KernelArrays &m_arrays;
    const ReductionSink *m_sink; // null: the elements are written
    std::vector<std::uint32_t> m_available; // by block: the first segment that can read it
    std::vector<std::uint32_t> m_segment;   // by step
    std::vector<bool> m_cheap;              // by step
    std::vector<bool> m_stored;             // by block: lives in an array of the block
    std::vector<bool> m_spread;             // by block: one element that a primitive wants as an array
    std::vector<bool> m_full;               // by block: its array is filled up to whole vectors
    std::uint32_t m_lastSegment = 0;
    int m_written = 0;       // functions of a primitive that stand in the loops themselves
    bool m_hasBytes = false; // the text made last works on single bytes
    std::vector<bool> m_narrowed;           // by output: written as int first, as bytes behind the loop
    std::vector<Bank> m_banks;
    std::string m_out;
    std::vector<RtLoop> m_math;
};

std::optional<std::string> Writer::cheapText(const Step &step) const
{
    std::vector<std::string> arguments;
    for (int i = 0; i < step.inputCount; ++i) arguments.push_back("(" + valueText(step.inputs[i]) + ")");
    const char *pattern = nullptr;
    switch (step.form) {
    case Form::Op:
        if (step.op == RT_SWITCH && step.kind != RT_COMPLEX) pattern = "$0 ? $1 : $2";
        else if (step.kind == RT_F32 || step.kind == RT_F64) pattern = floatText(step.op);
        else if (step.kind == RT_INT || step.kind == RT_UINT) pattern = integerText(step.op);
        else if (step.kind == RT_BOOL) pattern = boolText(step.op);
        if (!pattern) pattern = divisionByLiteral(step);
        if (!pattern && isWritten(step)) pattern = writtenText(step.op);
        break;
    case Form::Cast: {
        const RtKind to = m_blocks[step.output].type;
        if (to == RT_BOOL && step.kind != RT_COMPLEX) {
            pattern = "$0 != 0";
            break;
        }
        const bool widens = step.kind == RT_BOOL ? to != RT_COMPLEX : to == RT_F32 || to == RT_F64;
        const bool sameBits = (step.kind == RT_INT && to == RT_UINT) || (step.kind == RT_UINT && to == RT_INT);
        if ((widens || sameBits) && step.kind != RT_COMPLEX) pattern = "$0";
        break;
    }
    case Form::Wrap:
        if (const char *type = wrapType(step.wrapTo)) return std::string("(") + type + ")" + arguments[0];
        break;
    case Form::Evaluate: break;
    }
    if (!pattern) return std::nullopt;
    return filled(pattern, arguments, step.kind == RT_F32);
}

// Does an int hold every value that it may have?
bool Writer::isShortInteger(std::uint32_t block) const
{
    const auto isShort = [](DType dtype) { return isDiscrete(dtype) && sizeOf(dtype) <= (isUnsignedInteger(dtype) ? 2u : 4u); };
    const Block &b = m_blocks[block];
    if (b.kind == Block::Kind::Literal) return std::abs(m_program.literals()[b.index].value) <= std::numeric_limits<int>::max();
    if (b.kind == Block::Kind::Input) return isShort(m_arrays.inputs[b.index]);
    return std::any_of(m_steps.begin(), m_steps.end(),
                       [&](const Step &step) { return step.output == block && step.form == Form::Wrap && isShort(step.wrapTo); });
}

const char *Writer::divisionByLiteral(const Step &step) const
{
    const Block &divisor = m_blocks[step.inputs[1]];
    if (step.inputCount != 2 || divisor.kind != Block::Kind::Literal) return nullptr;
    const double by = m_program.literals()[divisor.index].value;
    if (by == 0 || by == -1) return nullptr;
    return divisionText(step.op, step.kind, isShortInteger(step.inputs[0]) && isShortInteger(step.inputs[1]));
}

bool Writer::plan()
{
    m_available.assign(m_blocks.size(), 0);
    m_stored.assign(m_blocks.size(), false);
    m_spread.assign(m_blocks.size(), false);
    std::size_t cheap = 0;
    for (const Step &step : m_steps) {
        if (step.form == Form::Evaluate) return false;
        std::uint32_t segment = 0;
        for (int i = 0; i < step.inputCount; ++i) segment = std::max(segment, m_available[step.inputs[i]]);
        const bool isCheap = isWritten(step) ? ++m_written <= kMostWritten : cheapText(step).has_value();
        m_cheap.push_back(isCheap);
        m_segment.push_back(segment);
        m_available[step.output] = isCheap ? segment : segment + 1;
        m_lastSegment = std::max(m_lastSegment, m_available[step.output]);
        cheap += isCheap && step.op != RT_COPY;
    }
    // One loop of its own gains nothing over the interpreter's; combining and converting are steps, too.
    if (cheap + (m_sink ? 1 : 0) + (convertsAny() ? 1 : 0) < 2) return false;
    std::vector<std::uint32_t> madeIn(m_blocks.size(), 0);
    std::vector<bool> byCall(m_blocks.size(), false);
    for (std::size_t s = 0; s < m_steps.size(); ++s) {
        madeIn[m_steps[s].output] = m_segment[s];
        byCall[m_steps[s].output] = !m_cheap[s];
    }
    for (std::size_t s = 0; s < m_steps.size(); ++s) {
        if (!m_cheap[s]) m_stored[m_steps[s].output] = true;
        for (int i = 0; i < m_steps[s].inputCount; ++i) {
            const std::uint32_t block = m_steps[s].inputs[i];
            if (isSingle(block)) {
                if (!m_cheap[s]) m_spread[block] = true;
            } else if (m_blocks[block].kind == Block::Kind::Temporary && (!m_cheap[s] || m_segment[s] > madeIn[block])) {
                m_stored[block] = true;
            } else if (isConverted(block) && !m_cheap[s]) {
                m_stored[block] = true;
            }
        }
    }
    // Outputs are written in the last loop, when nothing reads an input any more: it may be the same memory.
    for (std::uint32_t output : m_program.outputs())
        if (madeIn[output] < m_lastSegment || byCall[output]) m_stored[output] = true;
    m_narrowed.assign(m_program.outputs().size(), false);
    const bool isLong = m_written || isBlocked();
    for (std::size_t o = 0; o < m_narrowed.size() && !m_sink && isLong; ++o) {
        const std::uint32_t output = m_program.outputs()[o];
        m_narrowed[o] = sizeOf(m_arrays.outputs[o]) < 4 && !m_stored[output];
    }
    const auto arrays = std::count(m_stored.begin(), m_stored.end(), true) + std::count(m_spread.begin(), m_spread.end(), true);
    if (static_cast<std::size_t>(arrays) > kMostTemporaries) return false;
    planFullArrays();
    planBanks();
    return true;
}

// Inputs end where they end. Where one goes into a primitive, so does the result.
void Writer::planFullArrays()
{
    m_full.assign(m_blocks.size(), false);
    for (std::uint32_t b = 0; b < m_blocks.size(); ++b) m_full[b] = isSingle(b) || (isInput(b) && m_stored[b]);
    for (std::size_t s = 0; s < m_steps.size(); ++s) {
        bool full = true;
        for (int i = 0; i < m_steps[s].inputCount; ++i) {
            const std::uint32_t block = m_steps[s].inputs[i];
            full &= m_full[block] || (m_cheap[s] && m_blocks[block].kind == Block::Kind::Input);
        }
        m_full[m_steps[s].output] = full;
    }
}

// The same primitive on several arrays between two loops: one call, if they can lie side by side.
void Writer::planBanks()
{
    for (std::uint32_t segment = 0; segment < m_lastSegment; ++segment)
        for (std::size_t first = 0; first < m_steps.size(); ++first) {
            const auto joins = [&](std::size_t s) {
                const Step &step = m_steps[s];
                return !m_cheap[s] && m_segment[s] == segment && step.inputCount == 1 && step.loop == m_steps[first].loop && m_full[step.output] &&
                       m_stored[step.inputs[0]] && !bankOf(step.output);
            };
            std::vector<std::size_t> makers;
            for (std::size_t s = first; s < m_steps.size(); ++s)
                if (joins(s)) makers.push_back(s);
            if (makers.size() < 2 || makers[0] != first) continue;
            std::sort(makers.begin(), makers.end(), [&](std::size_t a, std::size_t b) { return m_steps[a].inputs[0] < m_steps[b].inputs[0]; });
            Bank from, to{{}, makers};
            for (std::size_t s : makers) {
                from.blocks.push_back(m_steps[s].inputs[0]);
                to.blocks.push_back(m_steps[s].output);
            }
            const bool isNew = std::none_of(from.blocks.begin(), from.blocks.end(), [&](std::uint32_t b) { return bankOf(b) != nullptr; });
            const bool isDistinct = std::adjacent_find(from.blocks.begin(), from.blocks.end()) == from.blocks.end();
            const Bank *known = bankOf(from.blocks[0]);
            if (!isDistinct || !(isNew || (known && known->blocks == from.blocks))) continue;
            if (isNew) m_banks.push_back(from);
            m_banks.push_back(to);
        }
}

auto Writer::bankOf(std::uint32_t block) const -> const Bank *
{
    for (const Bank &bank : m_banks)
        if (std::find(bank.blocks.begin(), bank.blocks.end(), block) != bank.blocks.end()) return &bank;
    return nullptr;
}

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
        m_hasBytes |= m_blocks[block].type == RT_BOOL;
        const std::string array = fromInput ? "x" + std::to_string(m_blocks[block].index) : arrayText(block), value = valueText(block);
        add(std::string("const ") + cType(m_blocks[block].type) + " " + value + " = " + (fromInput && masked ? "IN(" + array + ")" : array + "[i]") + ";");
        if (fromInput) m_hasBytes |= sizeOf(m_arrays.inputs[m_blocks[block].index]) < 4;
        if (fromInput && m_stored[block]) add("t" + std::to_string(block) + "[i] = " + value + ";");
    };
    for (std::uint32_t block = 0; block < m_blocks.size() && segment == 0; ++block)
        if (isInput(block) && m_stored[block]) load(block);
    for (std::size_t s = 0; s < m_steps.size(); ++s) {
        if (!m_cheap[s] || m_segment[s] != segment) continue;
        const Step &step = m_steps[s];
        for (int i = 0; i < step.inputCount; ++i) load(step.inputs[i]);
        m_hasBytes |= step.kind == RT_BOOL || (m_blocks[step.output].type == RT_BOOL && m_stored[step.output]);
        const std::string name = "v" + std::to_string(step.output);
        loaded[step.output] = true;
        add(std::string("const ") + cType(m_blocks[step.output].type) + " " + name + " = " + *cheapText(step) + ";");
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
            add((m_narrowed[o] ? "n" + std::to_string(o) + "[i]" : "OUT(y" + std::to_string(o) + ")") + " = v" + std::to_string(outputs[o]) + ";");
        }
    }
    return body;
}

// Exactly what the folds of rt/ compute.
std::string Writer::combined(const std::string &target, const std::string &element) const
{
    const bool isWhole = m_sink->accumulator == RT_INT || m_sink->accumulator == RT_UINT;
    const std::string bits = isWhole ? "(unsigned long long)" : "";
    switch (m_sink->reduce) {
    case RT_SUM: return bits + target + " + " + bits + element;
    case RT_PROD: return bits + target + " * " + bits + element;
    case RT_MAX: return "(" + target + " > " + element + ") | (" + target + " != " + target + ") ? " + target + " : " + element;
    case RT_MIN: return "(" + target + " < " + element + ") | (" + target + " != " + target + ") ? " + target + " : " + element;
    case RT_ANY: return target + " | " + element;
    default: return target + " & " + element;
    }
}

void Writer::writeLoop(std::uint32_t segment, bool last)
{
    if (last && m_sink && m_sink->lanes) return writeLaneLoop(segment);
    const std::string body = bodyText(segment, last, "if (live) " + into("acc[i]"), 3, true);
    if (body.empty()) return;
    line(2, std::string(m_written || isBlocked() ? "BLOCK" : "EACH") + (m_hasBytes ? "64" : "16") + "(i, m,");
    m_out += body;
    line(2, ")");
}

void Writer::writeLaneLoop(std::uint32_t segment)
{
    const std::string lanes = std::to_string(m_sink->lanes);
    line(2, "long at = 0;");
    line(2, "for (; at + " + lanes + " <= m; at += " + lanes + ")");
    line(2, "    IVDEP");
    line(2, "    for (int j = 0; j < " + lanes + "; ++j) {");
    line(3, "const long i = at + j;");
    m_out += bodyText(segment, true, into("lane[j]"), 3);
    line(2, "    }");
    // What is left over goes to the first lanes. It is made together with elements that were there already, so that it
    // runs as vectors, too.
    line(2, "const long left = m - at, back = m - " + lanes + ";");
    line(2, "if (left && back >= 0) {");
    line(3, std::string(accumulatorType()) + " rest[2 * " + lanes + "] ALIGNED;");
    line(3, "IVDEP");
    line(3, "for (int j = 0; j < " + lanes + "; ++j) {");
    line(4, "const long i = back + j;");
    m_out += bodyText(segment, true, "rest[j] = e;", 4);
    line(3, "}");
    line(3, "const " + std::string(accumulatorType()) + " *const last = rest + (" + lanes + " - left);");
    line(3, "for (int j = 0; j < " + lanes + "; ++j) lane[j] = j < left ? " + combined("lane[j]", "last[j]") + " : lane[j];");
    line(2, "} else {");
    line(3, "for (long i = at; i < m; ++i) {");
    m_out += bodyText(segment, true, into("lane[i - at]"), 4);
    line(3, "}");
    line(2, "}");
}

void Writer::writeInputs(int depth, bool fromRow)
{
    for (const Block &block : m_blocks) {
        if (block.kind != Block::Kind::Input) continue;
        const std::string index = std::to_string(block.index), type = memoryType(m_arrays.inputs[block.index]), name = "x" + index;
        const std::string from = fromRow ? "((const char *)operands[" + index + "] + r * steps[" + std::to_string(block.index + 1) + "])" : "operands[" + index + "]";
        const std::string pointer = fromRow ? "(const " + type + " *)" + from : from;
        if (m_arrays.single[block.index]) line(depth, std::string("const ") + cType(block.type) + " " + name + " = *(const " + type + " *)" + from + ";");
        else line(depth, "const " + type + " *" + name + " = " + pointer + ";");
    }
}

void Writer::writeArrays()
{
    for (std::uint32_t b = 0; b < m_blocks.size(); ++b) {
        if (m_stored[b] && !bankOf(b)) line(1, std::string(cType(m_blocks[b].type)) + " t" + std::to_string(b) + "[" + std::to_string(kKernelBlock) + "] ALIGNED;");
        if (!m_spread[b]) continue;
        line(1, std::string(cType(m_blocks[b].type)) + " s" + std::to_string(b) + "[" + std::to_string(kKernelBlock) + "] ALIGNED;");
        line(1, "for (long i = 0; i < (n < " + std::to_string(kKernelBlock) + " ? WHOLE(n) : " + std::to_string(kKernelBlock) + "); ++i) s" +
                    std::to_string(b) + "[i] = " + valueText(b) + ";");
    }
    for (std::size_t i = 0; i < m_banks.size(); ++i)
        line(1, std::string(cType(m_blocks[m_banks[i].blocks[0]].type)) + " b" + std::to_string(i) + "[" +
                    std::to_string(m_banks[i].blocks.size() * kKernelBlock) + "] ALIGNED;");
    for (std::size_t o = 0; o < m_narrowed.size(); ++o)
        if (m_narrowed[o]) line(1, "int n" + std::to_string(o) + "[" + std::to_string(kKernelBlock) + "] ALIGNED;");
}

// Block by block where primitives are called, else all at once.
void Writer::writeBlocks(int depth, const std::string &advanceToo)
{
    const bool blocked = isBlocked();
    if (blocked) {
        line(depth, "for (long start = 0; start < n; start += " + std::to_string(kKernelBlock) + ") {");
        line(depth + 1, "const long m = n - start < " + std::to_string(kKernelBlock) + " ? n - start : " + std::to_string(kKernelBlock) + ", w = WHOLE(m);");
        for (std::size_t i = 0; i < m_banks.size(); ++i)
            for (std::size_t k = 0; k < m_banks[i].blocks.size(); ++k) {
                const std::uint32_t block = m_banks[i].blocks[k];
                line(depth + 1, std::string(cType(m_blocks[block].type)) + " *const t" + std::to_string(block) + " = b" + std::to_string(i) + " + " +
                                    std::to_string(k) + " * w;");
            }
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
            line(depth + 1, "{ const void *in[] = {" + arguments + "}; math[" + std::to_string(m_math.size()) + "](t" + std::to_string(step.output) +
                                ", in, " + (together > 1 ? std::to_string(together) + " * " : "") + (m_full[step.output] ? "w" : "m") + "); } /* " +
                                name + " */");
            m_math.push_back(step.loop);
        }
    }
    for (std::size_t o = 0; o < m_narrowed.size(); ++o)
        if (m_narrowed[o]) line(depth + 1, "BLOCK64(i, m, OUT(y" + std::to_string(o) + ") = n" + std::to_string(o) + "[i];)");
    if (blocked) {
        std::string advance;
        for (const Block &block : m_blocks)
            if (block.kind == Block::Kind::Input && !m_arrays.single[block.index]) advance += "x" + std::to_string(block.index) + " += m; ";
        line(depth + 1, advance + advanceToo);
    }
    line(depth, "}");
}

// Columns without calls: strips whose accumulators stay in registers while the rows go by.
void Writer::writeStrips()
{
    const std::string type = accumulatorType(), width = "64";
    line(1, "long at = 0;");
    line(1, "for (; at + " + width + " <= n; at += " + width + ") {");
    line(2, type + " lane[" + width + "];");
    line(2, "for (int j = 0; j < " + width + "; ++j) lane[j] = acc[at + j];");
    line(2, "for (long r = 0; r < steps[0]; ++r) {");
    writeInputs(3, true);
    line(3, "IVDEP");
    line(3, "for (int j = 0; j < " + width + "; ++j) {");
    line(4, "const long i = at + j;");
    m_out += bodyText(0, true, into("lane[j]"), 4);
    line(3, "}");
    line(2, "}");
    line(2, "for (int j = 0; j < " + width + "; ++j) acc[at + j] = lane[j];");
    line(1, "}");
    line(1, "for (long r = 0; at < n && r < steps[0]; ++r) {");
    writeInputs(2, true);
    line(2, "IVDEP");
    line(2, "for (long i = at; i < n; ++i) {");
    m_out += bodyText(0, true, into("acc[i]"), 3);
    line(2, "}");
    line(1, "}");
}

// The largest or smallest: pieces of 1024, as the folds take them. nan is left to the fold, which knows the last one.
void Writer::writePieces()
{
    const std::string type = accumulatorType(), flag = m_sink->accumulator == RT_F32 ? "int" : "long long";
    const std::string sign = m_sink->reduce == RT_MAX ? " > " : " < ";
    writeInputs(1, false);
    line(1, "long at = 0;");
    line(1, "for (; at < n && *acc == *acc; at += 1024) {");
    line(2, "const " + type + " before = *acc;");
    line(2, type + " lane[64] ALIGNED;");
    line(2, flag + " odd[64] ALIGNED, found = 0;");
    line(2, "for (int j = 0; j < 64; ++j) lane[j] = before, odd[j] = 0;");
    line(2, "for (long b = at; b < at + 1024; b += 64)");
    line(2, "    IVDEP");
    line(2, "    for (int j = 0; j < 64; ++j) {");
    line(3, "const long i = b + j;");
    m_out += bodyText(0, true, "lane[j] = e" + sign + "lane[j] ? e : lane[j]; odd[j] |= e != e;", 3);
    line(2, "    }");
    line(2, "for (int j = 0; j < 64; ++j) found |= odd[j];");
    line(2, "if (found) break;");
    for (int width = 32; width; width /= 2) {
        const std::string w = std::to_string(width);
        line(2, "for (int j = 0; j < " + w + "; ++j) lane[j] = lane[j + " + w + "]" + sign + "lane[j] ? lane[j + " + w + "] : lane[j];");
    }
    line(2, "*acc = lane[0]" + sign + "before ? lane[0] : before;");
    line(1, "}");
    line(1, "*done = at;");
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

} // namespace

bool isKernelMemory(DType dtype)
{
    return isNativeRegister(dtype) || wrapType(dtype);
}

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

std::string kernelPrelude()
{
    return "typedef void (*Loop)(void *out, const void *const *in, long n);\n"
           "typedef struct { double re, im; } Complex;\n"
           "#define ALIGNED __attribute__((aligned(64)))\n"
           "#ifdef __clang__\n"
           "#define IVDEP _Pragma(\"clang loop vectorize(assume_safety)\")\n"
           "#else\n"
           "#define IVDEP _Pragma(\"GCC ivdep\")\n"
           "#endif\n"
           // Whole vectors, then what is left over under a mask: sixteen elements at a time, as the compiler's vectors of floats,
           // 64 where there are bytes among them. Nothing beyond the inputs and outputs is touched; arrays of the kernel's own
           // are filled up to whole vectors.
           "#if defined(__AVX512BW__) && defined(__AVX512VL__) && !defined(__clang__)\n"
           "#define WHOLE(m) ((m) == 8 ? 8 : ((m) + 15) & -16)\n"
           "#define EACH(step, i, m, ...) { \\\n"
           "    const long whole = (m) & -(step); \\\n"
           "    IVDEP for (long i = 0; i < whole; ++i) { const int live = 1; __VA_ARGS__ } \\\n"
           "    for (long at = whole; at < (m); at += 16) { \\\n"
           "        const int left = (m) - at < 16 ? (m) - at : 16; \\\n"
           "        IVDEP _Pragma(\"GCC unroll 1\") for (int j = 0; j < 16; ++j) { const long i = at + j; const int live = j < left; __VA_ARGS__ } \\\n"
           "    } \\\n"
           "}\n"
           // Eight at a time come out of passes over the rows of a matrix; vectors of their size need no mask.
           "#define BLOCK(step, i, m, ...) \\\n"
           "    if ((m) == 8) { IVDEP _Pragma(\"GCC unroll 1\") for (long i = 0; i < 8; ++i) { const int live = 1; __VA_ARGS__ } } \\\n"
           "    else EACH(step, i, m, __VA_ARGS__)\n"
           "#else\n"
           "#define WHOLE(m) (m)\n"
           "#define EACH(step, i, m, ...) IVDEP for (long i = 0; i < (m); ++i) { const int live = 1; __VA_ARGS__ }\n"
           "#define BLOCK EACH\n"
           "#endif\n"
           "#define IN(x) (live ? (x)[i] : 0)\n"
           "#define OUT(y) if (live) (y)[i]\n"
           "#define BLOCK16(i, m, ...) BLOCK(16, i, m, __VA_ARGS__)\n"
           "#define BLOCK64(i, m, ...) BLOCK(64, i, m, __VA_ARGS__)\n"
           "#define EACH16(i, m, ...) EACH(16, i, m, __VA_ARGS__)\n"
           "#define EACH64(i, m, ...) EACH(64, i, m, __VA_ARGS__)\n" +
           writtenFunctions();
}

} // namespace engine
