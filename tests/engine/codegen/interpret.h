// Runs a kernel as it is built, without any compiler: what every dialect has to give. Items of a group go from barrier to barrier. It sees
// what no run of a device shows: elements outside of an array, and items that meet at one in no order.
#pragma once

#include "engine/codegen/ir/kernel.h"
#include "engine/rt/mrg31k3p.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/convert.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace ir_test {

using namespace engine;

/// What a kernel must not do: an element that nobody has, or one that two items come to in no order, one of them writing.
class KernelFault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An array of a launch, and where its memory begins and ends.
struct Given {
    Given(void *at = nullptr) : at(static_cast<char *>(at)) {}
    Given(void *at, void *begin, void *end) : at(static_cast<char *>(at)), begin(static_cast<char *>(begin)), end(static_cast<char *>(end))
    {}
    char *at, *begin = nullptr, *end = nullptr; ///< no begin: nobody knows
};

class Interpreter {
public:
    /// `arrays` in the order of the parameters, `found` behind them; `given`: the first numbers, or all.
    Interpreter(const ir::Kernel &kernel, const std::vector<Given> &arrays, std::int64_t items, const std::vector<std::int64_t> &given = {},
                std::int64_t tag = 0)
        : m_kernel(kernel), m_items(items), m_tag(tag)
    {
        for (const ir::Block *block : {&kernel.arrays, &kernel.numbers, &kernel.shared})
            for (const ir::NodeRef &one : *block) m_slots.emplace(one.get(), m_slots.size());
        m_body = blockOf(kernel.body);
        m_lanes.resize(static_cast<std::size_t>(std::max<std::int64_t>(kernel.group, 1)));
        for (Lane &lane : m_lanes) lane.values.resize(m_slots.size()), lane.arrays.resize(m_slots.size());
        for (std::size_t k = 0; k < kernel.arrays.size(); ++k) forAll(kernel.arrays[k], arrays.at(k));
        if (kernel.finds) m_found = reinterpret_cast<std::int64_t *>(arrays.at(kernel.arrays.size()).at);
        for (std::size_t k = 0; k < kernel.numbers.size(); ++k)
            for (Lane &lane : m_lanes)
                lane.values[m_slots.at(kernel.numbers[k].get())] =
                    static_cast<std::uint64_t>(k < given.size() ? given[k] : kernel.values[k]);
        for (const ir::NodeRef &one : kernel.shared) {
            std::vector<char> &memory = m_shared.emplace_back(static_cast<std::size_t>(one->count) * sizeOf(one->type), 0x5A);
            forAll(one, {memory.data(), memory.data(), memory.data() + memory.size()});
        }
    }
    void run()
    {
        std::vector<Lane *> all;
        for (Lane &lane : m_lanes) all.push_back(&lane);
        for (std::int64_t item = 0; item < m_items; ++m_group) {
            for (Lane *lane : all) lane->item = item++;
            for (std::vector<char> &memory : m_shared) std::ranges::fill(memory, 0x5A);
            m_sharedVisits.clear();
            together(m_body, all);
        }
    }

private:
    using Bits = std::uint64_t; // of a value, as memory of its type holds it

    /// A node with a place for its value.
    struct Code {
        const ir::Node *node;
        std::size_t slot;
        bool waits = false; ///< has a barrier
        std::vector<const Code *> in, body, otherwise;
    };
    using Codes = std::vector<const Code *>;
    /// What an item knows.
    struct Lane {
        std::int64_t item = 0;
        std::vector<Bits> values;
        std::vector<Given> arrays;
        std::map<std::size_t, std::vector<char>> registers;
    };
    /// Who came to an element last. Items of a group are in order where a barrier is between them.
    struct Visit {
        static constexpr std::int64_t kNobody = -1, kSeveral = -2;
        std::int64_t item = kNobody, group = kNobody, epoch = 0;
    };
    struct Visits {
        Visit writer, reader;
    };

    const Code *codeOf(const ir::NodeRef &node)
    {
        if (const auto known = m_codeOf.find(node.get()); known != m_codeOf.end()) return known->second;
        Code &code = m_code.emplace_back();
        m_codeOf[node.get()] = &code;
        code.node = node.get();
        code.slot = m_slots.emplace(node.get(), m_slots.size()).first->second;
        for (const ir::NodeRef &one : node->in) code.in.push_back(codeOf(one));
        code.body = blockOf(node->body);
        code.otherwise = blockOf(node->otherwise);
        code.waits = node->op == ir::Op::Barrier;
        for (const Codes *block : {&code.body, &code.otherwise})
            for (const Code *one : *block) code.waits |= one->waits;
        return &code;
    }
    Codes blockOf(const ir::Block &block)
    {
        Codes codes;
        for (const ir::NodeRef &one : block) codes.push_back(codeOf(one));
        return codes;
    }
    void forAll(const ir::NodeRef &array, const Given &given)
    {
        for (Lane &lane : m_lanes) lane.arrays[m_slots.at(array.get())] = given;
    }

