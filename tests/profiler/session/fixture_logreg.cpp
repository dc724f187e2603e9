#include "tests/profiler/session/fixture_logreg.h"

#include <algorithm>
#include <map>

namespace profiler::fixture {

const char *const kScriptPath = "/home/ada/logistic.py";

const char *const kScript = R"(import numpy
import theano
import theano.tensor as T

rng = numpy.random.RandomState(7)
rows, features, steps = 400, 784, 100
floatX = theano.config.floatX
x = theano.shared(rng.randn(rows, features).astype(floatX), name="x")
y = theano.shared(rng.randint(0, 2, rows).astype(floatX), name="y")
w = theano.shared(numpy.zeros(features, floatX), name="w")
b = theano.shared(numpy.asarray(0, floatX), name="b")

score = T.dot(x, w) + b
p = 1 / (1 + T.exp(-score))
prediction = p > 0.5
loss = -y * T.log(p) - (1 - y) * T.log(1 - p)
cost = loss.mean() + 0.01 * (w ** 2).sum()
gw, gb = T.grad(cost, [w, b])

train = theano.function([], [prediction, loss],
                        updates=[(w, w - 0.1 * gw), (b, b - 0.1 * gb)], name="train")
predict = theano.function([], prediction, name="predict")

for step in range(steps):
    train()
print(predict()[:10])
)";

namespace {

const std::string kMatrix = "TensorType(float32, matrix)";
const std::string kVector = "TensorType(float32, vector)";
const std::string kScalar = "TensorType(float32, scalar)";
const std::string kBool = "TensorType(bool, vector)";
const std::string kOne = "TensorType(float32, (True,))";
const std::string kIndex = "TensorType(int64, scalar)";

Op elemwise(const std::string &name) { return {"Elemwise{" + name + ",no_inplace}", name, "theano.tensor.elemwise.Elemwise", {}, {}}; }
Op shuffle(const std::string &pattern)
{
    return {
        "DimShuffle{" + pattern + "}", pattern == "1,0" ? "transpose" : "dimshuffle", "theano.tensor.elemwise.DimShuffle", {{0, 0}}, {}};
}
Op plain(const std::string &exact, const std::string &friendly, const std::string &opClass) { return {exact, friendly, opClass, {}, {}}; }
Op gemv(bool inplace)
{
    Op op = plain(inplace ? "CGemv{inplace}" : "CGemv{no_inplace}", "gemv", "theano.tensor.blas_c.CGemv");
    if (inplace) op.destroys = {{0, 0}};
    op.implementation = "BLAS";
    return op;
}

class Rewriter {
public:
    explicit Rewriter(FixtureGraph &graph) : g(graph) {}

    bool is(VariableId v, const std::string &exact) const { return g.owner(v) != kNoApply && g.exact(g.owner(v)) == exact; }
    bool isElemwise(VariableId v, const std::string &name) const { return is(v, elemwise(name).exact); }
    std::vector<VariableId> in(VariableId v) const { return g.inputsOf(g.owner(v)); }

    // Each apply of the kind, as long as it is live, once.
    template <class Body>
    void each(const std::string &exact, Body body)
    {
        for (const VariableId v : g.liveOutputs(exact)) {
            const auto live = g.liveOutputs(exact);
            if (std::find(live.begin(), live.end(), v) != live.end()) body(v);
        }
    }

