// What tests of groups that run as one kernel have in common: numbers, and the same bits with the group and without.
#pragma once

#include "tests/engine/compile/build.h"

#include "engine/gradient/gradient.h"
#include "engine/ops/reductions/softmax.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace build {

class Numbers {
public:
    explicit Numbers(unsigned seed) : m_state(seed * 2654435761u + 1) {}
    std::uint32_t next()
    {
        m_state = m_state * 1664525u + 1013904223u;
        return m_state >> 8;
    }
    int below(int count) { return static_cast<int>(next() % static_cast<std::uint32_t>(count)); }
    double unit() { return static_cast<double>(next()) / (1 << 24) - 0.5; }

private:
    std::uint32_t m_state;
};

inline Tensor randomTensor(DType dtype, const Dims &shape, unsigned seed, bool withOddOnes = false)
{
    Tensor result = Tensor::empty(DType::Float64, shape);
    Numbers numbers(seed);
    const double odd[] = {0.0,
                          -0.0,
                          1e-42,
                          -1e-310,
                          1e30,
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()};
    for (std::int64_t i = 0; i < result.size(); ++i)
        result.as<double>()[i] = withOddOnes && numbers.below(150) == 0 ? odd[numbers.below(8)] : numbers.unit() * 4;
    return result.converted(dtype);
}

// Which nan it is depends on the order of operands, which compilers choose.
inline bool areSameBits(const Tensor &a, const Tensor &b)
{
    if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
    const std::size_t width = sizeOf(a.dtype());
    for (std::int64_t i = 0; i < a.size(); ++i) {
        if (std::isnan(a.at(i)) && std::isnan(b.at(i))) continue;
        const std::size_t place = static_cast<std::size_t>(i) * width;
        if (std::memcmp(static_cast<const char *>(a.data()) + place, static_cast<const char *>(b.data()) + place, width) != 0) return false;
    }
    return true;
}

/// Without the rewrite, where one is named.
inline std::shared_ptr<Function> compiled(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs,
                                          const std::string &without = {})
{
    FunctionSpec spec = request(inputs, outputs);
    spec.onUnusedInput = OnUnusedInput::Ignore;
    if (!without.empty()) spec.mode.excluding.push_back(without);
    return Function::compile(spec);
}

// Parts that ran together in the last call.
inline int together(const Function &function)
{
    const std::vector<int> passes = function.passes();
    return static_cast<int>(std::count_if(passes.begin(), passes.end(), [](int pass) { return pass >= 0; }));
}

inline void expectSameBits(const std::string &rewrite, const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs,
                           const std::vector<std::vector<Tensor>> &calls)
{
    const auto one = compiled(inputs, outputs), two = compiled(inputs, outputs, rewrite);
    for (const KernelGroup &group : two->graph().groups) ASSERT_NE(group.rewrite, rewrite);
    for (const std::vector<Tensor> &arrays : calls) {
        SCOPED_TRACE(arrays[0].shape().text());
        for (const bool kernels : {false, true}) {
            SCOPED_TRACE(kernels ? "kernels" : "interpreter");
            if (kernels) {
                one->compileKernels();
                two->compileKernels();
            }
            const auto a = call(*one, arrays), b = call(*two, arrays);
            for (std::size_t o = 0; o < a.size(); ++o) EXPECT_TRUE(areSameBits(a[o], b[o])) << "output " << o;
        }
    }
}

inline VarRef of(ScalarCode code, const VarRef &a) { return elementwise(code, {a}); }
inline VarRef over(int axis, ReduceKind kind, const VarRef &a) { return reduce(kind, a, std::vector<int>{axis}, true); }
inline VarRef meanOver(int axis, const VarRef &a) { return mean(a, std::vector<int>{axis}, true); }
inline VarRef one(const VarRef &like) { return constantOf(like->type().dtype(), 1); }

