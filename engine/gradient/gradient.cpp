#include "engine/gradient/gradient.h"

#include "engine/graph/errors.h"
#include "engine/graph/op.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/reshape.h"

#include <algorithm>
#include <unordered_map>

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

// Small dense numbers for applies and variables of one walk, so that the tables are vectors.
class Walk {
public:
    Walk(const VarRef &cost, std::span<const VarRef> wrt, const GradOptions &options) : m_options(options)
    {
        std::vector<VarRef> roots;
        if (cost) roots.push_back(cost);
        for (const auto &[variable, known] : options.knownGrads) roots.push_back(variable);
        m_order = toposort(roots, options.considerConstant);
        m_stops.reserve(options.considerConstant.size());
        for (const VarRef &variable : options.considerConstant) m_stops.insert({variable.get(), true});
        std::size_t slots = 0;
        m_index.reserve(m_order.size());
        for (Apply *apply : m_order) {
            m_index.emplace(apply, slots);
            slots += static_cast<std::size_t>(apply->outputCount());
        }
        m_terms.resize(slots);
        m_wanted.assign(slots, false);
        markWanted(wrt);
    }

    void start(const VarRef &variable, VarRef gradient) { append(variable, std::move(gradient)); }

    void run()
    {
        std::vector<VarRef> outputGrads;
        for (std::size_t i = m_order.size(); i-- > 0;) {
            Apply *apply = m_order[i];
            const std::size_t first = m_index.find(apply)->second;
            bool isNeeded = false, isReached = false;
            for (int o = 0; o < apply->outputCount(); ++o) {
                isNeeded |= m_wanted[first + static_cast<std::size_t>(o)];
                isReached |= !m_terms[first + static_cast<std::size_t>(o)].empty();
            }
            if (!isNeeded || !isReached) continue;
            if (!needsInputs(*apply)) continue;
            outputGrads.clear();
            for (int o = 0; o < apply->outputCount(); ++o) outputGrads.push_back(arriving(VarRef(apply->output(o))));
            visit(*apply, outputGrads);
        }
    }

    /// The sum of the terms so far, left to right; null if there are none.
    VarRef total(const VarRef &variable)
    {
        std::vector<VarRef> *terms = find(variable.get());
        if (!terms || terms->empty()) return {};
        if (terms->size() > 1) {
            VarRef sum = (*terms)[0];
            for (std::size_t i = 1; i < terms->size(); ++i) {
                const VarRef &term = (*terms)[i];
                if (isUndefined(sum)) break;
                sum = isUndefined(term) ? term : add(sum, term);
            }
            *terms = {sum};
        }
        return (*terms)[0];
    }

private:
    std::vector<VarRef> *find(const Variable *variable)
    {
        if (Apply *owner = variable->owner(); owner && !m_stops.count(variable)) {
            auto found = m_index.find(owner);
            if (found != m_index.end()) return &m_terms[found->second + static_cast<std::size_t>(variable->index())];
        }
        auto found = m_leafTerms.find(variable);
        return found == m_leafTerms.end() ? nullptr : &found->second;
    }

    bool isWanted(const Variable *variable) const
    {
        if (Apply *owner = variable->owner(); owner && !m_stops.count(variable)) {
            auto found = m_index.find(owner);
            if (found != m_index.end()) return m_wanted[found->second + static_cast<std::size_t>(variable->index())];
        }
        return m_leafTerms.count(variable) != 0;
    }

    // Which variables lie between wrt and the roots: the walk leaves all others alone.
    void markWanted(std::span<const VarRef> wrt)
    {
        for (const VarRef &variable : wrt) {
            Apply *owner = variable->owner();
            auto found = owner && !m_stops.count(variable.get()) ? m_index.find(owner) : m_index.end();
            if (found != m_index.end()) m_wanted[found->second + static_cast<std::size_t>(variable->index())] = true;
            else m_leafTerms.try_emplace(variable.get());
        }
        for (Apply *apply : m_order) {
            const std::size_t first = m_index.find(apply)->second;
            bool any = false;
            for (const VarRef &input : apply->inputs()) any = any || isWanted(input.get());
            if (!any) continue;
            for (int o = 0; o < apply->outputCount(); ++o) m_wanted[first + static_cast<std::size_t>(o)] = true;
        }
    }

    bool needsInputs(const Apply &apply) const
    {
        for (const VarRef &input : apply.inputs())
            if (isWanted(input.get())) return true;
        return false;
    }

    void append(const VarRef &variable, VarRef term)
    {
        if (!isWanted(variable.get())) return;
        if (std::vector<VarRef> *terms = find(variable.get())) terms->push_back(std::move(term));
    }

