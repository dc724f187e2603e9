#pragma once
// Reading the rows of a table as its struct describes them, by the names of columns: what an older minor version lacks keeps the
// value that a row is made with, what a newer one adds is not asked for, and nothing but ordinary tables is read.

#include "profiler/session/codec/edit_codec.h"
#include "profiler/session/codec/pages.h"
#include "profiler/session/model/names.h"
#include "profiler/session/store/database.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

// One row; columns are taken in the order in which they were asked for. Trusts nothing.
class Row {
public:
    // `texts`: for rows with words that read as texts.
    Row(Statement &statement, const StringTable *texts) : m_statement(statement), m_texts(texts) {}

    // Clamped to ±2^50 (13 days in nanoseconds, a petabyte), so that sums over hostile rows do not overflow.
    void get(std::int64_t &value);
    void get(int &value);
    void get(bool &value) { value = m_statement.integer(m_at++) != 0; }
    void get(double &value) { value = m_statement.real(m_at++); }
    void get(std::string &value) { value = m_statement.text(m_at++); }
    void get(SharedText &value) { value = m_statement.text(m_at++); }
    template <Named Enum>
    void get(Enum &value)
    {
        value = valueOf<Enum>(m_statement.text(m_at++));
    }
    // NULL and what is no 32-bit number read as "none".
    template <Id OneId>
    void get(OneId &value)
    {
        value = OneId{id()};
    }
    template <class Value>
    void get(const Primary<Value> &column)
    {
        get(column.value);
    }
    template <class Number>
    void get(const OrNull<Number> &column)
    {
        if constexpr (!Id<Number>)
            if (takesNull()) return void(column.value = -1);
        get(column.value);
    }
    template <class Value>
    void get(const UnlessEmpty<Value> &column)
    {
        get(column.value);
    }
    template <class Value>
    void get(const OnlyIf<Value> &column)
    {
        get(column.value);
    }
    void get(const InLine &column) { *column.read = lineText(); }
    void get(const SharedInLine &column) { *column.read = lineText(); }
    void get(const Word<StringId> &column) { column.value = wordId(); }
    void get(const Word<std::string> &column) { column.value = sharedWord().str(); }
    void get(const Word<SharedText> &column) { column.value = sharedWord(); }
    void get(const OnlyRow &) { ++m_at; }
    void get(std::vector<std::string> &texts) { texts = textsOfJson(m_statement.text(m_at++)); }
    void get(std::vector<ApplyId> &applies) { applies = decodeApplies(m_statement.blob(m_at++)); }
    void get(std::vector<std::uint8_t> &bytes)
    {
        const auto blob = m_statement.blob(m_at++);
        bytes.assign(blob.begin(), blob.end());
    }
    void get(EditList &edits)
    {
        const auto blob = m_statement.blob(m_at++);
        edits = EditList(std::vector<std::uint8_t>(blob.begin(), blob.end()));
    }
    void get(std::vector<Became> &lineage) { lineage = decodeLineage(m_statement.blob(m_at++)); }
    void get(std::vector<LastWord> &words) { words = decodeWords(m_statement.blob(m_at++)); }

private:
    bool takesNull() // and goes on to the next column then
    {
        const bool is = m_statement.isNull(m_at);
        m_at += is;
        return is;
    }
    std::uint32_t id();
    StringId wordId();
    const SharedText &sharedWord();
    std::string lineText();

    Statement &m_statement;
    const StringTable *m_texts;
    int m_at = 0;
};

// Which columns of a struct its table has in this file, and the query for them: "SELECT columns FROM table tail".
class Selection {
public:
    Selection(Database &database, const char *table, std::span<const char *const> columns, const std::string &tail);
    [[nodiscard]] const std::string &sql() const { return m_sql; } // empty: there is no such table
    [[nodiscard]] bool has(std::size_t column) const { return m_there[column]; }

private:
    std::vector<char> m_there;
    std::string m_sql;
};

template <class Described>
std::vector<const char *> columnsOf()
{
    std::vector<const char *> names;
    Described row;
    Described::describe(row, [&](const char *name, auto &&, const char * = nullptr) { names.push_back(name); });
    return names;
}

// Hands over each row that the tail chooses, one after the other. Args are bound to its ?.
template <class Described, class Take, class... Args>
void eachRowOf(Database &database, const char *table, const std::string &tail, const StringTable *texts, Take take, const Args &...args)
{
    const Selection selection(database, table, columnsOf<Described>(), tail);
    if (selection.sql().empty()) return;
    Statement statement(database, selection.sql());
    statement.bindAll(args...);
    while (statement.step()) {
        Row from(statement, texts);
        std::size_t column = 0;
        Described row;
        Described::describe(row, [&](const char *, auto &&value, const char * = nullptr) {
            if (selection.has(column++)) from.get(value);
        });
        take(std::move(row));
    }
}

// All rows that the tail chooses.
template <class Described, class... Args>
std::vector<Described> rowsOf(Database &database, const char *table, const std::string &tail, const StringTable *texts, const Args &...args)
{
    std::vector<Described> rows;
    eachRowOf<Described>(
        database, table, tail, texts, [&](Described &&row) { rows.push_back(std::move(row)); }, args...);
    return rows;
}

// Each row of the pages that the condition chooses, in the order in which they were written.
template <Paged Described, class Take, class... Args>
void eachPagedRowOf(Database &database, const std::string &condition, const StringTable *texts, Take take, const Args &...args)
{
    std::string order = " ORDER BY ";
    for (const char *key : Described::kKey) (order += key) += ", ";
    eachRowOf<Page<Described>>(
        database, Described::kTable, condition + order + "page", nullptr,
        [&](Page<Described> &&page) {
            PageRows each(page.rows, texts);
            for (Described next = page.key; each.next(next); next = page.key) take(std::move(next));
        },
        args...);
}

} // namespace profiler
