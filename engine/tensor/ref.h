// Intrusive reference counting: one pointer wide, no control block, the count lives with the node.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace engine {

/// T has retain() const and release() const; release() frees the object when the last reference goes.
template <class T>
class Ref {
public:
    Ref() = default;
    Ref(std::nullptr_t) {}
    Ref(T *object) : m_object(object)
    {
        if (m_object) m_object->retain();
    }
    Ref(const Ref &other) : Ref(other.m_object) {}
    Ref(Ref &&other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
    template <class U>
    Ref(const Ref<U> &other) : Ref(other.get())
    {}
    ~Ref()
    {
        if (m_object) m_object->release();
    }
    Ref &operator=(Ref other) noexcept
    {
        std::swap(m_object, other.m_object);
        return *this;
    }

    /// Takes over a reference that the caller already holds.
    static Ref adopt(T *object)
    {
        Ref result;
        result.m_object = object;
        return result;
    }
    /// Gives the reference away without releasing it.
    T *detach() { return std::exchange(m_object, nullptr); }

    T *get() const { return m_object; }
    T *operator->() const { return m_object; }
    T &operator*() const { return *m_object; }
    explicit operator bool() const { return m_object != nullptr; }
    friend bool operator==(const Ref &a, const Ref &b) { return a.m_object == b.m_object; }

private:
    T *m_object = nullptr;
};

} // namespace engine

template <class T>
struct std::hash<engine::Ref<T>> {
    std::size_t operator()(const engine::Ref<T> &ref) const { return std::hash<const void *>{}(ref.get()); }
};
