#pragma once
// Pages: many rows of one kind as one text, a JSON array that holds an array for each row, so that json_each of SQLite reads
// it. Of what a big graph has a row an apply of, a table would cost most of what recording costs.

#include "profiler/session/columns.h"
#include "profiler/session/rows.h"

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace profiler {

inline constexpr std::size_t kPageRows = 512;

// A text as JSON has it, with its quotes.
void appendJson(std::string &out, std::string_view text);
// "[3,4]".
template <class Ids>
[[nodiscard]] std::string jsonIds(const Ids &ids);
// Throws SessionError for what is no such list.
[[nodiscard]] std::vector<std::uint32_t> idsOfJson(std::string_view text);

class PageText {
public:
    template <class Row>
    void add(const Row &row)
    {
        m_text += m_text.empty() ? "[[" : ",[";
        m_isFirst = true;
        Columns<Row>::describe(row, [this](const char *, const auto &value) {
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
    void put(VariableKind kind) { put(std::string_view(variableKindName(kind))); }
    void put(BufferKind kind) { put(std::string_view(bufferKindName(kind))); }
    void put(StringId id) { put(std::int64_t{raw(id)}); }
    void put(ApplyId id) { putId(raw(id)); }
    void put(VariableId id) { putId(raw(id)); }
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
    explicit PageRows(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) { expect('['); }
    // False behind the last one.
    template <class Row>
    bool next(Row &row)
    {
        if (!enters()) return false;
        Columns<Row>::describe(row, [this](const char *, auto &&value) {
            if (hasMore()) get(value);
        });
        while (hasMore()) skip(0);
        return true;
    }
    // Of a list of numbers.
    bool nextNumber(std::int64_t &value);

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
    void get(VariableKind &kind);
    void get(BufferKind &kind);
    void get(StringId &value) { value = StringId{id()}; }
    void get(ApplyId &value) { value = ApplyId{id()}; }
    void get(VariableId &value) { value = VariableId{id()}; }
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
    bool m_isFirst = true, m_isFirstRow = true, m_isLeft = false;
};

template <class Ids>
std::string jsonIds(const Ids &ids)
{
    std::string out = "[";
    for (const auto id : ids) (out += out.size() > 1 ? "," : "") += std::to_string(raw(id));
    return out + "]";
}

// All rows of the pages that the tail chooses ("WHERE graph=?"), in the order in which they were written.
template <class PageRow, class... Args>
std::vector<PageRow> pagedRows(Database &database, const std::string &tail, const Args &...args)
{
    using Of = Columns<PageRow>;
    std::vector<PageRow> rows;
    std::vector<const char *> columns{"rows"};
    std::string order;
    for (const char *key : Of::kKey) {
        columns.push_back(key);
        (order += key) += ", ";
    }
    const std::string sql = selectSql(database, Of::kTable, columns, tail + " ORDER BY " + order + "page");
    if (sql.empty()) return rows;
    Statement statement(database, sql);
    statement.bindAll(args...);
    while (statement.step()) {
        Row of(statement);
        const std::string text = of.text();
        PageRow row;
        std::apply([&](auto &...keys) { (of.get(keys), ...); }, Of::key(row));
        PageRows page(text);
        for (PageRow next = row; page.next(next); next = row) rows.push_back(std::move(next));
    }
    return rows;
}

} // namespace profiler
