// Likelihoods of a logistic function with its two answers blended, 1 - y + (2·y - 1) · sigmoid(x): y · sigmoid(x) + (1 - y) · sigmoid(-x).
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/machine/through_views.h"
#include "engine/rewrite/stabilize/logistic.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

/// c[0][0] + c[1][0]·y + c[0][1]·p + c[1][1]·y·p
using Blend = std::array<std::array<double, 2>, 2>;

/// Is a sigmoid among what v is a function of?
bool isOfSigmoid(VarHandle v, int depth = 0)
{
    if (sigmoidOf(v)) return true;
    const ApplyId owner = ownerOf(v);
    if (owner == kNoApply || depth == 4 || !elemwiseOf(NodeHandle(v.graph(), owner))) return false;
    const auto operands = NodeHandle(v.graph(), owner).inputs();
    return std::any_of(operands.begin(), operands.end(), [&](const VarHandle &operand) { return isOfSigmoid(operand, depth + 1); });
}

/// Reads a value as a blend of one label y and one p = sigmoid(x), which it finds on the way.
class BlendReader {
public:
    std::optional<Blend> read(VarHandle v, int depth = 0)
    {
        if (const auto constant = constantValue(v)) return Blend{{{*constant, 0}, {0, 0}}};
        if (const auto argument = sigmoidOf(v)) return ofSigmoid(*argument);
        const ScalarCode code = codeOf(v);
        const bool isOpen = code == ScalarCode::Add || code == ScalarCode::Sub || code == ScalarCode::Neg || code == ScalarCode::Mul ||
                            code == ScalarCode::Cast;
        // What is unsigned wraps where labels are subtracted; sums of other integers do not for labels.
        if (!isOpen || depth == kDeepest || ++m_opened > kMostOpened || isUnsignedInteger(v.dtype())) return ofLabel(v);
        const NodeHandle node = *v.owner();
        std::optional<Blend> result = read(node.input(0), depth + 1);
        if (code == ScalarCode::Cast || !result) return result;
        if (code == ScalarCode::Neg) return sum(Blend{}, *result, -1);
        for (std::size_t i = 1; i < node.inputCount() && result; ++i) {
            const auto next = read(node.input(i), depth + 1);
            if (!next) return std::nullopt;
            result = code == ScalarCode::Mul ? product(*result, *next) : sum(*result, *next, code == ScalarCode::Sub ? -1 : 1);
        }
        return result;
    }

    const std::optional<VarHandle> &label() const { return m_label; }
    const std::optional<VarHandle> &argument() const { return m_argument; }

private:
    static constexpr int kDeepest = 6, kMostOpened = 16;

    static Blend sum(const Blend &a, const Blend &b, double sign)
    {
        Blend result;
        for (int y = 0; y < 2; ++y)
            for (int p = 0; p < 2; ++p) result[y][p] = a[y][p] + sign * b[y][p];
        return result;
    }
    /// Nothing where y² or p² comes out.
    static std::optional<Blend> product(const Blend &a, const Blend &b)
    {
        Blend result{};
        for (int i = 0; i < 16; ++i) {
            const int y = i & 1, p = i >> 1 & 1, otherY = i >> 2 & 1, otherP = i >> 3;
            const double term = a[y][p] * b[otherY][otherP];
            if (term == 0) continue;
            if (y + otherY > 1 || p + otherP > 1) return std::nullopt;
            result[y + otherY][p + otherP] += term;
        }
        return result;
    }

    std::optional<Blend> ofSigmoid(VarHandle argument)
    {
        if (!m_argument) m_argument = argument;
        const Line mine = lineOf(*m_argument), other = lineOf(argument);
        if (!mine.isParallel(other)) return std::nullopt;
        return (mine.scale < 0) == (other.scale < 0) ? Blend{{{0, 1}, {0, 0}}} : Blend{{{1, -1}, {0, 0}}};
    }
    std::optional<Blend> ofLabel(VarHandle v)
    {
        if (const auto cast = madeBy(v, ScalarCode::Cast)) v = cast->input(0);
        if (const VarHandle shown = withoutViews(v); !(shown == v) && isOfSigmoid(shown)) return std::nullopt; // an answer, behind a view
        if (!m_label) m_label = v;
        if (!(*m_label == v)) return std::nullopt;
        return Blend{{{0, 0}, {1, 0}}};
    }

    std::optional<VarHandle> m_label, m_argument;
    int m_opened = 0;
};

