// One registration per rewrite, beside its code: name, phase, tags, why, when it hurts, example.
#pragma once

#include "engine/graph/ir/editor.h"
#include "engine/rewrite/machine/rule.h"
#include "engine/scalar/scalar_op.h"

#include <functional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

namespace engine {

/// In the order in which they run. nameOf() gives Theano's names.
enum class Phase : std::uint8_t {
    // clang-format off
    Inline, Merge, Useless, Canonicalize, Stabilize, Blas, Specialize, Uncanonicalize, Device, Fusion, Inplace,
    FinalMerge, Schedule,
    // clang-format on
};
std::string_view nameOf(Phase phase);

/// replaced (with what was done) or declined (with the reason, and the node that caused it).
class RewriteResult {
public:
    /// `reason` must outlive the report: a literal. Reasons are counted, so put no numbers into them.
    static RewriteResult declined(std::string_view reason, ApplyId because = kNoApply)
    {
        RewriteResult result;
        result.m_literal = reason;
        result.m_because = because;
        return result;
    }
    static RewriteResult replaced(std::string reason = {})
    {
        RewriteResult result;
        result.m_replaced = true;
        result.m_text = std::move(reason);
        return result;
    }
    bool isReplaced() const { return m_replaced; }
    std::string_view reason() const { return m_replaced ? std::string_view(m_text) : m_literal; }
    ApplyId because() const { return m_because; }

private:
    bool m_replaced = false;
    std::string_view m_literal;
    std::string m_text;
    ApplyId m_because = kNoApply;
};
inline RewriteResult declined(std::string_view reason, ApplyId because = kNoApply) { return RewriteResult::declined(reason, because); }
inline RewriteResult replaced(std::string reason = {}) { return RewriteResult::replaced(std::move(reason)); }

class WholeRun;
/// Looks at one apply. What it built before declining is undone.
using LocalRewrite = std::function<RewriteResult(const NodeHandle &node, Editor &edit)>;
/// Works on the whole graph; makes its steps through the run.
using WholeRewrite = std::function<void(WholeRun &run)>;

struct RewriteExample {
    std::string before, after; ///< in the expression notation; `after` empty: not rewritten (a near miss)
};

/// How values may differ after a rewrite beyond rounding, on purpose; bits that can be combined. The examples' test holds
/// each rewrite to what it declares.
enum class ValueChange : std::uint8_t {
    None = 0,
    DropsNan = 1, ///< nan (inf - inf, 0 · inf …) may become a number, as in Theano; numbers stay
    Improves = 2, ///< what overflowed, cancelled or tied becomes right; what was a number never becomes nan
    Infinite = 4, ///< infinite inputs may give something else, as in Theano
    KeepsNan = 8, ///< nan inputs may give nan where they gave a number (nan ** 0, 1 ** nan)
};
inline ValueChange operator|(ValueChange a, ValueChange b) { return static_cast<ValueChange>(static_cast<int>(a) | static_cast<int>(b)); }
inline bool has(ValueChange all, ValueChange one) { return (static_cast<int>(all) & static_cast<int>(one)) != 0; }

struct RewriteInfo {
    std::string name;
    Phase phase = Phase::Canonicalize;
    double position = 0;           ///< inside the pass
    std::string pass;              ///< the pass of its own phase that runs it
    std::vector<std::string> tags; ///< "fast_run", "fast_compile", "merge", "croton", "inplace" …
    std::string why;
    std::string whenItHurts; ///< says of a value change, too
    ValueChange valueChange = ValueChange::None;
    std::vector<RewriteExample> examples; ///< the first one is shown
    std::vector<std::string> with;        ///< rewrites that prepare what the examples show
    std::vector<Phase> alsoIn;            ///< further phases whose first pass runs it (Theano registers many twice)
    std::vector<std::type_index> tracks;  ///< op classes
    std::vector<ScalarCode> scalars;      ///< Elemwise with these functions
    bool tracksAll = false;
    std::string waitsFor;             ///< a rewrite after which it starts, if that one runs at all
    std::shared_ptr<const Rule> rule; ///< tells what it tracks where it is said in the notation
    LocalRewrite run;                 ///< one of the three
    WholeRewrite whole;
    bool movesViews = false; ///< brings together what other rewrites look for: the driver asks those
    std::string file;        ///< where it stands, from the root of the sources on
    int line = 0;

    bool hasTag(std::string_view tag) const;
};

/// All rewrites in the order (phase, position, name), whatever the linker did.
std::span<const RewriteInfo *const> allRewrites();
/// Null if there is none of that name.
const RewriteInfo *findRewrite(std::string_view name);

/// A place in the sequence of a compile.
struct PassInfo {
    std::string_view name;
    Phase phase;
    double position;      ///< Theano's
    std::string_view tag; ///< a further tag that excludes the whole pass; may be empty
};
std::span<const PassInfo> allPasses();
/// The first pass of a phase: where a rewrite runs that names none.
const PassInfo &defaultPass(Phase phase);

/// Collects what a REWRITE(…) line says.
class RewriteBuilder {
public:
    RewriteBuilder(std::string name, Phase phase, std::source_location where = std::source_location::current());

