#include "engine/graph/ir/function_graph.h"

#include "engine/graph/ir/editor.h"
#include "engine/graph/ir/lineage.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/loops/graph_op.h"
#include "engine/tensor/errors.h"
#include "engine/text/notation.h"
#include "engine/text/print.h"
#include "tests/engine/graph/canonical_dump.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

namespace engine {
namespace {

std::unique_ptr<FunctionGraph> graphOf(std::string_view text)
{
    const ParsedExpression parsed = parseExpression(text);
    return std::make_unique<FunctionGraph>(parsed.inputs, parsed.outputs);
}

std::string pretty(const FunctionGraph &graph)
{
    const ExportedGraph exported = exportGraph(graph, graph.toposort());
    std::string text;
    for (const VarRef &output : exported.outputs) text += (text.empty() ? "" : ", ") + prettyPrint(output, {.exact = true});
    return text;
}

ApplyId findApply(const FunctionGraph &graph, std::string_view friendlyName)
{
    for (ApplyId id : graph.liveApplies())
        if (graph.apply(id).op->friendlyName() == friendlyName) return id;
    return kNoApply;
}

/// Every use and client entry point at each other, everything reachable is live, nothing else is.
void checkConsistency(const FunctionGraph &graph)
{
    std::size_t uses = 0, clients = 0;
    for (ApplyId id : graph.liveApplies()) {
        const ApplyNode &node = graph.apply(id);
        for (std::uint32_t port = 0; port < node.inputs.size(); ++port, ++uses) {
            const VarNode &var = graph.var(node.inputs[port].var);
            ASSERT_TRUE(var.live) << "apply " << raw(id) << " reads a dead variable";
            ASSERT_LT(node.inputs[port].position, var.clients.size());
            const Client &client = var.clients[node.inputs[port].position];
            ASSERT_EQ(client.apply, id);
            ASSERT_EQ(client.port, port);
        }
        for (VarId out : node.outputs) ASSERT_TRUE(graph.var(out).live);
    }
    for (std::uint32_t i = 0; i < graph.varCount(); ++i)
        if (graph.var(VarId{i}).live) clients += graph.var(VarId{i}).clients.size();
    ASSERT_EQ(clients, uses + graph.outputCount());
    for (std::size_t i = 0; i < graph.outputCount(); ++i) ASSERT_TRUE(graph.var(graph.output(i)).live);
}

TEST(FunctionGraph, ClonesWithNamesAndClients)
{
    const auto graph = graphOf("x, y: dmatrix; z = x + y; exp(z) * z");
    EXPECT_EQ(graph->liveApplyCount(), 3u);
    EXPECT_EQ(pretty(*graph), "(exp((x + y)) * (x + y))");
    const ApplyId add = findApply(*graph, "+");
    const VarId z = graph->apply(add).outputs[0];
    EXPECT_EQ(graph->name(z), "z");
    EXPECT_EQ(graph->displayName(graph->output(0)), "Elemwise{mul,no_inplace}.0");
    EXPECT_EQ(graph->var(z).clients.size(), 2u);
    checkConsistency(*graph);
}

TEST(FunctionGraph, MissingAndDoubleInputsAreRefused)
{
    const ParsedExpression parsed = parseExpression("x, y: dmatrix; x + y");
    try {
        FunctionGraph graph(std::vector<VarRef>{parsed.inputs[0]}, parsed.outputs);
        FAIL();
    } catch (const MissingInput &error) {
        EXPECT_NE(std::string(error.what()).find("y"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("<expression>:1"), std::string::npos);
        EXPECT_NE(error.hint(), "");
    }
    EXPECT_THROW(FunctionGraph(std::vector<VarRef>{parsed.inputs[0], parsed.inputs[0]}, parsed.outputs), UserError);
}

TEST(FunctionGraph, SharedVariablesBecomeInputs)
{
    auto container = std::make_shared<Container>(Value(Tensor::zeros(DType::Float64, {3})));
    const VarRef w = Variable::shared(container, Type::ofRank(DType::Float64, 1), "w");
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x");
    const FunctionGraph graph(std::vector<VarRef>{x}, std::vector<VarRef>{mul(w, x)});
    EXPECT_EQ(graph.inputs().size(), 2u);
    EXPECT_EQ(graph.name(graph.inputs()[1]), "w");
}

TEST(FunctionGraph, GivensAreAppliedAtOnce)
{
    const ParsedExpression p = parseExpression("x, y: dmatrix; a = exp(x); x + a * y");
    const VarRef x = p.inputs[0], y = p.inputs[1];
    const FunctionGraph swapped(p.inputs, p.outputs, {{x, y}, {y, x}});
    EXPECT_EQ(pretty(swapped), "(y + (exp(y) * x))");
    EXPECT_THROW(FunctionGraph(p.inputs, p.outputs, {{p.outputs[0]->owner()->input(1)->owner()->input(0), p.outputs[0]}}), UserError);
}

TEST(Editor, AStepReplacesAndCanBeReplayed)
{
    const auto graph = graphOf("x: dvector; log(1 + x) * 2");
    const std::string before = canonicalDump(*graph);
    {
        Editor edit(*graph);
        const NodeHandle log = edit.node(findApply(*graph, "log"));
        edit.beginStep("stabilize", "stabilize", "local_log1p");
        const NodeHandle sum = *log.input(0).owner();
        edit.replace(log.output(), edit.make(elemwise(ScalarCode::Log1p), {sum.input(1)}));
        EXPECT_TRUE(edit.commitStep("log(1 + x)"));
        EXPECT_GT(graph->journal().steps.back().nanoseconds, 0u);
        EXPECT_EQ(edit.dirty().size(), 2u) << "log1p and its reader";
    }
    checkConsistency(*graph);
    EXPECT_EQ(pretty(*graph), "(log1p(x) * 2)");
    const std::string after = canonicalDump(*graph);
    const Step &step = graph->journal().steps.at(0);
    EXPECT_EQ(step.rewrite, "local_log1p");
    EXPECT_EQ(graph->journal().region(step).size(), 2u);
    EXPECT_EQ(graph->journal().produced(step).size(), 1u);
    EXPECT_EQ(graph->journal().fates(step).size(), 3u) << "log, add and the padding of the 1";
    graph->goTo(0);
    checkConsistency(*graph);
    EXPECT_EQ(canonicalDump(*graph), before);
    graph->goTo(1);
    EXPECT_EQ(canonicalDump(*graph), after);
    checkConsistency(*graph);
}

TEST(Editor, NothingChangedIsNoStep)
{
    const auto graph = graphOf("x: dvector; exp(x)");
    const std::string before = canonicalDump(*graph);
    Editor edit(*graph);
    edit.beginStep("p", "p", "r");
    edit.make(elemwise(ScalarCode::Log), {edit.var(graph->inputs()[0])});
    EXPECT_FALSE(edit.commitStep(""));
    EXPECT_TRUE(graph->journal().steps.empty());
    EXPECT_TRUE(graph->journal().edits.empty());
    EXPECT_EQ(canonicalDump(*graph), before);
    EXPECT_EQ(graph->liveApplyCount(), 1u);
}

TEST(Editor, EqualAppliesAndConstantsAreShared)
{
    const auto graph = graphOf("x: dvector; exp(x) + 1.5");
    Editor edit(*graph);
    edit.beginStep("p", "p", "r");
    const VarHandle x = edit.var(graph->inputs()[0]);
    const VarHandle e = edit.make(elemwise(ScalarCode::Exp), {x});
    EXPECT_EQ(e.owner()->id(), findApply(*graph, "exp"));
    const VarHandle c = edit.constant(Tensor::full(DType::Float64, {1}, 2.25));
    EXPECT_EQ(c, edit.constant(Tensor::full(DType::Float64, {1}, 2.25)));
    EXPECT_FALSE(c == edit.constant(Tensor::full(DType::Float64, {}, 2.25)));
    EXPECT_FALSE(c == edit.constant(Tensor::full(DType::Float32, {1}, 2.25)));
    edit.abandonStep();
}

TEST(Editor, TypesMustFit)
{
    const auto graph = graphOf("x: dvector; y: fvector; exp(x) + y");
    Editor edit(*graph);
    edit.beginStep("p", "p", "wrong");
    const NodeHandle e = edit.node(findApply(*graph, "exp"));
    EXPECT_THROW(edit.replace(e.output(), edit.var(graph->inputs()[1])), InternalError);
    edit.abandonStep();
    checkConsistency(*graph);
}

// --- random edits -----------------------------------------------------------------------------------

std::string randomExpression(std::mt19937 &random, int size)
{
    static const char *const unary[] = {"exp", "sin", "tanh", "sqr", "abs"};
    static const char *const binary[] = {" + ", " * ", " - ", " / "};
    std::string text = "x0: dvector; x1: dvector";
    const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    for (int i = 2; i < size; ++i) {
        const auto name = [&] { return pick(8) ? "x" + std::to_string(pick(i)) : std::string("0.5"); };
        text += "; x" + std::to_string(i) + " = ";
        if (pick(2)) text += std::string(unary[pick(5)]) + "(x" + std::to_string(pick(i)) + ")";
        else text += "x" + std::to_string(pick(i)) + binary[pick(4)] + name();
    }
    return text + "; x" + std::to_string(size - 1) + ", x" + std::to_string(size - 2) + ", x" + std::to_string(size / 2);
}

// Random, mostly meaningless edits: what counts is that undo and redo are exact.
void randomEdits(Editor &edit, std::mt19937 &random)
{
    const FunctionGraph &graph = edit.graph();
    const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    const int count = 1 + static_cast<int>(pick(3));
    for (int i = 0; i < count; ++i) {
        const std::vector<ApplyId> order = graph.toposort();
        if (order.empty()) return;
        const std::size_t at = pick(order.size());
        const NodeHandle node = edit.node(order[at]);
        const VarHandle target = node.output();
        switch (pick(6)) {
        case 0: // by an input of it (no cycle possible)
            for (const VarHandle &input : node.inputs())
                if (input.type().convertibleTo(target.type())) {
                    if (auto owner = input.owner()) (void)owner;
                    edit.replace(target, input);
                    break;
                }
            break;
        case 1: { // by something new made of its inputs
            std::vector<VarHandle> inputs = node.inputs();
            if (inputs[0].type() == target.type()) edit.replace(target, edit.make(elemwise(ScalarCode::Cosh), {inputs[0]}));
            break;
        }
        case 2: // by a function of itself: what reads it moves, the new one keeps reading it
            edit.replace(target, edit.make(elemwise(ScalarCode::Sqr), {edit.make(elemwise(ScalarCode::Cos), {target})}));
            break;
        case 3: edit.rename(target.id(), "n" + std::to_string(pick(20))); break;
        case 4: { // merged with an equal one: take any earlier apply of the same type
            const VarHandle other = edit.node(order[pick(at + 1)]).output();
            if (other.type().convertibleTo(target.type())) edit.replace(target, other, FateKind::Merged);
            break;
        }
        default: { // one port only
            if (node.inputs().empty()) break;
            const auto port = static_cast<std::uint32_t>(pick(node.inputCount()));
            const VarHandle constant = edit.constant(Tensor::full(DType::Float64, {1}, static_cast<double>(pick(5))));
            if (constant.type().convertibleTo(node.input(port).type())) edit.setInput(node.id(), port, constant.id());
        }
        }
    }
}

TEST(Journal, ReplayForthAndBackGivesEqualDumps)
{
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        const auto graph = graphOf(randomExpression(random, 5 + static_cast<int>(seed % 30)));
        std::vector<std::string> dumps{canonicalDump(*graph)};
        Editor edit(*graph);
        for (int step = 0; step < 20; ++step) {
            edit.beginStep("phase", "pass", internText("random" + std::to_string(step)));
            randomEdits(edit, random);
            if (random() % 4 == 0) {
                edit.abandonStep();
                ASSERT_EQ(canonicalDump(*graph), dumps.back()) << "abandonStep, seed " << seed << " step " << step;
            } else if (edit.commitStep("because")) {
                dumps.push_back(canonicalDump(*graph));
            } else {
                ASSERT_EQ(canonicalDump(*graph), dumps.back());
            }
            checkConsistency(*graph);
        }
        ASSERT_EQ(graph->journal().steps.size() + 1, dumps.size());
        for (std::size_t at = dumps.size(); at-- > 0;) {
            graph->goTo(at);
            ASSERT_EQ(canonicalDump(*graph), dumps[at]) << "back, seed " << seed;
        }
        for (int jump = 0; jump < 20; ++jump) {
            const std::size_t at = random() % dumps.size();
            graph->goTo(at);
            ASSERT_EQ(canonicalDump(*graph), dumps[at]) << "jump, seed " << seed;
            ASSERT_EQ(graph->liveApplies().size(), graph->liveApplyCount());
            checkConsistency(*graph);
        }
        graph->goTo(dumps.size() - 1);
        ASSERT_EQ(canonicalDump(*graph), dumps.back());
    }
}

TEST(Journal, KeepsWhatEachApplyWasBornWith)
{
    std::size_t rewired = 0;
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::mt19937 random(seed);
        const auto graph = graphOf(randomExpression(random, 20));
        Editor edit(*graph);
        for (int step = 0; step < 20; ++step) {
            edit.beginStep("phase", "pass", "random");
            randomEdits(edit, random);
            if (random() % 4 == 0) edit.abandonStep();
            else edit.commitStep("because");
        }
        // Backwards from what an apply reads in the end.
        const Journal &journal = graph->journal();
        std::vector<std::vector<VarId>> reads(graph->applyCount());
        for (std::uint32_t i = 0; i < reads.size(); ++i)
            for (const Use &use : graph->apply(ApplyId{i}).inputs) reads[i].push_back(use.var);
        for (std::size_t i = journal.edits.size(); i-- > 0;) {
            const Edit &one = journal.edits[i];
            if (one.kind == Edit::Kind::SetInput) reads[one.id][one.port] = VarId{one.oldValue};
            if (one.kind != Edit::Kind::AddApply) continue;
            const auto born = journal.bornInputs(one);
            ASSERT_EQ(std::vector<VarId>(born.begin(), born.end()), reads[one.id]) << "seed " << seed;
            for (std::size_t port = 0; port < born.size(); ++port) rewired += born[port] != graph->apply(ApplyId{one.id}).inputs[port].var;
        }
    }
    EXPECT_GT(rewired, 20u) << "nearly no apply reads something else than it was born with";
}

TEST(Journal, RecordsAreSmall)
{
    EXPECT_LE(sizeof(Edit), 24u);
    EXPECT_LE(sizeof(Step), 120u);
}

TEST(ConsTable, FindsKeysThatFallTogether)
{
    // Half of the keys belong into one place, the others around it; every third goes again.
    ConsTable<ApplyId> table;
    const auto key = [](std::uint32_t i) { return (std::size_t(i) << 32) | (i % 2 ? 40 : i % 64); };
    for (std::uint32_t i = 0; i < 5000; ++i) table.insert(key(i), ApplyId{i});
    for (std::uint32_t i = 0; i < 5000; i += 3) table.erase(key(i), ApplyId{i});
    for (std::uint32_t i = 0; i < 5000; ++i) EXPECT_EQ(table.any(key(i), [&](ApplyId id) { return raw(id) == i; }), i % 3 != 0) << i;
}

TEST(Lineage, EveryOriginalApplyHasOneFate)
{
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937 random(seed + 1000);
        const auto graph = graphOf(randomExpression(random, 25));
        Editor edit(*graph);
        for (int step = 0; step < 15; ++step) {
            edit.beginStep("phase", "pass", "random");
            randomEdits(edit, random);
            edit.commitStep("because");
        }
        const Lineage lineage = traceLineage(*graph);
        ASSERT_EQ(lineage.fates.size(), graph->originalApplyCount());
        for (std::uint32_t i = 0; i < lineage.fates.size(); ++i) {
            const FinalFate &fate = lineage.fates[i];
            ASSERT_EQ(raw(fate.apply), i);
            ASSERT_EQ(fate.kind == FateKind::Kept, graph->apply(fate.apply).live) << "seed " << seed << " apply " << i;
            for (ApplyId to : fate.to) ASSERT_TRUE(graph->apply(to).live);
            if (fate.kind == FateKind::Dead) {
                ASSERT_TRUE(fate.to.empty());
            } else {
                ASSERT_FALSE(fate.to.empty() && fate.leaves.empty() && fate.kind != FateKind::Constant);
            }
        }
    }
}

