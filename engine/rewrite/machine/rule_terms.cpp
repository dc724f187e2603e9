#include "engine/rewrite/machine/rule_terms.h"

#include "engine/ops/elements/elementwise.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/rewrite/machine/rule_ops.h"
#include "engine/tensor/errors.h"
#include "engine/text/notation.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace engine {
namespace {

bool isCommutative(ScalarCode code)
{
    switch (code) {
    case ScalarCode::Add:
    case ScalarCode::Mul:
    case ScalarCode::Maximum:
    case ScalarCode::Minimum:
    case ScalarCode::Eq:
    case ScalarCode::Neq:
    case ScalarCode::And:
    case ScalarCode::Or:
    case ScalarCode::Xor: return true;
    default: return false;
    }
}

std::string numberText(double number)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", number);
    return text;
}

/// What stands behind the axes that bring it to the rank of others; a number behind what makes it a dtype.
VarRef withoutPad(VarRef v)
{
    while (v->owner()) {
        const Apply &apply = *v->owner();
        const DimShuffle *shuffle = opCast<DimShuffle>(apply.opRef());
        const Elemwise *cast = opCast<Elemwise>(apply.opRef());
        const bool isNumber = cast && cast->is(ScalarCode::Cast) && apply.input(0)->kind() == Variable::Kind::Constant;
        if (!(shuffle && shuffle->isLeftPad()) && !isNumber) break;
        v = apply.input(0);
    }
    return v;
}

class Reader {
public:
    Reader(const RuleText &rule, std::vector<std::unique_ptr<Term>> &terms) : m_rule(rule), m_terms(terms) {}

    const Term *before(const VarRef &v)
    {
        m_isBefore = true;
        const Term *root = read(v);
        m_terms.front()->missing = "it is not " + root->text;
        return root;
    }
    const Term *after(const VarRef &v)
    {
        m_isBefore = false;
        return read(v);
    }
    std::uint8_t slotOf(const std::string &name) const
    {
        if (name == "the result") return Turn::kResult;
        const auto found = m_named.find(name);
        if (found == m_named.end()) throw InternalError("there is no '" + name + "' on the left side");
        return found->second->slot;
    }
    void takeRest(const std::string &name)
    {
        slotOf(name);
        Term &variable = *m_named.at(name);
        variable.takesRest = true;
        for (const std::unique_ptr<Term> &each : m_terms) {
            Term &term = *each;
            const auto at = std::find(term.operands.begin(), term.operands.end(), &variable);
            if (at == term.operands.end() || at + 1 == term.operands.end()) continue;
            // It gets what nobody else took.
            const auto k = at - term.operands.begin();
            std::rotate(at, at + 1, term.operands.end());
            std::rotate(term.places.begin() + k, term.places.begin() + k + 1, term.places.end());
            if (!term.minus.empty()) std::rotate(term.minus.begin() + k, term.minus.begin() + k + 1, term.minus.end());
        }
    }
    const std::vector<std::uint8_t> &leaves() const { return m_leaves; }

private:
    Term *make(Term::Kind kind, const VarRef &v)
    {
        Term &term = *m_terms.emplace_back(std::make_unique<Term>());
        term.kind = kind;
        term.isFloat = v->type().isTensor() && !isDiscrete(v->type().dtype());
        term.isBool = v->type().isTensor() && v->type().dtype() == DType::Bool;
        if (m_isBefore) {
            term.slot = m_nextSlot++;
            if (m_nextSlot >= Turn::kSlots) throw InternalError("the left side is too large");
        }
        return &term;
    }

    const Term *read(const VarRef &padded)
    {
        const VarRef v = withoutPad(padded);
        if (const auto known = v->name().empty() ? m_named.end() : m_named.find(v->name()); known != m_named.end()) return known->second;
        switch (v->kind()) {
        case Variable::Kind::Constant: {
            Term *term = make(Term::Kind::Number, v);
            if (!v->value().isTensor() || !v->value().tensor().isUniform()) throw InternalError("a constant has several values");
            term->number = v->value().tensor().at(0);
            term->text = "the constant " + numberText(term->number);
            if (m_isBefore) m_leaves.push_back(term->slot);
            return term;
        }
        case Variable::Kind::Output: return call(v);
        default: break;
        }
        if (!m_isBefore) throw InternalError("the left side has no '" + v->name() + "'");
        Term *term = make(Term::Kind::Variable, v);
        term->text = v->name();
        m_leaves.push_back(term->slot);
        m_named.emplace(v->name(), term);
        return term;
    }

