#include "engine/codegen/row_kernel.h"

#include "engine/codegen/row_writer.h"
#include "engine/codegen/step_text.h"
#include "engine/scalar/registers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

namespace engine {
namespace rowkernel {
namespace {

// Strips of columns, each column in a lane of its own from its first element to its last one: numbers of columns are arrays of a strip.
class Columns final : public Writer {
public:
    using Writer::Writer;

private:
    std::string sizes() const override { return "const long c = steps[0], whole = n & -" + m_width + ";"; }
    // Apart: what is made ready for the last columns takes no registers of the others.
    void passes() override
    {
        line(1, "for (long at = 0; at < whole; at += " + m_width + ") {");
        pass();
        line(1, "}");
        line(1, "if (whole < n) {");
        line(2, "const long at = whole, left = n - whole;");
        m_isRest = true;
        m_firstReads.clear();
        pass();
        line(1, "}");
    }
    std::string bufferElements() const override { return "c * " + m_width; }
    std::string nameOfNumber(std::uint32_t id) const override { return numbered("v", id) + "[j]"; }
    const char *placeOfLane() const override { return "j"; }
    void buffersFor(std::uint32_t) override {}

    void strip(int depth, const std::string &type, std::uint32_t id)
    {
        line(depth, type + numbered(" v", id) + "[" + m_width + "] ALIGNED;");
    }
    std::string eachLane() const { return "for (int j = 0; j < " + m_width + "; ++j) "; }
    void eachColumn(const std::string &text)
    {
        if (m_isRest) line(2, "REST(j, left, const long i = j; " + text + ")");
        else line(2, "for (int j = 0; j < " + m_width + "; ++j) { const int i = j, live = 1; " + text + " }");
    }
    std::string columns() const { return m_isRest ? "left" : m_width; }

    void literals() override
    {
        std::vector<std::uint32_t> named;
        for (const Node &n : m_stages.nodes())
            for (std::uint32_t argument : n.isCall ? n.arguments : std::vector<std::uint32_t>()) {
                if (node(argument).kind != Node::Kind::Literal || std::find(named.begin(), named.end(), argument) != named.end()) continue;
                named.push_back(argument);
                strip(1, typeOf(argument), argument);
                line(1, eachLane() + numbered("v", argument) + "[j] = " + textOf(argument) + ";");
            }
    }

    bool isSame(std::uint32_t id) const { return node(id).kind == Node::Kind::Input && m_program.inputs[node(id).operand].isSame; }
    std::string memoryOf(std::size_t input) const { return memoryType(m_program.inputs[input].dtype); }

    void operands() override
    {
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
            const Node &n = node(id);
            if (n.kind != Node::Kind::Input) continue;
            const std::string type = "const " + memoryOf(n.operand);
            const std::string place = "(" + type + " *)operands[" + std::to_string(n.operand) + "]" + (isSame(id) ? ";" : " + at;");
            line(2, type + " *const " + numbered("from", id) + " = " + place);
            if (n.isRow) continue;
            strip(2, typeOf(id), id);
            if (isSame(id)) line(2, eachLane() + numbered("v", id) + "[j] = *" + numbered("from", id) + ";");
            else eachColumn(textOf(id) + " = IN(" + numbered("from", id) + ");");
        }
        for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
            const std::string type = memoryType(m_program.outputs[o].dtype);
            line(2, type + " *const " + numbered("to", o) + " = (" + type + " *)operands[" + std::to_string(m_program.inputs.size() + o) +
                        "] + at;");
        }
    }

    void result(std::size_t output) override
    {
        eachColumn("OUT(" + numbered("to", output) + ") = " + textOf(m_stages.ofValue(m_program.outputs[output].value)) + ";");
    }

    void number(std::uint32_t id) override
    {
        const Node &n = node(id);
        strip(2, typeOf(id), id);
        if (!n.isCall) return eachColumn(textOf(id) + " = " + expressionOf(id) + ";");
        std::string arguments;
        for (std::uint32_t argument : n.arguments) arguments += (arguments.empty() ? "" : ", ") + numbered("v", argument);
        line(2, "{ const void *in[] = {" + arguments + "}; " + call(*n.step) + "(" + numbered("v", id) + ", in, " + columns() + "); }" +
                    nameOf(*n.step));
    }

