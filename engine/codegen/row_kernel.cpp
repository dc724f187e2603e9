#include "engine/codegen/row_kernel.h"

#include "engine/codegen/row_stages.h"
#include "engine/codegen/step_text.h"
#include "engine/scalar/registers.h"

#include <algorithm>
#include <functional>

namespace engine {
namespace rowkernel {
namespace {

std::string numbered(const char *letter, std::size_t number) { return letter + std::to_string(number); }

class Writer {
public:
    Writer(const RowProgram &program, int lanes) : m_program(program), m_lanes(lanes), m_width(std::to_string(lanes)) {}

    std::optional<RowKernelText> write()
    {
        if (!m_stages.build(m_program)) return std::nullopt;
        line(0, "(void *const *operands, const Loop *math, long n)");
        line(0, "{");
        const std::size_t arrays = m_program.inputs.size() + m_program.outputs.size();
        line(1, "const long *const steps = operands[" + std::to_string(arrays) + "];");
        line(1, "const long c = steps[0], whole = c & -" + m_width + ", left = c - whole;");
        buffers(arrays + 1);
        literals();
        line(1, "for (long r = 0; r < n; ++r) {");
        operands();
        numbersAfter(0);
        for (int stage = 0; stage < m_stages.count(); ++stage) {
            loopOf(stage);
            callsAfter(stage);
            numbersAfter(stage + 1);
        }
        results();
        line(1, "}");
        line(0, "}");
        RowKernelText result;
        result.text.key = std::hash<std::string>{}(m_out);
        result.text.body = std::move(m_out);
        result.text.math = std::move(m_math);
        result.buffers = m_buffers;
        return result;
    }

private:
    /// How a loop is done in parts: `places[n]` is the part that makes node n.
    struct Loop {
        int stage;
        std::vector<std::uint32_t> made;
        std::vector<int> partOf;            // by node, -1: not made here
        std::vector<bool> isCarried;        // by node: from one part to a later one
        std::vector<std::uint32_t> fetched; // read for exponentials
        int parts = 1;
    };

    void line(int depth, const std::string &text) { m_out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n"; }
    const Node &node(std::uint32_t id) const { return m_stages.node(id); }
    std::string typeOf(std::uint32_t id) const { return cType(node(id).type); }

    std::string textOf(std::uint32_t id) const
    {
        const Node &n = node(id);
        if (n.kind == Node::Kind::Literal) return literalText(n.literal);
        return numbered("v", id);
    }

    std::string expressionOf(std::uint32_t id) const
    {
        const Node &n = node(id);
        if (n.kind == Node::Kind::Replaced)
            return numbered("(int)j == h", id) + " ? " + textOf(n.arguments[1]) + " : " + textOf(n.arguments[0]);
        std::vector<std::string> arguments;
        for (std::uint32_t argument : n.arguments) arguments.push_back("(" + textOf(argument) + ")");
        return *stepText(*n.program, *n.step, arguments, [](std::uint32_t) { return false; });
    }

    void buffer(const std::string &name, const std::string &type)
    {
        // A little apart: rows that lie in the same places of their pages get in each other's way.
        line(1, type + " *const " + name + " = (" + type + " *)(rows + " + std::to_string(m_buffers++) + " * ((c + 63 & -64) * 8 + 320));");
    }

    void buffers(std::size_t operand)
    {
        line(1, "char *const rows = operands[" + std::to_string(operand) + "];");
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
            if (node(id).isRow && node(id).isKept) buffer(numbered("t", id), typeOf(id));
            if (!node(id).isCall || !node(id).isRow) continue;
            for (std::uint32_t argument : node(id).arguments) {
                if (node(argument).isRow || std::find(m_spread.begin(), m_spread.end(), argument) != m_spread.end()) continue;
                m_spread.push_back(argument);
                buffer(numbered("s", argument), typeOf(argument));
            }
        }
    }

