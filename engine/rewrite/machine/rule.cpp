#include "engine/rewrite/machine/rule.h"

#include "engine/rewrite/machine/build.h"
#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/machine/rule_ops.h"
#include "engine/rewrite/machine/rule_terms.h"
#include "engine/rewrite/stabilize/logistic.h"
#include "engine/tensor/errors.h"
#include "engine/text/notation.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

/// The reason that is told: of all that did not match, what lay deepest.
struct Decline {
    std::string_view reason;
    ApplyId because = kNoApply;
    int depth = -1;

    bool note(std::string_view why, ApplyId who, int at)
    {
        if (at > depth) *this = {why, who, at};
        return false;
    }
};

/// Equal numbers are equal wherever they stand.
bool isSame(const FunctionGraph &graph, VarId a, VarId b)
{
    if (a == b) return true;
    const VarHandle x(graph, a), y(graph, b);
    if (!x.isConstant() || !y.isConstant() || !(x.type() == y.type())) return false;
    const auto value = x.uniformConstant();
    return value && value == y.uniformConstant();
}

/// A number that was rounded to float32 is still that number.
bool isNumber(VarHandle v, double value, double number)
{
    return value == number || (v.dtype() == DType::Float32 && value == static_cast<double>(static_cast<float>(number)));
}

/// Of the inputs of an op.
constexpr std::size_t kEvery = ~std::size_t{0};

class Match {
public:
    Match(const Turn &turn, bool asWritten, const NodeHandle &root, Decline &decline)
        : m_turn(turn), m_asWritten(asWritten), m_graph(root.graph()), m_root(root), m_decline(decline)
    {
        m_bound.fill(kNoVar);
    }

    bool run()
    {
        m_bound[m_turn.before->slot] = m_root.output().id();
        return open(*m_turn.before, m_root, nullptr) || m_decline.note(m_turn.before->missing, m_root.id(), 0);
    }

    VarHandle bound(std::uint8_t slot) const { return {m_graph, m_bound[slot]}; }
    /// All that was read; the 1 of a reciprocal may be nowhere.
    std::vector<VarHandle> leaves() const
    {
        std::vector<VarHandle> all = m_rest;
        for (const std::uint8_t slot : m_turn.leaves)
            if (m_bound[slot] != kNoVar) all.push_back(bound(slot));
        return all;
    }
    /// Of the variable that takes the rest; empty where one did.
    const std::vector<VarHandle> &rest() const { return m_rest; }
    ScalarCode restOf() const { return m_restOf; }
    /// An op of the right side, over the axes or at the place that the left side was found with.
    VarHandle made(Editor &edit, const Term &term, std::vector<VarHandle> operands) const
    {
        if (m_place == kNoApply) return edit.apply(term.op, operands).output(term.output);
        const NodeHandle found(m_graph, m_place);
        const OpRef op = placedAs(term.op, found.op());
        if (spokenInputs(*op, kEvery) != kEvery)
            for (std::size_t i = spokenInputs(*found.op(), kEvery); i < found.inputCount(); ++i) operands.push_back(found.input(i));
        return edit.apply(op, operands).output(term.output);
    }
    void touch() const
    {
        for (int i = 0; i < m_opened; ++i) VarHandle(m_graph, m_path[i]).owner();
    }

private:
    /// One after the other; the last one done, everything fits. With `node`: the operands of `term` from `at` on have to find their places
    /// among its inputs.
    struct Goal {
        const Term *term = nullptr;
        VarHandle value;
        const Goal *next = nullptr;
        const NodeHandle *node = nullptr;
        std::size_t at = 0;
        std::uint64_t used = 0;
    };

    bool solve(const Goal *goal)
    {
        if (!goal) return guardsHold();
        if (goal->node) return place(*goal);
        const Term &term = *goal->term;
        const VarHandle v = goal->value;
        VarId &bound = m_bound[term.slot];
        if (bound != kNoVar) return isSame(m_graph, bound, v.id()) ? solve(goal->next) : miss(term, v);
        switch (term.kind) {
        case Term::Kind::Number: {
            const auto value = constantValue(v);
            const bool fits = value ? isNumber(v, *value, term.number) : !m_asWritten && term.number == 1 && isUnit(v);
            if (!fits) return m_decline.note(value ? term.missing : term.noConstant, ownerOf(v), m_opened);
            [[fallthrough]];
        }
        case Term::Kind::Variable:
            bound = v.id();
            if (solve(goal->next)) return true;
            bound = kNoVar;
            return false;
        default: break;
        }
        // x and -x are opposite whichever of them is written with a sign.
        if (term.kind == Term::Kind::Scalar && term.code == ScalarCode::Neg && !m_asWritten &&
            term.operands[0]->kind == Term::Kind::Variable && m_bound[term.operands[0]->slot] != kNoVar)
            if (const auto opposite = negationOf(VarHandle(m_graph, m_bound[term.operands[0]->slot])); opposite && *opposite == v)
                return solve(goal->next);
        const ApplyId owner = ownerOf(v);
        if (owner == kNoApply || m_opened == static_cast<int>(m_path.size())) return miss(term, v);
        const NodeHandle node(m_graph, owner);
        const int opened = m_opened;
        bound = m_path[m_opened++] = v.id();
        if (open(term, node, goal->next)) return true;
        bound = kNoVar;
        m_opened = opened;
        return miss(term, v);
    }

