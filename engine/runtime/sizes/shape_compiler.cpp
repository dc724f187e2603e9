#include "engine/runtime/sizes/shape_compiler.h"

#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {

void ShapeCompiler::addInput(VarId var)
{
    const auto index = static_cast<std::uint32_t>(m_inputIndex.size());
    if (!m_inputIndex.emplace(raw(var), index).second) return;
    SymShape &shape = m_program.m_shapes[raw(var)];
    const Type type = m_graph.var(var).type;
    for (std::uint32_t axis = 0; type.isTensor() && axis < static_cast<std::uint32_t>(type.rank()); ++axis) {
        shape.push_back(fresh(0));
        m_program.m_dimReads.push_back({index, axis, shape.back()});
    }
}

void ShapeCompiler::needConstant(VarId var)
{
    const VarNode &node = m_graph.var(var);
    if (node.kind != Variable::Kind::Constant || !node.type.isTensor()) return;
    const auto [place, isNew] = m_program.m_shapes.try_emplace(raw(var));
    if (!isNew) return;
    for (std::int64_t size : node.leaf->value().tensor().shape()) place->second.push_back(constant(size));
}

bool ShapeCompiler::add(ApplyId id)
{
    const ApplyNode &node = m_graph.apply(id);
    bool tensors = true;
    for (VarId out : node.outputs) tensors &= m_graph.var(out).type.isTensor();
    for (const Use &use : node.inputs) {
        tensors &= m_graph.var(use.var).type.isTensor();
        needConstant(use.var);
    }
    m_apply = id;
    std::vector<SymShape> shapes;
    if (!tensors || !node.op->inferShape(*this, shapes)) return false;
    ENGINE_ASSERT(shapes.size() == node.outputs.size(), node.op->name() + " tells the shapes of too few outputs");
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        ENGINE_ASSERT(static_cast<int>(shapes[i].size()) == m_graph.var(node.outputs[i]).type.rank(),
                      node.op->name() + " tells a shape of the wrong rank");
        m_program.m_shapes[raw(node.outputs[i])] = std::move(shapes[i]);
    }
    if (node.op->viewMap().empty()) return true;
    for (std::size_t port = 0; port < node.inputs.size(); ++port) {
        const Type type = m_graph.var(node.inputs[port].var).type;
        if (type.rank() != 0 || !isDiscrete(type.dtype())) continue;
        if (const auto symbol = value(static_cast<int>(port), 0))
            m_program.m_integers.emplace((static_cast<std::uint64_t>(raw(id)) << 32) | port, *symbol);
    }
    return true;
}

std::vector<SizeRule> ShapeCompiler::rulesOf(ApplyId id)
{
    m_apply = id;
    return m_graph.apply(id).op->sizeRules(*this);
}

ShapeProgram ShapeCompiler::finish(std::span<const VarId> inputs)
{
    constexpr auto kForgotten = ~std::uint32_t(0);
    std::vector<std::uint32_t> place(m_inputIndex.size(), kForgotten);
    for (std::uint32_t i = 0; i < inputs.size(); ++i) place[m_inputIndex.at(raw(inputs[i]))] = i;
    const auto renumber = [&](auto &reads) {
        std::erase_if(reads, [&](const auto &read) { return place[read.input] == kForgotten; });
        for (auto &read : reads) read.input = place[read.input];
    };
    renumber(m_program.m_dimReads);
    renumber(m_program.m_valueReads);
    return std::move(m_program);
}

Sym ShapeCompiler::constant(std::int64_t value)
{
    auto [place, isNew] = m_constants.emplace(value, Sym{});
    if (isNew) {
        place->second = fresh(value);
        m_known[place->second] = true;
    }
    return place->second;
}

Sym ShapeCompiler::dim(int input, int axis) { return m_program.symbols(inputVar(input)).at(static_cast<std::size_t>(axis)); }

std::optional<std::int64_t> ShapeCompiler::known(Sym symbol) const
{
    if (!m_known[symbol]) return std::nullopt;
    return m_program.m_registers[symbol];
}

Sym ShapeCompiler::fresh(std::int64_t value)
{
    m_known.add(false);
    m_fromValues.add(false);
    return m_program.m_registers.add(value);
}

Sym ShapeCompiler::emit(Code code, Sym a, Sym b, Sym c)
{
    const auto ka = known(a), kb = known(b), kc = code == Code::Select ? known(c) : std::optional<std::int64_t>(0);
    if (ka && kb && kc) return constant(ShapeProgram::compute(code, *ka, *kb, *kc));
    const auto key = std::make_tuple(code, a, b, c);
    for (auto &[known, symbol] : m_recent)
        if (known == key) return symbol;
    const Sym target = fresh(0);
    m_fromValues[target] = readsValues(a) || readsValues(b) || (code == Code::Select && readsValues(c));
    m_program.m_instructions.push_back({code, target, a, b, c});
    if (m_recent.size() < 64) m_recent.emplace_back(key, target);
    else m_recent[m_next++ % 64] = {key, target};
    return target;
}

std::optional<Sym> ShapeCompiler::valueOf(VarId var, int element)
{
    const VarNode &node = m_graph.var(var);
    if (!node.type.isTensor() || !isDiscrete(node.type.dtype()) || node.type.rank() > 1) return std::nullopt;
    const std::uint64_t key = (static_cast<std::uint64_t>(raw(var)) << 20) | static_cast<std::uint32_t>(element);
    if (auto found = m_values.find(key); found != m_values.end()) return found->second;
    std::optional<Sym> result;
    if (node.kind == Variable::Kind::Constant) {
        const Tensor &tensor = node.leaf->value().tensor();
        if (element < tensor.size()) result = constant(tensor.intAt(element));
    } else if (auto input = m_inputIndex.find(raw(var)); input != m_inputIndex.end()) {
        result = fresh(0);
        m_fromValues[*result] = true;
        m_program.m_valueReads.push_back({input->second, static_cast<std::uint32_t>(element), *result});
    } else if (node.owner != kNoApply && m_depth < kMaxDepth) {
        const ApplyId outer = std::exchange(m_apply, node.owner);
        ++m_depth;
        result = m_graph.apply(node.owner).op->inferValue(*this, static_cast<int>(node.index), element);
        --m_depth;
        m_apply = outer;
    }
    m_values.emplace(key, result);
    return result;
}

} // namespace engine
