#pragma once
// One INSERT per struct of the model: what the writing thread does inside a transaction.

#include "profiler/session/pages.h"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profiler {

class Tables {
public:
    explicit Tables(Database &database) : m_database(database) {}
    void clear()
    {
        m_statements.clear();
        m_manyRows.clear();
        m_removals.clear();
    }

    // Rows that come together go into their table many at a time; `one` inserts one row and nothing else.
    template <class Row>
    void all(std::span<const Row> rows, void (Tables::*one)(const Row &))
    {
        const Together together(*this, rows.size());
        for (const Row &row : rows) (this->*one)(row);
    }

    // Rows of one key from number `first` on, which is that of the first row of a page. They take the place of those with their
    // numbers; behind the last ones of the key nothing stays.
    template <class Row>
    void pages(std::span<const Row> rows, std::size_t first, bool areLast)
    {
        using Of = Columns<Row>;
        if (rows.empty()) return;
        const auto key = Of::key(rows.front());
        auto page = static_cast<std::int64_t>(first / kPageRows);
        for (std::size_t i = 0; i < rows.size(); i += kPageRows) {
            PageText text;
            for (const Row &row : rows.subspan(i, std::min(kPageRows, rows.size() - i))) text.add(row);
            const std::string whole = text.take();
            std::apply([&](const auto &...keys) { insert(Of::kTable, keys..., page, whole); }, key);
            ++page;
        }
        if (areLast) std::apply([&](const auto &...keys) { removal(Of::kTable, Of::kKey).run(keys..., page); }, key);
    }

    void meta(const std::string &key, const std::string &value);
    void progress(const Progress &row);
    void script(const ScriptInfo &row);
    void source(const SourceFile &row);
    void flag(const Flag &row);
    void nameValue(const char *table, const NameValue &row);
    void roof(const Roof &row);
    void device(const DeviceInfo &row);
    void clock(const Clock &row);
    void string(std::uint32_t id, std::string_view text);
    void function(const FunctionInfo &row);
    void calls(FunctionId function, const FunctionCalls &row);
    void graph(const GraphInfo &row);
    void step(const StepFacts &row);
    void pass(const PassInfo &row);
    void passRewrite(const PassRewrite &row);
    void rewriteCount(const RewriteCount &row);
    void apply(const ApplyFacts &row);
    void applyGroup(const ApplyGroup &group, int position);
    void bodyOrigins(const BodyFacts &body);
    void rewrite(const RewriteInfo &row);
    void declineReason(const DeclineReason &row);
    void decline(const Decline &row);
    void lastDeclines(const LastDeclines &row);
    void kernel(const Kernel &row);
    void plan(const PlanInfo &row);
    void planUse(const PlanInfo &row); // only how often and how much
    void lane(const Lane &row);
    void event(const Event &row);
    void transfer(const Transfer &row);
    void deviceKernel(const DeviceKernel &row);
    void memoryEvent(const MemoryEvent &row);
    void output(const OutputText &row);
    void message(const Message &row);
    void check(const Check &row);
    void drop(const Drop &row);

    // Runs a statement with arguments; it is prepared once. `sql` must be a literal.
    template <class... Args>
    void run(const char *sql, const Args &...args)
    {
        statement(sql).run(args...);
    }
    // INSERT OR REPLACE INTO table VALUES with one argument per column.
    template <class... Args>
    void insert(const char *table, const Args &...args)
    {
        if (m_filled == 0 && m_left < kTogether) {
            insertion(table, sizeof...(args), 1).run(args...);
            m_kept.clear();
            return;
        }
        if (m_filled == 0) m_many = &insertion(table, sizeof...(args), kTogether);
        m_many->bindFrom(static_cast<int>(m_filled * sizeof...(args)), args...);
        if (++m_filled < kTogether) return;
        m_many->runBound();
        m_kept.clear();
        m_filled = 0;
        m_left -= kTogether;
    }

private:
    static constexpr std::size_t kTogether = 32;
    class Together {
    public:
        Together(Tables &tables, std::size_t rows) : m_tables(tables) { m_tables.m_left = rows; }
        ~Together() { m_tables.m_left = m_tables.m_filled = 0; }
        Together(const Together &) = delete;
        Together &operator=(const Together &) = delete;

    private:
        Tables &m_tables;
    };

    Statement &statement(const char *sql);
    Statement &removal(const char *table, std::span<const char *const> key);
    Statement &insertion(const char *table, std::size_t columns, std::size_t rows);
    // Bytes that live until their row is in its table.
    const std::vector<std::uint8_t> &kept(std::vector<std::uint8_t> bytes) { return m_kept.emplace_back(std::move(bytes)); }

    Database &m_database;
    std::map<std::string_view, Statement> m_statements; // keyed by literals
    std::map<std::string_view, Statement> m_manyRows, m_removals;
    Statement *m_many = nullptr; // the one that is being filled
    std::size_t m_left = 0;      // rows of those that come together which no statement has taken
    std::size_t m_filled = 0;
    std::deque<std::vector<std::uint8_t>> m_kept;
};

} // namespace profiler
