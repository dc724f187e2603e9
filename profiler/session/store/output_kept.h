#pragma once
// The beginning and the end of what a script prints, in bounded memory and a bounded part of the file.

#include "profiler/session/model/model.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace profiler {

// What `drops` calls the rest.
inline constexpr const char *kLeftOutOfOutput = "bytes of output";

class OutputKept {
public:
    // Half of the limit is for the beginning, the other half for the end.
    explicit OutputKept(std::size_t limit) : m_headLimit(limit / 2), m_tailLimit(limit - limit / 2) {}

    // Returns how many bytes have no place any more: of this text, or of earlier ones.
    std::size_t add(OutputText text);
    [[nodiscard]] bool hasNew() const { return !m_new.empty() || m_leftOut != m_toldLeftOut; }

    // What is to be done to the table, whose rows are numbered from 1 on.
    struct Change {
        std::vector<OutputText> insert; // behind the others
        std::int64_t removeAfter = 0;   // rows behind this one ...
        std::int64_t removeUpTo = 0;    // ... up to this one
        std::int64_t note = 0;          // the row that says what was left out: 0 = there is none
        std::string noteText;
    };
    Change take();

private:
    struct Piece {
        std::size_t bytes = 0;
        std::int64_t row = 0; // 0: not in the table yet
        OutputText text;      // empty once it is
    };
    void addToTail(OutputText text);
    bool isContinuedBy(const OutputText &piece, const OutputText &next) const;

    const std::size_t m_headLimit, m_tailLimit;
    std::size_t m_headBytes = 0, m_tailBytes = 0, m_leftOut = 0, m_toldLeftOut = 0;
    std::vector<OutputText> m_new; // of the beginning, not in the table yet
    std::deque<Piece> m_tail;
    std::int64_t m_rows = 0, m_note = 0, m_removeUpTo = 0;
};

} // namespace profiler
