#include "engine/codegen/ir/builder.h"

#include "engine/scalar/registers.h"
#include "engine/tensor/errors.h"

namespace engine::ir {

const Place &Place::operator=(const Value &value) const
{
    m_builder->assign(m_target, value);
    return *this;
}

Place Array::operator[](const Value &at) const
{
    const auto load = std::make_shared<Node>(Node{.op = Op::Load, .type = m_node->type, .in = {m_node, cast(DType::Int64, at).node()}});
    return {*m_builder, load, m_node->type == DType::Float16 ? cast(DType::Float32, Value(load)) : Value(load)};
}

Array Builder::array(const std::string &name, DType type, bool isWritten)
{
    m_kernel.arrays.push_back(std::make_shared<Node>(Node{.op = Op::Array, .type = type, .name = fresh(name), .isWritten = isWritten}));
    return {*this, m_kernel.arrays.back()};
}

Value Builder::number(const std::string &name, std::int64_t value)
{
    m_kernel.numbers.push_back(std::make_shared<Node>(Node{.op = Op::Number, .name = fresh(name)}));
    m_kernel.values.push_back(value);
    return Value(m_kernel.numbers.back());
}

std::string Builder::fresh(const std::string &name)
{
    const int count = ++m_names[name];
    return count == 1 ? name : fresh(name + "_" + std::to_string(count));
}

NodeRef Builder::add(Node node)
{
    m_block->push_back(std::make_shared<Node>(std::move(node)));
    return m_block->back();
}

Value Builder::let(const std::string &name, const Value &value)
{
    return Value(add({.op = Op::Let, .type = value.type(), .in = {value.node()}, .name = fresh(name)}));
}

Place Builder::variable(const std::string &name, DType type, const Value &first)
{
    const NodeRef node = add({.op = Op::Variable, .type = type, .in = {cast(type, first).node()}, .name = fresh(name)});
    return {*this, node, Value(node)};
}

Array Builder::local(const std::string &name, DType type, std::int64_t count)
{
    return {*this, add({.op = Op::Local, .type = type, .name = fresh(name), .count = count, .isWritten = true})};
}

Array Builder::shared(const std::string &name, DType type, std::int64_t count)
{
    m_kernel.shared.push_back(
        std::make_shared<Node>(Node{.op = Op::Shared, .type = type, .name = fresh(name), .count = count, .isWritten = true}));
    return {*this, m_kernel.shared.back()};
}

Value Builder::call(RtOp function, RtKind kind, RtLoop loop, DType result, std::span<const Value> arguments, const std::string &name)
{
    // Its text may have an argument several times, or take its address.
    std::vector<NodeRef> in;
    for (const Value &argument : arguments) {
        const Op op = argument.node()->op;
        in.push_back((op == Op::Let || op == Op::Variable || op == Op::Call ? argument : let("given", argument)).node());
    }
    return Value(add({.op = Op::Call, .type = result, .in = in, .name = fresh(name), .function = function, .kind = kind, .loop = loop}));
}

Value Builder::call(RtOp function, const Value &x)
{
    const RtKind kind = registerKind(x.type());
    return call(function, kind, rt_table()->loops[function][kind], x.type(), {&x, 1}, std::string(rt_op_name(function)) + "_x");
}

Value Builder::draw(const Array &state)
{
    return let("drawn", Value(std::make_shared<Node>(Node{.op = Op::Draw, .type = DType::Int32, .in = {state.node()}})));
}

Block Builder::blockOf(const Body &body)
{
    Block block, *const outer = m_block;
    const auto names = m_names;
    m_block = &block;
    body();
    m_block = outer;
    m_names = names;
    // Parameters and shared arrays that were made inside keep their names.
    for (const std::vector<NodeRef> *parameters : {&m_kernel.arrays, &m_kernel.numbers, &m_kernel.shared})
        for (const NodeRef &one : *parameters) m_names.try_emplace(one->name, 1);
    return block;
}

void Builder::when(const Value &condition, const Body &then, const Body &otherwise)
{
    Node node{.op = Op::If, .in = {condition.node()}, .body = blockOf(then)};
    if (otherwise) node.otherwise = blockOf(otherwise);
    add(std::move(node));
}

void Builder::loop(const std::string &name, const Range &range, const LoopBody &body, LoopKind kind, const Value &step)
{
    loop(name, range, step, {}, body, kind);
}

void Builder::loopWhile(const std::string &name, const Range &range, const std::function<Value(const Value &)> &goesOn,
                        const LoopBody &body)
{
    loop(name, range, 1, goesOn, body, LoopKind::Plain);
}

void Builder::loop(const std::string &name, const Range &range, const Value &step, const std::function<Value(const Value &)> &goesOn,
                   const LoopBody &body, LoopKind kind)
{
    NodeRef index;
    std::vector<NodeRef> in;
    Block block = blockOf([&] {
        index = std::make_shared<Node>(Node{.op = Op::Index, .name = fresh(name)});
        in = {index, cast(DType::Int64, range.begin).node(), cast(DType::Int64, range.end).node(), cast(DType::Int64, step).node()};
        if (goesOn) in.push_back(goesOn(Value(index)).node());
        body(Value(index));
    });
    add({.op = Op::Loop, .in = std::move(in), .loopKind = kind, .body = std::move(block)});
}

void Builder::nest(std::span<const std::string> names, std::span<const Range> ranges,
                   const std::function<void(std::span<const Value>)> &body)
{
    std::vector<Value> places;
    const std::function<void()> next = [&] {
        const std::size_t axis = places.size();
        if (axis == ranges.size()) return body(places);
        loop(names[axis], ranges[axis], [&](const Value &place) {
            places.push_back(place);
            next();
            places.pop_back();
        });
    };
    next();
}

void Builder::find(Finding finding, const Value &value, const Value &place, const Value &size)
{
    m_kernel.finds = true;
    add({.op = Op::Find, .in = {value.node(), place.node(), size.node()}, .finding = finding});
}

void Builder::assign(const NodeRef &target, const Value &value)
{
    add({.op = Op::Assign, .type = target->type, .in = {target, cast(target->type, value).node()}});
}

Range Builder::share(const Value &count, const Value &parts, const Value &part)
{
    const Value share = let("share", (count + parts - 1) / parts), first = let("first", part * share);
    const Value begin = let("begin", least(first, count));
    return {begin, let("end", least(begin + share, count))};
}

std::vector<Value> Builder::coordinates(const Place &number, std::span<const std::string> names, std::span<const Value> sizes)
{
    std::vector<Value> places(sizes.size(), 0);
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
        places[axis] = let(names[axis], number % sizes[axis]);
        number = number / sizes[axis];
    }
    return places;
}

Kernel Builder::finish()
{
    verify(m_kernel);
    return std::move(m_kernel);
}

} // namespace engine::ir
