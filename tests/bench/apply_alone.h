// The one apply of a compiled function without the call around it: its thunk and compiled kernel, on an output that stays.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/runtime/thunks/thunk.h"

#include <memory>
#include <vector>

namespace engine {

class ApplyAlone {
public:
    /// Throws if the function is more than one apply.
    ApplyAlone(std::shared_ptr<Function> function, std::vector<Tensor> inputs);
    void operator()() { m_thunk->run(m_slots.data()); }

private:
    std::shared_ptr<Function> m_function; // holds the constants
    std::vector<Tensor> m_arrays;
    std::vector<void *> m_slots;
    std::shared_ptr<Kernel> m_kernel;
    std::unique_ptr<Thunk> m_thunk;
};

} // namespace engine
