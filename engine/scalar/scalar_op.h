// Scalar functions: what an Elemwise does to one element. One table (rt/functions) holds them all.
#pragma once

#include "engine/tensor/dtype.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// The rows of rt/functions, then the two that have none.
enum class ScalarCode : std::uint16_t {
#define FUNCTION(code, ...) code,
#include "engine/rt/functions/all.def"
    Cast,
    Composite,
};

class ScalarOp;
using ScalarOpPtr = const ScalarOp *; ///< interned, lives for ever

/// One instruction of a Composite body. Arguments below `inputCount` are inputs; then come the instructions.
struct ScalarInstruction {
    ScalarOpPtr op = nullptr; ///< null: the literal
    std::vector<std::uint32_t> arguments;
    DType dtype = DType::Float64; ///< of the result
    double literal = 0;           ///< for constants; integers up to 2^53 are exact
};

struct ScalarBody {
    std::uint32_t inputCount = 0;
    std::vector<DType> inputTypes;
    std::vector<ScalarInstruction> instructions;
    std::vector<std::uint32_t> outputs;
};

/// What arrives at one argument of a function from the gradient of its result.
struct ScalarSlope {
    enum class Kind : std::uint8_t { Disconnected, Undefined, Value };
    Kind kind = Kind::Disconnected;
    std::uint32_t value = 0; ///< of the derivative's values
    std::string why;         ///< it is undefined
};

/// A formula for each argument. Its values are the arguments, the result, the gradient that arrives at the result, then the steps.
struct ScalarDerivative {
    std::vector<ScalarInstruction> steps;
    std::vector<ScalarSlope> slopes;
};

namespace terms {
class Term;
struct Chain;
} // namespace terms

class ScalarOp {
public:
    virtual ~ScalarOp() = default;
    ScalarCode code() const { return m_code; }
    /// Theano's name: "exp", "scalar_sigmoid", "Cast{float32}", "Composite{…}".
    const std::string &name() const { return m_name; }
    /// What people call: "gt" for GT, "sigmoid" for scalar_sigmoid.
    const std::string &symbol() const { return m_symbol; }
    /// Theano's Python class: "GT", "ScalarSigmoid"; in-place Elemwise print it.
    const std::string &className() const { return m_className; }
    /// For people: "exp", "σ", "+".
    const std::string &friendlyName() const { return m_friendly; }
    /// "+" for add: printed between its arguments; empty: printed as a call.
    const std::string &infix() const { return m_infix; }
    int arity() const { return m_arity; } ///< -1: any number from one on (add, mul)
    virtual int outputCount() const { return 1; }

    /// Result dtypes; throws TypeMismatch for arguments it refuses (neg of bool, ordering of complex …).
    virtual std::vector<DType> resultTypes(std::span<const DType> arguments) const = 0;
    /// The same for the first result, without an allocation.
    virtual DType resultType(std::span<const DType> arguments) const = 0;
    /// dtype to which the arguments are converted before computing (float16 computes in float32), or nothing: each
    /// stays as it is. The condition of Switch and the first argument of Second are never converted.
    virtual std::optional<DType> computeType(std::span<const DType> arguments) const = 0;
    /// Relative price of one element, an addition being 1.
    double cost() const { return m_cost; }
    /// The derivative, one term per argument; linear in what arrives. See terms.h.
    virtual std::vector<terms::Term> slopes(const terms::Chain &chain) const = 0;
    /// Value of one element; arguments and result in `double`.
    virtual double evaluate(std::span<const double> arguments) const = 0;
    virtual const ScalarBody *body() const { return nullptr; } ///< Composite only
    /// Target of a Cast.
    virtual std::optional<DType> castTarget() const { return std::nullopt; }

protected:
    ScalarCode m_code = ScalarCode::Identity;
    std::string m_name, m_symbol, m_className, m_friendly, m_infix;
    int m_arity = 1;
    double m_cost = 1;
};

/// The function with this code (not Cast, not Composite).
ScalarOpPtr scalarOp(ScalarCode code);
/// By Theano's name or an alias ("exp", "sigmoid" …); null if there is none.
ScalarOpPtr findScalarOp(std::string_view name);
ScalarOpPtr castOp(DType target);
/// The one Composite with this body. Printed in Theano's final style, e.g. Composite{(i0 + sqr(i1))}.
ScalarOpPtr compositeOp(ScalarBody body);
ScalarDerivative derivativeOf(const ScalarOp &op, std::span<const DType> arguments, DType result, DType gradient);
/// All table entries, in table order.
std::span<const ScalarOpPtr> allScalarOps();

} // namespace engine
