#pragma once
// The files of the project: what git tracks or would track; without git, what lies in the folder.

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace house {

inline const std::filesystem::path &root()
{
    static const std::filesystem::path path = CROTON_SOURCE_DIR;
    return path;
}

/// What a command prints; empty when it fails.
inline std::string output(const std::string &command)
{
    std::string text;
    std::FILE *pipe = popen((command + " 2>/dev/null").c_str(), "r");
    if (!pipe) return text;
    std::array<char, 4096> buffer;
    for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
    return pclose(pipe) == 0 ? text : std::string();
}

/// Paths from the root, sorted, with '/'.
inline const std::vector<std::string> &files()
{
    static const std::vector<std::string> all = [] {
        std::vector<std::string> result;
        const std::string listed = output("git -C '" + root().string() + "' ls-files -co --exclude-standard -z");
        for (std::size_t begin = 0; begin < listed.size();) {
            const std::size_t end = listed.find('\0', begin);
            const std::string file = listed.substr(begin, end - begin);
            if (std::filesystem::is_regular_file(root() / file)) result.push_back(file);
            begin = end + 1;
        }
        if (result.empty()) {
            using Walk = std::filesystem::recursive_directory_iterator;
            for (Walk at(root()), end; at != end; ++at) {
                const std::string name = at->path().filename().string();
                const bool skipped = name == ".git" || name == "__pycache__" || (at.depth() == 0 && name.rfind("build", 0) == 0);
                if (at->is_directory() && skipped) at.disable_recursion_pending();
                else if (at->is_regular_file()) result.push_back(std::filesystem::relative(at->path(), root()).generic_string());
            }
        }
        std::sort(result.begin(), result.end());
        return result;
    }();
    return all;
}

inline std::string text(const std::string &file)
{
    std::ifstream in(root() / file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

inline std::vector<std::string> lines(const std::string &text)
{
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) result.push_back(line);
    return result;
}

inline bool startsWith(const std::string &text, const std::string &prefix) { return text.rfind(prefix, 0) == 0; }

inline std::string extension(const std::string &file) { return std::filesystem::path(file).extension().string(); }
inline std::string folder(const std::string &file) { return std::filesystem::path(file).parent_path().generic_string(); }

inline bool isCpp(const std::string &file)
{
    const std::string e = extension(file);
    return e == ".cpp" || e == ".h" || e == ".inc" || e == ".c";
}

/// Written by people: what has lines worth reading.
inline bool isSource(const std::string &file)
{
    const std::string e = extension(file);
    return isCpp(file) || e == ".py" || e == ".cmake" || e == ".txt" || e == ".md" || e == ".sh" || e == ".sql" || e == ".qss" ||
           e == ".in";
}

} // namespace house
