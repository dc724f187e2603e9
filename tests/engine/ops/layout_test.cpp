// Every family over every layout, odd shapes and all kinds of dtypes: what lies in memory must not matter, and
// narrower dtypes must agree with float64 as far as they reach.
#include "tests/engine/ops/evaluate.h"

#include "engine/ops/elements/compose.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/cumulative.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/reductions/sort.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/repeat.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"

using namespace testing_ops;

namespace {

VarRef whole(std::int64_t value) { return constantOf(DType::Int64, static_cast<double>(value)); }
VarRef ints(const std::vector<double> &values)
{
    return Variable::constant(fromList(values, {static_cast<std::int64_t>(values.size())}, DType::Int64));
}

struct Case {
    const char *name;
    std::function<VarRef(const VarRef &)> f; ///< of a matrix
    bool onlyFloats = false;
    bool needsElements = false; ///< an axis of size 0 is an error
    bool isExact = false;       ///< the same numbers in every dtype
};

const IndexItem kReversed = IndexItem::slice({}, {}, constantOf(DType::Int64, -1));

std::vector<Case> cases()
{
    using Axes = std::vector<int>;
    return {
        {"add", [](const VarRef &x) { return add(x, x); }},
        {"row + column", [](const VarRef &x) { return add(sum(x, Axes{0}, true), sum(x, Axes{1}, true)); }},
        {"exp", [](const VarRef &x) { return exp(x); }, true},
        {"switch",
         [](const VarRef &x) {
             return switchOn(elementwise(ScalarCode::Gt, {x, x}), x, mul(x, x));
         }},
        {"transpose", [](const VarRef &x) { return transpose(x); }, false, false, true},
        {"sum", [](const VarRef &x) { return sum(x); }},
        {"sum 0", [](const VarRef &x) { return sum(x, Axes{0}); }},
        {"sum 1", [](const VarRef &x) { return sum(x, Axes{1}); }},
        {"prod", [](const VarRef &x) { return reduce(ReduceKind::Prod, x, Axes{1}); }},
        {"max", [](const VarRef &x) { return reduce(ReduceKind::Max, x, Axes{0}); }, false, true, true},
        {"min", [](const VarRef &x) { return reduce(ReduceKind::Min, x, Axes{1}); }, false, true, true},
        {"any", [](const VarRef &x) { return reduce(ReduceKind::Any, x, Axes{1}); }, false, false, true},
        {"all", [](const VarRef &x) { return reduce(ReduceKind::All, x); }, false, false, true},
        {"mean", [](const VarRef &x) { return mean(x, Axes{1}); }, false, true},
        {"var", [](const VarRef &x) { return variance(x, Axes{0}); }, true, true},
        {"argmax", [](const VarRef &x) { return argmax(x, Axes{1}); }, false, true, true},
        {"max_and_argmax", [](const VarRef &x) { return maxAndArgmax(x)[1]; }, false, true, true},
        {"dot", [](const VarRef &x) { return dot(x, transpose(x)); }},
        {"dot vector", [](const VarRef &x) { return dot(x, sum(x, Axes{0})); }},
        {"outer", [](const VarRef &x) { return outer(sum(x, Axes{0}), sum(x, Axes{1})); }},
        {"batched_dot", [](const VarRef &x) { return batchedDot(padLeft(x, 1), padLeft(transpose(x), 1)); }},
        {"tensordot",
         [](const VarRef &x) {
             const std::vector<int> both{0, 1};
             return tensordot(x, x, both, both);
         }},
        {"reversed rows", [](const VarRef &x) { return subtensor(x, std::span<const IndexItem>(&kReversed, 1)); }, false, false, true},
        {"inner part",
         [](const VarRef &x) {
             const IndexItem items[] = {IndexItem::slice(whole(1)), IndexItem::slice({}, {}, whole(2))};
             return subtensor(x, items);
         },
         false, false, true},
        {"row 0", [](const VarRef &x) { return elementAt(x, 0); }, false, true, true},
        {"set", [](const VarRef &x) { return setSubtensor(elementAt(x, -1), elementAt(x, 0)); }, false, true, true},
        {"inc", [](const VarRef &x) { return incSubtensor(subtensor(x, std::span<const IndexItem>(&kReversed, 1)), x); }},
        {"take",
         [](const VarRef &x) {
             return take(x, ints({0, 0, -1}), 0);
         },
         false, true, true},
        {"pairs",
         [](const VarRef &x) {
             const IndexItem items[] = {IndexItem::array(ints({0, -1})), IndexItem::array(ints({-1, 0}))};
             return subtensor(x, items);
         },
         false, true, true},
        {"inc rows",
         [](const VarRef &x) {
             return incSubtensor(take(x, ints({0, 0}), 0), elementAt(x, -1));
         },
         false, true},
        {"mask",
         [](const VarRef &x) {
             const IndexItem items[] = {
                 IndexItem::array(elementwise(ScalarCode::Neq, {x, elementwise(ScalarCode::Second, {x, whole(0)})}))};
             return subtensor(x, items);
         },
         false, false, true},
        {"join",
         [](const VarRef &x) {
             const VarRef parts[] = {x, x, x};
             return join(1, parts);
         },
         false, false, true},
        {"stack",
         [](const VarRef &x) {
             const VarRef parts[] = {x, x};
             return stack(parts, 2);
         },
         false, false, true},
        {"split",
         [](const VarRef &x) {
             return split(join(0, std::vector<VarRef>{x, x}), makeVector(std::vector<VarRef>{shapeOf(x, 0), shapeOf(x, 0)}), 2)[1];
         },
         false, false, true},
        {"flatten", [](const VarRef &x) { return flatten(x); }, false, false, true},
        {"reshape",
         [](const VarRef &x) {
             return reshape(x, std::vector<VarRef>{shapeOf(x, 1), shapeOf(x, 0)});
         },
         false, false, true},
        {"diagonal", [](const VarRef &x) { return diag(x); }, false, false, true},
        {"diag", [](const VarRef &x) { return diag(flatten(x), 1); }, false, false, true},
        {"tril", [](const VarRef &x) { return tril(x, whole(0)); }},
        {"sort", [](const VarRef &x) { return sort(x); }, false, false, true},
        {"argsort", [](const VarRef &x) { return argsort(x, 0); }, false, false, true},
        {"unique", [](const VarRef &x) { return unique(x)[0]; }, false, false, true},
        {"cumsum", [](const VarRef &x) { return cumsum(x, 1); }},
        {"cumprod", [](const VarRef &x) { return cumprod(x, 0); }},
        {"repeat", [](const VarRef &x) { return repeat(x, whole(2), 1); }, false, false, true},
        {"tile",
         [](const VarRef &x) {
             return tile(x, std::vector<VarRef>{whole(2), whole(1)});
         },
         false, false, true},
        {"roll", [](const VarRef &x) { return roll(x, whole(1), 1); }, false, false, true},
        {"softmax", [](const VarRef &x) { return softmax(x); }, true},
        {"logsoftmax", [](const VarRef &x) { return logSoftmax(x); }, true},
        {"crossentropy", [](const VarRef &x) { return categoricalCrossentropy(softmax(x), argmax(x, Axes{1})); }, true, true},
        {"gradient of softmax",
         [](const VarRef &x) {
             const VarRef wrt[] = {x};
             return grad(sum(sqr(softmax(x))), wrt)[0];
         },
         true},
    };
}

const Dims kShapes[] = {{2, 3}, {1, 4}, {4, 1}, {1, 1}, {3, 3}, {0, 3}, {3, 0}, {5, 7}};

Tensor draw(DType dtype, const Dims &shape, reference::Order layout, unsigned seed)
{
    std::mt19937 generator(seed);
    return reference::make(dtype, shape, layout, [&]() -> double {
        if (dtype == DType::Bool) return static_cast<double>(generator() % 2);
        if (isUnsignedInteger(dtype)) return static_cast<double>(generator() % 4);
        if (isInteger(dtype)) return static_cast<double>(static_cast<int>(generator() % 7) - 3);
        return (static_cast<double>(generator() % 33) - 16) / 8; // exact even in float16
    });
}

} // namespace

