#include "profiler/session/store/files.h"

#include "engine/tensor/clock.h"
#include "profiler/session/model/model.h"
#include "profiler/session/store/schema.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace profiler {

namespace fs = std::filesystem;

namespace {

std::string readAll(const std::string &path)
{
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string trimmed(std::string text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

// Field 22 of /proc/PID/stat; the name in field 2 may hold spaces, so counting starts behind its ')'.
std::string startOf(std::int64_t pid)
{
    const std::string stat = readAll("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name = stat.rfind(')');
    if (name == std::string::npos) return {};
    std::istringstream fields(stat.substr(name + 1));
    std::string field;
    for (int i = 3; i <= 22; ++i) fields >> field;
    return field;
}

// A zombie has ended: its launcher has only not asked for its status yet.
bool isZombie(std::int64_t pid)
{
    const std::string stat = readAll("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name = stat.rfind(')');
    return name != std::string::npos && name + 2 < stat.size() && stat[name + 2] == 'Z';
}

std::string bootIdentity()
{
    std::string boot = trimmed(readAll("/proc/sys/kernel/random/boot_id"));
    std::array<char, 128> space{};
    if (readlink("/proc/self/ns/pid", space.data(), space.size() - 1) > 0) boot += std::string(" ") + space.data();
    return boot;
}

std::string hostName()
{
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

} // namespace

bool onNetworkFileSystem(const std::string &path)
{
    const fs::path folder = fs::absolute(path).parent_path();
    struct statfs info {};
    if (statfs(folder.c_str(), &info) != 0) return false;
    constexpr std::array<std::uint32_t, 9> kNetwork{
        0x6969,     // NFS
        0x517b,     // SMB
        0xff534d42, // CIFS
        0xfe534d42, // SMB2
        0x01021997, // 9p
        0x65735546, // FUSE: sshfs and its kin
        0x0bd00bd0, // Lustre
        0x00c36400, // Ceph
        0x47504653, // GPFS
    };
    return std::find(kNetwork.begin(), kNetwork.end(), static_cast<std::uint32_t>(info.f_type)) != kNetwork.end();
}

std::string temporaryFolder()
{
    constexpr std::uint64_t kLeast = 1u << 20; // a small session
    std::error_code error;
    const char *named = std::getenv("TMPDIR");
    std::vector<fs::path> folders{"/tmp", "/var/tmp"};
    if (named && *named) folders.insert(folders.begin(), fs::absolute(named, error));
    std::string problems;
    for (const fs::path &folder : folders) {
        const auto note = [&](const std::string &why) { problems += (problems.empty() ? "" : ", ") + folder.string() + " " + why; };
        struct statvfs room {};
        if (!fs::is_directory(folder, error)) note("is no folder");
        else if (access(folder.c_str(), W_OK | X_OK) != 0) note("cannot be written");
        else if (statvfs(folder.c_str(), &room) == 0 && std::uint64_t(room.f_bavail) * room.f_frsize < kLeast) note("is full");
        else return folder.string();
    }
    throw SessionError("there is no folder for temporary files: " + problems, "set TMPDIR to one that has space");
}

std::string uniquePath(const std::string &folder, const std::string &stem)
{
    static int counter = 0;
    std::string path;
    do path = folder + "/" + stem + "." + std::to_string(getpid()) + "." + std::to_string(counter++) + ".croton";
    while (fileExists(path));
    return path;
}

void copyFile(const std::string &from, const std::string &to)
{
    std::error_code error;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    if (error)
        throw SessionError(from + " could not be copied to " + to + ": " + error.message(), "check the space and the rights of the folder");
}

void moveFile(const std::string &from, const std::string &to)
{
    std::error_code error;
    fs::rename(from, to, error);
    if (!error) return;
    copyFile(from, to + ".part");
    fs::rename(to + ".part", to, error);
    if (error) throw SessionError("the session could not be moved to " + to + ": " + error.message(), "it is kept in " + from);
    fs::remove(from, error); // a copy that stays behind in $TMPDIR harms nothing
}

void removeBeside(const std::string &path)
{
    std::error_code ignored; // absent is what is wanted
    for (const char *suffix : {"-wal", "-shm", "-journal"}) fs::remove(path + suffix, ignored);
}

void removeSession(const std::string &path)
{
    removeBeside(path);
    std::error_code ignored;
    fs::remove(path, ignored);
}

bool fileExists(const std::string &path)
{
    std::error_code error;
    return fs::exists(path, error);
}

std::int64_t fileSize(const std::string &path)
{
    std::error_code error;
    const auto size = fs::file_size(path, error);
    return error ? 0 : static_cast<std::int64_t>(size);
}

bool isSessionFile(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    unsigned char head[72] = {};
    if (!file.read(reinterpret_cast<char *>(head), sizeof head) || std::memcmp(head, "SQLite format 3", 16) != 0) return false;
    const int id = head[68] << 24 | head[69] << 16 | head[70] << 8 | head[71];
    // A writer that was killed early left its first page in the log beside the file.
    return id == kApplicationId || fs::exists(path + "-wal");
}

void checkSessionPlace(const std::string &path)
{
    std::error_code error;
    const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
    const std::string way = "name another place for the session";
    if (!fs::is_directory(folder, error))
        throw SessionError("there is no folder " + folder.string() + " to write " + path + " into", "create it, or " + way);
    if (fs::is_directory(path, error)) throw SessionError(path + " is a folder", way);
    if (fs::exists(path, error)) {
        if (!fs::is_regular_file(path, error)) throw SessionError(path + " is no ordinary file", way);
        if (fileSize(path) > 0 && !isSessionFile(path))
            throw SessionError(path + " is there already and is no session, so it is not overwritten", way);
        return;
    }
    // Under another name: who waits for the session must not see it come and go.
    const std::string draft = path + ".try";
    std::FILE *probe = std::fopen(draft.c_str(), "ab");
    if (!probe) throw SessionError(path + " cannot be written: " + std::strerror(errno), way);
    std::fclose(probe);
    if (fileSize(draft) == 0) fs::remove(draft, error);
}

std::uint64_t fileNumber(const std::string &path)
{
    struct stat status;
    return stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::int64_t modifiedUnixMs(const std::string &path)
{
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return 0;
    return std::int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000;
}

ProcessIdentity thisProcess()
{
    const std::int64_t pid = getpid();
    return {pid, startOf(pid), bootIdentity(), hostName()};
}

ProcessState stateOf(const ProcessIdentity &process)
{
    if (process.boot == bootIdentity()) {
        const bool alive = startOf(process.pid) == process.start && !process.start.empty();
        return alive && !isZombie(process.pid) ? ProcessState::Alive : ProcessState::Gone;
    }
    return process.host == hostName() ? ProcessState::Gone : ProcessState::Elsewhere;
}

std::int64_t steadyNs() { return static_cast<std::int64_t>(engine::nowNs()); }

std::int64_t unixMs()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace profiler
