#include "engine/codegen/ir/kernel.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <set>

namespace engine::ir {
namespace {

bool isWhole(DType type) { return isDiscrete(type); }

class Verifier {
public:
    explicit Verifier(const Kernel &kernel) : m_kernel(kernel) {}
    void run()
    {
        want(kernelNumbersFit(), "has another number of values than of numbers");
        for (const Block *declared : {&m_kernel.arrays, &m_kernel.numbers, &m_kernel.shared})
            for (const NodeRef &one : *declared) declare(one);
        std::int64_t bytes = 0;
        for (const NodeRef &one : m_kernel.shared) {
            want(one->count > 0, "shares no elements in " + one->name);
            bytes += one->count * static_cast<std::int64_t>(sizeOf(one->type));
        }
        want(m_kernel.shared.empty() || m_kernel.group > 0, "shares an array, but its items run in no groups");
        want(bytes <= kMostShared, "shares more than " + std::to_string(kMostShared) + " bytes");
        block(m_kernel.body);
    }

private:
    static constexpr std::int64_t kMostShared = 32768; // what every card has

    bool kernelNumbersFit() const { return m_kernel.numbers.size() == m_kernel.values.size(); }
    void want(bool holds, const std::string &problem) const
    {
        ENGINE_ASSERT(holds, "the kernel of " + m_kernel.name + " " + problem + ":\n" + (kernelNumbersFit() ? text(m_kernel) : ""));
    }
    void declare(const NodeRef &node)
    {
        want(!node->name.empty() && m_names.insert(node->name).second, "has two things of the name " + node->name);
        m_known.insert(node.get());
    }

    void block(const Block &statements)
    {
        const auto known = m_known;
        const auto names = m_names;
        for (const NodeRef &one : statements) statement(one);
        m_known = known;
        m_names = names;
    }

    void statement(const NodeRef &node)
    {
        const auto &in = node->in;
        switch (node->op) {
        case Op::Let:
        case Op::Variable:
            value(in.at(0));
            want(in[0]->type == node->type, "gives " + node->name + " a value of another type");
            if (node->op == Op::Let && isUniform(in[0])) m_uniform.insert(node.get());
            return declare(node);
        case Op::Call:
            for (const NodeRef &argument : in) value(argument);
            want(node->loop && std::ranges::all_of(in, [](const NodeRef &one) { return isName(one->op); }),
                 "calls a function of what has no name, or no function");
            return declare(node);
        case Op::Local: want(node->count > 0, "has no registers in " + node->name); return declare(node);
        case Op::Assign: {
            value(in.at(0));
            value(in.at(1));
            const bool isElement = in[0]->op == Op::Load;
            want(isElement || in[0]->op == Op::Variable, "assigns to what is no variable");
            want(!isElement || in[0]->in[0]->isWritten, "writes into an array that is only read");
            return want(in[0]->type == in[1]->type, "assigns a value of another type");
        }
        case Op::If: {
            condition(in.at(0));
            const bool before = m_isTogether;
            m_isTogether = before && isUniform(in[0]);
            block(node->body);
            block(node->otherwise);
            m_isTogether = before;
            return;
        }
        case Op::Loop: {
            for (std::size_t k = 1; k < 4; ++k) place(in.at(k));
            const auto known = m_known;
            const auto names = m_names;
            declare(in[0]);
            if (in.size() > 4) condition(in[4]);
            const bool before = m_isTogether;
            m_isTogether = before && std::all_of(in.begin() + 1, in.end(), [&](const NodeRef &one) { return isUniform(one); });
            if (m_isTogether) m_uniform.insert(in[0].get());
            block(node->body);
            m_isTogether = before;
            m_known = known;
            m_names = names;
            return;
        }
        case Op::Barrier:
            want(m_kernel.group > 0, "has a barrier, but its items run in no groups");
            return want(m_isTogether, "has a barrier where some items of a group may not come");
        case Op::Find:
            want(m_kernel.finds, "records a finding, but the kernel has no array for findings");
            for (const NodeRef &one : in) place(one);
            return;
        default: want(false, "has a value for a statement");
        }
    }

    /// Is it the same for all items of a group?
    bool isUniform(const NodeRef &node) const
    {
        switch (node->op) {
        case Op::Literal:
        case Op::Number:
        case Op::Items: return true;
        case Op::Let:
        case Op::Index: return m_uniform.contains(node.get());
        case Op::Cast:
        case Op::Negative:
        case Op::Select: break;
        default:
            if (node->op < Op::Times || node->op > Op::Either) return false;
        }
        return std::ranges::all_of(node->in, [&](const NodeRef &one) { return isUniform(one); });
    }

    static bool isName(Op op) { return op == Op::Let || op == Op::Variable || op == Op::Call; }
    static constexpr std::int64_t kWordsOfStream = 6;

    void condition(const NodeRef &node)
    {
        value(node);
        want(isWhole(node->type), "asks whether a float is true");
    }
    void place(const NodeRef &node)
    {
        value(node);
        want(isInteger(node->type), "counts in something else than whole numbers");
    }

    void value(const NodeRef &node)
    {
        const auto &in = node->in;
        switch (node->op) {
        case Op::Item:
        case Op::Items:
        case Op::Literal: return;
        case Op::Lane: return want(m_kernel.group > 0, "asks for a lane, but its items run in no groups");
        case Op::Array:
        case Op::Shared:
        case Op::Local:
        case Op::Number:
        case Op::Index:
        case Op::Let:
        case Op::Variable:
        case Op::Call: return want(m_known.contains(node.get()), "uses " + node->name + " where it is not known");
        case Op::Load:
            value(in.at(0));
            want(in[0]->op == Op::Array || in[0]->op == Op::Shared || in[0]->op == Op::Local, "reads elements of what is no array");
            return place(in.at(1));
        case Op::Draw:
            value(in.at(0));
            return want(in[0]->op == Op::Local && in[0]->type == DType::Int32 && in[0]->count == kWordsOfStream,
                        "draws from what is no random stream");
        case Op::Cast:
            value(in.at(0));
            return want((node->type != DType::Float16 || in[0]->type == DType::Float32) &&
                            (in[0]->type != DType::Float16 || node->type == DType::Float32),
                        "makes a half of something else than a float, or the reverse");
        case Op::Convert: want(node->loop, "converts by no primitive"); [[fallthrough]];
        case Op::Negative: return value(in.at(0));
        case Op::FromBits:
            place(in.at(0));
            return want(sizeOf(in[0]->type) >= sizeOf(node->type), "makes a value of fewer bits than it has");
        case Op::ShiftLeft:
        case Op::ShiftRight:
        case Op::Both:
        case Op::Either: condition(in.at(0)); return condition(in.at(1));
        case Op::Select:
            condition(in.at(0));
            value(in.at(1));
            value(in.at(2));
            return want(in[1]->type == node->type && in[2]->type == node->type, "chooses between values of two types");
        default:
            want(in.size() == 2, "has a statement for a value");
            value(in[0]);
            value(in[1]);
            return want(in[0]->type == in[1]->type, "computes with values of two types");
        }
    }

    const Kernel &m_kernel;
    std::set<const Node *> m_known, m_uniform;
    bool m_isTogether = true; ///< all items of a group come here
    std::set<std::string> m_names;
};

} // namespace

void verify(const Kernel &kernel) { Verifier(kernel).run(); }

} // namespace engine::ir
