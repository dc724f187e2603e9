#include "app/cli/shared/job.h"

#include "app/cli/shared/child.h"
#include "app/cli/shared/command.h"
#include "app/cli/shared/output.h"
#include "profiler/export/ranks_report.h"
#include "profiler/session/store/add_ranks.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/snapshot.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

namespace app {

namespace fs = std::filesystem;

namespace {

std::optional<int> numberIn(const char *name)
{
    const char *text = std::getenv(name);
    if (!text || !*text) return {};
    char *end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*end != '\0' || value < 0 || value > 1'000'000) return {};
    return static_cast<int>(value);
}

volatile sig_atomic_t g_child = 0; // what is told to end when we are

void tellChild(int signal)
{
    if (g_child > 0) kill(static_cast<pid_t>(g_child), signal);
}

bool isOfRank(const std::string &file, int rank)
{
    try {
        return profiler::isSessionFile(file) && profiler::SessionReader::open(file)->info().rank == rank;
    } catch (const profiler::SessionError &) {
        return false; // nothing can be read of it
    }
}

// Of run.croton those of ranks, run.0.croton …, by rank.
std::map<int, std::string> sessionsOfRanks(const std::string &session)
{
    const fs::path path(session);
    const std::string stem = path.stem().string() + ".", end = path.extension().string();
    std::map<int, std::string> found;
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.size() <= stem.size() + end.size() || !name.starts_with(stem) || !name.ends_with(end)) continue;
        const std::string number = name.substr(stem.size(), name.size() - stem.size() - end.size());
        if (number.size() > 7 || !std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c); })) continue;
        const std::string file = path.has_parent_path() ? entry.path().string() : name;
        if (const int rank = std::atoi(number.c_str()); isOfRank(file, rank)) found[rank] = file;
    }
    return found;
}

} // namespace

std::optional<RankOfJob> rankOfJob()
{
    // Slurm's come last: an mpirun inside of an allocation sees those of the allocation, too.
    static constexpr const char *kNames[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                                {"PMI_RANK", "PMI_SIZE"},
                                                {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    for (const auto &[rank, ranks] : kNames)
        if (const auto number = numberIn(rank), all = numberIn(ranks); number && all && *number < *all) return RankOfJob{*number, *all};
    return {};
}

std::string sessionOfRank(const std::string &session, int rank)
{
    fs::path path(session);
    const std::string end = path.extension().string();
    return path.replace_extension("." + std::to_string(rank) + end).string();
}

std::vector<std::string> wordsOf(const std::string &line, const std::string &option)
{
    std::vector<std::string> words;
    bool inWord = false;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
            inWord = false;
            continue;
        }
        if (!inWord) words.emplace_back();
        inWord = true;
        if (quote && c == quote) quote = 0;
        else if (!quote && (c == '"' || c == '\'')) quote = c;
        else if (c == '\\' && quote != '\'' && i + 1 < line.size()) words.back() += line[++i];
        else words.back() += c;
    }
    if (quote) throw UsageError(option + " has a quote that does not end: " + line);
    if (words.empty() || words[0].empty()) throw UsageError(option + " wants a command");
    return words;
}

int runProgram(const std::vector<std::string> &words, const std::string &hint)
{
    // The terminal tells both of us; the child decides what it means.
    struct sigaction ignore {
    }, tell{}, interrupt{}, end{}, hangUp{};
    ignore.sa_handler = SIG_IGN;
    tell.sa_handler = tellChild;
    std::signal(SIGCHLD, SIG_DFL);
    g_child = 0;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGTERM, &tell, &end);
    sigaction(SIGHUP, &tell, &hangUp);
    const auto asBefore = [&] {
        sigaction(SIGINT, &interrupt, nullptr);
        sigaction(SIGTERM, &end, nullptr);
        sigaction(SIGHUP, &hangUp, nullptr);
    };
    std::optional<Child> child;
    try {
        child = Child::of(words, asBefore,
                          [&] { printErr("croton: %s cannot be run: %s (%s)\n", words[0].c_str(), std::strerror(errno), hint.c_str()); });
    } catch (...) {
        asBefore();
        throw;
    }
    g_child = child->number();
    const int status = child->wait();
    g_child = 0;
    asBefore();
    return status;
}