    // Primitives want memory, for literals, too.
    void literals()
    {
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

    void operands()
    {
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
            const Node &n = node(id);
            if (n.kind != Node::Kind::Input) continue;
            const std::string type = memoryType(m_program.inputs[n.operand].dtype), place = "(const " + type + " *)" + placeOf(n.operand);
            if (n.isRow) line(2, "const " + type + " *const x" + std::to_string(id) + " = " + place + ";");
            else line(2, "const " + typeOf(id) + " v" + std::to_string(id) + " = *" + place + ";");
            if (isPlace(id)) line(2, numbered("const long k", id) + numbered(" = v", id) + numbered(" + (v", id) + " < 0 ? c : 0);");
        }
        for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
            const std::string type = memoryType(m_program.outputs[o].dtype);
            line(2, type + " *const y" + std::to_string(o) + " = (" + type + " *)" + placeOf(m_program.inputs.size() + o) + ";");
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

    void results()
    {
        for (std::size_t o = 0; o < m_program.outputs.size(); ++o)
            if (!m_program.outputs[o].isRow)
                line(2, "*y" + std::to_string(o) + " = " + textOf(m_stages.ofValue(m_program.outputs[o].value)) + ";");
    }

    // Numbers of the row that are known once so many loops have been done.
    void numbersAfter(int loops)
    {
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
            const Node &n = node(id);
            if (n.isRow || n.stage != loops || !n.isNeeded) continue;
            if (n.kind == Node::Kind::Picked || n.kind == Node::Kind::Largest) numberOfRow(id);
            if (n.kind != Node::Kind::Step) continue;
            const std::string name = textOf(id);
            if (!n.isCall) {
                line(2, "const " + typeOf(id) + " " + name + " = " + expressionOf(id) + ";");
                continue;
            }
            std::string arguments;
            for (std::uint32_t argument : n.arguments) arguments += (arguments.empty() ? "&" : ", &") + numbered("v", argument);
            line(2, typeOf(id) + " " + name + ";");
            line(2, "{ const void *in[] = {" + arguments + "}; " + call(*n.step) + "(&" + name + ", in, 1); }" + nameOf(*n.step));
        }
    }

    std::string call(const ScalarProgram::Step &step) { return lookedUp(reinterpret_cast<void (*)()>(step.loop)); }
    std::string lookedUp(void (*function)())
    {
        m_math.push_back(reinterpret_cast<RtLoop>(function));
        return "math[" + std::to_string(m_math.size() - 1) + "]";
    }

    static std::string nameOf(const ScalarProgram::Step &step)
    {
        const std::string name = step.form == ScalarProgram::Form::Op     ? rt_op_name(step.op)
                                 : step.form == ScalarProgram::Form::Cast ? "cast"
                                                                          : "round to " + std::string(engine::nameOf(step.wrapTo));
        return " /* " + name + " */";
    }

    // Primitives that go over the whole row.
    void callsAfter(int stage)
    {
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id) {
            const Node &n = node(id);
            if (!n.isCall || !n.isRow || n.stage != stage + 1 || !n.isNeeded) continue;
            std::string arguments;
            for (std::uint32_t argument : n.arguments) {
                arguments += arguments.empty() ? "" : ", ";
                if (!node(argument).isRow) {
                    line(2, "for (long i = 0; i < c; ++i) s" + std::to_string(argument) + "[i] = " + textOf(argument) + ";");
                    arguments += numbered("s", argument);
                } else {
                    arguments += numbered(m_stages.isDirect(argument, m_program) ? "x" : "t", argument);
                }
            }
            line(2, "{ const void *in[] = {" + arguments + "}; " + call(*n.step) + "(t" + std::to_string(id) + ", in, c); }" +
                        nameOf(*n.step));
        }
    }

    Loop planned(int stage) const
    {
        const std::size_t count = m_stages.nodes().size();
        Loop loop{stage, m_stages.madeIn(stage, m_program), std::vector<int>(count, -1), std::vector<bool>(count, false)};
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
                else if (std::find(loop.fetched.begin(), loop.fetched.end(), argument) == loop.fetched.end())
                    loop.fetched.push_back(argument);
            }
        for (const RowProgram::Output &output : m_program.outputs)
            if (output.isRow && m_stages.stageOf(output) == stage) use(m_stages.ofValue(output.value), loop.parts - 1);
        return loop;
    }

