// Where the elements lie that an index with arrays names.
#pragma once

#include "engine/ops/elements/run_support.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/tensor/tensor.h"

#include <span>
#include <vector>

namespace engine {

/// How a general index lies on an array that is there: what its arrays and slices say before an element of an array is read.
struct IndexLayout {
    struct Axis {
        int axis = 0;
        std::int64_t size = 0, stride = 0;
        bool operator==(const Axis &) const = default;
    };
    Dims arrayShape;             ///< broadcast shape of the arrays
    std::vector<Axis> axes;      ///< that the arrays name places of
    Dims restShape, restStrides; ///< axes that the arrays do not touch
    std::size_t place = 0;       ///< where arrayShape stands among restShape in the result
    char *base = nullptr;

    Dims resultShape() const
    {
        Dims shape;
        for (std::size_t i = 0; i < place; ++i) shape.push_back(restShape[i]);
        for (std::int64_t size : arrayShape) shape.push_back(size);
        for (std::size_t i = place; i < restShape.size(); ++i) shape.push_back(restShape[i]);
        return shape;
    }
    /// Wherever it begins.
    bool isAs(const IndexLayout &other) const
    {
        return arrayShape == other.arrayShape && axes == other.axes && restShape == other.restShape && restStrides == other.restStrides &&
               place == other.place;
    }
};
/// Nothing of x and the arrays is read, of slices their scalars. Throws UserErrors that begin with the symbol.
IndexLayout layoutOfIndex(const char *symbol, std::span<const AdvancedEntry> entries, const View &x, std::span<const View> indices);

/// Reads the places that the arrays name, piece by piece: a piece stays in the first cache. It refers to the arrays.
class PlaceReader {
public:
    static constexpr std::int64_t kPiece = 1024; ///< positions that are best read at once

    PlaceReader(const char *symbol, std::span<const AdvancedEntry> entries, const IndexLayout &layout, std::span<const View> indices);
    std::int64_t count() const { return m_count; }
    /// Byte offsets from the layout's base of positions from `first` on, in C order of arrayShape. Throws OutOfBounds.
    void read(std::int64_t first, std::int64_t count, std::int64_t *offsets) const;
    /// Throws OutOfBounds if any position is outside: for who must not have begun to write then.
    void check() const;

private:
    struct Array {
        IndexLayout::Axis axis;
        const char *data;
        DType dtype;
        Dims steps;          ///< in bytes, through the common shape
        Tensor copy;         ///< where there is no loop for the array as it lies
        bool isDense = true; ///< else row by row
    };
    /// False: a position is outside.
    bool readOne(const Array &array, std::int64_t first, std::int64_t count, bool adds, std::int64_t *offsets) const;
    bool readRows(const Array &array, std::int64_t first, std::int64_t count, bool adds, std::int64_t *offsets) const;
    const char *at(const Array &array, std::int64_t position) const;
    [[noreturn]] void fail() const;

    const char *m_symbol;
    Dims m_shape;
    std::int64_t m_count;
    std::vector<Array> m_arrays;
};

/// With the places that the arrays name: for each position of theirs a byte offset, and the block of the other axes that lies there.
struct ResolvedIndex : IndexLayout {
    std::vector<std::int64_t> offsets; ///< bytes into the array, in C order of arrayShape
};

/// Throws UserErrors that begin with the symbol. Nothing of x is read.
ResolvedIndex resolveIndex(const char *symbol, std::span<const AdvancedEntry> entries, const View &x, std::span<const View> indices);

} // namespace engine
