// Products of matrices.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/products/linalg.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"

#include <algorithm>
#include <map>

namespace engine::onnx {
namespace {

Vars matMulOf(Call &call) { return {matMul(call.in(0), call.in(1))}; }

Vars gemm(Call &call)
{
    VarRef a = call.in(0), b = call.in(1);
    if (call.integer("transA", 0)) a = transpose(a);
    if (call.integer("transB", 0)) b = transpose(b);
    const double alpha = call.number("alpha", 1), beta = call.number("beta", 1);
    VarRef result = dot(a, b);
    if (alpha != 1) result = mul(number(result->type().dtype(), alpha), result);
    if (call.has(2) && beta != 0) result = add(result, beta == 1 ? call.in(2) : mul(number(call.dtype(2), beta), call.in(2)));
    return {result};
}

// An operand of Einsum: its array and a letter for each axis.
struct Term {
    VarRef array;
    std::string axes;
};

// Sums over, and takes diagonals of, what only this operand has.
void reduceAlone(Term &term, const std::string &kept)
{
    for (std::size_t i = 0; i < term.axes.size(); ++i) {
        const std::size_t other = term.axes.find(term.axes[i], i + 1);
        if (other == std::string::npos) continue;
        term.array = pinned(diagonal(term.array, 0, static_cast<int>(i), static_cast<int>(other)));
        const char letter = term.axes[i];
        term.axes.erase(other, 1);
        term.axes.erase(i, 1);
        term.axes += letter;
        i = static_cast<std::size_t>(-1);
    }
    std::vector<int> summed;
    std::string left;
    for (std::size_t i = 0; i < term.axes.size(); ++i)
        if (kept.find(term.axes[i]) == std::string::npos) summed.push_back(static_cast<int>(i));
        else left += term.axes[i];
    if (!summed.empty()) term.array = cast(sum(term.array, summed), term.array->type().dtype());
    term.axes = left;
}

VarRef inOrder(const Term &term, const std::string &axes)
{
    std::vector<int> order;
    for (const char letter : axes) {
        const std::size_t at = term.axes.find(letter);
        order.push_back(at == std::string::npos ? -1 : static_cast<int>(at));
    }
    return permuted(term.array, order);
}

// Batch axes that both have and stay; axes that both have and go; the rest.
Term contracted(const Term &a, const Term &b, const std::string &kept)
{
    std::string batch, inner, left, right;
    for (const char letter : a.axes) {
        const bool inBoth = b.axes.find(letter) != std::string::npos, stays = kept.find(letter) != std::string::npos;
        (inBoth ? stays ? batch : inner : left) += letter;
    }
    for (const char letter : b.axes)
        if (a.axes.find(letter) == std::string::npos) right += letter;
    if (inner.empty()) { // nothing is summed: a product element by element
        const std::string axes = batch + left + right;
        return {mul(inOrder(a, axes), inOrder(b, axes)), axes};
    }
    const auto count = [](const Term &term, const std::string &axes) -> VarRef {
        VarRef product;
        std::int64_t known = 1;
        for (const char letter : axes) {
            const VarRef size = sizeOf(term.array, static_cast<int>(term.axes.find(letter)));
            if (size->kind() == Variable::Kind::Constant) known *= size->value().tensor().intAt(0);
            else product = product ? mul(product, size) : size;
        }
        return product ? mul(product, int64(known)) : int64(known);
    };
    const VarRef x = reshapeTo(inOrder(a, batch + left + inner), {count(a, batch), count(a, left), count(a, inner)});
    const VarRef y = reshapeTo(inOrder(b, batch + inner + right), {count(b, batch), count(b, inner), count(b, right)});
    Vars sizes;
    for (const char letter : batch + left) sizes.push_back(sizeOf(a.array, static_cast<int>(a.axes.find(letter))));
    for (const char letter : right) sizes.push_back(sizeOf(b.array, static_cast<int>(b.axes.find(letter))));
    return {reshapeTo(batchedDot(x, y), sizes), batch + left + right};
}

Vars einsum(Call &call)
{
    std::string equation = call.text("equation", "");
    std::erase(equation, ' ');
    const std::size_t arrow = equation.find("->");
    std::string inputs = equation.substr(0, arrow), output;
    std::vector<Term> terms;
    std::string dots; // letters of "..."
    int mostDots = 0;
    std::size_t begin = 0;
    for (int i = 0; i < call.inputCount(); ++i) {
        const std::size_t end = std::min(inputs.find(',', begin), inputs.size());
        if (begin > inputs.size()) call.fail("has fewer terms in its equation \"" + equation + "\" than inputs");
        std::string axes = inputs.substr(begin, end - begin);
        begin = end + 1;
        if (const std::size_t at = axes.find("..."); at != std::string::npos) {
            const int count = call.rank(i) - static_cast<int>(axes.size()) + 3;
            if (count < 0) call.fail("has more letters in its equation \"" + equation + "\" than an input has axes");
            mostDots = std::max(mostDots, count);
            std::string letters; // the last ones belong together
            for (int k = count; k > 0; --k) letters += static_cast<char>(k);
            axes.replace(at, 3, letters);
        }
        if (static_cast<int>(axes.size()) != call.rank(i))
            call.fail("has other letters in its equation \"" + equation + "\" than its input " + std::to_string(i) + " has axes");
        terms.push_back({call.in(i), axes});
    }
    for (int k = mostDots; k > 0; --k) dots += static_cast<char>(k);
    if (arrow == std::string::npos) {
        std::map<char, int> counts;
        for (const Term &term : terms)
            for (const char letter : term.axes) ++counts[letter];
        output = dots;
        for (const auto &[letter, times] : counts)
            if (letter > 31 && times == 1) output += letter;
    } else {
        output = equation.substr(arrow + 2);
        if (const std::size_t at = output.find("..."); at != std::string::npos) output.replace(at, 3, dots);
    }
    for (std::size_t i = 0; i < terms.size(); ++i) {
        std::string kept = output;
        for (std::size_t k = 0; k < terms.size(); ++k)
            if (k != i) kept += terms[k].axes;
        reduceAlone(terms[i], kept);
    }
    Term result = terms.at(0);
    for (std::size_t i = 1; i < terms.size(); ++i) {
        std::string kept = output;
        for (std::size_t k = i + 1; k < terms.size(); ++k) kept += terms[k].axes;
        result = contracted(result, terms[i], kept);
        reduceAlone(result, kept);
    }
    for (const char letter : output)
        if (result.axes.find(letter) == std::string::npos)
            call.fail("has a letter behind the arrow of \"" + equation + "\" that no term has");
    return {inOrder(result, output)};
}

Vars determinant(Call &call)
{
    const VarRef &x = call.in(0);
    if (call.rank() == 2) return {det(x)};
    // One matrix after the other: their number has to be known.
    const Ints sizes = sizesOf(x);
    std::int64_t count = 1;
    for (std::size_t i = 0; i + 2 < sizes.size(); ++i) count *= sizes[i] == kUnknownDim ? -1 : sizes[i];
    if (count < 0 || count > 4096) call.fail("needs to know how many matrices it is given");
    const VarRef all = reshape(x, std::vector<std::int64_t>{count, sizes[sizes.size() - 2], sizes.back()});
    Vars results;
    for (std::int64_t i = 0; i < count; ++i) results.push_back(det(elementAt(all, i)));
    Vars leading = allSizes(x);
    leading.resize(leading.size() - 2);
    return {reshapeTo(stack(results), leading)};
}

const OpRows kProductsRows{
    {"", "Det", 11, determinant},
    {"", "Einsum", 12, einsum},
    {"", "Gemm", 1, gemm},
    {"", "MatMul", 1, matMulOf},
};

} // namespace
} // namespace engine::onnx
