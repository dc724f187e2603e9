// Whole programs: what a Theano user expects to find in the optimized graph.
#include "engine/compile/function/function.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "tests/engine/rewrite/support.h"

#include <gtest/gtest.h>

namespace rewrite_test {
namespace {

VarRef sharedOf(Tensor value, const std::string &name)
{
    const Type type = Type::ofRank(value.dtype(), value.rank());
    return Variable::shared(std::make_shared<Container>(Value(std::move(value))), type, name);
}

struct LogisticRegression {
    VarRef x, y, w, b, prediction, xent, newW, newB;

    LogisticRegression()
    {
        std::mt19937 random(3);
        const DType f = DType::Float32;
        x = sharedOf(randomTensor(random, f, {40, 13}, false), "x");
        y = sharedOf(randomTensor(random, DType::Int64, {40}, false).converted(f), "y");
        w = sharedOf(randomTensor(random, f, {13}, false), "w");
        b = sharedOf(Tensor::scalar(f, 0), "b");
        const VarRef one = literal(std::int64_t{1});
        const VarRef p = trueDiv(one, add(one, exp(sub(neg(dot(x, w)), b))));
        prediction = elementwise(ScalarCode::Gt, {p, literal(0.5, f)});
        xent = sub(mul(neg(y), log(p)), mul(sub(one, y), log(sub(one, p))));
        const VarRef cost = add(cast(mean(xent), f), mul(literal(0.01, f), sum(pow(w, literal(std::int64_t{2})))));
        GradOptions options;
        options.floatX = f;
        const std::vector<VarRef> g = grad(cost, std::vector<VarRef>{w, b}, options);
        newW = sub(w, mul(literal(0.01, f), g[0]));
        newB = sub(b, mul(literal(0.01, f), g[1]));
    }