    // clang-format off
    RewriteBuilder &&why(std::string text) && { m_info.why = std::move(text); return std::move(*this); }
    RewriteBuilder &&hurts(std::string text) && { m_info.whenItHurts = std::move(text); return std::move(*this); }
    /// Behind hurts(): where nan becomes a number.
    RewriteBuilder &&dropsNan(const std::string &where) && { return std::move(*this).changes(ValueChange::DropsNan, "nan may become a number: " + where); }
    /// Behind hurts(): where what overflowed, cancelled or tied becomes right.
    RewriteBuilder &&improves(const std::string &where) && { return std::move(*this).changes(ValueChange::Improves, "values change for the better: " + where); }
    /// Behind hurts(): what becomes of infinite inputs.
    RewriteBuilder &&infinite(const std::string &what) && { return std::move(*this).changes(ValueChange::Infinite, "infinite inputs: " + what); }
    /// Behind hurts(): what becomes of inputs that are nan.
    RewriteBuilder &&keepsNan(const std::string &what) && { return std::move(*this).changes(ValueChange::KeepsNan, "inputs that are nan: " + what); }
    RewriteBuilder &&example(std::string before, std::string after) &&
    {
        m_info.examples.push_back({std::move(before), std::move(after)});
        return std::move(*this);
    }
    RewriteBuilder &&nearMiss(std::string text) &&
    {
        m_info.examples.push_back({std::move(text), {}});
        return std::move(*this);
    }
    /// The example is the rule, for what it says of its conditions; may be repeated.
    RewriteBuilder &&turns(std::string before, std::string after, std::vector<std::string> where = {}) &&;
    /// The same for what examples show in part only: "c is a number" holds for none of its variables.
    RewriteBuilder &&generally(std::string before, std::string after, std::vector<std::string> where) &&;
    /// What the turns behind it would find, but shall not.
    RewriteBuilder &&stays(std::string text, std::string reason) &&;
    /// A condition of all turns of the rule, in words.
    RewriteBuilder &&where(std::string words) && { m_rule.where.push_back(std::move(words)); return std::move(*this); }
    /// A rule about arithmetic itself: -1 * x is no -x to it.
    RewriteBuilder &&asWritten() && { m_rule.asWritten = true; return std::move(*this); }
    RewriteBuilder &&complexToo() && { m_rule.complexToo = true; return std::move(*this); }
    RewriteBuilder &&with(std::vector<std::string> names) && { m_info.with = std::move(names); return std::move(*this); }
    RewriteBuilder &&also(std::vector<Phase> phases) && { m_info.alsoIn = std::move(phases); return std::move(*this); }
    RewriteBuilder &&pass(std::string name) && { m_info.pass = std::move(name); return std::move(*this); }
    RewriteBuilder &&at(double position) && { m_info.position = position; return std::move(*this); }
    RewriteBuilder &&tag(std::string name) && { m_info.tags.push_back(std::move(name)); return std::move(*this); }
    RewriteBuilder &&waitsFor(std::string name) && { m_info.waitsFor = std::move(name); return std::move(*this); }
    // clang-format on
    /// Runs in FAST_COMPILE too.
    RewriteBuilder &&fastCompile() && { return std::move(*this).tag("fast_compile"); }
    /// Only when it is asked for by name or tag.
    RewriteBuilder &&off() &&;
    template <class... Ops>
    requires(sizeof...(Ops) > 0) RewriteBuilder && match(LocalRewrite run) && {
        (m_info.tracks.push_back(typeid(Ops)), ...);
        m_info.run = std::move(run);
        return std::move(*this);
    }
    template <ScalarCode... Codes>
    requires(sizeof...(Codes) > 0) RewriteBuilder && match(LocalRewrite run) && {
        m_info.scalars = {Codes...};
        m_info.run = std::move(run);
        return std::move(*this);
    }
    RewriteBuilder &&matchAll(LocalRewrite run) &&
    {
        m_info.tracksAll = true;
        m_info.run = std::move(run);
        return std::move(*this);
    }
    RewriteBuilder &&movesViews() &&
    {
        m_info.movesViews = true;
        return std::move(*this);
    }
    RewriteBuilder &&whole(WholeRewrite run) &&
    {
        m_info.whole = std::move(run);
        return std::move(*this);
    }

private:
    RewriteBuilder &&changes(ValueChange change, const std::string &text) &&
    {
        m_info.valueChange = m_info.valueChange | change;
        m_info.whenItHurts += (m_info.whenItHurts.empty() ? "" : "; ") + text;
        return std::move(*this);
    }
    friend struct RewriteRegistration;
    RewriteInfo m_info;
    RuleText m_rule;
};

struct RewriteRegistration {
    RewriteRegistration(RewriteBuilder &&builder); // not explicit: the end of a REWRITE line
};

#define REWRITE(NAME, PHASE)                                                                                                               \
    [[maybe_unused]] static const ::engine::RewriteRegistration registration_##NAME = ::engine::RewriteBuilder(#NAME, PHASE)

} // namespace engine
