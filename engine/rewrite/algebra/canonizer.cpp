#include "engine/rewrite/algebra/canonizer.h"
#include "engine/rewrite/machine/predicates.h"

#include <unordered_map>

namespace engine {

namespace {

// A shared subterm that is opened is computed twice, and x = x + x chains would double without end.
constexpr std::size_t kSharedLimit = 24;

} // namespace

bool isGatherable(VarHandle v) { return v.isConstant() && !isComplex(v.dtype()) && isSingle(v); }

CanonTerms canonTerms(VarHandle root, const TermFamily &family, std::size_t most)
{
    CanonTerms terms;
    const DType dtype = root.dtype();
    terms.above.reserve(8);
    const auto opens = [&](Part &part, ScalarCode code, std::size_t waiting) {
        if (!family.has(code) || part.var.dtype() != dtype || terms.above.size() + terms.below.size() + waiting > most) return false;
        const bool shared = part.shared || (part.depth > 0 && (!part.var.hasOneClient() || !part.padded.hasOneClient()));
        if (shared && terms.above.size() + terms.below.size() + waiting > kSharedLimit) return false;
        part.shared = shared;
        return true;
    };
    openTerms(root, family, true, opens, [&](const Part &part) {
        (part.below ? terms.below : terms.above).push_back(part.var);
        terms.sharedConstants += part.shared && isGatherable(part.var);
    });
    return terms;
}

bool simplifyTerms(Editor &edit, CanonTerms &terms, const TermFamily &family, VarHandle root)
{
    bool changed = false;
    if (!terms.below.empty()) {
        std::unordered_map<std::uint32_t, int> owed;
        for (const VarHandle &v : terms.below)
            if (!v.isConstant()) ++owed[raw(v.id())];
        std::unordered_map<std::uint32_t, int> paid;
        std::erase_if(terms.above, [&](const VarHandle &v) {
            auto found = owed.find(raw(v.id()));
            if (found == owed.end() || found->second == 0) return false;
            --found->second;
            ++paid[raw(v.id())];
            return true;
        });
        if (!paid.empty()) {
            changed = true;
            std::erase_if(terms.below, [&](const VarHandle &v) {
                auto found = paid.find(raw(v.id()));
                return found != paid.end() && found->second-- > 0;
            });
        }
    }

    std::size_t above = 0, below = 0, others = 0;
    for (const VarHandle &v : terms.above) isGatherable(v) ? ++above : ++others;
    for (const VarHandle &v : terms.below) isGatherable(v) ? ++below : ++others;
    // A sum of nothing but constants waits for folding, which comes after stabilization: log(1 + 1e-20).
    if (above + below == 0 || (others == 0 && !changed)) return changed;
    const bool isSum = family.main == ScalarCode::Add;
    const DType dtype = root.dtype();
    long double value = family.neutral; // has room for what is too large or too small on the way only
    std::int64_t whole = static_cast<std::int64_t>(family.neutral);
    const bool exact = isDiscrete(dtype);
    const auto put = [&](const VarHandle &v, bool isBelow) {
        const double one = *v.uniformConstant();
        const std::int64_t integer = isDiscrete(v.dtype()) ? v.constant()->tensor().intAt(0) : static_cast<std::int64_t>(one);
        if (isSum) {
            value += isBelow ? -one : one;
            whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) + static_cast<std::uint64_t>(isBelow ? -integer : integer));
        } else {
            value = isBelow ? value / one : value * one;
            whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) * static_cast<std::uint64_t>(integer));
        }
    };
    if (exact && !isSum && below) return changed; // integers are not divided here
    const bool first = !terms.above.empty() && isGatherable(terms.above[0]);
    for (const VarHandle &v : terms.above)
        if (isGatherable(v)) put(v, false);
    for (const VarHandle &v : terms.below)
        if (isGatherable(v)) put(v, true);
    const auto number = static_cast<double>(value);
    // x / 1e-5 is no product in float16, where 1e5 is infinite, nor x / 4e4, whose reciprocal is denormal there.
    if (!exact && !((number != 0 || value == 0) && holdsDigits(dtype, number))) return changed;
    const bool neutral = exact ? whole == static_cast<std::int64_t>(family.neutral) : number == family.neutral;
    if (above == 1 && below == 0 && first && !neutral) return changed;
    const std::size_t own = above + below - std::min(terms.sharedConstants, above + below);
    if (!changed && !neutral && own < above + below && (own == 0 || (own == 1 && first))) return false;
    // 1/x stays 1/x: the neutral numerator is what stands there.
    if (above == 1 && below == 0 && neutral && !family.useReciprocal && terms.above.size() == 1) return changed;
    std::erase_if(terms.above, isGatherable);
    std::erase_if(terms.below, isGatherable);
    if (!neutral) {
        const VarHandle constant = exact ? edit.constant(Tensor::scalarInt(dtype, whole)) : constantLike(edit, dtype, 0, number);
        terms.above.insert(terms.above.begin(), padLeft(edit, constant, root.rank()));
    }
    return true;
}

VarHandle buildTerms(Editor &edit, const CanonTerms &terms, const TermFamily &family, VarHandle root)
{
    const auto join = [&](std::vector<VarHandle> list) {
        // Narrow integers would overflow, and bool has no negative, where the whole is a float.
        const bool isWide = std::any_of(list.begin(), list.end(), [&](VarHandle v) { return v.dtype() == root.dtype(); });
        if (!isWide) list[0] = castTo(edit, list[0], root.dtype());
        return list.size() == 1 ? list[0] : elementwise(edit, scalarOp(family.main), list);
    };
    if (terms.above.empty() && terms.below.empty()) return constantLike(edit, root, family.neutral);
    if (terms.below.empty()) return join(terms.above);
    const VarHandle below = join(terms.below);
    if (terms.above.empty() && family.useReciprocal) return elementwise(edit, family.reciprocal, {below});
    const VarHandle above = terms.above.empty() ? constantLike(edit, root, family.neutral) : join(terms.above);
    return elementwise(edit, family.inverse, {above, below});
}

bool isInsideFamily(VarHandle v, const TermFamily &family)
{
    for (const Client &client : v.clients()) {
        Client at = client;
        VarHandle value = v;
        for (int depth = 0; depth < 8 && !at.isGraphOutput(); ++depth) {
            const NodeHandle reader(v.graph(), at.apply);
            if (withoutPad(reader.output()) == reader.output() || !reader.output().hasOneClient()) break;
            value = reader.output();
            at = value.clients()[0];
        }
        if (at.isGraphOutput()) continue;
        const NodeHandle reader(v.graph(), at.apply);
        const Elemwise *op = elemwiseOf(reader);
        if (op && family.has(op->scalar()->code()) && reader.output().dtype() == v.dtype()) return true;
    }
    return false;
}

} // namespace engine