    std::shared_ptr<Function> train(const Mode &mode) const
    {
        FunctionSpec spec;
        spec.outputs = {prediction, xent};
        spec.updates = {{w, newW}, {b, newB}};
        spec.name = "train";
        spec.mode = mode;
        return Function::compile(std::move(spec));
    }
};

Mode theanoMode()
{
    Mode mode = Mode::named("FAST_RUN");
    mode.excluding = {"croton"};
    return mode;
}

TEST(Golden, LogisticRegressionTrain)
{
    const LogisticRegression program;
    const auto train = program.train(theanoMode());
    const FunctionGraph &graph = train->graph();
    std::string all;
    for (ApplyId id : train->order()) all += graph.apply(id).op->name() + "\n";
    SCOPED_TRACE(all);
    EXPECT_TRUE(train->warnings().empty()) << train->warnings()[0];
    EXPECT_EQ(countOps(graph, "CGemv{inplace}"), 2);
    EXPECT_EQ(countOps(graph, "scalar_softplus"), 1);
    EXPECT_EQ(countOps(graph, "GT(scalar_sigmoid"), 1);
    EXPECT_EQ(countOps(graph, "Sum{acc_dtype=float64}"), 1);
    EXPECT_EQ(countOps(graph, "dot"), 0);
    EXPECT_EQ(countOps(graph, "exp"), 0);
    EXPECT_EQ(countOps(graph, "log"), 0);
    // The update of w is one call: w·0.9998 - 0.01·xᵀ·d, over w.
    bool folded = false;
    for (ApplyId id : train->order()) {
        const ApplyNode &node = graph.apply(id);
        if (node.op->name() != "CGemv{inplace}" || graph.name(node.inputs[0].var) != "w") continue;
        folded = true;
        EXPECT_FLOAT_EQ(static_cast<float>(*VarHandle(graph, node.inputs[1].var).uniformConstant()), -0.01f);
        EXPECT_FLOAT_EQ(static_cast<float>(*VarHandle(graph, node.inputs[4].var).uniformConstant()), 0.9998f);
    }
    EXPECT_TRUE(folded);
    EXPECT_LE(train->order().size(), 20u);
}

TEST(Golden, TrainAgreesWithItsUnoptimizedSelf)
{
    const LogisticRegression plainProgram, program;
    Mode none = Mode::named("None");
    const auto plain = plainProgram.train(none), fast = program.train(theanoMode());
    for (int step = 0; step < 20; ++step) {
        std::vector<Value> expected, found;
        plain->call({}, expected);
        fast->call({}, found);
        for (std::size_t i = 0; i < expected.size(); ++i)
            ASSERT_EQ(difference(expected[i], found[i], 1e-4), "") << "step " << step << " output " << i;
    }
    EXPECT_EQ(difference(plainProgram.w->container()->value(), program.w->container()->value(), 1e-4), "");
    EXPECT_EQ(difference(plainProgram.b->container()->value(), program.b->container()->value(), 1e-4), "");
}

TEST(Golden, PredictIsOneKernelAfterTheProduct)
{
    const LogisticRegression program;
    FunctionSpec spec;
    spec.outputs = {program.prediction};
    spec.mode = theanoMode();
    const auto predict = Function::compile(std::move(spec));
    EXPECT_EQ(countOps(predict->graph(), "CGemv{inplace}"), 1);
    EXPECT_EQ(countOps(predict->graph(), "Elemwise"), 1);
    EXPECT_EQ(countOps(predict->graph(), "GT(scalar_sigmoid"), 1);
}

TEST(Golden, SimpleExampleIsOneKernelWithoutPow)
{
    const auto graph = parseGraph("a: dvector; a + a ** 10");
    rewriteGraph(*graph, theanoMode());
    EXPECT_EQ(graph->liveApplyCount(), 1u) << textOf(*graph);
    EXPECT_EQ(countOps(*graph, "pow"), 0) << textOf(*graph);
    EXPECT_EQ(countOps(*graph, "sqr"), 1) << textOf(*graph);
    const std::vector<Value> out =
        evaluate(*graph, {Value(Tensor::fromInts(std::vector<std::int64_t>{0, 1, 2}).converted(DType::Float64))});
    EXPECT_EQ(out[0].tensor().at(0), 0);
    EXPECT_EQ(out[0].tensor().at(1), 2);
    EXPECT_EQ(out[0].tensor().at(2), 1026);
}

// z is 1-d; the value at each z must be what an exact computation gives.
void expectValues(const std::string &text, const std::vector<double> &z, const std::vector<double> &wanted, double tolerance = 1e-12)
{
    for (const char *modeName : {"croton", "theano"}) {
        const auto graph = parseGraph(text);
        rewriteGraph(*graph, std::string(modeName) == "croton" ? Mode::named("FAST_RUN") : theanoMode());
        Tensor input = Tensor::empty(DType::Float64, {static_cast<std::int64_t>(z.size())});
        for (std::size_t i = 0; i < z.size(); ++i) input.as<double>()[i] = z[i];
        const std::vector<Value> out = evaluate(*graph, {Value(input)});
        for (std::size_t i = 0; i < z.size(); ++i) {
            const double found = out[0].tensor().at(out[0].tensor().size() == 1 ? 0 : static_cast<std::int64_t>(i));
            EXPECT_TRUE(std::fabs(found - wanted[i]) <= tolerance * std::fabs(wanted[i]))
                << text << " at " << z[i] << " is " << found << " in " << modeName << ", not " << wanted[i] << ": " << textOf(*graph);
        }
    }
}

// The sums of a gradient of normalised data: of x, of squares, of g, and of both; none waits for the whole gradient.
TEST(Golden, GradientOfANormalisationSumsWhatIsThere)
{
    for (const char *const axes : {"0", "1", "(0, 2)"}) {
        const std::string type = axes[0] == '(' ? "dtensor3" : "dmatrix", axis = ", axis=" + std::string(axes) + ", keepdims=True)";
        const auto graph = parseGraph("x: " + type + "; g: " + type + "; c = x - mean(x" + axis + "; grad(sum(g * c / sqrt(mean(c * c" +
                                      axis + " + 0.001)), x)");
        Mode mode = Mode::named("FAST_RUN");
        mode.excluding = {"fusion", "inplace"};
        rewriteGraph(*graph, mode);
        std::vector<std::string> summed;
        for (ApplyId id : executionOrder(*graph)) {
            const ApplyNode &node = graph->apply(id);
            if (opCast<CAReduce>(node.op)) summed.push_back(graph->displayName(node.inputs[0].var));
        }
        EXPECT_EQ(summed.size(), 4u) << axes << textOf(*graph);
        EXPECT_EQ(std::ranges::count(summed, "x"), 1) << axes << textOf(*graph);
        EXPECT_EQ(std::ranges::count(summed, "g"), 1) << axes << textOf(*graph);
    }
}

TEST(Golden, DeviationsFromTheMeanSumToNothing)
{
    const auto graph = parseGraph("x: dmatrix; w: dcol; c = (x - mean(x, axis=1, keepdims=True)) * w; c; sum(c, axis=1)");
    Mode mode = Mode::named("FAST_RUN");
    mode.excluding = {"fusion", "inplace"};
    rewriteGraph(*graph, mode);
    EXPECT_EQ(countOps(*graph, "Sum"), 1) << textOf(*graph);
    std::mt19937 random(1);
    const std::vector<Value> after =
        evaluate(*graph, {randomTensor(random, DType::Float64, {3, 5}, false), randomTensor(random, DType::Float64, {3, 1}, false)});
    EXPECT_EQ(difference(after[1], Value(Tensor::full(DType::Float64, {3}, 0)), 0), "");
}

TEST(Golden, DeviationsFromAnotherMeanAreSummed)
{
    for (const char *const from : {"mean(y, axis=0, keepdims=True)", "mean(x, axis=1, keepdims=True)", "2 * mean(x, axis=0, keepdims=True)",
                                   "sum(x, axis=0, keepdims=True) / x.shape[1]"}) {
        const auto graph = parseGraph("x: dmatrix; y: dmatrix; v: drow; w: drow; c = x - " + std::string(from) +
                                      "; t = c * v + y * w; c; t + sum(t, axis=0, keepdims=True)");
        std::mt19937 random(1);
        std::vector<Value> inputs;
        for (const Dims &shape : {Dims{5, 4}, Dims{5, 4}, Dims{1, 4}, Dims{1, 4}})
            inputs.emplace_back(randomTensor(random, DType::Float64, shape, false));
        const std::vector<Value> before = evaluate(*graph, inputs);
        RewriteReport report = rewriteGraph(*graph, Mode::named("FAST_RUN"));
        EXPECT_GE(timesFired(report, "croton_sum_of_scaled_terms"), 1u) << from << textOf(*graph);
        const std::vector<Value> after = evaluate(*graph, inputs);
        for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(difference(before[i], after[i], 1e-12), "") << from;
    }
}

TEST(Golden, TinyArgumentOfLog) { expectValues("x: dvector; log(1 + x)", {1e-20, -1e-20}, {1e-20, -1e-20}); }

TEST(Golden, TinyConstantInLog)
{
    const auto graph = parseGraph("x: dvector; x + log(1 + constant(1e-20))");
    rewriteGraph(*graph, Mode::named("FAST_RUN"));
    Tensor zero = Tensor::zeros(DType::Float64, {1});
    EXPECT_EQ(evaluate(*graph, {Value(zero)})[0].tensor().at(0), 1e-20) << textOf(*graph);
}

TEST(Golden, CrossEntropyOfALogisticFarFromZero)
{
    // y = 1: softplus(-z); y = 0: softplus(z).
    expectValues("z: dvector; p = 1 / (1 + exp(-z)); -1.0 * log(p) - (1 - 1.0) * log(1 - p)", {800, -800, 40},
                 {0, 800, 4.248354255291589e-18});
    const std::string xent = "z: dvector; y: dvector; p = 1 / (1 + exp(-z)); -y * log(p) - (1 - y) * log(1 - p)";
    for (const double z : {800.0, -800.0, 40.0, -40.0, 0.5}) {
        for (const double y : {0.0, 1.0, 0.25}) {
            const auto graph = parseGraph(xent);
            rewriteGraph(*graph, theanoMode());
            const double wanted = y * (z > 0 ? std::log1p(std::exp(-z)) : -z + std::log1p(std::exp(z))) +
                                  (1 - y) * (z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z)));
            const std::vector<Value> out =
                evaluate(*graph, {Value(Tensor::full(DType::Float64, {1}, z)), Value(Tensor::full(DType::Float64, {1}, y))});
            EXPECT_TRUE(close(out[0].tensor().at(0), wanted, 1e-12))
                << z << " " << y << ": " << out[0].tensor().at(0) << " not " << wanted << "\n"
                << textOf(*graph);
        }
    }
}

