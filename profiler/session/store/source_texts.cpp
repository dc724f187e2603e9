#include "profiler/session/store/source_texts.h"

#include <sstream>

namespace profiler {

SourceTexts::SourceTexts(const std::vector<SourceFile> &files)
{
    for (const SourceFile &file : files) {
        std::vector<std::string> &lines = m_lines[file.file];
        std::istringstream in(file.text);
        for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
    }
}

std::string SourceTexts::of(const SourceLine &line) const
{
    const auto file = m_lines.find(line.file);
    if (file == m_lines.end() || line.line < 1 || static_cast<std::size_t>(line.line) > file->second.size()) return {};
    const std::string &text = file->second[static_cast<std::size_t>(line.line) - 1];
    const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

} // namespace profiler
