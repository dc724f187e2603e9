// What flows along an edge: a tensor, or an object of the host language that only it understands.
#pragma once

#include "engine/tensor/ref.h"
#include "engine/tensor/tensor.h"

#include <atomic>
#include <string>

namespace engine {

/// An object of the host language (Python). Its destructor may run on any thread and must arrange to
/// release the real object where that is allowed.
class ForeignObject {
public:
    virtual ~ForeignObject() = default;
    virtual std::string text() const = 0;
    virtual bool equals(const ForeignObject &other) const = 0;
    void retain() const { m_refs.fetch_add(1, std::memory_order_relaxed); }
    void release() const
    {
        if (m_refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

private:
    mutable std::atomic<std::uint32_t> m_refs{0};
};

using ForeignRef = Ref<const ForeignObject>;

class Value {
public:
    Value() = default;
    Value(Tensor tensor) : m_tensor(std::move(tensor)) {}
    Value(ForeignRef object) : m_object(std::move(object)) {}

    bool valid() const { return m_tensor.valid() || m_object; }
    bool isTensor() const { return m_tensor.valid(); }
    const Tensor &tensor() const { return m_tensor; }
    const ForeignRef &object() const { return m_object; }

    bool sameAs(const Value &other) const;
    std::size_t contentHash() const;
    std::string text(std::size_t limit = 60) const;

private:
    Tensor m_tensor;
    ForeignRef m_object;
};

} // namespace engine
