// One registration per rewrite, beside its code: name, phase, tags, why, when it hurts, example.
#pragma once

#include "engine/graph/editor.h"

#include <functional>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

namespace engine {

/// In the order in which they run. nameOf() gives Theano's names.
enum class Phase : std::uint8_t { Merge, Useless, Canonicalize, Stabilize, Blas, Specialize, Device, Fusion, Inplace, FinalMerge, Schedule };
std::string_view nameOf(Phase phase);

/// replaced (with what was done) or declined (with the reason, and the node that caused it).
class RewriteResult {
public:
    static RewriteResult declined(std::string_view reason, ApplyId because = kNoApply);
    static RewriteResult replaced(std::string reason = {});
    bool isReplaced() const { return m_replaced; }
    std::string_view reason() const { return m_reason; }
    ApplyId because() const { return m_because; }

private:
    bool m_replaced = false;
    std::string m_reason;
    ApplyId m_because = kNoApply;
};
inline RewriteResult declined(std::string_view reason, ApplyId because = kNoApply) { return RewriteResult::declined(reason, because); }
inline RewriteResult replaced(std::string reason = {}) { return RewriteResult::replaced(std::move(reason)); }

using LocalRewrite = std::function<RewriteResult(const NodeHandle &node, Editor &edit)>;

struct RewriteInfo {
    std::string name;
    Phase phase = Phase::Canonicalize;
    double position = 0; ///< inside the phase
    std::vector<std::string> tags; ///< "fast_run", "fast_compile", "croton", "inplace" …
    std::string why;
    std::string whenItHurts;
    std::string exampleBefore, exampleAfter; ///< in the expression notation
    std::vector<Phase> alsoIn;               ///< further phases that run it (Theano registers many twice)
    std::vector<std::type_index> tracks;     ///< op classes; empty: every op
    LocalRewrite run;
};

} // namespace engine
