#include "engine/values/reference.h"

#include "engine/runtime/plan/interpreter.h"
#include "engine/values/precise_nested.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

// The op moves numbers that say where each element came from. Place 0 is nobody's: an element that is made there is zero.
bool moved(PreciseCall &call, const PreciseForm &form)
{
    const std::size_t end = form.count < call.inputs.size() - form.first ? form.first + form.count : call.inputs.size();
    std::vector<Value> values(call.values.begin(), call.values.end());
    std::vector<const PreciseArray *> sources;
    std::vector<std::int64_t> firsts;
    std::int64_t next = 1;
    for (std::size_t i = form.first; i < end; ++i) {
        if (!call.inputs[i]) return false;
        Tensor places = Tensor::empty(DType::Int64, call.inputs[i]->shape);
        for (std::int64_t k = 0; k < places.size(); ++k) places.as<std::int64_t>()[k] = next + k;
        sources.push_back(call.inputs[i].get());
        firsts.push_back(next);
        next += places.size();
        values[i] = Value(std::move(places));
    }
    std::vector<Type> types;
    for (Type type : call.outputTypes) types.push_back(type.withDType(DType::Int64));
    const std::vector<Value> results = evaluateOp(call.op, values, types);
    for (std::size_t o = 0; o < results.size(); ++o) {
        const Tensor places = results[o].tensor().copy();
        PreciseArray out = PreciseArray::sized(places.shape());
        for (std::size_t k = 0; k < out.values.size(); ++k) {
            const std::int64_t place = places.as<std::int64_t>()[k];
            if (place <= 0) continue;
            const auto source = std::upper_bound(firsts.begin(), firsts.end(), place) - firsts.begin() - 1;
            out.values[k] = sources[source]->values[place - firsts[source]];
        }
        call.set(o, std::move(out));
    }
    return true;
}

Tensor rounded(const PreciseArray &array)
{
    Tensor result = Tensor::empty(DType::Float64, array.shape);
    for (std::size_t i = 0; i < array.values.size(); ++i) result.as<double>()[i] = array.values[i].toDouble();
    return result;
}

// In float64, where the op has that. What that may be off by is not known; a few units of its last place are assumed.
bool inDouble(PreciseCall &call)
{
    if (call.op.worksOnValues()) return false;
    std::vector<Value> values(call.values.begin(), call.values.end());
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i].isTensor()) return false;
        if (call.inputTypes[i].isContinuous()) {
            if (!call.inputs[i]) return false;
            values[i] = Value(rounded(*call.inputs[i]));
        }
        operands.push_back({call.inputTypes[i].withDType(values[i].tensor().dtype()), &values[i]});
    }
    const std::vector<Type> types = call.op.outputTypes(operands);
    for (std::size_t o = 0; o < types.size(); ++o)
        if (call.outputTypes[o].isContinuous() && types[o].dtype() != DType::Float64) return false;
    const std::vector<Value> results = evaluateOp(call.op, values, types);
    for (std::size_t o = 0; o < results.size(); ++o) {
        if (!call.outputTypes[o].isContinuous() || !(results[o].tensor().shape() == call.results[o].tensor().shape())) continue;
        PreciseArray out = *PreciseArray::of(results[o].tensor());
        for (Precise &value : out.values)
            if (value.isFinite()) value = value.blurred(std::fabs(static_cast<long double>(value.high())) * 0x1p-50L);
        call.set(o, std::move(out));
    }
    return true;
}

void asTheyWere(PreciseCall &call)
{
    for (std::size_t o = 0; o < call.outputs.size(); ++o)
        if (!call.outputs[o] && call.results[o].isTensor())
            if (auto array = PreciseArray::of(call.results[o].tensor())) call.set(o, std::move(*array));
}

} // namespace

void ReferenceBudget::spend(const Op &op, std::span<const Type> inputTypes, std::span<const Type> outputTypes,
                            std::span<const Value> values, std::span<const Value> results)
{
    std::vector<Sized> in, out;
    double elements = 0;
    const auto add = [&](std::vector<Sized> &into, Type type, const Value &value) {
        const Dims shape = value.isTensor() ? value.tensor().shape() : Dims();
        into.push_back({type, shape});
        elements = std::max(elements, static_cast<double>(shape.product()));
    };
    for (std::size_t i = 0; i < values.size(); ++i) add(in, inputTypes[i], values[i]);
    for (std::size_t o = 0; o < results.size(); ++o) add(out, outputTypes[o], results[o]);
    if (elements > static_cast<double>(mostElements))
        throw NotPrecise("arrays of more than " + std::to_string(mostElements) + " elements have no reference with more digits");
    const double work = std::max(elements, op.inner() ? 0 : costOf(op, in, out).flops);
    if (work > flops) throw NotPrecise("the whole is too much work to be done in more than 53 bits");
    flops -= work;
}

ReferenceResult referenceOf(const Op &op, std::span<const Type> inputTypes, std::span<const Type> outputTypes,
                            std::span<const PreciseRef> inputs, std::span<const Value> values, std::span<const Value> results,
                            ReferenceBudget &budget)
{
    PreciseCall call{op, inputTypes, outputTypes, inputs, values, results, std::vector<PreciseRef>(results.size())};
    ReferenceResult result;
    const bool readsNumbers = std::ranges::any_of(inputTypes, &Type::isContinuous);
    const bool givesNumbers = std::ranges::any_of(outputTypes, &Type::isContinuous);
    try {
        if (readsNumbers && givesNumbers) budget.spend(op, inputTypes, outputTypes, values, results);
        const bool isLoop = op.card().role == OpRole::Loop;
        if (readsNumbers && givesNumbers && op.card().nests()) {
            const NestedReference nested = isLoop ? preciseScan(call, budget) : preciseInner(call, budget);
            result.reference = nested.worst;
            for (const std::string &note : nested.notes)
                result.note += (result.note.empty() ? "in " + op.friendlyName() + ", " : " ") + note;
        } else if (const auto &form = op.card().precise) {
            if (form->work) form->work(call);
            else if (readsNumbers && givesNumbers) moved(call, *form);
        } else if (readsNumbers && givesNumbers) {
            result.reference = inDouble(call) ? Reference::Double : Reference::Same;
            result.note = op.friendlyName() +
                          (result.reference == Reference::Double
                               ? " has no form of more than 53 bits: its own implementation in float64 is its reference."
                               : " has no form with more digits: its own values are taken as right, and what is lost in it is not seen.");
        } else if (givesNumbers && !op.canFold()) {
            result.reference = Reference::Same;
        }
    } catch (const NotPrecise &why) {
        result.reference = inDouble(call) ? Reference::Double : Reference::Same;
        result.note = std::string(why.what()) +
                      (result.reference == Reference::Double ? ": it is done in float64." : ": its own values are taken as right.");
    }
    asTheyWere(call);
    result.outputs = std::move(call.outputs);
    return result;
}

} // namespace engine
