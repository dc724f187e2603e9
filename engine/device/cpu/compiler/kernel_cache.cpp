#include "engine/device/cpu/compiler/kernel_cache.h"

#include "engine/device/cpu/compiler/descriptor.h"
#include "engine/device/cpu/compiler/environment.h"
#include "engine/device/cpu/compiler/product_lock.h"
#include "engine/device/cpu/compiler/seal.h"
#include "engine/device/cpu/compiler/temporary.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace engine {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kDefaultLimit = 128'000'000;
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
    const std::optional<std::string> named = environmentValue("CROTON_CACHE_DIR");
    if (chosen || named) {
        Place place = placeIn(chosen ? *chosen : fs::path(*named));
        if (!place.problem.empty())
            place.problem = "compiled kernels are not kept: " + place.problem + "; " +
                            (chosen ? "the flag compiledir" : "CROTON_CACHE_DIR") + " has to name a folder of yours";
        return place;
    }
    std::vector<fs::path> bases;
    if (const auto cache = environmentValue("XDG_CACHE_HOME"); cache && cache->front() == '/') bases.push_back(fs::path(*cache) / "croton");
    if (const auto home = environmentValue("HOME"); home && home->front() == '/') bases.push_back(fs::path(*home) / ".cache" / "croton");
    const auto temporary = environmentValue("TMPDIR");
    for (const fs::path &parent : temporaryParents()) // but not where the process happens to be
        if (!(temporary && temporary->front() != '/' && parent == fs::absolute(*temporary)))
            bases.push_back(parent / ("croton-" + std::to_string(geteuid())));
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

struct CacheChoice {
    ProcessMutex mutex; // guards the rest but `now`
    std::optional<fs::path> chosen;
    std::atomic<const Place *> now{nullptr}; // never destroyed: the compile thread may be at work
};

CacheChoice &cacheChoice()
{
    static auto *instance = new CacheChoice;
    return *instance;
}

const Place &place()
{
    CacheChoice &c = cacheChoice();
    if (const Place *now = c.now.load(std::memory_order_acquire)) return *now;
    std::lock_guard lock(c.mutex);
    if (!c.now) c.now = new Place(findPlace(c.chosen));
    return *c.now;
}

// --- products ---------------------------------------------------------------------------------------------

bool isProduct(const fs::path &path) { return path.extension() == ".so" || path.extension() == ".bin"; }
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
        const std::uint64_t bytes =
            std::max(static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_blocks) * kBlock);
        files.push_back({at->path(), bytes, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec});
    }
    return files;
}

constexpr std::int64_t kEviction = 0; // products have the bytes behind it

} // namespace

fs::path kernelCacheDirectory() { return place().directory; }
bool keepsKernels() { return place().writable; }
std::string kernelCacheProblem() { return place().problem; }

void chooseKernelCache(std::optional<fs::path> base)
{
    CacheChoice &c = cacheChoice();
    std::lock_guard lock(c.mutex);
    c.chosen = std::move(base);
    c.now = nullptr;
}

std::uint64_t kernelCacheLimit()
{
    const auto text = environmentValue("CROTON_CACHE_MB");
    if (!text) return kDefaultLimit;
    char *end = nullptr;
    const double megabytes = std::strtod(text->c_str(), &end);
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
    const Descriptor lock(open((directory / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
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
        // Without waiting for who would write to a pipe of that name.
        const Descriptor file(open(product.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        struct stat status;
        if (!file.isOpen() && (errno == ENOENT || errno == ENOTDIR)) return false;
        if (file.isOpen() && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
            !(status.st_mode & (S_IWGRP | S_IWOTH)) && isSealed(file.get()))
            return true;
    }
    std::error_code error;
    fs::remove(product, error);
    return false;
}

} // namespace engine
