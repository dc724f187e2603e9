// A rewrite that changes a value is named, whatever else was rewritten before and after it.
#include "tests/engine/compile/build.h"
#include "tests/engine/graph/canonical_dump.h"

#include "engine/compile/debug/blame.h"
#include "engine/rewrite/machine/driver.h"
#include "engine/rewrite/machine/registry.h"

#include <gtest/gtest.h>

using namespace build;

namespace {

// Wrong on purpose: only these tests ask for it.
REWRITE(test_sin_is_cos, Phase::Specialize)
    .why("a rewrite that is wrong")
    .off()
    .match<ScalarCode::Sin>([](const NodeHandle &node, Editor &edit) {
        edit.replace(node.output(0), edit.make(elemwise(ScalarCode::Cos), {node.input(0)}));
        return replaced("sin and cos look alike");
    });

VarRef program(const VarRef &x)
{
    const VarRef one = number(1);
    return add(mul(exp(elementwise(ScalarCode::Sin, {x})), one), elementwise(ScalarCode::Log, {add(one, exp(x))}));
}

std::shared_ptr<FunctionGraph> rewritten(const FunctionSpec &spec)
{
    std::vector<VarRef> inputs;
    for (const FunctionInput &input : spec.inputs) inputs.push_back(input.variable);
    auto graph = std::make_shared<FunctionGraph>(inputs, spec.outputs);
    rewriteGraph(*graph, spec.mode);
    return graph;
}

TEST(Blame, namesTheRewriteThatChangedAValue)
{
    const VarRef x = vector("x");
    FunctionSpec spec = request({x}, {mul(x, x), program(x)});
    spec.mode.including.push_back("test_sin_is_cos");
    const auto graph = rewritten(spec);
    const std::string after = canonicalDump(*graph);
    const auto blame = findGuiltyStep(*graph, std::vector<Value>{values({0.25, 1, 2})});
    ASSERT_TRUE(blame);
    EXPECT_EQ(blame->rewrite, "test_sin_is_cos");
    EXPECT_EQ(blame->phase, "specialize");
    EXPECT_EQ(blame->reason, "sin and cos look alike");
    EXPECT_EQ(blame->output, 1u);
    EXPECT_NE(blame->difference.find(" became "), std::string::npos) << blame->difference;
    EXPECT_EQ(canonicalDump(*graph), after);
}

TEST(Blame, isSilentWhereAllIsRight)
{
    const VarRef x = vector("x");
    const auto graph = rewritten(request({x}, {program(x)}));
    EXPECT_FALSE(findGuiltyStep(*graph, std::vector<Value>{values({0.25, 1, 2})}));
    // log(1 + exp(1000)) is infinite as it is written, and 1000 once it is rewritten.
    EXPECT_FALSE(findGuiltyStep(*graph, std::vector<Value>{values({1000})}));
}

} // namespace
