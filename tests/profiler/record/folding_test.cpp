// What repeats in graphs as the compiler makes them: a loop that was written out, layers with their gradient, updates.
#include "engine/compile/function/function.h"
#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/text/notation.h"
#include "profiler/record/recorder.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/times/folding.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace profiler;

namespace {

// An indented list of the groups.
std::string outline(const Folding &folding)
{
    static constexpr const char *kNames[] = {"chain", "copies", "part", "mixed", "run", "line", "scope"};
    std::string text;
    for (const FoldGroup &group : folding.groups) {
        text += std::string(static_cast<std::size_t>(2 * group.depth), ' ') + kNames[static_cast<int>(group.kind)];
        if (group.kind == FoldKind::Part) {
            text += ' ' + std::to_string(group.first + 1);
            if (group.count > 1) text += '-' + std::to_string(group.first + group.count);
        } else if (group.count > 1) {
            text += " x " + std::to_string(group.count);
        }
        if (!group.name.empty()) text += ' ' + group.name;
        text += ": " + std::to_string(group.applies.size()) + " applies";
        for (std::size_t i = 0; i < group.ops.size() && i < 3; ++i) text += (i ? ", " : " of ") + group.ops[i].substr(0, 40);
        if (group.ops.size() > 3) text += ", ...";
        for (const SourceLine &line : group.lines) text += "; line " + std::to_string(line.line);
        text += '\n';
    }
    return text;
}

class Folded : public testing::Test {
protected:
    void record(const std::string &program, const std::vector<std::string> &trained = {})
    {
        const engine::ParsedExpression parsed = engine::parseExpression(program);
        engine::FunctionSpec spec;
        std::vector<engine::VarRef> parameters;
        for (const engine::VarRef &input : parsed.inputs) {
            if (std::find(trained.begin(), trained.end(), input->name()) != trained.end()) parameters.push_back(input);
            spec.inputs.push_back({input});
        }
        spec.outputs = parsed.outputs;
        // Adam, as one writes it: both means, their corrections, the new value.
        const auto number = [](double value) { return engine::constantOf(engine::DType::Float64, value); };
        const auto op = [](engine::ScalarCode code, std::initializer_list<engine::VarRef> of) { return engine::elementwise(code, of); };
        using enum engine::ScalarCode;
        if (!parameters.empty()) {
            const std::vector<engine::VarRef> slopes = engine::grad(parsed.outputs.front(), parameters);
            for (std::size_t i = 0; i < parameters.size(); ++i) {
                const engine::VarRef mean = engine::Variable::input(parameters[i]->type(), "m" + std::to_string(i));
                const engine::VarRef square = engine::Variable::input(parameters[i]->type(), "v" + std::to_string(i));
                spec.inputs.push_back({mean});
                spec.inputs.push_back({square});
                const engine::VarRef newMean = op(Add, {op(Mul, {mean, number(0.9)}), op(Mul, {slopes[i], number(0.1)})});
                const engine::VarRef newSquare = op(Add, {op(Mul, {square, number(0.99)}), op(Mul, {op(Sqr, {slopes[i]}), number(0.01)})});
                const engine::VarRef change = op(TrueDiv, {newMean, op(Add, {op(Sqrt, {newSquare}), number(1e-8)})});
                spec.outputs.push_back(newMean);
                spec.outputs.push_back(newSquare);
                spec.outputs.push_back(op(Sub, {parameters[i], op(Mul, {change, number(0.001)})}));
            }
        }
        Recorder recorder(m_path, SessionStart{});
        engine::Function::compile(std::move(spec));
        recorder.finish(0);
        const auto reader = SessionReader::open(m_path);
        m_graph = std::make_unique<GraphReplica>(reader->replica(reader->functions().at(0).graph));
    }

    Folding fold(bool optimized)
    {
        m_graph->goTo(optimized ? m_graph->stepCount() : 0);
        FoldQuestion question;
        question.graph = m_graph.get();
        return foldGraph(question);
    }

    // Things at the top: groups, and applies in none.
    int onTop(const Folding &folding) const
    {
        int count = static_cast<int>(
            std::count_if(folding.groups.begin(), folding.groups.end(), [](const FoldGroup &group) { return group.depth == 0; }));
        for (ApplyId id : m_graph->applies()) count += folding.groupOf(id) < 0;
        return count;
    }

