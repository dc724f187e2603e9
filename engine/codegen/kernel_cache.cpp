#include "engine/codegen/kernel_cache.h"

#include "engine/codegen/digest.h"
#include "engine/codegen/temporary.h"
#include "engine/graph/fork.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace engine {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kDefaultLimit = 128'000'000;
constexpr std::uint64_t kLargestProduct = std::uint64_t(64) << 20;
constexpr auto kAbandoned = std::chrono::hours(1); // a compile takes minutes at most

std::string reasonOf(int error) { return std::generic_category().message(error); }

// --- the folder -------------------------------------------------------------------------------------------

struct Place {
    fs::path directory;
    bool writable = false;
    std::string problem;
};

/// Whoever may write there could exchange what is loaded.
std::string whyUnsafe(const fs::path &folder, bool ownOnly)
{
    struct stat status;
    if (lstat(folder.c_str(), &status) != 0) return folder.string() + " cannot be looked at: " + reasonOf(errno);
    if (S_ISLNK(status.st_mode) && stat(folder.c_str(), &status) != 0) return folder.string() + " leads nowhere";
    if (!S_ISDIR(status.st_mode)) return folder.string() + " is no folder";
    if (status.st_uid != geteuid() && (ownOnly || status.st_uid != 0))
        return folder.string() + " belongs to somebody else (user " + std::to_string(status.st_uid) + ")";
    if ((status.st_mode & S_IWOTH) && !(status.st_mode & S_ISVTX) && !ownOnly) return folder.string() + " can be written by everybody";
    return {};
}

Place placeIn(const fs::path &base)
{
    Place place;
    const fs::path folder = base / "kernels";
    std::error_code error;
    fs::create_directories(folder, error);
    if (error && !fs::is_directory(folder)) {
        place.problem = folder.string() + " cannot be made: " + error.message();
        return place;
    }
    place.problem = whyUnsafe(folder, true);
    if (place.problem.empty()) place.problem = whyUnsafe(base, false);
    if (!place.problem.empty()) return place;
    place.directory = folder;
    struct stat status;
    if (stat(folder.c_str(), &status) == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) && chmod(folder.c_str(), 0700) != 0) {
        place.problem = folder.string() + " can be written by others";
        place.directory.clear();
        return place;
    }
    place.writable = access(folder.c_str(), W_OK | X_OK) == 0;
    if (!place.writable) place.problem = folder.string() + " cannot be written: " + reasonOf(errno);
    return place;
}

Place findPlace(const std::optional<fs::path> &chosen)
{
    const char *named = std::getenv("CROTON_CACHE_DIR");
    if (chosen || (named && *named)) {
        Place place = placeIn(chosen ? *chosen : fs::path(named));
        if (!place.problem.empty())
            place.problem = "compiled kernels are not kept: " + place.problem + "; " + (chosen ? "the flag compiledir" : "CROTON_CACHE_DIR") +
                            " has to name a folder of yours";
        return place;
    }
    std::vector<fs::path> bases;
    if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/') bases.push_back(fs::path(cache) / "croton");
    if (const char *home = std::getenv("HOME"); home && *home == '/') bases.push_back(fs::path(home) / ".cache" / "croton");
    const char *temporary = std::getenv("TMPDIR");
    for (const fs::path &parent : temporaryParents()) // but not where the process happens to be
        if (!(temporary && *temporary && *temporary != '/' && parent == fs::absolute(temporary))) bases.push_back(parent / ("croton-" + std::to_string(geteuid())));
    Place readable;
    std::string problems;
    for (const fs::path &base : bases) {
        Place place = placeIn(base);
        if (place.writable) return place;
        problems += (problems.empty() ? "" : "; ") + place.problem;
        if (readable.directory.empty()) readable = std::move(place);
    }
    readable.problem = "compiled kernels are not kept: " + (problems.empty() ? "there is no HOME" : problems) +
                       "; set CROTON_CACHE_DIR to a folder of yours";
    return readable;
}

struct Choice {
    ProcessMutex mutex; // guards the rest but `now`
    std::optional<fs::path> chosen;
    std::atomic<const Place *> now{nullptr}; // never destroyed: the compile thread may be at work
};

Choice &choice()
{
    static auto *instance = new Choice;
    return *instance;
}

