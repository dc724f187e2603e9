#include "engine/codegen/elementwise_writer.h"

#include <cmath>
#include <limits>

namespace engine::kerneltext {
namespace {

constexpr std::size_t kMostTemporaries = 24; // arrays of a block that still fit into the first cache
constexpr std::size_t kMostStreams = 128;    // more streams than any processor fetches ahead, and gcc takes long
constexpr int kMostWritten = 8;              // functions written out in one kernel: they are long, and compiling takes its time

} // namespace

std::optional<std::string> Writer::cheapText(const Step &step) const
{
    std::vector<std::string> arguments;
    for (int i = 0; i < step.inputCount; ++i) arguments.push_back("(" + valueText(step.inputs[i]) + ")");
    return stepText(m_program, step, arguments, [this](std::uint32_t block) { return isShortInteger(block); });
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
    return divisionByLiteralText(m_program, step, [this](std::uint32_t block) { return isShortInteger(block); });
}

bool Writer::plan()
{
    if (m_arrays.inputs.size() + m_arrays.outputs.size() > kMostStreams) return false;
    m_available.assign(m_blocks.size(), 0);
    m_stored.assign(m_blocks.size(), false);
    m_spread.assign(m_blocks.size(), false);
    std::size_t cheap = 0;
    for (const Step &step : m_steps) {
        std::uint32_t segment = 0;
        for (int i = 0; i < step.inputCount; ++i) segment = std::max(segment, m_available[step.inputs[i]]);
        const bool isCheap = isWrittenOut(step) ? ++m_written <= kMostWritten : cheapText(step).has_value();
        m_cheap.push_back(isCheap);
        m_segment.push_back(segment);
        m_available[step.output] = isCheap ? segment : segment + 1;
        m_lastSegment = std::max(m_lastSegment, m_available[step.output]);
        cheap += isCheap && (step.op != RT_COPY || step.form == Form::Cast);
        cheap += divisionByLiteral(step) != nullptr; // a multiplication there, a division in the interpreter
    }
    // One loop of its own gains nothing over the interpreter's; combining and converting are steps, too.
    if (cheap + (m_sink ? 1 : 0) + conversions() < 2) return false;
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
                return !m_cheap[s] && m_segment[s] == segment && step.inputCount == 1 && step.loop == m_steps[first].loop &&
                       m_full[step.output] && m_stored[step.inputs[0]] && !bankOf(step.output);
            };
            std::vector<std::size_t> makers;
            for (std::size_t s = first; s < m_steps.size(); ++s)
                if (joins(s)) makers.push_back(s);
            if (makers.size() < 2 || makers[0] != first) continue;
            std::sort(makers.begin(), makers.end(),
                      [&](std::size_t a, std::size_t b) { return m_steps[a].inputs[0] < m_steps[b].inputs[0]; });
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

} // namespace engine::kerneltext
