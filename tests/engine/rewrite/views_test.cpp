// Stability does not depend on where views stand: every stabilizing example with each view around it and inside it, beside other readers,
// and with its gradient, gives at extreme inputs the digits that it gives without the view.
#include "engine/gradient/gradient.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"
#include "tests/engine/rewrite/digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace rewrite_test {
namespace {

struct ViewKind {
    const char *name;
    int leastRank;
    bool mayHideSizes; ///< arrays of several sizes look the same through it: reshape(a, -1) + reshape(b, -1) says nothing of a + b
    VarRef (*around)(const VarRef &x);
};

IndexItem reversed() { return IndexItem::slice({}, {}, constantOf(DType::Int64, -1)); }

const ViewKind kViews[] = {
    {"flatten", 1, true, [](const VarRef &x) -> VarRef { return flatten(x); }},
    {"column", 1, true,
     [](const VarRef &x) -> VarRef {
         const std::int64_t sizes[] = {-1, 1};
         return reshape(x, sizes);
     }},
    {"transpose", 2, false, [](const VarRef &x) -> VarRef { return transpose(x); }},
    {"new axis", 1, false,
     [](const VarRef &x) -> VarRef {
         std::vector<int> order{DimShuffle::kNewAxis};
         for (int axis = x->type().rank(); axis-- > 0;) order.insert(order.begin(), axis);
         return dimshuffle(x, order);
     }},
    {"axis in front", 1, false,
     [](const VarRef &x) -> VarRef {
         std::vector<int> order{DimShuffle::kNewAxis};
         for (int axis = 0; axis < x->type().rank(); ++axis) order.push_back(axis);
         return dimshuffle(x, order);
     }},
    {"reversed", 1, false, [](const VarRef &x) -> VarRef { return subtensor(x, std::array{reversed()}); }},
    {"first", 1, true, [](const VarRef &x) -> VarRef { return subtensor(x, std::array{IndexItem::at(0)}); }},
    {"rest", 1, true, [](const VarRef &x) -> VarRef { return subtensor(x, std::array{IndexItem::slice(constantOf(DType::Int64, 1))}); }},
    {"rows", 1, true,
     [](const VarRef &x) -> VarRef {
         return subtensor(x, std::array{IndexItem::array(Variable::constant(Tensor::fromInts(std::array<std::int64_t, 3>{1, 0, 1})))});
     }},
    {"joined", 1, true,
     [](const VarRef &x) -> VarRef {
         return join(0, std::array{x, x});
     }},
    {"cast", 0, false,
     [](const VarRef &x) -> VarRef { return cast(x, x->type().dtype() == DType::Float32 ? DType::Float64 : DType::Float32); }},
};

/// What is read without the axes that bring it to the rank of others.
VarRef unpadded(VarRef v)
{
    while (v->owner()) {
        const DimShuffle *shuffle = opCast<DimShuffle>(v->owner()->opRef());
        if (!shuffle || !shuffle->isLeftPad()) break;
        v = v->owner()->input(0);
    }
    return v;
}

std::vector<VarRef> sameSized(const VarRef &v)
{
    std::vector<VarRef> all{v};
    for (std::size_t i = 0; i < all.size(); ++i)
        if (functionOf(all[i]))
            for (const VarRef &operand : all[i]->owner()->inputs())
                if (operand->type().pattern() == v->type().pattern()) all.push_back(operand);
    return all;
}

/// `output` with a view around `cut` and around all else that meets it further up. Nothing where that is not the view around the output.
class Wrapping {
public:
    Wrapping(const ViewKind &view, const VarRef &cut, const VarRef &output) : m_view(view), m_cut(cut)
    {
        for (Apply *apply : toposort(std::array{output})) {
            const bool reads = std::any_of(apply->inputs().begin(), apply->inputs().end(), [&](const VarRef &input) {
                return input == cut || (input->owner() && m_above.contains(input->owner()));
            });
            if (reads) m_above.insert(apply);
        }
    }

