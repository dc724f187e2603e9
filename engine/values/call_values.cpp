#include "engine/values/call_values.h"

#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/precise_elements.h"
#include "engine/ops/reductions/fused_reduce.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/values/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace engine {
namespace {

// What is known of an array while its readers wait for it.
struct Known {
    Tensor got;
    PreciseRef wanted;
    bool isExact = false; ///< what is wanted is what is there
};

bool isTooLarge(const Tensor &tensor, const CallOptions &options) { return tensor.size() > options.mostElements; }

double largestOf(DType dtype)
{
    switch (dtype) {
    case DType::Float16: return 65504;
    case DType::Float32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
    }
}

Digits digitsBetween(const Tensor &got, const PreciseArray &wanted, Reference reference)
{
    Digits digits;
    digits.reference = reference;
    const DType dtype = got.dtype();
    digits.all = digitsOf(dtype);
    const Tensor dense = got.converted(DType::Float64);
    const double *values = dense.as<double>();
    double total = 0;
    for (std::size_t i = 0; i < wanted.values.size(); ++i) {
        const Precise &right = wanted.values[i];
        if (isDiscrete(dtype)) {
            if (Precise(values[i]) == right) continue;
            if (digits.differing++ == 0) {
                digits.worst = static_cast<std::int64_t>(i);
                digits.got = values[i];
                digits.wanted = textOf(right, 20);
            }
            continue;
        }
        const double lost = digitsLost(values[i], right, dtype);
        total += lost;
        digits.unsure += !isSure(right, dtype);
        if (lost <= digits.lost) continue;
        digits.lost = lost;
        digits.worst = static_cast<std::int64_t>(i);
        digits.got = values[i];
        digits.wanted = textOf(right, 20);
    }
    if (!wanted.values.empty()) digits.mean = total / static_cast<double>(wanted.values.size());
    return digits;
}

class Walk final : public ApplyListener {
public:
    Walk(const FunctionGraph &graph, const CallOptions &options, CallValues &result) : m_graph(graph), m_options(options), m_result(result)
    {
        for (ApplyId id : graph.liveApplies())
            for (const Use &use : graph.apply(id).inputs) ++m_readers[raw(use.var)];
    }

    void leaf(VarId var, const Value &value)
    {
        if (!value.isTensor()) return;
        Known known{value.tensor().copy(), nullptr, true};
        if (!isTooLarge(known.got, m_options))
            if (auto array = PreciseArray::of(known.got)) known.wanted = std::make_shared<const PreciseArray>(std::move(*array));
        ValueRow row = rowOf(var);
        row.facts = factsOf(known.got);
        row.shape = known.got.shape();
        row.digits.reference = known.wanted ? Reference::Precise : Reference::None;
        row.digits.all = digitsOf(known.got.dtype());
        row.born = {row.facts.nans > 0, row.facts.infinities > 0, false, row.facts.denormals > 0};
        // A constant that is a number like others is nobody's news.
        if (m_graph.var(var).kind != Variable::Kind::Constant || row.born.any()) m_result.rows.push_back(std::move(row));
        if (!known.wanted)
            note("arrays of more than " + std::to_string(m_options.mostElements) + " elements, and complex ones, have no reference.");
        m_known[raw(var)] = std::move(known);
    }

    void after(ApplyId id, std::span<const Value>, std::span<Value> outputs) override;

private:
    struct Reading {
        std::vector<Type> inputTypes, outputTypes;
        std::vector<Value> values;
        std::vector<PreciseRef> wanted, asCame; // references of the inputs, and of the inputs as they came
        bool areExact = true, areKnown = true;
    };

    ValueRow rowOf(VarId var) const
    {
        const VarNode &node = m_graph.var(var);
        ValueRow row;
        row.variable = var;
        row.apply = node.owner;
        row.port = node.index;
        if (node.owner != kNoApply) row.op = m_graph.apply(node.owner).op->friendlyName();
        row.name = m_graph.name(var).empty() && !row.op.empty() ? row.op : m_graph.displayName(var);
        row.type = node.type.text();
        if (node.type.isTensor()) row.dtype = node.type.dtype();
        return row;
    }

