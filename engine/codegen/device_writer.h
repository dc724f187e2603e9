// A scalar program as text for a device, one element at a time: what the loop nests of its kernels share.
#pragma once

#include "engine/codegen/device_elementwise.h"
#include "engine/codegen/dialect.h"

#include <functional>

namespace engine {

/// In registers of that kind; of memory of that dtype.
const char *deviceRegister(RtKind kind);
std::string deviceMemory(DType dtype);
/// What moves elements as they are needs their size only.
std::string bitsType(DType dtype);
/// The number that a register holds. Suffixes of literals differ between the dialects: it takes the type that it needs.
std::string numberText(RtKind kind, const void *place);

class DeviceWriter {
public:
    using Block = ScalarProgram::Block;
    using Step = ScalarProgram::Step;

    /// `access` of the inputs, then of what else the nest places in its axes.
    DeviceWriter(const ScalarProgram &program, std::span<const DType> inputs, std::span<const DeviceAccess> access, Dialect dialect)
        : m_program(program), m_blocks(program.blocks()), m_inputs(inputs), m_access(access), m_dialect(dialect)
    {}

    /// The axis of Beside and Still; the last one if nobody says.
    void setInner(std::size_t axis) { m_inner = axis; }
    void setSmall(bool isSmall) { m_isSmall = isSmall; }
    void array(const std::string &name, const std::string &type) { m_parameters.push_back({name, type}); }
    void number(const std::string &name) { m_parameters.push_back({name, ""}); }
    /// The inputs as parameters: x0, x1 … Those that are numbers come after all arrays.
    void inputArrays();
    void givenNumbers();
    /// What strided operands need to be placed: the sizes of axes `first` + 1 … `end` - 1; all their strides.
    void sizes(std::size_t first, std::size_t end);
    void strides(std::size_t rank);
    bool isStrided() const;
    /// Are its steps such that a processor does them in an instruction or two?
    bool isCheap() const;

    void line(const std::string &text) { m_body += m_indent + text + "\n"; }
    /// A loop over elements that do not depend on each other.
    void openBeside(const std::string &text) { openAfter(besideText(m_dialect), text); }
    /// A loop that is written out: what it writes stays in registers.
    void openUnrolled(const std::string &text) { openAfter("#pragma unroll", text); }
    /// A loop over elements of memory that is far away: several are asked for before the first is there.
    void openReading(const std::string &text) { openAfter(m_dialect == Dialect::C ? "" : "#pragma unroll 8", text); }
    void open(const std::string &text) { line(text + " {"), m_indent += "    "; }
    std::size_t depth() const { return m_indent.size(); }
    void closeTo(std::size_t depth)
    {
        while (m_indent.size() > depth) close();
    }
    void close() { m_indent.resize(m_indent.size() - 4), line("}"); }
    /// Where element `at` lies along axes `first` … `end` - 1: c0, c1 …
    void coordinates(std::size_t first, std::size_t end, const std::string &at);
    /// The same of all axes where groups take squares; opens a block for what is within the edges. `side`: the size of the turned axis.
    void coordinatesInSquares(std::size_t rank, std::size_t turned, const std::string &at);
    /// Of an operand, by those of the axes below `rank`; `at` is the number of the element.
    std::string place(std::size_t operand, std::size_t rank, const std::string &at) const;
    /// Of an item with several elements, finds their numbers e[k] and reads them before anything is done with one. `locate` writes where
    /// an element lies, and returns its number in flat operands.
    void readAhead(int perItem, std::size_t rank, const std::function<std::string(const std::string &at)> &locate);
    static std::string overItem(int perItem) { return "for (int k = 0; k < " + std::to_string(perItem) + "; ++k)"; }
    /// Reads the inputs and does the steps; the results are valueOf(0), valueOf(1) …
    void element(std::size_t rank, const std::string &at);
    std::string valueOf(std::size_t output) const { return "v" + std::to_string(m_program.outputs()[output]); }
    RtKind kindOf(std::size_t output) const { return m_blocks[m_program.outputs()[output]].type; }
    /// From register to register; `isNarrowing`: on the way to a dtype that would be reached in two roundings.
    static std::string castText(RtKind from, RtKind to, bool isNarrowing, const std::string &x);
    /// Into memory of that dtype.
    static std::string stored(DType dtype, const std::string &x) { return dtype == DType::Float16 ? "th_toHalf(" + x + ")" : x; }

    KernelSource finish(std::string name) { return {std::move(name), kernelUnit(m_dialect, m_parameters, m_body), std::move(m_math)}; }

private:
    void openAfter(const std::string &word, const std::string &text)
    {
        if (!word.empty()) m_body += word + "\n";
        open(text);
    }
    std::vector<bool> usedBlocks() const;
    /// Whole numbers up to that of the elements.
    std::string wholeType() const { return m_isSmall ? "unsigned int" : "i64"; }
    std::string whole(const std::string &x) const { return m_isSmall ? "(unsigned int)" + x : x; }
    /// Is the input an array of more than one element?
    bool hasElements(std::size_t input) const { return m_access[input] != DeviceAccess::Single && m_access[input] != DeviceAccess::Number; }
    /// What element `at` of an input is, as a register holds it.
    std::string inputText(std::size_t input, std::size_t rank, const std::string &at) const;
    void value(std::uint32_t block, const std::string &text);
    void step(const Step &step);
    void call(const Step &step);

    const ScalarProgram &m_program;
    std::span<const Block> m_blocks;
    std::span<const DType> m_inputs;
    std::span<const DeviceAccess> m_access;
    Dialect m_dialect;
    std::vector<KernelParameter> m_parameters;
    std::optional<std::size_t> m_inner;
    bool m_isAhead = false, m_isSmall = false;
    std::string m_body, m_indent = "        ";
    std::vector<RtLoop> m_math;
};

} // namespace engine
