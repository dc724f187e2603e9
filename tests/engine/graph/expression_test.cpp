#include "engine/graph/ir/expression.h"
#include "engine/graph/ir/function_graph.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/text/notation.h"
#include "engine/text/print.h"
#include "tests/engine/graph/canonical_dump.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

// Says when it dies: hung on a node, it tells when the node dies.
class Witness final : public ForeignObject {
public:
    explicit Witness(int &alive) : m_alive(alive) { ++m_alive; }
    ~Witness() override { --m_alive; }
    std::string text() const override { return "witness"; }
    bool equals(const ForeignObject &other) const override { return this == &other; }

private:
    int &m_alive;
};

VarRef scalarInput(const char *name) { return Variable::input(Type::scalar(DType::Float64), name); }

VarRef longChain(std::size_t length, const VarRef &start)
{
    const OpRef op = elemwise(ScalarCode::Exp);
    VarRef at = start;
    for (std::size_t i = 0; i < length; ++i) at = apply(op, {at});
    return at;
}

TEST(Expression, NodesLiveAsLongAsSomebodyPointsAtThem)
{
    int alive = 0;
    VarRef x = scalarInput("x");
    x->tag = ForeignRef(new Witness(alive));
    VarRef y = exp(x);
    y->owner()->tag = ForeignRef(new Witness(alive));
    x = nullptr;
    EXPECT_EQ(alive, 2) << "y needs x";
    VarRef z = exp(y);
    y = nullptr;
    EXPECT_EQ(alive, 2) << "z needs both";
    z = nullptr;
    EXPECT_EQ(alive, 0);
}

TEST(Expression, AnOutputKeepsItsApplyAndItsSisters)
{
    int alive = 0;
    const ParsedExpression parsed = parseExpression("x: dscalar; exp(x)");
    const OpRef op = parsed.outputs[0]->owner()->opRef();
    const Type type = Type::scalar(DType::Float64);
    const VarRef x = scalarInput("x");
    VarRef second;
    {
        const std::vector<Type> types{type, type};
        const ApplyRef two = Apply::create(op, std::vector<VarRef>{x}, types);
        two->tag = ForeignRef(new Witness(alive));
        second = VarRef(two->output(1));
    }
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(second->owner()->output(0)->owner(), second->owner());
    EXPECT_EQ(second->index(), 1);
    second = nullptr;
    EXPECT_EQ(alive, 0);
}

TEST(Expression, AMillionNodesAreBuiltWalkedClonedAndDropped)
{
    constexpr std::size_t kLength = 1'000'000;
    int alive = 0;
    const VarRef x = scalarInput("x");
    VarRef end = longChain(kLength, x);
    end->owner()->tag = ForeignRef(new Witness(alive));
    EXPECT_EQ(toposort(std::vector<VarRef>{end}).size(), kLength);
    const std::vector<VarRef> found = leaves(std::vector<VarRef>{end});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0], x);
    {
        FunctionGraph graph(std::vector<VarRef>{x}, std::vector<VarRef>{end});
        EXPECT_EQ(graph.liveApplyCount(), kLength);
        EXPECT_EQ(graph.toposort().size(), kLength);
        const ExportedGraph exported = exportGraph(graph, graph.toposort());
        EXPECT_EQ(exported.toposort.size(), kLength);
        EXPECT_EQ(canonicalDump(graph).substr(0, 2), "v0");
    }
    EXPECT_EQ(alive, 1);
    end = nullptr;
    EXPECT_EQ(alive, 0);
}

