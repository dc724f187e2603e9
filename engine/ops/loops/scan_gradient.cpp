// The gradient of a Scan: a Scan that goes back through the steps.
#include "engine/gradient/gradient.h"
#include "engine/gradient/sums.h"
#include "engine/graph/ir/clone.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace engine {
namespace {

VarRef part(const VarRef &a, VarRef start, VarRef stop, VarRef step = {})
{
    const IndexItem item = IndexItem::slice(std::move(start), std::move(stop), std::move(step));
    return subtensor(a, std::span(&item, 1));
}

VarRef reversed(const VarRef &a) { return part(a, {}, {}, literal(std::int64_t(-1))); }

VarRef plus(const VarRef &a, std::int64_t b) { return b ? add(a, literal(b)) : a; }

std::vector<VarRef> sizesOf(const VarRef &a, int firstAxis = 0)
{
    std::vector<VarRef> sizes;
    for (int axis = firstAxis; axis < a->type().rank(); ++axis)
        sizes.push_back(a->type().isBroadcastable(axis) ? literal(std::int64_t(1)) : shapeOf(a, axis));
    return sizes;
}

VarRef zeros(DType dtype, std::vector<VarRef> sizes) { return alloc(constantOf(dtype, 0), sizes); }

class Backward {
public:
    Backward(const Scan &op, const Apply &node, std::span<const VarRef> outputGrads)
        : m_op(op), m_info(op.info()), m_inner(*op.inner()), m_node(node), m_grads(outputGrads)
    {}

    std::vector<VarRef> terms()
    {
        countSteps();
        findReached();
        differentiate();
        readForward();
        addStates();
        addFixed();
        addSequences();
        return build();
    }

private:
    VarRef outerInput(std::size_t i) const { return m_node.input(i); }
    VarRef outerOutput(std::size_t o) const { return VarRef(m_node.output(o)); }
    const VarRef &innerInput(std::size_t i) const { return m_inner.inputs[i]; }
    const VarRef &result(std::size_t o) const { return m_inner.outputs[o]; }
    const VarRef &arriving(std::size_t o) const { return m_grads[o]; }
    const ScanState &state(std::size_t s) const { return m_op.states()[s]; }

    void countSteps()
    {
        m_done = sums::cast(outerInput(0), DType::Int64);
        if (m_info.isWhile) {
            if (m_info.nitSot > 0) {
                m_done = shapeOf(outerOutput(m_op.nitOutput(0)), 0);
            } else {
                for (const ScanState &one : m_op.states())
                    if (one.kind != ScanState::Kind::MitMot) m_done = plus(shapeOf(outerOutput(one.outerOutput), 0), -one.history());
            }
        }
        m_back = m_info.truncate < 0 ? m_done : elementwise(ScalarCode::Minimum, {m_done, literal(std::int64_t(m_info.truncate))});
    }

    // States whose rows the cost depends on: through what arrives, or through other states.
    void findReached()
    {
        const auto step = connections(m_inner.inputs, m_inner.outputs);
        m_isReached.assign(m_op.stateCount(), false);
        std::vector<bool> isWanted(m_inner.outputs.size(), false);
        const auto reach = [&](std::size_t s) {
            m_isReached[s] = true;
            for (std::size_t k = 0; k < state(s).out.size(); ++k) isWanted[state(s).firstResult + k] = true;
        };
        for (std::size_t i = 0; i < m_info.nitSot; ++i) isWanted[m_op.nitResult(i)] = !isDisconnected(arriving(m_op.nitOutput(i)));
        for (std::size_t s = 0; s < m_op.stateCount(); ++s)
            if (outerOutput(s)->type().isContinuous() && !isDisconnected(arriving(s))) reach(s);
        for (bool isChanged = true; std::exchange(isChanged, false);)
            for (std::size_t s = 0; s < m_op.stateCount(); ++s) {
                if (m_isReached[s] || !outerOutput(s)->type().isContinuous()) continue;
                for (std::size_t tap = 0; tap < state(s).in.size(); ++tap)
                    for (std::size_t o = 0; o < isWanted.size(); ++o)
                        if (isWanted[o] && step[state(s).firstInner + tap][o]) isChanged = true;
                if (isChanged) {
                    reach(s);
                    break;
                }
            }
    }