TEST(Lineage, FollowsAFusionToTheLines)
{
    const ParsedExpression parsed = parseExpression("a = exp(x)\nb = sin(a)\nb * 2");
    FunctionGraph graph(parsed.inputs, parsed.outputs);
    {
        Editor edit(graph);
        edit.beginStep("fusion", "fusion", "elemwise_fusion");
        const NodeHandle sin = edit.node(findApply(graph, "sin"));
        const NodeHandle e = *sin.input(0).owner();
        edit.replace(sin.output(), edit.make(elemwise(ScalarCode::Tanh), {e.input(0)}), FateKind::Fused);
        ASSERT_TRUE(edit.commitStep(""));
    }
    const Lineage lineage = traceLineage(graph);
    const ApplyId fused = findApply(graph, "tanh");
    std::vector<int> lines;
    for (TraceId trace : lineage.sources(graph, fused)) lines.push_back(sourceLine(trace).line);
    EXPECT_EQ(lines, (std::vector<int>{1, 2}));
    EXPECT_EQ(lineage.fates[0].kind, FateKind::Fused);
    EXPECT_EQ(lineage.fates[0].to, std::vector<ApplyId>{fused});
    EXPECT_EQ(graph.name(graph.apply(fused).outputs[0]), "b");
}

// --- sizes ------------------------------------------------------------------------------------------

