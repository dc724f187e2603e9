// A small strict JSON reader and writer: RFC 8259, nothing more. Hostile text gives an error with line and column.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {

class JsonError : public std::runtime_error {
public:
    JsonError(const std::string &message, int line, int column) : std::runtime_error(message), line(line), column(column) {}
    int line, column;
};

struct JsonMember;

struct JsonValue {
    enum class Kind : std::uint8_t { Null, Boolean, Number, Text, Array, Object };

    Kind kind = Kind::Null;
    bool boolean = false;
    double number = 0;
    std::optional<std::int64_t> integer; ///< numbers written without fraction and exponent that fit
    std::string text;
    std::vector<JsonValue> items;
    std::vector<JsonMember> members; ///< in the order of the text, each key once

    bool isArray() const { return kind == Kind::Array; }
    bool isObject() const { return kind == Kind::Object; }
    bool isText() const { return kind == Kind::Text; }
    /// Null if there is no such member, or if this is no object.
    const JsonValue *find(std::string_view key) const;
    /// "a number", "an object": for messages.
    const char *kindText() const;
};

struct JsonMember {
    std::string name;
    JsonValue value;
};

struct JsonLimits {
    std::size_t bytes = 256u << 20;
    int depth = 100;
};

/// Length of the well-formed UTF-8 character at `at`; 0 if there is none.
std::size_t utf8Length(std::string_view text, std::size_t at);

JsonValue readJson(std::string_view text, const JsonLimits &limits = {});

/// Writes straight into a string; bytes that are no UTF-8 become U+FFFD; commas and indentation come by themselves.
class JsonWriter {
public:
    void beginObject() { begin('{'); }
    void endObject() { end('}'); }
    void beginArray() { begin('['); }
    void endArray() { end(']'); }
    /// The array or object that is open puts each entry on a line of its own.
    void onePerLine() { m_open.back().lines = true; }
    void key(std::string_view key);
    void value(std::string_view text);
    void value(const char *text) { value(std::string_view(text)); }
    void value(const std::string &text) { value(std::string_view(text)); }
    void value(bool boolean);
    void value(std::int64_t number);
    void value(int number) { value(static_cast<std::int64_t>(number)); }
    void value(std::uint32_t number) { value(static_cast<std::int64_t>(number)); }
    /// JSON knows no NaN and infinity: they become the texts "nan", "inf", "-inf". `isSingle`: digits of a float.
    void value(double number, bool isSingle = false);
    void null();
    template <class T>
    void member(std::string_view name, const T &content)
    {
        key(name);
        value(content);
    }
    std::string take() { return std::move(m_out); }

private:
    struct Level {
        bool empty = true;
        bool lines = false;
    };
    void begin(char bracket);
    void end(char bracket);
    void separate();

    std::string m_out;
    std::vector<Level> m_open;
    bool m_afterKey = false;
};

} // namespace engine