    bool miss(const Term &term, VarHandle v) { return m_decline.note(term.missing, ownerOf(v), m_opened); }

    /// Is `node` this term, in one of its spellings?
    bool open(const Term &term, const NodeHandle &node, const Goal *next)
    {
        if (term.kind == Term::Kind::Op) {
            if (!standsFor(*node.op(), *term.op)) return false;
            if (hasPlace(*term.op)) m_place = node.id();
            return operands(term, node, next);
        }
        const Elemwise *op = elemwiseOf(node);
        if (!op) return false;
        const ScalarCode code = op->scalar()->code();
        if (term.kind == Term::Kind::Sum) return (code == ScalarCode::Add || code == ScalarCode::Sub) && operands(term, node, next);
        // The negative of an unsigned integer wraps around: it is no sign.
        if (term.code == ScalarCode::Neg && &term != m_turn.before && isUnsignedInteger(node.output().dtype())) return false;
        if (code == term.code) return operands(term, node, next);
        if (m_asWritten) return false;
        std::optional<VarHandle> inner;
        switch (term.code) {
        case ScalarCode::Neg: inner = negationOf(node.output()); break;
        case ScalarCode::Sqr: inner = squareRootOf(node.output()); break;
        case ScalarCode::Inv:
            if (code == ScalarCode::TrueDiv && isConstantOf(node.input(0), 1)) inner = node.input(1);
            break;
        case ScalarCode::TrueDiv:
            if (code == ScalarCode::Inv && term.operands[0]->kind == Term::Kind::Number && term.operands[0]->number == 1) {
                const Goal below{term.operands[1], node.input(0), next};
                return solve(&below);
            }
            break;
        default: break;
        }
        if (!inner) return false;
        const Goal below{term.operands[0], *inner, next};
        return solve(&below);
    }

    bool operands(const Term &term, const NodeHandle &node, const Goal *next)
    {
        const std::size_t count = term.kind == Term::Kind::Op ? spokenInputs(*term.op, node.inputCount()) : node.inputCount();
        const bool takesRest = term.operands.back()->takesRest;
        if (takesRest ? count < term.operands.size() || count > 64 : count != term.operands.size())
            return m_decline.note("it has another number of operands", node.id(), m_opened);
        if (term.anyOrder) {
            const Goal first{&term, node.output(), next, &node};
            return place(first);
        }
        std::array<Goal, 4> goals;
        if (count > goals.size()) return false;
        for (std::size_t i = count; i-- > 0; next = &goals[i]) goals[i] = {term.operands[i], node.input(i), next};
        return solve(next);
    }

    bool place(const Goal &goal)
    {
        const Term &term = *goal.term;
        const NodeHandle &node = *goal.node;
        if (goal.at == term.operands.size()) return solve(goal.next);
        const Term &operand = *term.operands[goal.at];
        const std::size_t count = node.inputCount();
        const bool isSum = term.kind == Term::Kind::Sum;
        const bool isSub = isSum && elemwiseOf(node)->is(ScalarCode::Sub), isMinus = isSum && term.minus[goal.at];
        if (operand.takesRest && !isSub && !isMinus && count > term.operands.size()) {
            m_rest.clear();
            for (std::size_t i = 0; i < count; ++i)
                if (!(goal.used >> i & 1)) m_rest.push_back(node.input(i));
            m_restOf = elemwiseOf(node)->scalar()->code();
            m_bound[operand.slot] = m_rest[0].id();
            if (solve(goal.next)) return true;
            m_bound[operand.slot] = kNoVar;
            m_rest.clear();
            return false;
        }
        // First where it is written.
        for (std::size_t turn = 0; turn < count; ++turn) {
            const std::size_t i = (term.places[goal.at] + turn) % count;
            if (goal.used >> i & 1) continue;
            VarHandle v = node.input(i);
            const Goal then{&term, goal.value, goal.next, &node, goal.at + 1, goal.used | std::uint64_t{1} << i};
            if (isMinus == (isSub && i == 1)) {
                const Goal one{&operand, v, &then};
                if (solve(&one)) return true;
            } else if (operand.kind == Term::Kind::Number) {
                if (!isConstantOf(v, -operand.number)) continue;
                m_bound[operand.slot] = v.id();
                if (solve(&then)) return true;
                m_bound[operand.slot] = kNoVar;
            } else if (const auto inner = negationOf(v); inner && m_opened < static_cast<int>(m_path.size())) {
                m_path[m_opened++] = v.id();
                const Goal one{&operand, *inner, &then};
                if (solve(&one)) return true;
                --m_opened;
            }
        }
        if (m_decline.depth <= m_opened) m_decline = {operand.missing, node.id(), m_opened};
        return false;
    }

