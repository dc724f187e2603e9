// An Op is an immutable value: what an apply computes. Every property of an op lives here.
#pragma once

#include "engine/graph/ir/expression.h"
#include "engine/graph/ir/type.h"
#include "engine/graph/op/shape_builder.h"
#include "engine/tensor/ref.h"
#include "engine/tensor/value.h"

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace engine {

class ScalarOp;
struct OpCard;

/// What a type rule may look at: the type of an input and, if it is a constant, its value.
struct Operand {
    Type type;
    const Value *constant = nullptr;
};

/// Output `output` is a window on, or overwrites, input `input`.
struct Alias {
    std::uint32_t output = 0;
    std::uint32_t input = 0;
};

struct Cost {
    double flops = 0;
    double bytes = 0;
};

/// An array that an apply reads or makes: its type, and how big it is.
struct Sized {
    Type type;
    Dims shape;
    double elements() const { return static_cast<double>(shape.product()); }
    double bytes() const { return type.isTensor() ? elements() * static_cast<double>(sizeOf(type.dtype())) : 0; }
};

/// One step of the work that an op does on each element, where that is made of scalar functions.
struct WorkStep {
    enum class Kind : std::uint8_t {
        Function, ///< computes an element
        Literal,  ///< an immediate value: costs nothing
        Fold,     ///< combines an element with those before it, by `function`
    };
    Kind kind = Kind::Function;
    const ScalarOp *function = nullptr;
    std::vector<DType> arguments;
    DType result = DType::Float64;
    std::vector<std::uint32_t> reads;  ///< inputs of the op that no step before it reads
    std::vector<std::uint32_t> writes; ///< outputs of the op
};

/// Where the elements of a view lie: relative to the first element of the array it looks into.
struct Layout {
    Dims shape;
    Dims strides;            ///< bytes
    std::int64_t offset = 0; ///< bytes
};

/// A graph inside an op (OpFromGraph, scan, Composite).
struct InnerGraph {
    std::vector<VarRef> inputs;
    std::vector<VarRef> outputs;
};

struct PerformArgs;
struct ThunkSpec;
class Thunk;

class Op {
public:
    virtual ~Op() = default;

    // --- identity -------------------------------------------------------------------------------
    /// Theano's Python class: "Elemwise", "CGemv". Scripts compare it.
    virtual std::string_view className() const = 0;
    /// Module of that class, for reports: "theano.tensor.elemwise".
    virtual std::string_view moduleName() const { return "theano.tensor.basic"; }
    /// Exact name as Theano prints it: "Elemwise{exp,no_inplace}".
    const std::string &name() const { return m_name; }
    /// Short name for people: "exp".
    const std::string &friendlyName() const { return m_friendly; }
    /// What scripts and reports call its class and module: those above, of a device form Theano's for devices.
    const std::string &shownClass() const { return m_shownClass; }
    const std::string &shownModule() const { return m_shownModule; }
    std::size_t hash() const { return m_hash; }
    /// Same computation, same views, same destroyed inputs? Interned ops are the same object.
    virtual bool equals(const Op &other) const { return this == &other; }

    // --- rules ----------------------------------------------------------------------------------
    /// Type rule; throws UserError (TypeMismatch, ShapeMismatch) with a sentence naming the op.
    virtual std::vector<Type> outputTypes(std::span<const Operand> inputs) const = 0;
    /// Symbolic sizes of every output. False: known only after the apply ran.
    virtual bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const;
    /// Value of element `element` of integer output `output` (0 for a 0-d output), where it can be told from
    /// shapes and other integers: Shape_i, MakeVector, sums of sizes …
    virtual std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const;
    /// Which sizes have to agree. Where a rewrite took the op away they are still checked, before a call with new sizes runs.
    virtual std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const;
    virtual std::vector<Alias> viewMap() const { return {}; }
    virtual std::vector<Alias> destroyMap() const { return {}; }
    /// Layout of view output `output` on the input it views, for run-time sizes. `integers[i]` is the value of 0-d
    /// integer input i where it is known before running. nullopt: not a pure window; perform() copies instead.
    virtual std::optional<Layout> viewLayout(const Layout &input, DType dtype, const Dims &outputShape,
                                             std::span<const std::optional<std::int64_t>> integers) const;
    virtual bool canFold() const { return true; } ///< may constant folding run it?
    /// Are the elements of its outputs whatever lay in memory, for others to write?
    virtual bool leavesElementsOpen() const { return false; }
    // --- devices --------------------------------------------------------------------------------
    /// May operands lie on a device? All others are told apart when a graph is built.
    virtual bool takesDeviceArrays() const { return false; }
    /// Has it a form for operands that lie on a device: the same work, under Theano's name for it there? Applies with such operands get
    /// that form by themselves.
    virtual bool hasDeviceForm() const { return false; }
    bool isOnDevice() const { return m_worksOn != DeviceId::Host; }
    /// The device of a device form.
    DeviceId worksOn() const { return m_worksOn; }
    /// Its form for a device, or for the host; the op itself where it has no forms.
    OpRef on(DeviceId device) const;
    /// Is this operand of the device form read on the host: a size, a place, a number?
    virtual bool readsInputOnHost(std::size_t input, const Operand &operand) const;
    /// Why the device form cannot be had for these types; empty: it can.
    virtual std::string whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const;
    /// The output that `op(…)` returns when there are several; -1: all.
    virtual int defaultOutput() const { return -1; }
    /// The flops; what is moved follows from inputs and outputs, see costOf().
    virtual Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const;
    /// In the order in which they are done; those of a Composite body are its instructions. Empty: the work has no such steps.
    virtual std::vector<WorkStep> workSteps(std::span<const Type> inputs, std::span<const Type> outputs) const;

    // --- gradient -------------------------------------------------------------------------------
    /// One term per input for the given output gradients (a Disconnected variable where nothing arrives).
    /// Terms may be Disconnected or Null variables (see gradient/).
    virtual std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const;
    /// Forward mode; evalPoints may hold null refs. Null result: undefined.
    virtual std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const;
    /// [input][output]: do elements of the output depend on elements of the input?
    virtual std::vector<std::vector<bool>> connectionPattern(const Apply &node) const;

    // --- running --------------------------------------------------------------------------------
    /// Interpreter for tensors. Output views are preallocated from inferShape; a view with null data has to be
    /// allocated through the args (sizes known only now).
    virtual void perform(PerformArgs &args) const;
    /// Ops on values that are not tensors (or that call the host language) work here instead.
    virtual bool worksOnValues() const { return false; }
    virtual void performValues(std::span<const Value> inputs, std::span<Value> outputs) const;
    /// A prepared thunk for fixed shapes and strides; null: perform() is called through a generic one.
    virtual std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const;
    /// Is there compiled code behind this op, or the host language?
    virtual bool isCompiled() const { return true; }
    /// "C" in profiles, or "Py": an op of the host language may bring compiled code, which functions that compile use.
    virtual bool runsCompiled([[maybe_unused]] bool compiles) const { return isCompiled(); }

    virtual const InnerGraph *inner() const { return nullptr; }

    void retain() const { m_refs.fetch_add(1, std::memory_order_relaxed); }
    void release() const
    {
        if (m_refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    const std::type_info &dynamicType() const { return *m_dynamicType; }
    /// What its own file says of its class (op_card.h): its role, document, printing …
    const OpCard &card() const { return *m_card; }
    /// Differs between classes; equal ones are nearly always the same class.
    std::size_t classKey() const { return m_classKey; }

protected:
    Op() = default;
    /// An op that is not sealed yet.
    Op(const Op &) {}
    Op &operator=(const Op &) = delete;
    /// Of an op with a device form.
    virtual std::unique_ptr<Op> copied() const { return nullptr; }

    virtual std::string exactName() const { return std::string(className()); }
    virtual std::string shortName() const { return exactName(); }
    /// Name and class of the device form.
    virtual std::string deviceName() const { return "Gpu" + exactName(); }
    virtual std::string deviceClass() const { return "Gpu" + std::string(className()); }
    /// Everything that tells two ops of one class apart, if the exact name does not.
    virtual std::string identity() const { return exactName(); }
    /// A connection pattern in which the first `count` inputs reach all outputs, and the others none.
    static std::vector<std::vector<bool>> connectedInputs(const Apply &node, std::size_t count);

private:
    friend OpRef internOp(std::unique_ptr<Op> op);
    friend OpRef sealOp(std::unique_ptr<Op> op);
    void seal();

    std::string m_name;
    std::string m_friendly;
    std::string m_shownClass, m_shownModule;
    std::size_t m_hash = 0;
    const std::type_info *m_dynamicType = nullptr;
    const OpCard *m_card = nullptr;
    std::size_t m_classKey = 0;
    DeviceId m_worksOn = DeviceId::Host;
    mutable std::atomic<std::uint32_t> m_refs{0};
};

/// The one instance of an op with this class and identity.
OpRef internOp(std::unique_ptr<Op> op);
/// An op with an identity of its own (OpFromGraph, user ops): names are cached, nothing is shared.
OpRef sealOp(std::unique_ptr<Op> op);

template <class T, class... Args>
OpRef makeOp(Args &&...args)
{
    return internOp(std::make_unique<T>(std::forward<Args>(args)...));
}

/// Is it an array on a device?
inline bool isOnDevice(Type type) { return type.isTensor() && type.device() != DeviceId::Host; }

/// The op as its inputs want it: its device form where one of them lies on a device. `typeOf` gives the type of an input.
template <class Inputs, class TypeOf>
OpRef formFor(const OpRef &op, const Inputs &inputs, TypeOf typeOf)
{
    if (op->hasDeviceForm())
        for (const auto &input : inputs)
            if (const Type type = typeOf(input); isOnDevice(type)) return op->on(type.device());
    return op;
}

/// The type rule, for operands that lie where the op can reach them. Results of a device form lie where its operands do.
std::vector<Type> outputTypesOf(const Op &op, std::span<const Operand> inputs);

inline bool sameOp(const Op &a, const Op &b) { return &a == &b || a.equals(b); }

/// The op as a T if it is exactly a T, else null.
template <class T>
const T *opCast(const Op *op)
{
    if (!op) return nullptr;
    // Comparing two different type_infos compares their names; most casts only want to hear no.
    static const std::size_t key = typeid(T).hash_code();
    return op->classKey() == key && op->dynamicType() == typeid(T) ? static_cast<const T *>(op) : nullptr;
}
template <class T>
const T *opCast(const OpRef &op)
{
    return opCast<T>(op.get());
}

/// An op reads all of its inputs and writes all of its outputs; a view does neither, and computes nothing.
Cost costOf(const Op &op, std::span<const Sized> inputs, std::span<const Sized> outputs);

} // namespace engine
