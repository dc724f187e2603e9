#pragma once
// The private readers of SessionReader, for its own files.

#include "profiler/session/reader.h"
#include "profiler/session/rows.h"

namespace profiler {

template <class Described, class... Args>
std::vector<Described> SessionReader::rows(const std::string &tail, const Args &...args)
{
    if constexpr (Paged<Described>) return pagedRowsOf<Described>(*m_database, tail, m_strings.get(), args...);
    else return rowsOf<Described>(*m_database, Described::kTable, tail, m_strings.get(), args...);
}

template <class Described>
std::vector<Described> SessionReader::rowsBehind(std::size_t skip)
{
    return rows<Described>("ORDER BY id LIMIT -1 OFFSET ?", static_cast<std::int64_t>(skip));
}

} // namespace profiler
