#include "engine/text/notation_lexer.h"

#include "engine/liveness/sizes.h"
#include "engine/text/notation.h"

#include <array>
#include <cstdio>

namespace engine {
namespace {

constexpr std::size_t kMaxText = 1'000'000;

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Splitter {
public:
    explicit Splitter(std::string_view text) : m_text(text) {}

    std::vector<NotationToken> run()
    {
        if (m_text.size() > kMaxText) throw NotationError("the expression is longer than " + liveness::sizeText(kMaxText), 1, 1);
        while (m_at < m_text.size()) step();
        if (!m_open.empty())
            throw NotationError("the bracket '" + m_open.back().text + "' is never closed", m_open.back().line, m_open.back().column);
        push(NotationToken::Kind::Separator, "");
        push(NotationToken::Kind::End, "");
        return std::move(m_tokens);
    }

private:
    using Kind = NotationToken::Kind;

    char peek(std::size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }

    void advance(std::size_t count = 1)
    {
        for (; count && m_at < m_text.size(); --count, ++m_at) {
            const auto byte = static_cast<unsigned char>(m_text[m_at]);
            if (byte == '\n') {
                ++m_line;
                m_column = 1;
            } else if ((byte & 0xC0u) != 0x80u) {
                ++m_column; // continuation bytes of UTF-8 stand in the column of their character
            }
        }
    }

    void push(Kind kind, std::string text) { m_tokens.push_back({kind, std::move(text), m_line, m_column}); }
    [[noreturn]] void fail(const std::string &message, const std::string &hint = {}) const
    {
        throw NotationError(message, m_line, m_column, hint);
    }

    void step()
    {
        const char c = peek();
        if (c == ' ' || c == '\t' || c == '\r') return advance();
        if (c == '#') {
            while (m_at < m_text.size() && peek() != '\n') advance();
            return;
        }
        if (c == '\n' || c == ';') {
            if (c == ';' && !m_open.empty())
                fail("';' inside the bracket '" + m_open.back().text + "' that opens at column " + std::to_string(m_open.back().column));
            if (m_open.empty()) push(Kind::Separator, c == ';' ? ";" : "end of line");
            return advance();
        }
        if (isLetter(c)) return name();
        if (isDigit(c) || (c == '.' && isDigit(peek(1)))) return number();
        if (c == '\'' || c == '"') return quoted(c);
        if (c == '\\') return backslash();
        symbol();
    }

    void name()
    {
        std::size_t length = 0;
        while (isLetter(peek(length)) || isDigit(peek(length))) ++length;
        const std::string word(m_text.substr(m_at, length));
        if (peek(length) == '{') return braced(word, length);
        push(Kind::Name, word);
        advance(length);
    }

    // TensorConstant{0.5}, and Constant{1} of an index, are read as constants; DimShuffle{0, x} keeps its braces as symbols.
    void braced(const std::string &word, std::size_t length)
    {
        if (word != "TensorConstant" && word != "Constant") {
            push(Kind::Name, word);
            return advance(length);
        }
        const std::size_t end = m_text.find('}', m_at);
        if (end == std::string_view::npos) fail("the constant is never closed: '}' is missing");
        const std::size_t begin = m_at + length + 1;
        push(Kind::Constant, std::string(m_text.substr(begin, end - begin)));
        advance(end + 1 - m_at);
    }

    void number()
    {
        std::size_t length = 0;
        bool real = false;
        while (isDigit(peek(length))) ++length;
        if (peek(length) == 'D' && !isLetter(peek(length + 1)) && !isDigit(peek(length + 1))) {
            push(Kind::Name, std::string(m_text.substr(m_at, length + 1))); // TensorType(float64, 3D)
            return advance(length + 1);
        }
        if (peek(length) == '.') {
            real = true;
            ++length;
            while (isDigit(peek(length))) ++length;
        }
        if (peek(length) == 'e' || peek(length) == 'E') {
            std::size_t digits = length + 1;
            if (peek(digits) == '+' || peek(digits) == '-') ++digits;
            if (isDigit(peek(digits))) {
                real = true;
                length = digits;
                while (isDigit(peek(length))) ++length;
            }
        }
        if (isLetter(peek(length)))
            fail("'" + std::string(m_text.substr(m_at, length + 1)) + "' is neither a number nor a name",
                 "write a product with '*', and start names with a letter");
        push(real ? Kind::Real : Kind::Integer, std::string(m_text.substr(m_at, length)));
        advance(length);
    }

    void quoted(char quote)
    {
        const std::size_t end = m_text.find(quote, m_at + 1);
        if (end == std::string_view::npos || m_text.substr(m_at, end - m_at).find('\n') != std::string_view::npos)
            fail("the quoted text is never closed");
        push(Kind::Text, std::string(m_text.substr(m_at + 1, end - m_at - 1)));
        advance(end + 1 - m_at);
    }

    // "\dot" is the product in pprint's language, "\alpha" is the name alpha.
    void backslash()
    {
        std::size_t length = 1;
        while (isLetter(peek(length))) ++length;
        const std::string word(m_text.substr(m_at + 1, length - 1));
        if (word.empty()) fail("'\\' has to be followed by a name, as in \\dot");
        if (word == "dot") push(Kind::Symbol, "\\dot");
        else push(Kind::Name, word);
        advance(length);
    }

    void symbol()
    {
        static constexpr std::array<std::string_view, 7> kLong{"**", "//", "<=", ">=", "==", "!=", "<>"};
        static constexpr std::string_view kShort = "+-*/%@&|^~<>=()[]{},:.?";
        for (std::string_view word : kLong)
            if (m_text.substr(m_at, 2) == word) {
                push(Kind::Symbol, std::string(word));
                return advance(2);
            }
        const char c = peek();
        if (kShort.find(c) == std::string_view::npos || c == '\0') unknown();
        if (c == '(' || c == '[' || c == '{') m_open.push_back({Kind::Symbol, std::string(1, c), m_line, m_column});
        if (c == ')' || c == ']' || c == '}') close(c);
        push(Kind::Symbol, std::string(1, c));
        advance();
    }

    void close(char c)
    {
        const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
        if (m_open.empty()) fail(std::string("'") + c + "' closes a bracket that was never opened");
        if (m_open.back().text[0] != wanted)
            fail(std::string("'") + c + "' closes the bracket '" + m_open.back().text + "' that opens at column " +
                 std::to_string(m_open.back().column));
        m_open.pop_back();
    }

    [[noreturn]] void unknown() const
    {
        const auto byte = static_cast<unsigned char>(peek());
        std::size_t length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        bool printable = (byte >= 0x20 && byte < 0x7F) || (byte >= 0xC0 && byte < 0xF8);
        for (std::size_t i = 1; i < length; ++i) printable &= (static_cast<unsigned char>(peek(i)) & 0xC0u) == 0x80u;
        if (printable) fail("the character '" + std::string(m_text.substr(m_at, length)) + "' has no meaning here");
        char code[8];
        std::snprintf(code, sizeof code, "0x%02x", byte);
        fail(std::string("the byte ") + code + " has no meaning here");
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1, m_column = 1;
    std::vector<NotationToken> m_tokens;
    std::vector<NotationToken> m_open;
};

} // namespace

std::vector<NotationToken> splitNotation(std::string_view text) { return Splitter(text).run(); }

} // namespace engine
