// The language in which ops tell their output sizes. The plan compiles it to a host program, rewrites turn
// it into graph nodes, static shape inference evaluates it: one rule, several readers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

/// A symbolic integer of the builder that made it.
enum class Sym : std::uint32_t {};
using SymShape = std::vector<Sym>;

class ShapeBuilder {
public:
    virtual ~ShapeBuilder() = default;

    virtual Sym constant(std::int64_t value) = 0;
    /// Size of axis `axis` of input `input` of the apply at hand.
    virtual Sym dim(int input, int axis) = 0;
    /// Element `element` of integer input `input` (0-d or vector), if it can be known before running.
    virtual std::optional<Sym> value(int input, int element = 0) = 0;
    virtual int inputCount() const = 0;
    virtual int inputRank(int input) const = 0;
    /// Is axis `axis` of that input declared broadcastable?
    virtual bool inputBroadcastable(int input, int axis) const = 0;
    /// Known value of a symbol, if it is a constant.
    virtual std::optional<std::int64_t> known(Sym symbol) const = 0;

    virtual Sym add(Sym a, Sym b) = 0;
    virtual Sym sub(Sym a, Sym b) = 0;
    virtual Sym mul(Sym a, Sym b) = 0;
    virtual Sym floorDiv(Sym a, Sym b) = 0; ///< division by zero gives 0
    virtual Sym mod(Sym a, Sym b) = 0;
    virtual Sym min(Sym a, Sym b) = 0;
    virtual Sym max(Sym a, Sym b) = 0;
    virtual Sym select(Sym condition, Sym ifNonZero, Sym ifZero) = 0;
    virtual Sym less(Sym a, Sym b) = 0;

    /// All sizes of input `input`.
    SymShape sizesOf(int input)
    {
        SymShape sizes;
        for (int axis = 0; axis < inputRank(input); ++axis) sizes.push_back(dim(input, axis));
        return sizes;
    }
    /// `wanted`, or `size` where it is 1 and repeats.
    Sym repeatedSize(Sym size, Sym wanted) { return select(sub(size, constant(1)), wanted, size); }
};

/// Two sizes that have to be equal, or the apply at hand cannot run.
struct SizeRule {
    Sym a, b;
    /// Where they stand: axes of inputs. Negative axis: the value of that input itself.
    int input = 0, axis = 0, otherInput = 0, otherAxis = 0;
    /// What is wrong where it is not told by two axes: a literal.
    const char *what = nullptr;
    bool isIndex = false; ///< an index that is not inside, rather than a size
};

} // namespace engine
