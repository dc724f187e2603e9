#include "profiler/session/store/database.h"

#include "profiler/session/store/forks.h"

#include <filesystem>
#include <sqlite3.h>

#include <utility>

namespace profiler {

namespace {

constexpr int kBusyMs = 2000;
constexpr int kMaxValueBytes = 512 << 20;

// A call of SQLite that may allocate, or take another lock of the whole process. Binding what is not copied does neither.
template <class Function, class... Args>
auto call(Function function, Args... args)
{
    const HoldsOffForks whole;
    return function(args...);
}

std::string uriOf(const std::string &path)
{
    static const char *hex = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || byte >= 127 || c == '%' || c == '?' || c == '#') {
            uri += '%';
            uri += hex[byte >> 4];
            uri += hex[byte & 15];
        } else {
            uri += c;
        }
    }
    return uri + "?immutable=1";
}

} // namespace

Statement::Statement(Database &database, std::string_view sql) : m_database(&database)
{
    const int code = call(sqlite3_prepare_v2, database.handle(), sql.data(), static_cast<int>(sql.size()), &m_statement, nullptr);
    if (code != SQLITE_OK) database.fail(code);
}

Statement::Statement(Statement &&other) noexcept
    : m_database(std::exchange(other.m_database, nullptr)), m_statement(std::exchange(other.m_statement, nullptr))
{}

Statement &Statement::operator=(Statement &&other) noexcept
{
    std::swap(m_database, other.m_database);
    std::swap(m_statement, other.m_statement);
    return *this;
}

Statement::~Statement() { call(sqlite3_finalize, m_statement); }

bool Statement::step()
{
    const int code = call(sqlite3_step, m_statement);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    call(sqlite3_reset, m_statement);
    m_database->fail(code);
}

void Statement::runBound()
{
    const int code = call(
        [](sqlite3_stmt *statement) {
            const int answer = sqlite3_step(statement);
            sqlite3_reset(statement);
            return answer;
        },
        m_statement);
    if (code != SQLITE_DONE && code != SQLITE_ROW) m_database->fail(code);
}

void Statement::reset()
{
    call(
        [](sqlite3_stmt *statement) {
            sqlite3_reset(statement);
            return sqlite3_clear_bindings(statement);
        },
        m_statement);
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(m_statement, column); }

double Statement::real(int column) const { return sqlite3_column_double(m_statement, column); }

std::string Statement::text(int column) const
{
    const unsigned char *bytes = call(sqlite3_column_text, m_statement, column);
    const auto *text = reinterpret_cast<const char *>(bytes);
    if (!text) return {};
    return {text, static_cast<std::size_t>(call(sqlite3_column_bytes, m_statement, column))};
}

std::span<const std::uint8_t> Statement::blob(int column) const
{
    const void *data = call(sqlite3_column_blob, m_statement, column);
    const auto *bytes = static_cast<const std::uint8_t *>(data);
    if (!bytes) return {};
    return {bytes, static_cast<std::size_t>(call(sqlite3_column_bytes, m_statement, column))};
}

bool Statement::isNull(int column) const { return sqlite3_column_type(m_statement, column) == SQLITE_NULL; }

void Statement::bind(int index, std::int64_t value) { sqlite3_bind_int64(m_statement, index, value); }

void Statement::bind(int index, double value) { sqlite3_bind_double(m_statement, index, value); }

