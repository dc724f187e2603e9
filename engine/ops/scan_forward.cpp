// What depends on what in a Scan, and its forward derivative.
#include "engine/gradient/gradient.h"
#include "engine/gradient/sums.h"
#include "engine/graph/clone.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/reshape.h"
#include "engine/ops/scan.h"

#include <algorithm>
#include <utility>

namespace engine {
namespace {

using Pattern = std::vector<std::vector<bool>>;

bool isFloat(const VarRef &variable) { return variable->type().isTensor() && isContinuous(variable->type().dtype()); }

VarRef conformed(const VarRef &a, Type wanted)
{
    const VarRef same = sums::cast(a, wanted.dtype());
    return same->type() == wanted || same->type().convertibleTo(wanted) ? same : patternBroadcast(same, wanted.pattern());
}

// Beside every state, sequence and result that moves stands its direction.
class Forward {
public:
    Forward(const Scan &op, const Apply &node, std::span<const VarRef> points)
        : m_op(op), m_info(op.info()), m_inner(*op.inner()), m_node(node), m_points(points)
    {}

    std::vector<VarRef> directions()
    {
        m_inputs.resize(m_inner.inputs.size());
        m_isMoving.assign(static_cast<std::size_t>(m_op.stateCount()), false);
        findMoving();
        nameDirections();
        return build();
    }

private:
    bool hasPoint(int outer) const { return static_cast<bool>(m_points[static_cast<std::size_t>(outer)]) && isFloat(m_node.input(outer)); }
    const ScanState &state(int s) const { return m_op.states()[static_cast<std::size_t>(s)]; }
    bool isMoving(int s) const { return m_isMoving[static_cast<std::size_t>(s)]; }

    void findMoving()
    {
        const Pattern step = connections(m_inner.inputs, m_inner.outputs);
        const auto moves = [&](int innerInput) {
            const int outer = m_op.sourceOf(innerInput).outer, s = outer - 1 - m_info.sequences;
            return s >= 0 && s < m_op.stateCount() ? isMoving(s) : hasPoint(outer);
        };
        for (int s = 0; s < m_op.stateCount(); ++s) m_isMoving[static_cast<std::size_t>(s)] = hasPoint(state(s).outerInput);
        for (bool isChanged = true; std::exchange(isChanged, false);)
            for (int s = 0; s < m_op.stateCount(); ++s) {
                if (isMoving(s) || !isFloat(m_node.input(state(s).outerInput))) continue;
                for (std::size_t i = 0; i < step.size(); ++i)
                    for (std::size_t k = 0; k < state(s).out.size(); ++k)
                        if (step[i][static_cast<std::size_t>(state(s).firstResult) + k] && moves(static_cast<int>(i)))
                            m_isMoving[static_cast<std::size_t>(s)] = isChanged = true;
            }
    }

    void nameDirections()
    {
        std::vector<VarRef> wrt, named;
        for (int i = 0; i < m_op.innerInputs(); ++i) {
            const int outer = m_op.sourceOf(i).outer, s = outer - 1 - m_info.sequences;
            const bool isState = s >= 0 && s < m_op.stateCount();
            if (isState ? !isMoving(s) : !hasPoint(outer)) continue;
            wrt.push_back(m_inner.inputs[static_cast<std::size_t>(i)]);
            named.push_back(Variable::input(wrt.back()->type()));
            m_inputs[static_cast<std::size_t>(i)] = named.back();
        }
        m_results.resize(m_inner.outputs.size());
        std::vector<VarRef> asked;
        std::vector<std::size_t> places;
        for (std::size_t o = 0; o < static_cast<std::size_t>(m_op.sharedResult(0)); ++o) {
            if (!isFloat(m_inner.outputs[o])) continue;
            asked.push_back(m_inner.outputs[o]);
            places.push_back(o);
        }
        const std::vector<VarRef> found = forwardDerivatives(asked, wrt, named);
        for (std::size_t k = 0; k < places.size(); ++k)
            if (found[k]) m_results[places[k]] = conformed(found[k], asked[k]->type());
    }

