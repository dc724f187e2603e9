// What depends on what in a Scan, and its forward derivative.
#include "engine/gradient/gradient.h"
#include "engine/gradient/sums.h"
#include "engine/graph/ir/clone.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/shapes/reshape.h"

#include <algorithm>
#include <utility>

namespace engine {
namespace {

using Pattern = std::vector<std::vector<bool>>;

// Beside every state, sequence and result that moves stands its direction.
class Forward {
public:
    Forward(const Scan &op, const Apply &node, std::span<const VarRef> points)
        : m_op(op), m_info(op.info()), m_inner(*op.inner()), m_node(node), m_points(points)
    {}

    std::vector<VarRef> directions()
    {
        m_inputs.resize(m_inner.inputs.size());
        m_isMoving.assign(m_op.stateCount(), false);
        findMoving();
        nameDirections();
        return build();
    }

private:
    bool hasPoint(std::size_t outer) const { return static_cast<bool>(m_points[outer]) && m_node.input(outer)->type().isContinuous(); }
    const ScanState &state(std::size_t s) const { return m_op.states()[s]; }
    bool isMoving(std::size_t s) const { return m_isMoving[s]; }
    /// Which state that outer input is.
    std::optional<std::size_t> stateOf(std::size_t outer) const
    {
        const std::size_t first = m_op.outerSequence(m_info.sequences);
        return outer >= first && outer - first < m_op.stateCount() ? std::optional(outer - first) : std::nullopt;
    }

    void findMoving()
    {
        const Pattern step = connections(m_inner.inputs, m_inner.outputs);
        const auto moves = [&](std::size_t innerInput) {
            const std::size_t outer = m_op.sourceOf(innerInput).outer;
            const auto s = stateOf(outer);
            return s ? isMoving(*s) : hasPoint(outer);
        };
        for (std::size_t s = 0; s < m_op.stateCount(); ++s) m_isMoving[s] = hasPoint(state(s).outerInput);
        for (bool isChanged = true; std::exchange(isChanged, false);)
            for (std::size_t s = 0; s < m_op.stateCount(); ++s) {
                if (isMoving(s) || !m_node.input(state(s).outerInput)->type().isContinuous()) continue;
                for (std::size_t i = 0; i < step.size(); ++i)
                    for (std::size_t k = 0; k < state(s).out.size(); ++k)
                        if (step[i][state(s).firstResult + k] && moves(i)) m_isMoving[s] = isChanged = true;
            }
    }

