#include "app/cli/output.h"

#include "app/cli/command.h"
#include "profiler/session/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace app {

namespace fs = std::filesystem;

namespace {

bool isStdout(const std::string &path) { return path.empty() || path == "-"; }

} // namespace

void checkOutput(const std::string &path, const std::string &input)
{
    if (isStdout(path)) return;
    std::error_code error;
    if (fs::is_directory(path, error)) throw CliError(path + " is a folder", "name a file in it");
    if (fs::is_regular_file(path, error)) {
        const bool isInput = !input.empty() && fs::equivalent(path, input, error);
        if (isInput || profiler::isSessionFile(path))
            throw CliError(path + (isInput ? " is what is read" : " is a session") + ", so it is not overwritten", "name another file");
    }
}

void writeOutput(const std::string &path, const std::string &text, const std::string &input)
{
    if (isStdout(path)) {
        std::fwrite(text.data(), 1, text.size(), stdout); // main looks whether it went well
        return;
    }
    checkOutput(path, input);
    std::FILE *out = std::fopen(path.c_str(), "wb");
    if (!out) throw CliError(path + " cannot be written: " + std::strerror(errno), "check the folder");
    const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
    const int problem = errno;
    if (const bool closed = std::fclose(out) == 0; !closed || !written)
        throw CliError(path + " could not be written whole: " + std::strerror(written ? errno : problem), "is the disk full?");
}

} // namespace app
