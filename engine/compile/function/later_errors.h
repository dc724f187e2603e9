// Errors that a device reports after the function has returned. The next thread that waits for the device gets the error, with the function
// and the apply that caused it.
#pragma once

#include "engine/runtime/plan/plan.h"

#include <cstdint>
#include <functional>

namespace engine {

/// Those of one function.
class LaterErrors {
public:
    /// `fail` throws what the person reads. It is called by any thread, while this lives.
    using Fail = std::function<void(const std::exception &error, const ApplyFailure &failure)>;
    explicit LaterErrors(Fail fail);
    ~LaterErrors();
    LaterErrors(const LaterErrors &) = delete;
    LaterErrors &operator=(const LaterErrors &) = delete;

    /// Work of that name may turn out to be wrong.
    void expect(std::uint64_t tag, ApplyFailure failure);
    /// Its plan is gone.
    void forget(std::uint64_t firstTag, std::size_t count);

    void fail(const std::exception &error, const ApplyFailure &failure) const { m_fail(error, failure); }

private:
    Fail m_fail;
};

/// Throws the error with its apply; where that is gone, the error. Called while it is caught.
[[noreturn]] void throwWithApply(const FoundOnDevice &error);

} // namespace engine