TEST(Golden, GradientOfTheCrossEntropyFarFromZero)
{
    const ParsedExpression parsed =
        parseExpression("z: dvector; y: dvector; p = 1 / (1 + exp(-z)); sum(-y * log(p) - (1 - y) * log(1 - p))");
    const std::vector<VarRef> g = grad(parsed.outputs[0], std::vector<VarRef>{parsed.inputs[0]});
    for (bool croton : {false, true}) {
        const auto graph = graphOf(parsed.inputs, g);
        rewriteGraph(*graph, croton ? Mode::named("FAST_RUN") : theanoMode());
        for (const double z : {800.0, -800.0, 40.0, 0.5}) {
            for (const double y : {0.0, 1.0, 0.25}) {
                const double p = z > 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z));
                const std::vector<Value> out =
                    evaluate(*graph, {Value(Tensor::full(DType::Float64, {1}, z)), Value(Tensor::full(DType::Float64, {1}, y))});
                EXPECT_TRUE(close(out[0].tensor().at(0), p - y, 1e-12))
                    << z << " " << y << ": " << out[0].tensor().at(0) << " not " << p - y << "\n"
                    << textOf(*graph);
            }
        }
    }
}

TEST(Golden, LogSumExpFarFromZero)
{
    expectValues("x: dvector; log(sum(exp(x)))", {800, 800}, {800 + std::log(2), 800 + std::log(2)});
    expectValues("x: dvector; log(sum(exp(x)))", {-900, -900}, {-900 + std::log(2), -900 + std::log(2)});
}

} // namespace
} // namespace rewrite_test