    const Term *call(const VarRef &v)
    {
        const Apply &apply = *v->owner();
        const Elemwise *function = opCast<Elemwise>(apply.opRef());
        Term *term = make(function ? Term::Kind::Scalar : Term::Kind::Op, v);
        term->op = apply.opRef();
        term->output = static_cast<std::uint8_t>(v->index());
        if (m_isBefore && apply.outputCount() > 1) throw InternalError("the left side has an op of several outputs");
        if (function) term->code = function->scalar()->code();
        if (term->code == ScalarCode::Cast || term->code == ScalarCode::Composite)
            throw InternalError("rules have no casts and no composites");
        std::vector<std::pair<VarRef, bool>> inputs; // negative?
        for (std::size_t i = 0; i < spokenInputs(*term->op, apply.inputs().size()); ++i) inputs.emplace_back(apply.inputs()[i], false);
        const bool isSum = term->code == ScalarCode::Add || term->code == ScalarCode::Sub;
        if (m_isBefore && !m_rule.asWritten && isSum && inputs.size() == 2) {
            term->kind = Term::Kind::Sum;
            inputs[1].second = term->code == ScalarCode::Sub;
            for (auto &[input, isNegative] : inputs)
                if (const Elemwise *sign = input->owner() ? opCast<Elemwise>(input->owner()->opRef()) : nullptr;
                    sign && sign->is(ScalarCode::Neg)) {
                    input = input->owner()->input(0);
                    isNegative = !isNegative;
                }
        }
        if (m_isBefore && !v->name().empty()) m_named.emplace(v->name(), term);
        for (const auto &[input, isNegative] : inputs) {
            term->operands.push_back(read(input));
            term->places.push_back(static_cast<std::uint8_t>(term->places.size()));
            if (term->kind == Term::Kind::Sum) term->minus.push_back(isNegative);
        }
        term->text =
            textOf(*term, function ? function->scalar()->symbol() : term->op->friendlyName(), function ? function->scalar()->infix() : "");
        if (m_isBefore) arrange(*term);
        return term;
    }

    static std::string textOf(const Term &term, const std::string &name, const std::string &infix)
    {
        std::string text;
        const auto part = [](const Term &operand) {
            return operand.kind == Term::Kind::Number ? numberText(operand.number) : operand.text;
        };
        for (std::size_t i = 0; i < term.operands.size(); ++i)
            text += (i == 0 ? "" : infix.empty() ? ", " : " " + infix + " ") + part(*term.operands[i]);
        return infix.empty() || term.operands.size() < 2 ? name + "(" + text + ")" : "(" + text + ")";
    }

