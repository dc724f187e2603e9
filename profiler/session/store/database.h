#pragma once
// A thin layer over SQLite: statements with typed binding, and errors as sentences.

#include "profiler/session/model/ids.h"
#include "profiler/session/model/model.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace profiler {

class Database;

class Statement {
public:
    Statement() = default;
    Statement(Database &database, std::string_view sql);
    Statement(Statement &&other) noexcept;
    Statement &operator=(Statement &&other) noexcept;
    Statement(const Statement &) = delete;
    Statement &operator=(const Statement &) = delete;
    ~Statement();

    // Binds the arguments in order, runs the statement to its end and makes it ready again.
    template <class... Args>
    void run(const Args &...args)
    {
        int index = 0;
        (bind(++index, args), ...);
        while (step()) {
        }
        reset();
    }
    template <class... Args>
    void bindAll(const Args &...args)
    {
        int index = 0;
        (bind(++index, args), ...);
    }
    // Binds the arguments behind the first `index` ones; they must live until runBound() returns.
    template <class... Args>
    void bindFrom(int index, const Args &...args)
    {
        (bind(++index, args), ...);
    }
    void runBound();           // to its end; what is bound stays
    [[nodiscard]] bool step(); // false when there are no more rows
    void reset();

    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::span<const std::uint8_t> blob(int column) const; // until the next step
    [[nodiscard]] bool isNull(int column) const;

    void bind(int index, std::int64_t value);
    void bind(int index, int value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, std::uint32_t value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, bool value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, double value);
    // The text and the bytes must live until run() returns or reset().
    void bind(int index, std::string_view value);
    void bind(int index, const std::string &value) { bind(index, std::string_view(value)); }
    void bind(int index, const char *value) { bind(index, std::string_view(value)); }
    void bind(int index, const std::vector<std::uint8_t> &value);
    void bind(int index, std::nullptr_t);
    void bind(int index, FunctionId id) { bindId(index, raw(id)); }
    void bind(int index, GraphId id) { bindId(index, raw(id)); }
    void bind(int index, ApplyId id) { bindId(index, raw(id)); }
    void bind(int index, VariableId id) { bindId(index, raw(id)); }
    void bind(int index, ChainId id) { bindId(index, raw(id)); }
    void bind(int index, StringId id) { bind(index, std::int64_t{raw(id)}); }
    template <class T>
    void bind(int index, const std::optional<T> &value)
    {
        if (value) bind(index, *value);
        else bind(index, nullptr);
    }

private:
    void bindId(int index, std::uint32_t id); // "none" is NULL

    Database *m_database = nullptr;
    sqlite3_stmt *m_statement = nullptr;
};

class Database {
public:
    enum class Access { Create, Write, Read, ReadImmutable };

    // Throws SessionError. Nothing that the file's schema defines is trusted: no trigger fires, and a reader sees no view.
    Database(const std::string &path, Access access);
    ~Database();
    Database(const Database &) = delete;
    Database &operator=(const Database &) = delete;

    [[nodiscard]] const std::string &path() const { return m_path; }
    [[nodiscard]] bool immutable() const { return m_immutable; }
    void execute(const std::string &sql);                       // one or more statements, results ignored
    [[nodiscard]] std::int64_t integer(const std::string &sql); // first column of the first row, else 0
    [[nodiscard]] std::string text(const std::string &sql);
    // The name of a table or column as it stands in a statement.
    [[nodiscard]] static std::string quoted(std::string_view name);
    void copyFrom(Database &source); // all of it
    // Columns of an ordinary table (no view, no virtual table, no generated columns), as at the first look; empty when absent.
    [[nodiscard]] const std::vector<std::string> &columns(const std::string &table);
    [[noreturn]] void fail(int code) const;
    [[nodiscard]] sqlite3 *handle() { return m_handle; }

private:
    std::string m_path;
    sqlite3 *m_handle = nullptr;
    bool m_immutable = false;
    std::map<std::string, std::vector<std::string>> m_columns;
};

// BEGIN … COMMIT; rolls back when left without commit().
class Transaction {
public:
    explicit Transaction(Database &database) : m_database(database) { database.execute("BEGIN"); }
    ~Transaction();
    void commit();
    Transaction(const Transaction &) = delete;
    Transaction &operator=(const Transaction &) = delete;

private:
    Database &m_database;
    bool m_open = true;
};

} // namespace profiler
