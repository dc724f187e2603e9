// Where a reader of the notation stands in the text: what comes next, what it must be, and what to say when it is not.
#pragma once

#include "engine/graph/ir/source.h"
#include "engine/scalar/scalar_op.h"
#include "engine/text/notation_lexer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// Binding power of a binary operator; 0: the token is none. ** binds with what stands before it.
int notationPower(const NotationToken &token);
constexpr int kNotationUnaryPower = 7;
/// The elementwise function of a binary operator.
std::optional<ScalarCode> notationCode(std::string_view symbol);

class NotationCursor {
public:
    using Token = NotationToken;
    using Kind = NotationToken::Kind;

    explicit NotationCursor(std::string_view text) : m_tokens(splitNotation(text)), m_source(text) {}

protected:
    const Token &peek(std::size_t ahead = 0) const;
    bool isSymbol(std::string_view text, std::size_t ahead = 0) const;
    bool accept(std::string_view symbol);
    void expect(std::string_view symbol, const char *why);
    [[noreturn]] void failAt(const Token &token, const std::string &message, const std::string &hint = {}) const;
    [[noreturn]] void unexpected(const std::string &wanted) const;
    /// The line of the token, as the source location of what is made there.
    TraceId traceOf(const Token &token);

    std::vector<Token> m_tokens;
    std::size_t m_at = 0;

private:
    std::string_view m_source;
    TraceId m_trace = TraceId::None;
    int m_tracedLine = 0;
    std::vector<std::size_t> m_lineStarts;
};

} // namespace engine
