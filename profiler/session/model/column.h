#pragma once
// A table of the session is said once, in the struct of its rows: kTable names it, and describe(row, visit) calls
// visit("name", field, "what it means") for each column. What is written, what is read, the schema of the file and the page
// on tables are made from that. What a file lacks keeps the value that a row is made with; NULL reads as 0, "" or "none".

#include "profiler/session/codec/shared_text.h"
#include "profiler/session/model/ids.h"

#include <string>
#include <type_traits>

namespace profiler {

struct SessionTable {
    const char *name;
    const char *about;                                       // what it holds, in sentences
    const char *view = nullptr;                              // of a table of pages: shows their rows, one by one
    bool hasIndex = false;                                   // by graph and apply
    bool hasLargeRows = false;                               // SQLite keeps these under a number of its own
    constexpr operator const char *() const { return name; } // NOLINT: is what the table is called
};

// Part of what names a row: no two have the same. A table without such columns numbers its rows, as they came.
template <class Value>
struct Primary {
    Value &value;
};
template <class Value>
Primary<Value> primary(Value &value)
{
    return {value};
}

// -1 or an id of nothing is NULL.
template <class Number>
struct OrNull {
    Number &value;
};
template <class Number>
OrNull<Number> orNull(Number &value)
{
    return {value};
}

// What a value is made with (0, "") is NULL.
template <class Value>
struct UnlessEmpty {
    Value &value;
};
template <class Value>
UnlessEmpty<Value> unlessEmpty(Value &value)
{
    return {value};
}

// NULL where it does not apply.
template <class Value>
struct OnlyIf {
    bool applies;
    Value &value;
};
template <class Value>
OnlyIf<Value> onlyIf(bool applies, Value &value)
{
    return {applies, value};
}

// Shown within a line: control characters, which would break it or steer a terminal, read as \n, \x1b.
struct InLine {
    const std::string *written;
    std::string *read; // null for a row that is only written
};
inline InLine inLine(const std::string &text) { return {&text, nullptr}; }
inline InLine inLine(std::string &text) { return {&text, &text}; }
struct SharedInLine { // of a row that is only read
    SharedText *read;
};
inline SharedInLine inLine(SharedText &text) { return {&text}; }

// A text that repeats: written as its number in `strings`, read as the text or as the number.
template <class Text>
struct Word {
    Text &value;
};
template <class Text>
Word<Text> word(Text &value)
{
    static_assert(std::is_same_v<std::remove_const_t<Text>, std::string> || std::is_same_v<std::remove_const_t<Text>, SharedText> ||
                  std::is_same_v<std::remove_const_t<Text>, StringId>);
    return {value};
}

// The id of a table with one row.
struct OnlyRow {};

} // namespace profiler
