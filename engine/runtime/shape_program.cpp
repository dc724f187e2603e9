#include "engine/runtime/shape_program.h"

#include "engine/graph/errors.h"
#include "engine/runtime/convert.h"

#include <algorithm>
#include <tuple>

namespace engine {
namespace {

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    if (b == 0) return 0;
    const std::int64_t quotient = a / b;
    return (a % b != 0 && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}

std::int64_t floorModulo(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : a - floorDivide(a, b) * b; }

std::int64_t readInteger(const View &view, std::uint32_t element)
{
    const char *place = view.as<const char>();
    if (view.rank == 1) place += static_cast<std::int64_t>(element) * view.strides[0];
    return withStorageType(view.dtype, [&]<class T>() {
        T value;
        std::memcpy(&value, place, sizeof(T));
        return convertElement<std::int64_t>(value);
    });
}

} // namespace

class ShapeCompiler final : public ShapeBuilder {
public:
    ShapeCompiler(ShapeProgram &program, const FunctionGraph &graph) : m_program(program), m_graph(graph)
    {
        const auto inputs = graph.inputs();
        for (std::uint32_t i = 0; i < inputs.size(); ++i) m_inputIndex[raw(inputs[i])] = i;
    }

    void enter(ApplyId id) { m_apply = id; }

    SymShape leafShape(VarId var)
    {
        const VarNode &node = m_graph.var(var);
        SymShape shape;
        if (!node.type.isTensor()) return shape;
        if (node.kind == Variable::Kind::Constant) {
            for (std::int64_t size : node.leaf->value().tensor().shape()) shape.push_back(constant(size));
            return shape;
        }
        const std::uint32_t input = m_inputIndex.at(raw(var));
        for (std::uint32_t axis = 0; axis < static_cast<std::uint32_t>(node.type.rank()); ++axis) {
            const Sym symbol = fresh(0);
            m_program.m_dimReads.push_back({input, axis, symbol});
            shape.push_back(symbol);
        }
        return shape;
    }

    Sym constant(std::int64_t value) override
    {
        auto [place, isNew] = m_constants.emplace(value, Sym{});
        if (isNew) {
            place->second = fresh(value);
            m_known[static_cast<std::size_t>(place->second)] = true;
        }
        return place->second;
    }

    Sym dim(int input, int axis) override
    {
        return m_program.m_shapes[raw(inputVar(input))].at(static_cast<std::size_t>(axis));
    }

    std::optional<Sym> value(int input, int element) override
    {
        return valueOf(inputVar(input), element);
    }

    int inputCount() const override { return static_cast<int>(m_graph.apply(m_apply).inputs.size()); }
    int inputRank(int input) const override { return m_graph.var(inputVar(input)).type.rank(); }
    bool inputBroadcastable(int input, int axis) const override
    {
        return m_graph.var(inputVar(input)).type.isBroadcastable(axis);
    }
    std::optional<std::int64_t> known(Sym symbol) const override
    {
        const auto index = static_cast<std::size_t>(symbol);
        if (!m_known[index]) return std::nullopt;
        return m_program.m_registers[index];
    }

    using Code = ShapeProgram::Code;
    Sym add(Sym a, Sym b) override { return emit(Code::Add, a, b); }
    Sym sub(Sym a, Sym b) override { return emit(Code::Sub, a, b); }
    Sym mul(Sym a, Sym b) override { return emit(Code::Mul, a, b); }
    Sym floorDiv(Sym a, Sym b) override { return emit(Code::FloorDiv, a, b); }
    Sym mod(Sym a, Sym b) override { return emit(Code::Mod, a, b); }
    Sym min(Sym a, Sym b) override { return emit(Code::Min, a, b); }
    Sym max(Sym a, Sym b) override { return emit(Code::Max, a, b); }
    Sym less(Sym a, Sym b) override { return emit(Code::Less, a, b); }
    Sym select(Sym condition, Sym a, Sym b) override { return emit(Code::Select, condition, a, b); }

