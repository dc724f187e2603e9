#include "engine/rewrite/stabilize/logistic.h"

#include <algorithm>
#include <cmath>

namespace engine {

bool Line::isParallel(const Line &other) const
{
    return base == other.base && less.has_value() == other.less.has_value() && (!less || *less == *other.less) &&
           std::fabs(std::fabs(scale) - std::fabs(other.scale)) <= 1e-15 * std::fabs(scale);
}

bool Line::hasScale(double wanted) const { return std::fabs(scale - wanted) <= 1e-15 * std::fabs(wanted); }

namespace {

/// v as constant · rest, one step.
std::optional<std::pair<double, VarHandle>> constantFactor(VarHandle v)
{
    if (const auto minus = madeBy(v, ScalarCode::Neg)) return std::pair(-1.0, minus->input(0));
    if (const auto times = madeBy(v, ScalarCode::Mul); times && times->inputCount() == 2)
        for (std::size_t k = 0; k < 2; ++k)
            if (const auto value = constantValue(times->input(k)); value && times->input(1 - k).type() == v.type())
                return std::pair(*value, times->input(1 - k));
    if (const auto quotient = madeBy(v, ScalarCode::TrueDiv); quotient && quotient->input(0).type() == v.type())
        if (const auto value = constantValue(quotient->input(1))) return std::pair(1 / *value, quotient->input(0));
    return std::nullopt;
}

Line multipleOf(VarHandle v)
{
    Line line{v, std::nullopt, 1};
    // Of integers 2·x is not twice x where it wraps.
    for (int depth = 0; depth < 6 && isFloatType(v); ++depth) {
        const auto inner = constantFactor(line.base);
        const double scale = inner ? line.scale * inner->first : 0;
        if (scale == 0 || !holdsDigits(v.dtype(), inner->first) || !holdsDigits(v.dtype(), scale)) break;
        line.base = inner->second;
        line.scale = scale;
    }
    return line;
}

} // namespace

Line lineOf(VarHandle v)
{
    Line line = multipleOf(v);
    if (const auto difference = madeBy(line.base, ScalarCode::Sub)) {
        VarHandle a = difference->input(0), b = difference->input(1);
        if (raw(b.id()) < raw(a.id())) {
            std::swap(a, b);
            line.scale = -line.scale;
        }
        line.base = a;
        line.less = b;
    }
    return line;
}

bool areOpposite(VarHandle a, VarHandle b)
{
    const Line x = lineOf(a), y = lineOf(b);
    return x.isParallel(y) && (x.scale < 0) != (y.scale < 0);
}

/// -v as somebody computes it already: canonicalized, it is -1 * v.
VarHandle minus(Editor &edit, VarHandle v)
{
    int looked = 0;
    for (const Client &client : v.clients()) {
        if (client.isGraphOutput() || ++looked > 16) continue;
        const VarHandle reader = NodeHandle(v.graph(), client.apply).output();
        const ScalarCode code = codeOf(v.graph(), reader.id());
        if (code != ScalarCode::Neg && code != ScalarCode::Mul) continue;
        if (const auto inner = negationOf(reader); inner && *inner == v && reader.type() == v.type()) return reader;
    }
    return elementwise(edit, ScalarCode::Neg, {v});
}

VarHandle scaledBy(Editor &edit, VarHandle v, double factor)
{
    v = asFloat(edit, v);
    Line line = multipleOf(v);
    if (!holdsDigits(v.dtype(), line.scale * factor)) line = {v, std::nullopt, 1};
    line.scale *= factor;
    if (line.hasScale(1)) return line.base;
    if (line.hasScale(-1)) return minus(edit, line.base);
    return elementwise(edit, ScalarCode::Mul, {constantLike(edit, line.base, line.scale), line.base});
}

VarHandle differenceOf(Editor &edit, VarHandle a, VarHandle b)
{
    a = asFloat(edit, a);
    b = asFloat(edit, b);
    const Line left = multipleOf(a), right = multipleOf(b);
    if (left.base == right.base && a.type() == b.type() && left.scale != right.scale)
        return scaledBy(edit, left.base, left.scale - right.scale);
    return elementwise(edit, ScalarCode::Sub, {a, b});
}

VarHandle productAs(Editor &edit, std::vector<VarHandle> factors, VarHandle like)
{
    const auto isWide = [&](VarHandle v) { return v.dtype() == like.dtype(); };
    // Narrow integers would overflow among themselves.
    if (!factors.empty() && std::none_of(factors.begin(), factors.end(), isWide)) factors[0] = castTo(edit, factors[0], like.dtype());
    return product(edit, factors, like);
}

VarHandle quotientAs(Editor &edit, const std::vector<VarHandle> &above, const std::vector<VarHandle> &below, bool negative, VarHandle like)
{
    VarHandle result = productAs(edit, above, like);
    if (!below.empty()) result = elementwise(edit, ScalarCode::TrueDiv, {result, productAs(edit, below, like)});
    return negative ? elementwise(edit, ScalarCode::Neg, {result}) : result;
}

VarHandle sigmoid(Editor &edit, VarHandle x) { return elementwise(edit, ScalarCode::Sigmoid, {x}); }
VarHandle softplus(Editor &edit, VarHandle x) { return elementwise(edit, ScalarCode::Softplus, {x}); }

bool isUnit(VarHandle v)
{
    if (isConstantOf(v, 1)) return true;
    const auto power = madeBy(v, ScalarCode::Exp);
    if (!power) return false;
    if (isConstantOf(power->input(0), 0)) return true;
    if (const auto times = madeBy(power->input(0), ScalarCode::Mul))
        for (const VarHandle &factor : times->inputs())
            if (isConstantOf(factor, 0)) return true;
    return false;
}

std::optional<VarHandle> exponentOf(VarHandle v)
{
    if (const auto node = madeBy(v, ScalarCode::Exp)) return node->input(0);
    return std::nullopt;
}

std::optional<VarHandle> sigmoidOf(VarHandle v)
{
    if (const auto node = madeBy(v, ScalarCode::Sigmoid)) return node->input(0);
    return std::nullopt;
}

std::optional<VarHandle> onePlusExp(VarHandle v)
{
    const auto sum = madeBy(v, ScalarCode::Add);
    if (!sum || sum->inputCount() != 2) return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i)
        if (isUnit(sum->input(i)))
            if (const auto x = exponentOf(sum->input(1 - i)); x && x->type() == v.type()) return x;
    return std::nullopt;
}

