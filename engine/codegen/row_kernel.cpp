#include "engine/codegen/row_kernel.h"

#include "engine/codegen/row_writer.h"
#include "engine/codegen/step_text.h"
#include "engine/scalar/registers.h"

#include <algorithm>

namespace engine {
namespace rowkernel {
namespace {

// Row by row, its elements in lanes that are folded at its end.
class Rows final : public Writer {
public:
    using Writer::Writer;

private:
    std::string sizes() const override
    {
        const std::string pieces = ", pieces = steps[" + std::to_string(operandCount() + 1) + "], piece = c + 63 & -64";
        return "const long c = steps[0], whole = c & -" + m_width + ", left = c - whole" + (isInPieces() ? pieces : "") + ";";
    }
    std::string bufferElements() const override { return isInPieces() ? "pieces * piece" : "(c + 63 & -64)"; }
    bool isInPieces() const { return m_program.areInPieces; }
    std::size_t operandCount() const { return m_program.inputs.size() + m_program.outputs.size(); }
    void passes() override
    {
        line(1, "for (long r = 0; r < n; ++r) {");
        pass();
        line(1, "}");
    }
    std::string nameOfNumber(std::uint32_t id) const override { return numbered("v", id); }
    const char *placeOfLane() const override { return "at + j"; }

    void buffersFor(std::uint32_t callOverRow) override
    {
        for (std::uint32_t argument : node(callOverRow).arguments) {
            if (node(argument).isRow || std::find(m_spread.begin(), m_spread.end(), argument) != m_spread.end()) continue;
            m_spread.push_back(argument);
            buffer(numbered("s", argument), typeOf(argument));
        }
    }

    void literals() override
    {
        // What stands for elements beyond the end is no constant to the compiler: it would write branches in place of vectors.
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
            const Node &n = node(id);
            if (n.kind != Node::Kind::Combined || !isExtreme(n)) continue;
            const std::string type = cType(n.combine.accumulator);
            line(1, "volatile const " + type + numbered(" hidden", id) + " = " + startOf(n) + ";");
            line(1, "const " + type + numbered(" none", id) + numbered(" = hidden", id) + ";");
        }
        for (const Node &n : m_stages.nodes()) {
            if (!n.isCall || n.isRow) continue;
            for (std::uint32_t argument : n.arguments)
                if (node(argument).kind == Node::Kind::Literal && !isNamed(argument)) {
                    m_named.push_back(argument);
                    line(1,
                         "const " + typeOf(argument) + " v" + std::to_string(argument) + " = " + literalText(node(argument).literal) + ";");
                }
        }
    }
    bool isNamed(std::uint32_t id) const { return std::find(m_named.begin(), m_named.end(), id) != m_named.end(); }

    std::string placeOf(std::size_t operand) const
    {
        return "((char *)operands[" + std::to_string(operand) + "] + r * steps[" + std::to_string(operand + 1) + "])";
    }

    void operands() override
    {
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
            const Node &n = node(id);
            if (n.kind != Node::Kind::Input) continue;
            const std::string type = memoryType(m_program.inputs[n.operand].dtype), place = "(const " + type + " *)" + placeOf(n.operand);
            if (n.isRow) line(2, "const " + type + " *const " + numbered(isInPieces() ? "from" : "x", id) + " = " + place + ";");
            else line(2, "const " + typeOf(id) + " v" + std::to_string(id) + " = *" + place + ";");
            if (isPlace(id)) line(2, numbered("const long k", id) + numbered(" = v", id) + numbered(" + (v", id) + " < 0 ? c : 0);");
        }
        for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
            const std::string type = memoryType(m_program.outputs[o].dtype);
            const bool isCut = isInPieces() && m_program.outputs[o].isRow;
            line(2,
                 type + " *const " + numbered(isCut ? "to" : "y", o) + " = (" + type + " *)" + placeOf(m_program.inputs.size() + o) + ";");
        }
    }

    static bool readsPlace(const Node &n) { return n.kind == Node::Kind::Picked || n.kind == Node::Kind::Replaced; }
    bool isPlace(std::uint32_t id) const
    {
        return std::any_of(m_stages.nodes().begin(), m_stages.nodes().end(),
                           [id](const Node &n) { return readsPlace(n) && n.arguments.back() == id; });
    }
    // The row in memory.
    std::string rowOf(std::uint32_t id) const { return numbered(node(id).kind == Node::Kind::Input ? "x" : "t", id); }

    // A number that is looked up in a row.
    void numberOfRow(std::uint32_t id)
    {
        const Node &n = node(id);
        const std::string row = rowOf(n.arguments[0]), declared = "const " + typeOf(id) + numbered(" v", id) + " = ";
        if (n.kind == Node::Kind::Picked) return line(2, declared + row + numbered("[k", n.arguments[1]) + "];");
        const RtDType dtype = node(n.arguments[0]).type == RT_F32 ? RT_D_F32 : RT_D_F64;
        const std::string function = lookedUp(reinterpret_cast<void (*)()>(rt_table()->placeOfLargest[dtype]));
        line(2, declared + "((long (*)(const void *, long))" + function + ")(" + row + ", c);");
    }

