// Blocks of an array at places that an index names, copied to another array or from one: what gathers and scatters do where blocks lie
// together.
#pragma once

#include "engine/ops/index/index_places.h"

#include <optional>

namespace engine {

class IndexBlocks {
public:
    /// `other` has the index's result shape and the dtype of the indexed array. Nothing: blocks of one of the two do not lie together.
    static std::optional<IndexBlocks> of(const IndexLayout &layout, const View &other);

    void gather(const PlaceReader &places) const; ///< to other
    void set(const PlaceReader &places) const;    ///< from other, in the order of positions
    /// False, and nothing was done: there is no loop for this dtype.
    bool add(const PlaceReader &places) const;

private:
    IndexBlocks() = default;
    /// Calls move(RtIndexed) for pieces of positions at each place of the axes before the arrays.
    template <class Move>
    void forPieces(const PlaceReader &places, Move move) const;

    char *m_array = nullptr, *m_other = nullptr;
    DType m_dtype{};
    std::int64_t m_elements = 1; ///< of a block
    std::size_t m_bytes = 0;     ///< of a block
    std::int64_t m_step = 0;     ///< of other, between positions
    Dims m_outer, m_arraySteps, m_otherSteps;
};

} // namespace engine
