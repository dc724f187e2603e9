// How an operand of any strides becomes a block of registers for a box, and a block becomes an operand.
#pragma once

#include "engine/scalar/registers.h"
#include "engine/tensor/boxes.h"
#include "engine/tensor/dtype.h"

#include <vector>

namespace engine {

/// First every element that differs is loaded once, converted where it has to be; then axes of stride 0 repeat what lies
/// inside them, from the innermost one outwards.
class Gather {
public:
    Gather() = default;
    /// `strides` of the operand, in bytes, for each axis of the boxes.
    Gather(DType dtype, std::span<const std::int64_t> strides, const Boxes &boxes);

    /// A box is a block as it lies in memory.
    bool isDirect() const { return m_isDirect; }
    /// Every box holds the same, a shorter one the beginning of it.
    bool isSame() const { return m_isSame; }
    /// The block of the box that begins at `from`. Both `to` and `spare` have room for the longest one, and RT_SLACK bytes.
    void run(const char *from, std::int64_t run, char *to, char *spare) const;

private:
    struct Loop {
        std::int64_t size, stride;
    };
    struct Repeat {
        std::int64_t rows, rowBytes, times;
    };
    void load(const char *from, std::int64_t run, char *to) const;

    std::vector<Loop> m_loops;     // outermost first, over different elements only
    std::vector<Repeat> m_repeats; // innermost first
    bool m_runRepeats = false;     // a run makes the last repeat longer, else the first loop
    bool m_loads = false;          // what differs is not in memory as registers are, one behind the other
    bool m_isDirect = false, m_isSame = false;
    RtLoad m_load = nullptr;
    RtLoadRows m_loadRows = nullptr;
    std::int64_t m_registerBytes = 8;
};

/// Are boxes of an operand of these strides contiguous in memory?
bool boxesAreContiguous(std::span<const std::int64_t> strides, std::size_t elementBytes, const Boxes &boxes);
/// Stores a block as the box that begins at `to`; the registers are `registerBytes` wide.
void scatter(const Boxes &boxes, RtStore store, const char *from, std::size_t registerBytes, char *to,
             std::span<const std::int64_t> strides, std::int64_t run);

} // namespace engine