TEST(Editor, AConstantWithManyReadersStaysCheap)
{
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x");
    const VarRef half = Variable::constant(Tensor::full(DType::Float64, {1}, 0.5));
    const OpRef op = elemwise(ScalarCode::Mul);
    constexpr int kReaders = 100'000;
    std::vector<VarRef> outputs;
    for (int i = 0; i < kReaders; ++i) outputs.push_back(apply(op, {x, half}));
    FunctionGraph graph(std::vector<VarRef>{x}, outputs);
    const auto start = std::chrono::steady_clock::now();
    {
        Editor edit(graph);
        // All readers move to another constant, one step each; then back at once.
        const VarId old = graph.find(half.get());
        for (int i = 0; i < kReaders; ++i) {
            edit.beginStep("p", "p", "one");
            edit.setInput(ApplyId{static_cast<std::uint32_t>(i)}, 1, edit.constant(Tensor::full(DType::Float64, {1}, 0.25)).id());
            ASSERT_TRUE(edit.commitStep(""));
        }
        EXPECT_FALSE(graph.var(old).live) << "nobody reads it any more";
        edit.beginStep("p", "p", "all");
        edit.replace(edit.var(graph.inputOf(ApplyId{0}, 1)), edit.constant(Tensor::full(DType::Float64, {1}, 0.125)));
        ASSERT_TRUE(edit.commitStep(""));
    }
    graph.goTo(0);
    graph.goTo(graph.journal().steps.size());
    const auto taken = std::chrono::steady_clock::now() - start;
    // Quadratic would be 10^10 moves; a slow machine with sanitizers is still far below this.
    EXPECT_LT(std::chrono::duration<double>(taken).count(), 20.0);
    checkConsistency(graph);
}

// --- nesting ----------------------------------------------------------------------------------------

TEST(Nesting, AGraphInsideAnApplyIsNotInlined)
{
    const ParsedExpression inner = parseExpression("a, b: dvector; exp(a) * b, a + b");
    const OpRef op = opFromGraph(inner.inputs, inner.outputs, "twice");
    const VarRef x = Variable::input(Type::ofRank(DType::Float64, 1), "x");
    const ApplyRef call = Apply::create(op, std::vector<VarRef>{x, x});
    const std::vector<VarRef> outputs{VarRef(call->output(0)), VarRef(call->output(1))};
    const FunctionGraph graph(std::vector<VarRef>{x}, outputs);
    ASSERT_EQ(graph.liveApplyCount(), 1u);
    const InnerGraph *nested = graph.apply(ApplyId{0}).op->inner();
    ASSERT_NE(nested, nullptr);
    EXPECT_EQ(nested->inputs.size(), 2u);
    EXPECT_EQ(toposort(nested->outputs).size(), 3u);
    EXPECT_FALSE(op->equals(*opFromGraph(inner.inputs, inner.outputs, "twice")));
}

} // namespace
} // namespace engine
