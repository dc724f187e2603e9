// Prints a kernel in a dialect, or as text for people. Dialects differ in their records (dialect.cpp) alone.
#include "engine/codegen/ir/kernel.h"
#include "engine/codegen/kernel_unit.h"
#include "engine/codegen/scalar_text.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/errors.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace engine::ir {
namespace {

struct Operator {
    const char *sign;
    int level; ///< a lower one binds closer
};

// From Op::Times to Op::Either.
constexpr std::array<Operator, 16> kOperators{{{"*", 2},
                                               {"/", 2},
                                               {"%", 2},
                                               {"+", 3},
                                               {"-", 3},
                                               {"<<", 4},
                                               {">>", 4},
                                               {"<", 5},
                                               {"<=", 5},
                                               {"==", 6},
                                               {"!=", 6},
                                               {"&", 7},
                                               {"^", 8},
                                               {"|", 9},
                                               {"&&", 10},
                                               {"||", 11}}};
std::string memoryName(DType type)
{
    switch (type) {
    case DType::Bool: return "unsigned char";
    case DType::Int64: return "i64";
    case DType::UInt64: return "u64";
    case DType::Float16: return "unsigned short";
    case DType::Float32: return "float";
    case DType::Float64: return "double";
    default: return wrapType(type);
    }
}

// Suffixes of literals differ between the dialects: a number takes the type that it needs.
std::string numberText(DType type, std::uint64_t bits)
{
    if (!isFloat(type)) {
        const auto value = static_cast<std::int64_t>(bits);
        if (type == DType::UInt64 || type == DType::UInt32) return std::to_string(bits) + "u";
        return value == INT64_MIN ? "(-9223372036854775807 - 1)" : std::to_string(value);
    }
    float single = 0;
    double value = 0;
    std::memcpy(&single, &bits, sizeof single);
    std::memcpy(&value, &bits, sizeof value);
    const char *const suffix = type == DType::Float32 ? "f" : "";
    if (type == DType::Float32) value = static_cast<double>(single);
    if (std::isnan(value)) return std::string("th_nan") + suffix + "()";
    if (std::isinf(value)) return std::string(value < 0 ? "-th_inf" : "th_inf") + suffix + "()";
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%a%s", value, suffix);
    return buffer;
}

constexpr int kUnary = 1, kChoice = 12, kAny = 13;

class Printer {
public:
    /// Without a dialect: for people.
    explicit Printer(const Kernel &kernel, const DialectWords *words = nullptr) : m_kernel(kernel), m_words(words) {}

    KernelSource source(Dialect dialect)
    {
        ENGINE_ASSERT(m_kernel.group == 0 || !m_words->barrier.empty(), "items of " + m_kernel.name + " run in no groups there");
        block(m_kernel.body);
        std::string shared = m_kernel.group ? m_words->lane : "";
        for (const NodeRef &one : m_kernel.shared) shared += "    " + m_words->shared + arrayOf(*one) + ";\n";
        if (!m_kernel.shared.empty()) line(m_words->barrier); // the next items write there
        return {m_kernel.name, kernelUnit(dialect, parameters(), m_text, shared), std::move(m_math), std::make_shared<Kernel>(m_kernel)};
    }
    std::string text()
    {
        m_indent = "    ";
        for (const NodeRef &one : m_kernel.shared) line("shared " + arrayOf(*one) + ";");
        block(m_kernel.body);
        std::string list;
        for (const KernelParameter &one : parameters())
            list += (list.empty() ? "" : ", ") + (one.type.empty() ? "i64 " + one.name : one.type + " " + one.name + "[]");
        const std::string group = m_kernel.group ? ", by groups of " + std::to_string(m_kernel.group) : "";
        return m_kernel.name + "(" + list + ") for each i below n" + group + " {\n" + m_text + "}\n";
    }

private:
    std::vector<KernelParameter> parameters() const
    {
        std::vector<KernelParameter> result;
        for (const NodeRef &one : m_kernel.arrays) result.push_back({one->name, (one->isWritten ? "" : "const ") + typeName(one->type)});
        if (m_kernel.finds) result.push_back({"found", "i64"}), result.push_back({"tag", ""});
        for (const NodeRef &one : m_kernel.numbers) result.push_back({one->name, ""});
        return result;
    }
    std::string typeName(DType type) const { return !m_words && type == DType::Float16 ? "half" : memoryName(type); }