    Type rowType(std::size_t s) const { return innerInput(state(s).firstInner)->type(); }

    void differentiate()
    {
        GradOptions options;
        options.onDisconnected = OnDisconnected::Ignore;
        options.disconnectedResult = DisconnectedResult::Disconnected;
        options.raiseOnNull = false;
        options.addNames = false;
        m_written.resize(m_op.stateCount());
        for (std::size_t s = 0; s < m_op.stateCount(); ++s) {
            if (!m_isReached[s]) continue;
            for (std::size_t k = 0; k < state(s).out.size(); ++k) {
                m_written[s].push_back(Variable::input(rowType(s)));
                options.knownGrads.push_back({result(state(s).firstResult + static_cast<int>(k)), m_written[s].back()});
            }
        }
        for (std::size_t i = 0; i < m_info.nitSot; ++i) {
            const VarRef &g = arriving(m_op.nitOutput(i));
            const VarRef &made = result(m_op.nitResult(i));
            if (isDisconnected(g) || !made->type().isContinuous()) continue;
            // Rows of what arrives may be less broadcastable than what a step makes.
            const auto shape = g->type().shape();
            const VarRef row = Variable::input(Type::tensor(g->type().dtype(), shape.subspan(1)));
            addSequence(row, slowly(g, 0));
            options.knownGrads.push_back({made, conformed(row, made->type().withDType(g->type().dtype()))});
        }
        m_terms.assign(m_inner.inputs.size(), disconnected());
        if (options.knownGrads.empty()) return;
        std::vector<VarRef> wrt;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < m_op.innerInputs(); ++i) {
            if (!innerInput(i)->type().isContinuous()) continue;
            wrt.push_back(innerInput(i));
            places.push_back(i);
        }
        const std::vector<VarRef> found = grad(nullptr, wrt, options);
        for (std::size_t k = 0; k < places.size(); ++k) m_terms[places[k]] = found[k];
    }

    bool hasTerm(std::size_t i) const
    {
        const VarRef &term = m_terms[i];
        return !isDisconnected(term) && !isUndefined(term);
    }

    // Row t of the result is `array[first + steps - 1 - t]`: what the steps read or wrote, last step first.
    VarRef slowly(const VarRef &array, int first) const
    {
        VarRef rows = array;
        const bool isExact = !m_info.isWhile && first == 0 && array->owner() && &array->owner()->op() == &m_op &&
                             static_cast<std::size_t>(array->index()) >= m_op.stateCount();
        if (!isExact) rows = part(array, first ? literal(std::int64_t(first)) : VarRef(), plus(m_done, first));
        rows = reversed(rows);
        return m_info.truncate < 0 ? rows : part(rows, {}, m_back);
    }

    void addSequence(const VarRef &inner, const VarRef &outer)
    {
        m_sequenceInner.push_back(inner);
        m_sequenceOuter.push_back(outer);
    }

