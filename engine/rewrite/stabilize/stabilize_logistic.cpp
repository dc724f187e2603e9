// Products of exponentials and logistic functions of one argument: brought to the form that neither overflows nor cancels.
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/stabilize/logistic.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace engine {
namespace {

constexpr int kDeepest = 6;
constexpr std::size_t kWidestFraction = 24;
// Every factor is held against every other one, whenever one of them changes: longer products are left alone.
constexpr std::size_t kLongestProduct = 64;

bool isFactorCode(ScalarCode code)
{
    return code == ScalarCode::Mul || code == ScalarCode::TrueDiv || code == ScalarCode::Inv || code == ScalarCode::Neg ||
           code == ScalarCode::Sqr;
}

/// What the factors down to `depth` look like, without opening them: most products have nothing for these rewrites.
struct Glance {
    int atoms = 0; ///< exp, sigmoid, and sums of them
    int sums = 0;
    int constants = 0;
    int seen = 0;
};
bool isConstantLeaf(const FunctionGraph &graph, VarId v)
{
    const VarNode &node = graph.var(v);
    if (node.kind == Variable::Kind::Constant) return true;
    return node.owner != kNoApply && opCast<DimShuffle>(graph.apply(node.owner).op) &&
           graph.var(graph.apply(node.owner).inputs[0].var).kind == Variable::Kind::Constant;
}
void glance(const FunctionGraph &graph, VarId v, int depth, Glance &found)
{
    if (++found.seen > 24) return;
    const ScalarCode code = codeOf(graph, v);
    if (code == ScalarCode::Exp || code == ScalarCode::Sigmoid) {
        ++found.atoms;
    } else if (code == ScalarCode::Add || code == ScalarCode::Sub) {
        for (const Use &use : graph.apply(graph.var(v).owner).inputs) {
            const ScalarCode term = codeOf(graph, use.var);
            // A negation and a square are looked at when the factor is.
            if (term != ScalarCode::Exp && term != ScalarCode::Sigmoid && term != ScalarCode::Mul && term != ScalarCode::Sqr &&
                term != ScalarCode::Neg)
                continue;
            ++found.atoms;
            found.sums += term == ScalarCode::Exp;
            break;
        }
    } else if (depth > 0 && isFactorCode(code)) {
        for (const Use &use : graph.apply(graph.var(v).owner).inputs) glance(graph, use.var, depth - 1, found);
    } else {
        found.constants += isConstantLeaf(graph, v);
    }
}

struct Opened {
    std::vector<VarHandle> above, below;
    bool negative = false;

    /// Seen through *, /, squares and signs. What others read as well is opened only if one of its factors is an exponential,
    /// or the rest of it would be computed twice.
    explicit Opened(VarHandle product)
    {
        const DType dtype = product.dtype();
        const auto opens = [&](const Part &part, ScalarCode, std::size_t) {
            return part.var.dtype() == dtype && part.depth < kDeepest && above.size() + below.size() < kWidestFraction &&
                   (part.depth == 0 || part.var.hasOneClient() || holdsAtom(part.var));
        };
        negative =
            openTerms(product, kProductFamily, false, opens, [&](const Part &part) { (part.below ? below : above).push_back(part.var); });
    }

    void cancel()
    {
        std::erase_if(below, [&](const VarHandle &factor) {
            const auto twin = std::find(above.begin(), above.end(), factor);
            if (twin == above.end()) return false;
            above.erase(twin);
            return true;
        });
    }

private:
    static bool holdsAtom(VarHandle v)
    {
        Glance found;
        glance(v.graph(), v.id(), 2, found);
        return found.atoms > 0;
    }
};

/// The powers of exp(±x), sigmoid(±x) and 1 + exp(±x) in a product, for one x. Index 0 is the direction seen first, 1 the other.
struct Powers {
    Line line;
    std::array<std::optional<VarHandle>, 2> argument;
    std::array<int, 2> exp{}, sigmoid{}, sum{};
    int squares = 0; ///< 1 - tanh², which is 4·sigmoid(x)·sigmoid(-x)
    int count = 0;   ///< of factors, on both sides of the line
    int exps = 0;    ///< of these
    bool hasSum = false, sumBelow = false;
    std::vector<VarHandle> above, below; ///< the factors as they were

    explicit Powers(Line of) : line(of) {}
    std::size_t side(const Line &of) const { return (of.scale < 0) == (line.scale < 0) ? 0 : 1; }

    /// All of it as powers of sigmoid(x) and sigmoid(-x): exp(x) is their quotient, 1 + exp(x) is 1 / sigmoid(-x).
    int power(std::size_t k) const { return sigmoid[k] - sum[1 - k] + exp[k] - exp[1 - k] + squares; }
    /// What cancels does so where all of them are logistic functions; pairs of powers stay exp(±x) only if that saves factors.
    int paired() const
    {
        const int a = power(0), b = power(1), all = std::abs(a) + std::abs(b);
        if (all < count || (a < 0) == (b < 0)) return 0;
        return std::min({std::abs(a), std::abs(b), exps});
    }
    int newCount() const { return std::abs(power(0)) + std::abs(power(1)) - paired(); }
    bool hasLogistic() const { return sigmoid[0] || sigmoid[1] || hasSum || squares; }
    bool improves() const { return hasLogistic() && (newCount() < count || (newCount() == count && sumBelow)); }

    VarHandle argumentOf(Editor &edit, std::size_t k) const { return argument[k] ? *argument[k] : negated(edit, *argument[1 - k]); }
    void build(Editor &edit, std::vector<VarHandle> &up, std::vector<VarHandle> &down) const
    {
        const int pairs = paired();
        for (std::size_t k = 0; k < 2; ++k) {
            const int all = power(k), left = all > 0 ? all - pairs : all + pairs;
            if (all > 0 && pairs > 0) {
                const VarHandle e = elementwise(edit, ScalarCode::Exp, {argumentOf(edit, k)});
                up.insert(up.end(), static_cast<std::size_t>(pairs), e);
            }
            if (left > 0) up.insert(up.end(), static_cast<std::size_t>(left), engine::sigmoid(edit, argumentOf(edit, k)));
            if (left < 0) down.insert(down.end(), static_cast<std::size_t>(-left), engine::sigmoid(edit, argumentOf(edit, k)));
        }
    }
};

class OpenedProduct {
public:
    OpenedProduct(Opened opened) : m_opened(std::move(opened))
    {
        sortOut(m_opened.above, 1);
        sortOut(m_opened.below, -1);
        // A 1 - tanh² alone is best as it is; beside the sigmoid of the double argument it cancels.
        for (const auto &[factor, sign] : m_squares)
            if (!takeSquare(factor, sign)) (sign > 0 ? m_above : m_below).push_back(factor);
    }

    std::optional<VarHandle> rebuilt(Editor &edit, VarHandle out)
    {
        bool changed = false;
        double constant = 1;
        for (const Powers &powers : m_powers) {
            if (powers.improves()) {
                changed = true;
                powers.build(edit, m_above, m_below);
                constant *= std::pow(4.0, powers.squares);
            } else {
                m_above.insert(m_above.end(), powers.above.begin(), powers.above.end());
                m_below.insert(m_below.end(), powers.below.begin(), powers.below.end());
            }
        }
        // 2·sigmoid(x) / 2 is what comes of (1 + tanh) / 2.
        if (!m_powers.empty() && m_others > 1 && m_constant == 1) changed = true;
        else
            for (const auto &[factor, sign] : m_constants) (sign > 0 ? m_above : m_below).push_back(factor);
        if (!changed) return std::nullopt;
        std::erase_if(m_above, [](VarHandle v) { return isSingle(v) && isConstantOf(v, 1); });
        if (m_opened.negative) constant = -constant;
        const bool minus = constant == -1 && !m_above.empty();
        if (constant != 1 && !minus) m_above.insert(m_above.begin(), constantLike(edit, out, constant));
        return quotientAs(edit, m_above, m_below, minus, out);
    }

private:
    Powers &powersOf(VarHandle x)
    {
        const Line line = lineOf(x);
        auto found = std::find_if(m_powers.begin(), m_powers.end(),
                                  [&](const Powers &p) { return p.line.isParallel(line) && p.argument[0]->type() == x.type(); });
        if (found == m_powers.end()) {
            m_powers.emplace_back(line);
            m_powers.back().argument[0] = x;
            return m_powers.back();
        }
        std::optional<VarHandle> &argument = found->argument[found->side(line)];
        if (!argument) argument = x;
        return *found;
    }
    void sortOut(const std::vector<VarHandle> &factors, int sign)
    {
        for (const VarHandle &factor : factors) {
            std::array<int, 2> Powers::*kind = nullptr;
            std::optional<VarHandle> x;
            bool opposite = false;
            if (const auto value = isConstantLeaf(factor.graph(), factor.id()) && isSingle(factor) ? constantValue(factor) : std::nullopt) {
                m_constants.emplace_back(factor, sign);
                m_constant = sign > 0 ? m_constant * *value : m_constant / *value;
                m_others += *value != 1;
                continue;
            }
            if ((x = exponentOf(factor))) kind = &Powers::exp;
            else if ((x = sigmoidOf(factor))) kind = &Powers::sigmoid;
            else if ((x = oneMinusSigmoid(factor)) && x->type() == factor.type()) kind = &Powers::sigmoid, opposite = true;
            else if ((x = onePlusExp(factor))) kind = &Powers::sum;
            else if (oneMinusSquaredTanh(factor)) {
                m_squares.emplace_back(factor, sign);
                continue;
            }
            if (!kind || x->dtype() != factor.dtype()) {
                (sign > 0 ? m_above : m_below).push_back(factor);
                continue;
            }
            Powers &powers = powersOf(*x);
            const std::size_t side = powers.side(lineOf(*x));
            (powers.*kind)[opposite ? 1 - side : side] += sign;
            if (kind == &Powers::sum) {
                powers.hasSum = true;
                powers.sumBelow |= sign < 0;
            }
            powers.exps += kind == &Powers::exp;
            ++powers.count;
            (sign > 0 ? powers.above : powers.below).push_back(factor);
        }
    }
    bool takeSquare(VarHandle factor, int sign)
    {
        Line line = lineOf(*oneMinusSquaredTanh(factor));
        line.scale *= 2;
        for (Powers &powers : m_powers)
            if (powers.line.isParallel(line) && powers.argument[0]->type() == factor.type()) {
                powers.squares += sign;
                ++powers.count;
                (sign > 0 ? powers.above : powers.below).push_back(factor);
                return true;
            }
        return false;
    }

    Opened m_opened;
    std::vector<VarHandle> m_above, m_below; // what is no exponential
    std::vector<std::pair<VarHandle, int>> m_squares, m_constants;
    double m_constant = 1; // the product of all constants
    int m_others = 0;      // those that are not 1
    std::vector<Powers> m_powers;
};

REWRITE(croton_logistic_factors, Phase::Useless)
    .why("exp(x), 1 + exp(x) and sigmoid(x) in one product are powers of sigmoid(x) and sigmoid(-x): as these they do not overflow, "
         "cancel in gradients, and have a logarithm")
    .hurts("sigmoid(x) and sigmoid(-x) may both be computed where one exp was shared")
    .improves("inf / inf, inf * 0 and 0 / 0 beyond 709")
    .example("exp(x) / (1 + exp(x))", "sigmoid(x)")
    .example("1 / (1 + exp(-x))", "sigmoid(x)")
    .example("y * exp(x) / sqr(exp(x) + 1)", "mul(y, sigmoid(x), sigmoid(-x))")
    .example("y * sqr(exp(x)) * sigmoid(-x)", "mul(y, exp(x), sigmoid(x))")
    .example("exp(-x) * sigmoid(x)", "sigmoid(-x)")
    .example("exp(x) / (exp(0 * x) + exp(x))", "sigmoid(x)")
    .example("y * (1 - sqr(tanh(0.5 * x))) / sigmoid(x)", "mul(4.0, y, sigmoid(-x))")
    .example("2 * sigmoid(x) / 2", "sigmoid(x)")
    .nearMiss("exp(x) / (2 + exp(x))")
    .nearMiss("exp(x) * sigmoid(x)")
    .nearMiss("sigmoid(x) / sigmoid(-x)")
    .nearMiss("exp(x) * sigmoid(-y)")
    .nearMiss("y * exp(x)")
    .also({Phase::Canonicalize, Phase::Stabilize})
    .at(-3) // before anything moves its factors apart
    .tag("croton")
    .match<ScalarCode::TrueDiv, ScalarCode::Mul, ScalarCode::Inv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a product of floats");
        if (node.inputCount() > kLongestProduct) return declined("the product is too long");
        Glance found;
        glance(out.graph(), out.id(), 3, found);
        if (found.atoms < 2 && found.sums == 0 && (found.atoms == 0 || found.constants < 2))
            return declined("no two factors are exponentials or logistic functions");
        Opened opened(out);
        if (const auto after = OpenedProduct(std::move(opened)).rebuilt(edit, out))
            return become(edit, node, *after, "powers of sigmoid(x) and sigmoid(-x)");
        return declined("its exponentials and logistic functions do not meet");
    });

