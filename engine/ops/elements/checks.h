// Identities with a side effect: Assert, Print.
#pragma once

#include "engine/graph/op/op_class.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/tensor.h"

#include <functional>

namespace engine {

/// A condition of an Assert was false; Python shows it as AssertionError.
class AssertionFailed : public UserError {
public:
    using UserError::UserError;
};

/// x; the other inputs are 0-d conditions that must hold when it runs. It goes with a value that no result needs, as everything does.
class Assert final : public Op {
public:
    /// `asValue`: Python shows it as ValueError, as of a size that does not fit.
    explicit Assert(std::string message, bool asValue = false) : m_message(std::move(message)), m_asValue(asValue) {}
    const std::string &message() const { return m_message; }
    bool asValue() const { return m_asValue; }
    OP_NAME("Assert", "theano.tensor.opt");
    OP_RULES(outputTypes, sizesOfFirst, viewsFirst, gradient, rop, firstConnected, costsNothing, perform, identity, prepare, onDevices,
             readsInputOnHost, deviceName, deviceClass);
    /// Throws where one of the conditions does not hold.
    void check(std::span<const View> conditions) const;

protected:
    std::string exactName() const override { return "Assert{msg='" + m_message + "'}"; }

private:
    std::string m_message;
    bool m_asValue;
};

/// What a Print says when it runs: one event per attribute ("__str__" is the value itself).
struct PrintEvent {
    std::string message;
    std::string attribute;
    Tensor value;
};
/// The engine writes to no console: whoever embeds it says where prints go (called on the running thread). Null: nowhere.
void setPrintSink(std::function<void(const PrintEvent &)> sink);

class Print final : public Op {
public:
    Print(std::string message, std::vector<std::string> attributes) : m_message(std::move(message)), m_attributes(std::move(attributes)) {}
    const std::string &message() const { return m_message; }
    const std::vector<std::string> &attributes() const { return m_attributes; }
    OP_NAME("Print", "theano.printing");
    OP_RULES(typeOfFirst, sizesOfFirst, viewsFirst, notFolded, gradient, rop, perform, exactName, prepare, onDevices, deviceName,
             deviceClass);
    /// Says what `value`, an array of the host, is.
    void say(const std::function<Tensor()> &value) const;

private:
    std::string m_message;
    std::vector<std::string> m_attributes;
};

VarRef assertTrue(const VarRef &x, std::span<const VarRef> conditions, std::string message = "Theano Assert failed!", bool asValue = false);
VarRef print(const VarRef &x, std::string message, std::vector<std::string> attributes = {"__str__"});

} // namespace engine
