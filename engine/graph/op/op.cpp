#include "engine/graph/op/op.h"

#include "engine/graph/op/op_card.h"
#include "engine/graph/op/thunk.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace engine {
namespace {

// theano.tensor.elemwise has its device forms in theano.gpuarray.elemwise.
std::string deviceModule(std::string_view module)
{
    const std::string_view last = module.substr(module.rfind('.') + 1);
    return "theano.gpuarray." + std::string(last == "basic" ? "basic_ops" : last == "blas_c" ? "blas" : last);
}

/// A dtype that is all of an op's parameters stands at its output, too.
std::string withoutDType(std::string name)
{
    if (const std::size_t at = name.find("{dtype='"); at != name.npos && name.find_first_of(",}", at) == name.size() - 1) name.resize(at);
    return name;
}

} // namespace

void Op::seal()
{
    m_name = isOnDevice() ? deviceName() : exactName();
    m_friendly = withoutDType(shortName());
    m_shownClass = isOnDevice() ? deviceClass() : std::string(className());
    // What Theano has under one name everywhere is where it is on the host.
    m_shownModule = isOnDevice() && m_shownClass != className() ? deviceModule(moduleName()) : std::string(moduleName());
    m_dynamicType = &typeid(*this);
    m_card = &cardOf(*m_dynamicType);
    m_classKey = m_dynamicType->hash_code();
    m_hash = std::hash<std::string>{}(identity()) ^ m_classKey ^ (static_cast<std::size_t>(m_worksOn) * 0x9E3779B97F4A7C15ull);
}

OpRef Op::on(DeviceId device) const
{
    if (m_worksOn == device || !hasDeviceForm()) return OpRef(this);
    std::unique_ptr<Op> copy = copied();
    copy->m_worksOn = device;
    return internOp(std::move(copy));
}

bool Op::readsInputOnHost(std::size_t, const Operand &) const { return false; }
std::string Op::whyNotOnDevice(std::span<const Type>, std::span<const Type>) const { return {}; }

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
    if (op->isOnDevice()) key += std::to_string(static_cast<int>(op->worksOn())) + '@';
    key += op->identity();
    {
        std::lock_guard lock(mutex);
        if (const auto found = table->find(key); found != table->end()) return found->second;
    }
    op->seal(); // its names may be made of other ops
    OpRef result(op.release());
    std::lock_guard lock(mutex);
    return table->try_emplace(std::move(key), std::move(result)).first->second;
}

bool Op::inferShape(ShapeBuilder &, std::vector<SymShape> &) const { return false; }
std::vector<SizeRule> Op::sizeRules(ShapeBuilder &) const { return {}; }
std::optional<Sym> Op::inferValue(ShapeBuilder &, int, int) const { return std::nullopt; }
std::optional<Layout> Op::viewLayout(const Layout &, DType, const Dims &, std::span<const std::optional<std::int64_t>>) const
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

namespace {

// What it would be on the host, where its arrays are.
std::vector<Type> typesOnDevice(const Op &op, std::span<const Operand> inputs)
{
    const DeviceId device = op.worksOn();
    bool areSeveralDevices = false;
    std::vector<Operand> onHost(inputs.begin(), inputs.end());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].type.isTensor() || op.readsInputOnHost(i, inputs[i])) continue;
        areSeveralDevices = areSeveralDevices || inputs[i].type.device() != device;
        onHost[i].type = inputs[i].type.on(DeviceId::Host);
    }
    if (areSeveralDevices) {
        std::string types;
        for (const Operand &input : inputs) types += (types.empty() ? "" : ", ") + input.type.text();
        throw TypeMismatch(op.name() + " takes arrays of one device, and was given " + types,
                           "transfer them to where the work is to be done");
    }
    std::vector<Type> types = op.outputTypes(onHost);
    for (Type &type : types) type = type.on(device);
    return types;
}

} // namespace

std::vector<Type> outputTypesOf(const Op &op, std::span<const Operand> inputs)
{
    if (op.isOnDevice()) return typesOnDevice(op, inputs);
    if (!op.takesDeviceArrays())
        for (const Operand &input : inputs)
            if (isOnDevice(input.type)) [[unlikely]]
                throw TypeMismatch(op.name() + " works on arrays of the host, and was given a " + input.type.text(),
                                   "transfer it to the host first");
    return op.outputTypes(inputs);
}

} // namespace engine
