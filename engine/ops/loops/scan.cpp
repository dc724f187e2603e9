#include "engine/ops/loops/scan.h"

#include "engine/gradient/gradient.h"
#include "engine/ops/shapes/nested_shapes.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <unordered_map>

namespace engine {
namespace {

std::string tapsText(const std::vector<int> &taps)
{
    std::string text;
    for (int tap : taps) text += std::to_string(tap) + ",";
    return text + ";";
}

std::string address(const void *pointer)
{
    char text[32];
    std::snprintf(text, sizeof text, "%p", pointer);
    return text;
}

// Two bodies with the same text compute the same.
class BodyText {
public:
    std::string of(const InnerGraph &graph)
    {
        for (const VarRef &input : graph.inputs) name(input.get(), "i:" + std::to_string(input->type().hash()));
        for (Apply *apply : toposort(graph.outputs, graph.inputs)) {
            m_text += apply->op().className() == "Scan" ? opCast<Scan>(apply->opRef())->name() + std::to_string(apply->op().hash())
                                                        : address(&apply->op());
            m_text += '(';
            for (const VarRef &input : apply->inputs()) m_text += numberOf(input.get()) + ",";
            m_text += ')';
            for (int o = 0; o < apply->outputCount(); ++o) name(apply->output(o), "");
        }
        m_text += "->";
        for (const VarRef &output : graph.outputs) m_text += numberOf(output.get()) + ",";
        return std::move(m_text);
    }

private:
    void name(const Variable *variable, const std::string &what)
    {
        m_numbers.emplace(variable, m_numbers.size());
        m_text += what;
    }
    std::string numberOf(const Variable *variable)
    {
        const auto found = m_numbers.find(variable);
        if (found != m_numbers.end()) return std::to_string(found->second);
        std::string text = "c" + std::to_string(variable->type().hash()) + ":";
        const Value &value = variable->value();
        if (value.isTensor() && value.tensor().size() <= 8) {
            const Tensor dense = value.tensor().copy();
            text.append(dense.as<char>(), dense.bytes());
        } else {
            text += address(variable);
        }
        return text;
    }

    std::string m_text;
    std::unordered_map<const Variable *, std::size_t> m_numbers;
};

// The shapes of the outer apply, as the body sees them: rows of what it reads.
class RowShapes final : public ShapeBuilder {
public:
    RowShapes(const Scan &op, ShapeBuilder &outer) : m_op(op), m_outer(outer) {}