// A chain of elementwise work and reductions of its rows or columns, some of it read several times and by others: `line` is the same for
// all rows (or columns), `column` has a number for each.
inline std::vector<VarRef> randomChain(Numbers &numbers, int axis, const VarRef &x, const VarRef &y, const VarRef &line,
                                       const VarRef &column)
{
    std::vector<VarRef> rows{x, y}, columns{column};
    const auto any = [&](const std::vector<VarRef> &of) {
        return of[static_cast<std::size_t>(numbers.below(static_cast<int>(of.size())))];
    };
    const auto late = [&](const std::vector<VarRef> &of) { return numbers.below(3) ? of.back() : any(of); };
    const int steps = 5 + numbers.below(8);
    for (int step = 0; step < steps; ++step) {
        const VarRef a = late(rows), b = any(rows), c = late(columns);
        switch (numbers.below(15)) {
        case 0: rows.push_back(sub(a, over(axis, ReduceKind::Max, a))); break;
        case 1: rows.push_back(of(ScalarCode::Exp, sub(a, over(axis, ReduceKind::Max, b)))); break;
        case 2: columns.push_back(over(axis, ReduceKind::Sum, mul(a, b))); break;
        case 3: columns.push_back(meanOver(axis, a)); break;
        case 4: columns.push_back(over(axis, numbers.below(2) ? ReduceKind::Max : ReduceKind::Min, mul(a, line))); break;
        case 5: rows.push_back(add(mul(a, line), c)); break;
        case 6: rows.push_back(trueDiv(a, add(one(a), mul(c, c)))); break;
        case 7: rows.push_back(of(numbers.below(2) ? ScalarCode::Tanh : ScalarCode::Sigmoid, a)); break;
        case 8: columns.push_back(of(ScalarCode::Sqrt, add(one(c), mul(c, c)))); break;
        case 9: rows.push_back(elementwise(ScalarCode::Switch, {elementwise(ScalarCode::Gt, {a, c}), a, b})); break;
        case 10: rows.push_back(axis == 1 ? softmax(a) : mul(a, a)); break;
        case 11: rows.push_back(axis == 1 ? logSoftmax(a) : of(ScalarCode::Exp, a)); break;
        case 12: columns.push_back(of(ScalarCode::Log, add(one(c), mul(c, c)))); break;
        case 13: columns.push_back(over(axis, ReduceKind::Sum, of(ScalarCode::Exp, sub(a, c)))); break;
        default: rows.push_back(mul(sub(a, c), b)); break;
        }
    }
    std::vector<VarRef> outputs{add(rows.back(), columns.back())};
    if (numbers.below(2)) outputs.push_back(any(rows));
    if (numbers.below(2)) outputs.push_back(any(columns));
    return outputs;
}

inline VarRef normalised(const VarRef &x, int axis)
{
    const VarRef centred = sub(x, meanOver(axis, x));
    return trueDiv(centred, of(ScalarCode::Sqrt, add(meanOver(axis, mul(centred, centred)), constantOf(x->type().dtype(), 1e-5))));
}
inline VarRef gradientOf(const VarRef &cost, const VarRef &x)
{
    const VarRef wrt[] = {x};
    return grad(cost, wrt)[0];
}
inline VarRef powersOf(const VarRef &x, int axis) { return of(ScalarCode::Exp, sub(x, over(axis, ReduceKind::Max, x))); }

/// A state that is normalised along an axis, times an input, is written over; the same bits come whether a kernel does it or its parts do.
inline void expectSameInPlace(int axis, const Dims &shape, const char *rewrite)
{
    const Tensor start = randomTensor(DType::Float64, shape, 1);
    std::vector<Tensor> ends;
    for (const bool grouped : {true, false}) {
        const VarRef w = shared(start.copy(), "w"), x = matrix("x");
        const VarRef step = sub(w, mul(over(axis, ReduceKind::Max, w), mul(x, normalised(w, axis))));
        FunctionSpec spec = request({x}, {}, {{w, step}});
        if (!grouped) spec.mode.excluding.push_back(rewrite);
        const auto f = Function::compile(spec);
        for (int turn = 0; turn < 3; ++turn) {
            call(*f, {randomTensor(DType::Float64, shape, 2)});
            if (turn == 0) f->compileKernels();
        }
        EXPECT_EQ(together(*f) > 1, grouped);
        ends.push_back(w->container()->value().tensor().copy());
    }
    EXPECT_TRUE(areSameBits(ends[0], ends[1]));
}

} // namespace build
