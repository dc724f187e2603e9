// Every rewrite proves itself by its examples: it fires, gives the stated result, keeps the numbers; near misses stay.
#include "tests/engine/device/shadow.h"
#include "tests/engine/rewrite/support.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rewrite_test {
namespace {

// Applied to both sides, so that an example may be written as people write.
const std::vector<std::string> kTidy = {"MergeOptimizer", "local_upcast_elemwise_constant_inputs", "constant_folding_exact",
                                        "local_track_shape_i"};

Mode exampleMode(const RewriteInfo &info, bool withItself)
{
    std::vector<std::string> names = kTidy;
    names.insert(names.end(), info.with.begin(), info.with.end());
    std::erase(names, info.name);
    if (withItself) names.push_back(info.name);
    return onlyMode(std::move(names));
}

std::vector<Value> inputsFor(const FunctionGraph &graph, std::mt19937 &random, std::int64_t size, bool nasty, bool finite)
{
    std::vector<Value> values;
    for (VarId id : graph.inputs()) {
        const Type type = graph.var(id).type;
        if (!type.isTensor()) {
            values.emplace_back();
            continue;
        }
        Dims shape;
        for (int axis = 0; axis < type.rank(); ++axis) shape.push_back(type.isBroadcastable(axis) ? 1 : size);
        // 0-d integers are sizes in the examples.
        if (type.rank() == 0 && isDiscrete(type.dtype())) values.emplace_back(Tensor::scalarInt(type.dtype(), size));
        else values.emplace_back(randomTensor(random, type.dtype(), shape, nasty, finite));
    }
    return values;
}

void checkNumbers(const RewriteInfo &info, const std::string &text)
{
    std::mt19937 random(17);
    const double tolerance = info.hasTag("approximate") ? 0.08 : 1e-5;
    std::string found;
    for (std::int64_t size : {3, 1, 5, 0, 7}) {
        for (int nasty = 0; nasty < 6; ++nasty) {
            const auto before = parseGraph(text);
            const auto after = parseGraph(text);
            rewriteGraph(*after, exampleMode(info, true));
            const std::vector<Value> inputs = inputsFor(*before, random, size, nasty > 0, nasty % 2);
            if (has(info.valueChange, ValueChange::Infinite) && holds(inputs, [](double x) { return std::isinf(x); })) continue;
            if (has(info.valueChange, ValueChange::KeepsNan) && holds(inputs, [](double x) { return std::isnan(x); })) continue;
            std::vector<Value> expected;
            try {
                expected = evaluate(*before, inputs);
            } catch (const UserError &) {
                continue; // the maximum of nothing, and the like
            }
            const std::vector<Value> results = evaluate(*after, inputs);
            for (std::size_t i = 0; i < expected.size() && found.empty(); ++i) {
                found = nasty ? nastyDifference(expected[i], results[i], tolerance, info.valueChange)
                              : difference(expected[i], results[i], tolerance);
                if (!found.empty()) found += " (size " + std::to_string(size) + (nasty ? ", nasty)" : ")");
            }
        }
    }
    EXPECT_EQ(found, "") << info.name << ": " << text;
}

/// Of sizes that are drawn by themselves, so that few fit: 0, 1 and others. Both sides give the same, or both raise.
void checkSizes(const RewriteInfo &info, const std::string &text)
{
    std::mt19937 random(23);
    const auto before = parseGraph(text), after = parseGraph(text);
    rewriteGraph(*after, exampleMode(info, true));
    const double tolerance = info.hasTag("approximate") ? 0.08 : 1e-5;
    for (int round = 0; round < 24; ++round) {
        // Mostly of two sizes, one of which is 0 or 1.
        const std::int64_t sizes[] = {round % 4, 1 + round % 3, round % 2};
        std::vector<Value> inputs;
        std::string drawn;
        for (VarId id : before->inputs()) {
            const Type type = before->var(id).type;
            if (!type.isTensor()) {
                inputs.emplace_back();
                continue;
            }
            Dims shape;
            for (int axis = 0; axis < type.rank(); ++axis)
                shape.push_back(type.isBroadcastable(axis) ? 1 : sizes[random() % (round % 5 ? 3 : 1)]);
            if (type.rank() == 0 && isDiscrete(type.dtype())) inputs.emplace_back(Tensor::scalarInt(type.dtype(), sizes[random() % 3]));
            else inputs.emplace_back(randomTensor(random, type.dtype(), shape, false));
            drawn += " " + (type.rank() ? shape.text() : inputs.back().tensor().text());
        }
        const auto outcome = [&](const FunctionGraph &graph, bool isChecked) {
            std::pair<std::vector<Value>, std::string> result;
            try {
                result.first = isChecked ? evaluateChecked(graph, inputs) : evaluate(graph, inputs);
            } catch (const UserError &error) {
                result.second = error.what();
            }
            return result;
        };
        const auto [expected, error] = outcome(*before, false);
        const auto [found, newError] = outcome(*after, true);
        ASSERT_EQ(error.empty(), newError.empty())
            << info.name << ": " << text << drawn << ": '" << error << "' became '" << newError << "'";
        for (std::size_t i = 0; i < expected.size() && error.empty(); ++i)
            ASSERT_EQ(difference(expected[i], found[i], tolerance), "") << info.name << ": " << text << drawn;
    }
}

class Examples : public testing::TestWithParam<const RewriteInfo *> {
protected:
    // Examples about devices are about the one that was chosen.
    static void SetUpTestSuite() { chooseDevice(shadow::device().id()); }
};

TEST_P(Examples, FireAsStated)
{
    const RewriteInfo &info = *GetParam();
    EXPECT_FALSE(info.why.empty()) << info.name << " does not say why";
    const auto isMiss = [](const RewriteExample &example) { return example.after.empty(); };
    EXPECT_TRUE(std::any_of(info.examples.begin(), info.examples.end(), isMiss)) << info.name << " has no near miss";
    EXPECT_FALSE(std::all_of(info.examples.begin(), info.examples.end(), isMiss)) << info.name << " has no example";
    for (const RewriteExample &example : info.examples) {
        SCOPED_TRACE(info.name + ": " + example.before);
        try {
            const auto graph = parseGraph(example.before);
            const RewriteReport report = rewriteGraph(*graph, exampleMode(info, true));
            EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
            EXPECT_EQ(checkJournal(*graph), "");
            if (example.after.empty()) {
                EXPECT_EQ(timesFired(report, info.name), 0u) << "fired on a near miss: " << textOf(*graph);
                continue;
            }
            EXPECT_GT(timesFired(report, info.name), 0u) << "did not fire: " << textOf(*graph);
            const auto wanted = parseGraph(example.after);
            rewriteGraph(*wanted, exampleMode(info, false));
            EXPECT_EQ(textOf(*graph), textOf(*wanted));
            checkNumbers(info, example.before);
            if (!info.hasTag("unsafe")) checkSizes(info, example.before);
        } catch (const NotationError &error) {
            ADD_FAILURE() << error.what() << " at column " << error.column;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Examples, testing::ValuesIn(allRewrites().begin(), allRewrites().end()),
                         [](const auto &info) { return info.param->name; });

} // namespace
} // namespace rewrite_test