    std::string along(const std::string &from, std::size_t operand) const
    {
        return "((char *)" + from + " + r * steps[" + std::to_string(operand + 1) + "])";
    }
    // What is kept until an output is written lies there already, and takes no room of the cache beside it. Of the last columns it does
    // not: what goes by beside them is that of their neighbours.
    std::optional<std::size_t> hostOf(std::uint32_t id) const
    {
        if (m_isRest || node(id).kind == Node::Kind::Input) return std::nullopt;
        for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
            const RowProgram::Output &output = m_program.outputs[o];
            if (!output.isRow || output.isLate || output.isCrowded || memoryType(output.dtype) != typeOf(id)) continue;
            const std::span<const Node> before(m_stages.nodes().data(), id);
            const auto isRival = [&](const Node &other) {
                return other.isRow && other.isKept && other.kind != Node::Kind::Input && other.type == node(id).type;
            };
            const int written = m_stages.stageOf(output);
            if (node(id).stage > written) continue;
            const auto isReadLater = [&](const Loop &loop) { return loop.stage > written && reads(loop, id); };
            const auto isCalledLater = [&](const Node &n) {
                return n.isCall && n.isRow && n.stage > written && std::ranges::count(n.arguments, id) > 0;
            };
            if (std::ranges::none_of(before, isRival) && std::ranges::none_of(loops(), isReadLater) &&
                std::ranges::none_of(m_stages.nodes(), isCalledLater))
                return o;
        }
        return std::nullopt;
    }
    std::string keptAt(std::uint32_t id) const
    {
        if (const auto host = hostOf(id)) return "(" + typeOf(id) + " *)" + along(numbered("to", *host), m_program.inputs.size() + *host);
        return numbered("t", id) + " + r * " + m_width;
    }

    void callOverRow(std::uint32_t id) override
    {
        const Node &n = node(id);
        std::string arguments;
        for (std::uint32_t argument : n.arguments) {
            arguments += arguments.empty() ? "" : ", ";
            if (!node(argument).isRow) arguments += numbered("v", argument);
            else if (m_stages.isDirect(argument, m_program)) arguments += along(numbered("from", argument), node(argument).operand);
            else arguments += keptAt(argument);
        }
        line(2, "for (long r = 0; r < c; ++r) { const void *in[] = {" + arguments + "}; " + call(*n.step) + "(" + keptAt(id) + ", in, " +
                    columns() + "); }" + nameOf(*n.step));
    }

    void elements(const Loop &loop) override
    {
        line(2, "for (long r = 0; r < c; ++r) {");
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
            const Node &n = node(id);
            if (!n.isRow) continue;
            if (n.isKept) line(3, typeOf(id) + " *const " + numbered("row", id) + " = " + keptAt(id) + ";");
            if (n.kind != Node::Kind::Input) continue;
            const std::string type = "const " + memoryOf(n.operand);
            line(3, type + " *const " + numbered("x", id) + " = (" + type + " *)" + along(numbered("from", id), n.operand) + ";");
        }
        for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
            if (!m_program.outputs[o].isRow) continue;
            const std::string type = memoryType(m_program.outputs[o].dtype);
            line(3, type + " *const " + numbered("y", o) + " = (" + type + " *)" + along(numbered("to", o), m_program.inputs.size() + o) +
                        ";");
        }
        if (std::ranges::any_of(loop.made, [&](std::uint32_t id) { return node(id).isPower; })) ahead(loop);
        lanesOf(loop, m_isRest);
        line(2, "}");
    }
    // What a later loop writes is fetched while exponentials take their time: other loops wait for memory themselves.
    void ahead(const Loop &loop)
    {
        for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
            const RowProgram::Output &output = m_program.outputs[o];
            const auto writesIt = [&](const Loop &later) { return later.stage > loop.stage && writes(later, output); };
            const auto isFilled = [&](std::uint32_t id) { return node(id).isKept && hostOf(id) == o; };
            if (!m_isRest && !output.isLate && std::ranges::any_of(loops(), writesIt) && std::ranges::none_of(loop.made, isFilled))
                fetch(numbered("y", o), output.dtype, true);
        }
    }
    std::string inputAt(std::uint32_t id, int stage, bool isRest) override
    {
        if (isSame(id)) return numbered("*x", id);
        const std::string there = Writer::inputAt(id, stage, isRest);
        if (!node(id).isKept) return there;
        const int first = m_firstReads.emplace(id, stage).first->second;
        return stage > first ? keptRow(id) + "[i]" : keptRow(id) + "[i] = " + there;
    }
    std::string keptRow(std::uint32_t id) const override { return numbered("row", id); }

    std::string combinedOf(const Node &n, const std::string &target, const std::string &element) const override
    {
        return combinedText(n.combine.reduce, n.combine.accumulator, target, element);
    }
    void beginCombined(std::uint32_t id) override
    {
        line(2, cType(node(id).combine.accumulator) + numbered(" lane", id) + "[" + m_width + "] ALIGNED;");
        line(2, eachLane() + numbered("lane", id) + "[j] = " + startOf(node(id)) + ";");
    }
    void endCombined(std::uint32_t id) override
    {
        strip(2, typeOf(id), id);
        line(2, eachLane() + numbered("v", id) + "[j] = " + numbered("lane", id) + "[j];");
    }

    bool m_isRest = false;
    std::map<std::uint32_t, int> m_firstReads; // of inputs, the loop
};

} // namespace
} // namespace rowkernel

std::size_t columnBufferBytes(std::int64_t elements, int width)
{
    return static_cast<std::size_t>(elements) * static_cast<std::size_t>(width) * 8 + 320;
}

std::optional<RowKernelText> columnKernel(const RowProgram &program, int width) { return rowkernel::Columns(program, width).write(); }

} // namespace engine