    void canonicalize();
    void stabilize();
    void blas();
    void specialize();
    void fuse();
    void inplace();

private:
    void fuseInto(VariableId root);
    FixtureGraph &g;
};

void Rewriter::canonicalize()
{
    each(shuffle("x").exact, [&](VariableId v) {
        if (g.owner(in(v)[0]) == kNoApply && g.typeOf(in(v)[0]) == kScalar &&
            g.label(g.owner(v)).find("TensorConstant") != std::string::npos) {
            const std::string text = g.label(g.owner(v));
            const auto open = text.find("TensorConstant{") + 15;
            const std::string value = text.substr(open, text.find('}', open) - open);
            g.rewrite("constant_folding", "all inputs are constants", Fate::Constant, v, {}, [&] { return g.constant(value, kOne); });
        }
    });
    each("Subtensor{int64}", [&](VariableId v) {
        const VariableId shape = in(v)[0];
        g.rewrite("local_subtensor_of_shape", "one element of a shape is Shape_i", Fate::Replaced, v, {shape},
                  [&] { return g.add(plain("Shape_i{0}", "shape_i", "theano.tensor.opt.Shape_i"), in(shape), kIndex); });
    });
    each(elemwise("second").exact, [&](VariableId v) {
        g.rewrite("local_fill_to_alloc", "fill of a broadcast value is that value", Fate::Replaced, v, {}, [&] { return in(v)[1]; });
    });
    each(elemwise("true_div").exact, [&](VariableId v) {
        g.rewrite("local_mul_canonizer", "a / b is a * inv(b): one form for products", Fate::Replaced, v, {}, [&] {
            const VariableId inv = g.add(elemwise("inv"), {in(v)[1]}, g.typeOf(in(v)[1]));
            return g.add(elemwise("mul"), {in(v)[0], inv}, g.typeOf(v));
        });
    });
    each(elemwise("sub").exact, [&](VariableId v) {
        g.rewrite("local_add_canonizer", "a - b is a + (-b): one form for sums", Fate::Replaced, v, {}, [&] {
            const VariableId neg = g.add(elemwise("neg"), {in(v)[1]}, g.typeOf(in(v)[1]));
            return g.add(elemwise("add"), {in(v)[0], neg}, g.typeOf(v));
        });
    });
    each(elemwise("mul").exact, [&](VariableId v) {
        const VariableId left = in(v)[0];
        if (isElemwise(left, "neg"))
            g.rewrite("local_neg_out_of_mul", "the sign is moved out of the product", Fate::Replaced, v, {left}, [&] {
                const VariableId mul = g.add(elemwise("mul"), {in(left)[0], in(v)[1]}, g.typeOf(v));
                return g.add(elemwise("neg"), {mul}, g.typeOf(v));
            });
    });
    each(elemwise("neg").exact, [&](VariableId v) {
        if (isElemwise(in(v)[0], "neg"))
            g.rewrite("local_neg_neg", "-(-a) is a", Fate::Replaced, v, {in(v)[0]}, [&] { return in(in(v)[0])[0]; });
    });
}

void Rewriter::stabilize()
{
    each(elemwise("inv").exact, [&](VariableId v) {
        const VariableId sum = in(v)[0];
        if (!isElemwise(sum, "add") || !isElemwise(in(sum)[1], "exp")) return;
        const VariableId exp = in(sum)[1];
        const VariableId neg = in(exp)[0];
        if (isElemwise(neg, "neg"))
            g.rewrite("local_inv_1_plus_exp", "1 / (1 + exp(-a)) overflows; sigmoid(a) does not", Fate::Replaced, v, {sum, exp, neg},
                      [&] { return g.add(elemwise("sigmoid"), {in(neg)[0]}, kVector); });
    });
    each(elemwise("mul").exact, [&](VariableId v) {
        if (g.label(g.owner(v)).find("TensorConstant{1.0}") != std::string::npos)
            g.rewrite("local_mul_one", "1 * a is a", Fate::Replaced, v, {},
                      [&] { return g.owner(in(v)[0]) == kNoApply && g.owner(in(v)[1]) != kNoApply ? in(v)[1] : in(v)[0]; });
    });
    each(elemwise("log").exact, [&](VariableId v) {
        const VariableId arg = in(v)[0];
        if (isElemwise(arg, "sigmoid"))
            g.rewrite("local_log_sigmoid", "log(sigmoid(a)) is -softplus(-a), finite for every a", Fate::Replaced, v, {arg}, [&] {
                const VariableId neg = g.add(elemwise("neg"), in(arg), kVector);
                const VariableId soft = g.add(elemwise("softplus"), {neg}, kVector);
                return g.add(elemwise("neg"), {soft}, kVector);
            });
        else if (isElemwise(arg, "add") && isElemwise(in(arg)[1], "neg") && isElemwise(in(in(arg)[1])[0], "sigmoid"))
            g.rewrite("local_log1msigm_to_softplus", "log(1 - sigmoid(a)) is -softplus(a), finite for every a", Fate::Replaced, v,
                      {arg, in(arg)[1]}, [&] {
                          const VariableId sigmoid = in(in(arg)[1])[0];
                          const VariableId soft = g.add(elemwise("softplus"), in(sigmoid), kVector);
                          return g.add(elemwise("neg"), {soft}, kVector);
                      });
    });
}

void Rewriter::blas()
{
    each("dot", [&](VariableId v) {
        g.rewrite("local_dot_to_gemv", "matrix times vector is one call of BLAS", Fate::Replaced, v, {}, [&] {
            const VariableId empty = g.add(plain("AllocEmpty{dtype='float32'}", "alloc", "theano.tensor.basic.AllocEmpty"),
                                           {g.constant("400", kIndex)}, kVector);
            return g.add(gemv(false), {empty, g.constant("1.0", kScalar), in(v)[0], in(v)[1], g.constant("0.0", kScalar)}, kVector);
        });
    });
}

void Rewriter::specialize()
{
    each(elemwise("mul").exact, [&](VariableId v) {
        const VariableId right = in(v)[1];
        if (isElemwise(right, "inv"))
            g.rewrite("local_mul_to_div", "a * inv(b) is one division", Fate::Replaced, v, {right}, [&] {
                return g.add(elemwise("true_div"), {in(v)[0], in(right)[0]}, g.typeOf(v));
            });
    });
    each(elemwise("add").exact, [&](VariableId v) {
        const VariableId right = in(v)[1];
        if (isElemwise(right, "neg"))
            g.rewrite("local_add_neg_to_sub", "a + (-b) is one subtraction", Fate::Replaced, v, {right}, [&] {
                return g.add(elemwise("sub"), {in(v)[0], in(right)[0]}, g.typeOf(v));
            });
    });
    each(elemwise("mul").exact, [&](VariableId v) {
        if (in(v)[0] == in(v)[1])
            g.rewrite("local_mul_to_sqr", "a * a is sqr(a)", Fate::Replaced, v, {},
                      [&] { return g.add(elemwise("sqr"), {in(v)[0]}, g.typeOf(v)); });
    });
}

// Joins a root with the elementwise applies that only it reads.
void Rewriter::fuseInto(VariableId root)
{
    std::vector<VariableId> region;
    std::vector<VariableId> inputs;
    std::map<std::uint32_t, int> readers;
    for (const ApplyId apply : g.order())
        for (const VariableId input : g.inputsOf(apply)) ++readers[raw(input)];
    std::string body = g.exact(g.owner(root)).substr(9);
    body = body.substr(0, body.find(','));
    std::vector<VariableId> work = in(root);
    while (!work.empty()) {
        const VariableId v = work.back();
        work.pop_back();
        const bool joins = g.owner(v) != kNoApply && readers[raw(v)] == 1 && g.typeOf(v) == kVector &&
                           g.exact(g.owner(v)).rfind("Elemwise{", 0) == 0 && region.size() < 8;
        if (joins) {
            region.push_back(v);
            const std::string name = g.exact(g.owner(v)).substr(9);
            body = name.substr(0, name.find(',')) + "(" + body + ")";
            for (const VariableId input : in(v)) work.push_back(input);
        } else if (std::find(inputs.begin(), inputs.end(), v) == inputs.end()) {
            inputs.push_back(v);
        }
    }
    if (region.empty()) return;
    const std::string type = g.typeOf(root);
    Op op = plain("Elemwise{Composite{" + body + "}}", "fused " + body.substr(0, 24), "theano.tensor.elemwise.Elemwise");
    g.rewrite("elemwise_fusion", std::to_string(region.size() + 1) + " elementwise applies become one loop", Fate::Fused, root, region,
              [&] { return g.add(op, inputs, type); });
}

void Rewriter::fuse()
{
    std::vector<ApplyId> order = g.order();
    std::reverse(order.begin(), order.end());
    for (const ApplyId apply : order) {
        const VariableId v = g.outputOf(apply);
        const std::vector<ApplyId> live = g.order();
        if (std::find(live.begin(), live.end(), apply) != live.end() && g.exact(apply).rfind("Elemwise{", 0) == 0 &&
            g.exact(apply).rfind("Elemwise{Composite", 0) != 0)
            fuseInto(v);
    }
}

void Rewriter::inplace()
{
    each(gemv(false).exact, [&](VariableId v) {
        g.rewrite("BlasOpt_inplace", "nothing reads the first argument afterwards", Fate::Replaced, v, {},
                  [&] { return g.add(gemv(true), in(v), kVector); });
    });
    for (const ApplyId apply : g.order()) {
        const std::string exact = g.exact(apply);
        const VariableId v = g.outputOf(apply);
        if (exact.rfind("DimShuffle{", 0) == 0) {
            Op op = shuffle("");
            op.exact = "Inplace" + exact;
            op.friendly = exact.find("1,0") != std::string::npos ? "transpose" : "dimshuffle";
            g.rewrite("dimshuffle_as_view", "a permutation of axes needs no copy", Fate::Replaced, v, {},
                      [&] { return g.add(op, in(v), g.typeOf(v)); });
        } else if (exact.rfind("Elemwise{Composite", 0) == 0) {
            const std::vector<VariableId> inputs = in(v);
            for (std::uint32_t port = 0; port < inputs.size(); ++port) {
                const VariableId target = inputs[port];
                if (g.owner(target) == kNoApply || g.typeOf(target) != g.typeOf(v)) continue;
                int readers = 0;
                for (const ApplyId reader : g.order())
                    for (const VariableId input : g.inputsOf(reader)) readers += input == target ? 1 : 0;
                if (readers != 1) {
                    g.decline("inplace_elemwise_optimizer", v, "input " + std::to_string(port) + " is read by another apply", 2);
                    continue;
                }
                Op op = plain(exact + "[(0, " + std::to_string(port) + ")]", "fused", "theano.tensor.elemwise.Elemwise");
                op.destroys = {{0, port}};
                g.rewrite("inplace_elemwise_optimizer", "input " + std::to_string(port) + " is not read again", Fate::Replaced, v, {},
                          [&] { return g.add(op, inputs, g.typeOf(v)); });
                break;
            }
        }
    }
}

struct Forward {
    VariableId x, y, w, b, p, prediction, loss;
};

Forward forward(FixtureGraph &g, bool withLoss)
{
    Forward f{};
    f.x = g.input(VariableKind::Shared, "x", kMatrix, "float32 (400, 784)");
    f.w = g.input(VariableKind::Shared, "w", kVector, "float32 (784,)");
    f.b = g.input(VariableKind::Shared, "b", kScalar, "float32 ()");
    const auto one = [&](int line) { return g.add(shuffle("x"), {g.constant("1.0", kScalar)}, kOne, line); };
    const VariableId dot = g.add(plain("dot", "dot", "theano.tensor.basic.Dot"), {f.x, f.w}, kVector, 13);
    const VariableId bias = g.add(shuffle("x"), {f.b}, kOne, 13);
    const VariableId score = g.add(elemwise("add"), {dot, bias}, kVector, 13, "score");
    const VariableId neg = g.add(elemwise("neg"), {score}, kVector, 14);
    const VariableId exp = g.add(elemwise("exp"), {neg}, kVector, 14);
    const VariableId sum = g.add(elemwise("add"), {one(14), exp}, kVector, 14);
    f.p = g.add(elemwise("true_div"), {one(14), sum}, kVector, 14, "p");
    const VariableId half = g.add(shuffle("x"), {g.constant("0.5", kScalar)}, kOne, 15);
    f.prediction = g.add(elemwise("gt"), {f.p, half}, kBool, 15, "prediction");
    if (!withLoss) return f;
    f.y = g.input(VariableKind::Shared, "y", kVector, "float32 (400,)");
    const VariableId ny = g.add(elemwise("neg"), {f.y}, kVector, 16);
    const VariableId logP = g.add(elemwise("log"), {f.p}, kVector, 16);
    const VariableId first = g.add(elemwise("mul"), {ny, logP}, kVector, 16);
    const VariableId restY = g.add(elemwise("sub"), {one(16), f.y}, kVector, 16);
    const VariableId restP = g.add(elemwise("sub"), {one(16), f.p}, kVector, 16);
    const VariableId logRest = g.add(elemwise("log"), {restP}, kVector, 16);
    const VariableId second = g.add(elemwise("mul"), {restY, logRest}, kVector, 16);
    f.loss = g.add(elemwise("sub"), {first, second}, kVector, 16, "loss");
    return f;
}

void gradient(FixtureGraph &g, const Forward &f)
{
    const auto one = [&](int line) { return g.add(shuffle("x"), {g.constant("1.0", kScalar)}, kOne, line); };
    const VariableId shape = g.add(plain("Shape", "shape", "theano.compile.ops.Shape"), {f.loss}, "TensorType(int64, vector)", 17);
    const VariableId rows =
        g.add(plain("Subtensor{int64}", "subtensor", "theano.tensor.subtensor.Subtensor"), {shape, g.constant("0", kIndex)}, kIndex, 17);
    const VariableId count = g.add(elemwise("Cast{float32}"), {rows}, kScalar, 17);
    const VariableId each = g.add(elemwise("true_div"), {g.constant("1.0", kScalar), count}, kScalar, 17);
    const VariableId wide = g.add(shuffle("x"), {each}, kOne, 17);
    const VariableId dLoss = g.add(elemwise("second"), {f.loss, wide}, kVector, 17);
    const VariableId ny = g.add(elemwise("neg"), {f.y}, kVector, 16);
    const VariableId dLogP = g.add(elemwise("mul"), {ny, dLoss}, kVector, 16);
    const VariableId dP1 = g.add(elemwise("true_div"), {dLogP, f.p}, kVector, 16);
    const VariableId restY = g.add(elemwise("sub"), {one(16), f.y}, kVector, 16);
    const VariableId restP = g.add(elemwise("sub"), {one(16), f.p}, kVector, 16);
    const VariableId minus = g.add(elemwise("neg"), {dLoss}, kVector, 16);
    const VariableId dRest = g.add(elemwise("mul"), {minus, restY}, kVector, 16);
    const VariableId dP2 = g.add(elemwise("true_div"), {dRest, restP}, kVector, 16);
    const VariableId dP3 = g.add(elemwise("neg"), {dP2}, kVector, 16);
    const VariableId dP = g.add(elemwise("add"), {dP1, dP3}, kVector, 14);
    const VariableId restP2 = g.add(elemwise("sub"), {one(14), f.p}, kVector, 14);
    const VariableId slope = g.add(elemwise("mul"), {f.p, restP2}, kVector, 14);
    const VariableId dScore = g.add(elemwise("mul"), {dP, slope}, kVector, 14);
    const VariableId gb = g.add(plain("Sum{acc_dtype=float64}", "sum", "theano.tensor.elemwise.Sum"), {dScore}, kScalar, 18, "gb");
    const VariableId xT = g.add(shuffle("1,0"), {f.x}, kMatrix, 18);
    const VariableId dot = g.add(plain("dot", "dot", "theano.tensor.basic.Dot"), {xT, dScore}, kVector, 18);
    const VariableId decay = g.add(shuffle("x"), {g.constant("0.02", kScalar)}, kOne, 17);
    const VariableId pull = g.add(elemwise("mul"), {decay, f.w}, kVector, 17);
    const VariableId gw = g.add(elemwise("add"), {dot, pull}, kVector, 18, "gw");
    const VariableId rate = g.add(shuffle("x"), {g.constant("0.1", kScalar)}, kOne, 21);
    const VariableId stepW = g.add(elemwise("mul"), {rate, gw}, kVector, 21);
    const VariableId newW = g.add(elemwise("sub"), {f.w, stepW}, kVector, 21);
    const VariableId stepB = g.add(elemwise("mul"), {g.constant("0.1", kScalar), gb}, kScalar, 21);
    const VariableId newB = g.add(elemwise("sub"), {f.b, stepB}, kScalar, 21);
    g.output(f.prediction);
    g.output(f.loss);
    g.output(newW);
    g.output(newB);
}

void optimize(FixtureGraph &g)
{
    Rewriter rewriter(g);
    const auto pass = [&](const char *phase, const char *name, const char *kind, auto body) {
        g.beginPass(phase, name, kind);
        body();
        g.endPass();
    };
    pass("merge", "merge1", "global", [&] { g.merge(); });
    pass("useless", "useless", "equilibrium", [] {});
    pass("canonicalize", "canonicalize", "equilibrium", [&] { rewriter.canonicalize(); });
    pass("merge", "merge1.2", "global", [&] { g.merge(); });
    pass("stabilize", "stabilize", "equilibrium", [&] { rewriter.stabilize(); });
    pass("blas", "BlasOpt", "sequence", [&] { rewriter.blas(); });
    pass("specialize", "specialize", "equilibrium", [&] { rewriter.specialize(); });
    pass("merge", "merge2", "global", [&] { g.merge(); });
    pass("fusion", "elemwise_fusion", "global", [&] { rewriter.fuse(); });
    pass("inplace", "inplace", "sequence", [&] { rewriter.inplace(); });
    pass("merge", "merge3", "global", [&] { g.merge(); });
}

} // namespace

