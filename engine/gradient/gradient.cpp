#include "engine/gradient/gradient.h"

#include "engine/gradient/passage.h"
#include "engine/gradient/sums.h"
#include "engine/graph/op/op.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/pointer_map.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace engine {

VarRef disconnected()
{
    // One for all: it is only ever asked for its type.
    static const VarRef *one = [] {
        const ScopedTrace noTrace(TraceId::None);
        return new VarRef(Variable::input(Type::plain(TypeKind::Disconnected)));
    }();
    return *one;
}

VarRef undefinedGradient(const std::string &why) { return Variable::input(Type::null(why)); }
bool isDisconnected(const VarRef &variable) { return variable->type().kind() == TypeKind::Disconnected; }
bool isUndefined(const VarRef &variable) { return variable->type().kind() == TypeKind::Null; }

namespace {

std::string nameFor(const VarRef &variable)
{
    std::string result = variable->displayName();
    const SourceLine &line = sourceLine(variable->trace());
    if (!line.file.empty()) result += " (made at " + line.file + ":" + std::to_string(line.line) + ")";
    return result;
}

// The variables between the roots and wrt have small numbers (slots), so that the tables of the walk are vectors: first
// the outputs of all applies, then the wrt that no apply of the walk makes.
class Walk {
public:
    Walk(const VarRef &cost, std::span<const VarRef> wrt, const GradOptions &options) : m_slots(1)
    {
        std::vector<VarRef> roots;
        if (cost) roots.push_back(cost);
        for (const auto &[variable, known] : options.knownGrads) roots.push_back(variable);
        m_order = toposort(roots, options.considerConstant);
        PointerMap<char> stops(options.considerConstant.size());
        for (const VarRef &variable : options.considerConstant) stops.insert(variable.get(), 0);
        m_slots = PointerMap<std::uint32_t>(m_order.size() + wrt.size());
        std::uint32_t count = 0;
        for (Apply *apply : m_order)
            for (int o = 0; o < apply->outputCount(); ++o, ++count)
                if (!stops.contains(apply->output(o))) m_slots.insert(apply->output(o), count);
        const std::uint32_t made = count;
        for (const VarRef &variable : wrt)
            if (m_slots.insert(variable.get(), count)) ++count;
        m_totals.resize(count);
        m_wanted.assign(count, false);
        for (std::uint32_t slot = made; slot < count; ++slot) m_wanted[slot] = true;
        for (const VarRef &variable : wrt) {
            m_wanted[*m_slots.find(variable.get())] = true;
            m_asked.insert(variable.get());
        }
        for (const auto &[variable, known] : options.knownGrads) m_asked.insert(variable.get());
        markWanted();
    }

    void start(const VarRef &variable, const VarRef &gradient)
    {
        if (const std::uint32_t *slot = m_slots.find(variable.get())) append(*slot, gradient);
    }

    /// That is all there is of it, or nothing.
    void settle(const VarRef &variable, const VarRef &gradient)
    {
        const std::uint32_t *slot = m_slots.find(variable.get());
        if (!slot) return;
        m_totals[*slot] = isDisconnected(gradient) ? VarRef() : gradient;
        m_settled.insert(*slot);
    }

    void run()
    {
        std::vector<VarRef> outputGrads;
        std::uint32_t slot = m_madeSlots;
        std::size_t edge = m_inputSlots.size();
        for (std::size_t i = m_order.size(); i-- > 0;) {
            Apply *apply = m_order[i];
            slot -= static_cast<std::uint32_t>(apply->outputCount());
            edge -= apply->inputs().size();
            const std::span<const std::uint32_t> inputs(m_inputSlots.data() + edge, apply->inputs().size());
            bool isReached = false;
            for (int o = 0; o < apply->outputCount(); ++o) isReached = isReached || m_totals[slot + static_cast<std::uint32_t>(o)];
            if (!isReached || std::all_of(inputs.begin(), inputs.end(), [](std::uint32_t input) { return input == kNoSlot; })) continue;
            const ScopedTrace trace(apply->trace());
            outputGrads.clear();
            for (int o = 0; o < apply->outputCount(); ++o)
                outputGrads.push_back(arriving(*apply->output(o), m_totals[slot + static_cast<std::uint32_t>(o)]));
            if (!pass(*apply, outputGrads)) visit(*apply, inputs, outputGrads);
        }
    }

