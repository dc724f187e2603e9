#pragma once
// Pages: many rows of one kind as one text, a JSON array that holds an array for each row, so that json_each of SQLite reads
// it. Of what a big graph has a row an apply of, a table would cost most of what recording costs.

#include "profiler/session/model/names.h"
#include "profiler/session/store/replica.h"

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace profiler {

inline constexpr std::size_t kPageRows = 512;

// A text as JSON has it, with its quotes.
void appendJson(std::string &out, std::string_view text);
// "[3,4]".
template <class Ids>
[[nodiscard]] std::string jsonIds(const Ids &ids);
[[nodiscard]] std::string jsonTexts(std::span<const std::string> texts);
// Throw SessionError for what is no such list.
[[nodiscard]] std::vector<std::uint32_t> idsOfJson(std::string_view text);
[[nodiscard]] std::vector<std::string> textsOfJson(std::string_view text);

class PageText {
public:
    template <class Row>
    void add(const Row &row)
    {
        m_text += m_text.empty() ? "[[" : ",[";
        m_isFirst = true;
        Row::describe(row, [this](const char *, const auto &value, const char * = nullptr) {
            if (!std::exchange(m_isFirst, false)) m_text += ',';
            put(value);
        });
        m_text += ']';
    }
    // With all that was added; the next row begins a new page.
    [[nodiscard]] std::string take() { return std::exchange(m_text, {}) + "]"; }

private:
    void put(std::int64_t value);
    void put(double value);
    void put(std::string_view value) { appendJson(m_text, value); }
    void put(const std::string &value) { appendJson(m_text, value); }
    void put(const Histogram &value);
    template <Named Enum>
    void put(Enum value)
    {
        put(std::string_view(nameOf(value)));
    }
    void put(const Word<const StringId> &word) { put(std::int64_t{raw(word.value)}); }
    void put(ApplyId id) { putId(raw(id)); }
    void put(VariableId id) { putId(raw(id)); }
    void put(ChainId id) { putId(raw(id)); }
    void put(bool value) { put(std::int64_t{value}); }
    void put(int value) { put(std::int64_t{value}); }
    template <class Number>
    void put(const OrNull<Number> &value)
    {
        if (value.value < 0) m_text += "null";
        else put(value.value);
    }
    void put(const std::optional<std::int64_t> &value)
    {
        if (value) put(*value);
        else m_text += "null";
    }
    void putId(std::uint32_t id);

    std::string m_text;
    bool m_isFirst = true;
};

// Trusts nothing: what is no page is a SessionError, and numbers are held to the bounds of Row.
class PageRows {
public:
    // `texts`: for rows with words that read as texts.
    explicit PageRows(std::string_view text, const StringTable *texts = nullptr)
        : m_at(text.data()), m_end(text.data() + text.size()), m_texts(texts)
    {
        expect('[');
    }
    // False behind the last one.
    template <class Row>
    bool next(Row &row)
    {
        if (!enters()) return false;
        Row::describe(row, [this](const char *, auto &&value, const char * = nullptr) {
            if (hasMore()) get(value);
        });
        while (hasMore()) skip(0);
        return true;
    }
    // Of a list of numbers or texts.
    template <class Value>
    bool nextValue(Value &value)
    {
        if (!hasMore()) return false;
        get(value);
        return true;
    }

private:
    [[noreturn]] static void fail();
    void expect(char c);
    bool take(char c);
    bool enters();  // the next row
    bool hasMore(); // in the row or list that was entered; false once for all
    bool isNull();
    double number();
    std::int64_t integer();
    std::uint32_t id();
    void skip(int depth);

    void get(std::int64_t &value) { value = integer(); }
    void get(double &value) { value = isNull() ? 0 : number(); }
    void get(std::string &value);
    void get(Histogram &value);
    template <Named Enum>
    void get(Enum &value)
    {
        std::string name;
        get(name);
        value = valueOf<Enum>(name);
    }
    void get(const Word<StringId> &word) { word.value = StringId{id()}; }
    void get(const Word<std::string> &word) { word.value = sharedWord().str(); }
    void get(const Word<SharedText> &word) { word.value = sharedWord(); }
    const SharedText &sharedWord();
    void get(ApplyId &value) { value = ApplyId{id()}; }
    void get(VariableId &value) { value = VariableId{id()}; }
    void get(ChainId &value) { value = ChainId{id()}; }
    void get(bool &value) { value = integer() != 0; }
    void get(int &value);
    template <class Number>
    void get(const OrNull<Number> &value)
    {
        if (isNull()) value.value = -1;
        else get(value.value);
    }
    void get(std::optional<std::int64_t> &value)
    {
        if (isNull()) value.reset();
        else value = integer();
    }

    const char *m_at, *m_end;
    const StringTable *m_texts;
    bool m_isFirst = true, m_isFirstRow = true, m_isLeft = false;
};

template <class Ids>
std::string jsonIds(const Ids &ids)
{
    std::string out = "[";
    for (const auto id : ids) (out += out.size() > 1 ? "," : "") += std::to_string(raw(id));
    return out + "]";
}

// A page as its table holds it.
template <class Row>
struct Page {
    static constexpr SessionTable kTable = Row::kTable;
    Row key; // of its rows
    std::int64_t number = 0;
    std::string rows;

    static void describe(auto &page, auto &&visit)
    {
        auto name = Row::kKey.begin();
        std::apply([&](auto &...keys) { (visit(*name++, primary(keys)), ...); }, Row::key(page.key));
        visit("page", primary(page.number), "from 0");
        visit("rows", page.rows, "JSON array with an array for each row");
    }
};

template <class Row>
concept Paged = requires
{
    Row::kKey;
};

} // namespace profiler
