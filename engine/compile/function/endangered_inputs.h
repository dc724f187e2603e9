// Finds inputs that a call would overwrite although other code can read them.
#pragma once

#include "engine/compile/function/compiled_graph.h"

#include <span>
#include <vector>

namespace engine {

/// The memory of an input of a call, and its owner.
struct InputMemory {
    /// No storage: a caller's array.
    InputMemory(const View &view, const Storage *storage);
    const char *begin = nullptr, *end = nullptr;
    std::size_t group = 0, groupEnd = 0; ///< places in the order of memory of those it may meet
    Memory memory;
    bool isEndangered = false;
};

/// Its lists keep their room from call to call.
class EndangeredInputs {
public:
    void clear() { m_inputs.clear(); }
    /// The next input of the graph.
    void add(const View &view, const Storage *storage) { m_inputs.emplace_back(view, storage); }
    /// Those that are destroyed whose memory is read-only, or meets itself or another input.
    const std::vector<std::size_t> &find(const DestroyedInputs &destroyed, std::span<const View> inputs);

private:
    void groupMemory();

    std::vector<InputMemory> m_inputs;
    std::vector<std::size_t> m_byPlace, m_found;
};

} // namespace engine