    /// The sum of the terms, left to right; null if there are none.
    VarRef total(const VarRef &variable) const
    {
        const std::uint32_t *slot = m_slots.find(variable.get());
        return slot ? m_totals[*slot] : VarRef();
    }

private:
    static constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;

    // What depends on wrt, and the slots of the inputs through which it does: the walk leaves all others alone.
    void markWanted()
    {
        std::uint32_t slot = 0;
        for (Apply *apply : m_order) {
            bool any = false;
            for (const VarRef &input : apply->inputs()) {
                const std::uint32_t *found = m_slots.find(input.get());
                const bool isWanted = found && m_wanted[*found];
                m_inputSlots.push_back(isWanted ? *found : kNoSlot);
                any = any || isWanted;
            }
            for (int o = 0; o < apply->outputCount(); ++o, ++slot)
                if (any) m_wanted[slot] = true;
        }
        m_madeSlots = slot;
    }

    void append(std::uint32_t slot, const VarRef &term)
    {
        if (m_settled.count(slot)) return;
        VarRef &total = m_totals[slot];
        if (!total) total = term;
        else if (isUndefined(total)) return;
        else total = isUndefined(term) ? term : sums::add(total, term);
    }

    /// Goes past what is between, if that is known and nobody asks for it.
    bool pass(const Apply &apply, std::span<const VarRef> outputGrads)
    {
        if (outputGrads.size() != 1 || isUndefined(outputGrads[0]) || isDisconnected(outputGrads[0])) return false;
        const auto passage = findPassage(apply);
        if (!passage) return false;
        const auto isOnTheWay = [&](const VarRef &variable) {
            const std::uint32_t *slot = m_slots.find(variable.get());
            return slot && m_wanted[*slot];
        };
        if (!isOnTheWay(passage->to)) return false;
        for (const VarRef &variable : passage->past)
            if (!isOnTheWay(variable) || m_asked.count(variable.get())) return false;
        if (std::any_of(passage->aside.begin(), passage->aside.end(), isOnTheWay)) return false;
        append(*m_slots.find(passage->to.get()), passage->gradient(outputGrads[0]));
        return true;
    }

    // What an op gets for one output: cast to the output's dtype, Disconnected where nothing came.
    static VarRef arriving(const Variable &output, const VarRef &g)
    {
        if (!g) return disconnected();
        if (!g->type().isTensor() || !output.type().isTensor()) return g;
        const DType dtype = output.type().dtype();
        return isContinuous(dtype) && g->type().dtype() != dtype ? sums::cast(g, dtype) : g;
    }

    /// What an undefined gradient of an output reaches is undefined; the other inputs see that output as disconnected.
    void visitUndefined(Apply &apply, std::span<const std::uint32_t> inputs, std::span<const VarRef> outputGrads)
    {
        const auto pattern = apply.op().connectionPattern(apply);
        std::vector<std::uint32_t> defined(inputs.begin(), inputs.end());
        std::vector<VarRef> grads(outputGrads.begin(), outputGrads.end());
        for (std::size_t o = 0; o < grads.size(); ++o) {
            if (!isUndefined(grads[o])) continue;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                if (defined[i] == kNoSlot || !pattern[i][o]) continue;
                append(inputs[i], grads[o]);
                defined[i] = kNoSlot;
            }
            grads[o] = disconnected();
        }
        bool isAsked = false;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            for (std::size_t o = 0; o < grads.size(); ++o) isAsked |= defined[i] != kNoSlot && pattern[i][o] && !isDisconnected(grads[o]);
        if (isAsked) visit(apply, defined, grads);
    }