    // Groups lie in one another, hold every apply once, and say the innermost one of each.
    void expectWhole(const Folding &folding) const
    {
        std::set<std::uint32_t> seen;
        for (std::size_t i = 0; i < folding.groups.size(); ++i) {
            const FoldGroup &group = folding.groups[i];
            ASSERT_LT(group.parent, static_cast<int>(i));
            if (group.parent < 0) {
                for (ApplyId id : group.applies) ASSERT_TRUE(seen.insert(raw(id)).second);
                continue;
            }
            const std::vector<ApplyId> &around = folding.groups[group.parent].applies;
            const std::set<ApplyId> outer(around.begin(), around.end());
            for (ApplyId id : group.applies) ASSERT_TRUE(outer.contains(id));
        }
        for (const auto &[id, group] : folding.innermost) {
            const std::vector<ApplyId> &applies = folding.groups[group].applies;
            ASSERT_NE(std::find(applies.begin(), applies.end(), ApplyId{id}), applies.end());
        }
    }

    Scratch m_scratch;
    std::string m_path = m_scratch / "s.croton";
    std::unique_ptr<GraphReplica> m_graph;
};

TEST_F(Folded, aLoopThatWasWrittenOutIsOneThing)
{
    constexpr int kSteps = 2500;
    std::string program = "x: dmatrix; U: dmatrix; W: dmatrix; h: dmatrix\nh0 = h\n";
    for (int i = 0; i < kSteps; ++i) {
        const std::string from = "h" + std::to_string(i), to = "h" + std::to_string(i + 1), gate = "g" + std::to_string(i);
        program += gate + " = sigmoid(dot(x, U) * " + std::to_string(i + 1) + ".5)\n";
        program += to + " = " + gate + " * tanh(dot(" + from + ", W) + x) + (1.0 - " + gate + ") * " + from + "\n";
    }
    record(program + "h" + std::to_string(kSteps));
    for (bool optimized : {false, true}) {
        const Folding folding = fold(optimized);
        expectWhole(folding);
        EXPECT_LE(onTop(folding), 6) << outline(folding).substr(0, 2000);
        const auto largest = std::max_element(folding.groups.begin(), folding.groups.end(),
                                              [](const auto &a, const auto &b) { return a.applies.size() < b.applies.size(); });
        ASSERT_NE(largest, folding.groups.end());
        EXPECT_NEAR(largest->count, kSteps, 2);
        EXPECT_TRUE(largest->chained);
        EXPECT_GT(largest->applies.size(), 0.98 * m_graph->applyCount());
        // Opened it shows few parts, those show few again, and so on down to one instance.
        std::vector<int> members(folding.groups.size(), 0);
        for (const FoldGroup &group : folding.groups)
            if (group.parent >= 0) ++members[group.parent];
        for (int count : members) EXPECT_LE(count, 100);
    }
}

TEST_F(Folded, layersAndTheUpdatesOfTheirParameters)
{
    std::string program = "x: dmatrix; t: dmatrix";
    std::vector<std::string> names;
    for (int i = 0; i < 6; ++i) {
        const std::string number = std::to_string(i);
        program += "; W" + number + ": dmatrix; b" + number + ": dvector";
        names.insert(names.end(), {"W" + number, "b" + number});
    }
    program += "\nh0 = x\n";
    for (int i = 0; i < 6; ++i) {
        const std::string number = std::to_string(i);
        program += "h" + std::to_string(i + 1) + " = tanh(dot(h" + number + ", W" + number + ") + b" + number + ")\n";
    }
    record(program + "sum((h6 - t) ** 2)", names);
    const Folding written = fold(false);
    expectWhole(written);
    int ofSix = 0, updates = 0;
    for (const FoldGroup &group : written.groups) {
        if (group.depth > 0) continue;
        ofSix += group.count >= 5 && group.count <= 6;
        updates += group.count >= 5 && group.count <= 12 && std::find(group.ops.begin(), group.ops.end(), "√") != group.ops.end();
    }
    EXPECT_GE(ofSix, 2) << outline(written); // the layers, and what belongs to each of their parameters
    EXPECT_GE(updates, 1) << outline(written);
    EXPECT_LT(onTop(written), m_graph->applyCount() / 3) << outline(written);
    const Folding optimized = fold(true);
    expectWhole(optimized);
    EXPECT_LT(onTop(optimized), m_graph->applyCount() / 2 + 2) << outline(optimized);
}

TEST_F(Folded, whatDoesNotRepeatStaysAsItIs)
{
    record("x: dmatrix; w: dvector; b: dscalar\nz = dot(x, w) + b\np = 1.0 / (1.0 + exp(-z))\nsum(p ** 2) + mean(log(p))");
    EXPECT_TRUE(fold(false).groups.empty());
    EXPECT_TRUE(fold(true).groups.empty());
}

} // namespace