    // Statement by statement, where items wait for each other.
    void together(const Codes &statements, const std::vector<Lane *> &lanes)
    {
        for (const Code *one : statements) {
            if (one->waits) together(*one, lanes);
            else
                for (Lane *lane : lanes) m_lane = lane, statement(*one);
        }
    }
    void together(const Code &code, const std::vector<Lane *> &lanes)
    {
        const auto same = [&](const Code &value) {
            const std::int64_t first = (m_lane = lanes.front(), whole(value));
            for (Lane *lane : lanes)
                if (m_lane = lane, whole(value) != first) throw KernelFault("some items of a group come to a barrier, and some do not");
            return first;
        };
        if (code.node->op == ir::Op::Barrier) return void(++m_epoch);
        if (code.node->op == ir::Op::If) return together(same(*code.in[0]) ? code.body : code.otherwise, lanes);
        for (std::int64_t at = same(*code.in[1]); at < same(*code.in[2]); at += same(*code.in[3])) {
            for (Lane *lane : lanes) lane->values[code.in[0]->slot] = static_cast<Bits>(at);
            if (code.in.size() > 4 && !same(*code.in[4])) return;
            together(code.body, lanes);
        }
    }

    /// The memory of an element.
    char *element(const Code &load, bool writes)
    {
        const Given &array = m_lane->arrays[load.in[0]->slot];
        const auto size = static_cast<std::int64_t>(sizeOf(load.node->type));
        const std::int64_t at = whole(*load.in[1]);
        char *const place = array.at + at * size;
        const auto fault = [&](const std::string &what) {
            throw KernelFault("item " + std::to_string(m_lane->item) + (writes ? " writes " : " reads ") + load.node->in[0]->name + "[" +
                              std::to_string(at) + "], " + what + ":\n" + ir::text(m_kernel));
        };
        if (array.begin && (place < array.begin || place + size > array.end)) fault("which is outside of its memory");
        if (load.node->in[0]->op == ir::Op::Local) return place;
        Visits &visits = (load.node->in[0]->op == ir::Op::Shared ? m_sharedVisits : m_visits)[place];
        const auto meets = [&](const Visit &visit) {
            const bool isLater = visit.group == m_group && visit.epoch < m_epoch;
            return visit.item != Visit::kNobody && visit.item != m_lane->item && !isLater;
        };
        if (meets(visits.writer)) fault("which item " + std::to_string(visits.writer.item) + " writes");
        if (writes && meets(visits.reader)) fault("which another item reads");
        Visit &mine = writes ? visits.writer : visits.reader;
        const bool isShared = !writes && meets(mine);
        const std::int64_t group = isShared && mine.group != m_group ? Visit::kSeveral : m_group;
        mine = {isShared ? Visit::kSeveral : m_lane->item, group, m_epoch};
        return place;
    }

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