/// Each exp(x) among `above` over an exp(x) + exp(y) among `below` becomes sigmoid(x - y) above.
bool takeQuotients(Editor &edit, std::vector<VarHandle> &above, std::vector<VarHandle> &below)
{
    return std::erase_if(below, [&](const VarHandle &factor) {
               const auto sum = madeBy(factor, ScalarCode::Add);
               if (!sum || sum->inputCount() != 2 || onePlusExp(factor)) return false;
               const auto x = exponentOf(sum->input(0)), y = exponentOf(sum->input(1));
               if (!x || !y || x->dtype() != factor.dtype() || y->dtype() != factor.dtype() || *x == *y) return false;
               for (VarHandle &other : above) {
                   const auto e = exponentOf(other);
                   if (!e || !(*e == *x || *e == *y)) continue;
                   other = sigmoid(edit, differenceOf(edit, *e, *e == *x ? *y : *x));
                   return true;
               }
               return false;
           }) > 0;
}

REWRITE(croton_exp_over_sum_of_two, Phase::Useless)
    .why(
        "exp(x) / (exp(x) + exp(y)) is inf / inf for large x: a softmax of two, and the gradient of log(exp(x) + exp(y)); it is sigmoid(x - y)")
    .hurts("x - y rounds where both are large: infinite x and y give nan")
    .improves("inf / inf above 709, 0 / 0 below -745")
    .example("y * exp(x) / (exp(x) + exp(y))", "y * sigmoid(x - y)")
    .example("exp(x / 2) / (exp(-x / 2) + exp(x / 2))", "sigmoid(x)")
    .nearMiss("exp(x) / (exp(x) + y)")
    .nearMiss("exp(x) / (1 + exp(x))")
    .also({Phase::Stabilize})
    .at(-3)
    .tag("croton")
    .match<ScalarCode::TrueDiv, ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a product of floats");
        Glance found;
        glance(out.graph(), out.id(), 3, found);
        if (found.atoms < 2 || found.sums == 0) return declined("no exp above and sum of two exp below the line");
        Opened opened(out);
        opened.cancel();
        const bool changed = takeQuotients(edit, opened.above, opened.below) | takeQuotients(edit, opened.below, opened.above);
        if (!changed) return declined("no factor on the other side is one of the terms of a sum of two exp");
        return become(edit, node, quotientAs(edit, opened.above, opened.below, opened.negative, out),
                      "exp(x) / (exp(x) + exp(y)) = sigmoid(x - y)");
    });