    void line(const std::string &text) { m_text += m_indent + text + "\n"; }
    void open(const std::string &text) { line(text + " {"), m_indent += "    "; }
    void close() { m_indent.resize(m_indent.size() - 4), line("}"); }

    void block(const Block &statements)
    {
        for (const NodeRef &one : statements) statement(*one);
    }
    void statement(const Node &node)
    {
        switch (node.op) {
        case Op::Let: return line("const " + declared(node) + " = " + value(node.in[0]) + ";");
        case Op::Variable: return line(declared(node) + " = " + value(node.in[0]) + ";");
        case Op::Local: return line(arrayOf(node) + ";");
        case Op::Barrier: return line(m_words ? m_words->barrier : "barrier;");
        case Op::Assign: return line(target(node.in[0]) + " = " + value(node.in[1]) + ";");
        case Op::Call: return call(node);
        case Op::If:
            open("if (" + value(node.in[0]) + ")");
            block(node.body);
            close();
            if (node.otherwise.empty()) return;
            open("else");
            block(node.otherwise);
            return close();
        case Op::Loop: return loop(node);
        default: return find(node);
        }
    }
    std::string declared(const Node &node) const { return typeName(node.type) + " " + node.name; }

    std::string arrayOf(const Node &node) const { return declared(node) + "[" + std::to_string(node.count) + "]"; }

    void loop(const Node &node)
    {
        const std::string &name = node.in[0]->name, step = value(node.in[3]);
        std::string condition = name + " < " + value(node.in[2], kOperators[7].level - 1);
        if (node.in.size() > 4) condition += " && " + value(node.in[4], kOperators[14].level);
        if (m_words) m_text += lineBefore(node.loopKind);
        open("for (i64 " + name + " = " + value(node.in[1]) + "; " + condition + "; " + (step == "1" ? "++" + name : name + " += " + step) +
             ")");
        block(node.body);
        close();
    }

    const std::string &lineBefore(LoopKind kind) const
    {
        static const std::string none;
        switch (kind) {
        case LoopKind::Plain: return none;
        case LoopKind::Beside: return m_words->beside;
        case LoopKind::Unrolled: return m_words->unrolled;
        default: return m_words->reading;
        }
    }

    // Of a function: as its row writes it, where the dialect has no better, or else the host's primitive for one element.
    void call(const Node &node)
    {
        std::vector<std::string> arguments;
        for (const NodeRef &one : node.in) arguments.push_back(one->name);
        if (!m_words) {
            std::string list;
            for (const std::string &one : arguments) list += (list.empty() ? "" : ", ") + one;
            return line("const " + declared(node) + " = " + rt_op_name(node.function) + "(" + list + ");");
        }
        // Devices fuse products and sums whatever this processor does.
        const bool isHost = m_words->callsPrimitives;
        const char *const written = !m_words->ownFloats.empty() && node.kind == RT_F32 ? writtenText(node.function) : nullptr;
        const char *const expensive = isHost ? nullptr : written ? written : expensiveText(node.function, node.kind);
        if (const char *const pattern = expensive ? expensive : cheapText(node.function, node.kind))
            return line("const " + declared(node) + " = " +
                        filled(pattern, arguments, node.kind, isHost ? builtinName : libraryName, "u64") + ";");
        std::string list;
        for (const std::string &one : arguments) list += (list.empty() ? "&" : ", &") + one;
        line(declared(node) + ";");
        line("{ const void *in[] = {" + list + "}; math[" + std::to_string(m_math.size()) + "](&" + node.name + ", in, 1); } /* " +
             rt_op_name(node.function) + " */");
        m_math.push_back(node.loop);
    }

    void find(const Node &node)
    {
        const auto word = [](FindingWord at, const std::string &x) {
            return "found[" + std::to_string(static_cast<int>(at)) + "] = " + x + "; ";
        };
        line("if (th_isFirst(found)) { " + word(FindingWord::Tag, "tag") +
             word(FindingWord::Kind, std::to_string(static_cast<int>(node.finding))) + word(FindingWord::Value, value(node.in[0])) +
             word(FindingWord::Place, value(node.in[1])) + word(FindingWord::Size, value(node.in[2])) + "}");
    }