    void visit(Apply &apply, std::span<const std::uint32_t> inputs, std::span<const VarRef> outputGrads)
    {
        if (std::any_of(outputGrads.begin(), outputGrads.end(), [](const VarRef &g) { return isUndefined(g); })) {
            visitUndefined(apply, inputs, outputGrads);
            return;
        }
        const std::vector<VarRef> terms = apply.op().gradient(apply, outputGrads);
        if (terms.size() != inputs.size())
            throw TypeMismatch("[grad] " + apply.op().name() + " has " + std::to_string(inputs.size()) + " inputs, but its gradient gave " +
                               std::to_string(terms.size()) + " terms");
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (inputs[i] == kNoSlot) continue;
            const VarRef &term = terms[i];
            if (!term)
                throw TypeMismatch("[grad] the gradient of " + apply.op().name() + " with respect to input " + std::to_string(i) +
                                   " is None");
            if (isDisconnected(term)) continue;
            if (isUndefined(term)) {
                append(inputs[i], namedUndefined(apply, i, term));
                continue;
            }
            check(apply, i, apply.inputs()[i], term);
            append(inputs[i], term);
        }
    }

    static VarRef namedUndefined(const Apply &apply, std::size_t i, const VarRef &term)
    {
        return undefinedGradient("the gradient of " + apply.op().name() + " for its input " + std::to_string(i) + " (" +
                                 apply.inputs()[i]->displayName() + ") is not defined: " + term->type().reason());
    }

    static void check(const Apply &apply, std::size_t i, const VarRef &input, const VarRef &term)
    {
        const Type type = term->type();
        const bool isFine =
            type.isTensor() && !isDiscrete(type.dtype()) && (!input->type().isTensor() || type.rank() == input->type().rank());
        if (isFine) return;
        const std::string who = "[grad] the gradient of " + apply.op().name() + " with respect to input " + std::to_string(i);
        if (!type.isTensor()) throw TypeMismatch(who + " is not a tensor but " + type.text());
        if (isDiscrete(type.dtype()))
            throw TypeMismatch(who + " has dtype " + std::string(nameOf(type.dtype())) + "; gradients are never integers");
        throw ShapeMismatch(who + " has " + std::to_string(type.rank()) + " dimensions, the input has " +
                            std::to_string(input->type().rank()));
    }

    std::vector<Apply *> m_order;
    PointerMap<std::uint32_t> m_slots;
    std::vector<VarRef> m_totals;
    std::unordered_set<std::uint32_t> m_settled;  ///< to which nothing is added
    std::unordered_set<const Variable *> m_asked; ///< wrt, and what has a known gradient
    std::vector<bool> m_wanted;
    std::vector<std::uint32_t> m_inputSlots; // of all applies, in order; kNoSlot: not on the way to wrt
    std::uint32_t m_madeSlots = 0;
};

VarRef zerosFor(const VarRef &variable, DType floatX)
{
    const DType dtype = variable->type().dtype();
    return sums::filled(variable, isDiscrete(dtype) ? floatX : dtype, 0);
}

void checkCost(const VarRef &cost)
{
    if (isUndefined(cost)) throw NullGradient("[grad] the cost is undefined: " + cost->type().reason());
    if (!cost->type().isTensor() || cost->type().rank() != 0)
        throw TypeMismatch("[grad] cost must be a scalar, " + cost->displayName() + " is " + cost->type().text(),
                           "take its sum() or mean()");
    if (isComplex(cost->type().dtype())) throw TypeMismatch("[grad] the gradient of a complex cost is not defined", "take its real part");
}

} // namespace

