#pragma once
// The inside of SessionWriter: a queue of commands and the thread that carries them out.

#include "profiler/session/store/database.h"
#include "profiler/session/store/output_kept.h"
#include "profiler/session/store/tables.h"
#include "profiler/session/store/writer_parts.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

namespace profiler {

// About as much as rows take in memory.
template <class Row>
std::size_t bytesOf(const std::vector<Row> &rows)
{
    return 64 + rows.size() * (sizeof(Row) + 64);
}

struct SessionWriter::Impl {
    using Command = CommandQueue::Command;

    Impl(std::string target, std::string file, const SessionStart &start, WriterOptions settings);
    ~Impl();

    // Hands a command to the thread. Waits while the queue is full and the disk keeps up; what the session can do
    // without is dropped where it does not, and counted as `rows` of `what`. False: it was.
    bool post(Command command, std::size_t bytes = 256, const char *what = nullptr, std::size_t rows = 1);
    // In portions, so that the bound of the queue holds for a graph of any size.
    template <class Described>
    void postRows(std::vector<Described> rows)
    {
        postRows(std::move(rows), Described::kTable);
    }
    template <class Described>
    void postRows(std::vector<Described> rows, const char *table)
    {
        for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
            end = std::min(first + kPortion, rows.size());
            std::vector<Described> portion = part(rows, first, end);
            const std::size_t bytes = bytesOf(portion);
            post([portion = std::move(portion), table](Tables &tables) { tables.all<Described>(portion, table); }, bytes);
        }
    }
    // The rows of a key are beside each other, and all that there are.
    template <class Row>
    void postPages(std::vector<Row> rows)
    {
        const auto key = [&](std::size_t i) { return Row::key(rows[i]); }; // of numbers: what is moved away keeps them
        for (std::size_t first = 0, end = 0, ofKey = 0; first < rows.size(); first = end) {
            if (key(first) != key(ofKey)) ofKey = first;
            while (end < rows.size() && end - first < kPortion && key(end) == key(first)) ++end;
            const bool areLast = end == rows.size() || key(end) != key(first);
            std::vector<Row> portion = part(rows, first, end);
            const std::size_t bytes = bytesOf(portion);
            post([portion = std::move(portion), number = first - ofKey,
                  areLast](Tables &tables) { tables.pages<Row>(portion, number, areLast); },
                 bytes);
        }
    }
    static constexpr std::size_t kPortion = 8 * kPageRows;
    template <class Row>
    static std::vector<Row> part(std::vector<Row> &rows, std::size_t first, std::size_t end)
    {
        return {std::make_move_iterator(rows.begin() + static_cast<std::ptrdiff_t>(first)),
                std::make_move_iterator(rows.begin() + static_cast<std::ptrdiff_t>(end))};
    }
    [[nodiscard]] bool isCut(GraphId graph);
    void cut(GraphId graph); // its steps end here
    // How many of `wanted` still fit below `limit`; the rest is counted as dropped.
    std::size_t admit(std::atomic<std::size_t> &used, std::size_t wanted, std::size_t limit, const char *what);
    // Is there still room for what a session can do without? Else it is counted as dropped.
    bool hasRoom(const char *what, std::size_t count);
    void countDrop(const std::string &what, std::int64_t count, const std::string &reason);
    // In the child of a fork: nobody is left there to write, or to give back a lock that was held meanwhile.
    [[nodiscard]] bool isForeign() const;
    [[nodiscard]] bool silent() const; // failed, finished, or foreign

    void createFile(const SessionStart &start);
    void loop(SessionWriter *self);
    void waitForRoom(std::unique_lock<std::mutex> &lock);
    void writeBatch(const std::vector<CommandQueue::Queued> &batch);
    void writeNewNumbers();
    void writeOutput();
    void fail(const SessionError &error);
    void checkSize();
    void close();

    const std::string target; // where the session ends up
    const std::string path;   // where it is written; differs on network file systems
    const WriterOptions options;
    const std::int64_t startNs;
    const unsigned forks; // when it was made

    std::unique_ptr<Database> database; // the thread's own, once it runs
    std::unique_ptr<Tables> tables;

    std::mutex mutex; // guards the members up to `thread`
    std::condition_variable wake;
    std::condition_variable done;
    CommandQueue queue;
    LeftOut leftOut;
    Numbers numbers;
    LastProgress progress;
    OutputKept output;
    std::unordered_set<std::string> arrays; // captured ones
    WantedEnd end;

    std::thread thread;
    bool isWriting = false; // the thread's own: inside of a batch
    std::int64_t lastCommitNs = 0;
    Refresh refresh;

    std::atomic<bool> failed{false};
    std::atomic<bool> finished{false};
    KeptSoFar kept;
};

} // namespace profiler
