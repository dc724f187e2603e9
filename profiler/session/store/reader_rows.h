#pragma once
// The private readers of SessionReader, for its own files.

#include "profiler/session/codec/rows.h"
#include "profiler/session/store/reader.h"

namespace profiler {

template <class Described, class... Args>
std::vector<Described> SessionReader::rows(const std::string &tail, const Args &...args)
{
    std::vector<Described> rows;
    eachRow<Described>(
        tail, [&](Described &&row) { rows.push_back(std::move(row)); }, args...);
    return rows;
}

template <class Described, class Take, class... Args>
void SessionReader::eachRow(const std::string &tail, Take take, const Args &...args)
{
    if constexpr (Paged<Described>) eachPagedRowOf<Described>(*m_database, tail, m_strings.get(), take, args...);
    else eachRowOf<Described>(*m_database, Described::kTable, tail, m_strings.get(), take, args...);
}

template <class Described>
std::vector<Described> SessionReader::rowsAfter(std::size_t skip)
{
    return rows<Described>("ORDER BY id LIMIT -1 OFFSET ?", static_cast<std::int64_t>(skip));
}

} // namespace profiler