    Sym dim(int input, int axis) override
    {
        const Scan::Source source = m_op.sourceOf(input);
        return m_outer.dim(source.outer, axis + source.isRow);
    }
    std::optional<Sym> value(int input, int element) override
    {
        const Scan::Source source = m_op.sourceOf(input);
        const bool isFixed = static_cast<std::size_t>(input) >= m_op.innerNonSequence(0);
        return isFixed ? m_outer.value(source.outer, element) : std::nullopt;
    }
    int inputCount() const override { return m_op.innerInputs(); }
    int inputRank(int input) const override
    {
        const Scan::Source source = m_op.sourceOf(input);
        return m_outer.inputRank(source.outer) - source.isRow;
    }
    bool inputBroadcastable(int input, int axis) const override
    {
        const Scan::Source source = m_op.sourceOf(input);
        return m_outer.inputBroadcastable(source.outer, axis + source.isRow);
    }
    Sym constant(std::int64_t value) override { return m_outer.constant(value); }
    std::optional<std::int64_t> known(Sym symbol) const override { return m_outer.known(symbol); }
    Sym add(Sym a, Sym b) override { return m_outer.add(a, b); }
    Sym sub(Sym a, Sym b) override { return m_outer.sub(a, b); }
    Sym mul(Sym a, Sym b) override { return m_outer.mul(a, b); }
    Sym floorDiv(Sym a, Sym b) override { return m_outer.floorDiv(a, b); }
    Sym mod(Sym a, Sym b) override { return m_outer.mod(a, b); }
    Sym min(Sym a, Sym b) override { return m_outer.min(a, b); }
    Sym max(Sym a, Sym b) override { return m_outer.max(a, b); }
    Sym select(Sym c, Sym a, Sym b) override { return m_outer.select(c, a, b); }
    Sym less(Sym a, Sym b) override { return m_outer.less(a, b); }

private:
    const Scan &m_op;
    ShapeBuilder &m_outer;
};

Type withLeading(Type row, std::int64_t size)
{
    std::vector<std::int64_t> shape{size};
    shape.insert(shape.end(), row.shape().begin(), row.shape().end());
    return Type::tensor(row.dtype(), shape).on(row.device());
}

Type rowType(Type type)
{
    const auto shape = type.shape();
    return Type::tensor(type.dtype(), shape.subspan(1)).on(type.device());
}

ScanBodies (*g_makeBodies)(const InnerGraph &, const std::string &) = nullptr;

} // namespace

int ScanState::history() const
{
    int lowest = 0;
    for (int tap : in) lowest = std::min(lowest, tap);
    return -lowest;
}

Scan::Scan(ScanInfo info, InnerGraph body) : m_info(std::move(info)), m_inner(std::move(body))
{
    if (m_info.name.empty()) m_info.name = "scan_fn";
    findPlaces();
    checkBody();
    for (const VarRef &input : m_inner.inputs)
        if (engine::isOnDevice(input->type())) m_device = input->type().device();
    m_sized.inputs = m_inner.inputs;
    for (std::size_t i = 0; i < m_info.nitSot; ++i) m_sized.outputs.push_back(m_inner.outputs[nitResult(i)]);
    for (std::size_t i = 0; i < m_info.shared; ++i) m_sized.outputs.push_back(m_inner.outputs[sharedResult(i)]);
    m_identity = m_info.name + "|" + std::to_string(m_info.sequences) + "|";
    for (const ScanInfo::MitMot &one : m_info.mitMot) m_identity += tapsText(one.in) + tapsText(one.out);
    m_identity += "|";
    for (const std::vector<int> &taps : m_info.mitSot) m_identity += tapsText(taps);
    for (std::size_t number : {m_info.sitSot, m_info.nitSot, m_info.shared, m_info.nonSequences, std::size_t(m_info.isWhile)})
        m_identity += "|" + std::to_string(number);
    m_identity += "|" + std::to_string(m_info.truncate) + "|" + tapsText(m_info.overwritten) + (m_info.inKernel ? "kernel|" : "") +
                  BodyText().of(m_inner);
}

void Scan::findPlaces()
{
    std::size_t outer = 1 + m_info.sequences, inner = m_info.sequences;
    for (std::size_t i = 0; i < m_info.sequences; ++i) m_sources.push_back({1 + i, true});
    const auto addState = [&](ScanState::Kind kind, std::vector<int> in, std::vector<int> out) {
        ScanState state{kind, std::move(in), std::move(out), outer, stateCount(), inner, m_written};
        for (std::size_t tap = 0; tap < state.in.size(); ++tap) m_sources.push_back({outer, true});
        inner += state.in.size();
        m_written += state.out.size();
        ++outer;
        m_states.push_back(std::move(state));
    };
    for (const ScanInfo::MitMot &one : m_info.mitMot) addState(ScanState::Kind::MitMot, one.in, one.out);
    for (const std::vector<int> &taps : m_info.mitSot) addState(ScanState::Kind::MitSot, taps, {0});
    for (std::size_t i = 0; i < m_info.sitSot; ++i) addState(ScanState::Kind::SitSot, {-1}, {0});
    m_taps = inner - m_info.sequences;
    for (std::size_t i = 0; i < m_info.shared; ++i) m_sources.push_back({outerShared(i), false});
    for (std::size_t i = 0; i < m_info.nonSequences; ++i) m_sources.push_back({outerNonSequence(i), false});
}

void Scan::checkBody() const
{
    const std::size_t results = condition() + m_info.isWhile;
    if (m_inner.inputs.size() != innerInputs() || m_inner.outputs.size() != results)
        throw TypeMismatch("[" + m_info.name + "] the body has " + std::to_string(m_inner.inputs.size()) + " inputs and " +
                           std::to_string(m_inner.outputs.size()) + " outputs, the loop counts " + std::to_string(innerInputs()) + " and " +
                           std::to_string(results));
    for (const ScanState &state : m_states)
        if (state.in.empty()) throw TypeMismatch("[" + m_info.name + "] a state that no step reads");
    for (int output : m_info.overwritten)
        if (output < 0 || static_cast<std::size_t>(output) >= stateCount())
            throw TypeMismatch("[" + m_info.name + "] only states can be written over");
    std::unordered_map<const Variable *, bool> given;
    for (const VarRef &input : m_inner.inputs) given.emplace(input.get(), true);
    for (const VarRef &leaf : leaves(m_inner.outputs, m_inner.inputs)) {
        if (given.count(leaf.get()) || leaf->kind() == Variable::Kind::Constant) continue;
        throw MissingInput("[" + m_info.name + "] a step depends on " + leaf->displayName() + ", which is not among its inputs",
                           "pass it as a non_sequence");
    }
}

std::string Scan::exactName() const
{
    const std::string text = std::string(m_info.isWhile ? "do_while" : "for");
    const std::string rest = (m_device == DeviceId::Host ? "cpu," : "gpu,") + m_info.name + "}";
    if (m_info.overwritten.empty()) return text + "{" + rest;
    if (m_info.overwritten.size() == stateCount()) return text + "all_inplace," + rest; // Theano's brace
    std::string which;
    for (int output : m_info.overwritten) which += std::to_string(output) + ",";
    return text + "{inplace{" + which + "}," + rest;
}

std::string Scan::shortName() const { return m_info.name; }
std::string Scan::identity() const { return m_identity; }

bool Scan::equals(const Op &other) const
{
    if (this == &other) return true;
    const Scan *scan = opCast<Scan>(&other);
    return scan && scan->m_identity == m_identity;
}

std::vector<Type> Scan::outputTypes(std::span<const Operand> inputs) const
{
    const std::string who = "[" + m_info.name + "] ";
    if (inputs.size() != outerInputs())
        throw TypeMismatch(who + "takes " + std::to_string(outerInputs()) + " inputs, got " + std::to_string(inputs.size()));
    const auto isNumber = [](Type type) { return type.isTensor() && type.rank() == 0 && isDiscrete(type.dtype()); };
    if (!isNumber(inputs[0].type)) throw TypeMismatch(who + "the number of steps must be an integer, got " + inputs[0].type.text());
    for (std::size_t i = 0; i < innerInputs(); ++i) {
        const auto [outer, isRow] = sourceOf(i);
        const Type given = inputs[outer].type, wanted = m_inner.inputs[i]->type();
        if (isRow && (!given.isTensor() || given.rank() == 0))
            throw TypeMismatch(who + "input " + std::to_string(outer) + " must have a leading axis for the steps, got " + given.text());
        const Type seen = isRow ? rowType(given) : given;
        if (seen == wanted || (seen.isTensor() && seen.convertibleTo(wanted))) continue;
        throw TypeMismatch(who + "a step reads " + wanted.text() + " where input " + std::to_string(outer) + " gives " + seen.text());
    }
    for (std::size_t i = 0; i < m_info.nitSot; ++i)
        if (!isNumber(inputs[outerLength(i)].type)) throw TypeMismatch(who + "a number of rows must be an integer");
    std::vector<Type> result;
    for (const ScanState &state : m_states) {
        const Type given = inputs[state.outerInput].type;
        // Rows are those that the steps read; a sequence of one is no promise.
        result.push_back(withLeading(m_inner.inputs[state.firstInner]->type(), given.isBroadcastable(0) ? 1 : given.shape()[0]));
        for (std::size_t k = 0; k < state.out.size(); ++k) {
            const Type made = m_inner.outputs[state.firstResult + k]->type(), wanted = rowType(result.back());
            if (made == wanted || made.convertibleTo(wanted)) continue;
            throw TypeMismatch(who + "a step gives " + made.text() + " for a state of " + wanted.text(),
                               "give the initial state the type of what a step gives, by a cast or theano.tensor.unbroadcast");
        }
    }
    for (std::size_t i = 0; i < m_info.nitSot; ++i) {
        const Operand &length = inputs[outerLength(i)];
        const Type row = m_inner.outputs[nitResult(i)]->type();
        if (!row.isTensor()) throw TypeMismatch(who + "output " + std::to_string(i) + " of a step is no array but " + row.text());
        const bool isKnown = length.constant && !m_info.isWhile && length.constant->tensor().intAt(0) > 1;
        result.push_back(withLeading(row, isKnown ? length.constant->tensor().intAt(0) : kUnknownDim));
    }
    for (std::size_t i = 0; i < m_info.shared; ++i) result.push_back(m_inner.outputs[sharedResult(i)]->type());
    return result;
}

bool Scan::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    if (m_info.isWhile) return false;
    std::vector<SymShape> made;
    if (!m_sized.outputs.empty()) {
        RowShapes rows(*this, shapes);
        auto found = nestedShapes(m_sized, rows);
        if (!found) return false;
        made = std::move(*found);
    }
    outputs.clear();
    for (const ScanState &state : m_states) {
        SymShape shape;
        for (int axis = 0; axis < shapes.inputRank(state.outerInput); ++axis) shape.push_back(shapes.dim(state.outerInput, axis));
        outputs.push_back(std::move(shape));
    }
    for (std::size_t i = 0; i < m_info.nitSot; ++i) {
        const auto length = shapes.value(outerLength(i));
        if (!length) return false;
        SymShape shape{*length};
        const SymShape &row = made[i];
        shape.insert(shape.end(), row.begin(), row.end());
        outputs.push_back(std::move(shape));
    }
    for (std::size_t i = 0; i < m_info.shared; ++i) {
        SymShape &after = made[m_info.nitSot + i];
        for (std::size_t axis = 0; axis < after.size(); ++axis)
            if (after[axis] != shapes.dim(outerShared(i), static_cast<int>(axis))) return false; // it grows from step to step
        outputs.push_back(std::move(after));
    }
    return true;
}

