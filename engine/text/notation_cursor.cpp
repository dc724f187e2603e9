#include "engine/text/notation_cursor.h"

#include "engine/tensor/errors.h"
#include "engine/text/notation.h"

#include <algorithm>
#include <unordered_map>

namespace engine {

int notationPower(const NotationToken &token)
{
    static const std::unordered_map<std::string_view, int> kPowers{{"<", 1},  {">", 1}, {"<=", 1}, {">=", 1}, {"==", 1}, {"!=", 1},
                                                                   {"<>", 1}, {"|", 2}, {"^", 3},  {"&", 4},  {"+", 5},  {"-", 5},
                                                                   {"*", 6},  {"/", 6}, {"//", 6}, {"%", 6},  {"@", 6},  {"\\dot", 6}};
    if (token.kind != NotationToken::Kind::Symbol) return 0;
    auto found = kPowers.find(token.text);
    return found == kPowers.end() ? 0 : found->second;
}

std::optional<ScalarCode> notationCode(std::string_view symbol)
{
    static const std::unordered_map<std::string_view, ScalarCode> kCodes{
        {"<", ScalarCode::Lt},   {">", ScalarCode::Gt},   {"<=", ScalarCode::Le}, {">=", ScalarCode::Ge},     {"==", ScalarCode::Eq},
        {"!=", ScalarCode::Neq}, {"<>", ScalarCode::Neq}, {"|", ScalarCode::Or},  {"^", ScalarCode::Xor},     {"&", ScalarCode::And},
        {"+", ScalarCode::Add},  {"-", ScalarCode::Sub},  {"*", ScalarCode::Mul}, {"//", ScalarCode::IntDiv}, {"%", ScalarCode::Mod}};
    auto found = kCodes.find(symbol);
    if (found == kCodes.end()) return std::nullopt;
    return found->second;
}

const NotationToken &NotationCursor::peek(std::size_t ahead) const { return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)]; }

bool NotationCursor::isSymbol(std::string_view text, std::size_t ahead) const
{
    return peek(ahead).kind == Kind::Symbol && peek(ahead).text == text;
}

bool NotationCursor::accept(std::string_view symbol)
{
    if (!isSymbol(symbol)) return false;
    ++m_at;
    return true;
}

void NotationCursor::expect(std::string_view symbol, const char *why)
{
    if (!accept(symbol)) unexpected("'" + std::string(symbol) + "' " + why);
}

void NotationCursor::failAt(const Token &token, const std::string &message, const std::string &hint) const
{
    throw NotationError(message, token.line, token.column, hint);
}

void NotationCursor::unexpected(const std::string &wanted) const
{
    const Token &token = peek();
    std::string got = "'" + token.text + "'";
    if (token.kind == Kind::End || (token.kind == Kind::Separator && token.text.empty())) got = "the end of the text";
    else if (token.kind == Kind::Separator && token.text != ";") got = "the end of the line";
    failAt(token, got + " stands where " + wanted + " was expected");
}

TraceId NotationCursor::traceOf(const Token &token)
{
    if (token.line == m_tracedLine) return m_trace;
    if (m_lineStarts.empty()) {
        m_lineStarts.push_back(0);
        for (std::size_t i = 0; i < m_source.size(); ++i)
            if (m_source[i] == '\n') m_lineStarts.push_back(i + 1);
    }
    std::string_view line = m_source.substr(m_lineStarts[token.line - 1]);
    line = line.substr(0, std::min(line.find('\n'), std::size_t{200}));
    m_trace = internTrace({SourceLine{"<expression>", token.line, "", std::string(line)}});
    m_tracedLine = token.line;
    return m_trace;
}

} // namespace engine
