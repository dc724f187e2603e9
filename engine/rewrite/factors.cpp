#include "engine/rewrite/factors.h"

#include <algorithm>

namespace engine {

void Factors::take(VarHandle v, bool isBelow, int depth)
{
    if (depth < 8) {
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
    if (v.isConstant() && isConstantOf(v, -1)) {
        negative = !negative;
        return;
    }
    std::vector<VarHandle> &other = isBelow ? above : below, &own = isBelow ? below : above;
    if (const auto twin = std::find(other.begin(), other.end(), v); twin != other.end()) other.erase(twin);
    else own.push_back(v);
}

void openSum(VarHandle v, std::vector<VarHandle> &terms)
{
    const auto sum = terms.size() < 8 ? madeBy(v, ScalarCode::Add) : std::nullopt;
    if (!sum) return terms.push_back(v);
    for (const VarHandle &input : sum->inputs()) openSum(input, terms);
}

} // namespace engine