    /// Says what may be missing, and brings first what tells most: functions, then numbers.
    static void arrange(Term &term)
    {
        static constexpr const char *kPlaces[] = {"the first", "the second", "the third", "the fourth"};
        const bool isSum = term.kind == Term::Kind::Sum || term.code == ScalarCode::Add;
        const bool isCommuting = isSum || (term.kind == Term::Kind::Scalar && isCommutative(term.code));
        for (std::size_t i = 0; i < term.operands.size(); ++i) {
            // Variables may stand in several places: what misses there is said of them.
            Term &operand = const_cast<Term &>(*term.operands[i]);
            std::string place = term.operands.size() == 1 ? "the input" : kPlaces[std::min<std::size_t>(i, 3)] + std::string(" operand");
            if (isCommuting && term.operands.size() > 1)
                place = isSum ? "no term of the sum" : term.code == ScalarCode::Mul ? "no factor" : "neither operand";
            const bool isNegated = place[0] == 'n';
            const bool isMinus = !term.minus.empty() && term.minus[i];
            operand.missing = place + (isNegated ? " is " : " is not ") + (isMinus ? "-" : "") + operand.text;
            operand.noConstant = place + (isNegated ? " is a constant" : " is not a constant");
        }
        term.anyOrder = isCommuting && term.operands.size() > 1;
        if (!term.anyOrder) return;
        std::vector<std::size_t> order(term.operands.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        const auto rank = [&](std::size_t i) {
            switch (term.operands[i]->kind) {
            case Term::Kind::Variable: return 2;
            case Term::Kind::Number: return 1;
            default: return 0;
            }
        };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
        const Term written = term;
        for (std::size_t i = 0; i < order.size(); ++i) {
            term.operands[i] = written.operands[order[i]];
            term.places[i] = written.places[order[i]];
            if (!term.minus.empty()) term.minus[i] = written.minus[order[i]];
        }
    }

    const RuleText &m_rule;
    std::vector<std::unique_ptr<Term>> &m_terms;
    bool m_isBefore = true;
    std::uint8_t m_nextSlot = 0;
    std::map<std::string, Term *> m_named;
    std::vector<std::uint8_t> m_leaves;
};

std::vector<ScalarCode> rootsOf(const Term &before, bool asWritten)
{
    switch (before.kind) {
    case Term::Kind::Sum: return {ScalarCode::Add, ScalarCode::Sub};
    case Term::Kind::Scalar: break;
    case Term::Kind::Op: return {};
    default: throw InternalError("the left side is no function");
    }
    if (asWritten) return {before.code};
    switch (before.code) {
    case ScalarCode::Neg: return {ScalarCode::Neg, ScalarCode::Mul};
    case ScalarCode::Sqr: return {ScalarCode::Sqr, ScalarCode::Mul, ScalarCode::Pow};
    case ScalarCode::Inv: return {ScalarCode::Inv, ScalarCode::TrueDiv};
    case ScalarCode::TrueDiv:
        if (before.operands[0]->kind == Term::Kind::Number && before.operands[0]->number == 1)
            return {ScalarCode::TrueDiv, ScalarCode::Inv};
        break;
    default: break;
    }
    return {before.code};
}

/// Constants that rules ask for most have bits of their own.
constexpr std::size_t kZero = 120, kOne = 121, kMinusOne = 122, kOtherNumber = 123;
std::size_t kindOf(std::optional<double> number)
{
    return number == 0 ? kZero : number == 1 ? kOne : number == -1 ? kMinusOne : kOtherNumber;
}

/// What an input has to be for this operand to be found in it; everything where that is not known.
Kinds kindsFor(const Term &operand, bool isSum, bool asWritten)
{
    Kinds kinds;
    const auto add = [&](std::initializer_list<ScalarCode> codes) {
        for (const ScalarCode code : codes) kinds.set(static_cast<std::size_t>(code));
    };
    switch (operand.kind) {
    case Term::Kind::Variable: kinds.set(); return kinds;
    case Term::Kind::Op: kinds.set(Kinds::kOtherOp); break;
    case Term::Kind::Number:
        kinds.set(Kinds::kMaybeConstant);
        kinds.set(kindOf(operand.number));
        if (isSum) kinds.set(kindOf(-operand.number));
        if (!asWritten) add({ScalarCode::Exp}); // exp(0 * x)
        return kinds;
    default:
        for (const ScalarCode code : rootsOf(operand, asWritten)) add({code});
        // x and -x may be opposite without a sign on this one.
        if (operand.code == ScalarCode::Neg && !asWritten) kinds.set();
    }
    if (isSum) kinds.set(Kinds::kMaybeNegative);
    return kinds;
}

void readNeeds(Turn &turn, bool asWritten)
{
    turn.roots = rootsOf(*turn.before, asWritten);
    for (const ScalarCode code : turn.roots) turn.begins.set(static_cast<std::size_t>(code));
    if (turn.roots.empty()) turn.begins.set(Kinds::kOtherOp);
    const std::vector<const Term *> &operands = turn.before->operands;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        // It is nowhere in inv(x).
        if (i == 0 && !asWritten && turn.before->code == ScalarCode::TrueDiv && operands[0]->kind == Term::Kind::Number) continue;
        const Kinds kinds = kindsFor(*operands[i], turn.before->kind == Term::Kind::Sum, asWritten);
        if (!kinds.all()) turn.needs.emplace_back(kinds, operands[i]);
        if (operands.size() != 2 || i == 0 || operands[0] != operands[1]) continue;
        Kinds twins;
        twins.set(Kinds::kTwins);
        turn.needs.emplace_back(twins, operands[1]);
    }
}