    static std::int64_t compute(Code code, std::int64_t a, std::int64_t b, std::int64_t c)
    {
        switch (code) {
        case Code::Add: return a + b;
        case Code::Sub: return a - b;
        case Code::Mul: return a * b;
        case Code::FloorDiv: return floorDivide(a, b);
        case Code::Mod: return floorModulo(a, b);
        case Code::Min: return std::min(a, b);
        case Code::Max: return std::max(a, b);
        case Code::Less: return a < b;
        case Code::Select: return a ? b : c;
        }
        return 0;
    }

private:
    VarId inputVar(int input) const { return m_graph.inputOf(m_apply, static_cast<std::size_t>(input)); }

    Sym fresh(std::int64_t value)
    {
        m_program.m_registers.push_back(value);
        m_known.push_back(false);
        return Sym{static_cast<std::uint32_t>(m_program.m_registers.size() - 1)};
    }

    Sym emit(Code code, Sym a, Sym b, Sym c = Sym{0})
    {
        const auto ka = known(a), kb = known(b), kc = code == Code::Select ? known(c) : std::optional<std::int64_t>(0);
        if (ka && kb && kc) return constant(compute(code, *ka, *kb, *kc));
        const auto key = std::make_tuple(code, a, b, c);
        for (auto &[known, symbol] : m_recent)
            if (known == key) return symbol;
        const Sym target = fresh(0);
        m_program.m_instructions.push_back({code, static_cast<std::uint32_t>(target), static_cast<std::uint32_t>(a),
                                            static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(c)});
        if (m_recent.size() < 64) m_recent.emplace_back(key, target);
        else m_recent[m_next++ % 64] = {key, target};
        return target;
    }

    std::optional<Sym> valueOf(VarId var, int element)
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

    static constexpr int kMaxDepth = 400; // chains of integer scalars longer than this are computed at run time

    ShapeProgram &m_program;
    const FunctionGraph &m_graph;
    ApplyId m_apply = kNoApply;
    int m_depth = 0;
    std::vector<bool> m_known;
    std::unordered_map<std::int64_t, Sym> m_constants;
    std::unordered_map<std::uint32_t, std::uint32_t> m_inputIndex;
    std::unordered_map<std::uint64_t, std::optional<Sym>> m_values;
    std::vector<std::pair<std::tuple<Code, Sym, Sym, Sym>, Sym>> m_recent;
    std::size_t m_next = 0;
};

ShapeProgram::ShapeProgram(const FunctionGraph &graph, std::span<const ApplyId> order)
{
    m_shapes.resize(graph.varCount());
    ShapeCompiler compiler(*this, graph);
    for (VarId input : graph.inputs()) m_shapes[raw(input)] = compiler.leafShape(input);
    const auto need = [&](VarId var) {
        const VarNode &node = graph.var(var);
        if (node.kind == Variable::Kind::Constant && m_shapes[raw(var)].empty()) m_shapes[raw(var)] = compiler.leafShape(var);
    };
    for (std::size_t i = 0; i < graph.outputCount(); ++i) need(graph.output(i));
    for (ApplyId id : order) {
        const ApplyNode &node = graph.apply(id);
        for (const Use &use : node.inputs) need(use.var);
        compiler.enter(id);
        std::vector<SymShape> shapes;
        bool tensors = true;
        for (VarId out : node.outputs) tensors &= graph.var(out).type.isTensor();
        for (const Use &use : node.inputs) tensors &= graph.var(use.var).type.isTensor();
        if (!tensors || !node.op->inferShape(compiler, shapes)) {
            m_complete = false;
            return;
        }
        ENGINE_ASSERT(shapes.size() == node.outputs.size(), node.op->name() + " tells the shapes of too few outputs");
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            ENGINE_ASSERT(static_cast<int>(shapes[i].size()) == graph.var(node.outputs[i]).type.rank(),
                          node.op->name() + " tells a shape of the wrong rank");
            m_shapes[raw(node.outputs[i])] = std::move(shapes[i]);
        }
        if (node.op->viewMap().empty()) continue;
        for (std::size_t port = 0; port < node.inputs.size(); ++port) {
            const Type type = graph.var(node.inputs[port].var).type;
            if (type.rank() != 0 || !isDiscrete(type.dtype())) continue;
            if (const auto symbol = compiler.value(static_cast<int>(port), 0))
                m_integers.emplace((static_cast<std::uint64_t>(raw(id)) << 32) | port, *symbol);
        }
    }
}

