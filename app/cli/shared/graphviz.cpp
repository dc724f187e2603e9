#include "app/cli/shared/graphviz.h"

#include "app/cli/shared/command.h"
#include "profiler/session/store/files.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

namespace app {

// The graph goes through a file, so that neither side can block the other on a full pipe.
std::string svgOfDot(const std::string &dot)
{
    const std::string file = profiler::uniquePath(profiler::temporaryFolder(), "croton-dot");
    std::FILE *out = std::fopen(file.c_str(), "wb");
    if (!out) throw CliError(file + " cannot be written", "set TMPDIR to a folder that can");
    const bool written = std::fwrite(dot.data(), 1, dot.size(), out) == dot.size();
    std::string svg;
    int status = -1;
    if (std::fclose(out) == 0 && written) {
        const std::string quoted = "'" + file + "'"; // the name is our own: TMPDIR, number, number
        std::FILE *in = file.find('\'') == std::string::npos
                            ? popen(("command -v dot >/dev/null || exit 127; exec dot -Tsvg " + quoted + " 2>/dev/null").c_str(), "re")
                            : nullptr;
        if (in) {
            std::array<char, 65536> block{};
            for (std::size_t got; (got = std::fread(block.data(), 1, block.size(), in)) > 0;) svg.append(block.data(), got);
            status = pclose(in);
        }
    }
    std::error_code ignored; // a file that stays in $TMPDIR harms nothing
    std::filesystem::remove(file, ignored);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        throw CliError("SVG needs the program dot", "install graphviz, or use --format dot");
    if (status != 0 || svg.empty()) throw CliError("dot could not draw the graph", "use --format dot and look at its text");
    return svg;
}

namespace {

// One process draws all of them: to start one takes longer than most pictures.
std::vector<std::string> drawnTogether(const std::vector<std::string> &dots)
{
    std::string all;
    for (const std::string &dot : dots) all += dot;
    const std::string drawn = svgOfDot(all);
    constexpr const char *kBegin = "<?xml";
    std::vector<std::string> pictures;
    std::size_t at = drawn.find(kBegin);
    for (const std::string &dot : dots) {
        std::string picture;
        if (!dot.empty() && at != std::string::npos) {
            const std::size_t next = drawn.find(kBegin, at + 1);
            picture = drawn.substr(at, next == std::string::npos ? next : next - at);
            at = next;
        }
        pictures.push_back(std::move(picture));
    }
    return pictures;
}

} // namespace

std::vector<std::string> svgsOfDots(const std::vector<std::string> &dots)
{
    if (std::all_of(dots.begin(), dots.end(), [](const std::string &dot) { return dot.empty(); }))
        return std::vector<std::string>(dots.size());
    try {
        return drawnTogether(dots);
    } catch (const CliError &) {
        // Graphviz 2.43 ends on some graphs if it has drawn another one before.
        std::vector<std::string> pictures;
        for (const std::string &dot : dots) pictures.push_back(dot.empty() ? std::string() : svgOfDot(dot));
        return pictures;
    }
}

} // namespace app
