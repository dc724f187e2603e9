// Identities with a side effect: Assert, Print.
#pragma once

#include "engine/graph/op.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/tensor.h"

#include <functional>

namespace engine {

/// A condition of an Assert was false; Python shows it as AssertionError.
class AssertionFailed : public UserError {
public:
    using UserError::UserError;
};

/// x; the other inputs are 0-d conditions that must hold when it runs.
class Assert final : public Op {
public:
    explicit Assert(std::string message) : m_message(std::move(message)) {}
    const std::string &message() const { return m_message; }
    std::string_view className() const override { return "Assert"; }
    std::string_view moduleName() const override { return "theano.tensor.opt"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<Alias> viewMap() const override { return {{0, 0}}; }
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    Cost cost(std::span<const Dims>, std::span<const Dims>) const override { return {}; }
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "Assert{msg='" + m_message + "'}"; }

private:
    std::string m_message;
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
    std::string_view className() const override { return "Print"; }
    std::string_view moduleName() const override { return "theano.printing"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override { return {inputs[0].type}; }
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<Alias> viewMap() const override { return {{0, 0}}; }
    bool canFold() const override { return false; }
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override;

private:
    std::string m_message;
    std::vector<std::string> m_attributes;
};

VarRef assertTrue(const VarRef &x, std::span<const VarRef> conditions, std::string message = "Theano Assert failed!");
VarRef print(const VarRef &x, std::string message, std::vector<std::string> attributes = {"__str__"});

} // namespace engine
