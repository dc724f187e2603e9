// Ops that choose: what only the input that is not chosen needs, is not computed.
#pragma once

namespace engine {

/// The second face of an Op whose input 0 is a 0-d condition.
class LazyOp {
public:
    virtual ~LazyOp() = default;
    /// Is input `input` read when the condition is that?
    virtual bool reads(int input, bool condition) const = 0;
};

} // namespace engine
