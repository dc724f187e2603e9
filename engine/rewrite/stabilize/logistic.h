// Exponentials and logistic functions as people write them, shared by the rewrites that know them.
#pragma once

#include "engine/rewrite/machine/build.h"

#include <optional>
#include <vector>

namespace engine {

/// v as scale · (base − less): how far signs, constant factors and one difference show it. Tells that two arguments are
/// opposite, or one twice the other, however they are written.
struct Line {
    VarHandle base;
    std::optional<VarHandle> less;
    double scale = 1;
    bool isParallel(const Line &other) const;
    bool hasScale(double wanted) const;
};
Line lineOf(VarHandle v);
/// Is a a multiple of -b?
bool areOpposite(VarHandle a, VarHandle b);
/// factor · v, without a product where a sign or nothing will do; integers become floats before.
VarHandle scaledBy(Editor &edit, VarHandle v, double factor);
inline VarHandle negated(Editor &edit, VarHandle v) { return scaledBy(edit, v, -1); }
/// a − b; of two multiples of one value, the multiple; integers become floats before.
VarHandle differenceOf(Editor &edit, VarHandle a, VarHandle b);

/// The product in the dtype of `like`, also where integers are all that is left.
VarHandle productAs(Editor &edit, std::vector<VarHandle> factors, VarHandle like);
/// The product of `above` over that of `below`.
VarHandle quotientAs(Editor &edit, const std::vector<VarHandle> &above, const std::vector<VarHandle> &below, bool negative, VarHandle like);

VarHandle sigmoid(Editor &edit, VarHandle x);
VarHandle softplus(Editor &edit, VarHandle x);

/// A 1, also as exp(0 * x).
bool isUnit(VarHandle v);
/// x if v is exp(x), sigmoid(x), 1 + exp(x), 1 - sigmoid(x), or 1 - sqr(tanh(x)).
std::optional<VarHandle> exponentOf(VarHandle v);
std::optional<VarHandle> sigmoidOf(VarHandle v);
std::optional<VarHandle> onePlusExp(VarHandle v);
std::optional<VarHandle> oneMinusSigmoid(VarHandle v);
std::optional<VarHandle> oneMinusSquaredTanh(VarHandle v);
/// x if v is -x, in any of its spellings.
std::optional<VarHandle> negationOf(VarHandle v);

/// Is an exponential, a hyperbolic or logistic function, or a sum or difference with one among the factors of v? A look only.
bool holdsExponential(const FunctionGraph &graph, VarId v, int depth, int &looks);

} // namespace engine
