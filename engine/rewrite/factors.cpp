#include "engine/rewrite/factors.h"
#include "engine/rewrite/predicates.h"

#include <algorithm>

namespace engine {

void Factors::take(VarHandle v, bool isBelow)
{
    // Products of integers wrap.
    const auto opens = [](VarHandle part, ScalarCode code, int depth) {
        return depth < 8 && isFloatType(part) && code != ScalarCode::Inv && code != ScalarCode::Sqr;
    };
    openProduct(v, isBelow, negative, opens, [&](VarHandle factor, bool isUnder) {
        if (const auto constant = isSingle(factor) ? constantValue(factor) : std::nullopt; constant == 1 || constant == -1) {
            negative ^= constant == -1;
            return;
        }
        std::vector<VarHandle> &other = isUnder ? above : below, &own = isUnder ? below : above;
        if (const auto twin = std::find(other.begin(), other.end(), factor); twin != other.end()) other.erase(twin);
        else own.push_back(factor);
    });
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