    void result(std::size_t output) override
    {
        line(2, numbered("*y", output) + " = " + textOf(m_stages.ofValue(m_program.outputs[output].value)) + ";");
    }

    void number(std::uint32_t id) override
    {
        const Node &n = node(id);
        if (n.kind != Node::Kind::Step) return numberOfRow(id);
        const std::string name = textOf(id);
        if (!n.isCall) return line(2, "const " + typeOf(id) + " " + name + " = " + expressionOf(id) + ";");
        std::string arguments;
        for (std::uint32_t argument : n.arguments) arguments += (arguments.empty() ? "&" : ", &") + numbered("v", argument);
        line(2, typeOf(id) + " " + name + ";");
        line(2, "{ const void *in[] = {" + arguments + "}; " + call(*n.step) + "(&" + name + ", in, 1); }" + nameOf(*n.step));
    }

    void callOverRow(std::uint32_t id) override
    {
        const Node &n = node(id);
        std::string arguments;
        for (std::uint32_t argument : n.arguments) {
            arguments += arguments.empty() ? "" : ", ";
            if (!node(argument).isRow) {
                line(2, "for (long i = 0; i < c; ++i) s" + std::to_string(argument) + "[i] = " + textOf(argument) + ";");
                arguments += numbered("s", argument);
            } else if (isInPieces()) {
                arguments += m_stages.isDirect(argument, m_program) ? pieceOf(numbered("from", argument), node(argument).operand)
                                                                    : numbered("t", argument) + " + s * piece";
            } else {
                arguments += numbered(m_stages.isDirect(argument, m_program) ? "x" : "t", argument);
            }
        }
        line(2, std::string(isInPieces() ? "for (long s = 0; s < pieces; ++s) " : "") + "{ const void *in[] = {" + arguments + "}; " +
                    call(*n.step) + "(" + numbered("t", id) + (isInPieces() ? " + s * piece" : "") + ", in, c); }" + nameOf(*n.step));
    }

    std::string pieceOf(const std::string &row, std::size_t operand) const
    {
        return "((char *)" + row + " + s * steps[" + std::to_string(operandCount() + 2 + operand) + "])";
    }
    std::string keptRow(std::uint32_t id) const override { return numbered(isInPieces() ? "row" : "t", id); }

