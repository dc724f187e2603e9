#include "engine/rewrite/canonizer.h"
#include "engine/rewrite/predicates.h"

#include <unordered_map>

namespace engine {

const CanonFamily kSumFamily{ScalarCode::Add, ScalarCode::Sub, ScalarCode::Neg, true, 0};
const CanonFamily kProductFamily{ScalarCode::Mul, ScalarCode::TrueDiv, ScalarCode::Inv, false, 1};

namespace {

// A shared subterm that is opened is computed twice, and x = x + x chains would double without end.
constexpr std::size_t kSharedLimit = 24;

const DimShuffle *leftPadOf(const NodeHandle &node)
{
    const DimShuffle *shuffle = node.opAs<DimShuffle>();
    return shuffle && shuffle->isLeftPad() ? shuffle : nullptr;
}

std::optional<NodeHandle> familyNode(VarHandle v, const CanonFamily &family, DType dtype)
{
    const ApplyId owner = ownerOf(v);
    if (owner == kNoApply || v.dtype() != dtype) return std::nullopt;
    const NodeHandle node(v.graph(), owner);
    const Elemwise *op = elemwiseOf(node);
    if (!op || !family.has(op->scalar()->code())) return std::nullopt;
    return node;
}

VarHandle withoutPad(VarHandle v)
{
    for (;;) {
        const ApplyId owner = ownerOf(v);
        if (owner == kNoApply) return v;
        const NodeHandle node(v.graph(), owner);
        if (!leftPadOf(node)) return v;
        v = node.input(0);
    }
}

bool isGatherable(VarHandle v) { return v.isConstant() && !isComplex(v.dtype()) && isSingle(v); }

} // namespace

CanonTerms canonTerms(VarHandle root, const CanonFamily &family)
{
    CanonTerms terms;
    const DType dtype = root.dtype();
    struct Open {
        VarHandle var;
        bool below;
        bool isRoot;
        bool shared; // a reader outside sees this value too
    };
    terms.above.reserve(8);
    ShortList<Open, 16> stack;
    stack.push_back({root, false, true, false});
    while (!stack.empty()) {
        const Open top = stack.back();
        stack.pop_back();
        const VarHandle bare = withoutPad(top.var);
        const bool shared = top.shared || (!top.isRoot && (!bare.hasOneClient() || !top.var.hasOneClient()));
        const auto node = familyNode(bare, family, dtype);
        if (!node || (shared && terms.above.size() + terms.below.size() + stack.size() > kSharedLimit)) {
            (top.below ? terms.below : terms.above).push_back(bare);
            terms.sharedConstants += top.shared && isGatherable(bare);
            continue;
        }
        for (VarHandle v = top.var; !(v == bare); v = NodeHandle(v.graph(), ownerOf(v)).input(0)) v.owner();
        bare.owner();
        const ScalarCode code = node->opAs<Elemwise>()->scalar()->code();
        for (std::size_t i = node->inputCount(); i-- > 0;) {
            const bool flips = code == family.reciprocal || (code == family.inverse && i == 1);
            stack.push_back({node->input(i), top.below != flips, false, shared});
        }
    }
    return terms;
}

bool simplifyTerms(Editor &edit, CanonTerms &terms, const CanonFamily &family, VarHandle root)
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
    double value = family.neutral;
    std::int64_t whole = static_cast<std::int64_t>(family.neutral);
    const bool exact = isDiscrete(dtype);
    const auto put = [&](const VarHandle &v, bool isBelow) {
        const double number = *v.uniformConstant();
        const std::int64_t integer = isDiscrete(v.dtype()) ? v.constant()->tensor().intAt(0) : static_cast<std::int64_t>(number);
        if (isSum) {
            value += isBelow ? -number : number;
            whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) + static_cast<std::uint64_t>(isBelow ? -integer : integer));
        } else {
            value = isBelow ? value / number : value * number;
            whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) * static_cast<std::uint64_t>(integer));
        }
    };
    if (exact && !isSum && below) return changed; // integers are not divided here
    const bool first = !terms.above.empty() && isGatherable(terms.above[0]);
    for (const VarHandle &v : terms.above)
        if (isGatherable(v)) put(v, false);
    for (const VarHandle &v : terms.below)
        if (isGatherable(v)) put(v, true);
    const bool neutral = exact ? whole == static_cast<std::int64_t>(family.neutral) : value == family.neutral;
    if (above == 1 && below == 0 && first && !neutral) return changed;
    const std::size_t own = above + below - std::min(terms.sharedConstants, above + below);
    if (!changed && !neutral && own < above + below && (own == 0 || (own == 1 && first))) return false;
    // 1/x stays 1/x: the neutral numerator is what stands there.
    if (above == 1 && below == 0 && neutral && !family.useReciprocal && terms.above.size() == 1) return changed;
    std::erase_if(terms.above, isGatherable);
    std::erase_if(terms.below, isGatherable);
    if (!neutral) {
        const VarHandle constant = exact ? edit.constant(Tensor::scalarInt(dtype, whole)) : constantLike(edit, dtype, 0, value);
        terms.above.insert(terms.above.begin(), padLeft(edit, constant, root.rank()));
    }
    return true;
}

VarHandle buildTerms(Editor &edit, const CanonTerms &terms, const CanonFamily &family, VarHandle root)
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

bool isInsideFamily(VarHandle v, const CanonFamily &family)
{
    for (const Client &client : v.clients()) {
        Client at = client;
        VarHandle value = v;
        for (int depth = 0; depth < 8 && !at.isGraphOutput(); ++depth) {
            const NodeHandle reader(v.graph(), at.apply);
            if (!leftPadOf(reader) || !reader.output().hasOneClient()) break;
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