    bool guardsHold()
    {
        for (const Guard &guard : m_turn.guards) {
            const VarHandle v = bound(guard.subject);
            if (guard.holds(v, bound(guard.other))) continue;
            const std::string &why = guard.missingOf.empty() ? guard.missing : guard.missingOf[static_cast<std::size_t>(v.dtype())];
            return m_decline.note(why, ownerOf(v), 1000);
        }
        return true;
    }

    const Turn &m_turn;
    const bool m_asWritten;
    const FunctionGraph &m_graph;
    const NodeHandle &m_root;
    Decline &m_decline;
    std::array<VarId, Turn::kSlots> m_bound;
    std::array<VarId, Turn::kSlots> m_path; ///< what was opened
    int m_opened = 0;
    std::vector<VarHandle> m_rest;
    ScalarCode m_restOf = ScalarCode::Add;
    ApplyId m_place = kNoApply; ///< what said which part of an array is meant
};

/// The right side of a rule, for what its left side was found to be.
class Building {
public:
    Building(const Turn &turn, bool asWritten, const Match &match, VarHandle out, Editor &edit)
        : m_turn(turn), m_asWritten(asWritten), m_match(match), m_out(out), m_edit(edit)
    {}

    VarHandle run()
    {
        // fill(x, 0) says no more than that the shape stays, as it always does.
        const Term *term = m_turn.after;
        if (term->kind == Term::Kind::Scalar && term->code == ScalarCode::Second && term->operands[0]->kind == Term::Kind::Variable)
            term = term->operands[1];
        VarHandle after = build(*term);
        if (term->kind == Term::Kind::Variable) after = computed(after);
        return m_turn.roots.empty() ? after : shaped(padLeft(m_edit, after, m_out.rank()));
    }

private:
    VarHandle build(const Term &term)
    {
        if (term.kind == Term::Kind::Variable)
            return term.takesRest && !m_match.rest().empty() ? joined(m_match.restOf(), m_match.rest()) : m_match.bound(term.slot);
        if (term.kind == Term::Kind::Number) return constantLike(m_edit, m_out, term.number);
        std::vector<VarHandle> operands;
        std::vector<std::pair<std::size_t, double>> numbers;
        std::vector<bool> computes; // may be cast to the dtype of the result
        std::optional<VarHandle> sibling;
        for (const Term *operand : term.operands) {
            if (operand->kind == Term::Kind::Number) {
                numbers.emplace_back(operands.size(), operand->number);
                operands.push_back(m_out);
            } else if (operand->takesRest && !m_match.rest().empty() && term.code == m_match.restOf()) {
                operands.insert(operands.end(), m_match.rest().begin(), m_match.rest().end());
            } else {
                operands.push_back(build(*operand));
            }
            if (!sibling && operand->kind != Term::Kind::Number) sibling = operands.back();
            const bool isLoose = operands.size() == 1 && (term.code == ScalarCode::Switch || term.code == ScalarCode::Second);
            computes.resize(operands.size(), operand->isFloat && !isLoose);
        }
        // What is compared is a number of the kind that it is compared with.
        const VarHandle like = term.isBool && sibling ? *sibling : m_out;
        for (const auto &[i, number] : numbers)
            operands[i] = constantLike(m_edit, like.dtype(), sibling ? sibling->rank() : m_out.rank(), number);
        if (term.kind == Term::Kind::Op) return m_match.made(m_edit, term, std::move(operands));
        const ScalarOpPtr function = scalarOp(term.code);
        if (term.isFloat && isFloat(m_out.dtype())) {
            if (resultType(function, operands) != m_out.dtype())
                for (std::size_t i = 0; i < operands.size(); ++i)
                    if (computes[i]) operands[i] = castTo(m_edit, operands[i], m_out.dtype());
        }
        if (term.code == ScalarCode::Neg) {
            if (const auto value = operands[0].uniformConstant()) return constantLike(m_edit, operands[0], -*value);
            if (!m_asWritten && isFloatType(operands[0])) return negated(m_edit, operands[0]);
        }
        return elementwise(m_edit, function, operands);
    }

    /// Nothing where the function refuses them as they are.
    static std::optional<DType> resultType(ScalarOpPtr function, const std::vector<VarHandle> &operands)
    {
        std::vector<DType> dtypes;
        for (const VarHandle &v : operands) dtypes.push_back(v.dtype());
        if (std::find(dtypes.begin(), dtypes.end(), DType::Bool) != dtypes.end()) return std::nullopt;
        return function->resultType(dtypes);
    }

