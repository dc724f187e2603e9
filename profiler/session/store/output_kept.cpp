#include "profiler/session/store/output_kept.h"

#include <algorithm>
#include <utility>

namespace profiler {
namespace {

// Not within a letter of UTF-8.
std::size_t borderBefore(const std::string &text, std::size_t at)
{
    while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
}

std::size_t borderAfter(const std::string &text, std::size_t at)
{
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    return at;
}

} // namespace

// Scripts print in pieces of few letters. What is kept of the end goes piece by piece, so these are small beside it.
bool OutputKept::isContinuedBy(const OutputText &piece, const OutputText &next) const
{
    constexpr std::size_t kEnough = 4096;
    return piece.stream == next.stream && piece.text.size() < std::min(kEnough, m_tailLimit / 16);
}

std::size_t OutputKept::add(OutputText text)
{
    const std::size_t before = m_leftOut;
    if (m_tail.empty() && m_headBytes < m_headLimit) {
        const std::size_t room = m_headLimit - m_headBytes;
        const std::size_t fits = text.text.size() <= room ? text.text.size() : borderBefore(text.text, room);
        if (fits > 0 && !m_new.empty() && isContinuedBy(m_new.back(), text)) m_new.back().text.append(text.text, 0, fits);
        else if (fits > 0) m_new.push_back({text.timeNs, text.stream, text.text.substr(0, fits)});
        m_headBytes += fits;
        text.text.erase(0, fits);
    }
    if (!text.text.empty()) addToTail(std::move(text));
    return m_leftOut - before;
}

void OutputKept::addToTail(OutputText text)
{
    if (text.text.size() > m_tailLimit) {
        const std::size_t cut = borderAfter(text.text, text.text.size() - m_tailLimit);
        m_leftOut += cut;
        text.text.erase(0, cut);
    }
    const std::size_t bytes = text.text.size();
    while (!m_tail.empty() && m_tailBytes + bytes > m_tailLimit) {
        m_leftOut += m_tail.front().bytes;
        m_tailBytes -= m_tail.front().bytes;
        if (m_tail.front().row > 0) m_removeUpTo = m_tail.front().row;
        m_tail.pop_front();
    }
    if (bytes == 0) return;
    m_tailBytes += bytes;
    if (!m_tail.empty() && m_tail.back().row == 0 && isContinuedBy(m_tail.back().text, text)) {
        m_tail.back().text.text += text.text;
        m_tail.back().bytes += bytes;
        return;
    }
    m_tail.push_back({bytes, 0, std::move(text)});
}

OutputKept::Change OutputKept::take()
{
    Change change;
    change.insert = std::exchange(m_new, {});
    m_rows += static_cast<std::int64_t>(change.insert.size());
    // The note has its place before anything can be left out behind it.
    if (!m_tail.empty() && m_note == 0) {
        change.insert.push_back({m_tail.front().text.timeNs, 2, {}});
        m_note = ++m_rows;
    }
    for (Piece &piece : m_tail) {
        if (piece.row > 0) continue;
        piece.row = ++m_rows;
        change.insert.push_back(std::exchange(piece.text, {}));
    }
    change.removeAfter = m_note;
    change.removeUpTo = std::exchange(m_removeUpTo, 0);
    if (m_leftOut != m_toldLeftOut) {
        change.note = m_note;
        change.noteText = "\n[croton: " + std::to_string(m_leftOut) + " bytes of output are left out here]\n";
        m_toldLeftOut = m_leftOut;
    }
    return change;
}

} // namespace profiler