    // Each piece is summed up as a row by itself is; the sums of the pieces one after the other.
    void piecesOf(const Loop &loop)
    {
        line(2, "for (long s = 0; s < pieces; ++s) {");
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
            const Node &n = node(id);
            if (!n.isRow) continue;
            if (n.isKept) line(2, typeOf(id) + " *const " + numbered("row", id) + " = " + numbered("t", id) + " + s * piece;");
            if (n.kind != Node::Kind::Input) continue;
            const std::string type = std::string("const ") + memoryType(m_program.inputs[n.operand].dtype);
            line(2, type + " *const " + numbered("x", id) + " = (" + type + " *)" + pieceOf(numbered("from", id), n.operand) + ";");
        }
        for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
            if (!m_program.outputs[o].isRow) continue;
            const std::string type = memoryType(m_program.outputs[o].dtype);
            line(2, type + " *const " + numbered("y", o) + " = (" + type + " *)" + pieceOf(numbered("to", o), m_program.inputs.size() + o) +
                        ";");
        }
        for (std::uint32_t id : loop.combined) lanes(id);
        wholeOrPiece(loop);
        for (std::uint32_t id : loop.combined) {
            byHalves(id);
            const RowPart::Combine &combine = node(id).combine;
            const std::string all = numbered("all", id);
            line(2, all + " = " + combinedText(combine.reduce, combine.accumulator, all, numbered("lane", id) + "[0]") + ";");
        }
        line(2, "}");
    }

    void elements(const Loop &loop) override
    {
        if (isInPieces()) piecesOf(loop);
        else wholeOrPiece(loop);
    }
    void wholeOrPiece(const Loop &loop)
    {
        line(2, "for (long at = 0; at < whole; at += " + m_width + ") {");
        if (!isInPieces()) ahead(loop);
        lanesOf(loop, false);
        line(2, "}");
        line(2, "if (left) {");
        line(3, "const long at = whole;");
        lanesOf(loop, true);
        line(2, "}");
    }

    // A processor looks no further ahead than to the end of a page, and a row may begin on another one: while the second loop works, what
    // the first one of the next row reads is fetched, and before any loop what that one is the first to read, or writes.
    void ahead(const Loop &loop)
    {
        const std::size_t here = static_cast<std::size_t>(&loop - loops().data());
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
            const Node &n = node(id);
            if (n.kind != Node::Kind::Input || !n.isRow) continue;
            const auto first = std::ranges::find_if(loops(), [&](const Loop &one) { return reads(one, id); }) - loops().begin();
            const bool isNextRow = first == 0 && here == 1;
            if (!isNextRow && first != static_cast<std::ptrdiff_t>(here) + 1) continue;
            const std::string place = numbered("(x", id) + " + at)";
            fetch(isNextRow ? place + " + steps[" + std::to_string(n.operand + 1) + "]" : place, m_program.inputs[n.operand].dtype, false);
        }
        for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
            const RowProgram::Output &output = m_program.outputs[o];
            if (!output.isLate && here + 1 < loops().size() && writes(loops()[here + 1], output))
                fetch(numbered("(y", o) + " + at)", output.dtype, true);
        }
    }

    static bool isExtreme(const Node &n) { return n.combine.reduce == RT_MAX || n.combine.reduce == RT_MIN; }
    bool marksOddOnes(const Node &combined) const override { return isExtreme(combined); }
    std::string combinedOf(const Node &n, const std::string &target, const std::string &element) const override
    {
        // nan and zeros are looked for apart.
        if (isExtreme(n)) return element + (n.combine.reduce == RT_MAX ? " > " : " < ") + target + " ? " + element + " : " + target;
        return combinedText(n.combine.reduce, n.combine.accumulator, target, element);
    }
    static const char *flagOf(const Node &n) { return n.combine.accumulator == RT_F32 ? "int" : "long long"; }

    void beginCombined(std::uint32_t id) override
    {
        if (isInPieces()) line(2, cType(node(id).combine.accumulator) + numbered(" all", id) + " = " + startOf(node(id)) + ";");
        else lanes(id);
    }
    void lanes(std::uint32_t id)
    {
        const Node &n = node(id);
        const std::string number = std::to_string(id), type = cType(n.combine.accumulator);
        line(2, type + " lane" + number + "[" + m_width + "] ALIGNED;");
        line(2, "for (int j = 0; j < " + m_width + "; ++j) lane" + number + "[j] = " + startOf(n) + ";");
        if (!isExtreme(n)) return;
        line(2, std::string(flagOf(n)) + " odd" + number + "[" + m_width + "] ALIGNED, found" + number + " = 0;");
        line(2, "for (int j = 0; j < " + m_width + "; ++j) odd" + number + "[j] = 0;");
    }

    // Unrolled, the compiler would do it lane by lane.
    static std::string fold(int width)
    {
        return std::string(width >= 4 ? "IVDEP UNROLL1 " : "") + "for (int j = 0; j < " + std::to_string(width) + "; ++j) ";
    }
    void byHalves(std::uint32_t id)
    {
        const std::string lane = numbered("lane", id);
        for (int width = m_lanes / 2; width; width /= 2)
            line(2, fold(width) + lane + "[j] = " + combinedOf(node(id), lane + "[j]", lane + "[j + " + std::to_string(width) + "]") + ";");
    }

    void endCombined(std::uint32_t id) override
    {
        const Node &n = node(id);
        if (isInPieces()) return line(2, "const " + typeOf(id) + numbered(" v", id) + " = " + numbered("all", id) + ";");
        const std::string number = std::to_string(id), type = cType(n.combine.accumulator), lane = "lane" + number;
        if (isExtreme(n)) line(2, fold(m_lanes) + "found" + number + " |= odd" + number + "[j];");
        byHalves(id);
        if (!isExtreme(n)) {
            // As a fold does it, into an accumulator that holds what changes nothing: but for the sign of zero.
            const std::string start = "(" + type + ")" + startOf(n);
            line(2, "const " + typeOf(id) + " v" + number + " = " +
                        combinedText(n.combine.reduce, n.combine.accumulator, start, lane + "[0]") + ";");
            return;
        }
        line(2, type + " v" + number + " = " + lane + "[0];");
        // Which nan it is, and which zero, is left to the fold.
        const std::uint32_t element = n.arguments[0];
        const std::string from = numbered(m_stages.isDirect(element, m_program) ? "x" : "t", element);
        const std::string fold = lookedUp(reinterpret_cast<void (*)()>(rt_table()->folds[n.combine.reduce][n.combine.accumulator]));
        line(2, "if (found" + number + " | (v" + number + " == 0)) {");
        line(3, "v" + number + " = " + startOf(n) + ";");
        const std::string all = "((void (*)(const void *, long, void *))" + fold + ")(";
        if (n.combine.piece == std::numeric_limits<std::int64_t>::max()) {
            line(3, all + from + ", c, &v" + number + ");");
        } else {
            const std::string piece = std::to_string(n.combine.piece);
            line(3, "for (long at = 0; at < c; at += " + piece + ")");
            line(4, all + from + " + at, c - at < " + piece + " ? c - at : " + piece + ", &v" + number + ");");
        }
        line(2, "}");
    }

    std::vector<std::uint32_t> m_spread, m_named;
};

} // namespace
} // namespace rowkernel

std::size_t rowBufferBytes(std::int64_t columns, std::int64_t pieces)
{
    return static_cast<std::size_t>(((columns + 63) & -64) * pieces) * 8 + 320;
}

std::optional<RowKernelText> rowKernel(const RowProgram &program, int lanes) { return rowkernel::Rows(program, lanes).write(); }

} // namespace engine