const Place &place()
{
    Choice &c = choice();
    if (const Place *now = c.now.load(std::memory_order_acquire)) return *now;
    std::lock_guard lock(c.mutex);
    if (!c.now) c.now = new Place(findPlace(c.chosen));
    return *c.now;
}

// --- products ---------------------------------------------------------------------------------------------

bool isProduct(const fs::path &path) { return path.extension() == ".so"; }
bool isUnfinished(const fs::path &path) { return path.extension() == ".tmp"; }

struct Kept {
    fs::path path;
    std::uint64_t bytes = 0;
    std::int64_t usedNs = 0;
};

/// What lies in the cache, products and what compiles are at work on; sizes are those of the disk.
std::vector<Kept> keptFiles(const fs::path &directory)
{
    constexpr std::uint64_t kBlock = 512; // of st_blocks, whatever the file system
    std::vector<Kept> files;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        if (!isProduct(at->path()) && !isUnfinished(at->path())) continue;
        struct stat status;
        if (lstat(at->path().c_str(), &status) != 0) continue; // another process deleted it
        const std::uint64_t bytes = std::max(static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_blocks) * kBlock);
        files.push_back({at->path(), bytes, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec});
    }
    return files;
}

struct Seal {
    char mark[16];
    char digest[32];
};
constexpr char kMark[17] = "croton kernel 1\n";

class File {
public:
    File(const fs::path &path, int flags, mode_t mode = 0) : m_fd(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode)) {}
    ~File()
    {
        if (m_fd >= 0) ::close(m_fd);
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    int get() const { return m_fd; }
    bool isOpen() const { return m_fd >= 0; }
    /// The error of the last write may come only now (a quota, a network).
    bool close() { return ::close(std::exchange(m_fd, -1)) == 0; }

private:
    int m_fd;
};

