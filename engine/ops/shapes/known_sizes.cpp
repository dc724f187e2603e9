#include "engine/ops/shapes/known_sizes.h"

#include "engine/graph/op/op.h"
#include "engine/ops/elements/compose.h"
#include "engine/tensor/indexed.h"

#include <unordered_map>

namespace engine {
namespace {

constexpr int kMostLevels = 64; // deeper expressions are not looked into

using Number = std::optional<std::int64_t>;

// What all applies below one expression are asked with; an unknown number makes unknown ones.
struct Numbers {
    Indexed<Sym, Number> known;
    std::unordered_map<const Variable *, std::vector<Number>> shapes;

    Sym put(Number number) { return known.add(number); }
    Number at(Sym symbol) const { return known[symbol]; }
};

std::vector<Number> shapeOf(Numbers &numbers, const VarRef &variable, int depth);

class KnownSizes final : public ShapeBuilder {
public:
    KnownSizes(Numbers &numbers, const Apply &node, int depth) : m_numbers(numbers), m_node(node), m_depth(depth) {}

    Sym constant(std::int64_t value) override { return m_numbers.put(value); }
    Sym dim(int input, int axis) override { return m_numbers.put(shapeOf(m_numbers, m_node.input(input), m_depth - 1)[axis]); }
    std::optional<Sym> value(int input, int element) override
    {
        const VarRef &variable = m_node.input(input);
        if (variable->type().rank() == 1 && variable->kind() == Variable::Kind::Constant && element < variable->value().tensor().size())
            return m_numbers.put(variable->value().tensor().intAt(element));
        if (variable->type().rank() > 0) return m_numbers.put({});
        const auto number = scalarConstantValue(variable);
        return m_numbers.put(number ? Number(static_cast<std::int64_t>(*number)) : Number());
    }
    int inputCount() const override { return static_cast<int>(m_node.inputs().size()); }
    int inputRank(int input) const override
    {
        const Type type = m_node.input(input)->type();
        return type.isTensor() ? type.rank() : 0;
    }
    bool inputBroadcastable(int input, int axis) const override { return m_node.input(input)->type().isBroadcastable(axis); }
    std::optional<std::int64_t> known(Sym symbol) const override { return m_numbers.at(symbol); }

    Sym add(Sym a, Sym b) override
    {
        return of(a, b, [](auto x, auto y) { return x + y; });
    }
    Sym sub(Sym a, Sym b) override
    {
        return of(a, b, [](auto x, auto y) { return x - y; });
    }
    Sym mul(Sym a, Sym b) override
    {
        return of(a, b, [](auto x, auto y) { return x * y; });
    }
    Sym floorDiv(Sym a, Sym b) override
    {
        return of(a, b, [](auto x, auto y) { return y ? x / y - (x % y != 0 && (x < 0) != (y < 0)) : 0; });
    }
    Sym mod(Sym a, Sym b) override
    {
        return of(a, b, [](auto x, auto y) { return y ? (x % y + y) % y : 0; });
    }
    Sym min(Sym a, Sym b) override
    {
        return of(a, b, [](auto x, auto y) { return std::min(x, y); });
    }
    Sym max(Sym a, Sym b) override
    {
        return of(a, b, [](auto x, auto y) { return std::max(x, y); });
    }
    Sym less(Sym a, Sym b) override
    {
        return of(a, b, [](auto x, auto y) { return std::int64_t(x < y); });
    }
    Sym select(Sym condition, Sym ifNonZero, Sym ifZero) override
    {
        const Number which = m_numbers.at(condition);
        return which ? *which ? ifNonZero : ifZero : m_numbers.put({});
    }

private:
    template <class F>
    Sym of(Sym a, Sym b, F function)
    {
        const Number x = m_numbers.at(a), y = m_numbers.at(b);
        return m_numbers.put(x && y ? Number(function(*x, *y)) : Number());
    }

    Numbers &m_numbers;
    const Apply &m_node;
    int m_depth;
};

// By the type where it says so: those are what the graph was built with.
std::vector<Number> shapeOf(Numbers &numbers, const VarRef &variable, int depth)
{
    if (const auto found = numbers.shapes.find(variable.get()); found != numbers.shapes.end()) return found->second;
    if (variable->kind() == Variable::Kind::Constant) {
        const Dims &sizes = variable->value().tensor().shape();
        return {sizes.begin(), sizes.end()};
    }
    const Type type = variable->type();
    std::vector<Number> shape;
    bool isKnown = true;
    for (const std::int64_t size : type.shape()) {
        shape.push_back(size == kUnknownDim ? Number() : Number(size));
        isKnown = isKnown && size != kUnknownDim;
    }
    const Apply *node = variable->owner();
    std::vector<SymShape> sizes;
    if (!isKnown && node && depth > 0) {
        KnownSizes builder(numbers, *node, depth);
        if (node->op().inferShape(builder, sizes))
            for (std::size_t axis = 0; axis < shape.size(); ++axis)
                if (!shape[axis]) shape[axis] = numbers.at(sizes[variable->index()][axis]);
    }
    return numbers.shapes[variable.get()] = shape;
}

} // namespace

std::optional<std::int64_t> knownLength(const VarRef &vector)
{
    Numbers numbers;
    return vector->type().isTensor() && vector->type().rank() == 1 ? shapeOf(numbers, vector, kMostLevels)[0] : std::nullopt;
}

std::vector<std::optional<std::int64_t>> knownSizes(const VarRef &array)
{
    Numbers numbers;
    return shapeOf(numbers, array, kMostLevels);
}

} // namespace engine