    void nameDirections()
    {
        std::vector<VarRef> wrt, named;
        for (std::size_t i = 0; i < m_op.innerInputs(); ++i) {
            const std::size_t outer = m_op.sourceOf(i).outer;
            const auto s = stateOf(outer);
            if (s ? !isMoving(*s) : !hasPoint(outer)) continue;
            wrt.push_back(m_inner.inputs[i]);
            named.push_back(Variable::input(wrt.back()->type()));
            m_inputs[i] = named.back();
        }
        m_results.resize(m_inner.outputs.size());
        std::vector<VarRef> asked;
        std::vector<std::size_t> places;
        for (std::size_t o = 0; o < m_op.sharedResult(0); ++o) {
            if (!m_inner.outputs[o]->type().isContinuous()) continue;
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
        std::vector<VarRef> outer{m_node.input(0)}, results(m_node.outputCount());
        const auto addInput = [&](const VarRef &inner, const VarRef &from) {
            body.inputs.push_back(inner);
            outer.push_back(from);
        };
        for (std::size_t i = 0; i < m_info.sequences; ++i) addInput(m_inner.inputs[i], m_node.input(m_op.outerSequence(i)));
        for (std::size_t i = 0; i < m_info.sequences; ++i)
            if (m_inputs[i]) {
                const VarRef from = m_node.input(m_op.outerSequence(i));
                addInput(m_inputs[i], conformed(m_points[m_op.outerSequence(i)], from->type()));
                ++info.sequences;
            }
        int output = 0;
        std::vector<int> outputOf(m_node.outputCount(), -1);
        for (const auto kind : {ScanState::Kind::MitMot, ScanState::Kind::MitSot, ScanState::Kind::SitSot})
            for (const bool isDirection : {false, true})
                for (std::size_t s = 0; s < m_op.stateCount(); ++s)
                    if (state(s).kind == kind && (!isDirection || isMoving(s))) {
                        addState(s, isDirection, info, body, outer);
                        if (isDirection) outputOf[s] = output;
                        ++output;
                    }
        int maps = m_info.nitSot;
        for (std::size_t i = 0; i < m_info.nitSot; ++i) body.outputs.push_back(m_inner.outputs[m_op.nitResult(i)]);
        for (std::size_t i = 0; i < m_info.nitSot; ++i) {
            const VarRef &direction = m_results[m_op.nitResult(i)];
            if (!direction) continue;
            body.outputs.push_back(direction);
            outputOf[m_op.nitOutput(i)] = output + maps++;
        }
        for (std::size_t i = 0; i < m_info.shared; ++i) {
            addInput(m_inner.inputs[m_op.innerShared(i)], m_node.input(m_op.outerShared(i)));
            body.outputs.push_back(m_inner.outputs[m_op.sharedResult(i)]);
        }
        for (int i = 0; i < maps; ++i) outer.push_back(m_info.nitSot ? m_node.input(m_op.outerLength(0)) : m_node.input(0));
        for (std::size_t i = 0; i < m_info.nonSequences; ++i)
            addInput(m_inner.inputs[m_op.innerNonSequence(i)], m_node.input(m_op.outerNonSequence(i)));
        for (std::size_t i = 0; i < m_info.nonSequences; ++i)
            if (const VarRef &direction = m_inputs[m_op.innerNonSequence(i)]) {
                const int from = m_op.outerNonSequence(i);
                addInput(direction, conformed(m_points[from], m_node.input(from)->type()));
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

    void addState(std::size_t s, bool isDirection, ScanInfo &info, InnerGraph &body, std::vector<VarRef> &outer)
    {
        const ScanState &one = state(s);
        const VarRef buffer = m_node.input(one.outerInput);
        for (std::size_t k = 0; k < one.in.size(); ++k) {
            const std::size_t inner = one.firstInner + k;
            body.inputs.push_back(isDirection ? m_inputs[inner] : m_inner.inputs[inner]);
        }
        for (std::size_t k = 0; k < one.out.size(); ++k) {
            const std::size_t place = one.firstResult + k;
            const VarRef &made = m_inner.outputs[place];
            if (!isDirection) body.outputs.push_back(made);
            else if (m_results[place]) body.outputs.push_back(m_results[place]);
            else body.outputs.push_back(conformed(sums::filled(made, made->type().dtype(), 0), made->type()));
        }
        const VarRef &point = m_points[one.outerInput];
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
    const std::size_t outputs = outerOutputs();
    Pattern result(outerInputs(), std::vector<bool>(outputs, false));
    const auto results = [&](std::size_t output) {
        std::vector<std::size_t> places;
        if (output < m_states.size()) {
            const ScanState &state = m_states[output];
            for (std::size_t k = 0; k < state.out.size(); ++k) places.push_back(state.firstResult + k);
        } else if (output < sharedOutput(0)) {
            places.push_back(nitResult(output - nitOutput(0)));
        } else {
            places.push_back(sharedResult(output - sharedOutput(0)));
        }
        return places;
    };
    for (std::size_t o = 0; o < outputs; ++o) {
        for (std::size_t place : results(o))
            for (std::size_t i = 0; i < m_inner.inputs.size(); ++i)
                if (step[i][place]) result[m_sources[i].outer][o] = true;
        if (o < m_states.size()) result[m_states[o].outerInput][o] = true;
    }
    for (bool isChanged = true; std::exchange(isChanged, false);)
        for (std::size_t via = 0; via < outputs; ++via) {
            const bool isShared = via >= sharedOutput(0);
            if (via >= m_states.size() && !isShared) continue;
            const std::size_t carrier = isShared ? outerShared(via - sharedOutput(0)) : m_states[via].outerInput;
            for (std::vector<bool> &row : result)
                for (std::size_t o = 0; o < outputs; ++o) {
                    if (!row[via] || row[o] || !result[carrier][o]) continue;
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
