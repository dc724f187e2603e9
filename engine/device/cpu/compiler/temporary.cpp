#include "engine/device/cpu/compiler/temporary.h"

#include "engine/device/cpu/compiler/environment.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace engine {
namespace {

namespace fs = std::filesystem;

const std::string kRandomPart(6, 'X'); // mkstemps and mkdtemp put letters of their own there

std::string whyUnusable(const fs::path &folder)
{
    std::error_code error;
    if (!fs::exists(folder, error)) return "there is no folder " + folder.string();
    if (!fs::is_directory(folder, error)) return folder.string() + " is no folder";
    if (access(folder.c_str(), W_OK | X_OK) != 0) return folder.string() + " cannot be written: " + std::strerror(errno);
    return hasSpace(folder) ? std::string() : "there is no space in " + folder.string();
}

} // namespace

int makeTemporaryFile(const std::filesystem::path &prefix, std::filesystem::path &path)
{
    const std::string end = ".tmp";
    std::string name = prefix.string() + "." + kRandomPart + end;
    const int file = mkstemps(name.data(), static_cast<int>(end.size()));
    if (file >= 0) path = name;
    return file;
}

std::filesystem::path makeTemporaryFolder(const std::filesystem::path &prefix)
{
    std::string name = prefix.string() + "-" + kRandomPart;
    return mkdtemp(name.data()) ? std::filesystem::path(name) : std::filesystem::path();
}

std::vector<fs::path> temporaryParents()
{
    std::vector<fs::path> all{"/tmp", "/var/tmp"}, usable;
    std::error_code error;
    if (const auto named = environmentValue("TMPDIR")) all.insert(all.begin(), fs::absolute(*named, error));
    for (const fs::path &folder : all)
        if (!folder.empty() && fs::is_directory(folder, error) && access(folder.c_str(), W_OK | X_OK) == 0 &&
            std::find(usable.begin(), usable.end(), folder) == usable.end())
            usable.push_back(folder);
    return usable;
}

bool hasSpace(const fs::path &directory)
{
    fs::path name;
    const int file = makeTemporaryFile(directory / "space", name);
    if (file < 0) return false;
    const std::string block(std::size_t(256) << 10, '\1');
    std::size_t written = 0;
    while (written < block.size()) {
        const ssize_t n = write(file, block.data() + written, block.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        written += static_cast<std::size_t>(n);
    }
    const bool closed = close(file) == 0;
    unlink(name.c_str());
    return written == block.size() && closed;
}

std::string temporaryProblem()
{
    std::error_code error;
    const auto named = environmentValue("TMPDIR");
    const std::string why = whyUnusable(named ? fs::absolute(*named, error) : fs::path("/tmp"));
    return (why.empty() ? "no temporary file can be made" : why) + (named ? " (TMPDIR), nor in /tmp" : "") +
           "; set TMPDIR to another folder";
}

} // namespace engine
