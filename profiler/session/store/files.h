#pragma once
// What a session must know of the file system and of processes.

#include <cstdint>
#include <string>

namespace profiler {

// True when the folder of `path` is on a file system whose locks cannot be trusted (NFS, SMB, sshfs, 9p …).
[[nodiscard]] bool onNetworkFileSystem(const std::string &path);
// $TMPDIR, /tmp or /var/tmp: the first that is a folder, can be written and has space. Throws SessionError.
[[nodiscard]] std::string temporaryFolder();
// A name in `folder` that no other process uses.
[[nodiscard]] std::string uniquePath(const std::string &folder, const std::string &stem);
// Renames, or copies and deletes across file systems. Throws SessionError.
void moveFile(const std::string &from, const std::string &to);
void copyFile(const std::string &from, const std::string &to);
// Removes what SQLite keeps beside a session; absent files are no error.
void removeBeside(const std::string &path);
// The session, too.
void removeSession(const std::string &path);
// Does the file's head say that it is a session? False when it cannot be read.
[[nodiscard]] bool isSessionFile(const std::string &path);
// Can a session be written there? What stands there already must be a session or nothing: a slip of the hand costs no file.
// Throws SessionError.
void checkSessionPlace(const std::string &path);
[[nodiscard]] bool fileExists(const std::string &path);
[[nodiscard]] std::int64_t fileSize(const std::string &path);    // 0 when absent
[[nodiscard]] std::uint64_t fileNumber(const std::string &path); // kept by a rename, not by a copy; 0 when absent
[[nodiscard]] std::int64_t modifiedUnixMs(const std::string &path);

// Names a process for ever: number, start time, boot and name space, host.
struct ProcessIdentity {
    std::int64_t pid = 0;
    std::string start;
    std::string boot;
    std::string host;
};
[[nodiscard]] ProcessIdentity thisProcess();

enum class ProcessState : std::uint8_t { Alive, Gone, Elsewhere };
[[nodiscard]] ProcessState stateOf(const ProcessIdentity &process);

[[nodiscard]] std::int64_t steadyNs();
[[nodiscard]] std::int64_t unixMs();

} // namespace profiler
