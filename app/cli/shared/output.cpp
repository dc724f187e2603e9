#include "app/cli/shared/output.h"

#include "app/cli/shared/command.h"
#include "profiler/session/codec/printable.h"
#include "profiler/session/store/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace app {

namespace fs = std::filesystem;

namespace {

bool isStdout(const std::string &path) { return path.empty() || path == "-"; }

void printTo(std::FILE *stream, const std::string &text)
{
    const std::string plain = profiler::printable(text);
    std::fwrite(plain.data(), 1, plain.size(), stream); // of stdout main looks whether it went well
}

void printTo(std::FILE *stream, const char *pattern, va_list values)
{
    va_list again;
    va_copy(again, values);
    std::string text(static_cast<std::size_t>(std::max(std::vsnprintf(nullptr, 0, pattern, again), 0)), '\0');
    va_end(again);
    std::vsnprintf(text.data(), text.size() + 1, pattern, values);
    printTo(stream, text);
}

[[noreturn]] void refuseTarget(const std::string &path)
{
    throw CliError(path + " cannot be written: " + std::strerror(errno), "check the folder");
}

// True: all of it is in the file.
bool fill(std::FILE *file, const std::string &text)
{
    const bool isWritten = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int problem = errno;
    const bool isClosed = std::fclose(file) == 0;
    if (!isWritten) errno = problem;
    return isWritten && isClosed;
}

[[noreturn]] void sayCut(const std::string &path)
{
    throw CliError(path + " could not be written whole: " + std::strerror(errno), "is the disk full?");
}

// A pipe, a terminal, and a file in a folder that takes no new ones.
void writeInPlace(const std::string &path, const std::string &text)
{
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file) refuseTarget(path);
    if (!fill(file, text)) sayCut(path);
}

// Writes a draft and renames it at the end: readers never see half a file, and a full disk leaves the old file whole.
void replaceFile(const std::string &path, const std::string &text)
{
    std::error_code error;
    fs::path target = fs::weakly_canonical(path, error); // a link stays one
    if (error) target = path;
    const std::string draft = target.string() + "." + std::to_string(getpid()) + ".new";
    std::FILE *file = std::fopen(draft.c_str(), "wbx");
    if (!file && fs::exists(target, error)) return writeInPlace(path, text);
    if (!file) refuseTarget(path);
    const fs::perms rights = fs::status(target, error).permissions();
    if (!error && rights != fs::perms::unknown) fs::permissions(draft, rights, error); // without them it is a file all the same
    if (fill(file, text)) {
        fs::rename(draft, target, error);
        if (!error) return;
        errno = error.value();
    }
    const int problem = errno;
    fs::remove(draft, error);
    errno = problem;
    sayCut(path);
}

} // namespace

void printOut(const char *pattern, ...)
{
    va_list values;
    va_start(values, pattern);
    printTo(stdout, pattern, values);
    va_end(values);
}

void printErr(const char *pattern, ...)
{
    va_list values;
    va_start(values, pattern);
    printTo(stderr, pattern, values);
    va_end(values);
}

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
    if (isStdout(path)) return printTo(stdout, text);
    checkOutput(path, input);
    std::error_code error;
    const bool isSpecial = fs::exists(path, error) && !fs::is_regular_file(path, error);
    if (isSpecial) writeInPlace(path, text);
    else replaceFile(path, text);
}

} // namespace app