/// The last statement.
std::string lastOf(const std::string &text)
{
    const std::size_t cut = text.rfind("; ");
    return cut == std::string::npos ? text : text.substr(cut + 2);
}

} // namespace

namespace {

/// A product with -1, or with what might repeat it.
bool maybeNegates(const FunctionGraph &graph, const ApplyNode &product)
{
    return product.inputs.size() == 2 && std::any_of(product.inputs.begin(), product.inputs.end(), [&](const Use &use) {
               const VarNode &factor = graph.var(use.var);
               if (factor.kind == Variable::Kind::Constant) return VarHandle(graph, use.var).uniformConstant() == -1;
               const Elemwise *op = factor.owner == kNoApply ? nullptr : opCast<Elemwise>(graph.apply(factor.owner).op);
               return factor.owner != kNoApply && (!op || op->is(ScalarCode::Second) || op->is(ScalarCode::Cast));
           });
}

} // namespace

Kinds kindsOf(const NodeHandle &node)
{
    Kinds kinds;
    if (const Elemwise *op = node.opAs<Elemwise>()) kinds.root = static_cast<std::size_t>(op->scalar()->code());
    const FunctionGraph &graph = node.graph();
    const auto &uses = graph.apply(node.id()).inputs;
    std::size_t constants = 0;
    for (const Use &use : uses) {
        const VarNode &var = graph.var(use.var);
        if (var.kind == Variable::Kind::Constant) {
            kinds.set(kindOf(VarHandle(graph, use.var).uniformConstant()));
            ++constants;
        } else if (var.owner != kNoApply) {
            const ApplyNode &owner = graph.apply(var.owner);
            const Elemwise *op = opCast<Elemwise>(owner.op);
            const ScalarCode code = op ? op->scalar()->code() : ScalarCode::Composite;
            kinds.set(op ? static_cast<std::size_t>(code) : Kinds::kOtherOp);
            if (!op || code == ScalarCode::Second || code == ScalarCode::Cast) kinds.set(Kinds::kMaybeConstant);
            if (code == ScalarCode::Neg || (code == ScalarCode::Mul && maybeNegates(graph, owner))) kinds.set(Kinds::kMaybeNegative);
        }
    }
    if (uses.size() == 2 && (uses[0].var == uses[1].var || constants == 2)) kinds.set(Kinds::kTwins);
    return kinds;
}

Turn readTurn(const RuleText &rule, const RuleText::Turn &text)
{
    const ParsedExpression before = parseExpression(text.before, DType::Float64);
    Turn turn;
    Reader reader(rule, turn.terms);
    turn.before = reader.before(before.outputs[0]);
    for (const std::vector<std::string> *list : {&rule.where, &text.where})
        for (const std::string &words : *list) {
            if (words.ends_with(" takes the rest")) reader.takeRest(words.substr(0, words.find(' ')));
            else turn.guards.push_back(readGuard(words, [&](const std::string &name) { return reader.slotOf(name); }));
        }
    turn.leaves = reader.leaves();
    readNeeds(turn, rule.asWritten);
    if (text.stays) {
        turn.said = text.after;
        return turn;
    }
    const ParsedExpression after = parseExpression(text.after, DType::Float64);
    if (before.outputs.size() != 1 || after.outputs.size() != 1) throw InternalError("a side of a rule has several outputs");
    turn.after = reader.after(after.outputs[0]);
    turn.said = lastOf(text.before) + " = " + lastOf(text.after);
    return turn;
}

} // namespace engine
