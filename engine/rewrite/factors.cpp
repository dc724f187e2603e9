#include "engine/rewrite/factors.h"

#include <algorithm>

namespace engine {

void Factors::take(VarHandle v, bool isBelow, int depth)
{
    // Products of integers wrap.
    if (depth < 8 && isFloatType(v)) {
        if (const auto minus = madeBy(v, ScalarCode::Neg)) {
            negative = !negative;
            return take(minus->input(0), isBelow, depth + 1);
        }
        if (const auto quotient = madeBy(v, ScalarCode::TrueDiv)) {
            take(quotient->input(0), isBelow, depth + 1);
            return take(quotient->input(1), !isBelow, depth + 1);
        }
        if (const auto product = madeBy(v, ScalarCode::Mul)) {
            for (const VarHandle &input : product->inputs()) take(input, isBelow, depth + 1);
            return;
        }
    }
    bool broadcasts = true;
    for (int axis = 0; axis < v.rank(); ++axis) broadcasts &= v.type().isBroadcastable(axis);
    if (const auto constant = broadcasts ? constantValue(v) : std::nullopt; constant == 1 || constant == -1) {
        negative ^= constant == -1;
        return;
    }
    std::vector<VarHandle> &other = isBelow ? above : below, &own = isBelow ? below : above;
    if (const auto twin = std::find(other.begin(), other.end(), v); twin != other.end()) other.erase(twin);
    else own.push_back(v);
}

void openSum(VarHandle v, ShortList<VarHandle, 16> &terms)
{
    constexpr std::size_t kEnough = 8;
    const std::size_t first = terms.size();
    terms.push_back(v);
    // In place and counting what waits: a chain of additions is as deep as it is long.
    for (std::size_t i = first; i < terms.size() && terms.size() < kEnough;) {
        const auto sum = madeBy(terms[i], ScalarCode::Add);
        if (!sum) {
            ++i;
            continue;
        }
        const auto inputs = sum->inputs();
        terms[i] = inputs[0];
        for (std::size_t k = 1; k < inputs.size(); ++k) terms.push_back(inputs[k]);
        std::rotate(terms.begin() + i + 1, terms.end() - (inputs.size() - 1), terms.end());
    }
}

} // namespace engine
