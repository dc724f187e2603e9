// Runs a kernel as it is built, item by item, without any compiler: what every dialect has to give.
#pragma once

#include "engine/codegen/ir/kernel.h"
#include "engine/rt/mrg31k3p.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/convert.h"

#include <cstring>
#include <map>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace ir_test {

using namespace engine;

class Interpreter {
public:
    /// `arrays` in the order of the parameters, `found` behind them; `given`: the first numbers.
    Interpreter(const ir::Kernel &kernel, const std::vector<void *> &arrays, std::int64_t items,
                const std::vector<std::int64_t> &given = {})
        : m_kernel(kernel), m_items(items)
    {
        for (std::size_t k = 0; k < kernel.arrays.size(); ++k) m_arrays[kernel.arrays[k].get()] = static_cast<char *>(arrays.at(k));
        if (kernel.finds) m_found = static_cast<std::int64_t *>(arrays.at(kernel.arrays.size()));
        for (std::size_t k = 0; k < kernel.numbers.size(); ++k)
            m_values[kernel.numbers[k].get()] = static_cast<std::uint64_t>(k < given.size() ? given[k] : kernel.values[k]);
    }
    void run()
    {
        for (m_item = 0; m_item < m_items; ++m_item) block(m_kernel.body);
    }

private:
    using Bits = std::uint64_t; // of a value, as memory of its type holds it

