#include "engine/text/notation.h"

#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/tensor/errors.h"
#include "engine/text/notation_cursor.h"
#include "engine/text/notation_numbers.h"
#include "engine/text/notation_types.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace engine {
namespace {

constexpr int kMaxNesting = 200;
constexpr std::size_t kMostOperations = 1'000'000;

class Parser : private NotationCursor {
public:
    Parser(std::string_view text, DType floatX) : NotationCursor(text), m_floatX(floatX) {}

    ParsedExpression run()
    {
        while (true) {
            while (peek().kind == Kind::Separator) ++m_at;
            if (peek().kind == Kind::End) break;
            statement();
            if (peek().kind != Kind::Separator) unexpected("the end of the statement");
        }
        if (m_result.outputs.empty() && m_last) m_result.outputs.push_back(m_last);
        if (m_result.outputs.empty())
            throw NotationError("there is no expression", peek().line, peek().column, "write one, for example log(1 + exp(x))");
        return std::move(m_result);
    }

private:
    struct Deeper {
        explicit Deeper(Parser &parser) : parser(parser)
        {
            if (++parser.m_depth > kMaxNesting)
                parser.failAt(parser.peek(), "the expression is nested more than " + std::to_string(kMaxNesting) + " levels deep",
                              "give parts of it names: y = …");
        }
        ~Deeper() { --parser.m_depth; }
        Parser &parser;
    };

    // --- statements -----------------------------------------------------------------------------------

    void statement()
    {
        if (peek().kind == Kind::Name) {
            std::size_t ahead = 1;
            while (isSymbol(",", ahead) && peek(ahead + 1).kind == Kind::Name) ahead += 2;
            if (isSymbol(":", ahead)) return declaration();
            if (isSymbol("=", 1)) return definition();
        }
        do {
            const NotationValue value = expression(0);
            // A list of variables is several outputs: grad(cost, [a, b]).
            const bool several = value.kind == NotationValue::Kind::List && !value.items.empty() &&
                                 std::all_of(value.items.begin(), value.items.end(),
                                             [](const NotationValue &item) { return item.kind == NotationValue::Kind::Variable; });
            if (several)
                for (const NotationValue &item : value.items) m_result.outputs.push_back(item.variable);
            else m_result.outputs.push_back(asVariable(value));
        } while (accept(",") && peek().kind != Kind::Separator);
    }

    void declaration()
    {
        std::vector<Token> names;
        do names.push_back(m_tokens[m_at++]);
        while (accept(","));
        expect(":", "of the declaration");
        const Type type = readNotationType(m_tokens, m_at, m_floatX);
        for (const Token &name : names) {
            refuseTaken(name);
            const ScopedTrace scope(traceOf(name));
            VarRef input = Variable::input(type, name.text);
            m_result.inputs.push_back(input);
            define(name, NotationValue(std::move(input)));
        }
    }

    void definition()
    {
        const Token name = m_tokens[m_at];
        refuseTaken(name);
        m_at += 2;
        NotationValue value = expression(0);
        if (peek().kind == Kind::Symbol && peek().text == "=") failAt(peek(), "a statement defines one name only", "compare with ==");
        if (value.kind == NotationValue::Kind::Variable) {
            if (value.variable->owner() && value.variable->name().empty()) value.variable->setName(name.text);
            m_last = value.variable;
        } else if (value.isNumber() || value.kind == NotationValue::Kind::List) {
            m_last = asVariable(value);
        }
        define(name, std::move(value));
    }

    void refuseTaken(const Token &name) const
    {
        if (name.text[0] >= '0' && name.text[0] <= '9') failAt(name, "a name starts with a letter");
        if (m_names.count(name.text))
            failAt(name, "the name " + name.text + " has a meaning already", "every name is declared or defined once");
        if (dtypeFromName(name.text) || name.text == "floatX" || name.text == "True" || name.text == "False" || name.text == "None")
            failAt(name, name.text + " is a word of the notation and cannot be a name");
    }

    void define(const Token &name, NotationValue value) { m_names.emplace(name.text, std::move(value)); }

    // --- expressions ----------------------------------------------------------------------------------

    NotationValue expression(int minimum)
    {
        const Deeper deeper(*this);
        NotationValue left = unary();
        while (true) {
            const Token op = peek();
            const int strength = notationPower(op);
            if (!strength || strength <= minimum) break;
            ++m_at;
            NotationValue right = expression(strength);
            left = placed(binary(op, left, right), left.line, left.column);
            if (strength == 1 && notationPower(peek()) == 1)
                failAt(peek(), "comparisons cannot be chained", "join two comparisons with &: (a < b) & (b < c)");
        }
        return left;
    }