void ShapeProgram::run(std::span<const View> inputs)
{
    for (const DimRead &read : m_dimReads) m_registers[static_cast<std::size_t>(read.target)] = inputs[read.input].shape[read.axis];
    for (const ValueRead &read : m_valueReads) {
        const View &view = inputs[read.input];
        const bool inside = view.rank == 0 || static_cast<std::int64_t>(read.element) < view.shape[0];
        m_registers[static_cast<std::size_t>(read.target)] = inside ? readInteger(view, read.element) : 0;
    }
    for (const Instruction &i : m_instructions)
        m_registers[i.target] = ShapeCompiler::compute(i.code, m_registers[i.a], m_registers[i.b], m_registers[i.c]);
}

Dims ShapeProgram::shapeOf(VarId var) const
{
    Dims shape;
    for (Sym symbol : m_shapes[raw(var)]) shape.push_back(value(symbol));
    return shape;
}

std::optional<Sym> ShapeProgram::integerInput(ApplyId apply, int port) const
{
    auto found = m_integers.find((static_cast<std::uint64_t>(raw(apply)) << 32) | static_cast<std::uint32_t>(port));
    if (found == m_integers.end()) return std::nullopt;
    return found->second;
}

namespace {

// Evaluates shape rules at once: symbols are indices of known numbers.
class ShapeEvaluator final : public ShapeBuilder {
public:
    ShapeEvaluator(std::span<const Value> inputs, std::span<const Type> types) : m_inputs(inputs), m_types(types) {}

    std::int64_t number(Sym symbol) const { return m_numbers[static_cast<std::size_t>(symbol)]; }

    Sym constant(std::int64_t value) override
    {
        m_numbers.push_back(value);
        return Sym{static_cast<std::uint32_t>(m_numbers.size() - 1)};
    }
    Sym dim(int input, int axis) override { return constant(tensor(input).shape()[static_cast<std::size_t>(axis)]); }
    std::optional<Sym> value(int input, int element) override
    {
        const Tensor &t = tensor(input);
        if (!isDiscrete(t.dtype()) || element >= t.size()) return std::nullopt;
        return constant(t.intAt(element));
    }
    int inputCount() const override { return static_cast<int>(m_types.size()); }
    int inputRank(int input) const override { return m_types[static_cast<std::size_t>(input)].rank(); }
    bool inputBroadcastable(int input, int axis) const override
    {
        return m_types[static_cast<std::size_t>(input)].isBroadcastable(axis);
    }
    std::optional<std::int64_t> known(Sym symbol) const override { return number(symbol); }
    Sym add(Sym a, Sym b) override { return constant(number(a) + number(b)); }
    Sym sub(Sym a, Sym b) override { return constant(number(a) - number(b)); }
    Sym mul(Sym a, Sym b) override { return constant(number(a) * number(b)); }
    Sym floorDiv(Sym a, Sym b) override { return constant(floorDivide(number(a), number(b))); }
    Sym mod(Sym a, Sym b) override { return constant(floorModulo(number(a), number(b))); }
    Sym min(Sym a, Sym b) override { return constant(std::min(number(a), number(b))); }
    Sym max(Sym a, Sym b) override { return constant(std::max(number(a), number(b))); }
    Sym less(Sym a, Sym b) override { return constant(number(a) < number(b)); }
    Sym select(Sym c, Sym a, Sym b) override { return number(c) ? a : b; }

private:
    const Tensor &tensor(int input) const { return m_inputs[static_cast<std::size_t>(input)].tensor(); }
    std::span<const Value> m_inputs;
    std::span<const Type> m_types;
    std::vector<std::int64_t> m_numbers;
};

} // namespace

std::optional<std::vector<Dims>> inferShapes(const Op &op, std::span<const Value> inputs, std::span<const Type> types)
{
    for (const Value &value : inputs)
        if (!value.isTensor()) return std::nullopt;
    ShapeEvaluator evaluator(inputs, types);
    std::vector<SymShape> shapes;
    if (!op.inferShape(evaluator, shapes)) return std::nullopt;
    std::vector<Dims> result;
    for (const SymShape &shape : shapes) {
        Dims dims;
        for (Sym symbol : shape) dims.push_back(evaluator.number(symbol));
        result.push_back(dims);
    }
    return result;
}

} // namespace engine