void buildLogisticRegression(FixtureGraph &graph, Part part)
{
    const Forward f = forward(graph, part == Part::Train);
    if (part == Part::Train) gradient(graph, f);
    else graph.output(f.prediction);
    graph.endOriginal();
    optimize(graph);
    graph.finish();
}

void buildLayers(FixtureGraph &g, int nodes)
{
    const VariableId x = g.input(VariableKind::Input, "x", kVector);
    std::vector<VariableId> last{x};
    const char *names[] = {"exp", "tanh", "neg", "sqr", "log"};
    int made = 0;
    for (int layer = 0; made < nodes; ++layer) {
        std::vector<VariableId> next;
        for (int i = 0; i < 8 && made < nodes; ++i, ++made) {
            const VariableId a = last[i % last.size()];
            const VariableId b = last[(i + layer) % last.size()];
            next.push_back(i % 3 ? g.add(elemwise(names[(i + layer) % 5]), {a}, kVector, 1 + layer % 24)
                                 : g.add(elemwise(layer % 2 ? "add" : "mul"), {a, b}, kVector, 1 + layer % 24));
        }
        last = next;
    }
    for (const VariableId v : last) g.output(v);
    g.endOriginal();
    g.beginPass("merge", "merge1", "global");
    g.merge();
    g.endPass();
    g.finish();
}