    Reading read(ApplyId id) const
    {
        Reading reading;
        for (const Use &use : m_graph.apply(id).inputs) {
            reading.inputTypes.push_back(m_graph.var(use.var).type);
            const auto found = m_known.find(raw(use.var));
            const bool isThere = found != m_known.end();
            reading.values.push_back(isThere ? Value(found->second.got) : Value());
            reading.wanted.push_back(isThere ? found->second.wanted : nullptr);
            reading.areExact = reading.areExact && isThere && found->second.isExact;
            reading.areKnown = reading.areKnown && (!isThere || found->second.wanted);
            reading.asCame.push_back(isThere && found->second.wanted ? asItCame(found->second) : nullptr);
        }
        for (VarId out : m_graph.apply(id).outputs) reading.outputTypes.push_back(m_graph.var(out).type);
        return reading;
    }

    static PreciseRef asItCame(const Known &known)
    {
        return known.isExact ? known.wanted : std::make_shared<const PreciseArray>(*PreciseArray::of(known.got));
    }

    void note(const std::string &text)
    {
        if (std::find(m_result.notes.begin(), m_result.notes.end(), text) == m_result.notes.end()) m_result.notes.push_back(text);
    }

    void finish(ValueRow &row, const Tensor &got, const PreciseRef &wanted, const PreciseRef &own, Reference reference,
                std::span<const Tensor> inputs, bool isByElement) const;
    void stepsOf(ApplyId id, const Reading &reading);

