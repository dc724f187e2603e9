// How many digits a program keeps at extreme inputs, beside another form of it, and which rewrites are there to keep them.
#pragma once

#include "engine/ops/elements/elementwise.h"
#include "engine/values/precise_graph.h"
#include "tests/engine/rewrite/support.h"

namespace rewrite_test {

constexpr std::int64_t kSize = 4; // of an axis of an input

inline const Elemwise *functionOf(const VarRef &v) { return v->owner() ? opCast<Elemwise>(v->owner()->opRef()) : nullptr; }

inline Tensor extreme(std::mt19937 &random, DType dtype, const Dims &shape)
{
    static constexpr double kValues[] = {0x1p-66, -0x1p-66, 800, -800, 0, 1, -1, 40, -40, 0x1p-27, 0.5, -1.5, 3};
    Tensor result = Tensor::empty(DType::Float64, shape);
    for (std::int64_t i = 0; i < result.size(); ++i)
        result.as<double>()[i] = isDiscrete(dtype) ? static_cast<double>(random() % 3) : kValues[random() % std::size(kValues)];
    return result.converted(dtype);
}

inline std::vector<Value> valuesFor(const std::vector<VarRef> &inputs, std::mt19937 &random)
{
    std::vector<Value> values;
    for (const VarRef &input : inputs) {
        Dims shape;
        for (int axis = 0; axis < input->type().rank(); ++axis) shape.push_back(input->type().isBroadcastable(axis) ? 1 : kSize);
        values.emplace_back(extreme(random, input->type().dtype(), shape));
    }
    return values;
}

inline DType narrower(DType a, DType b) { return sizeOf(a) < sizeOf(b) ? a : b; }

/// Where the program loses digits that it does not lose as `expected`, which is the same program in another form.
inline std::string lostDigits(const std::vector<VarRef> &inputs, const VarRef &program, const std::vector<Value> &values,
                              const Value &found, const Value &expected, DType dtype)
{
    const auto plain = graphOf(inputs, {program});
    ReferenceBudget budget;
    const PreciseGraph precise = preciseGraph(*plain, plain->toposort(), values, budget);
    if (!precise.wanted[0] || precise.references[0] != Reference::Precise) return "";
    const Tensor &a = expected.tensor(), &b = found.tensor();
    if (!(a.shape() == b.shape())) return "the shape is " + b.shape().text() + ", not " + a.shape().text();
    for (std::int64_t i = 0; i < a.size(); ++i) {
        const Precise &wanted = precise.wanted[0]->values[static_cast<std::size_t>(i)];
        const double lost = digitsLost(b.at(i), wanted, dtype), otherwise = digitsLost(a.at(i), wanted, dtype);
        if (lost <= otherwise + 1) continue;
        char text[160];
        std::snprintf(text, sizeof text, "%.9g, in its first form %.9g, exactly %s", b.at(i), a.at(i), textOf(wanted, 9).c_str());
        return text;
    }
    return "";
}

inline std::vector<Value> optimized(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs, const std::vector<Value> &values,
                                    std::string *text = nullptr)
{
    const auto graph = graphOf(inputs, outputs);
    rewriteGraph(*graph, Mode::named("FAST_RUN"));
    if (text) *text = textOf(*graph);
    return evaluate(*graph, values);
}

inline bool stabilizes(const RewriteInfo &info)
{
    const bool isInTime = info.phase != Phase::Specialize && info.phase != Phase::Device; // the views are moved before
    return isInTime && (info.pass == "stabilize" || has(info.valueChange, ValueChange::Improves)) && info.hasTag("fast_run") && info.run;
}

inline std::vector<const RewriteInfo *> stabilizing()
{
    std::vector<const RewriteInfo *> all;
    for (const RewriteInfo *info : allRewrites())
        if (stabilizes(*info)) all.push_back(info);
    return all;
}

} // namespace rewrite_test