void Statement::bind(int index, std::string_view value)
{
    const char *data = value.empty() ? "" : value.data();
    const int code = sqlite3_bind_text64(m_statement, index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
    if (code != SQLITE_OK) m_database->fail(code);
}

void Statement::bind(int index, const std::vector<std::uint8_t> &value)
{
    const void *data = value.empty() ? static_cast<const void *>("") : value.data();
    const int code = sqlite3_bind_blob64(m_statement, index, data, value.size(), SQLITE_STATIC);
    if (code != SQLITE_OK) m_database->fail(code);
}

void Statement::bind(int index, std::nullptr_t) { sqlite3_bind_null(m_statement, index); }

void Statement::bindId(int index, std::uint32_t id)
{
    if (id == 0xffffffffu) bind(index, nullptr);
    else bind(index, std::int64_t{id});
}

Database::Database(const std::string &path, Access access) : m_path(path), m_immutable(access == Access::ReadImmutable)
{
    const bool writes = access == Access::Create || access == Access::Write; // from one thread at a time
    int flags = SQLITE_OPEN_EXRESCODE | (writes ? SQLITE_OPEN_NOMUTEX : SQLITE_OPEN_FULLMUTEX);
    if (access == Access::Create) flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    else flags |= access == Access::Write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    const std::string name = m_immutable ? uriOf(path) : path;
    if (m_immutable) flags |= SQLITE_OPEN_URI;
    const int code = call(sqlite3_open_v2, name.c_str(), &m_handle, flags, nullptr);
    try {
        if (code != SQLITE_OK) fail(code);
        call(sqlite3_busy_timeout, m_handle, kBusyMs);
        // The file may come from anywhere, also where it is opened to add to it.
        call(sqlite3_db_config, m_handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        call(sqlite3_db_config, m_handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        call(sqlite3_db_config, m_handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
        if (!writes) {
            call(sqlite3_db_config, m_handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
            call(sqlite3_limit, m_handle, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
            execute("PRAGMA query_only=ON; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0");
        }
    } catch (...) {
        call(sqlite3_close_v2, m_handle);
        throw;
    }
}

Database::~Database() { call(sqlite3_close_v2, m_handle); }

void Database::execute(const std::string &sql)
{
    const int code = call(sqlite3_exec, m_handle, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::integer(const std::string &sql)
{
    Statement statement(*this, sql);
    return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(const std::string &sql)
{
    Statement statement(*this, sql);
    return statement.step() ? statement.text(0) : std::string();
}

std::string Database::quoted(std::string_view name)
{
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
}

void Database::copyFrom(Database &source)
{
    sqlite3_backup *backup = call(sqlite3_backup_init, m_handle, "main", source.m_handle, "main");
    if (!backup) fail(call(sqlite3_errcode, m_handle));
    const int code = call(sqlite3_backup_step, backup, -1);
    const int end = call(sqlite3_backup_finish, backup);
    if (code != SQLITE_DONE) fail(code);
    if (end != SQLITE_OK) fail(end);
}

const std::vector<std::string> &Database::columns(const std::string &table)
{
    const auto known = m_columns.find(table);
    if (known != m_columns.end()) return known->second;
    std::vector<std::string> names;
    Statement kind(*this, "SELECT sql FROM sqlite_schema WHERE type='table' AND name=?");
    kind.bindAll(table);
    if (kind.step() && kind.text(0).rfind("CREATE TABLE", 0) == 0) {
        Statement info(*this, "SELECT name FROM pragma_table_info(?)");
        info.bindAll(table);
        while (info.step()) names.push_back(info.text(0));
    }
    return m_columns.emplace(table, std::move(names)).first->second;
}

static bool isFull(const std::string &path)
{
    constexpr std::uintmax_t kLeast = 64 << 10; // what SQLite takes at a time
    std::error_code error;
    const auto folder = std::filesystem::absolute(path, error).parent_path();
    return !error && std::filesystem::space(folder, error).available < kLeast && !error;
}

void Database::fail(int code) const
{
    const std::string detail = m_handle ? call(sqlite3_errmsg, m_handle) : sqlite3_errstr(code);
    switch (code & 0xff) {
    case SQLITE_FULL: throw SessionError("the disk is full: " + m_path + " cannot grow", "free some space, or record elsewhere with -o");
    case SQLITE_READONLY:
    case SQLITE_PERM: throw SessionError(m_path + " cannot be written", "record into a folder of yours with -o");
    case SQLITE_CANTOPEN: throw SessionError(m_path + " cannot be opened", "check that it exists and that you may read it");
    case SQLITE_NOTADB:
        throw SessionError(m_path + " is not a Croton session", "sessions are written by: croton profile FILE.py -o S.croton");
    case SQLITE_CORRUPT: throw SessionError(m_path + " is damaged (" + detail + ")", "what sqlite3's .recover gives can be opened");
    case SQLITE_BUSY:
    case SQLITE_LOCKED: throw SessionError(m_path + " is locked by another program", "close it and try again");
    case SQLITE_IOERR:
        // The shared memory of a session that does not fit on the disk is an error of its own.
        if (isFull(m_path)) fail(SQLITE_FULL);
        throw SessionError(m_path + " could not be read or written (" + detail + ")", "check the disk");
    default: throw SessionError(m_path + ": " + detail, "the session file may be damaged");
    }
}

Transaction::~Transaction()
{
    // After an error of the disk the transaction may be gone already; nothing is left to undo then.
    if (m_open) call(sqlite3_exec, m_database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit()
{
    m_database.execute("COMMIT");
    m_open = false;
}

} // namespace profiler