    std::vector<VarRef> build()
    {
        ScanInfo info = m_info;
        info.name = "rop_of_" + m_info.name;
        info.mitMot.clear();
        info.mitSot.clear();
        info.sitSot = 0;
        info.overwritten.clear();
        InnerGraph body;
        std::vector<VarRef> outer{m_node.input(0)}, results(static_cast<std::size_t>(m_node.outputCount()));
        const auto addInput = [&](const VarRef &inner, const VarRef &from) {
            body.inputs.push_back(inner);
            outer.push_back(from);
        };
        for (int i = 0; i < m_info.sequences; ++i)
            addInput(m_inner.inputs[static_cast<std::size_t>(i)], m_node.input(m_op.outerSequence(i)));
        for (int i = 0; i < m_info.sequences; ++i)
            if (m_inputs[static_cast<std::size_t>(i)]) {
                const VarRef from = m_node.input(m_op.outerSequence(i));
                addInput(m_inputs[static_cast<std::size_t>(i)],
                         conformed(m_points[static_cast<std::size_t>(m_op.outerSequence(i))], from->type()));
                ++info.sequences;
            }
        int output = 0;
        std::vector<int> outputOf(static_cast<std::size_t>(m_node.outputCount()), -1);
        for (const auto kind : {ScanState::Kind::MitMot, ScanState::Kind::MitSot, ScanState::Kind::SitSot})
            for (const bool isDirection : {false, true})
                for (int s = 0; s < m_op.stateCount(); ++s)
                    if (state(s).kind == kind && (!isDirection || isMoving(s))) {
                        addState(s, isDirection, info, body, outer);
                        if (isDirection) outputOf[static_cast<std::size_t>(s)] = output;
                        ++output;
                    }
        int maps = m_info.nitSot;
        for (int i = 0; i < m_info.nitSot; ++i) body.outputs.push_back(m_inner.outputs[static_cast<std::size_t>(m_op.nitResult(i))]);
        for (int i = 0; i < m_info.nitSot; ++i) {
            const VarRef &direction = m_results[static_cast<std::size_t>(m_op.nitResult(i))];
            if (!direction) continue;
            body.outputs.push_back(direction);
            outputOf[static_cast<std::size_t>(m_op.nitOutput(i))] = output + maps++;
        }
        for (int i = 0; i < m_info.shared; ++i) {
            addInput(m_inner.inputs[static_cast<std::size_t>(m_op.innerShared(i))], m_node.input(m_op.outerShared(i)));
            body.outputs.push_back(m_inner.outputs[static_cast<std::size_t>(m_op.sharedResult(i))]);
        }
        for (int i = 0; i < maps; ++i) outer.push_back(m_info.nitSot ? m_node.input(m_op.outerLength(0)) : m_node.input(0));
        for (int i = 0; i < m_info.nonSequences; ++i)
            addInput(m_inner.inputs[static_cast<std::size_t>(m_op.innerNonSequence(i))], m_node.input(m_op.outerNonSequence(i)));
        for (int i = 0; i < m_info.nonSequences; ++i)
            if (const VarRef &direction = m_inputs[static_cast<std::size_t>(m_op.innerNonSequence(i))]) {
                const int from = m_op.outerNonSequence(i);
                addInput(direction, conformed(m_points[static_cast<std::size_t>(from)], m_node.input(from)->type()));
                ++info.nonSequences;
            }
        info.nitSot = maps;
        if (m_info.isWhile) body.outputs.push_back(m_inner.outputs.back());
        InnerGraph own;
        for (const VarRef &input : body.inputs) own.inputs.push_back(Variable::input(input->type(), input->name()));
        own.outputs = substitute(body.outputs, body.inputs, own.inputs);
        const ApplyRef apply = Apply::create(scanOp(std::move(info), std::move(own)), outer);
        for (std::size_t o = 0; o < outputOf.size(); ++o)
            if (outputOf[o] >= 0) results[o] = VarRef(apply->output(outputOf[o]));
        return results;
    }