bool readAll(int file, std::string &content)
{
    struct stat status;
    if (fstat(file, &status) != 0 || static_cast<std::uint64_t>(status.st_size) > kLargestProduct) return false;
    content.resize(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t n = read(file, content.data() + done, content.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

bool writeAll(int file, const char *data, std::size_t bytes)
{
    while (bytes) {
        const ssize_t n = write(file, data, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

/// The loader trusts what the headers say: what lies behind the end of the file would be a bus error.
bool isWholeObject(const std::string &content)
{
    Elf64_Ehdr head;
    if (content.size() < sizeof head) return false;
    std::memcpy(&head, content.data(), sizeof head);
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64) return false;
    const auto fits = [&](std::uint64_t at, std::uint64_t bytes) { return at <= content.size() && bytes <= content.size() - at; };
    if (!fits(head.e_shoff, std::uint64_t(head.e_shnum) * head.e_shentsize)) return false;
    if (head.e_phentsize != sizeof(Elf64_Phdr) || !fits(head.e_phoff, std::uint64_t(head.e_phnum) * sizeof(Elf64_Phdr))) return false;
    for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr part;
        std::memcpy(&part, content.data() + head.e_phoff + i * sizeof part, sizeof part);
        if (!fits(part.p_offset, part.p_filesz)) return false;
    }
    return true;
}

Seal sealOf(std::string_view object)
{
    Seal seal;
    std::memcpy(seal.mark, kMark, sizeof seal.mark);
    std::memcpy(seal.digest, digest(object).data(), sizeof seal.digest);
    return seal;
}

bool isSealed(const std::string &content)
{
    if (content.size() <= sizeof(Seal)) return false;
    const Seal wanted = sealOf(std::string_view(content).substr(0, content.size() - sizeof(Seal)));
    return std::memcmp(&wanted, content.data() + content.size() - sizeof(Seal), sizeof(Seal)) == 0;
}

bool lockByte(int file, std::int64_t place, short kind)
{
    struct flock range {};
    range.l_type = kind;
    range.l_whence = SEEK_SET;
    range.l_start = place;
    range.l_len = 1;
    int result;
    do result = fcntl(file, F_OFD_SETLK, &range);
    while (result != 0 && errno == EINTR);
    return result == 0 || (errno != EAGAIN && errno != EACCES);
}

constexpr std::int64_t kEviction = 0; // products have the bytes behind it

} // namespace

fs::path kernelCacheDirectory() { return place().directory; }
bool keepsKernels() { return place().writable; }
std::string kernelCacheProblem() { return place().problem; }

void chooseKernelCache(std::optional<fs::path> base)
{
    Choice &c = choice();
    std::lock_guard lock(c.mutex);
    c.chosen = std::move(base);
    c.now = nullptr;
}

std::uint64_t kernelCacheLimit()
{
    const char *text = std::getenv("CROTON_CACHE_MB");
    if (!text || !*text) return kDefaultLimit;
    char *end = nullptr;
    const double megabytes = std::strtod(text, &end);
    return *end || !(megabytes >= 0) ? kDefaultLimit : static_cast<std::uint64_t>(std::min(megabytes, 1e9) * 1e6);
}

CacheInfo kernelCacheInfo()
{
    CacheInfo info;
    info.directory = kernelCacheDirectory();
    info.limit = kernelCacheLimit();
    for (const Kept &file : keptFiles(info.directory)) {
        info.files += isProduct(file.path);
        info.bytes += file.bytes;
    }
    return info;
}

std::uint64_t clearKernelCache()
{
    std::uint64_t removed = 0;
    std::error_code error;
    for (const Kept &file : keptFiles(kernelCacheDirectory()))
        if (fs::remove(file.path, error) && isProduct(file.path)) ++removed;
    return removed;
}

void evictKernels(std::uint64_t bytes)
{
    const fs::path directory = kernelCacheDirectory();
    if (directory.empty()) return;
    const File lock(directory / "lock", O_CREAT | O_RDWR, 0600);
    if (!lock.isOpen()) return;
    // Who is at it may have counted before our product was there. It takes milliseconds; a process that was stopped is not waited for.
    for (int i = 0; !lockByte(lock.get(), kEviction, F_WRLCK); ++i) {
        if (i == 100) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::vector<Kept> files = keptFiles(directory);
    std::uint64_t total = 0;
    std::error_code error;
    const std::int64_t abandoned = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch() - kAbandoned).count();
    for (Kept &file : files) {
        if (isUnfinished(file.path) && file.usedNs < abandoned && fs::remove(file.path, error)) file.bytes = 0;
        total += file.bytes;
    }
    std::sort(files.begin(), files.end(), [](const Kept &a, const Kept &b) { return a.usedNs < b.usedNs; });
    for (const Kept &file : files) {
        if (total <= bytes) break;
        if (isProduct(file.path) && fs::remove(file.path, error)) total -= file.bytes;
    }
    lockByte(lock.get(), kEviction, F_UNLCK);
}

bool isWholeProduct(const fs::path &product)
{
    {
        const File file(product, O_RDONLY);
        struct stat status;
        std::string content;
        if (!file.isOpen() && (errno == ENOENT || errno == ENOTDIR)) return false;
        if (file.isOpen() && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
            !(status.st_mode & (S_IWGRP | S_IWOTH)) && readAll(file.get(), content) && isSealed(content))
            return true;
    }
    std::error_code error;
    fs::remove(product, error);
    return false;
}

std::string sealProduct(const fs::path &temporary, const fs::path &target)
{
    File file(temporary, O_RDWR);
    std::string content;
    if (!file.isOpen() || !readAll(file.get(), content)) return "the compiler ended well but left no file that can be read";
    if (!isWholeObject(content)) return "the compiler ended well but what it left is no whole shared object (" + std::to_string(content.size()) + " bytes)";
    const Seal seal = sealOf(content);
    const auto cannot = [&] { return "the compiled kernel cannot be kept in " + target.parent_path().string() + ": " + reasonOf(errno); };
    if (!writeAll(file.get(), reinterpret_cast<const char *>(&seal), sizeof seal) || fchmod(file.get(), 0700) != 0 || !file.close()) return cannot();
    // Readers see the whole file or none.
    return rename(temporary.c_str(), target.c_str()) == 0 ? std::string() : cannot();
}

ProductLock::ProductLock(const fs::path &product)
{
    m_file = open((product.parent_path() / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    m_place = 1 + static_cast<std::int64_t>(std::stoull("0" + product.stem().string().substr(0, 7), nullptr, 16));
}

ProductLock::~ProductLock()
{
    if (m_file < 0) return;
    if (m_taken) lockByte(m_file, m_place, F_UNLCK); // a child of fork may hold the file open
    close(m_file);
}

bool ProductLock::tryTake()
{
    if (m_file < 0) return true;
    if (!m_taken) m_taken = lockByte(m_file, m_place, F_WRLCK);
    return m_taken;
}

} // namespace engine