    VarRef of(const VarRef &v)
    {
        if (v == m_cut || !v->owner() || !m_above.contains(v->owner())) return viewed(v);
        const auto known = m_made.find(v.get());
        if (known != m_made.end()) return known->second;
        const Elemwise *op = functionOf(v);
        if (!op) return {};
        std::vector<VarRef> inputs;
        for (const VarRef &input : v->owner()->inputs()) {
            const VarRef inner = unpadded(input);
            if (inner->type().rank() != 0 && inner->type().pattern() != v->type().pattern()) return {};
            inputs.push_back(of(inner));
            if (!inputs.back()) return {};
        }
        const VarRef made = elementwise(op->scalar(), inputs);
        m_made[v.get()] = made;
        return made;
    }

    /// Is all that stands below the view a function, element by element, of one array?
    bool haveOneSize() const
    {
        if (m_below.empty()) return true;
        std::vector<VarRef> common = sameSized(m_below[0]);
        for (const VarRef &other : m_below) {
            const std::vector<VarRef> its = sameSized(other);
            std::erase_if(common, [&](const VarRef &v) { return std::find(its.begin(), its.end(), v) == its.end(); });
        }
        return !common.empty();
    }

private:
    VarRef viewed(const VarRef &v)
    {
        if (v->type().rank() == 0 && (v->kind() == Variable::Kind::Constant || m_view.leastRank > 0)) return v;
        if (!v->type().isTensor() || v->type().rank() < m_view.leastRank) return {};
        if (std::string(m_view.name) == "cast" && !isFloat(v->type().dtype())) return v;
        m_below.push_back(v);
        return m_view.around(v);
    }