    void block(const Codes &statements)
    {
        for (const Code *one : statements) statement(*one);
    }
    Bits called(RtLoop loop, const Codes &in)
    {
        std::vector<Bits> arguments;
        for (const Code *one : in) arguments.push_back(value(*one));
        std::vector<const void *> places;
        for (const Bits &one : arguments) places.push_back(&one);
        Bits result = 0;
        loop(&result, places.data(), 1);
        return result;
    }
    void statement(const Code &code)
    {
        const ir::Node &node = *code.node;
        switch (node.op) {
        case ir::Op::Let:
        case ir::Op::Variable: m_lane->values[code.slot] = value(*code.in[0]); return;
        case ir::Op::Call: m_lane->values[code.slot] = called(node.loop, code.in); return;
        case ir::Op::Local: {
            std::vector<char> &memory = m_lane->registers[code.slot];
            memory.assign(static_cast<std::size_t>(node.count) * sizeOf(node.type), 0);
            m_lane->arrays[code.slot] = {memory.data(), memory.data(), memory.data() + memory.size()};
            return;
        }
        case ir::Op::Assign: {
            const Bits bits = value(*code.in[1]);
            const Code &target = *code.in[0];
            if (target.node->op == ir::Op::Load) std::memcpy(element(target, true), &bits, sizeOf(target.node->type));
            else m_lane->values[target.slot] = bits;
            return;
        }
        case ir::Op::If: return block(isTrue(*code.in[0]) ? code.body : code.otherwise);
        case ir::Op::Loop:
            for (std::int64_t at = whole(*code.in[1]); at < whole(*code.in[2]); at += whole(*code.in[3])) {
                m_lane->values[code.in[0]->slot] = static_cast<Bits>(at);
                if (code.in.size() > 4 && !isTrue(*code.in[4])) return;
                block(code.body);
            }
            return;
        default: // Find
            if (m_found[0]) return;
            m_found[0] = 1;
            m_found[static_cast<int>(FindingWord::Tag)] = m_tag;
            m_found[static_cast<int>(FindingWord::Kind)] = static_cast<std::int64_t>(node.finding);
            m_found[static_cast<int>(FindingWord::Value)] = whole(*code.in[0]);
            m_found[static_cast<int>(FindingWord::Place)] = whole(*code.in[1]);
            m_found[static_cast<int>(FindingWord::Size)] = whole(*code.in[2]);
        }
    }

    std::int64_t whole(const Code &code)
    {
        return as(code.node->type, [bits = value(code)]<class T>(T) { return static_cast<std::int64_t>(held<T>(bits)); });
    }
    bool isTrue(const Code &code) { return whole(code) != 0; }

    Bits value(const Code &code)
    {
        const ir::Node &node = *code.node;
        switch (node.op) {
        case ir::Op::Item: return static_cast<Bits>(m_lane->item);
        case ir::Op::Items: return static_cast<Bits>(m_items);
        case ir::Op::Lane: return static_cast<Bits>(m_lane->item % m_kernel.group);
        case ir::Op::Literal: return node.bits;
        case ir::Op::Load: {
            Bits bits = 0;
            std::memcpy(&bits, element(code, false), sizeOf(node.type));
            return bits;
        }
        case ir::Op::Cast: return cast(code);
        case ir::Op::Convert: return called(node.loop, code.in);
        case ir::Op::FromBits: return value(*code.in[0]) & (sizeOf(node.type) == 4 ? 0xffffffffu : ~Bits(0));
        case ir::Op::Negative:
            return as(node.type, [bits = value(*code.in[0])]<class T>(T) { return bitsOf(static_cast<T>(-held<T>(bits))); });
        case ir::Op::Select: return value(*code.in[isTrue(*code.in[0]) ? 1 : 2]);
        case ir::Op::Both: return isTrue(*code.in[0]) && isTrue(*code.in[1]);
        case ir::Op::Either: return isTrue(*code.in[0]) || isTrue(*code.in[1]);
        case ir::Op::Draw: {
            std::int32_t sample = 0;
            rt_mrg31k3p()(reinterpret_cast<int *>(m_lane->arrays[code.in[0]->slot].at), 1, 0, 1, &sample, 1, RT_D_I32);
            return bitsOf(sample);
        }
        default: break;
        }
        if (node.op < ir::Op::Times || node.op > ir::Op::Either) return m_lane->values[code.slot];
        const Code &a = *code.in[0], &b = *code.in[1];
        if (node.op == ir::Op::ShiftLeft || node.op == ir::Op::ShiftRight)
            return as(node.type, [&, by = whole(b)]<class T>(T) { return shifted<T>(node.op, value(a), by); });
        return as(a.node->type, [&, x = value(a), y = value(b)]<class T>(T) { return binary<T>(node.op, held<T>(x), held<T>(y)); });
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
    Bits cast(const Code &code)
    {
        const ir::Node &node = *code.node, &from = *node.in[0];
        const Bits bits = value(*code.in[0]);
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
    std::int64_t m_items, m_tag, m_group = 0, m_epoch = 0;
    std::int64_t *m_found = nullptr;
    std::deque<Code> m_code;
    std::unordered_map<const ir::Node *, const Code *> m_codeOf;
    std::unordered_map<const ir::Node *, std::size_t> m_slots;
    Codes m_body;
    std::vector<Lane> m_lanes; ///< the items of a group
    Lane *m_lane = nullptr;
    std::deque<std::vector<char>> m_shared;
    std::unordered_map<const char *, Visits> m_visits, m_sharedVisits;
};

} // namespace ir_test