TEST(EveryFamily, LayoutsDoNotMatter)
{
    for (const Case &test : cases())
        for (const Dims &shape : kShapes) {
            if (test.needsElements && shape.product() == 0) continue;
            for (DType dtype : {DType::Float64, DType::Int32}) {
                if (test.onlyFloats && isDiscrete(dtype)) continue;
                for (reference::Order layout : reference::kLayouts) {
                    const Tensor odd = draw(dtype, shape, layout, 7);
                    const VarRef x = variable(odd);
                    SCOPED_TRACE(std::string(test.name) + " of " + std::string(nameOf(dtype)) + shape.text() + " layout " +
                                 std::to_string(static_cast<int>(layout)));
                    const VarRef y = test.f(x);
                    ASSERT_NO_THROW({ expectSame(run(y, {x}, {odd}), run(y, {x}, {odd.copy()}), 1e-12); });
                    if (HasFatalFailure()) return;
                }
            }
        }
}

TEST(EveryFamily, AgreesWithFloat64InEveryDType)
{
    for (const Case &test : cases())
        for (const Dims &shape : kShapes) {
            if (test.needsElements && shape.product() == 0) continue;
            for (int d = 0; d < kDTypeCount; ++d) {
                const auto dtype = static_cast<DType>(d);
                if (test.onlyFloats && !isFloat(dtype)) continue;
                if (isComplex(dtype)) continue;
                const Tensor value = draw(dtype, shape, reference::Order::Contiguous, 11);
                const VarRef x = variable(value), wide = Variable::input(Type::ofRank(DType::Float64, 2), "x");
                SCOPED_TRACE(std::string(test.name) + " of " + std::string(nameOf(dtype)) + shape.text());
                VarRef y;
                try {
                    y = test.f(x);
                } catch (const TypeMismatch &) {
                    ASSERT_EQ(dtype, DType::Bool); // tril subtracts
                    continue;
                }
                Tensor got, wanted;
                ASSERT_NO_THROW(got = run(y, {x}, {value}));
                ASSERT_NO_THROW(wanted = run(test.f(wide), {wide}, {value.converted(DType::Float64)}));
                // Bool adds and multiplies as or and and; narrow integers wrap: only exact moves are compared there.
                if (!test.isExact && (dtype == DType::Bool || (isDiscrete(dtype) && sizeOf(dtype) == 1))) continue;
                const double tolerance = dtype == DType::Float16 ? 2e-2 : dtype == DType::Float32 ? 2e-5 : 1e-12;
                expectSame(got.converted(DType::Float64), wanted.converted(DType::Float64), tolerance);
                if (HasFatalFailure()) return;
            }
        }
}

TEST(EveryFamily, MovesComplexNumbers)
{
    for (const Case &test : cases()) {
        if (!test.isExact) continue;
        const Tensor value = draw(DType::Complex128, {2, 3}, reference::Order::Stepped, 5);
        const VarRef x = variable(value);
        SCOPED_TRACE(test.name);
        VarRef y;
        try {
            y = test.f(x);
        } catch (const TypeMismatch &) {
            continue; // whatever needs an order
        }
        ASSERT_NO_THROW(run(y, {x}, {value}));
    }
}
