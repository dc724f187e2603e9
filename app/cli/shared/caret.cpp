#include "app/cli/shared/caret.h"

#include "profiler/session/codec/printable.h"

#include <algorithm>
#include <utility>

namespace app {

namespace {

constexpr std::size_t kBefore = 50, kShown = 110; // bytes of a long line
constexpr const char *kIndent = "    ";

bool isContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

// The byte where a character begins, at or behind `at`.
std::size_t characterFrom(const std::string &text, std::size_t at)
{
    while (at < text.size() && isContinuation(text[at])) ++at;
    return std::min(at, text.size());
}

std::string lineOf(const std::string &text, int number)
{
    std::size_t begin = 0;
    for (int line = 1; line < number; ++line) {
        const std::size_t end = text.find('\n', begin);
        if (end == std::string::npos) return {};
        begin = end + 1;
    }
    std::string line = text.substr(begin, text.find('\n', begin) - begin);
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

// Columns of a terminal: two for the wide characters of East Asia and pictures, none for accents that are added to the letter before.
int columnsOf(char32_t character)
{
    static constexpr std::pair<char32_t, char32_t> kNone[] = {
        {0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
    static constexpr std::pair<char32_t, char32_t> kTwo[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xAC00, 0xD7A3},
                                                             {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6},
                                                             {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    const auto isIn = [character](const auto &ranges) {
        return std::ranges::any_of(ranges,
                                   [character](const auto &range) { return character >= range.first && character <= range.second; });
    };
    return isIn(kNone) ? 0 : isIn(kTwo) ? 2 : 1;
}

// As wide as the printed text: tabs stay tabs, so that both lines jump alike.
std::string blanksFor(const std::string &printed)
{
    std::string blanks;
    for (std::size_t at = 0; at < printed.size();) {
        const std::size_t end = characterFrom(printed, at + 1);
        const auto first = static_cast<unsigned char>(printed[at]);
        char32_t character = end - at == 1 ? first : first & (0xFFu >> (end - at + 1));
        for (std::size_t i = at + 1; i < end; ++i) character = character << 6 | (static_cast<unsigned char>(printed[i]) & 0x3Fu);
        if (character == '\t') blanks += '\t';
        else blanks.append(static_cast<std::size_t>(columnsOf(character)), ' ');
        at = end;
    }
    return blanks;
}

} // namespace

std::string caretBelow(const std::string &text, int lineNumber, int column)
{
    const std::string line = lineOf(text, lineNumber);
    std::size_t place = 0;
    for (int at = 1; at < column && place < line.size(); ++at) place = characterFrom(line, place + 1);
    const std::size_t from = place > kBefore + 10 ? characterFrom(line, place - kBefore) : 0;
    const std::size_t end = line.size() - from > kShown ? characterFrom(line, from + kShown) : line.size();
    const std::string mark = from > 0 ? "…" : "";
    const std::string before = mark + profiler::printable(line.substr(from, place - from));
    const std::string rest = profiler::printable(line.substr(place, end - place)) + (end < line.size() ? "…" : "");
    return kIndent + before + rest + "\n" + kIndent + blanksFor(before) + "^\n";
}

} // namespace app
