#include "profiler/session/codec/rows.h"

#include "profiler/session/codec/printable.h"

#include <algorithm>
#include <limits>

namespace profiler {

void Row::get(std::int64_t &value)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 50;
    value = std::clamp(m_statement.integer(m_at++), -kMost, kMost);
}

void Row::get(int &value)
{
    value = static_cast<int>(
        std::clamp<std::int64_t>(m_statement.integer(m_at++), std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

std::string Row::lineText() { return printableInLine(m_statement.text(m_at++)); }

const SharedText &Row::sharedWord()
{
    const StringId id = wordId();
    if (!m_texts) throw SessionError("the session is damaged: it names texts that it does not hold");
    return m_texts->shared(id);
}

std::uint32_t Row::id()
{
    const int at = m_at++;
    const std::int64_t value = m_statement.isNull(at) ? -1 : m_statement.integer(at);
    return value < 0 || value > 0xffffffff ? 0xffffffffu : static_cast<std::uint32_t>(value);
}

StringId Row::wordId() { return takesNull() ? kEmptyString : StringId{id()}; }

Selection::Selection(Database &database, const char *table, std::span<const char *const> columns, const std::string &tail)
{
    const std::vector<std::string> &known = database.columns(table);
    for (const char *column : columns) {
        m_there.push_back(std::find(known.begin(), known.end(), column) != known.end());
        if (m_there.back()) (m_sql += m_sql.empty() ? "SELECT " : ", ") += column;
    }
    if (!m_sql.empty()) ((m_sql += " FROM ") += table) += " " + tail;
}

} // namespace profiler
