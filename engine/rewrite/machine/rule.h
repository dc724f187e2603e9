// A rewrite that is said in the expression notation: .turns("1 - erf(x)", "erfc(x)"). Its example is the rule.
#pragma once

#include "engine/graph/ir/editor.h"
#include "engine/scalar/scalar_op.h"

#include <atomic>
#include <bitset>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

namespace engine {

class RewriteResult;

/// What a REWRITE line says of a rule; nobody has read it yet. The README of this folder tells what the words mean.
struct RuleText {
    struct Turn {
        std::string before, after;
        std::vector<std::string> where;
        bool stays = false; ///< what looks like this is left alone; `after` tells why
    };
    std::vector<Turn> turns;        ///< tried in this order
    std::vector<std::string> where; ///< for all of them
    bool asWritten =
        false; ///< else -x is found as -1 * x, x - y as x + -y, sqr(x) as x * x and x ** 2, 1 / x as inv(x), and the other way round
    bool complexToo = false;
};

/// What the inputs of an apply are, and it is itself: a bit for each scalar function, and these.
struct Kinds : std::bitset<128> {
    enum : std::size_t { kTwins = 124, kMaybeNegative = 125, kMaybeConstant = 126, kOtherOp = 127 };
    std::size_t root = kOtherOp;
};
Kinds kindsOf(const NodeHandle &node);

class Rule {
public:
    Rule(std::string name, RuleText text);
    ~Rule();

    /// What it has to be asked about. Reads the texts when somebody asks first; InternalError where they say nothing.
    const std::vector<ScalarCode> &scalars() const;
    const std::vector<std::type_index> &ops() const;
    /// Why it does not match, where that can be told by a look at the inputs: most applies have none of what it looks for.
    std::optional<RewriteResult> declines(const NodeHandle &node, const Kinds &inputs) const;
    RewriteResult run(const NodeHandle &node, Editor &edit) const;

private:
    struct Content;
    const Content &content() const;

    std::string m_name;
    RuleText m_text;
    mutable std::atomic<const Content *> m_content = nullptr;
};

} // namespace engine
