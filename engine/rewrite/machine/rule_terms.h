// The two sides of a rule as they are matched and built.
#pragma once

#include "engine/rewrite/machine/rule.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace engine {

struct Term {
    enum class Kind : std::uint8_t { Variable, Number, Scalar, Sum, Op };

    Kind kind = Kind::Variable;
    bool takesRest = false; ///< a variable for all operands that are left of a sum or product
    bool isFloat = false;   ///< in the example
    bool isBool = false;
    bool anyOrder = false; ///< of its operands
    ScalarCode code = ScalarCode::Identity;
    std::uint8_t slot = 0; ///< where its value is kept; of the left side only, and of variables
    double number = 0;
    OpRef op;
    std::uint8_t output = 0;            ///< of the op
    std::vector<const Term *> operands; ///< where their order makes no difference, what tells most comes first
    std::vector<std::uint8_t> places;   ///< of the operands as they are written
    std::vector<bool> minus;            ///< of a Sum
    std::string text;
    std::string missing, noConstant; ///< what is said where it does not match
};

/// A condition in words.
struct Guard {
    std::uint8_t subject = 0, other = 0;
    std::function<bool(VarHandle subject, VarHandle other)> holds;
    std::string missing;
    std::vector<std::string> missingOf; ///< by dtype of the subject, where that tells
};

struct Turn {
    static constexpr std::size_t kSlots = 24;
    static constexpr std::uint8_t kResult = 0;

    const Term *before = nullptr, *after = nullptr; ///< no `after`: what looks like this stays
    std::vector<ScalarCode> roots;                  ///< functions that `before` may begin with; none: an op
    Kinds begins;                                   ///< the same
    /// Of the operands of `before`: one bit of each has to be there. Most applies are told apart by this.
    std::vector<std::pair<Kinds, const Term *>> needs;
    std::vector<Guard> guards;
    std::vector<std::unique_ptr<Term>> terms; ///< of both sides
    std::vector<std::uint8_t> leaves;         ///< slots of what `before` reads: its shape is theirs
    std::string said;                         ///< of the step, or why it stays

    /// The operand that `inputs` have not; null where it may be there.
    const Term *missing(const Kinds &inputs) const
    {
        for (const auto &[kinds, operand] : needs)
            if ((kinds & inputs).none()) return operand;
        return nullptr;
    }
};

/// Throws NotationError, or InternalError for words that mean nothing.
Turn readTurn(const RuleText &rule, const RuleText::Turn &text);

/// A name of the left side, or "the result".
using SlotOf = std::function<std::uint8_t(const std::string &name)>;
/// "x is float", "q has no other client" …
Guard readGuard(const std::string &words, const SlotOf &slotOf);

} // namespace engine