profiler::Job readJob(const std::vector<std::string> &sessions)
{
    std::vector<profiler::RankInput> inputs;
    for (const std::string &session : sessions) inputs.push_back(profiler::readRank(*profiler::SessionReader::open(session)));
    std::map<int, std::string> seen;
    for (const profiler::RankInput &input : inputs) {
        const auto [place, isNew] = seen.try_emplace(input.info.rank, input.info.path);
        if (!isNew && input.info.rank >= 0)
            throw CliError(place->second + " and " + input.info.path + " are both of rank " + std::to_string(input.info.rank),
                           "name the sessions of one job");
    }
    return profiler::jobOf(inputs);
}

profiler::Job mergeJob(const std::vector<std::string> &sessions, const std::string &into)
{
    profiler::Job job = readJob(sessions);
    const std::string lowest = job.ranks.front().session;
    profiler::checkSessionPlace(into);
    const std::string draft = profiler::uniquePath(fs::absolute(into).parent_path().string(), ".croton-ranks");
    profiler::snapshotSession(lowest, draft);
    for (profiler::RankRow &row : job.ranks)
        row.session = row.session == lowest ? "" : fs::proximate(row.session, fs::absolute(into).parent_path()).string();
    profiler::addRanks(draft, job);
    profiler::moveFile(draft, into);
    return job;
}

namespace {

// Sessions of a job before: out of the way of a new one, and back where that leaves none.
class EarlierSessions {
public:
    explicit EarlierSessions(const std::string &session)
    {
        for (const auto &[rank, old] : sessionsOfRanks(session)) putAside(old);
        putAside(session);
    }
    ~EarlierSessions()
    {
        for (const auto &[place, aside] : m_files) {
            std::error_code ignored;
            if (m_returns) fs::rename(aside, place, ignored);
            else fs::remove(aside, ignored);
        }
    }
    EarlierSessions(const EarlierSessions &) = delete;
    EarlierSessions &operator=(const EarlierSessions &) = delete;
    void drop() { m_returns = false; }

private:
    void putAside(const std::string &session)
    {
        for (const char *end : {"", "-wal", "-shm"}) {
            if (!fs::exists(session + end)) continue;
            const std::string aside = profiler::uniquePath(fs::absolute(session).parent_path().string(), ".croton-earlier");
            fs::rename(session + end, aside);
            m_files.emplace_back(session + end, aside);
        }
    }

    std::vector<std::pair<std::string, std::string>> m_files; // where it was, where it is
    bool m_returns = true;
};

} // namespace

int runJob(const std::vector<std::string> &prefix, const std::vector<std::string> &words, const std::string &session)
{
    EarlierSessions earlier(session);
    std::vector<std::string> all = prefix;
    all.insert(all.end(), words.begin(), words.end());
    const int status =
        runProgram(all, "--launch names the program that starts the processes: mpirun comes with the Debian package openmpi-bin");
    std::vector<std::string> sessions;
    for (const auto &[rank, file] : sessionsOfRanks(session)) sessions.push_back(file);
    if (!sessions.empty() || profiler::isSessionFile(session)) earlier.drop();
    if (sessions.empty()) {
        if (profiler::isSessionFile(session)) return status; // the prefix started one process that is of no job
        throw CliError("no process left a session; " + prefix[0] + " ended with status " + std::to_string(status),
                       "what it said stands above; `" + shellQuoted(prefix) + " true` has to work");
    }
    const int expected = profiler::SessionReader::open(sessions[0])->info().ranks;
    const profiler::Job job = mergeJob(sessions, session);
    profiler::removeSession(sessions[0]); // it is the one with all of them now
    if (expected > static_cast<int>(sessions.size()))
        printErr("croton: %zu of %d ranks left no session: they are not in %s (did they end before the script began, or on a "
                 "machine with another disk?)\n",
                 static_cast<std::size_t>(expected) - sessions.size(), expected, session.c_str());
    for (const profiler::RankRow &row : job.ranks)
        if (!row.problem.empty())
            printErr("croton: rank %d: %s (croton report %s)\n", row.rank, row.problem.c_str(),
                     row.session.empty() ? session.c_str() : (fs::path(session).parent_path() / row.session).c_str());
    printErr("croton: %zu ranks are in %s (croton ranks %s). %s\n", job.ranks.size(), session.c_str(), session.c_str(),
             profiler::verdictSentence(job).c_str());
    return status;
}

} // namespace app
