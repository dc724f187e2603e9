// The writing thread: batches, commits, what happens when the disk fails, and the end of a session.

#include "engine/liveness/sizes.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/forks.h"
#include "profiler/session/store/schema.h"
#include "profiler/session/store/writer_impl.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <tuple>
#include <utility>

namespace profiler {

namespace {

constexpr std::int64_t kHeartbeatNs = 1'000'000'000;
constexpr std::size_t kBatchBytes = 8u << 20; // of one commit: callers wait for one, not for the whole queue
constexpr const char *kFull = "the session has reached its size limit";
constexpr int kCloseTries = 20; // of 50 ms: a reader that is connected keeps the file in WAL mode

std::string workingDirectory()
{
    std::error_code error;
    return std::filesystem::current_path(error).string();
}

} // namespace

SessionWriter::Impl::Impl(std::string targetPath, std::string file, const SessionStart &start, WriterOptions settings)
    : target(std::move(targetPath)), path(std::move(file)), options(std::move(settings)), startNs(steadyNs()), forks(forksSoFar()),
      output(options.maxOutputBytes)
{
    createFile(start);
}

SessionWriter::Impl::~Impl() = default;

// Built complete under another name and renamed, so that whatever has the name is a session.
void SessionWriter::Impl::createFile(const SessionStart &start)
{
    const std::string draft = path + ".new";
    removeSession(draft);
    try {
        Database fresh(draft, Database::Access::Create);
        fresh.execute("PRAGMA page_size=4096; PRAGMA encoding='UTF-8'; PRAGMA synchronous=OFF");
        fresh.execute("PRAGMA application_id=" + std::to_string(kApplicationId));
        Transaction transaction(fresh);
        fresh.execute(schemaSql());
        const std::int64_t version = fresh.integer("PRAGMA user_version");
        Tables rows(fresh);
        const ProcessIdentity process = thisProcess();
        const std::pair<const char *, std::string> facts[] = {
            {"schema", std::to_string(version / 1000) + "." + std::to_string(version % 1000)},
            {"state", "running"},
            {"created_unix_ms", std::to_string(unixMs())},
            {"croton", start.crotonVersion},
            {"label", start.label},
            {"command", start.command},
            {"directory", workingDirectory()},
            {"pid", std::to_string(process.pid)},
            {"pid_start", process.start},
            {"boot", process.boot},
            {"host", process.host},
            {"file_number", std::to_string(fileNumber(draft))},
        };
        for (const auto &[key, value] : facts) rows.meta(key, value);
        rows.insert(NumberedText{});
        rows.insert(start.script);
        rows.insert(progress.take().first);
        rows.clear();
        transaction.commit();
    } catch (...) {
        removeSession(draft);
        throw;
    }
    removeSession(path); // a stale -wal beside a new file would be played into it
    moveFile(draft, path);
    try {
        database = std::make_unique<Database>(path, Database::Access::Write);
        database->execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
                          "PRAGMA wal_autocheckpoint=2000; PRAGMA cache_size=-8192");
        tables = std::make_unique<Tables>(*database);
    } catch (...) {
        database.reset();
        removeBeside(path); // nothing is in them yet
        throw;
    }
}

bool SessionWriter::Impl::isForeign() const { return forksSoFar() != forks; }

bool SessionWriter::Impl::silent() const { return failed || finished || isForeign(); }

bool SessionWriter::Impl::post(Command command, std::size_t bytes, const char *what, std::size_t rows)
{
    if (silent()) return true;
    const bool isOurs = std::this_thread::get_id() == thread.get_id();
    if (isOurs && isWriting) {
        command(*tables);
        return true;
    }
    std::unique_lock lock(mutex);
    if (!isOurs) waitForRoom(lock);
    if (end.isWanted && !isOurs) return true;
    const std::size_t limit = options.maxQueuedBytes;
    if (queue.bytes() >= (what ? limit : 2 * limit) && !isOurs) {
        leftOut.count(what ? what : "rows", static_cast<std::int64_t>(rows), kSlowDisk);
        return false;
    }
    queue.push(std::move(command), bytes);
    if (queue.bytes() > kBatchBytes || queue.bytes() > limit / 8) wake.notify_one();
    return true;
}