    std::vector<std::uint32_t> combinedIn(int stage) const
    {
        std::vector<std::uint32_t> result;
        for (std::uint32_t id = 0; id < m_stages.nodes().size(); ++id)
            if (node(id).kind == Node::Kind::Combined && node(id).stage == stage + 1 && node(id).isNeeded) result.push_back(id);
        return result;
    }

    bool writesIn(int stage) const
    {
        return std::any_of(m_program.outputs.begin(), m_program.outputs.end(),
                           [&](const RowProgram::Output &output) { return output.isRow && m_stages.stageOf(output) == stage; });
    }

    void loopOf(int stage)
    {
        const Loop loop = planned(stage);
        const std::vector<std::uint32_t> combined = combinedIn(stage);
        if (loop.made.empty() && combined.empty() && !writesIn(stage)) return;
        for (std::uint32_t id : combined) lanesOf(id);
        line(2, "for (long at = 0; at < whole; at += " + m_width + ") {");
        partsOf(loop, combined, false);
        line(2, "}");
        line(2, "if (left) {");
        line(3, "const long at = whole;");
        partsOf(loop, combined, true);
        line(2, "}");
        for (std::uint32_t id : combined) foldOf(id);
    }

    static bool isExtreme(const Node &n) { return n.combine.reduce == RT_MAX || n.combine.reduce == RT_MIN; }
    static std::string startOf(const Node &n)
    {
        switch (n.combine.reduce) {
        case RT_MAX: return "-__builtin_inf()";
        case RT_MIN: return "__builtin_inf()";
        case RT_PROD: return "1";
        default: return "0";
        }
    }
    static std::string combinedOf(const Node &n, const std::string &target, const std::string &element)
    {
        // nan and zeros are looked for apart.
        if (isExtreme(n)) return element + (n.combine.reduce == RT_MAX ? " > " : " < ") + target + " ? " + element + " : " + target;
        return combinedText(n.combine.reduce, n.combine.accumulator, target, element);
    }
    static const char *flagOf(const Node &n) { return n.combine.accumulator == RT_F32 ? "int" : "long long"; }

    void lanesOf(std::uint32_t id)
    {
        const Node &n = node(id);
        const std::string number = std::to_string(id), type = cType(n.combine.accumulator);
        line(2, type + " lane" + number + "[" + m_width + "] ALIGNED;");
        line(2, "for (int j = 0; j < " + m_width + "; ++j) lane" + number + "[j] = " + startOf(n) + ";");
        if (!isExtreme(n)) return;
        line(2, std::string(flagOf(n)) + " odd" + number + "[" + m_width + "] ALIGNED, found" + number + " = 0;");
        line(2, "for (int j = 0; j < " + m_width + "; ++j) odd" + number + "[j] = 0;");
    }

