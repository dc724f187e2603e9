#include "profiler/session/store/writer_parts.h"

#include "profiler/session/store/files.h"

#include <algorithm>

namespace profiler {

void CommandQueue::push(Command command, std::size_t bytes)
{
    m_queue.push_back({std::move(command), bytes});
    m_bytes += bytes;
}

CommandQueue::Batch CommandQueue::take(std::size_t mostBytes)
{
    if (m_flushDone == m_flushAnswered) {
        m_flushAnswered = m_flushNoted;
        m_ahead = m_queue.size();
    }
    Batch batch;
    for (; !m_queue.empty() && batch.bytes < mostBytes; m_queue.pop_front()) {
        batch.bytes += m_queue.front().bytes;
        batch.commands.push_back(std::move(m_queue.front()));
    }
    batch.isAll = m_queue.empty();
    m_ahead -= std::min(m_ahead, batch.commands.size());
    return batch;
}

void CommandQueue::setWritten(std::size_t bytes)
{
    m_bytes -= bytes;
    ++m_batches;
    m_isStalled = false;
    if (m_ahead == 0) m_flushDone = m_flushAnswered;
}

void LeftOut::count(const std::string &what, std::int64_t count, const std::string &reason)
{
    Drop &drop = m_drops[what];
    drop.what = what;
    drop.count += count;
    drop.reason = reason;
    m_hasNew = true;
}

std::map<std::string, Drop> LeftOut::takeNew() { return std::exchange(m_hasNew, false) ? m_drops : std::map<std::string, Drop>{}; }

StringId Numbers::ofText(std::string_view text)
{
    const auto next = static_cast<std::uint32_t>(m_texts.size() + 1);
    const auto [entry, isNew] = m_texts.try_emplace(std::string(text), next);
    if (isNew) m_new.texts.push_back({StringId{next}, entry->first});
    return StringId{entry->second};
}

ChainId Numbers::ofChain(ChainId caller, const SourceRef &line, StringId function)
{
    const auto next = static_cast<std::uint32_t>(m_chains.size());
    const auto [entry, isNew] = m_chains.try_emplace({caller, line, function}, ChainId{next});
    if (isNew) m_new.chains.push_back({ChainId{next}, caller, line.file, static_cast<int>(line.line), function});
    return entry->second;
}

void LastProgress::set(const Progress &progress)
{
    m_progress = progress;
    m_isNew = true;
}

std::size_t KeptSoFar::add(std::atomic<std::size_t> &used, std::size_t wanted, std::size_t limit) const
{
    const std::size_t before = isFull ? limit : used.fetch_add(wanted);
    return before >= limit ? 0 : std::min(wanted, limit - before);
}

void Refresh::set(std::function<void(SessionWriter &)> ask)
{
    const std::lock_guard lock(m_mutex);
    m_ask = std::move(ask);
}

void Refresh::run(SessionWriter &writer, bool isLast)
{
    const std::int64_t now = steadyNs();
    if (!isLast && now - m_lastNs < 5 * m_costNs) return;
    const std::lock_guard lock(m_mutex);
    if (m_ask) m_ask(writer);
    m_lastNs = now;
}

} // namespace profiler