// A caller may hold any lock meanwhile: our thread waits for none (SessionWriter::onRefresh).
void SessionWriter::Impl::waitForRoom(std::unique_lock<std::mutex> &lock)
{
    const auto isOver = [this] { return queue.bytes() < options.maxQueuedBytes || failed || end.isWanted || queue.isStalled(); };
    while (!isOver()) {
        const std::uint64_t seen = queue.batches();
        const bool isDone =
            done.wait_for(lock, std::chrono::milliseconds(options.patienceMs), [&] { return isOver() || queue.batches() != seen; });
        queue.setStalled(!isDone);
    }
}

std::size_t SessionWriter::Impl::admit(std::atomic<std::size_t> &used, std::size_t wanted, std::size_t limit, const char *what)
{
    if (silent()) return 0;
    const std::size_t fits = kept.add(used, wanted, limit);
    if (fits < wanted)
        countDrop(what, static_cast<std::int64_t>(wanted - fits),
                  kept.isFull ? kFull : "the limit of " + std::to_string(limit) + " was reached");
    return fits;
}

bool SessionWriter::Impl::hasRoom(const char *what, std::size_t count)
{
    if (kept.isFull && count > 0) countDrop(what, static_cast<std::int64_t>(count), kFull);
    return !kept.isFull;
}

void SessionWriter::Impl::countDrop(const std::string &what, std::int64_t count, const std::string &reason)
{
    const std::lock_guard lock(mutex);
    leftOut.count(what, count, reason);
}

bool SessionWriter::Impl::isCut(GraphId graph)
{
    const std::lock_guard lock(mutex);
    return leftOut.isCut(graph);
}

void SessionWriter::Impl::cut(GraphId graph)
{
    const std::lock_guard lock(mutex);
    leftOut.cut(graph);
}

void SessionWriter::Impl::loop(SessionWriter *self)
{
    for (bool isOver = false; !isOver;) {
        bool stopping = false;
        {
            std::unique_lock lock(mutex);
            wake.wait_for(lock, std::chrono::milliseconds(options.commitEveryMs), [this] {
                return end.isWanted || queue.hasFlush() || queue.bytes() > kBatchBytes || queue.bytes() > options.maxQueuedBytes / 8;
            });
            queue.noteFlushes();
            stopping = end.isWanted;
        }
        if (!failed) refresh.run(*self, stopping);
        CommandQueue::Batch batch;
        {
            const std::lock_guard lock(mutex);
            batch = queue.take(kBatchBytes);
        }
        if (!failed) {
            try {
                writeBatch(batch.commands);
                checkSize();
            } catch (const SessionError &error) {
                fail(error);
            }
        }
        batch.commands.clear();
        {
            const std::lock_guard lock(mutex);
            queue.setWritten(batch.bytes);
        }
        done.notify_all();
        isOver = stopping && batch.isAll;
    }
    close();
}

void SessionWriter::Impl::writeNewNumbers()
{
    Numbers::Rows rows;
    {
        const std::lock_guard lock(mutex);
        rows = numbers.takeNew();
    }
    tables->all<NumberedText>(rows.texts);
    tables->all<ChainFacts>(rows.chains);
}

void SessionWriter::Impl::writeOutput()
{
    OutputKept::Change change;
    {
        const std::lock_guard lock(mutex);
        change = output.take();
    }
    tables->all<OutputText>(change.insert);
    if (change.removeUpTo > 0) tables->remove("DELETE FROM outputs WHERE id > ? AND id <= ?", change.removeAfter, change.removeUpTo);
    if (change.note > 0) tables->remove("UPDATE outputs SET text = ? WHERE id = ?", change.noteText, change.note);
}

