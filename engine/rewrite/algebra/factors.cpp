#include "engine/rewrite/algebra/factors.h"

#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/stabilize/logistic.h"

#include <algorithm>

namespace engine {

const TermFamily kSumFamily{ScalarCode::Add, ScalarCode::Sub, ScalarCode::Neg, true, 0};
const TermFamily kProductFamily{ScalarCode::Mul, ScalarCode::TrueDiv, ScalarCode::Inv, false, 1};

VarHandle withoutPad(VarHandle v)
{
    for (;;) {
        const ApplyId owner = ownerOf(v);
        const DimShuffle *shuffle = owner == kNoApply ? nullptr : opCast<DimShuffle>(v.graph().apply(owner).op);
        if (!shuffle || !shuffle->isLeftPad()) return v;
        v = NodeHandle(v.graph(), owner).input(0);
    }
}

void Factors::take(VarHandle v, bool isBelow)
{
    // Products of integers wrap.
    const auto opens = [](const Part &part, ScalarCode code, std::size_t) {
        return part.depth < 8 && isFloatType(part.var) && code != ScalarCode::Inv && code != ScalarCode::Sqr;
    };
    bool isOpposite = false;
    isOpposite ^= openTerms(v, kProductFamily, false, opens, [&](const Part &part) {
        const VarHandle factor = part.var;
        const bool isUnder = part.below != isBelow;
        if (const auto constant = isSingle(factor) ? constantValue(factor) : std::nullopt; constant == 1 || constant == -1) {
            isOpposite ^= constant == -1;
            return;
        }
        std::vector<VarHandle> &other = isUnder ? above : below, &own = isUnder ? below : above;
        if (const auto twin = std::find(other.begin(), other.end(), factor); twin != other.end()) other.erase(twin);
        else own.push_back(factor);
    });
    negative ^= isOpposite;
}

const char *Factors::takeExponential(const NodeHandle &product)
{
    const VarHandle out = product.output();
    if (!elemwiseOf(product) || !isFloatType(out)) return "not a product of floats";
    int looks = 16;
    if (!holdsExponential(out.graph(), out.id(), 3, looks)) return "no factor is an exponential";
    take(out, false);
    return nullptr;
}

ShortList<VarHandle, 16> addendsOf(VarHandle v)
{
    constexpr std::size_t kEnough = 8;
    ShortList<VarHandle, 16> addends;
    const auto opens = [&](const Part &, ScalarCode code, std::size_t waiting) {
        return code == ScalarCode::Add && addends.size() + waiting + 1 < kEnough;
    };
    openTerms(v, kSumFamily, false, opens, [&](const Part &part) { addends.push_back(part.var); });
    return addends;
}

} // namespace engine