    void foldOf(std::uint32_t id)
    {
        const Node &n = node(id);
        const std::string number = std::to_string(id), type = cType(n.combine.accumulator), lane = "lane" + number;
        if (isExtreme(n)) line(2, "for (int j = 0; j < " + m_width + "; ++j) found" + number + " |= odd" + number + "[j];");
        for (int width = m_lanes / 2; width; width /= 2)
            line(2, "for (int j = 0; j < " + std::to_string(width) + "; ++j) " + lane +
                        "[j] = " + combinedOf(n, lane + "[j]", lane + "[j + " + std::to_string(width) + "]") + ";");
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

    // Elements at … at + lanes, or those that are left over behind them.
    void partsOf(const Loop &loop, const std::vector<std::uint32_t> &combined, bool isRest)
    {
        for (std::uint32_t id : loop.made)
            if (loop.isCarried[id]) line(3, typeOf(id) + " l" + std::to_string(id) + "[" + m_width + "] ALIGNED;");
        for (std::uint32_t id : loop.fetched) line(3, typeOf(id) + " l" + std::to_string(id) + "[" + m_width + "] ALIGNED;");
        for (std::uint32_t id : loop.made)
            if (node(id).kind == Node::Kind::Replaced)
                line(3, numbered("const int h", id) + numbered(" = (int)(k", node(id).arguments.back()) + " - at);");
        for (int part = 0; part < loop.parts; ++part) {
            for (std::uint32_t id : loop.made)
                if (node(id).isPower && loop.partOf[id] == part)
                    line(3, "POWERS(l" + std::to_string(id) + ", l" + std::to_string(node(id).arguments[0]) + ", " +
                                (isRest ? "WHOLE(left)" : m_width) + ");");
            const std::string body = bodyOf(loop, part, combined, isRest);
            if (body.empty()) continue;
            line(3, isRest          ? "REST(j, left,"
                    : m_lanes == 16 ? "IVDEP UNROLL1 for (int j = 0; j < 16; ++j) {"
                                    : "IVDEP for (int j = 0; j < " + m_width + "; ++j) {");
            line(4, "const long i = at + j;");
            m_out += body;
            line(3, isRest ? ")" : "}");
        }
    }

    std::string bodyOf(const Loop &loop, int part, const std::vector<std::uint32_t> &combined, bool isRest) const
    {
        std::string body;
        std::vector<bool> isLoaded(m_stages.nodes().size(), false);
        const auto add = [&](const std::string &text) { body += std::string(16, ' ') + text + "\n"; };
        const auto load = [&](std::uint32_t id) {
            const Node &n = node(id);
            if (!n.isRow || isLoaded[id] || (loop.partOf[id] == part && !n.isPower)) return;
            isLoaded[id] = true;
            const std::string number = std::to_string(id), declared = "const " + typeOf(id) + " v" + number + " = ";
            if (loop.partOf[id] >= 0) add(declared + "l" + number + "[j];");
            else if (n.kind == Node::Kind::Input) add(declared + (isRest ? "IN(x" + number + ");" : "x" + number + "[i];"));
            else add(declared + "t" + number + "[i];");
        };
        const auto keep = [&](std::uint32_t id) {
            if (node(id).isKept && node(id).stage == loop.stage) add("t" + std::to_string(id) + "[i] = " + textOf(id) + ";");
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
            add("const " + typeOf(id) + " v" + std::to_string(id) + " = " + expressionOf(id) + ";");
            if (loop.isCarried[id]) add("l" + std::to_string(id) + "[j] = v" + std::to_string(id) + ";");
            keep(id);
        }
        for (std::uint32_t id : combined) {
            const Node &n = node(id);
            const std::uint32_t element = n.arguments[0];
            if (std::max(loop.partOf[element], 0) != part) continue;
            load(element);
            const std::string number = std::to_string(id), lane = "lane" + number + "[j]", e = "e" + number;
            add(std::string("const ") + cType(n.combine.accumulator) + " " + e + " = " + textOf(element) + ";");
            const std::string value = combinedOf(n, lane, e);
            add(lane + " = " + (isRest ? "live ? (" + value + ") : " + lane : value) + ";");
            if (isExtreme(n)) add("odd" + number + "[j] |= " + (isRest ? "live & (" + e + " != " + e + ");" : e + " != " + e + ";"));
        }
        if (part + 1 < loop.parts) return body;
        for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
            const RowProgram::Output &output = m_program.outputs[o];
            if (!output.isRow || m_stages.stageOf(output) != loop.stage) continue;
            const std::uint32_t id = m_stages.ofValue(output.value);
            load(id);
            add((isRest ? "OUT(y" + std::to_string(o) + ")" : "y" + std::to_string(o) + "[i]") + " = " + textOf(id) + ";");
        }
        return body;
    }

    const RowProgram &m_program;
    Stages m_stages;
    const int m_lanes;
    const std::string m_width;
    std::string m_out;
    std::vector<RtLoop> m_math;
    std::vector<std::uint32_t> m_spread, m_named;
    int m_buffers = 0;
};

} // namespace
} // namespace rowkernel

std::size_t rowBufferBytes(std::int64_t columns) { return static_cast<std::size_t>((columns + 63) & -64) * 8 + 320; }

std::optional<RowKernelText> rowKernel(const RowProgram &program, int lanes) { return rowkernel::Writer(program, lanes).write(); }

} // namespace engine