std::vector<RewriteInfo> catalogue()
{
    const auto row = [](const char *name, const char *phase, double position, const char *why, const char *hurts, const char *before,
                        const char *after) {
        RewriteInfo info;
        info.name = name;
        info.phase = phase;
        info.position = position;
        info.tags = "fast_run";
        info.why = why;
        info.hurts = hurts;
        info.exampleBefore = before;
        info.exampleAfter = after;
        return info;
    };
    return {
        row("merge", "merge", 0, "the same computation is done once", "", "exp(x) + exp(x)", "t = exp(x); t + t"),
        row("constant_folding", "canonicalize", 1, "what is known now need not be computed later", "a large constant takes memory", "2 * 3",
            "6"),
        row("local_fill_to_alloc", "canonicalize", 1, "broadcasting makes fill unnecessary", "", "fill(x, 1) * y", "y"),
        row("local_mul_canonizer", "canonicalize", 1, "products and quotients take one form, so that they can cancel", "", "a / b",
            "a * inv(b)"),
        row("local_add_canonizer", "canonicalize", 1, "sums and differences take one form", "", "a - b", "a + -b"),
        row("local_log_sigmoid", "stabilize", 1.5, "log of a tiny sigmoid is -inf; softplus is not", "", "log(sigmoid(x))",
            "-softplus(-x)"),
        row("local_inv_1_plus_exp", "stabilize", 1.5, "exp overflows where sigmoid does not", "", "1 / (1 + exp(-x))", "sigmoid(x)"),
        row("local_dot_to_gemv", "blas", 1.7, "BLAS multiplies faster than any loop", "tiny matrices: the call costs more", "dot(x, w)",
            "CGemv(0, 1, x, w, 0)"),
        row("elemwise_fusion", "fusion", 49, "one loop reads and writes memory once",
            "an intermediate that others need is computed twice or blocks it", "exp(x) + 1", "Composite{exp(i0) + 1}"),
        row("inplace_elemwise_optimizer", "inplace", 75, "writes over an input that nobody reads again", "", "x + 1", "x += 1"),
    };
}

} // namespace profiler::fixture
