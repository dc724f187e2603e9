// Whose fault is it? UserError: the program that was given to us. InternalError: ours.
#pragma once

#include <stdexcept>
#include <string>

namespace engine {

/// A mistake in what the user gave us. `what()` is one sentence; `hint()` names the way out (may be empty).
class UserError : public std::runtime_error {
public:
    explicit UserError(const std::string &message, std::string hint = {}) : std::runtime_error(message), m_hint(std::move(hint)) {}
    const std::string &hint() const { return m_hint; }

private:
    std::string m_hint;
};

/// Wrong dtype or kind of argument; Python shows it as TypeError.
class TypeMismatch : public UserError {
public:
    using UserError::UserError;
};

/// A shape that does not fit; Python shows it as ValueError.
class ShapeMismatch : public UserError {
public:
    using UserError::UserError;
};

/// An index that the array does not have; Python shows it as IndexError.
class OutOfBounds : public ShapeMismatch {
public:
    using ShapeMismatch::ShapeMismatch;
};

/// A function was asked for that needs an input nobody gave.
class MissingInput : public UserError {
public:
    using UserError::UserError;
};

/// An input that nothing reads.
class UnusedInput : public UserError {
public:
    using UserError::UserError;
};

/// No plan takes as little memory as it may; Python shows it as MemoryError.
class OutOfBudget : public UserError {
public:
    using UserError::UserError;
};

class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] void failAssert(const char *condition, const char *file, int line, const std::string &detail);

#define ENGINE_ASSERT(condition, detail)                                                                                                   \
    do {                                                                                                                                   \
        if (!(condition)) [[unlikely]]                                                                                                     \
            ::engine::failAssert(#condition, __FILE__, __LINE__, detail);                                                                  \
    } while (0)

} // namespace engine