    std::string target(const NodeRef &node) const { return node->op == Op::Load ? element(*node) : node->name; }
    std::string element(const Node &node) const { return node.in[0]->name + "[" + value(node.in[1]) + "]"; }

    /// In brackets where it binds less close than `level`.
    std::string value(const NodeRef &node, int level = kAny) const
    {
        const auto within = [&](int own, const std::string &text) { return own > level ? "(" + text + ")" : text; };
        const auto &in = node->in;
        switch (node->op) {
        case Op::Literal: {
            const std::string number = numberText(node->type, node->bits);
            return within(number[0] == '-' ? kUnary + 1 : 0, number);
        }
        case Op::Load: return element(*node);
        case Op::Cast: return castOf(*node, within);
        case Op::Convert: return within(node->type == DType::Bool ? kOperators[9].level : kUnary, converted(*node));
        case Op::FromBits:
            if (node->type == DType::Float32) return "th_asFloat((int)" + value(in[0], kUnary) + ")";
            if (node->type == DType::Float64) return "th_asDouble(" + value(in[0]) + ")";
            return within(kUnary, "(" + typeName(node->type) + ")" + value(in[0], kUnary));
        case Op::Negative: return within(kUnary, "-" + value(in[0], kUnary - 1));
        case Op::Select:
            return within(kChoice, value(in[0], kChoice - 1) + " ? " + value(in[1], kChoice - 1) + " : " + value(in[2], kChoice));
        case Op::Draw: return "th_mrgNext(" + in[0]->name + ")";
        default: break;
        }
        if (node->op < Op::Times || node->op > Op::Either) return node->name;
        const Operator &own = kOperators[static_cast<std::size_t>(node->op) - static_cast<std::size_t>(Op::Times)];
        // What is easily misread has brackets: all but sums of products.
        const bool isPlain = own.level <= 3 || own.level >= 10;
        const int left = isPlain ? own.level : own.level >= 5 && own.level <= 6 ? 4 : kUnary, right = isPlain ? own.level - 1 : left;
        const bool isShort = node->op == Op::ShiftLeft && in[0]->op == Op::Literal; // a literal is no wider than it has to be
        return within(own.level,
                      (isShort ? "(" + typeName(node->type) + ")" : "") + value(in[0], left) + " " + own.sign + " " + value(in[1], right));
    }
    template <class Within>
    std::string castOf(const Node &node, Within within) const
    {
        const NodeRef &x = node.in[0];
        if (m_words && node.type == DType::Float16) return "th_toHalf(" + value(x) + ")";
        if (m_words && x->type == DType::Float16) return "th_fromHalf(" + value(x) + ")";
        if (!m_words && (node.type == DType::Float16 || x->type == DType::Float16)) return value(x, kUnary);
        if (node.type == DType::Bool && x->op >= Op::Less && x->op <= Op::NotEqual) return within(kOperators[9].level, value(x));
        if (node.type == DType::Bool) return within(kOperators[9].level, value(x, 4) + " != 0");
        return within(kUnary, "(" + typeName(node.type) + ")" + value(x, kUnary));
    }
    // Between registers, as the primitives do it.
    std::string converted(const Node &node) const
    {
        const bool isReal = node.kind == RT_F32 || node.kind == RT_F64;
        const RtKind to = registerKind(node.type);
        const std::string x = value(node.in[0]);
        if (to == RT_BOOL) return value(node.in[0], 4) + " != 0";
        if (node.isNarrowing) return (to == RT_F32 ? "th_nearOdd(" : "th_toInt32(") + x + ")";
        if (isReal && (to == RT_INT || to == RT_UINT)) return (to == RT_INT ? "th_toInt(" : "th_toUnsigned(") + x + ")";
        return "(" + typeName(node.type) + ")" + value(node.in[0], kUnary);
    }

    const Kernel &m_kernel;
    const DialectWords *m_words;
    std::string m_text, m_indent = "        ";
    std::vector<RtLoop> m_math;
};

} // namespace

KernelSource sourceOf(const Kernel &kernel, Dialect dialect) { return Printer(kernel, &wordsOf(dialect)).source(dialect); }
std::string text(const Kernel &kernel) { return Printer(kernel).text(); }

} // namespace engine::ir
