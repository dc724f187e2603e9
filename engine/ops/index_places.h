// Where the elements lie that an index with arrays names.
#pragma once

#include "engine/ops/index_advanced.h"
#include "engine/tensor/tensor.h"

#include <span>
#include <vector>

namespace engine {

/// A general index resolved for an array that is there: for each position of the broadcast arrays a byte offset, and the
/// block of the other axes that lies there.
struct ResolvedIndex {
    Dims arrayShape;                   ///< broadcast shape of the arrays
    std::vector<std::int64_t> offsets; ///< bytes into the array, in C order of arrayShape
    Dims restShape, restStrides;       ///< axes that the arrays do not touch
    std::size_t place = 0;             ///< where arrayShape stands among restShape in the result
    char *base = nullptr;

    Dims resultShape() const
    {
        Dims shape;
        for (std::size_t i = 0; i < place; ++i) shape.push_back(restShape[i]);
        for (std::int64_t size : arrayShape) shape.push_back(size);
        for (std::size_t i = place; i < restShape.size(); ++i) shape.push_back(restShape[i]);
        return shape;
    }
};

/// Throws UserErrors that begin with the symbol. Nothing of x is read.
ResolvedIndex resolveIndex(const char *symbol, std::span<const AdvancedEntry> entries, const View &x, std::span<const View> indices);

} // namespace engine