    NotationValue unary()
    {
        const Token op = peek();
        if (op.kind == Kind::Symbol && (op.text == "-" || op.text == "+" || op.text == "~")) {
            const Deeper deeper(*this);
            ++m_at;
            NotationValue value = expression(kNotationUnaryPower - 1);
            if (op.text == "-" && value.isNumber()) return placed(negate(op, value), op.line, op.column);
            if (op.text == "+") return value;
            const ScalarCode code = op.text == "-" ? ScalarCode::Neg : ScalarCode::Invert;
            return placed(guarded(op, [&] { return elementwise(code, {asVariable(value)}); }), op.line, op.column);
        }
        NotationValue base = postfix();
        const Token star = peek();
        if (!accept("**")) return base;
        const Deeper deeper(*this);
        NotationValue exponent = unary(); // right associative, and 2 ** -x
        if (base.isNumber() && exponent.isNumber()) return placed(raise(star, base, exponent), base.line, base.column);
        return placed(guarded(star, [&] { return pow(asVariable(base), asVariable(exponent)); }), base.line, base.column);
    }

    // |x|, as pprint writes abs(x).
    NotationValue magnitude()
    {
        const Deeper deeper(*this);
        const Token bar = m_tokens[m_at++];
        NotationValue value = expression(2);
        expect("|", "that ends the absolute value");
        return placed(guarded(bar, [&] { return elementwise(ScalarCode::Abs, {asVariable(value)}); }), bar.line, bar.column);
    }

    NotationValue negate(const Token &op, const NotationValue &value) const
    {
        return notationArithmetic("-", NotationValue::ofInteger(0), value, op.line, op.column);
    }
    NotationValue raise(const Token &op, const NotationValue &a, const NotationValue &b) const
    {
        return notationArithmetic("**", a, b, op.line, op.column);
    }

    NotationValue binary(const Token &op, const NotationValue &a, const NotationValue &b)
    {
        const bool product = op.text == "@" || op.text == "\\dot";
        if (a.isNumber() && b.isNumber() && !product) return notationArithmetic(op.text, a, b, op.line, op.column);
        return guarded(op, [&]() -> VarRef {
            if (product) return dot(asVariable(a), asVariable(b));
            if (op.text == "/") return trueDiv(asVariable(a), asVariable(b));
            return elementwise(*notationCode(op.text), {asVariable(a), asVariable(b)});
        });
    }

    NotationValue postfix()
    {
        const Token start = peek();
        NotationValue value = primary();
        while (true) {
            if (isSymbol(".")) value = member(value);
            else if (isSymbol("[")) value = index(value);
            else if (isSymbol("(")) failAt(peek(), "a value cannot be called", "write products with '*'");
            else break;
            value = placed(std::move(value), start.line, start.column);
        }
        return value;
    }

    NotationValue primary()
    {
        const Token token = peek();
        switch (token.kind) {
        case Kind::Integer:
        case Kind::Real: ++m_at; return placed(readNotationNumber(token), token.line, token.column);
        case Kind::Text: ++m_at; return placed(NotationValue::ofText(token.text), token.line, token.column);
        case Kind::Constant: ++m_at; return placed(readNotationConstant(token, m_floatX), token.line, token.column);
        case Kind::Name: return placed(name(), token.line, token.column);
        default: break;
        }
        if (isSymbol("|")) return magnitude();
        if (accept("(")) return placed(parenthesis(), token.line, token.column);
        if (accept("[")) return placed(list("]"), token.line, token.column);
        unexpected("an expression");
    }

    NotationValue parenthesis()
    {
        if (accept(")")) return NotationValue::ofList({});
        NotationValue first = expression(0);
        if (accept(")")) return first;
        if (!isSymbol(",")) unexpected("')'");
        ++m_at;
        NotationValue others = list(")");
        others.items.insert(others.items.begin(), std::move(first));
        return others;
    }

    NotationValue list(const char *end)
    {
        std::vector<NotationValue> items;
        while (!accept(end)) {
            items.push_back(expression(0));
            if (!isSymbol(end)) expect(",", "between the items");
        }
        return NotationValue::ofList(std::move(items));
    }

