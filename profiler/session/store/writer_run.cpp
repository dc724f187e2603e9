// The half of SessionWriter that takes what a run produces, and its end.

#include "profiler/session/store/writer_impl.h"

#include <utility>

namespace profiler {

namespace {

constexpr std::size_t kMostDetail = 64u << 10; // of a message's detail

} // namespace

void SessionWriter::setCalls(FunctionId function, const FunctionCalls &calls)
{
    m_impl->post([=](Tables &tables) { tables.update(calls, "WHERE id=?", function); });
}

void SessionWriter::setApplyStats(std::vector<ApplyStats> stats) { m_impl->postPages(std::move(stats)); }

void SessionWriter::setTransfers(std::vector<Transfer> transfers) { m_impl->postRows(std::move(transfers)); }

void SessionWriter::addHostUses(std::vector<HostUse> uses) { m_impl->postRows(std::move(uses)); }
void SessionWriter::setDeviceWork(std::vector<DeviceWork> work) { m_impl->postRows(std::move(work)); }

void SessionWriter::setDeviceKernels(std::vector<DeviceKernel> kernels) { m_impl->postRows(std::move(kernels)); }

void SessionWriter::setCommunication(std::vector<Communication> rows) { m_impl->postRows(std::move(rows)); }

void SessionWriter::onRefresh(std::function<void(SessionWriter &)> refresh)
{
    if (m_impl->isForeign()) return;
    m_impl->refresh.set(std::move(refresh));
}

void SessionWriter::addLanes(std::vector<Lane> lanes) { m_impl->postRows(std::move(lanes)); }

void SessionWriter::addEvents(std::vector<Event> events)
{
    events.resize(m_impl->admit(m_impl->kept.events, events.size(), m_impl->options.maxEvents, "events"));
    if (events.empty()) return;
    const std::size_t bytes = events.size() * sizeof(Event), count = events.size();
    m_impl->post([events = std::move(events)](Tables &tables) { tables.all<Event>(events); }, bytes, "events", count);
}

void SessionWriter::addMemoryEvents(std::vector<MemoryEvent> events)
{
    events.resize(m_impl->admit(m_impl->kept.memoryEvents, events.size(), m_impl->options.maxMemoryEvents, "memory events"));
    if (events.empty()) return;
    const std::size_t bytes = events.size() * sizeof(MemoryEvent), count = events.size();
    m_impl->post([events = std::move(events)](Tables &tables) { tables.all<MemoryEvent>(events); }, bytes, "memory events", count);
}

void SessionWriter::addCollectives(std::vector<Collective> collectives)
{
    collectives.resize(m_impl->admit(m_impl->kept.collectives, collectives.size(), m_impl->options.maxCollectives, "collectives"));
    m_impl->postRows(std::move(collectives));
}

void SessionWriter::addOutput(int stream, std::string_view text)
{
    if (m_impl->silent() || text.empty() || !m_impl->hasRoom(kLeftOutOfOutput, text.size())) return;
    const std::lock_guard lock(m_impl->mutex);
    if (const std::size_t leftOut = m_impl->output.add({nowNs(), stream, std::string(text)}))
        m_impl->leftOut.count(kLeftOutOfOutput, static_cast<std::int64_t>(leftOut),
                              "the limit of " + std::to_string(m_impl->options.maxOutputBytes) +
                                  " was reached; the beginning and the end are kept");
}

void SessionWriter::addMessage(Message message)
{
    if (m_impl->admit(m_impl->kept.messages, 1, m_impl->options.maxMessages, "messages") == 0) return;
    if (message.detail.size() > kMostDetail) message.detail.resize(kMostDetail);
    m_impl->post([row = std::move(message)](Tables &tables) { tables.insert(row); }, 1024);
}

void SessionWriter::addCheck(Check check)
{
    m_impl->post([row = std::move(check)](Tables &tables) { tables.insert(row); });
}

void SessionWriter::countDrop(const std::string &what, std::int64_t count, const std::string &reason)
{
    if (!m_impl->silent()) m_impl->countDrop(what, count, reason);
}

void SessionWriter::setProgress(const Progress &progress)
{
    if (m_impl->silent()) return;
    const std::lock_guard lock(m_impl->mutex);
    m_impl->progress.set(progress);
}

void SessionWriter::flush()
{
    if (m_impl->silent()) return;
    std::unique_lock lock(m_impl->mutex);
    const std::uint64_t wanted = m_impl->queue.flush();
    m_impl->wake.notify_one();
    m_impl->done.wait(lock, [&] { return m_impl->queue.isFlushed(wanted) || m_impl->end.isWanted; });
}

void SessionWriter::finish(int exitStatus, const std::string &endReason, std::optional<std::int64_t> endNs)
{
    if (m_impl->finished || m_impl->isForeign() || !m_impl->thread.joinable()) return;
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->end = {true, exitStatus, endNs, endReason};
    }
    m_impl->wake.notify_one();
    m_impl->done.notify_all();
    m_impl->thread.join();
    m_impl->finished = true;
}

} // namespace profiler