std::vector<VarRef> grad(const VarRef &cost, std::span<const VarRef> wrt, const GradOptions &options)
{
    if (!cost && options.knownGrads.empty()) throw TypeMismatch("[grad] without a cost, known_grads are needed");
    if (cost) checkCost(cost);
    Walk walk(cost, wrt, options);
    if (cost) {
        // Seed: ones of the cost's dtype, or floatX where the cost is an integer.
        const DType dtype = isDiscrete(cost->type().dtype()) ? options.floatX : cost->type().dtype();
        const bool isKnown =
            std::any_of(options.knownGrads.begin(), options.knownGrads.end(), [&](const auto &pair) { return pair.first == cost; });
        if (!isKnown) walk.start(cost, sums::filled(cost, dtype, 1));
    }
    const auto begin = [&](const VarRef &variable, const VarRef &known) {
        options.knownIsAll ? walk.settle(variable, known) : walk.start(variable, known);
    };
    for (const auto &[variable, known] : options.knownGrads) {
        if (!known->type().isTensor()) {
            begin(variable, known);
            continue;
        }
        if (variable->type().isTensor() && known->type().rank() != variable->type().rank())
            throw ShapeMismatch("[grad] the known gradient of " + variable->displayName() + " is " + known->type().text() +
                                ", the variable is " + variable->type().text());
        if (isDiscrete(known->type().dtype()) && isContinuous(variable->type().dtype()))
            throw TypeMismatch("[grad] the known gradient of " + variable->displayName() + " has dtype " +
                               std::string(nameOf(known->type().dtype())) + "; gradients are never integers");
        begin(variable, known);
    }
    walk.run();

    std::vector<VarRef> result;
    for (const VarRef &variable : wrt) {
        VarRef g = walk.total(variable);
        if (g && isUndefined(g) && options.raiseOnNull)
            throw NullGradient("[grad] the gradient with respect to " + nameFor(variable) + " is undefined: " + g->type().reason());
        if (!g) {
            const std::string message = "[grad] the cost does not depend on the elements of " + nameFor(variable);
            if (options.onDisconnected == OnDisconnected::Raise)
                throw DisconnectedInput(message + "; if that is intended, pass disconnected_inputs='ignore'");
            if (options.onDisconnected == OnDisconnected::Warn && options.warnings) options.warnings->push_back(message);
            switch (options.disconnectedResult) {
            case DisconnectedResult::Zero: g = zerosFor(variable, options.floatX); break;
            case DisconnectedResult::None: break;
            case DisconnectedResult::Disconnected: g = disconnected(); break;
            }
        }
        if (g && g->owner() && options.addNames && cost && !cost->name().empty() && !variable->name().empty() && g->name().empty())
            g->setName("(d" + cost->name() + "/d" + variable->name() + ")");
        result.push_back(std::move(g));
    }
    return result;
}

std::vector<VarRef> lop(std::span<const VarRef> f, std::span<const VarRef> wrt, std::span<const VarRef> evalPoints,
                        const GradOptions &options)
{
    if (f.size() != evalPoints.size())
        throw TypeMismatch("[Lop] " + std::to_string(f.size()) + " functions but " + std::to_string(evalPoints.size()) + " eval_points");
    GradOptions all = options;
    for (std::size_t i = 0; i < f.size(); ++i) all.knownGrads.push_back({f[i], evalPoints[i]});
    return grad(nullptr, wrt, all);
}

std::vector<std::vector<bool>> connections(std::span<const VarRef> inputs, std::span<const VarRef> outputs)
{
    const std::vector<Apply *> order = toposort(outputs, inputs);
    std::vector<std::vector<bool>> result;
    for (const VarRef &input : inputs) {
        std::unordered_map<const Variable *, bool> reached{{input.get(), true}};
        for (Apply *apply : order) {
            bool any = false;
            for (const VarRef &argument : apply->inputs()) any = any || reached.count(argument.get());
            if (!any) continue;
            const auto pattern = apply->op().connectionPattern(*apply);
            for (std::size_t i = 0; i < apply->inputs().size(); ++i) {
                if (!reached.count(apply->inputs()[i].get())) continue;
                for (int o = 0; o < apply->outputCount(); ++o)
                    if (pattern[i][o]) reached[apply->output(o)] = true;
            }
        }
        std::vector<bool> row;
        for (const VarRef &output : outputs) row.push_back(reached.count(output.get()) != 0);
        result.push_back(std::move(row));
    }
    return result;
}

} // namespace engine
