#pragma once
// Reading rows of a table whose columns are known by name only: what an older minor version lacks
// reads as NULL, what a newer one adds is not asked for, and nothing but ordinary tables is read.

#include "profiler/session/database.h"

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

// One row; columns are taken in the order in which they were asked for.
class Row {
public:
    explicit Row(Statement &statement) : m_statement(statement) {}
    // Clamped to ±2^50 (13 days in nanoseconds, a petabyte), so that sums over hostile rows do not overflow.
    std::int64_t integer() { return clamped(m_statement.integer(m_at++)); }
    // -1 for NULL.
    std::int64_t integerOrNegative()
    {
        const int at = m_at++;
        return m_statement.isNull(at) ? -1 : clamped(m_statement.integer(at));
    }
    int small();           // clamped to int
    int smallOrNegative(); // -1 for NULL
    std::optional<std::int64_t> maybe()
    {
        const int at = m_at++;
        return m_statement.isNull(at) ? std::nullopt : std::optional(clamped(m_statement.integer(at)));
    }
    double real() { return m_statement.real(m_at++); }
    double realOrNegative()
    {
        const int at = m_at++;
        return m_statement.isNull(at) ? -1 : m_statement.real(at);
    }
    bool flag() { return integer() != 0; }
    std::string text() { return m_statement.text(m_at++); }
    std::string name(); // what stands within a line: control characters, which would break it or steer a terminal, as \n, \x1b
    std::span<const std::uint8_t> blob() { return m_statement.blob(m_at++); }
    void get(int &value) { value = small(); }
    template <class Id>
    void get(Id &value)
    {
        value = id<Id>();
    }
    // NULL and what is no 32-bit number read as "none".
    template <class Id>
    Id id()
    {
        const int at = m_at++;
        const std::int64_t value = m_statement.isNull(at) ? -1 : m_statement.integer(at);
        return Id{value < 0 || value > 0xffffffff ? 0xffffffffu : static_cast<std::uint32_t>(value)};
    }

private:
    static std::int64_t clamped(std::int64_t value)
    {
        constexpr std::int64_t kMost = std::int64_t{1} << 50;
        return value > kMost ? kMost : value < -kMost ? -kMost : value;
    }

    Statement &m_statement;
    int m_at = 0;
};

// "SELECT columns FROM table tail"; an empty string when the table is absent.
[[nodiscard]] std::string selectSql(Database &database, const std::string &table, std::span<const char *const> columns,
                                    const std::string &tail);

// Calls make(Row&) for each row and collects what it answers. Args are bound to the ? of the tail.
template <class Make, class... Args>
auto collect(Database &database, const char *table, std::initializer_list<const char *> columns, const std::string &tail, Make make,
             const Args &...args)
{
    std::vector<decltype(make(std::declval<Row &>()))> rows;
    const std::string sql = selectSql(database, table, {columns.begin(), columns.size()}, tail);
    if (sql.empty()) return rows;
    Statement statement(database, sql);
    statement.bindAll(args...);
    while (statement.step()) {
        Row row(statement);
        rows.push_back(make(row));
    }
    return rows;
}

} // namespace profiler
