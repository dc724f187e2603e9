// Reverse and forward mode on expressions.
#pragma once

#include "engine/graph/ir/expression.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace engine {

enum class OnDisconnected { Raise, Warn, Ignore };
enum class DisconnectedResult { Zero, None, Disconnected };

/// Leaves that stand for "nothing arrives here" and "this is undefined because …".
VarRef disconnected();
VarRef undefinedGradient(const std::string &why);
bool isDisconnected(const VarRef &variable);
bool isUndefined(const VarRef &variable);

/// The cost depends on none of a variable's elements.
class DisconnectedInput : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};
/// A gradient that passes through an undefined term.
class NullGradient : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct GradOptions {
    std::vector<VarRef> considerConstant;
    OnDisconnected onDisconnected = OnDisconnected::Raise;
    DisconnectedResult disconnectedResult = DisconnectedResult::Zero;
    bool raiseOnNull = true;
    bool addNames = true; ///< "(dcost/dw)" where both are named
    /// Gradients that are known already: their variables start the walk (beside or in place of the cost). What arrives at them on the
    /// way is added, or left out where they are said to be all there is.
    std::vector<std::pair<VarRef, VarRef>> knownGrads;
    bool knownIsAll = false;
    DType floatX = ::engine::floatX();
    /// Told about each wrt that the cost does not depend on, if onDisconnected is Warn.
    std::vector<std::string> *warnings = nullptr;
};

/// d cost / d wrt, one per wrt (null refs where DisconnectedResult::None says so). `cost` may be null with knownGrads.
std::vector<VarRef> grad(const VarRef &cost, std::span<const VarRef> wrt, const GradOptions &options = {});

/// vᵀ·J: the gradient of Σ f·v without the sum. One point per f.
std::vector<VarRef> lop(std::span<const VarRef> f, std::span<const VarRef> wrt, std::span<const VarRef> evalPoints,
                        const GradOptions &options = {});

/// J·v, one per f; throws DisconnectedInput if an op on the way has no forward rule, or if f does not depend on wrt and
/// `allowDisconnected` is false (else zeros).
std::vector<VarRef> rop(std::span<const VarRef> f, std::span<const VarRef> wrt, std::span<const VarRef> evalPoints,
                        bool allowDisconnected = true);
/// The same with null refs where f does not depend on wrt.
std::vector<VarRef> forwardDerivatives(std::span<const VarRef> f, std::span<const VarRef> wrt, std::span<const VarRef> directions);

/// [input][output]: do elements of the output depend on elements of the input?
std::vector<std::vector<bool>> connections(std::span<const VarRef> inputs, std::span<const VarRef> outputs);

} // namespace engine