std::vector<Alias> Scan::destroyMap() const
{
    std::vector<Alias> result;
    for (int output : m_info.overwritten)
        result.push_back({static_cast<std::uint32_t>(output), static_cast<std::uint32_t>(m_states[output].outerInput)});
    return result;
}

struct Scan::Compiled {
    ScanBodies bodies;
};

bool setScanBodyMaker(ScanBodies (*make)(const InnerGraph &, const std::string &))
{
    g_makeBodies = make;
    return true;
}

// Inside a compiled function the body is compiled with it; this serves evaluation outside of one (test values).
void Scan::performValues(std::span<const Value> inputs, std::span<Value> outputs) const
{
    static ProcessMutex mutex; // guards every m_compiled
    std::unique_lock lock(mutex);
    std::shared_ptr<Compiled> compiled = m_compiled;
    if (!compiled) {
        lock.unlock(); // compiling takes its time, and may call the host language
        compiled = std::make_shared<Compiled>(Compiled{g_makeBodies(m_inner, m_info.name)});
        lock.lock();
        if (!m_compiled) m_compiled = compiled;
    }
    lock.unlock();
    const std::unique_ptr<ScanBody> body = compiled->bodies();
    runScan(*this, inputs, outputs, *body);
}

OpRef scanOp(ScanInfo info, InnerGraph body) { return sealOp(std::make_unique<Scan>(std::move(info), std::move(body))); }

} // namespace engine
