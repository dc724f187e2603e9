// Python's signals within calls of the engine: Ctrl-C ends them.
#pragma once

#include "engine/tensor/interrupt.h"

namespace python {

/// While it lives what the engine does for this thread ends when a handler of Python's signals raises: that is the main thread's business.
/// Made where the interpreter lock is held, or before it is let go.
class Interruptible {
public:
    /// `isLong`: the signals are watched from the beginning, otherwise once the call has turned out to be long.
    explicit Interruptible(bool isLong = false);
    ~Interruptible();
    Interruptible(const Interruptible &) = delete;
    Interruptible &operator=(const Interruptible &) = delete;

private:
    engine::WatchedCall m_call;
};

void addInterrupts();

/// A handler raised, the engine has ended its work: the exception goes to Python, and work may go on.
void raiseInterrupt();

} // namespace python
