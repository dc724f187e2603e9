// The language that kernels for devices are built in: typed values and statements, done for each item of a launch. Builder makes one,
// verify() checks it, sourceOf() prints it in the words of a dialect and text() for people.
#pragma once

#include "engine/device/device.h"
#include "engine/device/device_findings.h"
#include "engine/scalar/scalar_program.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace engine::ir {

enum class Op : std::uint8_t {
    // Parameters and what statements declare: values by their names.
    Array,  ///< a parameter
    Shared, ///< an array of a group of items
    Number, ///< a whole number that the host gives
    Item,   ///< which item this is
    Items,  ///< how many there are
    Lane,   ///< which item of its group this is
    Index,  ///< of a loop
    // Values made of others.
    Literal, ///< `bits`
    Load,    ///< of an array, at a place
    Cast,    ///< as C converts numbers; Float16 only to and from Float32
    Convert, ///< as the primitives convert registers
    FromBits,
    Negative,
    Times,
    Over,
    Rest,
    Plus,
    Minus,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    Both,
    Either,
    Select,
    Draw, ///< the next number of a random stream, whose state is an array of six
    // Statements. The first three are values, too, by the names that they declare.
    Let,
    Variable,
    Call,   ///< a function of rt/functions
    Local,  ///< registers of one item
    Assign, ///< to a variable or what a load reads
    If,
    Loop,
    Find,
    Barrier, ///< all items of a group have come here before one goes on
};

enum class LoopKind : std::uint8_t {
    Plain,
    Beside,   ///< over elements that do not depend on each other: vectors may take them
    Unrolled, ///< written out, so that what it writes stays in registers
    Reading,  ///< over memory that is far away: several elements are asked for before the first is there
};

struct Node;
using NodeRef = std::shared_ptr<const Node>;
using Block = std::vector<NodeRef>;

struct Node {
    Op op = Op::Literal;
    DType type = DType::Int64; ///< of the value; of an array's elements
    std::vector<NodeRef> in;   ///< a loop: index, begin, end, step and perhaps a condition to go on
    std::string name{};
    std::uint64_t bits = 0;   ///< Literal: as memory of the type holds it
    std::int64_t count = 0;   ///< Local, Shared: of elements
    bool isWritten = false;   ///< Array: not only read
    RtOp function = RT_COPY;  ///< Call
    RtKind kind = RT_F64;     ///< Call: of the arguments; Convert: from
    RtLoop loop = nullptr;    ///< Call, Convert: the primitive that tells what it computes
    bool isNarrowing = false; ///< Convert: on the way to a dtype that would be reached in two roundings
    LoopKind loopKind = LoopKind::Plain;
    Finding finding = Finding::Class;
    Block body{}, otherwise{};
};

/// A value, for expressions in C++: `line / inner * length + 1`. Whole numbers are literals of the type that they meet.
class Value {
public:
    template <std::integral T>
    Value(T number) : Value(whole(static_cast<std::int64_t>(number)))
    {}
    explicit Value(NodeRef node) : m_node(std::move(node)) {}
    Value(const Value &) = default;
    Value(Value &&) = default;
    Value &operator=(const Value &) = default;
    Value &operator=(Value &&) = default;
    const NodeRef &node() const { return m_node; }
    DType type() const { return m_node->type; }

private:
    static Value whole(std::int64_t number);

    NodeRef m_node;
};

/// Arithmetic is that of C: operands of two types meet in the wider one, narrow integers in Int32.
Value operator+(const Value &a, const Value &b);
Value operator-(const Value &a, const Value &b);
Value operator*(const Value &a, const Value &b);
Value operator/(const Value &a, const Value &b);
Value operator%(const Value &a, const Value &b);
Value operator<<(const Value &a, const Value &b);
Value operator>>(const Value &a, const Value &b);
Value operator<(const Value &a, const Value &b);
Value operator<=(const Value &a, const Value &b);
Value operator>(const Value &a, const Value &b);
Value operator>=(const Value &a, const Value &b);
Value operator==(const Value &a, const Value &b);
Value operator!=(const Value &a, const Value &b);
Value operator&(const Value &a, const Value &b);
Value operator^(const Value &a, const Value &b);
Value operator|(const Value &a, const Value &b);
Value operator&&(const Value &a, const Value &b);
Value operator||(const Value &a, const Value &b);
Value operator-(const Value &a);
Value select(const Value &condition, const Value &a, const Value &b);
Value least(const Value &a, const Value &b);
Value cast(DType type, const Value &x);
/// From a register to one of another kind.
Value convert(RtKind from, RtKind to, RtLoop loop, const Value &x);
/// The float that has the lowest bits of a whole number.
Value fromBits(DType type, const Value &bits);
Value literal(DType type, std::uint64_t bits);
/// What moves elements as they are needs their size only.
DType bitsOf(DType type);
/// What a register of that kind holds.
Value literal(RtKind kind, const void *place);
Value realNumber(DType type, double number);
/// Registers of a reduction: an accumulator and an element combined, exactly as the folds of rt/ do.
Value combined(RtReduce reduce, const Value &a, const Value &element);

struct Kernel {
    std::string name;
    Block arrays, numbers;            ///< the parameters
    std::vector<std::int64_t> values; ///< of the numbers
    std::size_t given = 0;            ///< the first numbers come with each launch, so many
    Block shared{};                   ///< arrays of a group
    std::int64_t group = 0;           ///< items that run together; how many there are is a multiple; 0: each runs by itself
    bool finds = false; ///< records faults: the parameters include an array `found` after the others and a number `tag` before the others
    Block body;         ///< for each item
};

/// Throws InternalError where a kernel uses what is not declared there, mixes types, or writes what it may only read.
void verify(const Kernel &kernel);
/// In the words of a dialect, to be built.
KernelSource sourceOf(const Kernel &kernel, Dialect dialect);
/// In words that are no dialect's.
std::string text(const Kernel &kernel);

} // namespace engine::ir
