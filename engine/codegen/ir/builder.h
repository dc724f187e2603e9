// Makes a kernel, statement by statement.
#pragma once

#include "engine/codegen/ir/kernel.h"

#include <functional>
#include <map>
#include <span>

namespace engine::ir {

class Builder;

/// A value that can be assigned to: a variable, or an element of an array.
class Place : public Value {
public:
    Place(Builder &builder, NodeRef target, Value value) : Value(std::move(value)), m_builder(&builder), m_target(std::move(target)) {}
    Place(const Place &) = default;
    const Place &operator=(const Value &value) const;
    const Place &operator=(const Place &value) const { return *this = static_cast<const Value &>(value); }
    const Place &operator+=(const Value &value) const { return *this = *this + value; }

private:
    Builder *m_builder;
    NodeRef m_target;
};

class Array {
public:
    Array(Builder &builder, NodeRef node) : m_builder(&builder), m_node(std::move(node)) {}
    /// Half floats are read as float, and become halves again where they are written.
    Place operator[](const Value &at) const;
    DType type() const { return m_node->type; }
    const NodeRef &node() const { return m_node; }

private:
    Builder *m_builder;
    NodeRef m_node;
};

/// From `begin` up to `end`.
struct Range {
    Value begin, end;
};

class Builder {
public:
    using Body = std::function<void()>;
    using LoopBody = std::function<void(const Value &index)>;

    explicit Builder(std::string name) { m_kernel.name = std::move(name); }
    Builder(const Builder &) = delete;
    Builder &operator=(const Builder &) = delete;

    /// Parameters, in the order in which a launch is given them: arrays, then numbers with their values, those that are given with each
    /// launch first.
    Array reads(const std::string &name, DType type) { return array(name, type, false); }
    Array writes(const std::string &name, DType type) { return array(name, type, true); }
    Value number(const std::string &name, std::int64_t value);
    Value given(const std::string &name) { return ++m_kernel.given, number(name, 0); }

    const Value &item() const { return m_item; }
    const Value &items() const { return m_items; }
    /// Names a value. If the name is taken, a number is added to it.
    Value let(const std::string &name, const Value &value);
    Place variable(const std::string &name, const Value &first) { return variable(name, first.type(), first); }
    Place variable(const std::string &name, DType type, const Value &first);
    /// Registers of an item.
    Array local(const std::string &name, DType type, std::int64_t count);
    /// So many items run together from here on: lane() is the number of one among them, they share arrays, and wait for each other.
    void inGroups(std::int64_t items) { m_kernel.group = items; }
    const Value &lane() const { return m_lane; }
    Array shared(const std::string &name, DType type, std::int64_t count);
    /// Not within a condition that is true for some of them only.
    void barrier() { add({.op = Op::Barrier}); }
    /// A function of registers, by its primitive.
    Value call(RtOp function, RtKind kind, RtLoop loop, DType result, std::span<const Value> arguments, const std::string &name);
    /// The same of one float.
    Value call(RtOp function, const Value &x);
    Value draw(const Array &state);

    void when(const Value &condition, const Body &then, const Body &otherwise = {});
    void loop(const std::string &name, const Range &range, const LoopBody &body, LoopKind kind = LoopKind::Plain, const Value &step = 1);
    /// Ends where `goesOn` is false.
    void loopWhile(const std::string &name, const Range &range, const std::function<Value(const Value &)> &goesOn, const LoopBody &body);
    /// A loop in a loop for each of the ranges.
    void nest(std::span<const std::string> names, std::span<const Range> ranges, const std::function<void(std::span<const Value>)> &body);
    /// Records the first fault. The next wait on the stream reports it.
    void find(Finding finding, const Value &value, const Value &place, const Value &size);
    void assign(const NodeRef &target, const Value &value);

    /// Part `part` of so many of `count` elements.
    Range share(const Value &count, const Value &parts, const Value &part);
    /// The rest that is left of a number when sizes are taken from it, innermost last, and the places that they tell: name by name.
    std::vector<Value> coordinates(const Place &number, std::span<const std::string> names, std::span<const Value> sizes);

    Kernel finish();

private:
    Array array(const std::string &name, DType type, bool isWritten);
    std::string fresh(const std::string &name);
    NodeRef add(Node node);
    Block blockOf(const Body &body);
    void loop(const std::string &name, const Range &range, const Value &step, const std::function<Value(const Value &)> &goesOn,
              const LoopBody &body, LoopKind kind);

    Kernel m_kernel;
    // What kernels are given under these names, and what is a word of one of their languages, is no name for anything else.
    std::map<std::string, int> m_names{{"i", 1},    {"n", 1},      {"lane", 1},  {"found", 1}, {"tag", 1},
                                       {"math", 1}, {"in", 1},     {"auto", 1},  {"class", 1}, {"global", 1},
                                       {"half", 1}, {"kernel", 1}, {"local", 1}, {"new", 1},   {"this", 1}};
    Block *m_block = &m_kernel.body;
    Value m_item{std::make_shared<Node>(Node{.op = Op::Item, .name = "i"})},
        m_items{std::make_shared<Node>(Node{.op = Op::Items, .name = "n"})},
        m_lane{std::make_shared<Node>(Node{.op = Op::Lane, .name = "lane"})};
};

} // namespace engine::ir