    void addState(int s, bool isDirection, ScanInfo &info, InnerGraph &body, std::vector<VarRef> &outer)
    {
        const ScanState &one = state(s);
        const VarRef buffer = m_node.input(one.outerInput);
        for (std::size_t k = 0; k < one.in.size(); ++k) {
            const std::size_t inner = static_cast<std::size_t>(one.firstInner) + k;
            body.inputs.push_back(isDirection ? m_inputs[inner] : m_inner.inputs[inner]);
        }
        for (std::size_t k = 0; k < one.out.size(); ++k) {
            const std::size_t place = static_cast<std::size_t>(one.firstResult) + k;
            const VarRef &made = m_inner.outputs[place];
            if (!isDirection) body.outputs.push_back(made);
            else if (m_results[place]) body.outputs.push_back(m_results[place]);
            else body.outputs.push_back(conformed(sums::filled(made, made->type().dtype(), 0), made->type()));
        }
        const VarRef &point = m_points[static_cast<std::size_t>(one.outerInput)];
        if (!isDirection) outer.push_back(buffer);
        else outer.push_back(conformed(point ? point : sums::filled(buffer, buffer->type().dtype(), 0), buffer->type()));
        if (one.kind == ScanState::Kind::MitMot) info.mitMot.push_back({one.in, one.out});
        else if (one.kind == ScanState::Kind::MitSot) info.mitSot.push_back(one.in);
        else ++info.sitSot;
    }

    const Scan &m_op;
    const ScanInfo &m_info;
    const InnerGraph &m_inner;
    const Apply &m_node;
    std::span<const VarRef> m_points;
    std::vector<bool> m_isMoving;  // by state
    std::vector<VarRef> m_inputs;  // direction of each inner input, or null
    std::vector<VarRef> m_results; // of each inner output, or null
};

} // namespace

// What reaches a state in one step reaches all that reads the state in the next.
std::vector<std::vector<bool>> Scan::connectionPattern(const Apply &) const
{
    const Pattern step = connections(m_inner.inputs, m_inner.outputs);
    const std::size_t outputs = static_cast<std::size_t>(outerOutputs());
    Pattern result(static_cast<std::size_t>(outerInputs()), std::vector<bool>(outputs, false));
    const auto results = [&](std::size_t output) {
        std::vector<std::size_t> places;
        if (output < m_states.size()) {
            const ScanState &state = m_states[output];
            for (std::size_t k = 0; k < state.out.size(); ++k) places.push_back(static_cast<std::size_t>(state.firstResult) + k);
        } else if (output < static_cast<std::size_t>(sharedOutput(0))) {
            places.push_back(static_cast<std::size_t>(nitResult(static_cast<int>(output) - nitOutput(0))));
        } else {
            places.push_back(static_cast<std::size_t>(sharedResult(static_cast<int>(output) - sharedOutput(0))));
        }
        return places;
    };
    for (std::size_t o = 0; o < outputs; ++o) {
        for (std::size_t place : results(o))
            for (std::size_t i = 0; i < m_inner.inputs.size(); ++i)
                if (step[i][place]) result[static_cast<std::size_t>(m_sources[i].outer)][o] = true;
        if (o < m_states.size()) result[static_cast<std::size_t>(m_states[o].outerInput)][o] = true;
    }
    for (bool isChanged = true; std::exchange(isChanged, false);)
        for (std::size_t via = 0; via < outputs; ++via) {
            const bool isShared = via >= static_cast<std::size_t>(sharedOutput(0));
            if (via >= m_states.size() && !isShared) continue;
            const int carrier = isShared ? outerShared(static_cast<int>(via) - sharedOutput(0)) : m_states[via].outerInput;
            for (std::vector<bool> &row : result)
                for (std::size_t o = 0; o < outputs; ++o) {
                    if (!row[via] || row[o] || !result[static_cast<std::size_t>(carrier)][o]) continue;
                    row[o] = isChanged = true;
                }
        }
    return result;
}

std::vector<VarRef> Scan::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return Forward(*this, node, evalPoints).directions();
}

} // namespace engine