/// Is its logarithm taken, or is something divided by it, or by a product with it?
bool mayUnderflow(VarHandle v, int depth = 0)
{
    int looked = 0;
    for (const Client &client : v.clients()) {
        if (client.isGraphOutput() || ++looked > 8) continue;
        const NodeHandle reader(v.graph(), client.apply);
        const ScalarCode code = codeOf(reader.output());
        if (code == ScalarCode::Log || code == ScalarCode::Inv || (code == ScalarCode::TrueDiv && reader.input(1) == v)) return true;
        if (code == ScalarCode::Mul && depth < 2 && mayUnderflow(reader.output(), depth + 1)) return true;
    }
    return false;
}

VarHandle lineOfLabel(Editor &edit, VarHandle y, double constant, double slope)
{
    VarHandle line = slope == 1 || slope == -1 ? y : elementwise(edit, ScalarCode::Mul, {constantLike(edit, y, slope), y});
    if (slope == -1) return elementwise(edit, ScalarCode::Sub, {constantLike(edit, y, constant), line});
    return constant == 0 ? line : elementwise(edit, ScalarCode::Add, {constantLike(edit, y, constant), line});
}

REWRITE(croton_blend_of_sigmoid, Phase::Stabilize)
    .why(
        "1 - y + (2 * y - 1) * sigmoid(x) is 0 where the answer that counts rounds to 0; as a mixture of both answers its logarithm is right")
    .hurts("a sigmoid more")
    .improves("0 where the sigmoid of what counts rounds to 0")
    .example("y: dvector; x: dvector; log(1 - y + (2 * y - 1) * sigmoid(x))",
             "y: dvector; x: dvector; s = -abs(x); a = switch(x >= 0.0, y, 1.0 - y); b = switch(x >= 0.0, 1.0 - y, y); "
             "switch(eq(a, 0.0), log(b) + s, log(a + b * exp(s))) - softplus(s)")
    .with({"croton_log_of_sigmoid_mixture"})
    .example("x: dvector; log(1 - sigmoid(x) + (2 * sigmoid(x) - 1))", "x: dvector; log(sigmoid(x))")
    .nearMiss("y: dvector; x: dvector; 1 - y + (2 * y - 1) * sigmoid(x)")
    .nearMiss("y: dvector; x: dvector; log(1 + y + (2 * y - 1) * sin(x))")
    .nearMiss("y: dvector; x: dvector; log(2 + y * sigmoid(x))")
    .nearMiss("y: dvector; x: dvector; z: dvector; log(1 - y + (2 * z - 1) * sigmoid(x))")
    .at(-2) // before log(1 + x) becomes log1p
    .tag("croton")
    .match<ScalarCode::Add, ScalarCode::Sub>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a float");
        if (!mayUnderflow(out)) return declined("no logarithm is taken of it, and nothing divided by it");
        BlendReader reader;
        const auto blend = reader.read(out);
        if (!blend || !reader.argument()) return declined("it is no blend of one label and one sigmoid");
        // At p = 1 and p = 0.
        const double yes = (*blend)[0][0] + (*blend)[0][1], yesSlope = (*blend)[1][0] + (*blend)[1][1];
        const double no = (*blend)[0][0], noSlope = (*blend)[1][0];
        const VarHandle x = *reader.argument(); // as it is: gradients have the same sigmoids
        if (!reader.label()) {                  // a label that is a number: one answer alone
            if ((yes == 0) == (no == 0)) return declined("both answers count");
            const VarHandle one = sigmoid(edit, no == 0 ? x : negated(edit, x));
            const double weight = yes + no;
            return become(edit, node, weight == 1 ? one : elementwise(edit, ScalarCode::Mul, {constantLike(edit, one, weight), one}),
                          "one answer alone");
        }
        if (yesSlope == 0 || noSlope == 0) return declined("one of the answers has the same weight whatever the label is");
        const ShortList<VarHandle, 16> addends = addendsOf(out);
        const auto hasSigmoid = [](VarHandle v) {
            Factors factors;
            factors.take(v, false);
            return std::any_of(factors.above.begin(), factors.above.end(), [](const VarHandle &one) { return sigmoidOf(one).has_value(); });
        };
        if (addends.size() == 2 && hasSigmoid(addends[0]) && hasSigmoid(addends[1])) return declined("it is written as a mixture");
        const VarHandle y = castTo(edit, *reader.label(), out.dtype());
        const VarHandle above = elementwise(edit, ScalarCode::Mul, {lineOfLabel(edit, y, yes, yesSlope), sigmoid(edit, x)});
        const VarHandle below = elementwise(edit, ScalarCode::Mul, {lineOfLabel(edit, y, no, noSlope), sigmoid(edit, negated(edit, x))});
        return become(edit, node, elementwise(edit, ScalarCode::Add, {above, below}), "weights of both answers");
    });

} // namespace
} // namespace engine