    // What the steps have computed is read, not computed again.
    void readForward()
    {
        std::vector<VarRef> from, to, rows;
        std::unordered_set<const Variable *> known;
        const auto keep = [&](std::size_t inner, int output, int first) {
            const VarRef &made = result(inner);
            const VarRef whole = outerOutput(output);
            const Type row = Type::tensor(whole->type().dtype(), whole->type().shape().subspan(1));
            if (!made->owner() || !(row == made->type()) || !known.insert(made.get()).second) return;
            from.push_back(made);
            to.push_back(Variable::input(made->type()));
            rows.push_back(slowly(whole, first));
        };
        for (std::size_t s = 0; s < m_op.stateCount(); ++s)
            if (state(s).kind != ScanState::Kind::MitMot) keep(state(s).firstResult, state(s).outerOutput, state(s).history());
        for (std::size_t i = 0; i < m_info.nitSot; ++i) keep(m_op.nitResult(i), m_op.nitOutput(i), 0);
        std::vector<VarRef> terms;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < m_terms.size(); ++i) {
            if (!hasTerm(static_cast<int>(i))) continue;
            places.push_back(i);
            terms.push_back(m_terms[i]);
        }
        terms = substitute(terms, from, to);
        for (std::size_t k = 0; k < places.size(); ++k) m_terms[places[k]] = terms[k];
        for (std::size_t k = 0; k < from.size(); ++k) addSequence(to[k], rows[k]);
        for (std::size_t i = 0; i < m_info.sequences; ++i) addSequence(innerInput(i), slowly(outerInput(m_op.outerSequence(i)), 0));
        for (std::size_t s = 0; s < m_op.stateCount(); ++s)
            for (std::size_t tap = 0; tap < state(s).in.size(); ++tap)
                addSequence(innerInput(state(s).firstInner + static_cast<int>(tap)),
                            slowly(outerOutput(state(s).outerOutput), state(s).history() + state(s).in[tap]));
    }

    void addStates()
    {
        m_stateOutput.assign(m_op.stateCount(), -1);
        m_unreached.assign(m_op.stateCount(), {});
        for (std::size_t s = 0; s < m_op.stateCount(); ++s) {
            if (!m_isReached[s]) continue;
            const ScanState &one = state(s);
            const Type row = rowType(s);
            ScanInfo::MitMot taps;
            std::vector<VarRef> read = m_written[s], made;
            for (int out : one.out) taps.in.push_back(-out);
            for (std::size_t k = 0; k < one.in.size(); ++k) {
                const std::size_t inner = one.firstInner + k;
                const bool isOverwritten = std::find(one.out.begin(), one.out.end(), one.in[k]) != one.out.end();
                if (!isOverwritten && !hasTerm(inner)) continue;
                taps.out.push_back(-one.in[k]);
                VarRef term = hasTerm(inner) ? conformed(m_terms[inner], row) : conformed(sums::filled(read.front(), row.dtype(), 0), row);
                if (!isOverwritten) {
                    taps.in.push_back(-one.in[k]);
                    read.push_back(Variable::input(row));
                    term = conformed(add(read.back(), term), row);
                }
                made.push_back(term);
            }
            const VarRef whole = outerOutput(one.outerOutput);
            VarRef buffer = isDisconnected(arriving(one.outerOutput)) ? zeros(row.dtype(), sizesOf(whole))
                                                                      : conformed(arriving(one.outerOutput), whole->type());
            if (taps.out.empty()) { // nothing goes on to earlier steps
                for (std::size_t k = 0; k < one.out.size(); ++k) addSequence(read[k], slowly(buffer, one.history() + one.out[k]));
                continue;
            }
            m_stateOutput[s] = static_cast<int>(m_buffers.size());
            VarRef rows = reversed(buffer);
            // Derivatives of this loop rely on its first row being the one that its first step reads, counted from the last: no row is left
            // over.
            const int reach = *std::max_element(taps.out.begin(), taps.out.end());
            if (one.kind != ScanState::Kind::MitMot && (reach < one.history() || m_info.truncate >= 0)) {
                const VarRef used = plus(m_back, reach);
                rows = part(rows, {}, used);
                m_unreached[s] = part(buffer, {}, sub(shapeOf(buffer, 0), used));
            }
            m_buffers.push_back(std::move(rows));
            m_mitMot.push_back(std::move(taps));
            m_stateInner.insert(m_stateInner.end(), read.begin(), read.end());
            m_results.insert(m_results.end(), made.begin(), made.end());
        }
    }

    // Terms of what is the same in all steps are added up.
    void addFixed()
    {
        m_fixedOutput.assign(m_info.nonSequences, -1);
        for (std::size_t i = 0; i < m_info.nonSequences; ++i) {
            const std::size_t inner = m_op.innerNonSequence(i);
            if (!hasTerm(inner)) continue;
            const Type type = innerInput(inner)->type();
            const VarRef sum = Variable::input(type);
            m_fixedOutput[i] = static_cast<int>(m_mitMot.size() + m_sums.size());
            std::vector<VarRef> sizes = sizesOf(outerInput(m_op.outerNonSequence(i)));
            sizes.insert(sizes.begin(), plus(m_back, 1));
            m_sums.push_back(conformed(zeros(type.dtype(), sizes), withRows(type)));
            m_sumInner.push_back(sum);
            m_results.push_back(conformed(add(sum, m_terms[inner]), type));
        }
    }

    static Type withRows(Type row)
    {
        std::vector<std::int64_t> shape{kUnknownDim};
        shape.insert(shape.end(), row.shape().begin(), row.shape().end());
        return Type::tensor(row.dtype(), shape);
    }

    void addSequences()
    {
        m_sequenceOutput.assign(m_info.sequences, -1);
        for (std::size_t i = 0; i < m_info.sequences; ++i) {
            if (!hasTerm(i)) continue;
            m_sequenceOutput[i] = static_cast<int>(m_mitMot.size() + m_sums.size()) + m_maps++;
            m_results.push_back(conformed(m_terms[i], innerInput(i)->type()));
        }
    }

    std::vector<VarRef> build()
    {
        std::vector<VarRef> outputs;
        if (!m_results.empty()) outputs = backwardOutputs();
        std::vector<VarRef> terms{disconnected()};
        for (std::size_t i = 0; i < m_info.sequences; ++i) {
            const int place = m_sequenceOutput[i];
            terms.push_back(place < 0 ? m_terms[i] : padded(reversed(outputs[place]), outerInput(m_op.outerSequence(i))));
        }
        for (std::size_t s = 0; s < m_op.stateCount(); ++s) {
            const int place = m_stateOutput[s];
            if (const VarRef undefined = undefinedTap(s)) terms.push_back(undefined);
            else if (place < 0)
                terms.push_back(outerOutput(s)->type().isContinuous() ? padded(arriving(s), outerInput(state(s).outerInput))
                                                                      : disconnected());
            else terms.push_back(padded(withUnreached(s, reversed(outputs[place])), outerInput(state(s).outerInput)));
        }
        for (std::size_t i = 0; i < m_info.shared; ++i) terms.push_back(sharedTerm(i));
        for (std::size_t i = 0; i < m_info.nitSot; ++i) terms.push_back(disconnected());
        for (std::size_t i = 0; i < m_info.nonSequences; ++i) {
            const int place = m_fixedOutput[i];
            terms.push_back(place < 0 ? m_terms[m_op.innerNonSequence(i)] : elementAt(outputs[place], -1));
        }
        return terms;
    }

    // The first rows of a state, which the steps back do not come to, keep what arrives.
    VarRef withUnreached(std::size_t s, const VarRef &rows) const
    {
        return m_unreached[s] ? join(0, std::vector<VarRef>{m_unreached[s], rows}) : rows;
    }

    VarRef undefinedTap(std::size_t s) const
    {
        for (std::size_t k = 0; k < state(s).in.size(); ++k) {
            const VarRef &term = m_terms[state(s).firstInner + k];
            if (isUndefined(term)) return term;
        }
        return {};
    }

    VarRef sharedTerm(std::size_t i) const
    {
        const auto row = m_op.connectionPattern(m_node)[m_op.outerShared(i)];
        for (std::size_t o = 0; o < row.size(); ++o)
            if (row[o] && !isDisconnected(m_grads[o]))
                return undefinedGradient("a shared variable that changes from step to step has no gradient");
        return disconnected();
    }

    // A loop that a condition ended did not use all of its inputs.
    VarRef padded(const VarRef &term, const VarRef &like) const
    {
        if (!m_info.isWhile || !term->type().isTensor()) return term;
        std::vector<VarRef> sizes = sizesOf(like, 1);
        sizes.insert(sizes.begin(), sub(shapeOf(like, 0), shapeOf(term, 0)));
        const VarRef rest = zeros(term->type().dtype(), sizes);
        return join(0, std::vector<VarRef>{term, rest});
    }

    std::vector<VarRef> backwardOutputs()
    {
        // Only what the terms need is read.
        std::unordered_set<const Variable *> needed;
        for (const VarRef &leaf : leaves(m_results, m_inner.inputs)) needed.insert(leaf.get());
        for (const VarRef &one : ancestors(m_results, m_inner.inputs)) needed.insert(one.get());
        ScanInfo info;
        InnerGraph body;
        std::vector<VarRef> outer{m_back};
        std::unordered_set<const Variable *> added;
        for (std::size_t i = 0; i < m_sequenceInner.size(); ++i) {
            if (!needed.count(m_sequenceInner[i].get()) || !added.insert(m_sequenceInner[i].get()).second) continue;
            body.inputs.push_back(m_sequenceInner[i]);
            outer.push_back(m_sequenceOuter[i]);
            ++info.sequences;
        }
        info.mitMot = m_mitMot;
        info.sitSot = static_cast<int>(m_sums.size());
        info.nitSot = m_maps;
        for (const auto *inner : {&m_stateInner, &m_sumInner}) body.inputs.insert(body.inputs.end(), inner->begin(), inner->end());
        for (const auto *buffers : {&m_buffers, &m_sums}) outer.insert(outer.end(), buffers->begin(), buffers->end());
        for (int i = 0; i < m_maps; ++i) outer.push_back(m_done);
        for (std::size_t i = 0; i < m_info.nonSequences; ++i) {
            const VarRef &fixed = innerInput(m_op.innerNonSequence(i));
            if (!needed.count(fixed.get())) continue;
            body.inputs.push_back(fixed);
            outer.push_back(outerInput(m_op.outerNonSequence(i)));
            ++info.nonSequences;
        }
        body.outputs = m_results;
        for (std::size_t i = 0; i < m_info.shared; ++i)
            if (needed.count(innerInput(m_op.innerShared(i)).get()))
                throw NullGradient(
                    "[grad] the gradient of " + m_info.name +
                    " needs what a shared variable was in each step, which is not kept; return from the step what depends on it");
        info.truncate = m_info.truncate;
        info.name = "grad_of_" + m_info.name;
        const ApplyRef apply = Apply::create(scanOp(std::move(info), ownInputs(body)), outer);
        std::vector<VarRef> outputs;
        for (int o = 0; o < apply->outputCount(); ++o) outputs.emplace_back(apply->output(o));
        return outputs;
    }

    // Two ops do not share variables.
    static InnerGraph ownInputs(const InnerGraph &body)
    {
        InnerGraph own;
        for (const VarRef &input : body.inputs) own.inputs.push_back(Variable::input(input->type(), input->name()));
        own.outputs = substitute(body.outputs, body.inputs, own.inputs);
        return own;
    }

    const Scan &m_op;
    const ScanInfo &m_info;
    const InnerGraph &m_inner;
    const Apply &m_node;
    std::span<const VarRef> m_grads;
    VarRef m_done, m_back; // steps that ran, steps to go back
    std::vector<bool> m_isReached;
    std::vector<std::vector<VarRef>> m_written; // by state: what arrives at the rows that a step wrote
    std::vector<VarRef> m_terms;                // by inner input
    // Of the new Scan.
    std::vector<VarRef> m_sequenceInner, m_sequenceOuter, m_stateInner, m_buffers, m_unreached, m_sumInner, m_sums, m_results;
    std::vector<ScanInfo::MitMot> m_mitMot;
    int m_maps = 0;
    std::vector<int> m_stateOutput, m_fixedOutput, m_sequenceOutput; // its outputs, -1: none
};

} // namespace

std::vector<VarRef> Scan::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return Backward(*this, node, outputGrads).terms();
}

} // namespace engine