    VarHandle computed(VarHandle v)
    {
        const DType dtype = m_out.dtype();
        return canCastSafely(v.dtype(), dtype) || (isFloat(dtype) && isDiscrete(v.dtype())) ? castTo(m_edit, v, dtype) : v;
    }

    /// Narrow integers would overflow among themselves.
    VarHandle joined(ScalarCode code, std::vector<VarHandle> operands)
    {
        const auto isWide = [&](VarHandle v) { return v.dtype() == m_out.dtype(); };
        if (std::none_of(operands.begin(), operands.end(), isWide)) operands[0] = castTo(m_edit, operands[0], m_out.dtype());
        return elementwise(m_edit, scalarOp(code), operands);
    }

    /// In the shape of everything that the left side read, whether or not the right side does.
    VarHandle shaped(VarHandle after)
    {
        const auto covers = [&] {
            for (int axis = 0; axis < m_out.rank(); ++axis)
                if (after.type().isBroadcastable(axis) && !m_out.type().isBroadcastable(axis)) return false;
            return true;
        };
        if (covers()) return after;
        for (const VarHandle &like : m_match.leaves())
            if (like.rank() == m_out.rank() && !covers()) after = fillLike(m_edit, like, after);
        return after;
    }

    const Turn &m_turn;
    const bool m_asWritten;
    const Match &m_match;
    const VarHandle m_out;
    Editor &m_edit;
};

} // namespace

struct Rule::Content {
    std::vector<Turn> turns;
    std::vector<ScalarCode> scalars;
    std::vector<std::type_index> ops;
};

Rule::Rule(std::string name, RuleText text) : m_name(std::move(name)), m_text(std::move(text)) {}
Rule::~Rule() { delete m_content.load(); }

const Rule::Content &Rule::content() const
{
    if (const Content *known = m_content.load(std::memory_order_acquire)) return *known;
    auto made = std::make_unique<Content>();
    for (const RuleText::Turn &text : m_text.turns) {
        try {
            made->turns.push_back(readTurn(m_text, text));
        } catch (const NotationError &error) {
            throw InternalError("the rule " + m_name + " (" + text.before + "): " + error.what());
        } catch (const UserError &error) {
            throw InternalError("the rule " + m_name + " (" + text.before + "): " + error.what());
        } catch (const InternalError &error) {
            throw InternalError("the rule " + m_name + " (" + text.before + "): " + error.what());
        }
        const Turn &turn = made->turns.back();
        for (const ScalarCode code : turn.roots)
            if (std::find(made->scalars.begin(), made->scalars.end(), code) == made->scalars.end()) made->scalars.push_back(code);
        if (turn.roots.empty()) made->ops.push_back(turn.before->op->dynamicType());
    }
    // Two threads may have read it; both read the same.
    const Content *none = nullptr;
    return m_content.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel) ? *made.release() : *none;
}

const std::vector<ScalarCode> &Rule::scalars() const { return content().scalars; }
const std::vector<std::type_index> &Rule::ops() const { return content().ops; }

std::optional<RewriteResult> Rule::declines(const NodeHandle &node, const Kinds &inputs) const
{
    const Term *missing = nullptr;
    for (const Turn &turn : content().turns) {
        if (!turn.begins.test(inputs.root)) continue;
        missing = turn.missing(inputs);
        if (!missing) return std::nullopt;
    }
    if (!missing) return std::nullopt;
    return declined(missing->missing, node.inputCount() == 1 ? ownerOf(node.input(0)) : node.id());
}

RewriteResult Rule::run(const NodeHandle &node, Editor &edit) const
{
    const Elemwise *function = node.opAs<Elemwise>();
    if (function && !function->inplace().empty()) return declined("it works in place already");
    const Kinds inputs = kindsOf(node);
    Decline decline{"it is another function"};
    for (const Turn &turn : content().turns) {
        if (!turn.begins.test(inputs.root)) continue;
        if (const Term *missing = turn.missing(inputs)) {
            decline.note(missing->missing, node.id(), 0);
            continue;
        }
        Match match(turn, m_text.asWritten, node, decline);
        if (!match.run()) continue;
        if (!turn.after) return declined(turn.said, node.id());
        if (!m_text.complexToo)
            for (const VarHandle &v : match.leaves())
                if (v.type().isTensor() && isComplex(v.dtype())) return declined("it is said of real numbers only", ownerOf(v));
        match.touch();
        return become(edit, node, Building(turn, m_text.asWritten, match, node.output(), edit).run(), turn.said);
    }
    return declined(decline.reason, decline.because);
}

} // namespace engine
