// The last answer of every rewrite about every apply: noted while rewriting, put together when somebody asks.
#pragma once

#include "engine/graph/ir/arena.h"
#include "engine/graph/ir/ids.h"
#include "engine/tensor/big_memory.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace engine {

struct RewriteInfo;
class FunctionGraph;

/// The last answer of a rewrite that tracks the op of an apply which is in the final graph.
struct WhyNot {
    ApplyId apply = kNoApply;
    const RewriteInfo *info = nullptr;
    std::string_view pass;
    std::string_view reason;
    ApplyId because = kNoApply;
    ApplyId about = kNoApply; ///< `apply` itself, or the apply that was fused into it
};

/// One for each graph that is rewritten. Big graphs get tens of answers a node: a note takes 4 bytes, and nothing is
/// copied at the end.
class WhyNotBook {
public:
    /// What one rewrite said about one apply in one pass: which answer, and how far away the apply is that caused it.
    using Note = std::uint32_t;

    void beginPass(std::string_view name) { m_passes.push_back({name, {}}); }
    /// The notes of the current pass about `apply`, one for each of `count` rewrites.
    Note *notes(ApplyId apply, std::size_t count, std::size_t applyCount);
    void write(Note &note, ApplyId about, std::uint16_t answer, ApplyId because);
    /// What a rewrite of the whole graph said: it looks at few applies.
    void say(ApplyId about, std::uint16_t answer, ApplyId because) { m_said.push_back({about, answer, because}); }
    /// `made` is the same as `old`, but works in place.
    void inPlace(ApplyId old, ApplyId made) { m_forms.emplace_back(made, old); }
    /// The number of a reason of a rewrite; 0 where there are too many, and notes of it say nothing.
    std::uint16_t answer(std::size_t rewrite, std::string_view reason);
    /// Keeps what answers need of the final graph.
    void close(const FunctionGraph &graph);

    /// The applies of the final graph in the order of their ids.
    const std::vector<ApplyId> &applies() const { return m_applies; }
    /// By rewrite, those about `apply` itself first; then those about what was fused into it.
    std::vector<WhyNot> about(ApplyId apply) const;

private:
    static constexpr std::uint32_t kBlock = Blocks::kBytes / sizeof(Note);
    // A note: 12 bits of the answer, 0 where it did not decline, and 20 bits of the distance.
    static constexpr std::uint32_t kAnswers = 1u << 12, kMiddle = 1u << 19, kNoCause = 0, kFarAway = 1;

    struct Answer {
        std::uint16_t rewrite;
        std::string_view reason;
    };
    struct Said {
        ApplyId about;
        std::uint16_t answer;
        ApplyId because;
    };
    struct Pass {
        std::string_view name;
        BigVector<std::uint32_t> places; ///< by apply: of the number of its notes, which follow; 0: none
    };
    Note *at(std::uint32_t place) const { return &m_blocks[place / kBlock][place % kBlock]; }

    std::vector<Pass> m_passes;
    Blocks m_memory;
    std::vector<Note *> m_blocks; ///< the notes of one apply lie in one block
    std::uint32_t m_used = 1;
    std::vector<Answer> m_answers{{0, ""}};
    std::unordered_map<const Note *, ApplyId> m_farAway; ///< causes whose distance fits no note
    BigVector<Said> m_said;                              ///< by apply once it is closed, then in the order of saying
    BigVector<std::pair<ApplyId, ApplyId>> m_forms;      ///< that work in place, and what they were before
    std::vector<ApplyId> m_applies;
    std::unordered_map<std::uint32_t, std::vector<ApplyId>> m_members; ///< of kernels, with repetitions
};

} // namespace engine