    template <class F>
    static auto as(DType type, F f)
    {
        switch (type) {
        case DType::Bool:
        case DType::UInt8: return f(std::uint8_t());
        case DType::Int8: return f(std::int8_t());
        case DType::Int16: return f(std::int16_t());
        case DType::Float16:
        case DType::UInt16: return f(std::uint16_t());
        case DType::Int32: return f(std::int32_t());
        case DType::UInt32: return f(std::uint32_t());
        case DType::Int64: return f(std::int64_t());
        case DType::UInt64: return f(std::uint64_t());
        case DType::Float32: return f(float());
        case DType::Float64: return f(double());
        default: throw std::logic_error("no such value in a kernel");
        }
    }
    template <class T>
    static T held(Bits bits)
    {
        T value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    template <class T>
    static Bits bitsOf(T value)
    {
        Bits bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        return bits;
    }

    void block(const ir::Block &statements)
    {
        for (const ir::NodeRef &one : statements) statement(*one);
    }
    void statement(const ir::Node &node)
    {
        switch (node.op) {
        case ir::Op::Let:
        case ir::Op::Variable: m_values[&node] = value(*node.in[0]); return;
        case ir::Op::Call: {
            std::vector<Bits> arguments;
            for (const ir::NodeRef &one : node.in) arguments.push_back(value(*one));
            std::vector<const void *> in;
            for (const Bits &one : arguments) in.push_back(&one);
            Bits result = 0;
            node.loop(&result, in.data(), 1);
            m_values[&node] = result;
            return;
        }
        case ir::Op::Local:
            m_registers[&node].assign(static_cast<std::size_t>(node.count) * sizeOf(node.type), 0);
            m_arrays[&node] = m_registers[&node].data();
            return;
        case ir::Op::Assign: {
            const Bits bits = value(*node.in[1]);
            const ir::Node &target = *node.in[0];
            if (target.op == ir::Op::Load) std::memcpy(element(target), &bits, sizeOf(target.type));
            else m_values[&target] = bits;
            return;
        }
        case ir::Op::If: return block(isTrue(*node.in[0]) ? node.body : node.otherwise);
        case ir::Op::Loop:
            for (std::int64_t at = whole(*node.in[1]); at < whole(*node.in[2]); at += whole(*node.in[3])) {
                m_values[node.in[0].get()] = static_cast<Bits>(at);
                if (node.in.size() > 4 && !isTrue(*node.in[4])) return;
                block(node.body);
            }
            return;
        default: // Find
            if (m_found[0]) return;
            m_found[0] = 1;
            m_found[static_cast<int>(FindingWord::Kind)] = static_cast<std::int64_t>(node.finding);
            m_found[static_cast<int>(FindingWord::Value)] = whole(*node.in[0]);
            m_found[static_cast<int>(FindingWord::Place)] = whole(*node.in[1]);
            m_found[static_cast<int>(FindingWord::Size)] = whole(*node.in[2]);
        }
    }

    std::int64_t whole(const ir::Node &node)
    {
        return as(node.type, [bits = value(node)]<class T>(T) { return static_cast<std::int64_t>(held<T>(bits)); });
    }
    bool isTrue(const ir::Node &node) { return whole(node) != 0; }
    char *element(const ir::Node &load)
    {
        return m_arrays.at(load.in[0].get()) + whole(*load.in[1]) * static_cast<std::int64_t>(sizeOf(load.type));
    }

    Bits value(const ir::Node &node)
    {
        switch (node.op) {
        case ir::Op::Item: return static_cast<Bits>(m_item);
        case ir::Op::Items: return static_cast<Bits>(m_items);
        case ir::Op::Literal: return node.bits;
        case ir::Op::Load: {
            Bits bits = 0;
            std::memcpy(&bits, element(node), sizeOf(node.type));
            return bits;
        }
        case ir::Op::Cast: return cast(node);
        case ir::Op::Convert: {
            const Bits given = value(*node.in[0]);
            const void *const in[] = {&given};
            Bits result = 0;
            node.loop(&result, in, 1);
            return result;
        }
        case ir::Op::FromBits: return value(*node.in[0]) & (sizeOf(node.type) == 4 ? 0xffffffffu : ~Bits(0));
        case ir::Op::Negative:
            return as(node.type, [bits = value(*node.in[0])]<class T>(T) { return bitsOf(static_cast<T>(-held<T>(bits))); });
        case ir::Op::Select: return value(*node.in[isTrue(*node.in[0]) ? 1 : 2]);
        case ir::Op::Both: return isTrue(*node.in[0]) && isTrue(*node.in[1]);
        case ir::Op::Either: return isTrue(*node.in[0]) || isTrue(*node.in[1]);
        case ir::Op::Draw: {
            std::int32_t sample = 0;
            rt_mrg31k3p()(reinterpret_cast<int *>(m_arrays.at(node.in[0].get())), 1, 0, 1, &sample, 1, RT_D_I32);
            return bitsOf(sample);
        }
        default: break;
        }
        if (node.op < ir::Op::Times || node.op > ir::Op::Either) return m_values.at(&node);
        const ir::NodeRef &a = node.in[0], &b = node.in[1];
        if (node.op == ir::Op::ShiftLeft || node.op == ir::Op::ShiftRight)
            return as(node.type, [&, by = whole(*b)]<class T>(T) { return shifted<T>(node.op, value(*a), by); });
        return as(a->type, [&, x = value(*a), y = value(*b)]<class T>(T) { return binary<T>(node.op, held<T>(x), held<T>(y)); });
    }
    template <class T>
    static Bits shifted(ir::Op op, Bits x, std::int64_t by)
    {
        if constexpr (std::is_integral_v<T>)
            return bitsOf(op == ir::Op::ShiftLeft ? static_cast<T>(held<T>(x) << by) : static_cast<T>(held<T>(x) >> by));
        else throw std::logic_error("a float is shifted");
    }
    template <class T>
    static Bits binary(ir::Op op, T x, T y)
    {
        switch (op) {
        case ir::Op::Less: return x < y;
        case ir::Op::LessEqual: return x <= y;
        case ir::Op::Equal: return x == y;
        case ir::Op::NotEqual: return x != y;
        default: break;
        }
        if constexpr (std::is_integral_v<T>) {
            using U = std::make_unsigned_t<T>; // which wraps around
            switch (op) {
            case ir::Op::Plus: return bitsOf(static_cast<T>(static_cast<U>(x) + static_cast<U>(y)));
            case ir::Op::Minus: return bitsOf(static_cast<T>(static_cast<U>(x) - static_cast<U>(y)));
            case ir::Op::Times: return bitsOf(static_cast<T>(static_cast<U>(x) * static_cast<U>(y)));
            case ir::Op::Over: return bitsOf(static_cast<T>(x / y));
            case ir::Op::Rest: return bitsOf(static_cast<T>(x % y));
            case ir::Op::BitAnd: return bitsOf(static_cast<T>(x & y));
            case ir::Op::BitXor: return bitsOf(static_cast<T>(x ^ y));
            case ir::Op::BitOr: return bitsOf(static_cast<T>(x | y));
            default: break;
            }
        } else {
            switch (op) {
            case ir::Op::Plus: return bitsOf(x + y);
            case ir::Op::Minus: return bitsOf(x - y);
            case ir::Op::Times: return bitsOf(x * y);
            case ir::Op::Over: return bitsOf(x / y);
            default: break;
            }
        }
        throw std::logic_error("no such arithmetic");
    }
    Bits cast(const ir::Node &node)
    {
        const ir::Node &from = *node.in[0];
        const Bits bits = value(from);
        if (node.type == DType::Float16) {
            Bits half = 0;
            rt_table()->stores[RT_D_F16](&bits, reinterpret_cast<char *>(&half), sizeof half, 1);
            return half;
        }
        if (from.type == DType::Float16) {
            Bits wide = 0;
            rt_table()->loads[RT_D_F16](reinterpret_cast<const char *>(&bits), sizeof bits, &wide, 1);
            return wide;
        }
        return as(from.type, [&]<class F>(F) {
            const F x = held<F>(bits);
            if (node.type == DType::Bool) return bitsOf(static_cast<std::uint8_t>(x != 0));
            return as(node.type, [&]<class T>(T) { return bitsOf(static_cast<T>(x)); });
        });
    }

    const ir::Kernel &m_kernel;
    std::int64_t m_items, m_item = 0;
    std::int64_t *m_found = nullptr;
    std::map<const ir::Node *, Bits> m_values;
    std::map<const ir::Node *, char *> m_arrays;
    std::map<const ir::Node *, std::vector<char>> m_registers;
};

} // namespace ir_test
