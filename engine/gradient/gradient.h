// Reverse mode on expressions.
#pragma once

#include "engine/graph/expression.h"

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
    std::vector<std::pair<VarRef, VarRef>> knownGrads;
    DType floatX = DType::Float64;
};

/// d cost / d wrt, one per wrt (null refs where DisconnectedResult::None says so). `cost` may be null with knownGrads.
std::vector<VarRef> grad(const VarRef &cost, std::span<const VarRef> wrt, const GradOptions &options = {});

} // namespace engine
