// One place for each operand of a thunk: on the stack where they are few, as they nearly always are.
#pragma once

#include <cstddef>
#include <memory>

namespace engine {

template <class T>
class PerOperand {
public:
    explicit PerOperand(std::size_t count) : m_many(count > kFew ? new T[count] : nullptr), m_places(m_many ? m_many.get() : m_few) {}
    PerOperand(const PerOperand &) = delete;
    PerOperand &operator=(const PerOperand &) = delete;
    T &operator[](std::size_t i) const { return m_places[i]; }
    T *data() const { return m_places; }

private:
    static constexpr std::size_t kFew = 128;
    T m_few[kFew]; // no need to set them
    std::unique_ptr<T[]> m_many;
    T *m_places;
};

} // namespace engine
