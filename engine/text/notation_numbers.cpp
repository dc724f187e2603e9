#include "engine/text/notation_numbers.h"

#include "engine/tensor/dims.h"
#include "engine/text/notation.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace engine {
namespace {

using Number = NotationValue;

bool toInteger(std::string_view text, std::int64_t &value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

bool toReal(std::string_view text, double &value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return false;
    if (error == std::errc::result_out_of_range) // underflow gives 0, overflow infinity, as Python reads them
        value = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos
                    ? 0.0
                    : std::numeric_limits<double>::infinity();
    else if (error != std::errc{}) return false;
    return true;
}

// The text of an array as NumPy prints it: nested brackets, numbers separated by blanks or commas.
class ArrayText {
public:
    explicit ArrayText(const NotationToken &token) : m_token(token), m_text(token.text) {}

    Number read()
    {
        Number value = element(0);
        blanks();
        if (m_at != m_text.size()) fail();
        return value;
    }

    [[noreturn]] void fail() const
    {
        if (m_text.find("..") != std::string_view::npos || m_text.find("…") != std::string_view::npos)
            throw NotationError("this constant was shortened when it was printed", m_token.line, m_token.column, "write the number itself");
        throw NotationError("TensorConstant{…} holds a number or an array of numbers", m_token.line, m_token.column);
    }

    void blanks()
    {
        while (m_at < m_text.size() && std::string_view(" ,\n\t\r").find(m_text[m_at]) != std::string_view::npos) ++m_at;
    }

private:
    Number element(int depth)
    {
        blanks();
        if (m_at == m_text.size() || depth > kMaxRank) fail();
        if (m_text[m_at] != '[') return number();
        ++m_at;
        std::vector<Number> items;
        while (true) {
            blanks();
            if (m_at == m_text.size()) fail();
            if (m_text[m_at] == ']') break;
            items.push_back(element(depth + 1));
        }
        ++m_at;
        return placed(Number::ofList(std::move(items)));
    }

    Number number()
    {
        const std::size_t end = std::min(m_text.find_first_of(" ,\n\t\r[]", m_at), m_text.size());
        std::string_view word = m_text.substr(m_at, end - m_at);
        if (!word.empty() && word[0] == '+') word.remove_prefix(1);
        m_at = end;
        std::int64_t integer = 0;
        double real = 0;
        if (word == "True" || word == "False") return placed(Number::ofBoolean(word == "True"));
        if (toInteger(word, integer)) return placed(Number::ofInteger(integer));
        if (!toReal(word, real)) fail();
        return placed(Number::ofReal(real));
    }

    Number placed(Number value) const
    {
        value.line = m_token.line;
        value.column = m_token.column;
        return value;
    }

    const NotationToken &m_token;
    std::string_view m_text;
    std::size_t m_at = 0;
};

// "(2, 3) of 0.5"
Number uniform(const NotationToken &token, std::size_t of, DType floatX)
{
    constexpr std::int64_t kMaxElements = 1 << 20;
    std::vector<std::int64_t> sizes;
    std::string_view shape = std::string_view(token.text).substr(1, of - 2);
    while (!shape.empty()) {
        const std::size_t comma = std::min(shape.find(','), shape.size());
        std::string_view word = shape.substr(0, comma);
        while (!word.empty() && word[0] == ' ') word.remove_prefix(1);
        std::int64_t size = 0;
        if (!word.empty()) {
            if (!toInteger(word, size) || size < 0 || size > kMaxElements || sizes.size() == kMaxRank) ArrayText(token).fail();
            sizes.push_back(size);
        }
        shape.remove_prefix(std::min(comma + 1, shape.size()));
    }
    NotationToken single = token;
    single.text = token.text.substr(of + 4);
    Number value = ArrayText(single).read();
    if (!value.isNumber()) ArrayText(token).fail();
    std::int64_t total = 1;
    for (std::int64_t size : sizes) {
        total *= size;
        if (total > kMaxElements) throw NotationError("an array written out has at most a million elements", token.line, token.column);
    }
    const Tensor element = notationConstant(value, {}, floatX)->value().tensor();
    return Number(Variable::constant(Tensor::full(element.dtype(), Dims(sizes), value.number())));
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

double floorModulo(double a, double b)
{
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

} // namespace

NotationValue readNotationNumber(const NotationToken &token)
{
    if (token.kind == NotationToken::Kind::Integer) {
        std::int64_t value = 0;
        if (!toInteger(token.text, value))
            throw NotationError("the number is too large for int64", token.line, token.column, "write it as a float: 1e20");
        return Number::ofInteger(value);
    }
    double value = 0;
    if (!toReal(token.text, value)) throw NotationError("this is not a number", token.line, token.column);
    return Number::ofReal(value);
}

NotationValue readNotationConstant(const NotationToken &token, DType floatX)
{
    const std::size_t of = token.text.find(") of ");
    if (!token.text.empty() && token.text[0] == '(' && of != std::string::npos) return uniform(token, of + 1, floatX);
    return ArrayText(token).read();
}

NotationValue notationArithmetic(std::string_view op, const NotationValue &a, const NotationValue &b, int line, int column)
{
    const auto fail = [&](const char *message) -> NotationValue { throw NotationError(message, line, column); };
    const auto truth = [](bool value) { return Number::ofBoolean(value); };
    const double x = a.number(), y = b.number();
    if (op == "<") return truth(x < y);
    if (op == ">") return truth(x > y);
    if (op == "<=") return truth(x <= y);
    if (op == ">=") return truth(x >= y);
    if (op == "==") return truth(x == y);
    if (op == "!=" || op == "<>") return truth(x != y);

    const bool whole = a.kind != Number::Kind::Real && b.kind != Number::Kind::Real;
    if (op == "&" || op == "|" || op == "^") {
        if (!whole) return fail("& | ^ work on whole numbers and truth values");
        const std::int64_t bits = op == "&" ? a.integer & b.integer : op == "|" ? a.integer | b.integer : a.integer ^ b.integer;
        const bool boolean = a.kind == Number::Kind::Boolean && b.kind == Number::Kind::Boolean;
        return boolean ? truth(bits != 0) : Number::ofInteger(bits);
    }
    const bool divides = op == "/" || op == "//" || op == "%";
    if (divides && y == 0) return fail("division by zero");
    if (op == "/") return Number::ofReal(x / y);
    if (op == "**" && (!whole || b.integer < 0)) {
        if (x == 0 && y < 0) return fail("zero cannot be raised to a negative power");
        if (x < 0 && y != std::floor(y)) return fail("a negative number to a fractional power is complex");
        return Number::ofReal(std::pow(x, y));
    }
    if (!whole) {
        if (op == "+") return Number::ofReal(x + y);
        if (op == "-") return Number::ofReal(x - y);
        if (op == "*") return Number::ofReal(x * y);
        if (op == "//") return Number::ofReal(std::floor(x / y));
        return Number::ofReal(floorModulo(x, y));
    }
    const std::int64_t i = a.integer, j = b.integer;
    std::int64_t result = 0;
    bool overflow = false;
    if (op == "+") overflow = __builtin_add_overflow(i, j, &result);
    else if (op == "-") overflow = __builtin_sub_overflow(i, j, &result);
    else if (op == "*") overflow = __builtin_mul_overflow(i, j, &result);
    else if (j == -1 && i == std::numeric_limits<std::int64_t>::min()) overflow = op == "//";
    else if (op == "//") result = floorDivide(i, j);
    else if (op == "%") result = i - floorDivide(i, j) * j;
    else if (i == 0 || i == 1 || i == -1) result = j == 0 ? 1 : i == -1 && j % 2 == 0 ? 1 : i;
    else {
        result = 1;
        if (j >= 64) overflow = true;
        for (std::int64_t k = 0; k < j && !overflow; ++k) overflow = __builtin_mul_overflow(result, i, &result);
    }
    if (overflow) return fail("the result does not fit into int64");
    return Number::ofInteger(result);
}

} // namespace engine
