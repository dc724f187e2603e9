// A choice between values of which only one is computed.
#pragma once

#include "engine/graph/op/lazy.h"
#include "engine/graph/op/op_class.h"

#include <string>
#include <vector>

namespace engine {

/// Inputs: a condition, `count` values if it holds, as many if not. What only the values that are not chosen need is not computed.
class IfElse final : public Op, public LazyOp {
public:
    /// `over`: by output the input whose memory it takes, 0: none. Where that one is chosen there is nothing to copy.
    IfElse(int count, std::string name, std::vector<int> over = {}) : m_count(count), m_title(std::move(name)), m_over(std::move(over))
    {
        m_over.resize(static_cast<std::size_t>(count), 0);
    }
    int count() const { return m_count; }
    const std::string &title() const { return m_title; }
    const std::vector<int> &over() const { return m_over; }
    bool inplace() const;
    OP_NAME("IfElse", "theano.ifelse");
    OP_RULES(outputTypes, inferShape, gradient, rop, costsNothing, prepare, exactName, identity, onDevices, readsInputOnHost, deviceName,
             deviceClass);
    std::vector<Alias> destroyMap() const override;
    bool canFold() const override { return false; } // a constant condition leaves one side: a rewrite of its own
    bool worksOnValues() const override { return true; }
    void performValues(std::span<const Value> inputs, std::span<Value> outputs) const override;
    bool reads(int input, bool condition) const override { return input == 0 || (input <= m_count) == condition; }

private:
    int m_count;
    std::string m_title;
    std::vector<int> m_over;
};

/// One result a pair of branches, which have the same types.
std::vector<VarRef> ifElse(const VarRef &condition, std::span<const VarRef> then, std::span<const VarRef> otherwise, std::string name);

} // namespace engine
