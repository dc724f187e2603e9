// The expressions of lessons: numbers, texts and facts, with arithmetic and one comparison after the other.
#include "profiler/lessons/facts.h"

#include <cmath>
#include <cstdlib>

namespace profiler {

namespace {

constexpr int kDeepest = 40; // brackets in brackets

class Evaluation {
public:
    Evaluation(SessionFacts &facts, const std::string &text) : m_facts(facts), m_text(text) {}

    Value whole()
    {
        Value value = either();
        skip();
        if (m_at < m_text.size()) fail("'" + m_text.substr(m_at) + "' does not belong there");
        return value;
    }

private:
    [[noreturn]] void fail(const std::string &what) const { throw FactError(what + ", in: " + m_text); }
    void skip()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at]))) ++m_at;
    }
    bool take(const char *sign)
    {
        skip();
        const std::string_view wanted(sign);
        if (m_text.compare(m_at, wanted.size(), wanted) != 0) return false;
        if (std::isalpha(static_cast<unsigned char>(wanted[0])) && m_at + wanted.size() < m_text.size() &&
            std::isalnum(static_cast<unsigned char>(m_text[m_at + wanted.size()])))
            return false;
        m_at += wanted.size();
        return true;
    }
    void want(const char *sign)
    {
        if (!take(sign)) fail(std::string("a '") + sign + "' is missing");
    }
    double number(const Value &value) const
    {
        if (value.kind == Value::Kind::Nodes) return static_cast<double>(value.nodes.size());
        if (!value.isNumber()) fail("'" + textOf(value) + "' is no number");
        return value.number;
    }

    Value either()
    {
        Value left = both();
        while (take("or")) {
            const Value right = both();
            left = Value::of(number(left) != 0 || number(right) != 0);
        }
        return left;
    }

    Value both()
    {
        Value left = comparison();
        while (take("and")) {
            const Value right = comparison();
            left = Value::of(number(left) != 0 && number(right) != 0);
        }
        return left;
    }

    Value comparison()
    {
        const Value left = sum();
        for (const char *sign : {"<=", ">=", "!=", "=", "<", ">"}) {
            if (!take(sign)) continue;
            const Value right = sum();
            return Value::of(holds(left, sign, right));
        }
        return left;
    }

    bool holds(const Value &left, const std::string &sign, const Value &right) const
    {
        if (left.kind == Value::Kind::Text || right.kind == Value::Kind::Text) {
            if (sign != "=" && sign != "!=") fail("texts are compared by = and != only");
            return (textOf(left) == textOf(right)) == (sign == "=");
        }
        if (left.kind == Value::Kind::Nodes && right.kind == Value::Kind::Nodes) return (left.nodes == right.nodes) == (sign == "=");
        const double a = number(left), b = number(right);
        return sign == "<" ? a < b : sign == ">" ? a > b : sign == "<=" ? a <= b : sign == ">=" ? a >= b : (a == b) == (sign == "=");
    }

    Value sum()
    {
        Value left = product();
        for (;;) {
            const bool plus = take("+");
            if (!plus && !take("-")) return left;
            const Value right = product();
            left = Value::of(plus ? number(left) + number(right) : number(left) - number(right), left.unit);
        }
    }

    Value product()
    {
        Value left = single();
        for (;;) {
            const bool times = take("*");
            if (!times && !take("/")) return left;
            const Value right = single();
            const double b = number(right);
            if (!times && b == 0) fail("that divides by zero");
            // Milliseconds by milliseconds is a count, by a count they stay what they are.
            const ValueUnit unit = left.unit == right.unit ? ValueUnit::Count : left.unit == ValueUnit::Count ? right.unit : left.unit;
            left = Value::of(times ? number(left) * b : number(left) / b, unit);
        }
    }

    Value single()
    {
        skip();
        if (++m_depth > kDeepest) fail("these brackets are too deep");
        if (m_at >= m_text.size()) fail("something is missing at its end");
        Value value;
        const char c = m_text[m_at];
        if (take("(")) {
            value = either();
            want(")");
        } else if (take("-")) {
            value = single();
            value.number = -number(value);
        } else if (c == '"') {
            value = quoted();
        } else if (std::isdigit(static_cast<unsigned char>(c))) {
            char *end = nullptr;
            const double number = std::strtod(m_text.c_str() + m_at, &end);
            m_at = static_cast<std::size_t>(end - m_text.c_str());
            value = Value::of(number);
        } else if (std::isalpha(static_cast<unsigned char>(c))) {
            value = named();
        } else {
            fail(std::string("'") + c + "' means nothing here");
        }
        --m_depth;
        return value;
    }

    Value quoted()
    {
        const std::size_t end = m_text.find('"', m_at + 1);
        if (end == std::string::npos) fail("a text does not end: a \" is missing");
        const std::string text = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return Value::of(text);
    }

    // A fact, or a word that means itself.
    Value named()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '_')) ++m_at;
        const std::string name = m_text.substr(begin, m_at - begin);
        if (!take("(")) return Value::of(name);
        if (name == "in") return inFunction();
        const Fact *fact = findFact(name);
        if (!fact) fail("there is no fact '" + name + "'; `croton lesson facts` lists them");
        std::vector<Value> arguments;
        if (!take(")")) {
            do arguments.push_back(either());
            while (take(","));
            want(")");
        }
        if (arguments.size() < fact->least || arguments.size() > fact->most) fail(std::string("it is written ") + fact->call);
        return fact->answer(m_facts, arguments);
    }

    // in("hungry", peak()): of another function.
    Value inFunction()
    {
        const Value function = either();
        want(",");
        const std::string before = m_facts.function().name;
        m_facts.setFunction(textOf(function));
        Value value;
        try {
            value = either();
        } catch (...) {
            m_facts.setFunction(before);
            throw;
        }
        m_facts.setFunction(before);
        want(")");
        return value;
    }

    SessionFacts &m_facts;
    const std::string &m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
};

} // namespace

Value SessionFacts::value(const std::string &expression) { return Evaluation(*this, expression).whole(); }

bool SessionFacts::holds(const std::string &expression)
{
    const Value result = value(expression);
    return result.kind == Value::Kind::Nodes ? !result.nodes.empty() : result.number != 0;
}

const Fact *findFact(std::string_view name)
{
    for (const std::span<const Fact> facts : {graphFacts(), runFacts()})
        for (const Fact &fact : facts)
            if (name == fact.name) return &fact;
    return nullptr;
}

std::vector<FactInfo> allFacts()
{
    std::vector<FactInfo> all;
    for (const std::span<const Fact> facts : {graphFacts(), runFacts()})
        for (const Fact &fact : facts) all.push_back({fact.call, fact.says});
    all.push_back({"in(FUNCTION, FACT)", "what a fact says of another function of the session"});
    return all;
}

} // namespace profiler