    NotationValue name()
    {
        const Token token = m_tokens[m_at++];
        if (token.text[0] >= '0' && token.text[0] <= '9') failAt(token, "'" + token.text + "' is neither a number nor a name");
        if (isSymbol("{")) return call(token, nullptr, braces());
        if (isSymbol("(")) return call(token, nullptr, {});
        auto known = m_names.find(token.text);
        if (known != m_names.end()) return known->second;
        if (token.text == "True" || token.text == "False") return NotationValue::ofBoolean(token.text == "True");
        if (token.text == "None") return {};
        if (token.text == "inf") return NotationValue::ofReal(std::numeric_limits<double>::infinity());
        if (token.text == "nan") return NotationValue::ofReal(std::numeric_limits<double>::quiet_NaN());
        if (dtypeFromName(token.text) || token.text == "floatX") return NotationValue::ofText(token.text);
        if (token.text == "and" || token.text == "or" || token.text == "not")
            failAt(token, "'" + token.text + "' does not work on arrays", "write & for and, | for or, ~ for not");
        if (peek().kind == Kind::Name || peek().kind == Kind::Integer || peek().kind == Kind::Real)
            failAt(peek(), "an operator is missing before '" + peek().text + "'");
        const ScopedTrace scope(traceOf(token));
        VarRef input = Variable::input(Type::ofRank(m_floatX, 2), token.text);
        m_result.inputs.push_back(input);
        define(token, NotationValue(input));
        return NotationValue(std::move(input));
    }

    // DimShuffle{1, x}: what pprint writes between braces comes first among the arguments.
    std::vector<NotationValue> braces()
    {
        std::vector<NotationValue> items;
        expect("{", "");
        while (!accept("}")) {
            const Token token = peek();
            if (token.kind == Kind::Name) items.push_back(placed(NotationValue::ofText(token.text), token.line, token.column));
            else if (token.kind == Kind::Integer) items.push_back(placed(readNotationNumber(token), token.line, token.column));
            else unexpected("a name or a number");
            ++m_at;
            if (!isSymbol("}")) expect(",", "between the items");
        }
        return items;
    }

    NotationValue call(const Token &function, const NotationValue *self, std::vector<NotationValue> first)
    {
        const Deeper deeper(*this);
        const NotationFunction *known = findNotation(function.text);
        if (!known) {
            if (m_names.count(function.text)) failAt(function, function.text + " is a value and cannot be called");
            failAt(function, "there is no function " + function.text, closestNotation(function.text));
        }
        std::vector<NotationValue> positional;
        if (self) positional.push_back(*self);
        std::vector<std::pair<std::string, NotationValue>> named;
        expect("(", "of the call");
        while (!accept(")")) {
            if (peek().kind == Kind::Name && isSymbol("=", 1)) {
                const std::string key = peek().text;
                m_at += 2;
                named.emplace_back(key, expression(0));
            } else {
                if (!named.empty()) failAt(peek(), "arguments without a name come before those with one");
                positional.push_back(expression(0));
            }
            if (!isSymbol(")")) expect(",", "between the arguments");
        }
        positional.insert(positional.end(), first.begin(), first.end());
        NotationCall arguments(function.text, std::move(positional), std::move(named), m_floatX, function.line, function.column);
        NotationValue result = build(function, [&] { return known->build(arguments); });
        arguments.finish(known->signature);
        return result;
    }

    NotationValue member(const NotationValue &self)
    {
        ++m_at;
        const Token word = peek();
        if (word.kind != Kind::Name) unexpected("a name");
        ++m_at;
        if (isSymbol("(")) return call(word, &self, {});
        if (self.kind != NotationValue::Kind::Variable) failAt(word, self.describe() + " has no ." + word.text);
        const VarRef &variable = self.variable;
        if (word.text == "ndim") return NotationValue::ofInteger(variable->type().rank());
        if (word.text == "dtype") return NotationValue::ofText(std::string(nameOf(variable->type().dtype())));
        static const std::unordered_map<std::string_view, const char *> kMembers{
            {"T", "transpose"}, {"shape", "shape"}, {"size", "size"}, {"real", "real"}, {"imag", "imag"}};
        auto found = kMembers.find(word.text);
        const NotationFunction *known = found == kMembers.end() ? nullptr : findNotation(found->second);
        if (!known) {
            const bool function = findNotation(word.text) != nullptr;
            failAt(word, "a variable has no ." + word.text,
                   function ? "it is a function: ." + word.text + "()" : "there are .T, .shape, .size, .ndim, .dtype, .real and .imag");
        }
        NotationCall arguments(word.text, {self}, {}, m_floatX, word.line, word.column);
        return build(word, [&] { return known->build(arguments); });
    }