REWRITE(croton_inverse_of_exp, Phase::Useless)
    .why("1 / exp(x) is exp(-x): sums and products with it are found as those of any other exponential")
    .hurts("a second exp where exp(x) is read, too")
    .turns("1 / exp(x)", "exp(-x)")
    .where("x is not a logarithm") // which becomes arithmetic itself
    .example("inv(exp(-x))", "exp(x)")
    .nearMiss("2 / exp(x)")
    .nearMiss("y / exp(x)")
    .nearMiss("1 / exp(log(x))")
    .also({Phase::Stabilize})
    .at(-3.5) // before what looks for 1 + exp(x)
    .tag("croton");

REWRITE(croton_exp_of_softplus, Phase::Useless)
    .why("exp(-softplus(x)) is sigmoid(-x), exp(softplus(x)) is 1 + exp(x): as these they are found in sums and products")
    .turns("exp(-softplus(x))", "sigmoid(-x)")
    .turns("exp(-log(1 + exp(x)))", "sigmoid(-x)")
    .turns("exp(-log1p(exp(x)))", "sigmoid(-x)")
    .turns("exp(softplus(x))", "1 + exp(x)")
    .turns("exp(log(1 + exp(x)))", "1 + exp(x)")
    .turns("exp(log1p(exp(x)))", "1 + exp(x)")
    .example("exp(-log(1 + exp(-x)))", "sigmoid(x)")
    .nearMiss("exp(-softplus(x) - y)")
    .also({Phase::Stabilize})
    .at(-3)
    .tag("croton");

} // namespace
} // namespace engine
