#pragma once
// The inside of SessionWriter: a queue of commands and the thread that carries them out.

#include "profiler/session/database.h"
#include "profiler/session/tables.h"
#include "profiler/session/writer.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace profiler {

struct SessionWriter::Impl {
    using Command = std::function<void(Tables &)>;

    Impl(std::string target, std::string file, const SessionStart &start, WriterOptions settings);
    ~Impl();

    void post(Command command, std::size_t bytes = 256);
    // How many of `wanted` still fit below `limit`; the rest is counted as dropped.
    std::size_t admit(std::atomic<std::size_t> &used, std::size_t wanted, std::size_t limit,
                      const char *what);
    // Is there still room for what a session can do without? Else it is counted as dropped.
    bool hasRoom(const char *what, std::size_t count);
    void countDrop(const std::string &what, std::int64_t count, const std::string &reason);
    // In the child of a fork: nobody is left there to write, or to give back a lock that was held meanwhile.
    [[nodiscard]] bool isForeign() const;
    [[nodiscard]] bool silent() const; // failed, finished, or foreign

    void createFile(const SessionStart &start);
    void loop(SessionWriter *self);
    void refreshAggregates(SessionWriter *self);
    void writeBatch(std::vector<Command> batch, std::vector<std::string> strings,
                    std::uint32_t firstString);
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
    std::vector<Command> queue;
    std::size_t queuedBytes = 0;
    std::unordered_map<std::string, std::uint32_t> strings;
    std::vector<std::string> newStrings;
    std::uint32_t firstNewString = 1;
    Progress progress;
    bool progressChanged = false;
    std::map<std::string, Drop> drops;
    bool dropsChanged = false;
    std::uint64_t posted = 0;  // flush() waits until written reaches it
    std::uint64_t written = 0;
    bool hurry = false; // somebody waits in flush()
    bool stop = false;
    int exitStatus = -1;
    std::string endReason = "the process ended early";

    std::thread thread;
    std::mutex refreshMutex; // guards refresh, and is held while it runs
    std::function<void(SessionWriter &)> refresh;
    std::int64_t refreshCostNs = 0; // the thread's own
    std::int64_t lastRefreshNs = 0;
    std::int64_t lastCommitNs = 0;

    std::atomic<bool> failed{false};
    std::atomic<bool> finished{false};
    std::atomic<bool> full{false}; // the size limit of the file is reached
    std::atomic<std::size_t> eventCount{0};
    std::atomic<std::size_t> memoryEventCount{0};
    std::atomic<std::size_t> outputBytes{0};
    std::atomic<std::size_t> messageCount{0};
    std::atomic<std::size_t> stepBytes{0};
};

} // namespace profiler