    NotationValue index(const NotationValue &self)
    {
        const Deeper deeper(*this);
        const Token bracket = m_tokens[m_at++];
        std::vector<NotationValue> items;
        bool plain = true;
        while (!accept("]")) {
            items.push_back(subscript(plain));
            if (!isSymbol("]")) expect(",", "between the indices");
        }
        if (self.kind == NotationValue::Kind::List && plain && items.size() == 1 && items[0].kind == NotationValue::Kind::Integer) {
            const auto count = static_cast<std::int64_t>(self.items.size());
            const std::int64_t at = items[0].integer < 0 ? items[0].integer + count : items[0].integer;
            if (at < 0 || at >= count) failAt(bracket, "the list has " + std::to_string(count) + " items only");
            return self.items[at];
        }
        const VarRef variable = asVariable(self);
        items.insert(items.begin(), NotationValue(variable));
        NotationCall arguments("indexing", std::move(items), {}, m_floatX, bracket.line, bracket.column);
        return build(bracket, [&] { return findNotation("index")->build(arguments); });
    }

    // A slice is the list [start, stop, step] that carries the text "slice"; '...' is the text "...".
    NotationValue subscript(bool &plain)
    {
        const Token start = peek();
        if (isSymbol(".") && isSymbol(".", 1) && isSymbol(".", 2)) {
            m_at += 3;
            plain = false;
            return placed(NotationValue::ofText("..."), start.line, start.column);
        }
        NotationValue parts[3];
        std::size_t count = 0;
        bool slice = false;
        while (true) {
            if (isSymbol(":")) {
                ++m_at;
                slice = true;
                if (++count > 2) failAt(start, "a slice has at most three parts: start:stop:step");
            } else if (isSymbol("]") || isSymbol(",")) {
                break;
            } else {
                parts[count] = expression(0);
                if (!isSymbol(":")) break;
            }
        }
        if (!slice) {
            if (isSymbol("]") && parts[0].kind == NotationValue::Kind::None && peek().column == start.column) unexpected("an index");
            return parts[0];
        }
        plain = false;
        NotationValue result = NotationValue::ofList({parts[0], parts[1], parts[2]});
        result.text = "slice";
        return placed(std::move(result), start.line, start.column);
    }

    // --- building -------------------------------------------------------------------------------------

    VarRef asVariable(const NotationValue &value) const
    {
        if (value.kind == NotationValue::Kind::Variable) return value.variable;
        if (value.isNumber() || value.kind == NotationValue::Kind::List) return notationConstant(value, {}, m_floatX);
        throw NotationError("a variable or a number is needed here, not " + value.describe(), value.line, value.column);
    }

    static NotationValue placed(NotationValue value, int line, int column)
    {
        value.line = line;
        value.column = column;
        return value;
    }

    template <class F>
    NotationValue guarded(const Token &where, F make)
    {
        return build(where, [&] { return NotationValue(make()); });
    }

    // Whatever an op has to say about its inputs points at the operator.
    template <class F>
    NotationValue build(const Token &where, F make)
    {
        if (++m_nodes > kMostOperations) failAt(where, "the expression has more than a million operations");
        const ScopedTrace scope(traceOf(where));
        try {
            return make();
        } catch (const UserError &error) {
            throw NotationError(error.what(), where.line, where.column, error.hint());
        }
    }

    DType m_floatX;
    int m_depth = 0;
    std::size_t m_nodes = 0;
    std::unordered_map<std::string, NotationValue> m_names;
    ParsedExpression m_result;
    VarRef m_last;
};

} // namespace

ParsedExpression parseExpression(std::string_view text, DType floatX) { return Parser(text, floatX).run(); }

Type parseType(std::string_view text, DType floatX)
{
    const std::vector<NotationToken> tokens = splitNotation(text);
    std::size_t at = 0;
    const Type type = readNotationType(tokens, at, floatX);
    if (tokens[at].kind != NotationToken::Kind::Separator)
        throw NotationError("'" + tokens[at].text + "' stands behind the type", tokens[at].line, tokens[at].column);
    return type;
}

} // namespace engine