void SessionWriter::Impl::writeBatch(const std::vector<CommandQueue::Queued> &batch)
{
    const std::int64_t begin = steadyNs();
    Progress where;
    bool moved = false;
    bool hasNew = false;
    {
        const std::lock_guard lock(mutex);
        hasNew = leftOut.hasNew() || numbers.hasNew() || output.hasNew();
        std::tie(where, moved) = progress.take();
    }
    const bool heartbeat = begin - lastCommitNs > kHeartbeatNs;
    if (batch.empty() && !hasNew && !moved && !heartbeat) return;
    if (!moved) where.timeNs = begin - startNs;
    Transaction transaction(*database);
    isWriting = true;
    for (const CommandQueue::Queued &one : batch) one.command(*tables);
    isWriting = false;
    writeOutput();
    writeNewNumbers(); // all that the rows name, also those of work that was done later
    std::map<std::string, Drop> changedDrops;
    { // commands drop, too
        const std::lock_guard lock(mutex);
        changedDrops = leftOut.takeNew();
    }
    for (const auto &entry : changedDrops) tables->insert(entry.second);
    tables->insert(where);
    transaction.commit();
    lastCommitNs = steadyNs();
    refresh.setCost(lastCommitNs - begin);
}

void SessionWriter::Impl::checkSize()
{
    if (kept.isFull) return;
    const std::int64_t pages = database->integer("PRAGMA page_count");
    if (pages * 4096 < static_cast<std::int64_t>(options.maxFileBytes)) return;
    kept.isFull = true;
    Message message;
    message.timeNs = steadyNs() - startNs;
    message.severity = Severity::Warning;
    message.text = "the session has reached its size limit of " + liveness::sizeText(options.maxFileBytes) +
                   ": events, steps, output, declines and kernels from here on are counted, not kept";
    message.hint = "raise it with --size-limit";
    Transaction transaction(*database);
    tables->insert(message);
    transaction.commit();
}

void SessionWriter::Impl::fail(const SessionError &error)
{
    {
        const std::lock_guard lock(mutex);
        failed = true;
    }
    done.notify_all(); // who waits for room may hold what onError wants
    try {              // the file may still have room for one row
        tables->meta("end_reason", error.what());
    } catch (const SessionError &) {
        // the first error is the one to tell
    }
    if (options.onError) options.onError(error);
}

void SessionWriter::Impl::close()
{
    try {
        WantedEnd last;
        {
            const std::lock_guard lock(mutex);
            last = end;
        }
        Transaction transaction(*database);
        if (!failed) tables->meta("end_reason", last.reason);
        if (!arrays.empty() && !failed)
            tables->remove("DELETE FROM captured_arrays WHERE array_key NOT IN (SELECT array_key FROM captured_values"
                           " UNION SELECT document FROM captured_functions)");
        tables->meta("state", failed ? "cut off" : "finished");
        tables->meta("exit_status", std::to_string(last.exitStatus));
        tables->meta("duration_ns", std::to_string(last.ns.value_or(steadyNs() - startNs)));
        transaction.commit();
        tables->clear();
        for (int i = 0; i < kCloseTries; ++i) {
            database->execute("PRAGMA wal_checkpoint(TRUNCATE)");
            try {
                if (database->text("PRAGMA journal_mode=DELETE") == "delete") break;
            } catch (const SessionError &) {
                // a reader is connected; it lets go when it sees the end
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        tables.reset();
        database.reset();
        if (path != target) moveFile(path, target);
    } catch (const SessionError &error) {
        if (!failed.exchange(true) && options.onError) options.onError(error);
    }
    tables.reset();
    database.reset();
    if (failed && fileSize(path + "-wal") <= 0) removeBeside(path); // SQLite had no room to tidy up
}

} // namespace profiler