TEST(Expression, AMillionReadersOfOneNodeAreDroppedToo)
{
    const VarRef x = scalarInput("x");
    std::vector<VarRef> all;
    for (int i = 0; i < 1'000'000; ++i) all.push_back(exp(x));
    EXPECT_EQ(toposort(all).size(), all.size());
    all.clear();
    // A ladder: every node reads the one below twice, so both edges of the last reader end it.
    VarRef y = x;
    for (int i = 0; i < 300'000; ++i) y = mul(y, y);
    EXPECT_EQ(toposort(std::vector<VarRef>{y}).size(), 300'000u);
}

TEST(Expression, ToposortPutsInputsFirstAndStops)
{
    const ParsedExpression parsed = parseExpression("x: dscalar; a = exp(x); b = sin(a); c = a + b; c * b");
    const std::vector<Apply *> order = toposort(parsed.outputs);
    std::vector<std::string> names;
    for (Apply *apply : order) names.push_back(apply->op().friendlyName());
    EXPECT_EQ(names, (std::vector<std::string>{"exp", "sin", "+", "×"}));
    const VarRef b = parsed.outputs[0]->owner()->input(1);
    EXPECT_EQ(toposort(parsed.outputs, std::vector<VarRef>{b}).size(), 3u);
    EXPECT_EQ(leaves(parsed.outputs, std::vector<VarRef>{b}).size(), 2u);
}

TEST(Expression, DisplayNames)
{
    EXPECT_EQ(scalarInput("x")->displayName(), "x");
    EXPECT_EQ(scalarInput("")->displayName(), "<TensorType(float64, scalar)>");
    EXPECT_EQ(exp(scalarInput("x"))->displayName(), "Elemwise{exp,no_inplace}.0");
    const auto constant = [](std::string_view text) { return parseExpression("y = " + std::string(text)).outputs[0]->displayName(); };
    EXPECT_EQ(constant("0.5"), "TensorConstant{0.5}");
    EXPECT_EQ(constant("float32([0.5])"), "TensorConstant{(1,) of 0.5}");
    EXPECT_EQ(constant("[[7, 7], [7, 7]]"), "TensorConstant{(2, 2) of 7}");
    EXPECT_EQ(constant("[1, 2, 3]"), "TensorConstant{[1 2 3]}");
    EXPECT_EQ(constant("[1000000, 2000000, 3000000]"), "TensorConstant{[1000000 2..0 3000000]}");
}

TEST(Expression, ContainersCountTheirGenerations)
{
    Container container{Value(Tensor::zeros(DType::Float64, {2}))};
    const std::uint64_t before = container.generation();
    container.set(Value(Tensor::zeros(DType::Float64, {3})));
    EXPECT_NE(container.generation(), before);
    EXPECT_EQ(container.value().tensor().shape(), Dims({3}));
}

TEST(Expression, OpsAreInterned)
{
    EXPECT_EQ(elemwise(ScalarCode::Exp), elemwise(ScalarCode::Exp));
    EXPECT_NE(elemwise(ScalarCode::Exp), elemwise(ScalarCode::Log));
    EXPECT_EQ(makeOp<Elemwise>(scalarOp(ScalarCode::Exp)), elemwise(ScalarCode::Exp));
    EXPECT_NE(makeOp<Elemwise>(scalarOp(ScalarCode::Exp), std::vector<Alias>{{0, 0}}), elemwise(ScalarCode::Exp));
}

TEST(Expression, TracesAreInterned)
{
    const TraceId a = internTrace({{"a.py", 3, "f", "x = 1"}, {"a.py", 9, "", "f()"}});
    EXPECT_EQ(a, internTrace({{"a.py", 3, "f", "x = 1"}, {"a.py", 9, "", "f()"}}));
    EXPECT_NE(a, internTrace({{"a.py", 3, "f", "x = 2"}, {"a.py", 9, "", "f()"}}));
    EXPECT_EQ(internTrace({}), TraceId::None);
    EXPECT_EQ(traceLines(a).size(), 2u);
    const VarRef x = scalarInput("x");
    const ScopedTrace scope(a);
    EXPECT_EQ(sourceLine(exp(x)->trace()).line, 3);
}

TEST(Expression, TracesShareWhatCalledThem)
{
    const TraceId main = internTrace({{"a.py", 9, "", "f()"}});
    const TraceId inner = internTrace({{"a.py", 3, "f", "x = 1"}, {"a.py", 9, "", "f()"}});
    EXPECT_EQ(callerOf(inner), main);
    EXPECT_EQ(callerOf(main), TraceId::None);
    EXPECT_EQ(callerOf(TraceId::None), TraceId::None);
    EXPECT_EQ(internCall({"a.py", 3, "f", "x = 1"}, main), inner);
    EXPECT_NE(internCall({"a.py", 3, "f", "x = 1"}, TraceId::None), inner) << "the same line, reached otherwise";
    EXPECT_EQ(sourceLine(TraceId::None).line, 0);
}

TEST(Expression, OfLongTracesTheInnermostLinesAreShown)
{
    const int before = shownLines();
    setShownLines(3);
    TraceId trace = TraceId::None;
    for (int line = 1; line <= 20; ++line) trace = internCall({"deep.py", line, "f", ""}, trace);
    setShownLines(before);
    const std::vector<SourceLine> shown = traceLines(trace);
    ASSERT_EQ(shown.size(), 3u);
    EXPECT_EQ(shown[0].line, 20);
    EXPECT_EQ(shown[2].line, 18);
    int all = 0;
    for (TraceId call = trace; call != TraceId::None; call = callerOf(call)) ++all;
    EXPECT_EQ(all, 20);
}

} // namespace
} // namespace engine