    const FunctionGraph &m_graph;
    const CallOptions &m_options;
    CallValues &m_result;
    ReferenceBudget m_budget;
    std::unordered_map<std::uint32_t, Known> m_known;
    std::unordered_map<std::uint32_t, std::size_t> m_readers;
};

// `inputs` say what was there before.
Born bornIn(const ArrayFacts &facts, std::span<const Tensor> inputs, const Tensor &got, const PreciseRef &wanted)
{
    bool hadNan = false, hadInfinity = false, hadDenormal = false;
    for (const Tensor &input : inputs) {
        if (isDiscrete(input.dtype())) continue;
        const ArrayFacts before = factsOf(input);
        hadNan = hadNan || before.nans > 0;
        hadInfinity = hadInfinity || before.infinities > 0;
        hadDenormal = hadDenormal || before.denormals > 0;
    }
    Born born{facts.nans > 0 && !hadNan, facts.infinities > 0 && !hadInfinity, false, facts.denormals > 0 && !hadDenormal};
    // A number that is only too large for its dtype; a pole like log(0) is infinite in the reference, too.
    if (born.infinity && wanted)
        for (std::int64_t i = 0; i < got.size() && !born.overflow; ++i) {
            const Precise &right = wanted->values[i];
            const auto size = std::fabs(static_cast<long double>(right.high()));
            born.overflow = std::isinf(got.at(i)) && right.isFinite() && size > static_cast<long double>(largestOf(got.dtype()));
        }
    return born;
}

// The first element that is what was born; -1: nothing was.
std::int64_t birthplace(const Born &born, const Tensor &got)
{
    if (!born.any() || isComplex(got.dtype())) return -1;
    for (std::int64_t i = 0; i < got.size(); ++i) {
        const double value = got.at(i);
        if (born.nan ? std::isnan(value) : born.infinity ? std::isinf(value) : value != 0 && std::fabs(value) < leastNormal(got.dtype()))
            return i;
    }
    return -1;
}

void Walk::finish(ValueRow &row, const Tensor &got, const PreciseRef &wanted, const PreciseRef &own, Reference reference,
                  std::span<const Tensor> inputs, bool isByElement) const
{
    row.shape = got.shape();
    row.dtype = got.dtype();
    row.facts = factsOf(got);
    row.digits.all = digitsOf(got.dtype());
    if (wanted && wanted->shape == got.shape()) {
        row.digits = digitsBetween(got, *wanted, reference);
        row.digits.own = own == wanted ? row.digits.lost : own && own->shape == got.shape() ? digitsBetween(got, *own, reference).lost : 0;
    }
    row.born = bornIn(row.facts, inputs, got, own);
    if (const std::int64_t place = birthplace(row.born, got); place >= 0) {
        row.digits.worst = place;
        row.digits.got = got.at(place);
        if (wanted && wanted->shape == got.shape()) row.digits.wanted = textOf(wanted->values[place], 20);
    }
    const std::int64_t worst = row.digits.worst;
    for (const Tensor &input : inputs)
        if (worst >= 0 && isByElement && (input.shape() == got.shape() || input.size() == 1))
            row.inputsAtWorst.push_back(isComplex(input.dtype()) ? 0 : input.at(input.size() == 1 ? 0 : worst));
}

void Walk::after(ApplyId id, std::span<const Value>, std::span<Value> outputs)
{
    const ApplyNode &node = m_graph.apply(id);
    Reading reading = read(id);
    std::vector<Value> results;
    bool isSmall = reading.areKnown;
    for (const Value &output : outputs) {
        results.push_back(output.isTensor() ? Value(output.tensor().copy()) : output);
        isSmall = isSmall && !(output.isTensor() && isTooLarge(output.tensor(), m_options));
    }
    ReferenceResult wanted, own;
    const std::size_t firstStep = m_result.rows.size();
    if (isSmall) {
        wanted = referenceOf(*node.op, reading.inputTypes, reading.outputTypes, reading.wanted, reading.values, results, m_budget);
        if (!reading.areExact && wanted.reference == Reference::Precise)
            own = referenceOf(*node.op, reading.inputTypes, reading.outputTypes, reading.asCame, reading.values, results, m_budget);
        if (!wanted.note.empty()) note(wanted.note);
        stepsOf(id, reading);
    }
    const std::size_t lastStep = m_result.rows.size();
    std::vector<Tensor> inputs;
    for (const Value &value : reading.values)
        if (value.isTensor()) inputs.push_back(value.tensor());
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        ValueRow row = rowOf(node.outputs[o]);
        if (!results[o].isTensor()) continue;
        Known known{results[o].tensor(), isSmall ? wanted.outputs[o] : nullptr, false};
        const bool isOpen = node.op->leavesElementsOpen();
        finish(row, known.got, isOpen ? nullptr : known.wanted, reading.areExact || own.outputs.empty() ? known.wanted : own.outputs[o],
               isSmall ? wanted.reference : Reference::None, inputs, node.op->card().role == OpRole::Elementwise);
        if (isOpen) row.born = {};
        // What a step bore was told there.
        for (std::size_t i = firstStep; i < lastStep; ++i) {
            const Born &inside = m_result.rows[i].born;
            row.born.nan = row.born.nan && !inside.nan;
            row.born.infinity = row.born.infinity && !inside.infinity;
            row.born.overflow = row.born.overflow && !inside.overflow && row.born.infinity;
            row.born.denormal = row.born.denormal && !inside.denormal;
        }
        // Sizes and places are those of the call: where the reference counts otherwise, that was said here.
        if (isDiscrete(known.got.dtype()) && known.wanted && row.digits.differing == 0) known.isExact = true;
        m_result.rows.push_back(std::move(row));
        m_known[raw(node.outputs[o])] = std::move(known);
    }
    for (const Use &use : node.inputs)
        if (--m_readers[raw(use.var)] == 0) m_known.erase(raw(use.var));
}

