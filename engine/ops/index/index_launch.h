// What kernels share that read and write the places an index names.
#pragma once

#include "engine/codegen/ir/builder.h"
#include "engine/device/device.h"
#include "engine/device/device_findings.h"
#include "engine/ops/index/index_places.h"
#include "engine/runtime/device/device_launch.h"
#include "engine/runtime/device/device_windows.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// Axes along which several arrays are walked at once: those of size 1 left out, neighbours that are one to all of them taken as one.
struct WalkedAxes {
    /// In bytes, of the arrays with elements of those sizes.
    WalkedAxes(const Dims &shape, std::span<const Dims> strides, std::span<const DType> dtypes);
    Dims shape;
    std::vector<Dims> steps; ///< in elements
};

/// The offset of element `number` of such axes in each array. The kernel's numbers begin with `letter`.
std::vector<ir::Value> walked(ir::Builder &k, const std::string &letter, const ir::Value &number, const WalkedAxes &axes);

/// A kernel ready to be launched on arrays.
struct IndexKernel {
    ir::Kernel kernel;
    std::int64_t items = 0, elements = 1;
};

/// What a kernel knows of one position of the arrays.
struct IndexPlace {
    ir::Value at;                   ///< the element within x
    std::optional<ir::Value> isOut; ///< it is nowhere in x; none: somebody looked before
};
/// Adds the arrays and numbers that tell places to a kernel, and gives what reads the one of a position.
using IndexReader = std::function<std::function<IndexPlace(const ir::Value &position)>(ir::Builder &k)>;

/// x at the places of an index: of arrays x and `out`, then those of the reader.
IndexKernel gatherKernel(const std::string &name, const IndexLayout &index, const SlotOperand &out, const IndexReader &reader);
/// y set or added at `count` places of an index: of arrays y, the keys of its places in order, the positions that they belong to, x. Those
/// of one key are one item's, one after another. `isSent`: keys and positions are where the elements of x and y lie; else they are numbers
/// of places and of positions, and nothing is written if one is out of bounds.
IndexKernel scatterKernel(const std::string &name, bool isSet, bool isSent, const IndexLayout &index, std::int64_t count, const Dims &steps,
                          const SlotOperand &y, const SlotOperand &out);

/// Where the axes that the arrays do not touch lie in an array of the result's shape with these strides.
Dims restWithin(const IndexLayout &index, const Dims &strides);
/// Elements from one position of the arrays to the next in such an array.
std::int64_t stepOfArrays(const IndexLayout &index, const Dims &strides, DType dtype);
/// Strides of the value as NumPy broadcasts it to the part.
Dims stridesOfPart(Finding symbol, const SlotOperand &y, const Dims &part);
/// x as the output, which others write into; null: it is the output.
std::unique_ptr<Thunk> copyUnlessInPlace(const ThunkSpec &spec, const std::string &name);
/// Throws where the value does not broadcast to a part of that shape.
void checkFits(const SlotOperand &y, const Dims &part, const std::string &name);

/// Does one of an op's index arrays lie on a device? `indices`: what its entries read.
bool readsIndexOnDevice(std::span<const AdvancedEntry> entries, std::span<const SlotOperand> indices);
/// Its index arrays are read by kernels: those of the host are sent.
std::unique_ptr<Thunk> gatherOnDevice(std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name);
std::unique_ptr<Thunk> scatterOnDevice(bool isSet, std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name);

/// x[i] as an index with one array.
std::span<const AdvancedEntry> oneArray();

} // namespace engine