std::optional<VarHandle> negationOf(VarHandle v)
{
    if (const auto minus = madeBy(v, ScalarCode::Neg)) return minus->input(0);
    const auto product = madeBy(v, ScalarCode::Mul);
    if (!product || product->inputCount() != 2) return std::nullopt;
    for (std::size_t k = 0; k < 2; ++k)
        if (isConstantOf(product->input(k), -1) && product->input(1 - k).type() == v.type()) return product->input(1 - k);
    return std::nullopt;
}

namespace {

/// x if v is 1 - x, also as 1 + -1 * x.
std::optional<VarHandle> oneMinus(VarHandle v)
{
    if (const auto difference = madeBy(v, ScalarCode::Sub); difference && isConstantOf(difference->input(0), 1))
        return difference->input(1);
    if (const auto sum = madeBy(v, ScalarCode::Add); sum && sum->inputCount() == 2)
        for (std::size_t i = 0; i < 2; ++i)
            if (isConstantOf(sum->input(i), 1))
                if (const auto x = negationOf(sum->input(1 - i))) return x;
    return std::nullopt;
}

} // namespace

std::optional<VarHandle> oneMinusSigmoid(VarHandle v)
{
    const auto inner = oneMinus(v);
    return inner ? sigmoidOf(*inner) : std::nullopt;
}

std::optional<VarHandle> oneMinusSquaredTanh(VarHandle v)
{
    // Most sums are told apart by a look at the functions of their terms.
    const ApplyId owner = ownerOf(v);
    const auto mayBeSquare = [&](const Use &use) {
        const ScalarCode code = codeOf(v.graph(), use.var);
        return code == ScalarCode::Sqr || code == ScalarCode::Mul || code == ScalarCode::Neg;
    };
    if (owner == kNoApply || std::none_of(v.graph().apply(owner).inputs.begin(), v.graph().apply(owner).inputs.end(), mayBeSquare))
        return std::nullopt;
    const auto inner = oneMinus(v);
    std::optional<VarHandle> root;
    if (!inner || !(inner->type() == v.type())) return std::nullopt;
    if (const auto square = madeBy(*inner, ScalarCode::Sqr)) root = square->input(0);
    else if (const auto product = madeBy(*inner, ScalarCode::Mul);
             product && product->inputCount() == 2 && product->input(0) == product->input(1))
        root = product->input(0);
    const auto tanh = root ? madeBy(*root, ScalarCode::Tanh) : std::nullopt;
    return tanh ? std::optional(tanh->input(0)) : std::nullopt;
}

bool holdsExponential(const FunctionGraph &graph, VarId v, int depth, int &looks)
{
    if (--looks < 0) return false;
    const auto isOne = [](ScalarCode code) {
        return code == ScalarCode::Exp || code == ScalarCode::Expm1 || code == ScalarCode::Sinh || code == ScalarCode::Sigmoid;
    };
    const ScalarCode code = codeOf(graph, v);
    if (isOne(code)) return true;
    const bool isSum = code == ScalarCode::Add || code == ScalarCode::Sub;
    const bool opens = code == ScalarCode::Mul || code == ScalarCode::TrueDiv || code == ScalarCode::Neg || code == ScalarCode::Sqr;
    if (!isSum && (!opens || depth == 0)) return false;
    for (const Use &use : graph.apply(graph.var(v).owner).inputs)
        if (isSum ? isOne(codeOf(graph, use.var)) : holdsExponential(graph, use.var, depth - 1, looks)) return true;
    return false;
}

} // namespace engine
