// A loop with more digits. It runs as every loop does, but on places: numbers that say where an element and its reference lie.
#include "engine/ops/loops/scan.h"
#include "engine/values/precise_graph.h"
#include "engine/values/precise_nested.h"

#include <algorithm>

namespace engine {
namespace {

// All elements that steps have seen. Place 0 is that of a row that no step wrote: a zero.
class ElementPlaces {
public:
    Value add(const Tensor &got, const PreciseArray &wanted)
    {
        Tensor places = Tensor::empty(DType::Int64, got.shape());
        const Tensor wide = got.converted(DType::Float64);
        for (std::int64_t i = 0; i < places.size(); ++i) {
            places.as<std::int64_t>()[i] = static_cast<std::int64_t>(m_wanted.size());
            m_wanted.push_back(wanted.values[static_cast<std::size_t>(i)]);
            m_got.push_back(wide.as<double>()[i]);
        }
        return Value(std::move(places));
    }

    PreciseArray wanted(const Tensor &places) const
    {
        PreciseArray array = PreciseArray::sized(places.shape());
        const Tensor all = places.copy();
        for (std::size_t i = 0; i < array.values.size(); ++i) array.values[i] = m_wanted[at(all, i)];
        return array;
    }

    Tensor got(const Tensor &places, DType dtype) const
    {
        Tensor values = Tensor::empty(DType::Float64, places.shape());
        const Tensor all = places.copy();
        for (std::int64_t i = 0; i < values.size(); ++i) values.as<double>()[i] = m_got[at(all, static_cast<std::size_t>(i))];
        return values.converted(dtype);
    }

private:
    static std::size_t at(const Tensor &places, std::size_t i) { return static_cast<std::size_t>(places.as<std::int64_t>()[i]); }
    std::vector<Precise> m_wanted{Precise()};
    std::vector<double> m_got{0};
};

class PlacesBody final : public ScanBody {
public:
    PlacesBody(const Scan &op, ElementPlaces &places, ReferenceBudget &budget)
        : m_inner(*op.inner()), m_graph(m_inner.inputs, m_inner.outputs), m_order(m_graph.toposort()), m_places(places), m_budget(budget),
          m_firstFixed(op.innerNonSequence(0))
    {}

    bool layOut(std::span<const View>, std::size_t) override { return false; }
    Dims outputShape(std::size_t) const override { return {}; }
    std::vector<Dims> outputShapesFor(std::span<const View>) override { return {}; }
    void step(std::span<void *const>, std::span<void *const>) override {}
    void eachStep(std::int64_t, const Places &) override {}

    void stepOnValues(std::span<const Value> inputs, std::vector<Value> &outputs) override
    {
        m_values.resize(inputs.size());
        m_wanted.resize(inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (m_isBegun && i >= m_firstFixed) continue; // it is the same in every step
            m_values[i] = inputs[i];
            m_wanted[i] = nullptr;
            const Type type = m_inner.inputs[i]->type();
            if (type.isContinuous()) {
                m_values[i] = Value(m_places.got(inputs[i].tensor(), type.dtype()));
                m_wanted[i] = std::make_shared<const PreciseArray>(m_places.wanted(inputs[i].tensor()));
            } else if (inputs[i].isTensor()) {
                if (auto array = PreciseArray::of(inputs[i].tensor()))
                    m_wanted[i] = std::make_shared<const PreciseArray>(std::move(*array));
            }
        }
        m_isBegun = true;
        PreciseGraph made = preciseGraph(m_graph, m_order, m_values, m_wanted, m_budget);
        for (std::string &note : made.notes)
            if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
        outputs.clear();
        for (std::size_t o = 0; o < made.values.size(); ++o) {
            const bool isNumber = m_inner.outputs[o]->type().isContinuous();
            if (isNumber && !made.wanted[o]) throw NotPrecise("a loop gives what has no precise form");
            if (isNumber) worst = std::max(worst, made.references[o]);
            outputs.push_back(isNumber ? m_places.add(made.values[o].tensor().copy(), *made.wanted[o]) : made.values[o]);
        }
    }

    Reference worst = Reference::Precise;
    std::vector<std::string> notes;

private:
    const InnerGraph &m_inner;
    const FunctionGraph m_graph;
    const std::vector<ApplyId> m_order;
    ElementPlaces &m_places;
    ReferenceBudget &m_budget;
    const std::size_t m_firstFixed;
    bool m_isBegun = false;
    std::vector<Value> m_values;
    std::vector<PreciseRef> m_wanted;
};

// Sizes, places and decisions are those of the call; numbers become places.
std::vector<Value> outerInputs(const Scan &op, const PreciseCall &call, ElementPlaces &places)
{
    std::vector<Value> outer(call.values.begin(), call.values.end());
    for (std::size_t i = 0; i < outer.size(); ++i) {
        if (!call.inputTypes[i].isContinuous()) {
            if (outer[i].isTensor()) outer[i] = Value(outer[i].tensor().copy());
            continue;
        }
        if (!call.inputs[i]) throw NotPrecise(op.friendlyName() + " reads what has no precise form");
        outer[i] = places.add(outer[i].tensor().copy(), *call.inputs[i]);
    }
    return outer;
}

} // namespace

NestedReference preciseScan(PreciseCall &call, ReferenceBudget &budget)
{
    const auto &op = static_cast<const Scan &>(call.op);
    ElementPlaces places;
    const std::vector<Value> outer = outerInputs(op, call, places);
    std::vector<Value> results(call.outputs.size());
    PlacesBody body(op, places, budget);
    runScan(op, outer, results, body);
    for (std::size_t o = 0; o < results.size(); ++o) {
        if (!call.outputTypes[o].isContinuous()) continue;
        const Tensor &made = results[o].tensor();
        if (!(made.shape() == call.results[o].tensor().shape())) throw NotPrecise("a loop ends at another step with more digits");
        // One that no step wrote holds no places.
        call.set(o, made.dtype() == DType::Int64 ? places.wanted(made) : *PreciseArray::of(made));
    }
    return {body.worst, body.notes};
}

NestedReference preciseInner(PreciseCall &call, ReferenceBudget &budget)
{
    const InnerGraph &inner = *call.op.inner();
    const FunctionGraph graph(inner.inputs, inner.outputs);
    PreciseGraph made = preciseGraph(graph, graph.toposort(), call.values, call.inputs, budget);
    Reference worst = Reference::Precise;
    for (std::size_t o = 0; o < made.wanted.size(); ++o) {
        if (!call.outputTypes[o].isContinuous()) continue;
        if (!made.wanted[o]) throw NotPrecise(call.op.friendlyName() + " gives what has no precise form");
        worst = std::max(worst, made.references[o]);
        call.outputs[o] = made.wanted[o];
    }
    return {worst, made.notes};
}

} // namespace engine
