#include "engine/graph/syntax/json.h"

#include "engine/liveness/sizes.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace engine {

const JsonValue *JsonValue::find(std::string_view key) const
{
    for (const auto &[name, value] : members)
        if (name == key) return &value;
    return nullptr;
}

const char *JsonValue::kindText() const
{
    switch (kind) {
    case Kind::Null: return "null";
    case Kind::Boolean: return boolean ? "true" : "false";
    case Kind::Number: return "a number";
    case Kind::Text: return "a text";
    case Kind::Array: return "an array";
    case Kind::Object: return "an object";
    }
    return "?";
}

std::size_t utf8Length(std::string_view text, std::size_t start)
{
    const auto at = [&](std::size_t i) { return start + i < text.size() ? static_cast<unsigned char>(text[start + i]) : 0u; };
    const auto tail = [&](std::size_t i) { return (at(i) & 0xC0u) == 0x80u; };
    const unsigned a = at(0), b = at(1);
    if (start >= text.size()) return 0;
    if (a < 0x80) return 1;
    if (a >= 0xC2 && a < 0xE0) return tail(1) ? 2 : 0;
    if (a >= 0xE0 && a < 0xF0) {
        if ((a == 0xE0 && b < 0xA0) || (a == 0xED && b > 0x9F)) return 0;
        return tail(1) && tail(2) ? 3 : 0;
    }
    if (a >= 0xF0 && a < 0xF5) {
        if ((a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F)) return 0;
        return tail(1) && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

namespace {

class Reader {
public:
    Reader(std::string_view text, const JsonLimits &limits) : m_text(text), m_limits(limits) {}

    JsonValue run()
    {
        if (m_text.size() > m_limits.bytes) fail("the document is larger than " + liveness::sizeText(m_limits.bytes));
        blanks();
        JsonValue value = element(0);
        blanks();
        if (m_at != m_text.size()) fail("something follows the end of the document");
        return value;
    }

private:
    [[noreturn]] void fail(const std::string &message) const
    {
        int line = 1, column = 1;
        for (std::size_t i = 0; i < m_at && i < m_text.size(); ++i) {
            const auto byte = static_cast<unsigned char>(m_text[i]);
            if (byte == '\n') {
                ++line;
                column = 1;
            } else if ((byte & 0xC0u) != 0x80u) {
                ++column;
            }
        }
        throw JsonError(message, line, column);
    }

    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    void blanks()
    {
        while (m_at < m_text.size() && (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r')) ++m_at;
    }
    void expect(char c)
    {
        if (m_at == m_text.size()) fail("the document ends in the middle");
        if (peek() != c) fail(std::string("'") + c + "' was expected here");
        ++m_at;
    }

    JsonValue element(int depth)
    {
        if (depth > m_limits.depth) fail("the document is nested more than " + std::to_string(m_limits.depth) + " levels deep");
        if (m_at == m_text.size()) fail("the document ends in the middle");
        JsonValue value;
        switch (peek()) {
        case '{': object(value, depth); break;
        case '[': array(value, depth); break;
        case '"':
            value.kind = JsonValue::Kind::Text;
            value.text = text();
            break;
        case 't':
            word("true", value, JsonValue::Kind::Boolean);
            value.boolean = true;
            break;
        case 'f': word("false", value, JsonValue::Kind::Boolean); break;
        case 'n': word("null", value, JsonValue::Kind::Null); break;
        default: number(value);
        }
        return value;
    }

    void word(std::string_view word, JsonValue &value, JsonValue::Kind kind)
    {
        if (m_text.substr(m_at, word.size()) != word) fail("a value was expected here");
        m_at += word.size();
        value.kind = kind;
    }

    void object(JsonValue &value, int depth)
    {
        value.kind = JsonValue::Kind::Object;
        ++m_at;
        blanks();
        std::unordered_set<std::string> seen;
        while (peek() != '}' || m_at == m_text.size()) {
            if (!value.members.empty()) {
                expect(',');
                blanks();
            }
            if (peek() != '"') fail("a key in quotes was expected here");
            const std::size_t start = m_at;
            std::string key = text();
            if (!seen.insert(key).second) {
                m_at = start;
                fail("the key \"" + key + "\" stands here a second time");
            }
            blanks();
            expect(':');
            blanks();
            value.members.push_back({std::move(key), element(depth + 1)});
            blanks();
        }
        ++m_at;
    }

    void array(JsonValue &value, int depth)
    {
        value.kind = JsonValue::Kind::Array;
        ++m_at;
        blanks();
        while (peek() != ']' || m_at == m_text.size()) {
            if (!value.items.empty()) {
                expect(',');
                blanks();
            }
            value.items.push_back(element(depth + 1));
            blanks();
        }
        ++m_at;
    }

    static bool isDigit(char c) { return c >= '0' && c <= '9'; }

    void number(JsonValue &value)
    {
        const std::size_t start = m_at;
        if (peek() == '-') ++m_at;
        if (!isDigit(peek())) {
            m_at = start;
            fail("a value was expected here");
        }
        const bool zero = peek() == '0';
        ++m_at;
        if (zero && isDigit(peek())) fail("a number does not start with 0");
        while (isDigit(peek())) ++m_at;
        bool whole = true;
        if (peek() == '.') {
            whole = false;
            ++m_at;
            if (!isDigit(peek())) fail("a digit was expected here");
            while (isDigit(peek())) ++m_at;
        }
        if (peek() == 'e' || peek() == 'E') {
            whole = false;
            ++m_at;
            if (peek() == '+' || peek() == '-') ++m_at;
            if (!isDigit(peek())) fail("a digit was expected here");
            while (isDigit(peek())) ++m_at;
        }
        const char *begin = m_text.data() + start, *end = m_text.data() + m_at;
        value.kind = JsonValue::Kind::Number;
        if (whole) {
            std::int64_t integer = 0;
            if (std::from_chars(begin, end, integer).ec == std::errc{}) value.integer = integer;
        }
        if (std::from_chars(begin, end, value.number).ec == std::errc::result_out_of_range) {
            m_at = start;
            fail("the number is out of the range of a double");
        }
    }

    unsigned hex4()
    {
        unsigned code = 0;
        for (int i = 0; i < 4; ++i, ++m_at) {
            const char c = peek();
            const int digit = isDigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
            if (digit < 0) fail("four hexadecimal digits were expected here");
            code = code * 16 + static_cast<unsigned>(digit);
        }
        return code;
    }

    static void append(std::string &out, unsigned code)
    {
        const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
        if (code < 0x80) return put(code);
        if (code < 0x800) return put(0xC0u | (code >> 6)), put(0x80u | (code & 0x3Fu));
        if (code < 0x10000) return put(0xE0u | (code >> 12)), put(0x80u | ((code >> 6) & 0x3Fu)), put(0x80u | (code & 0x3Fu));
        put(0xF0u | (code >> 18)), put(0x80u | ((code >> 12) & 0x3Fu));
        put(0x80u | ((code >> 6) & 0x3Fu)), put(0x80u | (code & 0x3Fu));
    }

    void escape(std::string &out)
    {
        ++m_at;
        const char c = peek();
        static constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
        if (const std::size_t simple = c ? kFrom.find(c) : std::string_view::npos; simple != std::string_view::npos) {
            out += kTo[simple];
            ++m_at;
            return;
        }
        if (c != 'u') fail("this escape means nothing");
        ++m_at;
        unsigned code = hex4();
        if (code >= 0xD800 && code < 0xDC00) {
            if (m_text.substr(m_at, 2) != "\\u") fail("half of a surrogate pair is missing");
            m_at += 2;
            const unsigned low = hex4();
            if (low < 0xDC00 || low > 0xDFFF) fail("half of a surrogate pair is missing");
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if (code >= 0xDC00 && code <= 0xDFFF) {
            fail("half of a surrogate pair is missing");
        }
        append(out, code);
    }

    std::string text()
    {
        std::string out;
        ++m_at;
        while (true) {
            if (m_at == m_text.size()) fail("the quoted text is never closed");
            const char c = peek();
            if (c == '"') break;
            if (c == '\\') {
                escape(out);
                continue;
            }
            if (static_cast<unsigned char>(c) < 0x20) fail("a control character stands inside a text");
            const std::size_t length = utf8Length(m_text, m_at);
            if (!length) fail("the text is not UTF-8");
            out.append(m_text, m_at, length);
            m_at += length;
        }
        ++m_at;
        return out;
    }

    std::string_view m_text;
    JsonLimits m_limits;
    std::size_t m_at = 0;
};

} // namespace

JsonValue readJson(std::string_view text, const JsonLimits &limits) { return Reader(text, limits).run(); }

// --- writing ----------------------------------------------------------------------------------------

void JsonWriter::separate()
{
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (m_open.empty()) return;
    Level &level = m_open.back();
    if (!level.empty) m_out += level.lines ? "," : ", ";
    if (level.lines) m_out += "\n" + std::string(m_open.size() * 2, ' ');
    level.empty = false;
}

void JsonWriter::begin(char bracket)
{
    separate();
    m_out += bracket;
    m_open.push_back({});
}

void JsonWriter::end(char bracket)
{
    const Level level = m_open.back();
    m_open.pop_back();
    if (level.lines && !level.empty) m_out += "\n" + std::string(m_open.size() * 2, ' ');
    m_out += bracket;
    if (m_open.empty()) m_out += '\n';
}

void JsonWriter::key(std::string_view key)
{
    value(key);
    m_out += ": ";
    m_afterKey = true;
}

void JsonWriter::value(std::string_view text)
{
    separate();
    m_out += '"';
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8Length(text, at);
        const char c = text[at];
        const auto byte = static_cast<unsigned char>(c);
        if (length != 1) {
            m_out += length ? text.substr(at, length) : std::string_view("\xEF\xBF\xBD");
        } else if (c == '"' || c == '\\') {
            m_out += '\\';
            m_out += c;
        } else if (c == '\n') {
            m_out += "\\n";
        } else if (c == '\t') {
            m_out += "\\t";
        } else if (byte < 0x20 || byte == 0x7F) {
            static constexpr char kDigits[] = "0123456789abcdef";
            m_out += "\\u00";
            m_out += kDigits[byte >> 4];
            m_out += kDigits[byte & 15u];
        } else {
            m_out += c;
        }
        at += length ? length : 1;
    }
    m_out += '"';
}

void JsonWriter::value(bool boolean)
{
    separate();
    m_out += boolean ? "true" : "false";
}

void JsonWriter::value(std::int64_t number)
{
    separate();
    m_out += std::to_string(number);
}

void JsonWriter::value(double number, bool isSingle)
{
    if (!std::isfinite(number)) return value(std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
    separate();
    char buffer[40];
    const auto written = isSingle ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(number))
                                  : std::to_chars(buffer, buffer + sizeof buffer, number);
    m_out.append(buffer, written.ptr);
}

void JsonWriter::null()
{
    separate();
    m_out += "null";
}

} // namespace engine