    const ViewKind &m_view;
    const VarRef m_cut;
    std::set<const Apply *> m_above;
    std::vector<VarRef> m_below;
    std::map<const Variable *, VarRef> m_made;
};

struct Program {
    std::string text;
    std::vector<VarRef> inputs;
    VarRef plain, viewed;
    const ViewKind *view;
    bool hasReader = false; ///< what stands below the view is an output as well
    VarRef cut;
};

/// All cuts of one example and one view.
std::vector<Program> programsOf(const std::string &text, const ViewKind &view, bool isFloat32)
{
    ParsedExpression parsed = parseExpression(text);
    if (isFloat32) {
        std::string narrow = text;
        for (const auto &[wide, other] : {std::pair{": dmatrix", ": fmatrix"}, {": dvector", ": fvector"}, {": dscalar", ": fscalar"}})
            for (std::size_t at = 0; (at = narrow.find(wide, at)) != std::string::npos;)
                narrow.replace(at, std::string(wide).size(), other);
        parsed = parseExpression(narrow, DType::Float32);
    }
    std::vector<Program> programs;
    for (const VarRef &input : parsed.inputs)
        if (!input->type().isTensor()) return {};
    for (std::size_t o = 0; o < parsed.outputs.size(); ++o) {
        const VarRef &output = parsed.outputs[o];
        std::vector<VarRef> cuts;
        for (Apply *apply : toposort(std::array{output}))
            for (int i = 0; i < apply->outputCount(); ++i) cuts.push_back(VarRef(apply->output(i)));
        for (std::size_t c = 0; c < cuts.size(); ++c) {
            if (unpadded(cuts[c]) != cuts[c]) continue;
            if (cuts[c]->type().rank() == 0 && !(cuts[c] == output)) continue;
            Wrapping wrapping(view, cuts[c], output);
            const VarRef viewed = wrapping.of(output);
            if (!viewed || (view.mayHideSizes && !wrapping.haveOneSize())) continue;
            for (const bool hasReader : {false, true}) {
                if (hasReader && cuts[c] == output) continue;
                programs.push_back({text + (isFloat32 ? " (float32)" : "") + ", output " + std::to_string(o) + ", " + view.name +
                                        " around " + std::to_string(c) + (hasReader ? ", also read" : ""),
                                    parsed.inputs, output, viewed, &view, hasReader, cuts[c]});
            }
        }
    }
    return programs;
}

Value viewOf(const ViewKind &view, const VarRef &of, const Value &value)
{
    const VarRef input = Variable::input(of->type());
    const VarRef output = of->type().rank() < view.leastRank ? input : view.around(input);
    return evaluate(*graphOf({input}, {output}), {value})[0];
}

class Views : public testing::TestWithParam<const RewriteInfo *> {};

void check(const Program &program, int round)
{
    std::mt19937 random(static_cast<std::uint32_t>(round));
    const std::vector<Value> values = valuesFor(program.inputs, random);
    std::vector<VarRef> plain{program.plain}, outputs{program.viewed};
    if (program.hasReader) {
        plain.push_back(program.cut);
        outputs.push_back(program.cut);
    }
    Value expected;
    try {
        expected = viewOf(*program.view, program.plain, optimized(program.inputs, plain, values)[0]);
    } catch (const UserError &) {
        return;
    }
    std::string text;
    const Value found = optimized(program.inputs, outputs, values, &text)[0];
    const DType dtype = narrower(program.plain->type().dtype(), program.viewed->type().dtype());
    if (!isFloat(dtype)) return;
    EXPECT_EQ(lostDigits(program.inputs, program.viewed, values, found, expected, dtype), "") << program.text << "\n" << text;
}

TEST_P(Views, KeepDigits)
{
    for (const RewriteExample &example : GetParam()->examples) {
        if (example.after.empty()) continue;
        for (const ViewKind &view : kViews) {
            const bool isCast = std::string(view.name) == "cast";
            for (const Program &program : programsOf(example.before, view, isCast))
                for (int round = 0; round < 4; ++round) {
                    check(program, round);
                    if (HasFailure()) break;
                }
        }
    }
}

TEST(ViewsOfSums, KeepTheDigitsOfGradients)
{
    for (const char *text :
         {"log(1 + exp(x))", "log(1 - sigmoid(x))", "log(sigmoid(x))", "exp(x) / (1 + exp(x))", "log(sum(exp(x), axis=1))",
          "log(softmax(x))", "(exp(x) - exp(-x)) / (exp(x) + exp(-x))", "log(exp(x) + exp(2 * x))"})
        for (const ViewKind &view : kViews) {
            if (view.name == std::string("cast")) continue; // its gradient is rounded to float32 where it comes in
            const ParsedExpression parsed = parseExpression(text);
            const VarRef viewed = view.around(parsed.outputs[0]);
            const auto slopeOf = [&](const VarRef &cost) { return grad(sum(cost), std::vector<VarRef>{parsed.inputs[0]})[0]; };
            // What the view shows, and how often, is the slope of its sum.
            const VarRef shown = grad(sum(viewed), std::vector<VarRef>{parsed.outputs[0]})[0];
            const VarRef plain = slopeOf(mul(parsed.outputs[0], shown)), slope = slopeOf(viewed);
            std::mt19937 random(11);
            for (int round = 0; round < 4; ++round) {
                const std::vector<Value> values = valuesFor(parsed.inputs, random);
                std::string graph;
                const Value expected = optimized(parsed.inputs, {plain}, values)[0];
                const Value found = optimized(parsed.inputs, {slope}, values, &graph)[0];
                EXPECT_EQ(lostDigits(parsed.inputs, slope, values, found, expected, DType::Float64), "")
                    << text << ", " << view.name << "\n"
                    << graph;
                if (HasFailure()) break;
            }
        }
}

INSTANTIATE_TEST_SUITE_P(Stabilizing, Views, testing::ValuesIn(stabilizing()), [](const auto &info) { return info.param->name; });

} // namespace
} // namespace rewrite_test