    // What an op gets for one output: cast to the output's dtype, zeros for discrete ones.
    VarRef arriving(const VarRef &output)
    {
        VarRef g = total(output);
        if (!g) return disconnected();
        if (!g->type().isTensor() || !output->type().isTensor()) return g;
        const DType dtype = output->type().dtype();
        if (isContinuous(dtype) && g->type().dtype() != dtype) g = cast(g, dtype);
        return g;
    }

    void visit(Apply &apply, std::span<const VarRef> outputGrads)
    {
        const ScopedTrace trace(apply.trace());
        for (const VarRef &g : outputGrads) {
            if (!isUndefined(g)) continue;
            const auto pattern = apply.op().connectionPattern(apply);
            for (std::size_t i = 0; i < apply.inputs().size(); ++i)
                if (std::find(pattern[i].begin(), pattern[i].end(), true) != pattern[i].end()) append(apply.inputs()[i], g);
            return;
        }
        std::vector<VarRef> terms = apply.op().gradient(apply, outputGrads);
        if (terms.size() != apply.inputs().size())
            throw TypeMismatch("[grad] " + apply.op().name() + " has " + std::to_string(apply.inputs().size()) +
                               " inputs, but its gradient gave " + std::to_string(terms.size()) + " terms");
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const VarRef &input = apply.inputs()[i];
            VarRef &term = terms[i];
            if (!isWanted(input.get())) continue;
            if (!term)
                throw TypeMismatch("[grad] the gradient of " + apply.op().name() + " with respect to input " + std::to_string(i) +
                                   " is None");
            if (isDisconnected(term)) continue;
            if (isUndefined(term)) {
                append(input, namedUndefined(apply, i, term));
                continue;
            }
            check(apply, i, input, term);
            append(input, std::move(term));
        }
    }

    static VarRef namedUndefined(const Apply &apply, std::size_t i, const VarRef &term)
    {
        return undefinedGradient("the gradient of " + apply.op().name() + " for its input " + std::to_string(i) + " (" +
                                 apply.inputs()[i]->displayName() + ") is not defined: " + term->type().reason());
    }

    static void check(const Apply &apply, std::size_t i, const VarRef &input, const VarRef &term)
    {
        const std::string who = "[grad] the gradient of " + apply.op().name() + " with respect to input " + std::to_string(i);
        if (!term->type().isTensor()) throw TypeMismatch(who + " is not a tensor but " + term->type().text());
        if (isDiscrete(term->type().dtype()))
            throw TypeMismatch(who + " has dtype " + std::string(nameOf(term->type().dtype())) + "; gradients are never integers");
        if (input->type().isTensor() && term->type().rank() != input->type().rank())
            throw ShapeMismatch(who + " has " + std::to_string(term->type().rank()) + " dimensions, the input has " +
                                std::to_string(input->type().rank()));
    }

    const GradOptions &m_options;
    std::vector<Apply *> m_order;
    std::unordered_map<const Apply *, std::size_t> m_index; // first slot of an apply's outputs
    std::unordered_map<const Variable *, bool> m_stops;
    std::vector<std::vector<VarRef>> m_terms;
    std::vector<bool> m_wanted;
    std::unordered_map<const Variable *, std::vector<VarRef>> m_leafTerms;
};

VarRef zerosFor(const VarRef &variable, DType floatX)
{
    const DType dtype = variable->type().dtype();
    return zerosLike(variable, isDiscrete(dtype) ? floatX : dtype);
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
        const bool isKnown = std::any_of(options.knownGrads.begin(), options.knownGrads.end(),
                                         [&](const auto &pair) { return pair.first == cost; });
        if (!isKnown) walk.start(cost, fill(cost, constantOf(dtype, 1)));
    }
    for (const auto &[variable, known] : options.knownGrads) {
        if (!known->type().isTensor()) {
            walk.start(variable, known);
            continue;
        }
        if (variable->type().isTensor() && known->type().rank() != variable->type().rank())
            throw ShapeMismatch("[grad] the known gradient of " + variable->displayName() + " is " + known->type().text() +
                                ", the variable is " + variable->type().text());
        if (isDiscrete(known->type().dtype()) && isContinuous(variable->type().dtype()))
            throw TypeMismatch("[grad] the known gradient of " + variable->displayName() + " has dtype " +
                               std::string(nameOf(known->type().dtype())) + "; gradients are never integers");
        walk.start(variable, known);
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
                    if (pattern[i][static_cast<std::size_t>(o)]) reached[apply->output(o)] = true;
            }
        }
        std::vector<bool> row;
        for (const VarRef &output : outputs) row.push_back(reached.count(output.get()) != 0);
        result.push_back(std::move(row));
    }
    return result;
}

} // namespace engine