// The steps of a fused body, each by the engine's own function, and with more digits.
void Walk::stepsOf(ApplyId id, const Reading &reading)
{
    const Op &op = *m_graph.apply(id).op;
    const FusedReduce *fused = opCast<FusedReduce>(&op);
    const Elemwise *elements = fused ? &fused->elements() : opCast<Elemwise>(&op);
    if (!elements || reading.values.empty()) return;
    const ScalarOp &function = *elements->scalar();
    ScalarBody single;
    const ScalarBody *body = function.body();
    if (!body) {
        if (!fused) return; // the apply's own row says it all
        single.inputCount = static_cast<std::uint32_t>(reading.values.size());
        ScalarInstruction all{&function, {}, DType::Float64, 0};
        for (std::uint32_t i = 0; i < single.inputCount; ++i) all.arguments.push_back(i);
        std::vector<DType> dtypes;
        for (const Type &type : reading.inputTypes) dtypes.push_back(type.dtype());
        all.dtype = function.resultType(dtypes);
        single.instructions = {all};
        body = &single;
    }
    std::vector<Tensor> got;
    std::vector<PreciseRef> wanted = reading.wanted;
    for (const Value &value : reading.values) got.push_back(value.tensor());
    const Dims number(static_cast<std::size_t>(got[0].rank()), 1);
    Reference reference = Reference::Precise;
    int count = 0;
    for (const ScalarInstruction &instruction : body->instructions) {
        if (!instruction.op) {
            got.push_back(Tensor::full(instruction.dtype, number, instruction.literal));
            wanted.push_back(std::make_shared<const PreciseArray>(*PreciseArray::of(got.back())));
            continue;
        }
        std::vector<Value> values;
        std::vector<Tensor> inputs;
        std::vector<PreciseRef> right, came;
        for (std::uint32_t argument : instruction.arguments) {
            inputs.push_back(got[argument]);
            values.push_back(Value(got[argument]));
            right.push_back(wanted[argument]);
            came.push_back(std::make_shared<const PreciseArray>(*PreciseArray::of(got[argument])));
        }
        const Type type = Type::ofRank(instruction.dtype, number.rank());
        const OpRef step = elemwise(instruction.op);
        const Tensor result = evaluateOp(*step, values, {&type, 1})[0].tensor().copy();
        PreciseRef now, own;
        try {
            now = std::make_shared<const PreciseArray>(preciseElements(*instruction.op, right, instruction.dtype));
            own = std::make_shared<const PreciseArray>(preciseElements(*instruction.op, came, instruction.dtype));
        } catch (const NotPrecise &) {
            now = own = std::make_shared<const PreciseArray>(*PreciseArray::of(result));
            reference = Reference::Same;
        }
        ValueRow row;
        row.apply = id;
        row.step = count++;
        row.name = row.op = instruction.op->friendlyName();
        row.type = std::string(nameOf(instruction.dtype));
        finish(row, result, now, own, reference, inputs, true);
        m_result.rows.push_back(std::move(row));
        got.push_back(result);
        wanted.push_back(std::move(now));
    }
}

} // namespace

CallValues valuesOfCall(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const Value> values,
                        const CallOptions &options)
{
    CallValues result;
    Walk walk(graph, options, result);
    std::vector<Value> given;
    for (std::size_t i = 0; i < values.size(); ++i) {
        walk.leaf(graph.inputs()[i], values[i]);
        given.push_back(values[i].isTensor() ? Value(values[i].tensor().copy()) : values[i]);
    }
    std::vector<bool> isSeen(graph.varCount(), false);
    for (ApplyId id : order)
        for (const Use &use : graph.apply(id).inputs) {
            const VarNode &node = graph.var(use.var);
            if (node.kind != Variable::Kind::Constant || isSeen[raw(use.var)]) continue;
            isSeen[raw(use.var)] = true;
            walk.leaf(use.var, node.leaf->value());
        }
    ApplyFailure failure;
    interpret(graph, order, graph.inputs(), given, {}, {}, failure, &walk);
    return result;
}

} // namespace engine
