#pragma once
// Rows into tables, as their structs describe them: what the writing thread does inside a transaction.

#include "profiler/session/codec/rows.h"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace profiler {

// Makes a table that a session of an older minor version lacks.
void ensureTable(Database &database, const char *table);

class Tables {
public:
    explicit Tables(Database &database) : m_database(database) {}
    void clear()
    {
        m_statements.clear();
        m_manyRows.clear();
        m_removals.clear();
    }

    // In the place of a row with the same key.
    template <class Described>
    void insert(const Described &row, const char *table = Described::kTable)
    {
        const bool alone = m_filled == 0 && m_left < kTogether;
        if (m_filled == 0) {
            m_many = &insertion(table, columnsOf<Described>, alone ? 1 : kTogether);
            m_bound = 0;
        }
        Described::describe(row, [this](const char *, const auto &value, const char * = nullptr) { bind(value); });
        if (!alone && ++m_filled < kTogether) return;
        m_many->runBound();
        m_kept.clear();
        m_keptTexts.clear();
        if (alone) return;
        m_filled = 0;
        m_left -= kTogether;
    }

    // Rows that come together go into their table many at a time.
    template <class Described>
    void all(std::span<const Described> rows, const char *table = Described::kTable)
    {
        const Together together(*this, rows.size());
        for (const Described &row : rows) insert(row, table);
    }

    // Rows of one key from number `first` on, which is that of the first row of a page. They take the place of those with their
    // numbers; behind the last ones of the key nothing stays.
    template <Paged Described>
    void pages(std::span<const Described> rows, std::size_t first, bool areLast)
    {
        if (rows.empty()) return;
        Page<Described> page{rows.front(), static_cast<std::int64_t>(first / kPageRows), {}};
        for (std::size_t i = 0; i < rows.size(); i += kPageRows) {
            PageText text;
            for (const Described &row : rows.subspan(i, std::min(kPageRows, rows.size() - i))) text.add(row);
            page.rows = text.take();
            insert(page);
            ++page.number;
        }
        if (areLast)
            std::apply([&](const auto &...keys) { removal(Described::kTable, Described::kKey).run(keys..., page.number); },
                       Described::key(rows.front()));
    }

    // Some columns of the rows that the condition names, which must be a literal.
    template <class Described, class... Args>
    void update(const Described &columns, const char *condition, const Args &...args)
    {
        m_many = &change(Described::kTable, columnsOf<Described>, condition);
        m_bound = 0;
        Described::describe(columns, [this](const char *, const auto &value, const char * = nullptr) { bind(value); });
        m_many->bindFrom(m_bound, args...);
        m_many->runBound();
    }

    // `sql` must be a literal.
    template <class... Args>
    void remove(const char *sql, const Args &...args)
    {
        statement(sql).run(args...);
    }

    void meta(const std::string &key, const std::string &value) { insert(MetaValue{key, value}); }
    void function(const FunctionInfo &row); // with what it reads and updates
    void groups(GraphId graph, std::span<const ApplyGroup> groups);

private:
    static constexpr std::size_t kTogether = 32;
    using Columns = std::vector<const char *> (*)();
    class Together {
    public:
        Together(Tables &tables, std::size_t rows) : m_tables(tables) { m_tables.m_left = rows; }
        ~Together() { m_tables.m_left = m_tables.m_filled = 0; }
        Together(const Together &) = delete;
        Together &operator=(const Together &) = delete;

    private:
        Tables &m_tables;
    };

    Statement &statement(const char *sql); // prepared once; `sql` must be a literal
    Statement &removal(const char *table, std::span<const char *const> key);
    Statement &insertion(const char *table, Columns columns, std::size_t rows);
    Statement &change(const char *table, Columns columns, const char *condition);

    // The next ? of m_many. Texts and bytes live until it has run.
    template <class Value>
    void bind(const Value &value)
    {
        if constexpr (Named<Value>) m_many->bind(++m_bound, nameOf(value));
        else m_many->bind(++m_bound, value);
    }
    template <class Value>
    void bind(const Primary<Value> &column)
    {
        bind(column.value);
    }
    template <class Number>
    void bind(const OrNull<Number> &column)
    {
        if constexpr (!Id<std::remove_const_t<Number>>)
            if (column.value < 0) return m_many->bind(++m_bound, nullptr);
        bind(column.value);
    }
    template <class Value>
    void bind(const UnlessEmpty<Value> &column)
    {
        if (column.value == std::remove_const_t<Value>{}) m_many->bind(++m_bound, nullptr);
        else bind(column.value);
    }
    template <class Value>
    void bind(const OnlyIf<Value> &column)
    {
        if (!column.applies) m_many->bind(++m_bound, nullptr);
        else bind(column.value);
    }
    void bind(const InLine &column) { m_many->bind(++m_bound, *column.written); }
    void bind(const Word<const StringId> &column) { m_many->bind(++m_bound, column.value); }
    void bind(const OnlyRow &) { m_many->bind(++m_bound, 1); }
    void bind(const std::vector<std::string> &texts) { m_many->bind(++m_bound, m_keptTexts.emplace_back(jsonTexts(texts))); }
    void bind(const std::vector<LastWord> &words) { m_many->bind(++m_bound, m_kept.emplace_back(encodeWords(words))); }

    Database &m_database;
    std::map<std::string_view, Statement> m_statements; // keyed by literals
    std::map<std::string_view, Statement> m_manyRows, m_removals;
    Statement *m_many = nullptr; // the one that is being filled
    int m_bound = 0;             // of its values
    std::size_t m_left = 0;      // rows of those that come together which no statement has taken
    std::size_t m_filled = 0;
    std::deque<std::vector<std::uint8_t>> m_kept;
    std::deque<std::string> m_keptTexts;
};

} // namespace profiler
