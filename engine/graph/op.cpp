#include "engine/graph/op.h"

#include "engine/graph/thunk.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace engine {

void Op::seal()
{
    m_name = exactName();
    m_friendly = shortName();
    m_dynamicType = &typeid(*this);
    m_classKey = m_dynamicType->hash_code();
    m_hash = std::hash<std::string>{}(identity()) ^ m_classKey;
}

OpRef sealOp(std::unique_ptr<Op> op)
{
    op->seal();
    return OpRef(op.release());
}

OpRef internOp(std::unique_ptr<Op> op)
{
    static ProcessMutex mutex; // guards table
    static auto *table = new std::unordered_map<std::string, OpRef>;
    std::string key = typeid(*op).name();
    key += '|';
    key += op->identity();
    std::lock_guard lock(mutex);
    auto found = table->find(key);
    if (found != table->end()) return found->second;
    op->seal();
    OpRef result(op.release());
    table->emplace(std::move(key), result);
    return result;
}

bool Op::inferShape(ShapeBuilder &, std::vector<SymShape> &) const { return false; }
std::vector<SizeRule> Op::sizeRules(ShapeBuilder &) const { return {}; }
std::optional<Sym> Op::inferValue(ShapeBuilder &, int, int) const { return std::nullopt; }
std::optional<Layout> Op::viewLayout(int, const Layout &, DType, const Dims &, std::span<const std::optional<std::int64_t>>) const
{
    return std::nullopt;
}

Cost Op::cost(std::span<const Dims>, std::span<const Dims> outputs) const
{
    double written = 0;
    for (const Dims &shape : outputs) written += static_cast<double>(shape.product());
    return {written};
}

Cost costOf(const Op &op, std::span<const Sized> inputs, std::span<const Sized> outputs)
{
    if (!op.viewMap().empty()) return {};
    double bytes = 0;
    std::vector<Dims> in, out;
    for (const auto &[arrays, shapes] : {std::pair(inputs, &in), std::pair(outputs, &out)})
        for (const Sized &array : arrays) {
            shapes->push_back(array.shape);
            bytes += array.bytes();
        }
    return {op.cost(in, out).flops, bytes};
}

std::vector<WorkStep> Op::workSteps(std::span<const Type>, std::span<const Type>) const { return {}; }

std::vector<VarRef> Op::gradient(const Apply &node, std::span<const VarRef>) const
{
    std::vector<VarRef> result;
    for (std::size_t i = 0; i < node.inputs().size(); ++i)
        result.push_back(Variable::input(
            Type::null("the gradient of " + m_name + " with respect to its input " + std::to_string(i) + " is not defined")));
    return result;
}

std::vector<VarRef> Op::rop(const Apply &node, std::span<const VarRef>) const
{
    return std::vector<VarRef>(static_cast<std::size_t>(node.outputCount()));
}

std::vector<std::vector<bool>> Op::connectionPattern(const Apply &node) const { return connectedInputs(node, node.inputs().size()); }

std::vector<std::vector<bool>> Op::connectedInputs(const Apply &node, std::size_t count)
{
    std::vector<std::vector<bool>> pattern;
    for (std::size_t i = 0; i < node.inputs().size(); ++i) pattern.emplace_back(node.outputCount(), i < count);
    return pattern;
}

void Op::perform(PerformArgs &) const { throw InternalError("the op " + m_name + " has no implementation for tensors"); }

void Op::performValues(std::span<const Value>, std::span<Value>) const
{
    throw InternalError("the op " + m_name + " has no implementation for values");
}

std::unique_ptr<Thunk> Op::prepare(const ThunkSpec &) const { return nullptr; }

std::vector<Type> outputTypesOf(const Op &op, std::span<const Operand> inputs)
{
    if (!op.takesDeviceArrays())
        for (const Operand &input : inputs)
            if (input.type.isTensor() && input.type.device() != DeviceId::Host) [[unlikely]]
                throw TypeMismatch(op.name() + " works on arrays of the host, and was given a " + input.type.text(),
                                   "transfer it to the host first");
    return op.outputTypes(inputs);
}

} // namespace engine
